"""Diversity with missing sensitive values, solved to proven optimality."""

import math
from dataclasses import dataclass

import numpy as np

from starmin.instances import (
    STARS,
    DistinctDiversity,
    LDiversity,
    Limit,
    MissingValues,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.runs.checkpoint import begin_at
from starmin.models.pattern_program.pattern_program import loads_of, partition_of_loads
from starmin.models.pattern_variants import KNOWN_VALUES_ILP
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns, expect_no_tuples
from starmin.models.reductions.changed_rows import known_values
from starmin.models.solvers.mip_search import solve_program
from starmin.models.solvers.program import (
    Pairs,
    PatternColumns,
    at_least,
    linked,
    supported,
)

# The pattern formulation where sensitive values are missing.


@dataclass(frozen=True)
class Asked:
    """What is asked of a group."""

    k: int  # rows at least; 1: not asked
    # l, distinct: by frequency and by different values, of the known ones; 1: not asked
    l: int
    distinct: int
    any_value: bool  # whether a missing value may be any; else it counts for nobody


class KnownProgram(PatternColumns):
    r"""The pattern formulation with frequencies and values of the known ones.

    ``x[p, t]`` copies of type t are released as pattern p. Of a sensitive column let
    ``X[p, v]`` be the copies with the known value v, and ``M[p]`` those without one.

    .. math::

        \min \sum_{p,t} cost_p x_{pt}, \quad \sum_p x_{pt} = s_t, \quad
        k y_p \le \sum_t x_{pt}, \quad x_{pt} \le s_t y_p, \quad X_{pv} \le h_p

    By frequency, where a missing value may be any, :math:`l (h_p + M_p) \le X_p + M_p`;
    where it counts for nobody, :math:`l h_p \le X_p`. For different values
    :math:`z_{pv} \le X_{pv}` and :math:`l w_p \le \sum_v z_{pv}`, with w = y in the
    first case, and in the second one :math:`x_{pt} \le s_t w_p` for known t alone.

    Each pattern is one group at most: the requirement is monotone. The columns are x,
    y, and h, z and w of one sensitive column after the other.
    """

    def __init__(self, patterns: Patterns, missing: Bools, asked: Asked) -> None:
        """Write it; ``missing`` says by type and sensitive column where it is so."""
        copies = patterns.counts[patterns.types]
        dealt = patterns.pattern, patterns.types, patterns.cost, patterns.counts
        super().__init__(*dealt, copies)
        self.asked, self._support = asked, patterns.support
        # by sensitive column its pairs, and its columns h, z and w
        self._parts = list[tuple[Pairs, Ints, Ints, Ints]]()
        any_distinct = asked.distinct > 1 and asked.any_value
        opened = asked.k > 1 or any_distinct
        self._y = self.add(self.count if opened else 0)
        if opened:
            self.rows += [self.enough(self._y, asked.k), self.only(self._y)]
        sensitive = patterns.row_types.sensitive
        for values, lost in zip(sensitive.T, missing.T, strict=True):
            self._ask(values[patterns.types], lost[patterns.types], copies)

    def _ask(self, values: Int32s, lost: Bools, copies: Ints) -> None:
        """Add what a sensitive column takes, with values by incidence."""
        asked, any_value, count = self.asked, self.asked.any_value, self.count
        known = np.flatnonzero(~lost)
        pairs = self.pairs(values[known], known)
        h, z, w = (np.zeros(0, np.int64) for _ in range(3))
        if asked.l > 1:
            h = self.add(count, 0, self._support)
            each = np.where(lost, 1 - asked.l if any_value else 0, 1)
            self.rows += self.frequent(h, pairs, asked.l, each)
        if asked.distinct > 1:
            z = self.add(len(pairs.pattern))
            w = self.add(0 if any_value else count)
            opened = self._y if any_value else w
            self.rows.append(supported(z, pairs.number, known))
            self.rows.append(at_least(pairs.pattern, z, opened, asked.distinct))
            if not any_value:
                self.rows.append(linked(known, w[self.pattern[known]], copies[known]))
        self._parts.append((pairs, h, z, w))

    def point(self, loads: Ints) -> Floats:
        """Return the values of all columns for loads that are a release."""
        point = np.zeros(self.size)
        point[self.x] = loads
        total = np.bincount(self.pattern, loads, self.count)
        point[self._y] = total[: len(self._y)] > 0
        for pairs, h, z, w in self._parts:
            held = np.bincount(pairs.number, loads[pairs.entry], len(pairs.pattern))
            most = np.zeros(self.count)
            np.maximum.at(most, pairs.pattern, held)
            for columns, values in (h, most), (z, held > 0), (w, most > 0):
                point[columns] = values[: len(columns)]
        return point


MAX_INCIDENCES = 300_000


def known_values_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    """Solves l-diversity exactly where sensitive values are missing.

    A missing value may be any value, or counts for nobody
    (``starmin.instances.requirements.missing_values``). The formulation is that of
    ``KnownProgram`` over the closed patterns, solved as it is. The requirement is
    ``MissingValues`` of ``LDiversity`` or ``DistinctDiversity``, with ``KAnonymity`` or
    without. There is no certificate: what is proven is the solver's word.

    Raises NotSupportedError where missing values are read in two ways, there are more
    than 20 columns to star, or more than 300,000 pairs of a pattern and a distinct row.

    Examples
    --------
    >>> from starmin.instances import Reading
    >>> cells = zip("000111", ["x", "y", "", "x", "y", "z"])
    >>> table = Table.from_rows(["q", "s"], cells, qi=["q"], sensitive=["s"])
    >>> for how in ("any", "none"):
    ...     asked = MissingValues(LDiversity(2), Reading(how, ("",)))
    ...     print(known_values_ilp(table, asked).value)
    4
    0
    """
    expect_no_tuples(objective)
    run = Run(table, requirement, objective, time_limit, display, KNOWN_VALUES_ILP)

    def search() -> Limit | None:
        begin_at(run, initial)
        patterns, program = _program(run)
        loads = loads_of(table, objective, patterns, run.release)
        start = None if loads is None else program.point(loads)

        def release(whole: Ints) -> Partition:
            return partition_of_loads(patterns, whole[: len(program.x)])

        asked = program.program(), KNOWN_VALUES_ILP.name, release
        return solve_program(run, *asked, start, seed)

    return run.carry_out(search)


def _program(run: Run) -> tuple[Patterns, KnownProgram]:
    table, types = run.table, run.table.sensitive_types
    parts = [p for p in run.requirement.parts if isinstance(p, MissingValues)]
    l = max((p.inner.l for p in parts if isinstance(p.inner, LDiversity)), default=1)
    distinct = (p.inner.l for p in parts if isinstance(p.inner, DistinctDiversity))
    reading = parts[0].reading
    if any(part.reading != reading for part in parts):
        raise NotSupportedError("Expected missing values to be read in one way.")
    any_value = reading.meaning == "any"
    asked = Asked(run.requirement.core.size, l, max(distinct, default=1), any_value)
    values = zip(table.sensitive, types.sensitive.T, strict=True)
    missing = [~known_values(table, column, reading)[v] for column, v in values]
    least = max(asked.k, max(l, asked.distinct) if any_value else 1)
    patterns = closed_patterns(
        table, types, run.objective, least, 1, run.check_time, MAX_INCIDENCES
    )
    return patterns, KnownProgram(patterns, np.array(missing).T, asked)
