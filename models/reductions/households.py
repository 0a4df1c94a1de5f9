"""Put households in blocks, and their members in groups within these."""

from dataclasses import replace

import numpy as np

from starmin.instances import (
    DistinctDiversity,
    IntArray,
    Partition,
    Persons,
    Problem,
    Table,
)
from starmin.instances.arrays import Bools
from starmin.instances.releases.nested_partition import NestedPartition
from starmin.instances.requirements.id_columns import mixed_ids
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.scales.scale import FlatScale
from starmin.instances.scales.scales import Scales
from starmin.models.reductions.persons import OneRowEach, restricted

_BLOCK = "\0block"  # no column of a file has this name
_MIXED = "\0mixed"


def shared_problem(source: Problem, k: int) -> OneRowEach:
    """Return the problem of blocks: households by the columns that they share.

    A household whose rows differ in one of them shows a star or a range there whatever
    block it is in: in columns of stars it has a value that no other one has. ``k`` is
    how many households a block has at least.
    """
    asked = _asked(source)
    each = OneRowEach.of(source, k, asked.alike)
    problem = each.problem
    for column in asked.alike:
        mixed = mixed_ids(source.table, asked.column, column)
        if mixed.any() and column not in problem.objective.keep:
            problem = _with_mixed(problem, column, mixed)
    return replace(each, problem=problem)


def _asked(source: Problem) -> Persons:
    asked = of_kind(source.requirement, Persons)
    assert asked is not None
    return asked


def _with_mixed(problem: Problem, column: str, mixed: Bools) -> Problem:
    """Give households that differ in a column of stars one more value of it."""
    objective, table = problem.objective, problem.table
    scales = objective.scales
    if scales is not None:
        scale = scales.scales[scales.columns.index(column)]
        if not isinstance(scale, FlatScale):
            return problem
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
    return replace(problem, table=beside, objective=objective)


def own_problem(source: Problem, blocks: IntArray) -> Problem:
    """Return the problem of groups within blocks, by the columns of each row.

    Blocks are a column that must not be starred, so that all are solved as one.
    ``blocks`` has the block of each row, 0, 1, .. without gaps.
    """
    asked, table = _asked(source), source.table
    own = tuple(column for column in table.qi if column not in asked.alike)
    names = tuple(map(str, range(int(blocks.max()) + 1)))
    labels = Table((_BLOCK,), blocks[None].astype(np.int32), (names,), (_BLOCK,))
    beside = table.beside(labels, [_BLOCK])
    beside = beside.with_roles((_BLOCK, *own), (asked.column,))
    goal = restricted(table, source.objective, own)
    goal = replace(goal, keep=(_BLOCK, *goal.keep))
    if goal.scales is not None:
        flat = FlatScale.of(beside, _BLOCK)
        scales = Scales((_BLOCK, *own), (flat, *goal.scales.scales))
        goal = replace(goal, scales=scales)
    return replace(
        source,
        table=beside,
        requirement=DistinctDiversity(asked.least),
        objective=goal,
        source=None,
    )


def nested(groups: Partition, blocks: IntArray, asked: Persons) -> NestedPartition:
    """Return groups within blocks as a release."""
    found = Partition.from_labels(groups.groups)
    return NestedPartition(
        found.groups, blocks=blocks.astype(np.int32), shared=asked.alike
    )
