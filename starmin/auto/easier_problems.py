"""Solve problems by usual ones that are easier.

So are releases that rows may be left out of, diversity with missing sensitive values,
requirements that no bound knows, and persons or households instead of rows.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from starmin.auto.dispatch import AUTO, signed
from starmin.auto.guard import certified
from starmin.auto.task import Solve, Task
from starmin.instances import (
    Limit,
    NotSupportedError,
    Partition,
    Persons,
    Requirement,
    Result,
    Run,
    Status,
)
from starmin.instances.releases.nested_partition import NestedPartition
from starmin.instances.releases.partial_partition import PartialPartition
from starmin.instances.releases.release import deleted_rows
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.within import Within
from starmin.instances.runs.result import unproven
from starmin.models.pattern_variants.outliers import without_outliers
from starmin.models.patterns.patterns import star_pairs
from starmin.models.reductions import persons
from starmin.models.reductions.changed_rows import AddedRows, KnownValues
from starmin.models.reductions.merged_groups import merged_until_valid
from starmin.models.reductions.persons import DifferentIds, OneRowEach, RowsAlone
from starmin.models.reductions.reduction import KnownPart, Reduction, StricterPart
from starmin.registry import METHODS, supporting

SHARE = 0.4  # of the time, for easier problems: an equal part for each
MOST = 0.75  # of the time that is left, for a stricter one: its releases are best


class Easier(NamedTuple):
    """Reductions of problems of one kind, and who goes on from their releases."""

    # tried one after the other, and what is stricter at the end; the last one has
    # proofs that checkers know, if any
    kinds: tuple[type[Reduction], ...]
    last: str  # the method that signs where none was called
    after: tuple[str, ...] = ()  # methods that go on; none: a search does
    # what is solved so whatever is easier, even by a method that is named
    every: type[Requirement] | None = None

    def takes(self, task: Task) -> bool:
        """Check whether a problem is solved so.

        By a search only where no method of ours solves or bounds it as it is.
        """
        if self.every is not None:
            return of_kind(task.requirement, self.every) is not None
        if self.kinds[-1].of(task.problem) is None:
            return False
        asked, whole = (task.requirement, task.objective), task.table.counts is None
        provers = supporting(*asked, "exact", "bound", own=True)
        return bool(self.after) or not any(each.counted or whole for each in provers)


# All reductions that `auto` and bounds know. The first that take a problem are its own.
REDUCTIONS = (
    Easier((AddedRows,), "deletion_ilp", ("deletion_ilp",)),
    Easier(
        (KnownValues,),
        "known_values_ilp",
        ("mondrian", "known_values_ilp", "local_search"),
    ),
    Easier(
        (OneRowEach, RowsAlone, DifferentIds),
        "person_ilp",
        ("person_ilp", "local_search"),
        Persons,
    ),
    Easier((KnownPart,), "local_search"),
    Easier((StricterPart,), "local_search"),
)


def solve_easier(
    task: Task, solve: Solve, search: Solve | None = None, named: bool = False
) -> Result | None:
    """Solve a problem by those that are easier; None where it has no such reduction.

    They are solved by ``solve``. Their optima bound this one; a release of theirs that
    serves here may be optimal. Else methods go on from it, or ``search``, which is
    for reductions without such methods, and for these only.

    If ``named``, a method that the user names or one within units of work solves what
    is easier: nobody goes on, and no search starts from a release.
    """
    for by in REDUCTIONS:
        asked = by.every if named else bool(by.after) == (search is None)
        if asked and by.takes(task):
            break
    else:
        return None
    run = task.run()
    if no := run.infeasible():
        return signed(no, by.last)
    task.begin(run)
    last, limit = by.last, None
    for found in _results(run, task, by, solve, search, named):
        last, limit = str(found.stats["method"]), found.limit
        if limit is Limit.INTERRUPTED:
            break
    if not named:
        limit = limit or Limit.ITERATIONS
    return signed(run.result(limit), last)


def _results(
    run: Run, task: Task, by: Easier, solve: Solve, search: Solve | None, named: bool
) -> Iterator[Result]:
    """Yield what is found of easier problems, and by who goes on from there."""
    starts, found, methods = list[Partition | None](), None, by.after
    for easier in _easier(run, task, by, solve, named):
        starts += [run.best] if run.best not in starts else []
        yield easier
    # From the best one first; a search that ends early goes on from what was before.
    chosen = starts[-1:] if by.every else starts[::-1]
    for initial in chosen or [run.best]:
        if named or run.closed or run.remaining == 0.0:
            return
        if search is None:
            found = go_on(run, task, methods, initial)
            methods = methods[-1:]
        else:
            given = task.given(time_limit=run.remaining, initial=initial)
            try:
                found = taken(run, search(given))
            except NotSupportedError:
                if task.table.counts is None:
                    raise
                # no method takes it on a counted table
        if found is not None:
            yield found
    if found is None and by.every is not None:
        rest = task.given(time_limit=run.remaining)
        yield from _easier(run, rest, by, solve, named, share=1.0)


def _easier(
    run: Run, task: Task, by: Easier, solve: Solve, named: bool, share: float = SHARE
) -> Iterator[Result]:
    """Solve what is easier in a share of the time, and offer what becomes of it."""
    yield from _by_blocks(run, task, solve, share * task.seconds)
    kinds: tuple[type[Reduction], ...] = (*by.kinds, StricterPart)
    reductions = [kind.of(task.problem) for kind in dict.fromkeys(kinds)]
    known = [easier for easier in reductions if easier is not None]
    for easier in known:
        stricter = isinstance(easier, StricterPart)
        proven = run.certificate is not None and run.is_enough(run.certificate.bound)
        # A release without loss needs no stricter problem, but has no proof yet.
        done = run.closed and (proven or (run.value == 0 and stricter))
        if done and easier is not known[0]:
            return
        left = run.remaining
        if stricter:
            left *= MOST
        elif not easier.equal:
            left = min(share * task.seconds / len(known), left)
        start = None if named or run.best is None else easier.start(run.best)
        usual = task.of(easier.problem)
        try:
            found = solve(usual.given(time_limit=left, initial=start))
        except NotSupportedError:
            if easier is known[-1]:
                raise
            continue  # a method that is named takes another one alone
        easier.teach(run, found)
        if found.best is not None:
            rest = None
            if (beside := easier.rest) is not None:
                rest = solve(task.of(beside).given(time_limit=left / 2)).best
            if (release := easier.lift(found.best, rest)) is not None:
                _offer(run, release)
        yield found


def go_on(
    run: Run, task: Task, methods: Iterable[str], initial: Partition | None = None
) -> Result | None:
    """Search on by methods that take the problem, until one has solved it.

    They start from the best release, or from another one that is given. Each has an
    equal share of what is left; one that cools down does so again while it gains.

    Returns what the last of them found, which the run has taken; None: there is none.
    """
    found, takers = None, task.takers(methods)
    for number, method in enumerate(takers):
        seconds = run.remaining / (len(takers) - number)
        cycle = seconds if math.isfinite(seconds) else None
        start = initial or run.best
        given = task.telling(method, initial=start, cycle=cycle, time_limit=seconds)
        if (more := given.attempt(method)) is None:
            continue
        found = taken(run, more)
        if found.status is Status.OPTIMAL or run.remaining == 0.0:
            break
    return found


def taken(run: Run, found: Result) -> Result:
    """Return what a run has taken of its own problem: a release, a bound."""
    if found.best is not None:
        run.offer(found.best)
    run.learn(found)
    return found


def _offer(run: Run, release: Partition) -> None:
    """Offer groups, those that fail merged with others."""
    if not isinstance(release, NestedPartition | PartialPartition):
        within = Run(*run.asked, time_limit=SHARE * run.remaining)
        merged = merged_until_valid(release, *run.asked, within)
        if merged is None:
            return
        release = merged
    if release.violation(*run.asked) is None:
        run.offer(release)


def bound_reduced(task: Task, bound: Solve) -> Result | None:
    """Bound a problem by an easier one, by ``bound``; None where it is not reduced.

    It is not where a bound takes it as it is; one of another package is asked only
    where a search would go on.
    """
    asked, recoding = (task.requirement, task.objective), task.problem.bounded
    for by in REDUCTIONS:
        own = bool(by.after)
        if supporting(*asked, "bound", recoding=recoding, own=own):
            continue
        easier = by.kinds[-1].of(task.problem)
        if easier is None and not (by.every and by.takes(task)):
            continue
        if easier is not None and easier.lift_bound(0) is None:
            continue
        run = task.run()
        if no := run.infeasible():
            return signed(no, AUTO)
        if easier is None:
            run.raise_bound(0, "no person has to be hidden among others")
            return signed(run.result(), by.last)
        found = bound(task.of(easier.problem))
        easier.teach(run, found)
        return signed(run.result(found.limit), str(found.stats["method"]))
    return None


# Households in blocks of several sizes, and their rows in groups within these.


def _by_blocks(run: Run, task: Task, solve: Solve, seconds: float) -> Iterator[Result]:
    """Put households into blocks, and their rows into groups, where they have any."""
    source = task.problem
    sizes = persons.block_sizes(source)
    for k in sizes:
        share = seconds / (2 * len(sizes))
        each = persons.shared_problem(source, k)
        outer = solve(task.of(each.problem).given(time_limit=share))
        if outer.best is None:
            continue  # columns to be kept have fewer households of a value
        blocks = each.lift(outer.best).groups
        own = persons.own_problem(source, blocks)
        found = solve(task.of(own).given(time_limit=share))
        if found.best is None:
            continue
        table = own.table.with_roles(own.table.qi, source.table.sensitive)
        given = table, source.requirement, own.objective, run
        inner = merged_until_valid(found.best, *given)
        if inner is not None:
            _offer(run, persons.nested(source, inner, blocks))
        yield found


# Releases that rows may be left out of: outliers first, then prices and a program.

_USUAL_SHARE = 0.5  # of the time, for a release that keeps all rows
_PRICES_SHARE = 0.5  # of what is left then, for prices, where there are so many rows:
_PRICES_FROM = 500
_MANY = 2_000_000  # pairs of a row type and a pattern: prices get all that is left
_EXACT, _BOUND = "deletion_ilp", "deletion_prices"


def solve_deleting(task: Task, solve: Solve) -> Result | None:
    """Solve a problem in which rows may be deleted; None for others.

    Where it is no usual problem of a table with more rows, a release that keeps all
    rows, found by ``solve``, comes first; those that make it dear are deleted. Then the
    exact method goes on from it or, where the table is too large for that, prices bound
    it. Raises NotSupportedError where there are too many columns.
    """
    asked = of_kind(task.requirement, DeletedRows)
    if asked is None:
        return None
    METHODS[_EXACT].expect(task.requirement, task.objective)
    # A tree is of the table with more rows: no prover takes this problem.
    if found := solve_easier(task, lambda given: certified(solve(given), given)):
        return found
    run = task.run()
    if no := run.infeasible():
        return signed(no, _EXACT)
    if task.initial is not None:
        run.offer(task.initial)
    usual = task.on(requirement=asked.inner)
    seconds = _USUAL_SHARE * run.remaining
    found = solve(usual.given(time_limit=seconds, initial=None))
    last, limit = _EXACT, found.limit
    if found.best is not None:
        run.offer(found.best)
        run.offer(without_outliers(run, found.best))
    task.begin(run)
    if task.table.n >= _PRICES_FROM and run.remaining > 0:
        pairs = star_pairs(task.table, task.table.row_types, task.objective)
        share = 1.0 if pairs > _MANY else _PRICES_SHARE
        seconds = share * run.remaining
        proven = task.given(time_limit=seconds, initial=None).solve(METHODS[_BOUND])
        run.learn(proven)
    if (run.empty or not run.closed) and run.remaining > 0:
        more = go_on(run, task, [_EXACT])
        last = _BOUND if more is None else _EXACT
        limit = (limit or Limit.ITERATIONS) if more is None else more.limit
    return signed(run.result(limit), last)


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
    why = "to delete every row costs least; name a higher price"
    return replace(unproven(nothing), reason=why)


# Releases within an earlier one: prices and annealing, and a program if small.

# The first of these searches and bounds; the second goes on if classes are few.
WITHIN_METHODS = "within_annealing", "within_ilp"


def solve_within(task: Task) -> Result | None:
    """Solve a problem of unions of classes; None for others.

    A search with a bound comes first. Where that leaves a gap and classes are few, the
    exact method goes on. Raises NotSupportedError where tuples are counted, or there
    are too many patterns.
    """
    if of_kind(task.requirement, Within) is None:
        return None
    first, exact = (METHODS[name] for name in WITHIN_METHODS)
    for method in (first, exact):
        method.expect(task.requirement, task.objective)
    run = task.run()
    if no := run.infeasible():
        return signed(no, first.name)
    task.begin(run)
    found = taken(run, task.solve(first))
    if not run.closed and run.remaining > 0:
        found = go_on(run, task, [exact.name]) or found
    return signed(run.result(found.limit), str(found.stats["method"]))
