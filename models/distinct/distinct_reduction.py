"""The reduction under distinct diversity: which rows must be placed, and who lends."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

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
from starmin.models.patterns.patterns import Patterns
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
    all patterns that borrow (``lending_flow``). If it finds
    none, the classes that are short are placed as well.
    """

    patterns: Patterns  # the closed ones
    placed: Bools  # by type: whether it is placed; of a class all are or none
    k: int  # k, distinct: the least size and the least number of values of a group
    distinct: int

    @property
    def types(self) -> RowTypes:
        """The row types, by QI and sensitive values."""
        return self.patterns.row_types

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
    return Reduction(patterns, to_be_placed(types, run.requirement), k, distinct)


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
    part, k = reduction.placed_patterns, max(reduction.k, reduction.distinct)
    # With several sensitive columns the rest is no flow for fixed y and w.
    made = pattern_columns(part, k, l, (True, True))
    base = PatternProgram(part, made.program(), k, l)
    values = [made.pairs(codes[part.types]) for codes in base.sensitive.T]
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
    patterns: Patterns, k: int, distinct: int, l: int = 1
) -> PatternProgram:
    """Return the formulation with all types placed, so that none is lent.

    Row types are by QI and sensitive values. ``distinct`` is for different
    values, ``l`` for frequency.
    """
    k = max(k, distinct)
    made = pattern_columns(patterns, k, l, (True, True))
    y = np.arange(made.size - len(patterns), made.size)
    for codes in patterns.row_types.sensitive.T:
        pairs = made.pairs(codes[patterns.types])
        w = made.add(len(pairs.pattern))
        made.rows += made.different(w, pairs, y, distinct)
    return PatternProgram(patterns, made.program(), k, l, distinct)


# A maximum flow finds lenders for the rows that patterns borrow.

_UNIT = 1 << 16  # Fractions of a row are whole numbers of 1/65536.
_ROUNDING = 16  # So many of these units may be missing for each pattern that borrows.


def lending_flow(
    program: DistinctProgram, point: Floats, whole: bool = True
) -> tuple[Ints, Ints]:
    """Find the rows that are lent at a point, and the classes that are short.

    The flow runs from patterns to distinct rows to quasi-identifier classes. A pattern
    takes one row of each value that it lacks, and other rows for its size. Of s rows of
    a value s - 1 may leave their class, and one more of some values as long as enough
    others stay, k rows staying in all.

    The point is one of the formulation or, where not ``whole``, of its relaxation.
    Returns copies by lender of the reduction (in units of 1/65536 where not ``whole``),
    and the classes to be placed since they cannot lend as much; none if all is lent.
    """
    from ortools.graph.python import max_flow  # a tenth of a second to import

    reduction, unit = program.reduction, 1 if whole else _UNIT
    taken, none = np.zeros(len(reduction.lenders), np.int64), np.zeros(0, np.int64)
    borrowed = _borrowed(program, point, unit)
    used = np.flatnonzero(borrowed[reduction.lent_to])
    if len(used) == 0:
        return taken, none
    nodes = _Nodes.of(reduction, used)
    arcs = _arcs(program, point, nodes, borrowed, unit)
    flow = max_flow.SimpleMaxFlow()
    added = [
        flow.add_arcs_with_capacity(tail, head, np.rint(most).astype(np.int64))
        for tail, head, most in arcs
    ]
    if flow.solve(0, 1) != flow.OPTIMAL:
        raise ArithmeticError("The flow of lent rows did not end.")
    taken[used] = flow.flows(added[0]) + flow.flows(added[1])
    missing = (unit > 1) * _ROUNDING * len(nodes.asked)
    if flow.optimal_flow() >= borrowed.sum() - missing:
        return taken, none
    cut = np.asarray(flow.get_source_side_min_cut())
    *_, of_type, of_class, _ = nodes.starts
    short = np.unique(cut[(cut >= of_type) & (cut < of_class)])
    types = nodes.types[short - of_type]
    return taken, np.unique(reduction.classes[types])


def _borrowed(program: DistinctProgram, point: Floats, unit: int) -> Ints:
    """Return what each pattern borrows at a point, in 1/``unit`` of a row."""
    reduction = program.reduction
    borrowed = np.zeros(len(reduction.placed_patterns), np.int64)
    # A point that is not the best may let patterns borrow that are not open.
    y = point[program.base.first_y :][reduction.borrowers]
    needed = np.minimum(point[program.first_borrowed :], reduction.most * y)
    borrowed[reduction.borrowers] = np.rint(unit * needed)
    return borrowed


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The nodes of the flow; 0 is its source and 1 its sink."""

    pattern: Ints  # by lender: the pattern that could borrow
    # types, type_: the row types of the lenders, and which of them each lender has
    types: Ints
    type_: Ints
    # pairs, pair: the pairs of a pattern and a sensitive value, and which of them each
    # lender has
    pairs: Ints
    pair: Ints
    width: int  # a pair's number is ``width`` times the pattern, and the value
    # asked, of_pair: the patterns that borrow, and which of them each pair has
    asked: Ints
    of_pair: Ints
    # own, class_: the QI classes of the types, and which of them each type has
    own: Ints
    class_: Ints

    @classmethod
    def of(cls, reduction: Reduction, used: Ints) -> "_Nodes":
        """Number the nodes for the lenders in ``used``."""
        types, type_ = _number(reduction.patterns.types[reduction.lenders[used]])
        pattern, values = reduction.lent_to[used], reduction.types.sensitive[types, 0]
        width = int(reduction.types.sensitive.max()) + 1
        pairs, pair = _number(pattern * width + values[type_])
        asked, of_pair = _number(pairs // width)
        own, class_ = _number(reduction.classes[types])
        return cls(
            pattern, types, type_, pairs, pair, width, asked, of_pair, own, class_
        )

    @property
    def starts(self) -> Ints:
        """First nodes: a pattern's new values, its size, pairs, types, classes; end."""
        asked, pairs = len(self.asked), len(self.pairs)
        return np.cumsum([2, asked, asked, pairs, len(self.types), len(self.own)])


def _arcs(
    program: DistinctProgram, point: Floats, nodes: _Nodes, borrowed: Ints, unit: int
) -> tuple[tuple[npt.NDArray[np.number], ...], ...]:
    """Return tails, heads and capacities; the first two kinds end at lenders."""
    reduction, asked, of_pair = program.reduction, nodes.asked, nodes.of_pair
    counts = reduction.types.counts[nodes.types]
    size = np.bincount(reduction.classes, reduction.types.counts)[nodes.own]
    spare = np.bincount(reduction.classes)[nodes.own] - reduction.distinct
    room, lacks = _needs(program, point, nodes.pairs, nodes.width)
    fresh = np.minimum(borrowed[asked], np.rint(unit * lacks[asked])).astype(np.int64)
    a, t, c = np.arange(len(asked)), np.arange(len(counts)), np.arange(len(size))
    for_value, for_size, of_value, of_type, of_class, last = nodes.starts
    of_asked = np.searchsorted(asked, nodes.pattern)
    lent, class_ = of_type + nodes.type_, nodes.class_
    return (
        (of_value + nodes.pair, lent, unit * counts[nodes.type_]),
        (for_size + of_asked, lent, unit * counts[nodes.type_]),
        (0 * a, for_value + a, fresh),
        (0 * a, for_size + a, borrowed[asked] - fresh),
        (for_value + of_pair, of_value + np.arange(len(of_pair)), unit * room),
        (of_type + t, of_class + class_, unit * (counts - 1)),
        (of_type + t, last + class_, 0 * t + unit),
        (last + c, of_class + c, unit * spare),
        (of_class + c, 0 * c + 1, unit * (size - reduction.k)),
    )


def _number(labels: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
    """Return the different labels, and for each label which of them it is."""
    different, number = np.unique(labels, return_inverse=True)
    return different.astype(np.int64), number.astype(np.int64)


def _needs(
    program: DistinctProgram, point: Floats, pairs: Ints, width: int
) -> tuple[Floats, Floats]:
    """Return what each pair can still take, and what each pattern lacks of l values."""
    base, reduction = program.base, program.reduction
    part = reduction.placed_patterns
    w = point[len(base.program.cost) : program.first_borrowed]
    y = point[base.first_y : base.first_y + len(part)]
    number = program.value_of[0]
    own = part.pattern * width + base.sensitive[part.types, 0]
    keys, first = np.unique(own, return_index=True)
    at = np.minimum(np.searchsorted(keys, pairs), len(keys) - 1)
    has = np.where(keys[at] == pairs, w[number[first[at]]], 0.0)
    of_w = program.others[len(base.program.cost) - base.incidences :][: len(w)]
    lacks = reduction.distinct * y - np.bincount(of_w, w, len(part))
    return np.maximum(y[pairs // width] - has, 0.0), np.maximum(lacks, 0.0)
