"""Whether a table has a release at all."""

from collections.abc import Mapping, Sequence

import numpy as np

from starmin.instances.arrays import Int32s
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table


def why_infeasible(
    table: Table,
    requirement: Requirement,
    keep: Sequence[str] = (),
    roofs: Mapping[str, Int32s] | None = None,
) -> str | None:
    """Say why no release of ``table`` satisfies ``requirement``, or return None.

    Requirements are monotone, so each class of rows that may share a group is asked as
    one single group; without restrictions that is the whole table.

    Parameters
    ----------
    table, requirement
        The problem.
    keep
        Columns that must not be starred: rows of a group agree on them.
    roofs
        By column and code the highest node that may be published: rows of a group
        agree on it.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> table = Table.from_rows(["sex"], [["F"], ["M"], ["F"]], qi=["sex"])
    >>> why_infeasible(table, KAnonymity(4))
    '3 rows, fewer than k = 4'
    >>> why_infeasible(table, KAnonymity(2), keep=["sex"])
    "among the rows with sex='M': 1 row, fewer than k = 2"
    """
    if requirement.may_delete:
        if requirement.possible(table):
            return None
        return "no rows of the table, however few, satisfy it"
    groups, first = np.zeros(table.codes.shape[1], np.int32), np.zeros(1, np.int64)
    apart = [table.column(c) for c in keep]
    apart += [top[table.column(c)] for c, top in (roofs or {}).items()]
    if apart:
        classes = group_by(apart, [int(column.max()) + 1 for column in apart])
        groups, first = classes.inverse, classes.first
    stats = GroupStats.of(table, groups)
    failing = np.flatnonzero(~requirement.holds(stats))
    if len(failing) == 0:
        return None
    group = int(failing[0])
    why = requirement.why_not(group, stats)
    if not apart:
        return why
    row = int(first[group])
    both = [(column, "=") for column in keep]
    both += [(column, " that may share a node with ") for column in roofs or ()]
    alike = ", ".join(
        f"{c}{sign}{table.dictionary(c)[table.column(c)[row]]!r}" for c, sign in both
    )
    return f"among the rows with {alike}: {why}"
