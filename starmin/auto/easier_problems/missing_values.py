"""Diversity with missing sensitive values: by a usual problem that is not harder."""

from dataclasses import replace

import numpy as np

from starmin.auto.dispatch import signed
from starmin.auto.task import Solve, Task
from starmin.instances import (
    Certificate,
    KAnonymity,
    Limit,
    NotSupportedError,
    Partition,
    Requirement,
    Result,
    Run,
    Status,
    Table,
)
from starmin.instances.runs.certificate import describe_table
from starmin.models.pattern_variants.usual_problems import Easier, easier

SHARE = 0.4  # of the time, for the usual problem
METHODS = "known_values_ilp", "local_search"  # go on from its release


def solve_with_missing(task: Task, solve: Solve) -> Result | None:
    """Solve a problem with missing sensitive values; None for others.

    The usual problem is solved first, by ``solve``. Its optimum bounds this one; if its
    release serves here, it is optimal. Else an exact method or a search goes on from
    what there is.
    """
    usual = easier(task.table, task.requirement)
    if usual is None or (usual.rows is not None and task.table.counts is not None):
        return None  # no release with all rows is made of one of counted rows
    run = task.run()
    if no := run.infeasible():
        return signed(no, METHODS[0])
    if task.initial is not None:
        run.offer(task.initial)
    share = SHARE * task.seconds
    first = solve(_usual(task, usual, share))
    learn(run, first)
    if first.best is not None:
        _offer(run, _lifted(task, usual, first.best, solve, share / 2))
    stopped = first.limit is Limit.INTERRUPTED
    last = str(first.stats["method"])
    limit = first.limit
    if not run.closed and not stopped:
        found = _go_on(task, run)
        last, limit = str(found.stats["method"]), found.limit
    return signed(run.result(limit), last)


def bound_with_missing(task: Task, bound: Solve) -> Result | None:
    """Bound a problem with missing sensitive values; None for others.

    ``bound`` bounds the usual problem.
    """
    usual = easier(task.table, task.requirement)
    if usual is None:
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, METHODS[0])
    found = bound(_usual(task, usual, task.seconds))
    learn(run, found)
    return signed(run.result(found.limit), str(found.stats["method"]))


def _usual(task: Task, usual: Easier, seconds: float) -> Task:
    asked = task.on(table=usual.table, requirement=usual.requirement)
    return asked.given(time_limit=seconds, initial=None)


def learn(run: Run, found: Result) -> None:
    """Take the bound of an easier problem; its certificate states this one."""
    if found.lower_bound is None or found.bound_method is None:
        return
    proof = found.certificate
    if proof is not None:
        proof = stated(proof, run.table, run.requirement)
    run.raise_bound(found.lower_bound, found.bound_method, proof)


def stated(proof: Certificate, table: Table, requirement: Requirement) -> Certificate:
    """Return a certificate of the easier problem as one of the other one."""
    asked = requirement.as_json()
    return replace(proof, table=describe_table(table), requirement=asked)


def _offer(run: Run, release: Partition) -> None:
    if release.violation(run.table, run.requirement, run.objective) is None:
        run.offer(release)


def _lifted(
    task: Task, usual: Easier, found: Partition, solve: Solve, seconds: float
) -> Partition:
    """Return groups of all rows; those that were left out have groups of their own."""
    if usual.rows is None:
        return found
    table, k = task.table, task.requirement.core.size
    others = np.setdiff1d(np.arange(table.codes.shape[1]), usual.rows)
    labels = np.empty(table.codes.shape[1], np.int64)
    labels[usual.rows] = found.groups
    begin = found.size
    if k == 1:
        labels[others] = begin + np.arange(len(others))
    elif len(others) >= k:
        rest = task.on(table=table.take(others), requirement=KAnonymity(k))
        own = solve(rest.given(time_limit=seconds, initial=None)).best
        labels[others] = begin if own is None else begin + own.groups
    else:
        labels[others] = 0
    return Partition.from_labels(labels)


def _go_on(task: Task, run: Run) -> Result:
    """Search from what there is, by the first method that takes the problem."""
    found: Result | None = None
    for candidate in task.takers(METHODS):
        given = {"time_limit": run.remaining, "initial": run.best}
        try:
            found = task.given(**given).solve(candidate)
        except NotSupportedError:
            continue  # a limit of its own
        if found.best is not None:
            run.offer(found.best)
        run.learn(found)
        if found.status is Status.OPTIMAL or run.remaining == 0.0:
            break
    if found is None:
        raise NotSupportedError("No method takes this problem.")
    return found
