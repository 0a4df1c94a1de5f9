"""Among releases with equally few suppressed tuples, one with fewer stars."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from starmin.auto.task import Task
from starmin.instances import NotSupportedError, Objective, Partition, Problem, Result
from starmin.registry.methods import METHODS

_SECONDS = 5.0  # that the stars are searched for, or as long as the tuples took


def with_fewer_stars(
    found: Result, task: Task, solve: Callable[[Task], Result]
) -> Result:
    """Group the suppressed rows of a release anew, so that they need fewer stars.

    The number of suppressed tuples, the fewest, stays, and so do its bound and its
    certificate. It is a second objective for the rows that are suppressed; others are
    left alone. The objective of the task is tuples, for k-anonymity or l-diversity;
    ``solve`` is given a problem with the objective stars.
    """
    table, best = task.table, found.best
    exact = METHODS["tuple_ilp"].supports(task.requirement, task.objective)
    left = min(max(_SECONDS, found.runtime), task.seconds - found.runtime)
    if best is None or best.rows is not None or not exact or left <= 0:
        return found
    starred = np.asarray(best.starred(table).any(axis=1))
    rows = np.flatnonzero(starred[best.groups])
    if not rows.size:
        return found
    given = {
        "seed": task.options.get("seed"),
        "time_limit": left,
        "initial": Partition.from_labels(best.groups[rows]),
    }
    stars = Objective(keep=task.objective.keep)
    part = Task(Problem(table.take(rows), task.requirement, stars), given)
    try:
        again = solve(part).best
    except (KeyboardInterrupt, MemoryError, NotSupportedError):
        return found  # which is complete without it
    if again is None:
        return found
    groups = best.groups.astype(np.int64)
    groups[rows] = best.size + again.groups
    made = Partition.from_labels(groups)
    value = made.value(table, task.objective)
    if value > best.value(table, task.objective):
        return found
    if made.value(table, stars) >= best.value(table, stars):
        return found
    return replace(found, best=made, value=value)
