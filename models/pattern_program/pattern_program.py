"""The pattern formulation as a linear or integer program."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances import RowTypes, group_by
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.patterns.patterns import Patterns
from starmin.models.solvers.program import INF, Program, Rows


@dataclass(frozen=True, eq=False)
class PatternProgram:
    r"""The pattern formulation of star minimisation.

    Over patterns p and the row types t that agree with p on its kept columns, there are
    ``x[p, t]`` copies of t that are released as p:

    .. math::

        \min \sum_{p,t} cost_p x_{pt} \quad
        \sum_p x_{pt} = s_t, \quad
        \sum_t x_{pt} \ge k y_p, \quad x_{pt} \le s_t y_p, \quad
        \sum_{t: SA(t) = v} x_{pt} \le h_p, \quad l h_p \le \sum_t x_{pt}

    with ``y`` (binary) only for k-anonymity and ``h`` only for l-diversity: the most
    copies of one sensitive value. With several sensitive columns each has an ``h`` and
    such rows of its own. For k-anonymity alone ``x`` may be continuous: for fixed ``y``
    the rest is a flow with integral vertices. For l-diversity with one sensitive column
    it may be too, for fixed integer ``h``: copies flow from their type to a value of a
    pattern, where at most h fit, and on to the pattern, which at least l h reach. With
    several columns ``x`` is integer.
    """

    patterns: Patterns  # incidence number e of them is column e of the program (``x``)
    # columns ``x``, then ``h`` (if l > 1; column after sensitive column), then ``y``
    # (if k > 1). Its first rows are those of the types, in order: their duals are the
    # prices.
    program: Program
    k: int  # k, l: 1 where there is no such requirement
    l: int
    sensitive: Int32s  # m x c, the codes of the sensitive values of the types
    # how many distinct values an open pattern has in each sensitive column, by rows and
    # columns after those above; 1 where that is not required
    distinct: int = 1

    @property
    def incidences(self) -> int:
        """Number of columns ``x``."""
        return len(self.patterns.types)

    @property
    def heights(self) -> int:
        """Number of columns ``h``."""
        return len(self.patterns) * self.sensitive.shape[1] if self.l > 1 else 0

    @property
    def least_size(self) -> int:
        """How many rows a pattern has that is open."""
        return max(self.k, self.l)

    @property
    def first_y(self) -> int:
        """Number of the column ``y`` of the first pattern."""
        return self.incidences + self.heights

    def pattern_of_columns(self) -> Ints:
        """Return the pattern of each column of the program."""
        every = np.arange(len(self.patterns))
        repeats = self.heights // len(self.patterns) + (self.k > 1)
        return np.concatenate([self.patterns.pattern, np.tile(every, repeats)])

    def point(self, loads: npt.NDArray[np.integer]) -> Floats:
        """Return the values of all columns for ``loads``, one number per incidence."""
        columns = [loads.astype(float)]
        if self.l > 1:
            nothing = held_values(self.patterns, self.sensitive, 0 * loads)
            columns.append(self.most(loads, nothing))
        if self.k > 1:
            total = np.bincount(
                self.patterns.pattern, loads, minlength=len(self.patterns)
            )
            columns.append((total > 0).astype(float))
        return np.concatenate(columns)

    def most(self, loads: npt.NDArray[np.integer], held: list[Ints]) -> Floats:
        """Return ``h``, the most copies of one value, those in ``held`` included."""
        heights = []
        for values, counts in zip(self.sensitive.T, held, strict=True):
            total = counts.copy()
            own = values[self.patterns.types]
            np.add.at(total, (self.patterns.pattern, own), loads)
            heights.append(total.max(axis=1))
        return np.concatenate(heights).astype(float)


def held_values(
    patterns: Patterns,
    sensitive: Int32s,
    loads: npt.NDArray[np.integer],
) -> list[Ints]:
    """Count the copies of each value in each pattern, by sensitive column.

    Returns for each sensitive column an array of patterns x values; ``loads`` are by
    incidence.
    """
    counts = []
    for values in sensitive.T:
        own = values[patterns.types]
        total = np.zeros((len(patterns), int(values.max()) + 1), np.int64)
        np.add.at(total, (patterns.pattern, own), loads)
        counts.append(total)
    return counts


def pattern_program(
    patterns: Patterns, types: RowTypes, k: int = 1, l: int = 1
) -> PatternProgram:
    """Write the pattern formulation as an integer program.

    Parameters
    ----------
    patterns
        Usually the closed ones with support >= k and at least l sensitive values.
    types
        The distinct rows they are made of: by quasi-identifier and sensitive values
        where l > 1.
    k, l
        The requirement; 1 leaves a condition out.
    """
    e, count = np.arange(len(patterns.types)), len(patterns)
    supply = patterns.counts.astype(float)
    capacity = supply[patterns.types]
    columns = types.sensitive.shape[1] if l > 1 else 0
    y = len(e) + count * columns + np.arange(count)
    rows = [Rows(patterns.types, e, np.ones(len(e)), supply, supply)]
    cost = [patterns.cost[patterns.pattern].astype(float)]
    upper = [capacity]
    integer = [np.full(len(e), columns > 1)]
    for c in range(columns):
        h = len(e) + count * c + np.arange(count)
        rows += [_totals(patterns, h, l), _diversity(patterns, types, h, c)]
        cost.append(np.zeros(count))
        upper.append((patterns.support // l).astype(float))
        integer.append(np.full(count, columns == 1))
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
    return PatternProgram(patterns, program, k, l, types.sensitive)


def _totals(patterns: Patterns, h: Ints, l: int) -> Rows:
    """Return the rows ``l h_p <= sum_t x_pt``."""
    e, count = np.arange(len(patterns.types)), len(patterns)
    return Rows(
        np.concatenate([patterns.pattern, np.arange(count)]),
        np.concatenate([e, h]),
        np.concatenate([np.ones(len(e)), np.full(count, -float(l))]),
        np.zeros(count),
        np.full(count, INF),
    )


def _diversity(patterns: Patterns, types: RowTypes, h: Ints, column: int) -> Rows:
    """Return the rows ``sum_{t: SA(t) = v} x_pt <= h_p`` of a sensitive column."""
    values = types.sensitive[:, column]
    pairs = group_by(
        [patterns.pattern, values[patterns.types]],
        [len(patterns), int(values.max()) + 1],
    )
    of_pattern = patterns.pattern[pairs.first]
    return Rows(
        np.concatenate([pairs.inverse, np.arange(pairs.size)]),
        np.concatenate([np.arange(len(patterns.types)), h[of_pattern]]),
        np.concatenate([np.ones(len(patterns.types)), -np.ones(pairs.size)]),
        np.full(pairs.size, -INF),
        np.zeros(pairs.size),
    )


def _sizes(patterns: Patterns, y: Ints, k: int) -> Rows:
    """Return the rows ``sum_t x_pt >= k y_p``."""
    e, count = np.arange(len(patterns.types)), len(patterns)
    return Rows(
        np.concatenate([patterns.pattern, np.arange(count)]),
        np.concatenate([e, y]),
        np.concatenate([np.ones(len(e)), np.full(count, -float(k))]),
        np.zeros(count),
        np.full(count, INF),
    )


def _links(patterns: Patterns, y: Ints, capacity: Floats) -> Rows:
    """Return the rows ``x_pt <= s_t y_p``."""
    e = np.arange(len(patterns.types))
    return Rows(
        np.concatenate([e, e]),
        np.concatenate([e, y[patterns.pattern]]),
        np.concatenate([np.ones(len(e)), -capacity]),
        np.full(len(e), -INF),
        np.zeros(len(e)),
    )
