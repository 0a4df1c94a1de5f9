"""Tables with more pairs of a row type and a pattern than others have time for."""

import math

from starmin.auto.task import Task
from starmin.instances import NotSupportedError, Result
from starmin.models.patterns.patterns import star_pairs
from starmin.registry.methods import METHODS

METHOD = "near_pattern_annealing"
MANY = 67_000_000  # pairs, above which the method has no better one beside it, unless
WIDE = 200_000_000  # there are no more than so many, and
WIDE_PER_SECOND = 5_000_000  # no more than so many for each second.


def solve_with_many_pairs(task: Task) -> Result | None:
    """Solve k-anonymity with fewest stars by near patterns; None for other problems.

    So are problems with too many pairs solved, and all where a checkpoint or other
    machines are asked for. Raises NotSupportedError where a checkpoint is asked for,
    and the table is too small.
    """
    method = METHODS[METHOD]
    if task.takers([METHOD]):
        pairs = star_pairs(task.table, task.table.row_types, task.objective)
        if _most(task) < pairs < math.inf:
            return task.solve(method)
    if task.options.get("checkpoint") is not None:
        raise NotSupportedError(
            "auto keeps no checkpoint of a search on so few row types; "
            f"{METHOD} does, where it takes the problem."
        )
    return None


def _most(task: Task) -> float:
    """Return how many pairs are left to the schedule."""
    if any(task.options.get(name) is not None for name in ("checkpoint", "executor")):
        return MANY
    return max(MANY, min(WIDE, WIDE_PER_SECOND * task.seconds))
