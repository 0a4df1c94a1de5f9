"""Diversity with missing sensitive values, solved to proven optimality."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import (
    STARS,
    DistinctDiversity,
    IntArray,
    LDiversity,
    Limit,
    MissingValues,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.pattern_program.pattern_program import loads_of, partition_of_loads
from starmin.models.pattern_variants import KNOWN_VALUES_ILP
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns, expect_no_tuples
from starmin.models.solvers.mip_search import solve_program
from starmin.models.solvers.program import (
    Program,
    Rows,
    at_least,
    capped,
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


@dataclass(frozen=True, eq=False)
class KnownProgram:
    r"""The program, and where its columns stand.

    ``x[p, t]`` copies of type t are released as pattern p. Of a sensitive column let
    ``X[p, v]`` be the copies with the known value v, and ``M[p]`` those without one.

    .. math::

        \min \sum_{p,t} cost_p x_{pt}, \quad \sum_p x_{pt} = s_t, \quad
        k y_p \le \sum_t x_{pt}, \quad x_{pt} \le s_t y_p, \quad X_{pv} \le h_p

    By frequency, where a missing value may be any, :math:`l (h_p + M_p) \le X_p + M_p`;
    where it counts for nobody, :math:`l h_p \le X_p`. For different values
    :math:`z_{pv} \le X_{pv}` and :math:`l w_p \le \sum_v z_{pv}`, with w = y in the
    first case, and in the second one :math:`x_{pt} \le s_t w_p` for known t alone.

    Each pattern is one group at most: the requirement is monotone.
    """

    patterns: Patterns  # patterns, types: by QI and sensitive values
    types: RowTypes
    missing: Bools  # types x sensitive columns: where the value is missing
    asked: Asked

    @property
    def opened(self) -> bool:
        """Whether patterns are opened by binaries."""
        any_distinct = self.asked.distinct > 1 and self.asked.any_value
        return self.asked.k > 1 or any_distinct

    @property
    def columns(self) -> int:
        """How many sensitive columns there are."""
        return int(self.missing.shape[1])

    @cached_property
    def _pairs(self) -> list[tuple[IntArray, IntArray, IntArray]]:
        """By sensitive column: incidences with a value, their pair, pairs' patterns.

        A pair is a pattern and a known value that occurs there.
        """
        found: list[tuple[IntArray, IntArray, IntArray]] = []
        for c in range(self.columns):
            known = np.flatnonzero(~self.missing[self.patterns.types, c])
            if len(known) == 0:
                found.append((known, known, known))
                continue
            pattern = self.patterns.pattern[known]
            values = self.types.sensitive[self.patterns.types[known], c]
            sizes = [len(self.patterns), int(self.types.sensitive[:, c].max()) + 1]
            pairs = group_by([pattern, values], sizes)
            found.append((known, pairs.inverse, pattern[pairs.first]))
        return found

    @cached_property
    def _firsts(self) -> dict[str, int]:
        """Where each kind of columns begins; ``end`` is how many there are."""
        count, at, found = len(self.patterns), len(self.patterns.types), {}
        for c, (_, _, of_pairs) in enumerate(self._pairs):
            for name, asked, many in (
                (f"h{c}", self.asked.l > 1, count),
                (f"z{c}", self.asked.distinct > 1, len(of_pairs)),
                (f"w{c}", self.asked.distinct > 1 and not self.asked.any_value, count),
            ):
                if asked:
                    found[name], at = at, at + many
        if self.opened:
            found["y"], at = at, at + count
        return found | {"end": at}

    def program(self) -> Program:
        """Write it."""
        patterns = self.patterns
        e, count = np.arange(len(patterns.types)), len(patterns)
        supply = patterns.counts.astype(float)
        cost = np.zeros(self._firsts["end"])
        cost[: len(e)] = patterns.cost[patterns.pattern]
        upper = np.ones(len(cost))
        upper[: len(e)] = supply[patterns.types]
        rows = [Rows.of(len(supply), supply, supply, (patterns.types, e, 1))]
        for c in range(self.columns):
            if self.asked.l > 1:
                h = self._firsts[f"h{c}"] + np.arange(count)
                upper[h] = patterns.support
                rows += self._frequency(c, h)
            if self.asked.distinct > 1:
                rows += self._distinct(c)
        if self.opened:
            y = self._firsts["y"] + np.arange(count)
            rows.append(at_least(patterns.pattern, e, y, self.asked.k))
            rows.append(self._only_if(e, y[patterns.pattern]))
        integer = np.ones(len(cost), bool)
        return Program(cost, 0 * cost, upper, integer, tuple(rows))

    def _frequency(self, c: int, h: IntArray) -> list[Rows]:
        """Return rows for the most frequent known value of a sensitive column."""
        known, pair, of_pairs = self._pairs[c]
        lost = np.flatnonzero(self.missing[self.patterns.types, c])
        l, pattern = self.asked.l, self.patterns.pattern
        weight = 1 - l if self.asked.any_value else 0
        entries = np.concatenate([known, lost])
        weights = np.repeat([1, weight], [len(known), len(lost)])
        whole = at_least(pattern[entries], entries, h, l, weights)
        return [capped(h[of_pairs], pair, known), whole]

    def _distinct(self, c: int) -> list[Rows]:
        """Return rows for the different known values of a sensitive column."""
        known, pair, of_pairs = self._pairs[c]
        z = self._firsts[f"z{c}"] + np.arange(len(of_pairs))
        count = np.arange(len(self.patterns))
        there = supported(z, pair, known)
        if self.asked.any_value:
            opened = self._firsts["y"] + count
            rows = [there]
        else:
            opened = self._firsts[f"w{c}"] + count
            rows = [there, self._only_if(known, opened[self.patterns.pattern[known]])]
        return [*rows, at_least(of_pairs, z, opened, self.asked.distinct)]

    def _only_if(self, incidences: IntArray, opened: IntArray) -> Rows:
        """Return the rows ``x <= s opened``."""
        capacity = self.patterns.counts[self.patterns.types[incidences]]
        return linked(incidences, opened, capacity)

    def point(self, loads: Ints) -> Floats:
        """Return the values of all columns for loads that are a release."""
        patterns, count = self.patterns, len(self.patterns)
        point = np.zeros(self._firsts["end"])
        point[: len(loads)] = loads
        total = np.bincount(patterns.pattern, loads, minlength=count)
        for c, (known, pair, of_pairs) in enumerate(self._pairs):
            held = np.bincount(pair, loads[known], minlength=len(of_pairs))
            most = np.zeros(count)
            np.maximum.at(most, of_pairs, held)
            for name, values in (
                (f"h{c}", most),
                (f"z{c}", held > 0),
                (f"w{c}", most > 0),
            ):
                if name in self._firsts:
                    at = self._firsts[name]
                    point[at : at + len(values)] = values
        if self.opened:
            point[self._firsts["y"] : self._firsts["y"] + count] = total > 0
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
    ``starmin.models.pattern_variants.known_values_ilp`` over the closed patterns,
    solved as it is.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``MissingValues`` of ``LDiversity`` or ``DistinctDiversity``, with
        ``KAnonymity`` or without; stars or gcp.
    time_limit
        Wall-clock seconds; the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        Without certificate: what is proven is the solver's word.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, missing values that are read in two ways, more
        than 20 columns to star, or more than 300,000 pairs of a pattern and a distinct
        row.

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
        run.offer(initial or Partition.coarsest(table, objective))
        run.check_time()
        program = _program(run)
        return None if _solve(run, program, seed) else Limit.TIME

    return run.carry_out(search)


def _program(run: Run) -> KnownProgram:
    table, types = run.table, run.table.sensitive_types
    parts = [p for p in run.requirement.parts if isinstance(p, MissingValues)]
    l = max((p.inner.l for p in parts if isinstance(p.inner, LDiversity)), default=1)
    distinct = (p.inner.l for p in parts if isinstance(p.inner, DistinctDiversity))
    reading = parts[0].reading
    if any(part.reading != reading for part in parts):
        raise NotSupportedError("Expected missing values to be read in one way.")
    any_value = reading.meaning == "any"
    asked = Asked(run.requirement.core.size, l, max(distinct, default=1), any_value)
    unknown = {None, *reading.unknown}
    lost = [
        np.array([text in unknown for text in table.dictionary(column)])
        for column in table.sensitive
    ]
    values = types.sensitive.T
    missing = np.array([known[v] for known, v in zip(lost, values, strict=True)]).T
    least = max(asked.k, max(l, asked.distinct) if any_value else 1)
    patterns = closed_patterns(
        table, types, run.objective, least, 1, run.check_time, MAX_INCIDENCES
    )
    return KnownProgram(patterns, types, missing, asked)


def _solve(run: Run, known: KnownProgram, seed: int) -> bool:
    """Search by branch and bound; whether it ended before the time did."""
    table, types, patterns = run.table, known.types, known.patterns
    assert run.best is not None
    loads = loads_of(table, run.objective, types, patterns, run.best)
    start = None if loads is None else known.point(loads)

    def take(point: Floats) -> None:
        loads = np.rint(point[: len(patterns.types)]).astype(np.int64)
        release = partition_of_loads(types, patterns, loads)
        if release.violation(table, run.requirement, run.objective) is None:
            run.offer(release)

    solve_program(run, known.program(), KNOWN_VALUES_ILP.name, take, start, seed)
    return run.closed
