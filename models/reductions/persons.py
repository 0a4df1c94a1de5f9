"""State problems where persons or households count as problems where rows do."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import (
    Certificate,
    DistinctDiversity,
    IntArray,
    KAnonymity,
    Objective,
    Partition,
    Persons,
    Problem,
    Requirement,
    Table,
)
from starmin.instances.arrays import Bools
from starmin.instances.releases.nested_partition import NestedPartition
from starmin.instances.requirements.id_columns import mixed_ids, two_rows
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.scales.scale import FlatScale
from starmin.instances.scales.scales import Scales
from starmin.models.reductions.reduction import Reduction


class DifferentIds(Reduction):
    """Groups with enough different ids: distinct diversity in the column of ids.

    A group where persons count has at least so many of them, whatever their rows are
    and wherever their other rows are. That is all of it where k-anonymity alone is
    required and rows of a person may be parted.
    """

    @classmethod
    def of(cls, source: Problem) -> "DifferentIds | None":
        """Return the reduction of a problem; None where one person is enough.

        Examples
        --------
        >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
        >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
        >>> asked = Persons.of(table, KAnonymity(2), "id")
        >>> easier = DifferentIds.of(Problem(table, asked)).problem
        >>> easier.table.sensitive, easier.requirement
        (('id',), DistinctDiversity(l=2))
        """
        asked = of_kind(source.requirement, Persons)
        if asked is None or asked.least < 2:
            return None
        table = source.table.with_roles(source.table.qi, (asked.column,))
        easier = source.on(table=table, requirement=DistinctDiversity(asked.least))
        plain = all(isinstance(part, KAnonymity) for part in asked.inner.parts)
        return cls(source, easier, equal=plain and not asked.alike)

    def start(self, release: Partition) -> Partition | None:
        return None if _asked(self.source).alike else release

    def lift(
        self, release: Partition, rest: Partition | None = None
    ) -> Partition | None:
        return None if _asked(self.source).alike else release


class RowsAlone(Reduction):
    """What persons have to satisfy asked of rows: nearly the same where most have one.

    It bounds nothing, and its groups may fail.
    """

    @classmethod
    def of(cls, source: Problem) -> "RowsAlone | None":
        """Return the reduction of a problem; None where rows of a person hang together.

        Examples
        --------
        >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
        >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
        >>> asked = Persons.of(table, KAnonymity(2), "id")
        >>> RowsAlone.of(Problem(table, asked)).problem.requirement
        KAnonymity(k=2)
        """
        asked = of_kind(source.requirement, Persons)
        if asked is None or asked.alike:
            return None
        return cls(source, source.on(requirement=asked.inner))

    def start(self, release: Partition) -> Partition:
        return release

    def lift_bound(self, bound: int) -> None:
        """Return None: a group of few rows may have more persons than another."""


@dataclass(frozen=True, eq=False)
class OneRowEach(Reduction):
    """A table with one row for each person, whose rows are alike.

    They are so of themselves, or have to be published so; then it bounds.
    """

    of_row: IntArray  # by row of the original its person
    copies: IntArray  # how many rows each of them has

    @classmethod
    def of(cls, source: Problem) -> "OneRowEach | None":
        """Return the reduction of a problem; None where rows of a person may differ.

        Examples
        --------
        >>> rows = [["0", "p"], ["0", "p"], ["1", "q"]]
        >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
        >>> asked = Persons.of(table, KAnonymity(2), "id")
        >>> each = OneRowEach.of(Problem(table, asked))
        >>> each.problem.table.n, each.problem.requirement, each.copies.tolist()
        (2, KAnonymity(k=2), [2, 1])
        """
        asked = of_kind(source.requirement, Persons)
        if asked is None or not _are_alike(source.table, asked):
            return None
        return cls.first_rows(source)

    @classmethod
    def first_rows(
        cls, source: Problem, k: int | None = None, columns: Collection[str] = ()
    ) -> "OneRowEach":
        """Return the table of the first row of each person, of a problem of persons.

        Its rows have to satisfy what persons do; k-anonymity alone where ``k`` is told,
        or somebody has two sensitive values. ``columns`` are the quasi-identifiers;
        default: all.
        """
        table, asked = source.table, _asked(source)
        found = table.grouped([asked.column])
        sensitive = table.sensitive
        varying = any(two_rows(table, asked.column, column) for column in sensitive)
        inner: Requirement = reduce(and_, asked.inner.parts)
        if k is not None or varying:
            sensitive, inner = (), KAnonymity(max(2, k or asked.least))
        qi = list(columns) or table.qi
        problem = source.on(
            table=table.with_roles(qi, sensitive).take(found.first),
            requirement=inner,
            objective=_restricted(table, source.objective, tuple(qi)),
        )
        return cls(source, problem, found.inverse, found.counts)

    def lift(self, release: Partition, rest: Partition | None = None) -> Partition:
        """Return the groups of rows by those of their persons."""
        return Partition.from_labels(np.asarray(release.groups)[self.of_row])

    def lift_bound(self, bound: int) -> int | None:
        """Return what it proves where all rows of a person are published alike."""
        return int(self.copies.min()) * bound if _asked(self.source).whole else None

    def lift_proof(self, proof: Certificate) -> None:
        """No checker knows a certificate of this."""


def _are_alike(table: Table, asked: Persons) -> bool:
    """Check whether all rows of a person are published alike, or could be."""
    pairs = (two_rows(table, asked.column, column) for column in table.qi)
    return asked.whole or not any(pairs)


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


# Households in blocks, and their members in groups within these.

_BLOCK = "\0block"  # no column of a file has this name
_MIXED = "\0mixed"


def block_sizes(source: Problem) -> list[int]:
    """Return how many households a block has at least, for several kinds of blocks.

    There are none where households share no columns, or all of their rows are alike.
    """
    asked = of_kind(source.requirement, Persons)
    if asked is None or not asked.alike or _are_alike(source.table, asked):
        return []
    ids = len(np.unique(source.table.column(asked.column)))
    least = max(2, asked.least)
    return [least << i for i in range(20) if least << i <= ids // 2] + [ids]


def shared_problem(source: Problem, k: int) -> OneRowEach:
    """Return the problem of blocks: households by the columns that they share.

    A household whose rows differ in one of them shows a star or a range there whatever
    block it is in: in columns of stars it has a value that no other one has. ``k`` is
    how many households a block has at least.
    """
    asked = _asked(source)
    each = OneRowEach.first_rows(source, k, asked.alike)
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
            for name, scale in scales.items
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
    goal = _restricted(table, source.objective, own)
    goal = replace(goal, keep=(_BLOCK, *goal.keep))
    if goal.scales is not None:
        flat = FlatScale.of(beside, _BLOCK)
        scales = Scales((_BLOCK, *own), (flat, *goal.scales.scales))
        goal = replace(goal, scales=scales)
    usual = DistinctDiversity(asked.least)
    return source.on(table=beside, requirement=usual, objective=goal)


def nested(source: Problem, groups: Partition, blocks: IntArray) -> NestedPartition:
    """Return groups within blocks as a release."""
    found = Partition.from_labels(groups.groups).groups
    shared = _asked(source).alike
    return NestedPartition(found, blocks=blocks.astype(np.int32), shared=shared)
