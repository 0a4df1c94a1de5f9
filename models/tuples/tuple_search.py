"""Rows that stay with their type, as many as possible: the search of ``tuple_ilp``."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from starmin.instances import Limit, Run
from starmin.instances.arrays import Floats, Ints
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import MipSearch
from starmin.models.solvers.program import Program
from starmin.models.solvers.whole_bound import whole_bound
from starmin.models.tuples.tuple_program import (
    CountedRows,
    residue_heights,
    tuple_program,
)

_SLACK = 1e-6  # A number of a solver that is so near to a whole one stands for it.


@dataclass(frozen=True)
class TupleParams:
    """Constants that steer the search."""

    # row types of a small table. Larger ones are restricted to so many types that give
    # rows, or dealt into tables of so many types, before all is solved at once.
    few_types: int = 1000


DEFAULT_PARAMS = TupleParams()


class Means(NamedTuple):
    """What a search works with: the run, the solver's seed, and constants."""

    run: Run
    seed: int
    params: TupleParams


@dataclass(frozen=True, eq=False)
class TupleSolution:
    """Copies that stay, how many rows must leave, and why the search stopped early."""

    copies: Ints
    bound: int
    limit: Limit | None


_Search: TypeAlias = Callable[[CountedRows, int, Means], TupleSolution | None]


def tuple_search(problem: CountedRows, bound: int, means: Means) -> TupleSolution:
    """Let as many rows stay as possible, where ``bound`` > 0 rows must leave.

    On large tables two restrictions are tried first, and nearly always meet the bound
    with one sensitive column: rows beyond those that must leave do so from a few types
    only; or the types are dealt into small tables, whose residues together are valid.
    """
    best = np.zeros(len(problem.counts), np.int64)
    limit: Limit | None = None
    large = len(problem.heights) > means.params.few_types
    searches: list[_Search] = [_by_donors, _by_small_tables] if large else []
    for search in (*searches, _by_program):
        if means.run.remaining == 0.0:
            limit = Limit.TIME
            break
        found = search(problem, bound, means)
        if found is None:
            continue
        bound, limit = max(bound, found.bound), found.limit
        if found.copies.sum() > best.sum():
            best = found.copies
        if problem.n - best.sum() == bound or limit is Limit.INTERRUPTED:
            break
    return TupleSolution(best, bound, limit)


def _by_donors(problem: CountedRows, bound: int, means: Means) -> TupleSolution | None:
    """Let all rows stay that can of most types, which leave the program."""
    if problem.q > 1:
        return None  # what can stay by each column alone need not be diverse in both
    stays = np.bincount(problem.types, problem.most)
    surplus = stays - problem.l * problem.heights[:, 0]
    donors = np.zeros(len(surplus), bool)
    donors[np.argsort(-surplus, kind="stable")[: means.params.few_types]] = True
    fixed = np.where(donors[problem.types], 0, problem.most)
    rest = replace(
        problem,
        counts=problem.counts - fixed,
        heights=problem.heights * donors[:, None],
    )
    if not _is_feasible(rest):
        return None
    found = _by_program(rest, min(bound, rest.n), means)
    return TupleSolution(found.copies + fixed, bound, found.limit)


def _by_small_tables(
    problem: CountedRows, bound: int, means: Means
) -> TupleSolution | None:
    """Deal the types at random into small tables, solved one by one."""
    types, run = len(problem.heights), means.run
    rng = np.random.default_rng(means.seed)
    part = rng.permutation(types) % -(-types // means.params.few_types)
    of_row = part[problem.types]
    copies = np.zeros(len(problem.counts), np.int64)
    limit: Limit | None = None
    for number in range(int(part.max()) + 1):
        mine = np.flatnonzero(of_row == number)
        small = problem.select(mine)
        if not _is_feasible(small):
            return None
        least = _least_leaving(small)
        if least == 0 or (small.q == 1 and least == small.n - small.most.sum()):
            copies[mine] = small.most
        elif limit is None and run.remaining > 0.0:
            found = _by_program(small, least, means)
            copies[mine], limit = found.copies, found.limit
    return TupleSolution(copies, bound, limit)


def _is_feasible(problem: CountedRows) -> bool:
    """Check whether all rows may leave."""
    highest = max(
        np.bincount(column, problem.counts).max(initial=0)
        for column in problem.values.T
    )
    return bool(problem.n >= max(problem.k, problem.l * highest))


def _least_leaving(problem: CountedRows) -> int:
    """Return the residue bound of a small table."""
    highest = max(residue_heights(problem))
    total = problem.n - int(problem.most.sum())
    return max(total, problem.k, problem.l * highest) if highest else 0


def _by_program(problem: CountedRows, bound: int, means: Means) -> TupleSolution:
    """Solve the program; its copies need not be whole numbers at first.

    If they come out fractional, the heights are fixed and a vertex is taken, which is
    integral with one sensitive column. Only if that fails too, all is integer.
    """
    able = problem.most > 0
    best = np.zeros(len(problem.counts), np.int64)
    if not able.any():
        return TupleSolution(best, problem.n, None)
    program = tuple_program(problem, able, bound)
    limit: Limit | None = None
    for all_integer in (False, True):
        if all_integer:
            program = replace(program, integer=np.ones(len(program.cost), bool))
        point, proven, limit = _search(program, means)
        bound = max(bound, proven + problem.n)
        copies = None if point is None else _copies(program, point, means.run)
        if copies is not None and copies.sum() > best.sum():
            best[able] = copies
        if limit is not None or problem.n - best.sum() == bound:
            break
    return TupleSolution(best, bound, limit)


def _search(program: Program, means: Means) -> tuple[Floats | None, int, Limit | None]:
    """Find the best point, the bound proven (rounded up), why it stopped early."""
    search = MipSearch(program, means.run.remaining, seed=means.seed)
    limit = None
    try:
        while search.running:
            search.wait(0.1)
    except KeyboardInterrupt:
        search.stop()
        limit = Limit.INTERRUPTED
    points = list(search.solutions())
    end = search.end()
    bound = whole_bound(end) if math.isfinite(end) else -(2**62)
    point = points[-1] if points else None
    if point is not None and round(float(program.cost @ point)) == bound:
        return point, bound, None
    return point, bound, limit or Limit.TIME


def _copies(program: Program, point: Floats, run: Run) -> Ints | None:
    """Return the copies of a point as whole numbers; None where no vertex has such."""
    count = int((program.cost < 0).sum())
    if not _is_whole(point[:count]):
        heights = np.where(program.integer, np.rint(point), program.lower)
        caps = np.where(program.integer, np.rint(point), program.upper)
        fixed = replace(program, lower=heights, upper=caps)
        vertex = LinearSolver(fixed).solve(run.remaining)
        if vertex is None or not _is_whole(vertex.x[:count]):
            return None
        point = vertex.x
    return np.rint(point[:count]).astype(np.int64)


def _is_whole(numbers: Floats) -> bool:
    """Check whether all numbers are whole, up to rounding."""
    return bool(np.abs(numbers - np.rint(numbers)).max(initial=0.0) < _SLACK)
