"""Releases within an earlier one: prices and annealing, and a program if small."""

from starmin.auto.dispatch import signed
from starmin.auto.task import Solve, Task
from starmin.instances import NotSupportedError, Partition, Result
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.within import Within
from starmin.registry.methods import METHODS

# The first of these searches and bounds; the second goes on if classes are few.
BOTH = "within_annealing", "within_ilp"


def solve_within(task: Task, _: Solve) -> Result | None:
    """Solve a problem of unions of classes; None for others.

    A search with a bound comes first. Where that leaves a gap and classes are few, the
    exact method goes on. Raises NotSupportedError where tuples are counted, or there
    are too many patterns.
    """
    if of_kind(task.requirement, Within) is None:
        return None
    first, exact = (METHODS[name] for name in BOTH)
    for method in (first, exact):
        method.expect(task.requirement, task.objective)
    run = task.run()
    if no := run.infeasible():
        return signed(no, first.name)
    run.offer(Partition.coarsest(task.table, task.objective))
    found = task.solve(first)
    if found.best is not None:
        run.offer(found.best)
    run.learn(found)
    last, limit = first.name, found.limit
    if not run.closed and run.remaining > 0:
        given = {"time_limit": run.remaining, "initial": run.best}
        try:
            more = task.given(**given).solve(exact)
        except NotSupportedError:
            return signed(run.result(limit), last)  # too many classes
        assert more.best is not None
        run.offer(more.best)
        run.learn(more)
        last, limit = exact.name, more.limit
    return signed(run.result(limit), last)
