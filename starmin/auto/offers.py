"""Offers of what a method finds to a run."""

from starmin.auto.task import Task
from starmin.instances import NotSupportedError, Result, Run
from starmin.instances.runs.method import Method


def offer_found(run: Run, method: Method, task: Task) -> Result | None:
    """Offer what a method finds, if it takes the problem; return its result."""
    try:
        found = task.solve(method)
    except NotSupportedError:
        return None  # a limit of its own, as on the number of columns
    best = found.best
    # Groups for stars may need nodes above the highest level that is allowed.
    if best and not best.violation(run.table, run.requirement, run.objective):
        run.offer(best)
    return found
