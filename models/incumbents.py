"""From points of the pattern program to partitions, and back."""

import numpy as np
import numpy.typing as npt

from instances import Partition, RowTypes, Table, group_by
from models.open_pattern_flow import open_pattern_flow
from models.pattern_program import PatternProgram
from models.patterns import Patterns
from models.program import Floats


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
    differ, which is a closed one. None where some pattern is not among ``patterns``.
    """
    pairs = group_by([partition.groups, types.inverse], [partition.size, len(types)])
    group, type_ = partition.groups[pairs.first], types.inverse[pairs.first]
    bits = 1 << np.arange(table.d, dtype=np.int64)
    wanted = (partition.starred(table) @ bits)[group] * len(types) + type_
    known = (patterns.starred @ bits)[patterns.pattern] * len(types) + patterns.types
    order = np.argsort(known)
    at = np.searchsorted(known[order], wanted)
    at = order[np.minimum(at, len(known) - 1)]
    if not np.array_equal(known[at], wanted):
        return None
    loads = np.zeros(len(known), np.int64)
    np.add.at(loads, at, pairs.counts)
    return loads
