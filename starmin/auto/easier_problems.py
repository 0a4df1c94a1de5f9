"""Solve problems by usual ones that are easier.

So are releases that rows may be left out of, diversity with missing sensitive values,
requirements that no bound knows, and persons or households instead of rows.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from starmin.auto.dispatch import signed
from starmin.auto.guard import certified
from starmin.auto.task import Solve, Task
from starmin.instances import (
    Certificate,
    KAnonymity,
    Limit,
    NotSupportedError,
    Partition,
    Persons,
    Requirement,
    Result,
    Run,
    Status,
    Table,
)
from starmin.instances.releases.nested_partition import NestedPartition, coarsest_blocks
from starmin.instances.releases.partial_partition import price_of
from starmin.instances.releases.release import deleted_rows
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.id_columns import two_rows
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.requirements import known_part
from starmin.instances.runs.certificate import describe_table
from starmin.models.pattern_variants.one_row_each import (
    different_ids,
    lifted,
    merged_until_valid,
    nested,
    one_row_each,
    own_problem,
    shared_problem,
)
from starmin.models.pattern_variants.usual_problems import (
    Easier,
    certificate_of,
    easier,
    takes_added,
    with_added,
    without_added,
)
from starmin.models.patterns.patterns import star_pairs
from starmin.registry import METHODS, supporting

# Releases that rows may be left out of: outliers first, then prices and a program.

_USUAL_SHARE = 0.5  # of the time, for a release that keeps all rows
_PRICES_SHARE = 0.5  # of what is left then, for prices, where there are so many rows:
_PRICES_FROM = 500
_MANY = 2_000_000  # pairs of a row type and a pattern: prices get all that is left
_EXACT, _BOUND = "deletion_ilp", "deletion_prices"


def solve_deleting(task: Task, solve: Solve) -> Result | None:
    """Solve a problem in which rows may be deleted; None for others.

    A release that keeps all rows, found by ``solve``, comes first; those that make it
    dear are deleted. Then the exact method goes on from it or, where the table is too
    large for that, prices bound it. Raises NotSupportedError where there are too many
    columns.
    """
    asked = of_kind(task.requirement, DeletedRows)
    if asked is None:
        return None
    exact, bound = METHODS[_EXACT], METHODS[_BOUND]
    exact.expect(task.requirement, task.objective)
    run = task.run()
    if no := run.infeasible():
        return signed(no, exact.name)
    if task.initial is not None:
        run.offer(task.initial)
    if takes_added(task.table, asked, task.objective):
        return _with_added_rows(run, task, asked, solve)
    usual = task.on(requirement=asked.inner)
    seconds = _USUAL_SHARE * run.remaining
    found = solve(usual.given(time_limit=seconds, initial=None))
    limit = found.limit
    if found.best is not None:
        # It loads the compiler.
        from starmin.models.pattern_variants.outliers import without_outliers

        run.offer(found.best)
        run.offer(without_outliers(run, found.best))
    start_deleting(run)
    last = exact.name
    if task.table.n >= _PRICES_FROM and run.remaining > 0:
        pairs = star_pairs(task.table, task.table.row_types, task.objective)
        share = 1.0 if pairs > _MANY else _PRICES_SHARE
        seconds = share * run.remaining
        proven = task.given(time_limit=seconds, initial=None).solve(bound)
        run.learn(proven)
    if (run.empty or not run.closed) and run.remaining > 0:
        given = {"time_limit": run.remaining, "initial": run.best}
        try:
            more = task.given(**given).solve(exact)
        except NotSupportedError:
            last, limit = bound.name, limit or Limit.ITERATIONS
        else:
            assert more.best is not None
            run.offer(more.best)
            run.learn(more)
            limit = more.limit
    return signed(with_rows(run.result(limit), task.table.n), last)


def _with_added_rows(run: Run, task: Task, asked: DeletedRows, solve: Solve) -> Result:
    """Solve the usual problem that it is of a table with more rows."""
    table, price = task.table, price_of(asked, task.table, task.objective)
    many = asked.least
    larger = task.on(table=with_added(table, many), requirement=asked.inner)
    start_deleting(run)
    larger = larger.given(time_limit=run.remaining, initial=None)
    found = certified(solve(larger), larger)
    if found.best is not None:
        run.offer(without_added(found.best, table.n, price))
    if found.lower_bound is not None:
        bound, proof = max(0, found.lower_bound - many * price), found.certificate
        if proof is not None:
            proof = certificate_of(proof, table, asked, many * price)
        run.raise_bound(bound, str(found.bound_method), proof)
    return signed(
        with_rows(run.result(found.limit), table.n), str(found.stats["method"])
    )


def start_deleting(run: Run) -> None:
    """Offer a run one group of all rows, or else the release without a row."""
    from starmin.models.pattern_variants.outliers import DeletionProblem

    DeletionProblem.of(run).start(run)


def with_rows(found: Result, n: int) -> Result:
    """Return a result, without a release where all of its rows are deleted.

    ``n`` is how many rows the table has. If to delete all is proven to cost least, it
    is the answer; else nothing is known.
    """
    if found.best is None or deleted_rows(found.best) < n:
        return found
    nothing = replace(found, best=None, value=None)
    if found.value != found.lower_bound:
        return nothing
    return replace(
        nothing,
        lower_bound=None,
        bound_method=None,
        certificate=None,
        certificate_checked=None,
        reason="to delete every row costs least; name a higher price",
    )


# Diversity with missing sensitive values: by a usual problem that is not harder.

SHARE = 0.4  # of the time, for an easier problem
AFTER_USUAL = "known_values_ilp", "local_search"  # go on from its release


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
        return signed(no, AFTER_USUAL[0])
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
        return signed(no, AFTER_USUAL[0])
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
    for candidate in task.takers(AFTER_USUAL):
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


# A requirement that no bound knows: by what is known of it.


def solve_with_core(task: Task, solve: Solve, search: Solve) -> Result | None:
    """Solve a problem whose requirement only searches take; None for others.

    What its core asks is solved first, by ``solve``, and bounds it; ``search`` goes on
    with the requirement itself.
    """
    known = known_part(task.requirement)
    provers = supporting(task.requirement, task.objective, "exact", "bound", own=True)
    if known is None or provers:
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, AFTER_USUAL[1])
    if task.initial is not None:
        run.offer(task.initial)
    easier = task.on(requirement=known)
    first = solve(easier.given(time_limit=SHARE * task.seconds, initial=None))
    run.learn(first)
    if first.best is not None:
        _offer(run, first.best)
    last, limit = str(first.stats["method"]), first.limit
    if not run.closed and limit is not Limit.INTERRUPTED:
        found = search(task.given(time_limit=run.remaining, initial=run.best))
        if found.best is not None:
            run.offer(found.best)
        last, limit = str(found.stats["method"]), found.limit
    return signed(run.result(limit), last)


def bound_with_core(task: Task, bound: Solve) -> Result | None:
    """Bound a problem whose requirement no bound takes; None for others."""
    known = known_part(task.requirement)
    if known is None or supporting(
        task.requirement, task.objective, "bound", recoding=task.problem.bounded
    ):
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, AFTER_USUAL[1])
    found = bound(task.on(requirement=known).given(initial=None))
    run.learn(found)
    return signed(run.result(found.limit), str(found.stats["method"]))


# Persons or households instead of rows: by usual problems that are easier.

PERSONS_METHOD = "person_ilp"  # goes on from their releases


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
        return signed(no, PERSONS_METHOD)
    run.offer(coarsest_blocks(task.table, task.requirement, task.objective))
    if task.initial is not None:
        run.offer(task.initial)
    last, limit = PERSONS_METHOD, None
    for found in _easier(run, task, asked, solve, exactly):
        last, limit = str(found.stats["method"]), found.limit
        if limit is Limit.INTERRUPTED:
            break
    over = run.closed or run.remaining == 0.0 or limit is Limit.INTERRUPTED
    if exactly and not over:
        method = METHODS[PERSONS_METHOD]
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
        return signed(no, PERSONS_METHOD)
    usual = different_ids(task.table, asked)
    if usual is None:
        run.raise_bound(0, "no person has to be hidden among others")
        return signed(run.result(), PERSONS_METHOD)
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
    proven = run.certificate is not None and run.is_enough(run.certificate.bound)
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
        _persons_offer(run, found.best)
    yield found


def _by_one_row_each(
    run: Run, task: Task, asked: Persons, solve: Solve, seconds: float
) -> Result:
    """Solve the table of persons; all of their rows follow."""
    each = one_row_each(task.table, asked)
    small = task.on(table=each.table, requirement=each.requirement)
    found = solve(small.given(time_limit=seconds, initial=None))
    if found.best is not None:
        _persons_offer(run, Partition.from_labels(lifted(each, found.best.groups)))
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
            _persons_offer(run, nested(inner, blocks, asked))
        yield found


def _persons_offer(run: Run, release: Partition) -> None:
    """Offer groups, those that fail merged with others."""
    if not isinstance(release, NestedPartition):
        given = run.table, run.requirement, run.objective
        merged = merged_until_valid(release, *given, run)
        if merged is None:
            return
        release = merged
    if release.violation(run.table, run.requirement, run.objective) is None:
        run.offer(release)
