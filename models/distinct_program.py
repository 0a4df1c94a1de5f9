"""The pattern formulation under distinct l-diversity, written down and solved."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import (
    DistinctDiversity,
    NotSupportedError,
    Requirement,
    RowTypes,
    Run,
    group_by,
    least_diversity,
    least_size,
)
from models.highs import LinearSolver, MipSearch
from models.incumbents import loads_of, partition_of_loads
from models.pattern_program import PatternProgram, pattern_program
from models.patterns import Patterns, closed_patterns
from models.program import INF, Floats, Program, Rows

MAX_INCIDENCES = 1_000_000
_WAIT = 0.05  # seconds between two looks at a search

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


def solve_distinct(run: Run, seed: int) -> bool:
    """Solve a run's problem, from its incumbent; whether it ended before the time did.

    Raises
    ------
    NotSupportedError
        Too many columns, or more than a million pairs of a pattern and a row type.
    """
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    distinct, types = least_distinct(run.requirement), run.table.sensitive_types
    patterns = closed_patterns(
        run.table,
        types,
        run.objective,
        max(k, l, distinct),
        max(l, distinct),
        check=run.check_time,
    )
    if len(patterns.types) > MAX_INCIDENCES:
        raise NotSupportedError(
            f"Expected at most {MAX_INCIDENCES:,} pairs of a pattern and a row type, "
            f"got {len(patterns.types):,}."
        )
    program = distinct_program(patterns, types, k, l, distinct)
    relaxed = LinearSolver(program.program).solve(run.remaining)
    if relaxed is None:
        return False
    _raise_bound(run, relaxed.value)
    return run.closed or _search(run, program, seed)


def _search(run: Run, program: DistinctProgram, seed: int) -> bool:
    patterns, types = program.base.patterns, run.table.sensitive_types
    start = None
    if run.best is not None:
        start = loads_of(run.table, types, patterns, run.best)
    search = MipSearch(
        program.program,
        run.remaining,
        None if start is None else program.point(start),
        seed=seed,
    )

    def collect() -> None:
        for point in search.solutions():
            loads = np.rint(point[: program.base.incidences]).astype(np.int64)
            run.offer(partition_of_loads(types, patterns, loads))
        _raise_bound(run, search.end())

    try:
        while search.running and run.remaining > 0 and not run.closed:
            search.wait(_WAIT)
            collect()
    finally:
        search.stop()
    collect()
    return run.closed


def _raise_bound(run: Run, bound: float) -> None:
    """Note a bound of floating point, rounded up once."""
    if math.isfinite(bound):
        run.raise_bound(math.ceil(bound - 1e-6), "pattern_ilp")
