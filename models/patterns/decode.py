"""From points of the pattern program to partitions, and back."""

import numpy as np
import numpy.typing as npt

from instances import Partition, RowTypes, Table, group_by
from models.patterns.open_pattern_flow import open_pattern_flow
from models.patterns.pattern_program import PatternProgram
from models.patterns.patterns import Patterns
from models.solvers.program import Floats


def partition_of(types: RowTypes, program: PatternProgram, point: Floats) -> Partition:
    """The partition that an integral point of the program stands for.

    For k-anonymity alone only the open patterns are taken from the point; the rows
    are dealt to them anew, and at least cost, by a flow.

    Raises
    ------
    ArithmeticError
        The rounded point is no release.
    """
    patterns = program.patterns
    loads: npt.NDArray[np.int64] | None
    if program.k > 1 and program.l == 1:
        y = point[program.first_y : program.first_y + len(patterns)]
        loads = open_pattern_flow(patterns, y > 0.5, program.k)
    else:
        loads = np.rint(point[: program.incidences]).astype(np.int64)
    if loads is None:
        raise ArithmeticError("The open patterns of an integral point admit no flow.")
    return partition_of_loads(types, patterns, loads)


def partition_of_loads(
    types: RowTypes, patterns: Patterns, loads: npt.NDArray[np.int64]
) -> Partition:
    """One group for each pattern that has rows."""
    used = np.flatnonzero(loads)
    return Partition.from_loads(
        types, patterns.pattern[used], patterns.types[used], loads[used]
    )


def loads_of(
    table: Table, types: RowTypes, patterns: Patterns, partition: Partition
) -> npt.NDArray[np.int64] | None:
    """Copies of each type in each pattern, one number per incidence of ``patterns``.

    A group is released as the pattern that stars the columns on which its rows
    differ, which is a closed one. Where that is not among ``patterns``, as the
    cheapest one there that all its rows fit; None where some group has none.
    """
    pairs = group_by([partition.groups, types.inverse], [partition.size, len(types)])
    group, type_ = partition.groups[pairs.first], types.inverse[pairs.first]
    starred = partition.starred(table)
    masks, ids = np.unique(
        np.concatenate([patterns.starred, starred]), axis=0, return_inverse=True
    )
    of_pattern, own = np.split(ids.ravel().astype(np.int64), [len(patterns)])
    known = of_pattern[patterns.pattern] * len(types) + patterns.types
    order = np.argsort(known, kind="stable")
    known = known[order]

    def find(mask: npt.NDArray[np.int64], asked: npt.NDArray[np.int64]) -> None:
        """Note the incidences of groups that have one for all of their rows."""
        wanted = mask * len(types) + type_[asked]
        place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        missing = known[place] != wanted
        without = np.bincount(group[asked], missing, minlength=partition.size) > 0
        hit = ~without[group[asked]]
        at[asked[hit]] = order[place[hit]]

    at = np.full(len(group), -1, np.int64)
    find(own[group], np.arange(len(group)))
    cost = np.zeros(len(masks), np.int64)
    cost[of_pattern] = patterns.cost
    for mask in np.argsort(cost, kind="stable"):
        left = np.flatnonzero(at < 0)
        if len(left) == 0:
            break
        asked = left[~(starred[group[left]] & ~masks[mask]).any(axis=1)]
        find(np.full(len(asked), mask), asked)
    if (at < 0).any():
        return None
    loads = np.zeros(len(known), np.int64)
    np.add.at(loads, at, pairs.counts)
    return loads
