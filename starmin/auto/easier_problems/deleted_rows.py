"""Releases that rows may be left out of: outliers first, then prices and a program."""

from dataclasses import replace

from starmin.auto.certify import certified
from starmin.auto.dispatch import signed
from starmin.auto.task import Solve, Task
from starmin.instances import Limit, NotSupportedError, Result, Run
from starmin.instances.releases.partial_partition import price_of
from starmin.instances.releases.release import deleted_rows
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind
from starmin.models.pattern_variants.usual_problems import (
    certificate_of,
    takes_added,
    with_added,
    without_added,
)
from starmin.models.patterns.patterns import star_pairs
from starmin.registry.methods import METHODS

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
