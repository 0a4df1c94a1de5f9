"""Certify what an exact method calls optimal on the word of a solver."""

import time
from dataclasses import replace
from typing import Any

from starmin.auto.dispatch import call
from starmin.auto.task import Task
from starmin.instances import (
    NonHomogeneous,
    NotSupportedError,
    Persons,
    Result,
    Status,
)
from starmin.instances.requirements.requirement import of_kind
from starmin.models.nonhomogeneous.cell_prices import prove_by_cells

_PROVER = "branch_and_bound"
_OF_BOXES = "box_program"  # of small tables
_SMALL = 300  # rows
_TRIED = "tree_nodes"  # The figure of a search for a tree.
_SECONDS = 10.0  # The proof may take so long, or as long as the search if that is more.


def certified(found: Result, task: Task) -> Result:
    """Return a result with a tree that proves it optimal, where one is found in time.

    It is left as it is unless it is optimal and its certificate proves less. No tree
    over patterns is searched where its method has done so itself. The time limit of the
    task holds for the search that found it and the tree together. Raises
    ArithmeticError where a release costs less than what was called optimal; it names
    who proved that.
    """
    if (asked := of_kind(task.requirement, Persons)) is not None and asked.whole:
        return _certified_together(found, task, asked)
    limit = _seconds(found, task)
    few = task.table.n <= _SMALL and found.stats.get("method") != _OF_BOXES
    provers = task.takers([_OF_BOXES]) if few else []
    provers += [] if _TRIED in found.stats else task.takers([_PROVER])
    if limit <= 0 or not provers:
        return found
    run = task._replace(options={}).run()
    run.learn(found)
    tree = {"initial": found.best, "time_limit": limit}
    try:
        proof = call(provers[0], task.problem, tree)
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


def _certified_together(found: Result, task: Task, asked: Persons) -> Result:
    """Return a result with a tree for rows of persons that are alike, likewise."""
    limit = _seconds(found, task)
    if limit <= 0 or not found.value:
        return found
    # It loads a solver.
    from starmin.models.pattern_variants.person_price_tree import prove_together

    started = time.perf_counter()
    given = task.table, asked, task.objective, found.value
    proof = prove_together(*given, limit)
    runtime = found.runtime + time.perf_counter() - started
    if proof is None or proof.bound <= (found.certified_bound or 0):
        proof = found.certificate
    return replace(found, certificate=proof, runtime=runtime)


def certified_by_cells(
    found: Result[NonHomogeneous], task: Task
) -> Result[NonHomogeneous]:
    """Return a non-homogeneous result with a tree that proves it optimal, likewise.

    The time limit of the task holds for the search that found it and the tree together.
    """
    limit = _seconds(found, task)
    if limit <= 0 or task.of_losses:
        return found
    assert found.value is not None
    started = time.perf_counter()
    asked = task.table, task.requirement, task.objective
    proof = prove_by_cells(*asked, found.value, limit)
    runtime = found.runtime + time.perf_counter() - started
    certificate = proof or found.certificate
    return replace(found, certificate=certificate, runtime=runtime)


def _seconds(found: Result[Any], task: Task) -> float:
    """Return how long a proof may be searched; 0 where none is needed, or was tried."""
    if (
        found.status is not Status.OPTIMAL
        or (found.certified_bound or 0) == found.value
    ):
        return 0.0
    left = task.seconds - found.runtime
    return max(0.0, min(left, max(_SECONDS, found.runtime)))
