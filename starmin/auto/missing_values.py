"""Diversity with missing sensitive values: by a usual problem that is not harder."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from starmin.auto.dispatch import signed
from starmin.auto.problem import Problem
from starmin.auto.rules import RULES
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
    least_size,
)
from starmin.instances.runs.certificate import describe_table
from starmin.models.known_values.usual_problem import Easier, easier

Solve = Callable[[Problem], Result]


def solve_with_missing(problem: Problem, solve: Solve) -> Result | None:
    """Solve a problem with missing sensitive values; None for others.

    The usual problem is solved first. Its optimum bounds this one; if its release
    serves here, it is optimal. Else an exact method or a search goes on from what there
    is.

    Parameters
    ----------
    problem
        With its options.
    solve
        Solves usual problems.
    """
    usual = easier(problem.table, problem.requirement)
    if usual is None:
        return None
    run = problem.run()
    if no := run.infeasible():
        return signed(no, RULES.missing_candidates[0])
    if problem.initial is not None:
        run.offer(problem.initial)
    share = RULES.missing_share * problem.seconds
    first = solve(_usual(problem, usual, share))
    learn(run, first)
    if first.best is not None:
        _offer(run, _lifted(problem, usual, first.best, solve, share / 2))
    stopped = first.limit is Limit.INTERRUPTED
    last = str(first.stats["method"])
    limit = first.limit
    if not run.closed and not stopped:
        found = _go_on(problem, run)
        last, limit = str(found.stats["method"]), found.limit
    return signed(run.result(limit), last)


def bound_with_missing(problem: Problem, bound: Solve) -> Result | None:
    """Bound a problem with missing sensitive values; None for others.

    Parameters
    ----------
    problem
        With its options.
    bound
        Bounds usual problems.
    """
    usual = easier(problem.table, problem.requirement)
    if usual is None:
        return None
    run = problem.run()
    if no := run.infeasible():
        return no
    found = bound(_usual(problem, usual, problem.seconds))
    learn(run, found)
    return signed(run.result(found.limit), str(found.stats["method"]))


def _usual(problem: Problem, usual: Easier, seconds: float) -> Problem:
    asked = problem._replace(table=usual.table, requirement=usual.requirement)
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
    problem: Problem, usual: Easier, found: Partition, solve: Solve, seconds: float
) -> Partition:
    """Return groups of all rows; those that were left out have groups of their own."""
    if usual.rows is None:
        return found
    table, k = problem.table, least_size(problem.requirement)
    others = np.setdiff1d(np.arange(table.codes.shape[1]), usual.rows)
    labels = np.empty(table.codes.shape[1], np.int64)
    labels[usual.rows] = found.groups
    begin = found.size
    if k == 1:
        labels[others] = begin + np.arange(len(others))
    elif len(others) >= k:
        rest = problem._replace(table=table.take(others), requirement=KAnonymity(k))
        own = solve(rest.given(time_limit=seconds, initial=None)).best
        labels[others] = begin if own is None else begin + own.groups
    else:
        labels[others] = 0
    return Partition.from_labels(labels)


def _go_on(problem: Problem, run: Run) -> Result:
    """Search from what there is, by the first method that takes the problem."""
    found: Result | None = None
    for candidate in problem.takers(RULES.missing_candidates):
        given = {"time_limit": run.remaining, "initial": run.best}
        try:
            found = problem.given(**given).solve(candidate)
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
