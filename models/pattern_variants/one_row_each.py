"""Usual problems that are easier than one where persons or households count."""

from collections.abc import Collection
from dataclasses import dataclass, replace
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
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.releases.nested_partition import NestedPartition
from starmin.instances.requirements.id_columns import mixed_ids, two_rows
from starmin.instances.scales.scale import FlatScale
from starmin.instances.scales.scales import Scales

# Usual problems that are easier than one where persons count.

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
    scales, hurried = objective.scales_of(table), False
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
            hurried = True
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


# Households in blocks, and their members in groups within these.

_BLOCK = "\0block"  # no column of a file has this name
_MIXED = "\0mixed"


def shared_problem(
    table: Table, asked: Persons, objective: Objective, k: int
) -> tuple[OneRowEach, Requirement, Objective]:
    """Return the problem of blocks: households by the columns that they share.

    A household whose rows differ in one of them shows a star or a range there whatever
    block it is in: in columns of stars it has a value that no other one has. ``k`` is
    how many households a block has at least.
    """
    each = one_row_each(table, asked, k, asked.alike)
    goal = _restricted(table, objective, asked.alike)
    for column in asked.alike:
        mixed = mixed_ids(table, asked.column, column)
        if mixed.any() and column not in goal.keep:
            each, goal = _with_mixed(each, goal, column, mixed)
    return each, KAnonymity(k), goal


def _with_mixed(
    each: OneRowEach, objective: Objective, column: str, mixed: Bools
) -> tuple[OneRowEach, Objective]:
    """Give households that differ in a column of stars one more value of it."""
    scales = objective.scales
    if scales is not None:
        scale = scales.scales[scales.columns.index(column)]
        if not isinstance(scale, FlatScale):
            return each, objective
    table = each.table
    texts = {name: table.dictionary(name) for name in table.names}
    texts[column] = (*texts[column], _MIXED)
    codes = table.codes.copy()
    codes[table.names.index(column), mixed] = len(texts[column]) - 1
    beside = replace(table, codes=codes, dictionaries=tuple(texts.values()))
    if scales is not None:
        flat = [
            FlatScale.of(beside, name) if name == column else scale
            for name, scale in zip(scales.columns, scales.scales, strict=True)
        ]
        objective = replace(objective, scales=replace(scales, scales=tuple(flat)))
    return replace(each, table=beside), objective


def own_problem(
    table: Table, asked: Persons, objective: Objective, blocks: IntArray
) -> tuple[Table, Requirement, Objective]:
    """Return the problem of groups within blocks, by the columns of each row.

    Blocks are a column that must not be starred, so that all are solved as one.
    ``blocks`` has the block of each row, 0, 1, .. without gaps.
    """
    own = tuple(column for column in table.qi if column not in asked.alike)
    names = tuple(map(str, range(int(blocks.max()) + 1)))
    labels = Table((_BLOCK,), blocks[None].astype(np.int32), (names,), (_BLOCK,))
    beside = table.beside(labels, [_BLOCK])
    beside = beside.with_roles((_BLOCK, *own), (asked.column,))
    goal = _restricted(table, objective, own)
    keep = (_BLOCK, *goal.keep)
    if goal.scales is not None:
        flat = FlatScale.of(beside, _BLOCK)
        scales = Scales((_BLOCK, *own), (flat, *goal.scales.scales))
        goal = replace(goal, scales=scales)
    return beside, DistinctDiversity(asked.least), replace(goal, keep=keep)


def nested(groups: Partition, blocks: IntArray, asked: Persons) -> NestedPartition:
    """Return groups within blocks as a release."""
    found = Partition.from_labels(groups.groups)
    return NestedPartition(
        found.groups, blocks=blocks.astype(np.int32), shared=asked.alike
    )


def _restricted(
    table: Table, objective: Objective, columns: tuple[str, ...]
) -> Objective:
    """Return an objective that counts some columns alone."""
    scales = objective.scales
    if scales is not None:
        at = [scales.columns.index(column) for column in columns]
        scales = Scales(columns, tuple(scales.scales[j] for j in at))
    return replace(
        objective,
        weights={c: w for c, w in objective.weights.items() if c in columns},
        keep=tuple(column for column in objective.keep if column in columns),
        scales=scales,
    )
