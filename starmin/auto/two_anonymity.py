"""Solve 2-anonymity and 2-diversity by pairs and triples before other candidates."""

from dataclasses import replace

from starmin.auto.rules import RULES
from starmin.auto.task import Task
from starmin.instances import Limit, NotSupportedError, Result
from starmin.instances.runs.method import Method
from starmin.registry.methods import find


def solve_by_pairs(task: Task) -> Result | None:
    """Solve k = 2 or l = 2 by pairs and triples; None for others and without the time.

    A good release is found first, by another method and in little time: so there is one
    to publish whenever the search ends, and to prove that none is better is enough.
    """
    start, method = map(find, RULES.packing)
    core = task.requirement.core
    if max(core.size, core.diversity) != 2 or not task.takers([method.name]):
        return None
    types = _types(task)
    rate = RULES.packing_pairs_per_second
    if core.diversity > 1:
        if not task.of_losses:
            return None  # other searches find fewer stars, and prove as much
        rate = RULES.packing_diverse_pairs_per_second
    if types**2 / 2 > rate * task.seconds:
        return None
    run = task.run()
    try:
        first = _search(task, start)
    except NotSupportedError:
        return None
    if first.limit is Limit.INTERRUPTED:
        return first
    seconds = max(0.0, RULES.packing_share * run.remaining)
    known = {"initial": first.best, "prices": first.certificate}
    try:
        found = task.given(time_limit=seconds, **known).solve(method)
    except NotSupportedError:
        return first  # whose time counts
    return replace(with_bound(found, first), runtime=first.runtime + found.runtime)


def _types(task: Task) -> int:
    """Return how many row types are paired, under diversity by sensitive value."""
    diverse = task.requirement.core.diversity > 1
    return len(task.table.sensitive_types if diverse else task.table.row_types)


def _search(task: Task, method: Method) -> Result:
    """Find a good release, in turns until its bound is near or their time is up.

    A proof takes long; where it is cut short, this release is what is published. Each
    turn is twice as long as the one before.
    """
    limit, turn = task.seconds, _types(task) / RULES.packing_types
    seconds = min(turn, RULES.packing_seconds, limit)
    found = task.given(time_limit=seconds).solve(method)
    while (
        found.limit is Limit.TIME
        and (found.gap is None or found.gap > RULES.packing_gap)
        and found.runtime + 2 * seconds < RULES.packing_search_share * limit
    ):
        seconds *= 2
        known = {"initial": found.best, "prices": found.certificate}
        more = task.given(time_limit=seconds, **known).solve(method)
        runtime = found.runtime + more.runtime
        found = replace(with_bound(more, found), runtime=runtime)
    return found


def with_bound(found: Result, other: Result) -> Result:
    """Return a result with what another one proves, where that is more."""
    if (other.certified_bound or 0) > (found.certified_bound or 0):
        found = replace(
            found,
            certificate=other.certificate,
            certificate_checked=other.certificate_checked,
        )
    if (other.lower_bound or 0) <= (found.lower_bound or 0):
        return found
    return replace(
        found,
        lower_bound=other.lower_bound,
        bound_method=other.bound_method,
        limit=None if found.value == other.lower_bound else found.limit,
    )
