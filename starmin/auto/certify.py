"""Certify what an exact method calls optimal on the word of a solver."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from instances import (
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Status,
    Table,
)
from starmin.auto.dispatch import call
from starmin.registry.methods import METHODS

_PROVER = "branch_and_bound"
_TRIED = "tree_nodes"  # The figure of a search for a tree.
_SECONDS = 10.0  # The proof may take so long, or as long as the search if that is more.


def certified(
    found: Result,
    table: Table,
    requirement: Requirement,
    objective: Objective,
    options: Mapping[str, Any],
) -> Result:
    """Return a result with a tree that proves it optimal, where one is found in time.

    It is left as it is unless it is optimal and its certificate proves less, and where
    its method has searched such a tree itself.

    Parameters
    ----------
    found
        What a method returned.
    table, requirement, objective
        The problem.
    options
        Those of the method; its time limit holds for both.

    Raises
    ------
    ArithmeticError
        A release costs less than what was called optimal; names who proved that.
    """
    method, limit = METHODS[_PROVER], options.get("time_limit")
    limit = (math.inf if limit is None else limit) - found.runtime
    if (
        found.status is not Status.OPTIMAL
        or (found.certified_bound or 0) == found.value
        or _TRIED in found.stats
        or limit <= 0
        or not method.supports(requirement, objective)
    ):
        return found
    limit = min(limit, max(_SECONDS, found.runtime))
    run = Run(table, requirement, objective)
    run.learn(found)
    tree = {"initial": found.best, "time_limit": limit}
    try:
        proof = call(method, table, requirement, objective, tree)
    except NotSupportedError:
        return found  # a limit of its own, as on the number of columns
    assert proof.best is not None
    run.offer(proof.best)
    run.learn(proof)
    return replace(
        found,
        certificate=run.certificate,
        runtime=found.runtime + proof.runtime,
        stats={**found.stats, _TRIED: proof.stats.get(_TRIED, 0)},
    )
