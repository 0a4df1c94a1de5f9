"""Persons or households instead of rows: by usual problems that are easier."""

from collections.abc import Iterator

import numpy as np

from starmin.auto.dispatch import signed
from starmin.auto.easier_problems.missing_values import learn
from starmin.auto.task import Solve, Task
from starmin.instances import (
    KAnonymity,
    Limit,
    NotSupportedError,
    Partition,
    Persons,
    Result,
    Run,
)
from starmin.instances.releases.nested_partition import (
    NestedPartition,
    coarsest_blocks,
)
from starmin.instances.requirements.id_columns import two_rows
from starmin.instances.requirements.requirement import of_kind
from starmin.models.pattern_variants.one_row_each import (
    different_ids,
    lifted,
    merged_until_valid,
    nested,
    one_row_each,
    own_problem,
    shared_problem,
)
from starmin.registry.methods import METHODS

SHARE = 0.4  # of the time, for easier problems
METHOD = "person_ilp"  # goes on from their releases


def solve_with_persons(task: Task, solve: Solve, exactly: bool = True) -> Result | None:
    """Solve a problem where persons or households count; None for others.

    Where rows of a person may be parted, the problem of groups with enough different
    ids is solved first, by ``solve``: its optimum bounds this one, and for k-anonymity
    is this one. Where they are in one group, the table of one row for each is solved;
    households are put into blocks, and their members into groups within these. Then an
    exact method goes on, where it takes the problem.

    Unless ``exactly``, the exact method is not tried, and no search starts from a
    release.
    """
    asked = of_kind(task.requirement, Persons)
    if asked is None:
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, METHOD)
    run.offer(coarsest_blocks(task.table, task.requirement, task.objective))
    if task.initial is not None:
        run.offer(task.initial)
    last, limit = METHOD, None
    for found in _easier(run, task, asked, solve, exactly):
        last, limit = str(found.stats["method"]), found.limit
        if limit is Limit.INTERRUPTED:
            break
    over = run.closed or run.remaining == 0.0 or limit is Limit.INTERRUPTED
    if exactly and not over:
        method = METHODS[METHOD]
        given = {"time_limit": run.remaining, "initial": run.best}
        try:
            found = task.given(**given).solve(method)
        except NotSupportedError:
            return signed(run.result(limit), last)  # a limit of its own
        assert found.best is not None
        run.offer(found.best)
        run.learn(found)
        last, limit = method.name, found.limit
    return signed(run.result(limit), last)


def bound_with_persons(task: Task, bound: Solve) -> Result | None:
    """Bound a problem where persons or households count; None for others.

    ``bound`` bounds usual problems.
    """
    asked = of_kind(task.requirement, Persons)
    if asked is None:
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, METHOD)
    usual = different_ids(task.table, asked)
    if usual is None:
        run.raise_bound(0, "no person has to be hidden among others")
        return signed(run.result(), METHOD)
    table, requirement = usual
    easier = task.on(table=table, requirement=requirement)
    found = bound(easier.given(initial=None))
    learn(run, found)
    return signed(run.result(found.limit), str(found.stats["method"]))


def _easier(
    run: Run, task: Task, asked: Persons, solve: Solve, with_start: bool
) -> Iterator[Result]:
    """Solve what is easier, and offer what becomes of it."""
    seconds = SHARE * task.seconds
    # Without a pseudonym k-anonymity is no more than different ids.
    kinds = asked.inner.parts
    direct = not asked.alike and all(isinstance(part, KAnonymity) for part in kinds)
    constant = asked.whole or all(
        two_rows(task.table, asked.column, column) is None for column in task.table.qi
    )
    if constant:
        yield _by_one_row_each(run, task, asked, solve, seconds)
    elif asked.alike:
        yield from _by_blocks(run, task, asked, solve, seconds)
    proven = run.certificate is not None and run.certificate.bound == run.value
    usual = different_ids(task.table, asked)
    if usual is None or (run.closed and (proven or run.value == 0)):
        return
    table, requirement = usual
    easier = task.on(table=table, requirement=requirement)
    start = None if asked.alike or not with_start else run.best
    left = run.remaining if direct else min(seconds, run.remaining)
    found = solve(easier.given(time_limit=left, initial=start))
    learn(run, found)
    if found.best is not None and not asked.alike:
        _offer(run, found.best)
    yield found


def _by_one_row_each(
    run: Run, task: Task, asked: Persons, solve: Solve, seconds: float
) -> Result:
    """Solve the table of persons; all of their rows follow."""
    each = one_row_each(task.table, asked)
    small = task.on(table=each.table, requirement=each.requirement)
    found = solve(small.given(time_limit=seconds, initial=None))
    if found.best is not None:
        _offer(run, Partition.from_labels(lifted(each, found.best.groups)))
    copies = int(each.copies.min())
    if found.lower_bound is not None and asked.whole:
        run.raise_bound(copies * found.lower_bound, str(found.bound_method))
    return found


def _by_blocks(
    run: Run, task: Task, asked: Persons, solve: Solve, seconds: float
) -> Iterator[Result]:
    """Put households into blocks of several sizes, and their rows into groups."""
    table, objective = task.table, task.objective
    ids = len(np.unique(table.column(asked.column)))
    least = max(2, asked.least)
    sizes = [least << i for i in range(20) if least << i <= ids // 2] + [ids]
    share = seconds / (2 * len(sizes))
    for k in sizes:
        each, requirement, goal = shared_problem(table, asked, objective, k)
        small = task.on(table=each.table, requirement=requirement, objective=goal)
        outer = solve(small.given(time_limit=share, initial=None))
        if outer.best is None:
            continue  # columns to be kept have fewer households of a value
        blocks = lifted(each, outer.best.groups)
        beside, wanted, goal = own_problem(table, asked, objective, blocks)
        own = task.on(table=beside, requirement=wanted, objective=goal)
        found = solve(own.given(time_limit=share, initial=None))
        if found.best is None:
            continue
        asked_so = beside.with_roles(beside.qi, table.sensitive), task.requirement
        inner = merged_until_valid(found.best, *asked_so, own.objective, run)
        if inner is not None:
            _offer(run, nested(inner, blocks, asked))
        yield found


def _offer(run: Run, release: Partition) -> None:
    """Offer groups, those that fail merged with others."""
    if not isinstance(release, NestedPartition):
        given = run.table, run.requirement, run.objective
        merged = merged_until_valid(release, *given, run)
        if merged is None:
            return
        release = merged
    if release.violation(run.table, run.requirement, run.objective) is None:
        run.offer(release)
