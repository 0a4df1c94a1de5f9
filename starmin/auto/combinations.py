"""Solve rules over combinations, where each row has stars or nodes of its own."""

from typing import Any

from starmin.auto.dispatch import AUTO, expect_options, expect_support
from starmin.auto.guard import Search, guarded
from starmin.auto.task import Task
from starmin.instances import Control, Mask, NotSupportedError, Result, Run
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.registry.methods import find

_METHOD = "rule_search"


def solve_rules(method: str, task: Task, control: Control) -> Result[Any]:
    """Find a mask by a method, by default that which also bounds.

    Raises
    ------
    NotSupportedError
        The release is published by ranges, nodes or groups; or the method takes no
        rules.
    """
    recoding = task.problem.coding.recoding or SUPPRESSION
    by_node = task.objective.by_node
    if recoding not in (SUPPRESSION, GENERALIZATION):
        raise NotSupportedError(
            "Rules over combinations are published by suppression or generalization, "
            f"not {recoding}."
        )
    if by_node != (recoding == GENERALIZATION):
        raise NotSupportedError(
            "Rules over combinations minimise stars or tuples by suppression, and gcp "
            f"by generalization; got {task.objective.kind} by {recoding}."
        )
    if method == AUTO:
        expect_options(AUTO, task.options, set())
    chosen = find(_METHOD if method == AUTO else method, "exact", "heuristic")
    expect_support(chosen, task.requirement, task.objective)

    def start(run: Run[Any]) -> None:
        run.offer(Mask.coarsest(task.table, task.requirement, task.objective))

    return guarded(
        Search(method, lambda given: given.solve(chosen), start), task, control
    )
