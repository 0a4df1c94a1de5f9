"""Large neighbourhood search: part after part of a release solved exactly."""

import math
from collections.abc import Callable

import numpy as np

from heuristics.lexicographic_suppression import lexicographic_suppression
from heuristics.pattern_descent import pattern_descent
from instances import (
    STARS,
    BoolArray,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    expect_parts,
    least_diversity,
    least_size,
)
from models.bounds.lagrangian import lagrangian_prices
from models.bounds.through_prices import through_prices
from models.incumbents import loads_of, partition_of_loads
from models.part_search import PartSearch
from models.patterns import Patterns, closed_patterns, expect_stars

_START_SHARE = 0.5  # of the time
_PRICE_SHARE = 0.3  # of the time
_PER_TYPE = 15  # incidences that parts may use


def large_neighbourhood(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    start: Callable[[Run, int, Partition | None], Result] | None = None,
    patience: int = 200,
) -> Result:
    """Improves a release by solving parts of it to optimality. No guarantee.

    A part is a set of row types that may move freely while all other copies stay in
    their patterns; the pattern program of the part, what is fixed moved to its
    right-hand sides (``models.neighbourhood``), is solved by branch and bound from the
    current release. ``models.part_search`` chooses the parts. The prices of the
    Lagrangian bound (``models.bounds.lagrangian``) say which patterns a type may use:
    those of its incidences that a cheap release can have.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars.
    time_limit
        Wall-clock seconds.
    seed
        Of the choice of parts and of the solver.
    display
        Print a line to stderr at each improvement.
    initial
        The release to improve.
    start
        What to begin with: called with the run, the seed and ``initial``. Default:
        ``heuristics.pattern_descent`` for up to half of the time.
    patience
        Stop after this many parts in a row that gained nothing.

    Returns
    -------
    Result
        Never worse than ``initial``.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    models.pattern_ilp : exact, for smaller tables.

    Notes
    -----
    Any-time. Each part takes a fraction of a second to a few seconds. 30,162 rows by 8
    columns (18,109 types), k = 5: a gap below 2 % after half a minute.

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> large_neighbourhood(table, KAnonymity(2), time_limit=1.0).value
    4
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    try:
        run.check_time()
        first = (start or _begin)(run, seed, initial)
        if first.best is not None:
            run.offer(first.best)
        _improve(run, np.random.default_rng(seed), patience)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(Limit.ITERATIONS)


def _begin(run: Run, seed: int, initial: Partition | None) -> Result:
    """A good release in a short time."""
    table, requirement, objective = run.table, run.requirement, run.objective
    if len(table.sensitive) > 1 and least_diversity(requirement) > 1:
        return lexicographic_suppression(table, requirement, objective=objective)
    return pattern_descent(
        table,
        requirement,
        objective=objective,
        time_limit=_START_SHARE * run.remaining,
        seed=seed,
        initial=initial,
    )


def _improve(run: Run, rng: np.random.Generator, patience: int) -> None:
    """Search until patience or the time of ``run`` is up, or the gap is closed."""
    table, k = run.table, least_size(run.requirement)
    l = least_diversity(run.requirement)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, run.objective, k, l, run.check_time)
    useful = _useful(run, patterns, types, k, l)
    assert run.best is not None
    loads = loads_of(table, types, patterns, run.best)
    search = PartSearch(patterns, types, k, l, useful, rng)
    in_vain = 0
    while not run.closed and in_vain < patience and not search.complete:
        run.check_time()
        better = None if loads is None else search.step(loads, run.remaining)
        in_vain += 1
        if better is not None:
            loads, in_vain = better, 0
            run.offer(partition_of_loads(types, patterns, loads))


def _useful(run: Run, patterns: Patterns, types: RowTypes, k: int, l: int) -> BoolArray:
    """The incidences that a good release may use, by the prices of the bound."""
    pricing = Run(
        run.table, run.requirement, run.objective, _PRICE_SHARE * run.remaining
    )
    prices = lagrangian_prices(pricing, patterns, types, k, l)
    if pricing.lower_bound is not None and pricing.bound_method is not None:
        run.raise_bound(pricing.lower_bound, pricing.bound_method, pricing.certificate)
    run.check_time()
    least = through_prices(patterns, types, prices, k, l)
    count = _PER_TYPE * len(types)
    if count >= len(least):
        return np.ones(len(least), bool)
    return np.asarray(least <= np.partition(least, count)[count], bool)
