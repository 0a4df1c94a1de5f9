"""Bound losses before the search, so that no release is without a bound."""

from starmin.auto.rules import RULES
from starmin.auto.task import Task
from starmin.instances import NotSupportedError, Result


def first_bounds(task: Task) -> list[Result]:
    """Return what fast bounds prove of losses; nothing of stars and tuples.

    Searches among patterns may end before they have prices that prove anything. The
    first bound above 0 is enough: the search goes on from there.

    Parameters
    ----------
    task
        The problem.
    """
    found = list[Result]()
    table = task.table
    if not task.of_losses or table.counts is not None:
        return found
    if table.n * table.d > RULES.first_bound_cells:
        return found
    alone = task._replace(options={})
    for method in task.takers(RULES.first_bounds):
        seconds = min(RULES.first_bound_seconds, RULES.first_bound_share * task.seconds)
        try:
            found.append(alone.given(time_limit=seconds).solve(method))
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
        if found[-1].certified_bound:
            break
    return found
