"""Usual problems that are easier than one where persons count."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import (
    DistinctDiversity,
    GroupStats,
    IntArray,
    KAnonymity,
    Objective,
    Partition,
    Persons,
    Requirement,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.requirements.id_columns import two_rows
from starmin.instances.scales.scales import Scales

# Merge groups in which too few persons count, until none is left.


def merged_until_valid(
    partition: Partition,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    run: Run | None = None,
) -> Partition | None:
    """Merge each group that fails with the one where that costs least.

    Where rows of a person may be parted, a union of groups that satisfy a requirement
    by frequency may fail; it is merged further. At worst all rows that may be together
    end in one group; so they do, where they fail, once ``run`` has no time left. No
    groups are merged whose rows may not share one; None is returned where a group fails
    that can be merged with no other.

    Notes
    -----
    O(g d) for each merge of g groups; a recount of all groups for each round, in which
    every group has a part in one merge at most.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> groups = Partition(np.array([0, 0, 1]))
    >>> found = merged_until_valid(groups, table, KAnonymity(2), STARS)
    >>> found.groups.tolist()
    [0, 0, 0]
    """
    classes = Partition.coarsest(table, objective).groups
    scales, hurried = objective.scales_of(table), 0
    while True:
        partition = united(partition, table, scales)
        stats = GroupStats.of(table, partition.groups)
        failing = np.flatnonzero(~requirement.holds(stats))
        if len(failing) == 0:
            return partition
        of_group = np.empty(partition.size, np.int64)
        of_group[partition.groups] = classes
        if (np.bincount(of_group)[of_group[failing]] == 1).any():
            return None
        if run is not None and run.remaining == 0:
            # those that fail in one group, then all that may be together
            some = np.isin(of_group, of_group[failing])
            if not hurried:
                some = np.isin(np.arange(partition.size), failing)
            hurried += 1
            into = np.where(some, partition.size + of_group, np.arange(partition.size))
        else:
            into = _merged_once(partition, table, objective, of_group, failing, run)
        partition = Partition.from_labels(into[partition.groups])


def _merged_once(
    partition: Partition,
    table: Table,
    objective: Objective,
    of_group: Ints,
    failing: Ints,
    run: Run | None,
) -> Ints:
    """Return into which group each goes, of groups that fail with others of a class."""
    scales, sizes = objective.scales_of(table), partition.sizes
    low, high = partition.ranges(table, scales)
    paid = sizes * _row_costs(table, objective, low, high)
    into, merged = np.arange(partition.size), np.zeros(partition.size, bool)
    for one in failing:
        if merged[one]:
            continue
        others = np.flatnonzero(of_group == of_group[one])
        others = others[others != one]
        both = np.minimum(low[others], low[one]), np.maximum(high[others], high[one])
        after = (sizes[others] + sizes[one]) * _row_costs(table, objective, *both)
        best = others[(after - paid[others]).argmin()]
        if not merged[best]:
            into[one], merged[[one, best]] = best, True
        if run is not None and run.remaining == 0:
            break
    return into


def united(partition: Partition, table: Table, scales: Scales) -> Partition:
    """Make one group of those that are published alike: nobody can tell them apart.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["0"], ["1"]], qi=["a"])
    >>> groups = Partition(np.array([0, 0, 1, 1]))
    >>> united(groups, table, Scales.of(table)).groups.tolist()
    [0, 0, 0, 0]
    """
    nodes = scales.nodes(*partition.ranges(table, scales))
    same, label = np.unique(nodes, axis=0, return_inverse=True)
    if len(same) == partition.size:
        return partition
    return Partition.from_labels(label.reshape(-1)[partition.groups])


def _row_costs(table: Table, objective: Objective, low: Int32s, high: Int32s) -> Floats:
    """Return what a row of each group pays, nearly where it is a large number."""
    if objective.once:
        return np.asarray((low != high).any(axis=1), np.float64)
    extents = objective.scales_of(table).extents(low, high)
    return np.asarray(extents @ np.array(objective.units(table), np.float64))


def different_ids(table: Table, asked: Persons) -> tuple[Table, Requirement] | None:
    """Return the problem of groups with enough different ids, or None.

    A group where persons count has at least ``asked.least`` of them, whatever their
    rows are and wherever their other rows are. So distinct diversity in the column of
    ids is no more than that, and all of it where k-anonymity alone is required and rows
    of a person may be parted.

    The table has the column of ids. None is returned where one person is enough.

    Examples
    --------
    >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> easier, usual = different_ids(table, Persons.of(table, KAnonymity(2), "id"))
    >>> easier.sensitive, usual
    (('id',), DistinctDiversity(l=2))
    """
    if asked.least < 2:
        return None
    return table.with_roles(table.qi, (asked.column,)), DistinctDiversity(asked.least)


@dataclass(frozen=True, eq=False)
class OneRowEach:
    """A table with one row for each person, whose rows are alike."""

    table: Table  # the first row of each, under the roles that the requirement reads
    # what rows of it have to satisfy so that persons do; or k-anonymity alone, where
    # somebody has two sensitive values
    requirement: Requirement
    of_row: IntArray  # by row of the original its person
    copies: IntArray  # how many rows each of them has


def one_row_each(
    table: Table,
    asked: Persons,
    k: int | None = None,
    columns: Collection[str] | None = None,
) -> OneRowEach:
    """Return a table of persons instead of rows.

    Parameters
    ----------
    table
        With the column of ids.
    asked
        What is required.
    k
        Instead of it: how many persons a group has to have.
    columns
        The quasi-identifiers, of which each person has its first row; default: all.

    Examples
    --------
    >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> each = one_row_each(table, Persons.of(table, KAnonymity(2), "id"))
    >>> each.table.n, each.requirement, each.copies.tolist()
    (2, KAnonymity(k=2), [2, 1])
    """
    found = group_by(
        [table.column(asked.column)], [len(table.dictionary(asked.column))]
    )
    sensitive = table.sensitive
    varying = any(two_rows(table, asked.column, column) for column in sensitive)
    inner: Requirement = reduce(and_, asked.inner.parts)
    if k is not None or varying:
        sensitive, inner = (), KAnonymity(max(2, k or asked.least))
    qi = table.qi if columns is None else columns
    first = table.with_roles([*qi], sensitive).take(found.first)
    return OneRowEach(first, inner, found.inverse, found.counts)


def lifted(each: OneRowEach, groups: IntArray) -> IntArray:
    """Return the groups of rows by those of their persons."""
    return np.asarray(groups)[each.of_row]
