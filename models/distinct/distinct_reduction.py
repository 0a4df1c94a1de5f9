"""The reduction under distinct diversity: which rows must be placed, and who lends."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from starmin.instances import (
    DistinctDiversity,
    KAnonymity,
    Requirement,
    RowTypes,
    Run,
    group_by,
)
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    pattern_columns,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns, types_among
from starmin.models.solvers.program import Program


def has_prices(requirement: Requirement, columns: int) -> bool:
    """Return whether prices split the problem by pattern.

    They do for distinct diversity in one sensitive column, with k up to l; ``columns``
    is the number of sensitive columns.
    """
    kinds = KAnonymity | DistinctDiversity
    plain = columns == 1 and all(isinstance(part, kinds) for part in requirement.parts)
    l = requirement.core.distinct
    return plain and l > 1 and requirement.core.size <= l


def to_be_placed(types: RowTypes, requirement: Requirement) -> Bools:
    """Mark the row types whose QI class alone violates the requirement.

    All are marked where the requirement is more than k-anonymity and distinct
    diversity in one sensitive column: there it may not do to lend one row of a value.
    """
    if requirement.core.diversity > 1 or types.sensitive.shape[1] > 1:
        return np.ones(len(types), bool)
    of = classes(types)
    size = np.bincount(of, types.counts)[of]
    values = np.bincount(of)[of]
    few = values < requirement.core.distinct
    return np.asarray(few | (size < requirement.core.size))


def classes(types: RowTypes) -> Ints:
    """Return the number of the QI class of each row type."""
    codes = list(types.codes.T)
    grouping = group_by(codes)
    return grouping.inverse.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Reduction:
    r"""The row types that must be placed in patterns, and those that can lend rows.

    Under distinct diversity rows that agree on all QI columns and are a group stay
    together, unstarred. Only the others must be *placed*; a pattern that lacks values
    or rows may *borrow* rows from those that stay, at the cost of their stars. A class
    that fits it has l values at least, so there are some that the pattern lacks.
    Whether all who lend can do so and are groups still is not asked at first. That
    makes a relaxation; its optimum is one of the whole problem if a flow finds rows for
    all patterns that borrow (``starmin.models.distinct.lending_flow``). If it finds
    none, the classes that are short are placed as well.
    """

    patterns: Patterns  # the closed ones
    types: RowTypes  # by QI and sensitive values
    placed: Bools  # by type: whether it is placed; of a class all are or none
    k: int  # k, distinct: the least size and the least number of values of a group
    distinct: int

    @cached_property
    def classes(self) -> Ints:
        """The QI class of each type."""
        return classes(self.types)

    @cached_property
    def inside(self) -> Ints:
        """The incidences of types that are placed."""
        return np.flatnonzero(self.placed[self.patterns.types])

    @cached_property
    def alive(self) -> Ints:
        """The patterns that fit them."""
        return np.unique(self.patterns.pattern[self.inside])

    @cached_property
    def placed_patterns(self) -> Patterns:
        """The patterns that fit placed types, with these types alone, numbered anew."""
        return self.patterns.among(self.placed, self.inside)

    @cached_property
    def placed_types(self) -> RowTypes:
        """The types that are placed."""
        return types_among(self.types, self.placed)

    @cached_property
    def lenders(self) -> Ints:
        """The incidences by which rows that stay can be lent."""
        is_alive = np.zeros(len(self.patterns), bool)
        is_alive[self.alive] = True
        lent = is_alive[self.patterns.pattern] & ~self.placed[self.patterns.types]
        return np.flatnonzero(lent)

    @cached_property
    def lent_to(self) -> Ints:
        """The pattern of each lender, as numbered in ``placed_patterns``."""
        pattern = self.patterns.pattern[self.lenders]
        return np.searchsorted(self.alive, pattern).astype(np.int64)

    @cached_property
    def borrowers(self) -> Ints:
        """The patterns that can borrow, as numbered in ``placed_patterns``."""
        return np.unique(self.lent_to)

    @property
    def most(self) -> int:
        """The most rows that a pattern borrows: it has one that is placed there."""
        return max(self.k, self.distinct) - 1

    def place(self, short: Ints) -> Self:
        """Return the reduction with more classes placed."""
        return replace(self, placed=self.placed | np.isin(self.classes, short))

    def thin(self, near: Bools) -> tuple[Self, Bools]:
        """Keep some incidences of the placed types.

        Returns the smaller reduction, and a mask of the incidences that it has.
        """
        pattern, types = self.patterns.pattern, self.patterns.types
        kept = near & self.placed[types]
        unstarred = np.logical_not(self.patterns.starred.any(axis=1))
        used = np.bincount(pattern[kept], minlength=len(unstarred)) > 0
        kept |= (unstarred | used)[pattern] & ~self.placed[types]
        return replace(self, patterns=self.patterns.thin(kept)), kept

    def split(self, loads: Ints) -> tuple[Ints, Ints]:
        """Split a release: copies by placed incidence, and rows by borrower."""
        copies, placed = loads[self.inside], self.placed_patterns
        rows = np.bincount(placed.pattern, copies, len(placed))
        lent = np.bincount(self.lent_to, loads[self.lenders], len(placed))
        borrowed = np.where(rows > 0, np.minimum(lent, self.most), 0)
        return copies, borrowed[self.borrowers].astype(np.int64)

    def join(self, copies: Ints, lent: Ints) -> Ints:
        """Return copies by incidence of the whole: rows placed, lent, and at home."""
        loads = np.zeros(len(self.patterns.types), np.int64)
        loads[self.inside], loads[self.lenders] = copies, lent
        left = self.types.counts.copy()
        np.subtract.at(left, self.patterns.types, loads)
        starred = self.patterns.starred[self.patterns.pattern].any(axis=1)
        home = np.flatnonzero(~starred & ~self.placed[self.patterns.types])
        loads[home] = left[self.patterns.types[home]]
        return loads


def smallest_reduction(run: Run) -> Reduction:
    """Return the reduction of a run's problem that places as few types as can be.

    Raises NotSupportedError where there are too many columns.
    """
    k, l = run.requirement.core.size, run.requirement.core.diversity
    distinct, types = run.requirement.core.distinct, run.table.sensitive_types
    patterns = closed_patterns(
        *(run.table, types, run.objective, max(k, l, distinct), max(l, distinct)),
        check=run.check_time,
    )
    return Reduction(patterns, types, to_be_placed(types, run.requirement), k, distinct)


# The pattern formulation under distinct l-diversity.


@dataclass(frozen=True, eq=False)
class DistinctProgram:
    r"""The pattern formulation with distinct l-diversity.

    To the formulation of ``starmin.models.pattern_program.pattern_program``, its ``y``
    opening a pattern for at least max(k, l) rows, a binary ``w[p, v]`` is added for
    each pattern p and each sensitive value v that occurs in it, and the number ``z[p]``
    of rows that p borrows from types that are not placed
    (``starmin.models.distinct.distinct_reduction``), at ``cost_p`` each:

    .. math::

        w_{pv} \le \sum_{t: SA(t) = v} x_{pt}, \qquad w_{pv} \le y_p, \qquad
        z_p + \sum_v w_{pv} \ge l \, y_p, \qquad
        z_p + \sum_t x_{pt} \ge \max(k, l) \, y_p

    An open pattern has rows of l values at least, in each sensitive column. It is exact
    as the formulation for k-anonymity is, where all types are placed: the groups of a
    release that render alike are one group, which has all their values, and closed
    patterns suffice. That ``w`` is at most ``y`` makes the relaxation strong: a pattern
    that is half open needs halves of l values, not the whole of one.
    """

    reduction: Reduction  # the types that are placed, and those that can lend to them
    base: PatternProgram  # the formulation for them without distinct diversity
    program: Program  # the columns of ``base``, then ``w``, then ``z``
    # for each sensitive column the ``w``, from 0, of each incidence
    value_of: tuple[Ints, ...]
    others: Ints  # the pattern of each column that is no ``x``

    @property
    def first_borrowed(self) -> int:
        """Number of the first column ``z``."""
        return len(self.program.cost) - len(self.reduction.borrowers)

    def point(self, copies: Ints, borrowed: Ints) -> Floats:
        """Return the point of copies by incidence and rows borrowed by borrower."""
        w = np.zeros(self.first_borrowed - len(self.base.program.cost))
        for number in self.value_of:
            np.add.at(w, number, copies)
        return np.concatenate([self.base.point(copies), w > 0, borrowed])

    def loads(self, point: Floats) -> tuple[Ints, Ints]:
        """Return copies by incidence and rows borrowed by borrower at a whole point."""
        whole = np.rint(point).astype(np.int64)
        return whole[: self.base.incidences], whole[self.first_borrowed :]


def distinct_program(reduction: Reduction, l: int = 1) -> DistinctProgram:
    """Return the formulation for the types that are placed, and their patterns.

    ``l`` is the frequency diversity that is asked for as well; 1 where there is none.
    """
    part, types = reduction.placed_patterns, reduction.placed_types
    k = max(reduction.k, reduction.distinct)
    # With several sensitive columns the rest is no flow for fixed y and w.
    made = pattern_columns(part, types, k, l, (True, True))
    base = PatternProgram(part, made.program(), k, l, types)
    values = [made.pairs(codes[part.types]) for codes in types.sensitive.T]
    ws = [made.add(len(pairs.pattern)) for pairs in values]
    lenders = part.cost[reduction.borrowers]
    lent = reduction.borrowers, made.add(len(lenders), lenders, reduction.most), 1
    made.rows[-2] = made.rows[-2].plus(lent)
    y = base.first_y + np.arange(len(part))
    for w, pairs in zip(ws, values, strict=True):
        *there, enough = made.different(w, pairs, y, reduction.distinct)
        made.rows += [*there, enough.plus(lent)]
    first = len(base.program.cost)
    value_of = tuple(w[v.number] - first for w, v in zip(ws, values, strict=True))
    heights = base.pattern_of_columns()[base.incidences :]
    others = np.concatenate([heights, *(v.pattern for v in values), lent[0]])
    return DistinctProgram(reduction, base, made.program(), value_of, others)


def diverse_program(
    patterns: Patterns, types: RowTypes, k: int, distinct: int, l: int = 1
) -> PatternProgram:
    """Return the formulation with all types placed, so that none is lent.

    Patterns and types are by QI and sensitive values. ``distinct`` is for different
    values, ``l`` for frequency.
    """
    k = max(k, distinct)
    made = pattern_columns(patterns, types, k, l, (True, True))
    y = np.arange(made.size - len(patterns), made.size)
    for codes in types.sensitive.T:
        pairs = made.pairs(codes[patterns.types])
        w = made.add(len(pairs.pattern))
        made.rows += made.different(w, pairs, y, distinct)
    return PatternProgram(patterns, made.program(), k, l, types, distinct)
