"""Solve 2-anonymity by pairs and triples before the candidates of ``auto``."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from instances import NotSupportedError, Objective, Requirement, Result, Table
from starmin.auto.dispatch import call
from starmin.auto.rules import RULES
from starmin.registry.methods import find


def solve_by_pairs(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result | None:
    """Solve 2-anonymity by pairs and triples; None where that does not take it."""
    method = find("simplex_matching")
    seconds = RULES.packing_share * float(options.get("time_limit", math.inf))
    if not method.supports(requirement, objective):
        return None
    try:
        limited = {**options, "time_limit": seconds}
        return call(method, table, requirement, objective, limited)
    except NotSupportedError:
        return None


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
