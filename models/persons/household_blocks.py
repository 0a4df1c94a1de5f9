"""Households in blocks, and their members in groups within these."""

from dataclasses import replace

import numpy as np

from starmin.instances import (
    DistinctDiversity,
    IntArray,
    KAnonymity,
    Objective,
    Partition,
    Persons,
    Requirement,
    Table,
)
from starmin.instances.arrays import Bools
from starmin.instances.releases.partitions.nested_partition import NestedPartition
from starmin.instances.requirements.id_columns import mixed_ids
from starmin.instances.scales.scale import FlatScale
from starmin.instances.scales.scales import Scales
from starmin.models.persons.one_row_each import OneRowEach, one_row_each

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
