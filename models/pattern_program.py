"""The pattern formulation as a linear or integer program."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import RowTypes, group_by
from models.patterns import Patterns
from models.program import INF, Floats, Program, Rows


@dataclass(frozen=True, eq=False)
class PatternProgram:
    r"""The pattern formulation of star minimisation.

    Over patterns p and the row types t that agree with p on its kept columns,
    ``x[p, t]`` copies of t are released as p:

    .. math::
        \min \sum_{p,t} cost_p x_{pt} \quad
        \sum_p x_{pt} = s_t, \quad
        \sum_t x_{pt} \ge k y_p, \quad x_{pt} \le s_t y_p, \quad
        l \sum_{t: SA(t) = v} x_{pt} \le z_p = \sum_t x_{pt}

    with ``y`` (binary) only for k-anonymity and ``z`` only for l-diversity, where the
    last row stands for each value v of each sensitive column. For k-anonymity alone
    ``x`` may be continuous: for fixed ``y`` the rest is a flow with integral
    vertices. For l-diversity ``x`` is integer.

    Attributes
    ----------
    patterns
        The patterns; incidence number e of them is column e of the program (``x``).
    program
        Columns ``x``, then ``z`` (if l > 1), then ``y`` (if k > 1). Its first rows
        are those of the types, in order: their duals are the prices.
    k, l
        1 where there is no such requirement.
    """

    patterns: Patterns
    program: Program
    k: int
    l: int

    @property
    def incidences(self) -> int:
        """Number of columns ``x``."""
        return len(self.patterns.types)

    @property
    def first_y(self) -> int:
        """Number of the column ``y`` of the first pattern."""
        return self.incidences + (len(self.patterns) if self.l > 1 else 0)

    def pattern_of_columns(self) -> npt.NDArray[np.int64]:
        """The pattern of each column of the program."""
        every = np.arange(len(self.patterns))
        parts: list[npt.NDArray[np.integer]] = [self.patterns.pattern]
        parts += [every] * ((self.l > 1) + (self.k > 1))
        return np.concatenate(parts).astype(np.int64)

    def point(self, loads: npt.NDArray[np.integer]) -> Floats:
        """The values of all columns that belong to ``loads``, one per incidence."""
        total = np.bincount(self.patterns.pattern, loads, minlength=len(self.patterns))
        parts = [loads.astype(float)]
        if self.l > 1:
            parts.append(total)
        if self.k > 1:
            parts.append((total > 0).astype(float))
        return np.concatenate(parts)


def pattern_program(
    patterns: Patterns, types: RowTypes, k: int = 1, l: int = 1
) -> PatternProgram:
    """Write the formulation down for the given patterns.

    Parameters
    ----------
    patterns
        Usually the closed ones with support >= k and at least l sensitive values.
    types
        The row types they are made of: by QI and sensitive values where l > 1.
    k, l
        The requirement; 1 leaves a part out.
    """
    e, count = np.arange(len(patterns.types)), len(patterns)
    supply = patterns.counts.astype(float)
    capacity = supply[patterns.types]
    z = len(e) + np.arange(count)
    y = z + (count if l > 1 else 0)
    rows = [Rows(patterns.types, e, np.ones(len(e)), supply, supply)]
    cost = [patterns.cost[patterns.pattern].astype(float)]
    upper = [capacity]
    integer = [np.full(len(e), l > 1)]
    if l > 1:
        rows += [_totals(patterns, z), *_diversity(patterns, types, z, l)]
        cost.append(np.zeros(count))
        upper.append(patterns.support.astype(float))
        integer.append(np.zeros(count, bool))
    if k > 1:
        rows += [_sizes(patterns, y, k), _links(patterns, y, capacity)]
        cost.append(np.zeros(count))
        upper.append(np.ones(count))
        integer.append(np.ones(count, bool))
    program = Program(
        np.concatenate(cost),
        np.zeros(sum(map(len, cost))),
        np.concatenate(upper),
        np.concatenate(integer),
        tuple(rows),
    )
    return PatternProgram(patterns, program, k, l)


def _totals(patterns: Patterns, z: npt.NDArray[np.int64]) -> Rows:
    e, count = np.arange(len(patterns.types)), len(patterns)
    return Rows(
        np.concatenate([patterns.pattern, np.arange(count)]),
        np.concatenate([e, z]),
        np.concatenate([np.ones(len(e)), -np.ones(count)]),
        np.zeros(count),
        np.zeros(count),
    )


def _diversity(
    patterns: Patterns, types: RowTypes, z: npt.NDArray[np.int64], l: int
) -> list[Rows]:
    blocks = []
    for values in types.sensitive.T:
        pairs = group_by(
            [patterns.pattern, values[patterns.types]],
            [len(patterns), int(values.max()) + 1],
        )
        of_pattern = patterns.pattern[pairs.first]
        blocks.append(
            Rows(
                np.concatenate([pairs.inverse, np.arange(pairs.size)]),
                np.concatenate([np.arange(len(patterns.types)), z[of_pattern]]),
                np.concatenate(
                    [np.full(len(patterns.types), float(l)), -np.ones(pairs.size)]
                ),
                np.full(pairs.size, -INF),
                np.zeros(pairs.size),
            )
        )
    return blocks


def _sizes(patterns: Patterns, y: npt.NDArray[np.int64], k: int) -> Rows:
    e, count = np.arange(len(patterns.types)), len(patterns)
    return Rows(
        np.concatenate([patterns.pattern, np.arange(count)]),
        np.concatenate([e, y]),
        np.concatenate([np.ones(len(e)), np.full(count, -float(k))]),
        np.zeros(count),
        np.full(count, INF),
    )


def _links(patterns: Patterns, y: npt.NDArray[np.int64], capacity: Floats) -> Rows:
    e = np.arange(len(patterns.types))
    return Rows(
        np.concatenate([e, e]),
        np.concatenate([e, y[patterns.pattern]]),
        np.concatenate([np.ones(len(e)), -capacity]),
        np.full(len(e), -INF),
        np.zeros(len(e)),
    )
