"""Solve problems by usual ones that are easier.

So are releases that rows may be left out of, diversity with missing sensitive values,
requirements that no bound knows, and persons or households instead of rows.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from starmin.auto.dispatch import AUTO, signed
from starmin.auto.guard import certified
from starmin.auto.task import Solve, Task
from starmin.instances import (
    KAnonymity,
    Limit,
    NotSupportedError,
    Partition,
    Persons,
    Result,
    Run,
    Status,
)
from starmin.instances.releases.nested_partition import NestedPartition, coarsest_blocks
from starmin.instances.releases.release import deleted_rows
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.id_columns import two_rows
from starmin.instances.requirements.requirement import of_kind
from starmin.models.patterns.patterns import star_pairs
from starmin.models.reductions.changed_rows import AddedRows, KnownValues
from starmin.models.reductions.merged_groups import merged_until_valid
from starmin.models.reductions.persons import (
    DifferentIds,
    OneRowEach,
    nested,
    own_problem,
    shared_problem,
)
from starmin.models.reductions.reduction import KnownPart, Reduction
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
    if (larger := AddedRows.of(task.problem)) is not None:
        return _with_added_rows(run, task, larger, solve)
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


def _with_added_rows(run: Run, task: Task, larger: AddedRows, solve: Solve) -> Result:
    """Solve the usual problem that it is of a table with more rows."""
    start_deleting(run)
    usual = task.of(larger.problem).given(time_limit=run.remaining)
    found = certified(solve(usual), usual)
    if found.best is not None:
        run.offer(larger.lift(found.best))
    larger.teach(run, found)
    return signed(
        with_rows(run.result(found.limit), task.table.n), str(found.stats["method"])
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
AFTER_USUAL = "mondrian", "known_values_ilp", "local_search"  # go on from its release


def solve_with_missing(task: Task, solve: Solve) -> Result | None:
    """Solve a problem with missing sensitive values; None for others.

    The usual problem is solved first, by ``solve``. Its optimum bounds this one; if its
    release serves here, it is optimal. Else an exact method or a search goes on from
    what there is, if any takes the problem.
    """
    usual = KnownValues.of(task.problem)
    if usual is None:
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, AFTER_USUAL[1])
    run.offer(task.initial or Partition.coarsest(task.table, task.objective))
    share = SHARE * task.seconds
    first = solve(task.of(usual.problem).given(time_limit=share))
    usual.teach(run, first)
    if first.best is not None:
        rest = None
        if (left := usual.rest) is not None:
            rest = solve(task.of(left).given(time_limit=share / 2)).best
        _offer(run, usual.lift(first.best, rest))
    stopped = first.limit is Limit.INTERRUPTED
    last = str(first.stats["method"])
    limit = first.limit
    if not run.closed and not stopped:
        found = _go_on(task, run, first)
        last, limit = str(found.stats["method"]), found.limit or Limit.ITERATIONS
    return signed(run.result(limit), last)


def _go_on(task: Task, run: Run, found: Result) -> Result:
    """Search on, by the first method that takes the problem; what was found else."""
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
    return found


# A requirement that no bound knows: by what is known of it.


def solve_with_core(task: Task, solve: Solve, search: Solve) -> Result | None:
    """Solve a problem whose requirement only searches take; None for others.

    What its core asks is solved first, by ``solve``, and bounds it; ``search`` goes on
    with the requirement itself.
    """
    known = KnownPart.of(task.problem)
    provers = supporting(task.requirement, task.objective, "exact", "bound", own=True)
    whole = task.table.counts is None
    if known is None or any(each.counted or whole for each in provers):
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, AFTER_USUAL[-1])
    run.offer(task.initial or Partition.coarsest(task.table, task.objective))
    first = solve(task.of(known.problem).given(time_limit=SHARE * task.seconds))
    known.teach(run, first)
    if first.best is not None:
        _offer(run, first.best)
    last, limit = str(first.stats["method"]), first.limit
    if not run.closed and limit is not Limit.INTERRUPTED:
        # No method may take it on a counted table.
        with suppress(NotSupportedError):
            found = search(task.given(time_limit=run.remaining, initial=run.best))
            if found.best is not None:
                run.offer(found.best)
            last, limit = str(found.stats["method"]), found.limit
    return signed(run.result(limit or Limit.ITERATIONS), last)


# Persons or households instead of rows: by usual problems that are easier.

# Those that bounds use.
BOUNDED = KnownValues, DifferentIds, KnownPart
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
        except NotSupportedError:  # a limit of its own: the rest is for what is easier
            rest = task.given(time_limit=run.remaining)
            for found in _easier(run, rest, asked, solve, exactly, share=1.0):
                last, limit = str(found.stats["method"]), found.limit
        else:
            assert found.best is not None
            run.offer(found.best)
            run.learn(found)
            last, limit = method.name, found.limit
    return signed(run.result(limit), last)


def bound_reduced(task: Task, bound: Solve) -> Result | None:
    """Bound a problem by an easier one, by ``bound``; None where it is not reduced."""
    easier = _easier_to_bound(task)
    if easier is None and of_kind(task.requirement, Persons) is None:
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, AUTO)
    if easier is None:
        run.raise_bound(0, "no person has to be hidden among others")
        return signed(run.result(), PERSONS_METHOD)
    found = bound(task.of(easier.problem))
    easier.teach(run, found)
    return signed(run.result(found.limit), str(found.stats["method"]))


def _easier_to_bound(task: Task) -> Reduction | None:
    """Return the first reduction; of a condition that a bound takes, none."""
    asked, recoding = (task.requirement, task.objective), task.problem.bounded
    for kind in BOUNDED:
        if (easier := kind.of(task.problem)) is None:
            continue
        if kind is not KnownPart or not supporting(*asked, "bound", recoding=recoding):
            return easier
    return None


def _easier(
    run: Run,
    task: Task,
    asked: Persons,
    solve: Solve,
    with_start: bool,
    share: float = SHARE,
) -> Iterator[Result]:
    """Solve what is easier in a share of the time, and offer what becomes of it."""
    seconds = share * task.seconds
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
    usual = DifferentIds.of(task.problem)
    if usual is None or (run.closed and (proven or run.value == 0)):
        return
    start = None if asked.alike or not with_start else run.best
    left = run.remaining if direct else min(seconds, run.remaining)
    found = solve(task.of(usual.problem).given(time_limit=left, initial=start))
    usual.teach(run, found)
    if found.best is not None and not asked.alike:
        _offer(run, found.best)
    yield found


def _by_one_row_each(
    run: Run, task: Task, asked: Persons, solve: Solve, seconds: float
) -> Result:
    """Solve the table of persons; all of their rows follow."""
    each = OneRowEach.of(task.problem)
    found = solve(task.of(each.problem).given(time_limit=seconds))
    if found.best is not None:
        _offer(run, each.lift(found.best))
    if asked.whole:
        each.teach(run, found)
    return found


def _by_blocks(
    run: Run, task: Task, asked: Persons, solve: Solve, seconds: float
) -> Iterator[Result]:
    """Put households into blocks of several sizes, and their rows into groups."""
    table = task.table
    ids = len(np.unique(table.column(asked.column)))
    least = max(2, asked.least)
    sizes = [least << i for i in range(20) if least << i <= ids // 2] + [ids]
    share = seconds / (2 * len(sizes))
    for k in sizes:
        each = shared_problem(task.problem, k)
        outer = solve(task.of(each.problem).given(time_limit=share))
        if outer.best is None:
            continue  # columns to be kept have fewer households of a value
        blocks = each.lift(outer.best).groups
        own = own_problem(task.problem, blocks)
        found = solve(task.of(own).given(time_limit=share))
        if found.best is None:
            continue
        asked_so = own.table.with_roles(own.table.qi, table.sensitive), task.requirement
        inner = merged_until_valid(found.best, *asked_so, own.objective, run)
        if inner is not None:
            _offer(run, nested(inner, blocks, asked))
        yield found


def _offer(run: Run, release: Partition) -> None:
    """Offer groups, those that fail merged with others."""
    if not isinstance(release, NestedPartition):
        given = run.table, run.requirement, run.objective
        within = Run(*given, time_limit=SHARE * run.remaining)
        merged = merged_until_valid(release, *given, within)
        if merged is None:
            return
        release = merged
    if release.violation(run.table, run.requirement, run.objective) is None:
        run.offer(release)
