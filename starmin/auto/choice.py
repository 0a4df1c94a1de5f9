"""Choose a method by the rules of ``starmin.auto.rules``."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from instances import (
    Control,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Status,
    Table,
    least_diversity,
    watch_runs,
)
from instances.runs.method import Method
from instances.runs.progress import NO_CONTROL
from models.distinct.reduction import has_prices, least_distinct, to_be_placed
from models.near_patterns.sizes import MOST_COLUMNS
from starmin.auto.certify import certified
from starmin.auto.dispatch import (
    AUTO,
    call,
    expect_options,
    expect_support,
    on,
    salvage,
    signed,
    stopped,
    words,
)
from starmin.auto.rules import RULES
from starmin.auto.two_anonymity import solve_by_pairs, with_bound
from starmin.registry.methods import METHODS, find, supporting


def solve_by(
    method: str,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
    control: Control = NO_CONTROL,
) -> Result:
    """Solve by a method, or by the first of those that ``auto`` tries.

    An interrupt ends the search, and so do a lack of memory and what ``control`` says:
    what was found until then is returned.

    Parameters
    ----------
    method
        A name in the registry, or ``auto``.
    table, requirement, objective
        The problem.
    options
        Arguments of the method, by name; None stands for its default.
    control
        Who is told of the search, and when it ends before its time.

    Raises
    ------
    NotSupportedError
        The method does not take the problem or an option; names those that do.
    """
    objective.check(table)
    with watch_runs(control, on(table, requirement, objective)) as runs:
        try:
            found = _solve(method, table, requirement, objective, options)
            found = certified(found, table, requirement, objective, options)
            return stopped(found)
        except (KeyboardInterrupt, MemoryError) as error:
            run = Run(table, requirement, objective)
            if no := run.infeasible():
                return signed(no, method)
            run.offer(Partition.coarsest(table, objective))
            if (initial := options.get("initial")) is not None:
                run.offer(initial)
            return stopped(signed(salvage(run, runs, error), method))


def _solve(
    method: str,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result:
    if method != AUTO:
        chosen = find(method, "exact", "heuristic")
        expect_support(chosen, requirement, objective)
        return call(chosen, table, requirement, objective, options)
    expect_options(AUTO, options, {"initial", "checkpoint"})
    near = METHODS["near_pattern_annealing"]
    fits = near.supports(requirement, objective) and table.d <= MOST_COLUMNS
    if fits and len(table.row_types) << table.d > RULES.near_pairs:
        return call(near, table, requirement, objective, options)
    if options.get("checkpoint") is not None:
        raise NotSupportedError(
            "auto keeps no checkpoint of a search on so few row types; "
            f"{near.name} does, where it takes the problem."
        )
    large = table.n >= RULES.large_rows and objective.kind != "tuples"
    pairs = _pairs_per_second(table, requirement, objective, options) if large else 0.0
    slow = pairs > RULES.pairs_per_second
    starts, share = RULES.starts, RULES.start_share
    ranged = objective.kind == "gcp"
    share = RULES.range_start_share if ranged else share
    if slow and not ranged and has_prices(requirement, len(table.sensitive)):
        slow = pairs > RULES.priced_pairs_per_second
        starts, share = RULES.priced_starts, RULES.priced_start_share
    if large and options.get("initial") is None:
        names = RULES.range_starts if ranged else starts[:1] if slow else starts
        if ranged and pairs <= RULES.range_cover_pairs_per_second:
            names = (*names, *RULES.range_cover_starts)
        options = _with_start(names, share, table, requirement, objective, options)
        if ranged and not slow and least_diversity(requirement) == 1:
            options = _with_better_start(pairs, table, requirement, objective, options)
    packed: Result | None = None
    if large and pairs <= RULES.packing_pairs_per_second:
        packed = solve_by_pairs(table, requirement, objective, options)
    if packed is not None:
        if packed.status is Status.OPTIMAL or packed.limit is Limit.INTERRUPTED:
            return packed
        seconds = float(options.get("time_limit", math.inf)) - packed.runtime
        options = {**options, "initial": packed.best, "time_limit": max(0.0, seconds)}
    candidates = RULES.candidates
    diverse = ranged and least_diversity(requirement) > 1
    if diverse and pairs > RULES.diverse_range_pairs_per_second:
        candidates = RULES.diverse_range_candidates
    for candidate in _takers(candidates, requirement, objective):
        if candidate.name == "pattern_ilp" and slow:
            continue
        try:
            found = _call_from(candidate, table, requirement, objective, options)
            return found if packed is None else with_bound(found, packed)
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
    fallbacks = RULES.range_fallbacks if objective.kind == "gcp" else RULES.fallbacks
    return _best_of(fallbacks, table, requirement, objective, options)


def _pairs_per_second(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> float:
    """Divide the size of the pattern formulation by the seconds there are."""
    types = table.sensitive_types if table.sensitive else table.row_types
    size = len(types)
    if least_distinct(requirement) > 1:
        size = int(to_be_placed(types, requirement).sum())
    seconds = float(options.get("time_limit", math.inf))
    vectors = math.prod(s.nodes_above for s in objective.scales_of(table).scales)
    return size * float(vectors) / max(seconds, 1e-9)


def _call_from(
    method: Method,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result:
    """Call a method; its result is never worse than the release to start from."""
    initial = options.get("initial")
    if initial is None or "initial" in method.options():
        return call(method, table, requirement, objective, options)
    without = {**options, "initial": None}
    result = call(method, table, requirement, objective, without)
    cost = initial.value(table, objective)
    if result.value is not None and cost < result.value:
        return replace(result, best=initial, value=cost)
    return result


def _with_start(
    starts: Iterable[str],
    share: float,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Mapping[str, Any]:
    """Add the best of fast heuristics to start from, and the time left, to options."""
    run = Run(table, requirement, objective, options.get("time_limit", math.inf))
    if run.remaining == 0:
        return options
    tried = [(method, objective) for method in _takers(starts, requirement, objective)]
    if objective.kind == "gcp":
        stars = Objective("stars", objective.weights, objective.keep)
        found = _takers(RULES.range_star_starts, requirement, stars)
        tried += [(method, stars) for method in found]
    for method, goal in tried:
        limit = share * run.remaining
        try:
            start = call(method, table, requirement, goal, {"time_limit": limit})
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
        # Groups for stars may need nodes above the highest level that is allowed.
        if start.best and not start.best.violation(table, requirement, objective):
            run.offer(start.best)
    return {**options, "initial": run.best, "time_limit": run.remaining}


def _with_better_start(
    pairs: float,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Mapping[str, Any]:
    """Improve the release to start from, longer on larger tables.

    Exact methods look for what is better than it, and rule out what is not.
    """
    run = Run(table, requirement, objective, options.get("time_limit", math.inf))
    if math.isinf(run.remaining):
        return options
    run.offer(options["initial"])
    share = RULES.range_improver_share * pairs / RULES.pairs_per_second
    for method in _takers(RULES.range_improvers, requirement, objective):
        limit = share * run.remaining
        given = {**options, "initial": run.best, "time_limit": limit}
        try:
            found = call(method, table, requirement, objective, given)
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
        if found.best is not None:
            run.offer(found.best)
    return {**options, "initial": run.best, "time_limit": run.remaining}


def _best_of(
    names: Iterable[str],
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result:
    """Return the best release of several heuristics, at worst one single group."""
    if table.counts is not None:
        raise NotSupportedError(
            f"No method takes {words(requirement)} with {objective.kind} on a table "
            "that is read in batches; read as a whole, it may be solved."
        )
    run = Run(table, requirement, objective, options.get("time_limit", math.inf))
    if no := run.infeasible():
        return signed(no, AUTO)
    initial = options.get("initial")
    run.offer(initial or Partition.coarsest(table, objective))
    best = signed(run.result(Limit.TIME), "initial" if initial else "single_group")
    for method in _takers(names, requirement, objective):
        if run.remaining == 0:
            return best
        left = {**options, "time_limit": run.remaining, "initial": None}
        result = call(method, table, requirement, objective, left)
        if result.best is not None and run.offer(result.best):
            best = result
    return replace(best, limit=None, runtime=run.elapsed)


def _takers(
    names: Iterable[str], requirement: Requirement, objective: Objective
) -> list[Method]:
    """Select the named methods that are there and take the problem."""
    methods = (METHODS[name] for name in names if name in METHODS)
    return [method for method in methods if method.supports(requirement, objective)]


def bound_by(
    method: str,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
    recoding: str = "suppression",
    control: Control = NO_CONTROL,
) -> Result[Any]:
    """Compute the lower bound of a method, or the best of all that take the problem.

    It holds for all releases of a recoding; that for suppression holds for all that
    publish groups.

    Parameters
    ----------
    method
        A name in the registry, or ``auto``.
    table, requirement, objective
        The problem.
    options
        Arguments of the method, by name; None stands for its default.
    recoding
        How the releases are published that it holds for.
    control
        Who is told of the search, and when it ends before its time.

    Raises
    ------
    NotSupportedError
        The method does not take the problem, or none does.
    """
    objective.check(table)
    with watch_runs(control, on(table, requirement, objective)) as runs:
        try:
            found = _bound(method, table, requirement, objective, options, recoding)
            return stopped(found)
        except (KeyboardInterrupt, MemoryError) as error:
            run = Run[Any](table, requirement, objective)
            return stopped(signed(salvage(run, runs, error), method))


def _bound(
    method: str,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
    recoding: str,
) -> Result[Any]:
    if method != AUTO:
        chosen = find(method, "bound")
        expect_support(chosen, requirement, objective, recoding)
        return call(chosen, table, requirement, objective, options)
    run = Run[Any](table, requirement, objective, options.get("time_limit", math.inf))
    best: Result[Any] | None = None
    for candidate in supporting(requirement, objective, "bound", recoding=recoding):
        if best is not None and run.remaining == 0:
            break
        left = {**options, "time_limit": run.remaining}
        try:
            result = call(candidate, table, requirement, objective, left)
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
        if best is None or (result.lower_bound or -1) > (best.lower_bound or -1):
            best = result
    if best is None:
        asked = words(requirement)
        raise NotSupportedError(f"No bound takes {asked} with {objective.kind}.")
    return replace(best, runtime=run.elapsed)
