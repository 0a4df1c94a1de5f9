"""Solve 2-anonymity by pairs and triples before the candidates of ``auto``."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from instances import (
    Limit,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Table,
)
from starmin.auto.dispatch import call
from starmin.auto.rules import RULES
from starmin.registry.methods import find


def solve_by_pairs(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result | None:
    """Solve 2-anonymity by pairs and triples; None where that does not take it.

    A good release is found first, by another method and in little time: so there is one
    to publish whenever the search ends, and to prove that none is better is enough.
    """
    start, method = map(find, RULES.packing)
    if not method.supports(requirement, objective):
        return None
    limit = float(options.get("time_limit", math.inf))
    seconds = min(RULES.packing_seconds, limit)
    given = {**options, "time_limit": seconds}
    try:
        first = call(start, table, requirement, objective, given)
    except NotSupportedError:
        return None
    if first.limit is Limit.INTERRUPTED:
        return first
    try:
        seconds = RULES.packing_share * (limit - first.runtime)
        given = {**options, "time_limit": max(0.0, seconds), "initial": first.best}
        found = call(method, table, requirement, objective, given)
    except NotSupportedError:
        return first  # whose time counts
    return replace(with_bound(found, first), runtime=first.runtime + found.runtime)


def with_bound(found: Result, other: Result) -> Result:
    """Return a result with the bound of another one, where that is higher."""
    if (other.lower_bound or 0) <= (found.lower_bound or 0):
        return found
    return replace(
        found,
        lower_bound=other.lower_bound,
        bound_method=other.bound_method,
        certificate=other.certificate,
        limit=None if found.value == other.lower_bound else found.limit,
    )
