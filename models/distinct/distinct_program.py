"""The pattern formulation under distinct l-diversity."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import RowTypes, group_by
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.distinct.distinct_reduction import Reduction
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    pattern_program,
)
from starmin.models.patterns.patterns import Patterns
from starmin.models.solvers.program import INF, Program, Rows


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
    """Return the formulation for the placed types.

    Parameters
    ----------
    reduction
        The types that are placed, and their patterns.
    l
        Frequency diversity that is asked for as well; 1 where there is none.
    """
    part, types = reduction.placed_patterns, reduction.placed_types
    base = pattern_program(part, types, max(reduction.k, reduction.distinct), l)
    program, columns = base.program, len(base.program.cost)
    values = [_values(part.pattern, v[part.types]) for v in types.sensitive.T]
    starts = np.cumsum([columns, *(len(of_pattern) for _, of_pattern in values)])
    z = starts[-1] + np.arange(len(reduction.borrowers))
    y = base.first_y + np.arange(len(part))
    sizes, links = program.rows[-2:]
    rows = [*program.rows[:-2], _plus(sizes, reduction.borrowers, z), links]
    for first, (number, of_pattern) in zip(starts, values, strict=False):
        w = first + np.arange(len(of_pattern))
        enough = _enough(of_pattern, w, y, reduction.distinct)
        rows += [_present(number, w), _opened(w, y[of_pattern])]
        rows.append(_plus(enough, reduction.borrowers, z))
    added = int(starts[-1]) - columns
    cost = part.cost[reduction.borrowers].astype(float)
    most = np.full(len(z), float(reduction.most))
    whole = Program(
        np.concatenate([program.cost, np.zeros(added), cost]),
        np.zeros(columns + added + len(z)),
        np.concatenate([program.upper, np.ones(added), most]),
        # With several sensitive columns the rest is no flow for fixed y and w.
        np.ones(columns + added + len(z), bool),
        tuple(rows),
    )
    value_of = [
        w - columns + number for w, (number, _) in zip(starts, values, strict=False)
    ]
    heights = base.pattern_of_columns()[base.incidences :]
    others = np.concatenate([heights, *(of for _, of in values), reduction.borrowers])
    return DistinctProgram(reduction, base, whole, tuple(value_of), others)


def diverse_program(
    patterns: Patterns, types: RowTypes, k: int, distinct: int, l: int = 1
) -> PatternProgram:
    """Return the formulation with all types placed, so that none is lent.

    Patterns and types are by QI and sensitive values. ``distinct`` is for different
    values, ``l`` for frequency.
    """
    base = pattern_program(patterns, types, max(k, distinct), l)
    y, columns = base.first_y + np.arange(len(patterns)), len(base.program.cost)
    rows = list(base.program.rows)
    for codes in types.sensitive.T:
        number, of_pattern = _values(patterns.pattern, codes[patterns.types])
        w = columns + np.arange(len(of_pattern))
        rows += [_present(number, w), _opened(w, y[of_pattern])]
        rows.append(_enough(of_pattern, w, y, distinct))
        columns += len(w)
    added = columns - len(base.program.cost)
    whole = Program(
        np.concatenate([base.program.cost, np.zeros(added)]),
        np.zeros(columns),
        np.concatenate([base.program.upper, np.ones(added)]),
        np.ones(columns, bool),
        tuple(rows),
    )
    return replace(base, program=whole, distinct=distinct)


def _values(pattern: Int32s, value: Int32s) -> tuple[Ints, Ints]:
    """Return the ``w`` of each incidence, from 0, and the pattern of each ``w``."""
    sizes = [int(codes.max(initial=0)) + 1 for codes in (pattern, value)]
    pairs = group_by([pattern, value], sizes)
    return pairs.inverse.astype(np.int64), pattern[pairs.first].astype(np.int64)


def _plus(rows: Rows, of_pattern: Ints, columns: Ints) -> Rows:
    """Return the rows of patterns with these columns added."""
    return replace(
        rows,
        row=np.concatenate([rows.row, of_pattern]),
        column=np.concatenate([rows.column, columns]),
        value=np.concatenate([rows.value, np.ones(len(columns))]),
    )


def _present(number: Ints, w: Ints) -> Rows:
    """Return the rows by which a value counts only if the pattern has a row of it."""
    e = np.arange(len(number))
    return Rows(
        np.concatenate([number, np.arange(len(w))]),
        np.concatenate([e, w]),
        np.concatenate([np.ones(len(e)), -np.ones(len(w))]),
        np.zeros(len(w)),
        np.full(len(w), INF),
    )


def _opened(w: Ints, y: Ints) -> Rows:
    """Return the rows by which a value counts only in an open pattern."""
    number = np.arange(len(w))
    return Rows(
        np.concatenate([number, number]),
        np.concatenate([y, w]),
        np.concatenate([np.ones(len(w)), -np.ones(len(w))]),
        np.zeros(len(w)),
        np.full(len(w), INF),
    )


def _enough(of_pattern: Ints, w: Ints, y: Ints, l: int) -> Rows:
    """Return the rows by which an open pattern has l values."""
    return Rows(
        np.concatenate([of_pattern, np.arange(len(y))]),
        np.concatenate([w, y]),
        np.concatenate([np.ones(len(w)), np.full(len(y), -float(l))]),
        np.zeros(len(y)),
        np.full(len(y), INF),
    )
