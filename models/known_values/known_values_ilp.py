"""Diversity with missing sensitive values, solved to proven optimality."""

import math

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
from starmin.instances.arrays import Floats
from starmin.models.known_values import KNOWN_VALUES_ILP
from starmin.models.known_values.known_value_program import Asked, KnownProgram
from starmin.models.pattern_program.decode import loads_of, partition_of_loads
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import expect_no_tuples
from starmin.models.solvers.solve_program import solve_program

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
    ``starmin.models.known_values.known_value_program`` over the closed patterns, solved
    as it is.

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
