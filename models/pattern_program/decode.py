"""Turn points of the pattern program into partitions, and back."""

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, Partition, RowTypes, Table, group_by
from starmin.instances.arrays import Floats, Ints, distinct
from starmin.models.pattern_program.open_pattern_flow import open_pattern_flow
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.patterns.group_nodes import group_nodes, numbers_of
from starmin.models.patterns.patterns import Patterns


def partition_of(types: RowTypes, program: PatternProgram, point: Floats) -> Partition:
    """Return the partition that an integral point of the program stands for.

    For k-anonymity alone only the open patterns are taken from the point; the rows are
    dealt to them anew, and at least cost, by a flow. Raises ArithmeticError where the
    rounded point is no release.
    """
    patterns = program.patterns
    loads: Ints | None
    if program.k > 1 and program.l == 1:
        y = point[program.first_y : program.first_y + len(patterns)]
        loads = open_pattern_flow(patterns, y > 0.5, program.k)
    else:
        loads = np.rint(point[: program.incidences]).astype(np.int64)
    if loads is None:
        raise ArithmeticError("The open patterns of an integral point admit no flow.")
    return partition_of_loads(types, patterns, loads)


def partition_of_loads(types: RowTypes, patterns: Patterns, loads: Ints) -> Partition:
    """Return the partition with one group for each pattern that has rows."""
    used = np.flatnonzero(loads)
    return Partition.from_loads(
        types, patterns.pattern[used], patterns.types[used], loads[used]
    )


def loads_of(
    table: Table,
    objective: Objective,
    types: RowTypes,
    patterns: Patterns,
    partition: Partition,
) -> Ints | None:
    """Count the copies of each type that a partition releases as each pattern.

    A group is released as the smallest nodes that cover its rows, which are a closed
    pattern. Where that is not among ``patterns``, it is released as the cheapest one
    there that all its rows fit. Returns one number per incidence of ``patterns``; None
    where the rows of some group fit no pattern together.
    """
    of_rows = partition.of_rows(types.inverse)
    pairs = group_by([partition.groups, of_rows], [partition.size, len(types)])
    group, type_ = partition.groups[pairs.first], of_rows[pairs.first]
    counts = pairs.counts
    if partition.copies is not None:
        counts = np.bincount(pairs.inverse, partition.copies).astype(np.int64)
    both = np.concatenate([patterns.nodes, group_nodes(table, objective, partition)])
    of_pattern, own = np.split(numbers_of(both), [len(patterns)])
    known = of_pattern[patterns.pattern] * len(types) + patterns.types
    order = np.argsort(known, kind="stable")
    known = known[order]
    wanted = own[group] * len(types) + type_
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    at = np.where(known[place] == wanted, order[place], -1)
    without = distinct(group[at < 0])
    if len(without):
        by_type = np.argsort(patterns.types, kind="stable")
        first = np.searchsorted(patterns.types[by_type], np.arange(len(types) + 1))
        begins = np.searchsorted(group, np.arange(partition.size + 1))
        for g in without.tolist():
            mine = slice(begins[g], begins[g + 1])
            lists = [by_type[first[t] : first[t + 1]] for t in type_[mine]]
            found = _cheapest_common(patterns, lists)
            if found is None:
                return None
            at[mine] = found
    loads = np.zeros(len(known), np.int64)
    np.add.at(loads, at, counts)
    return loads


def _cheapest_common(
    patterns: Patterns, lists: list[npt.NDArray[np.intp]]
) -> list[int] | None:
    """Return of each list the incidence with the cheapest pattern that all have."""
    common = patterns.pattern[lists[0]]
    for incidences in lists[1:]:
        common = np.intersect1d(common, patterns.pattern[incidences], True)
    if len(common) == 0:
        return None
    best = common[patterns.cost[common].argmin()]
    return [int(one[patterns.pattern[one] == best][0]) for one in lists]
