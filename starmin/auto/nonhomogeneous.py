"""Choose a method for non-homogeneous releases."""

import math
from collections.abc import Iterator
from contextlib import suppress

from starmin.auto.dispatch import AUTO, expect_options, signed
from starmin.auto.task import Solve, Task
from starmin.instances import (
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Partition,
    Result,
    Run,
)
from starmin.instances.releases.coding import NONHOMOGENEOUS
from starmin.registry import METHODS, supporting

# Make rings in the groups of a release by groups: for losses mostly the best.

SECONDS_PER_ROW = 2e-3  # that the search for groups may take
# Of the time, where losses are minimised.
SHARE = 0.6
COST_RATIO = 1.08  # Groups that cost more are not turned into rings.


def offer_rings(run: Run[NonHomogeneous], task: Task) -> bool:
    """Search groups, and return whether rings in them won.

    A release by groups is a non-homogeneous one, and rings in its groups never cost
    more. For losses over ranges and taxonomies the search for groups is ahead of
    matchings, which go step by step up the trees: census, 4,000 rows, k = 3, rings in
    groups lose 15.2 %, ``rematching`` 16.0 %, and 14.9 % is proven. Stars of many rows
    that are alike, as at large k in tables of few values, are what groups do well and
    successive matchings do not; there groups are searched if fast ones are near to the
    best release already.
    """
    if run.value is None:
        return False
    most, start = SECONDS_PER_ROW * run.table.n, None
    if run.objective.by_node:
        limit = SHARE * run.remaining if math.isfinite(run.remaining) else most
    else:
        limit = min(most, run.remaining / 2)
        start = _groups("lexicographic_suppression", task, None, limit)
        dearest = COST_RATIO * run.value
        if start is None or start.value(run.table, run.objective) > dearest:
            return False
        limit = min(most, run.remaining / 2)
    groups = _groups("large_neighbourhood", task, start, limit) or start
    if groups is None:
        return False
    found = Task(task.problem, {"initial": groups}).solve(METHODS["ring"]).best
    return found is not None and run.offer(found)


def _groups(
    name: str, task: Task, start: Partition | None, limit: float
) -> Partition | None:
    method, problem = METHODS[name], task.problem
    if not method.supports(problem.requirement, problem.objective):
        return None
    seed = task.options.get("seed")
    given = {"seed": seed, "time_limit": limit, "initial": start}
    found = Task(problem, given).attempt(method)
    best = None if found is None else found.best
    return best if isinstance(best, Partition) else None


BLOCKS = "blocks"
EXACT_ROWS = 20  # up to which the exact method proves the optimum, whatever k is
PAIR_ROWS = 20_000  # up to which the exact method for k = 2 comes first
WHOLE_ROWS = 200_000  # above which a table is cut into blocks
SEARCH_SHARE = 0.6  # of the time, for heuristics; the rest is for the bound
MATCHED_SHARE = 0.15  # of the time, for matchings where losses are minimised
_CUT = ("checkpoint", "block_size")  # options that ask for blocks


def solve_nonhomogeneous(task: Task, bound: Solve) -> Result[NonHomogeneous]:
    """Solve by what is fit: an exact method, or a search, and then ``bound``."""
    options = task.options
    expect_options(AUTO, options, {"initial", *_CUT})
    asked = task.table, task.requirement, task.objective
    run = Run[NonHomogeneous](*asked, task.seconds)
    if no := run.infeasible():
        return signed(no, AUTO)
    task.begin(run)
    used = "initial" if options.get("initial") is not None else "rings"
    blocks = {name: options.get(name) for name in _CUT}
    cut = run.table.n > WHOLE_ROWS or any(v is not None for v in blocks.values())
    for names, share in _stages(run, cut):
        for method in task.takers(names):
            if run.closed or run.remaining == 0:
                break
            known = {"time_limit": share * run.remaining, **blocks}
            given = task.telling(method, initial=run.best, **known)
            if (found := given.attempt(method)) is None:
                continue
            run.learn(found)
            if found.best is not None and run.offer(found.best):
                used = method.name
            break
    if not cut and run.table.n > EXACT_ROWS and not run.closed and run.remaining > 0:
        used = "ring" if offer_rings(run, task) else used
    if not run.closed and run.remaining > 0:
        none = dict.fromkeys(("initial", *_CUT))
        with suppress(NotSupportedError):  # no bound takes the problem
            run.learn(bound(task.given(**none, time_limit=run.remaining)))
    return signed(run.result(Limit.TIME if run.remaining == 0 else None), used)


def _stages(run: Run[NonHomogeneous], cut: bool) -> Iterator[tuple[list[str], float]]:
    """Yield lists of methods, each with the share of the time that it may take.

    The first method of a list that takes the problem is enough. For k = 2 and a table
    that is not too large the list begins with the exact method; otherwise it has the
    heuristics, and for few rows a second list has an exact method. For losses the
    heuristics have little of the time, since groups are searched afterwards. A table
    that is cut into blocks is searched by blocks alone.
    """
    n, k = run.table.n, run.requirement.core.size
    heuristics = supporting(
        run.requirement, run.objective, "heuristic", recoding=NONHOMOGENEOUS, own=True
    )
    search = [method.name for method in heuristics]
    if cut:
        search = [BLOCKS, *search]
        yield search, SEARCH_SHARE
        return
    if run.objective.by_node:  # rings in groups come next
        yield search, MATCHED_SHARE
    elif k == 2 and n <= PAIR_ROWS:
        search.insert(0, "pair_matching")
        yield search, 1.0
    else:
        yield search, SEARCH_SHARE
    if n <= EXACT_ROWS:
        yield ["matching_mip"], 1.0
