"""The pattern formulation under distinct l-diversity."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import (
    DistinctDiversity,
    Requirement,
    RowTypes,
    group_by,
)
from models.pattern_program import PatternProgram, pattern_program
from models.patterns import Patterns
from models.program import INF, Floats, Program, Rows

Ints = npt.NDArray[np.int64]


def least_distinct(requirement: Requirement) -> int:
    """The l of distinct diversity that a requirement asks for (1 where none)."""
    parts = requirement.parts
    asked = (part.l for part in parts if isinstance(part, DistinctDiversity))
    return max(asked, default=1)


@dataclass(frozen=True, eq=False)
class DistinctProgram:
    r"""The pattern formulation with distinct l-diversity.

    To the formulation of ``models.pattern_program``, its ``y`` opening a pattern for
    at least max(k, l) rows, a binary ``w[p, v]`` is added for each pattern p and each
    sensitive value v that occurs in it:

    .. math::
        w_{pv} \le \sum_{t: SA(t) = v} x_{pt}, \qquad \sum_v w_{pv} \ge l \, y_p

    An open pattern has rows of l values at least, in each sensitive column. It is
    exact as the formulation for k-anonymity is: the groups of a release that render
    alike are one group, which has all their values, and closed patterns suffice.

    Attributes
    ----------
    base
        The formulation without distinct diversity.
    program
        The columns of ``base``, then ``w``.
    value_of
        For each sensitive column the ``w``, from 0, of each incidence.
    """

    base: PatternProgram
    program: Program
    value_of: tuple[Ints, ...]

    def pattern_of_others(self) -> Ints:
        """The pattern of each column that is no ``x``."""
        patterns, e = self.base.patterns, self.base.incidences
        others = [self.base.pattern_of_columns()[e:]]
        for number in self.value_of:
            first = int(number.min(initial=0))
            of = np.zeros(int(number.max(initial=-1)) + 1 - first, np.int64)
            of[number - first] = patterns.pattern
            others.append(of)
        return np.concatenate(others)

    def point(self, loads: Ints) -> Floats:
        """The values of all columns that belong to ``loads``, one per incidence."""
        total = np.zeros(len(self.program.cost) - len(self.base.program.cost))
        for number in self.value_of:
            np.add.at(total, number, loads)
        return np.concatenate([self.base.point(loads), (total > 0).astype(float)])


def distinct_program(
    patterns: Patterns, types: RowTypes, k: int, l: int, distinct: int
) -> DistinctProgram:
    """Write the formulation down for the given patterns.

    Parameters
    ----------
    patterns, types
        Closed patterns over row types by QI and sensitive values.
    k, l
        The least size, and frequency diversity; 1 where there is none.
    distinct
        The least number of sensitive values, 2 or more.
    """
    base = pattern_program(patterns, types, max(k, distinct), l)
    columns = len(base.program.cost)
    y = base.first_y + np.arange(len(patterns))
    rows, value_of, first = [], [], columns
    for values in types.sensitive.T:
        pairs = group_by(
            [patterns.pattern, values[patterns.types]],
            [len(patterns), int(values.max()) + 1],
        )
        w = first + np.arange(pairs.size)
        rows.append(_present(pairs.inverse, w))
        rows.append(_enough(patterns.pattern[pairs.first], w, y, distinct))
        value_of.append(w[pairs.inverse] - columns)
        first += pairs.size
    added = first - columns
    program = base.program
    return DistinctProgram(
        base,
        Program(
            np.concatenate([program.cost, np.zeros(added)]),
            np.zeros(first),
            np.concatenate([program.upper, np.ones(added)]),
            # With several sensitive columns the rest is no flow for fixed y and w.
            np.concatenate(
                [
                    np.ones(base.incidences, bool),
                    program.integer[base.incidences :],
                    np.ones(added, bool),
                ]
            ),
            (*program.rows, *rows),
        ),
        tuple(value_of),
    )


def _present(number: npt.NDArray[np.integer], w: Ints) -> Rows:
    """A value counts only if it has a row."""
    e = np.arange(len(number))
    return Rows(
        np.concatenate([number, np.arange(len(w))]),
        np.concatenate([e, w]),
        np.concatenate([np.ones(len(e)), -np.ones(len(w))]),
        np.zeros(len(w)),
        np.full(len(w), INF),
    )


def _enough(of_pattern: npt.NDArray[np.integer], w: Ints, y: Ints, l: int) -> Rows:
    """An open pattern has l values."""
    return Rows(
        np.concatenate([of_pattern, np.arange(len(y))]),
        np.concatenate([w, y]),
        np.concatenate([np.ones(len(w)), np.full(len(y), -float(l))]),
        np.zeros(len(y)),
        np.full(len(y), INF),
    )
