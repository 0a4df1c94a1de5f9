"""Make rings in the groups of a release by groups: for large k sometimes the best."""

from collections.abc import Mapping
from typing import Any

from instances import NonHomogeneous, NotSupportedError, Partition, Run
from starmin.auto.dispatch import call
from starmin.auto.rules import NONHOMOGENEOUS_RULES
from starmin.registry.methods import METHODS


def offer_rings(run: Run[NonHomogeneous], options: Mapping[str, Any]) -> bool:
    """Search groups if fast ones are near already; return whether rings in them won.

    A release by groups is a non-homogeneous one, and rings in its groups never cost
    more. Many rows that are alike, as at large k in tables of few values, are what
    groups do well and successive matchings do not.
    """
    if run.value is None:
        return False
    start = _groups("lexicographic_suppression", run, options, None)
    if (
        start is None
        or start.value(run.table, run.objective)
        > NONHOMOGENEOUS_RULES.ring_cost_ratio * run.value
    ):
        return False
    return _offer(run, _groups("local_search", run, options, start) or start)


def _groups(
    name: str,
    run: Run[NonHomogeneous],
    options: Mapping[str, Any],
    start: Partition | None,
) -> Partition | None:
    method = METHODS[name]
    if not method.supports(run.requirement, run.objective):
        return None
    limit = min(
        NONHOMOGENEOUS_RULES.ring_seconds_per_row * run.table.n, run.remaining / 2
    )
    given = {"seed": options.get("seed"), "time_limit": limit, "initial": start}
    try:
        result = call(method, run.table, run.requirement, run.objective, given)
    except NotSupportedError:
        return None
    return result.best if isinstance(result.best, Partition) else None


def _offer(run: Run[NonHomogeneous], groups: Partition) -> bool:
    given = {"initial": groups}
    ring = METHODS["ring"]
    found = call(ring, run.table, run.requirement, run.objective, given).best
    return found is not None and run.offer(found)
