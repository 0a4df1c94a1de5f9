"""Tuple minimisation, exact: which rows stay, and one residue for all others."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from starmin.instances import (
    TUPLES,
    Certificate,
    IntArray,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.bounds.residue import UnsuppressedRows, kept_classes
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import MipSearch
from starmin.models.solvers.program import Program, whole_bound
from starmin.models.tuples import TUPLE_ILP
from starmin.models.tuples.tuple_program import CountedRows, tuple_program

_SLACK = 1e-6  # A number of a solver that is so near to a whole one stands for it.


@dataclass(frozen=True)
class TupleParams:
    """Constants that steer the search."""

    # types of a small table. Larger ones are restricted to so many types that give
    # rows, or dealt into tables of so many types, before all is solved at once.
    few_types: int = 1000


DEFAULT_PARAMS = TupleParams()


class Means(NamedTuple):
    """What a search works with."""

    run: Run
    seed: int  # of the solver
    params: TupleParams


@dataclass(frozen=True, eq=False)
class TupleSolution:
    """Copies that stay, how many rows must leave, and why the search stopped early."""

    copies: Ints
    bound: int
    limit: Limit | None


_Search: TypeAlias = Callable[[CountedRows, int, Means], TupleSolution | None]


def _tuple_search(problem: CountedRows, bound: int, means: Means) -> TupleSolution:
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
    if not rest.is_feasible:
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
        if not small.is_feasible:
            return None
        least = small.least_leaving
        if least == 0 or (small.q == 1 and least == small.n - small.most.sum()):
            copies[mine] = small.most
        elif limit is None and run.remaining > 0.0:
            found = _by_program(small, least, means)
            copies[mine], limit = found.copies, found.limit
    return TupleSolution(copies, bound, limit)


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
        while search.call.running:
            search.call.wait(0.1)
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


def tuple_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = TUPLES,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    params: TupleParams = DEFAULT_PARAMS,
) -> Result:
    r"""Solve tuple minimisation exactly: k-anonymity, l-diversity or both.

    The idea: rows without a star share a group with rows of their own type only, and
    rows with a star may as well form one group, the residue R. So a release is the
    choice of the rows that stay with their type.

    .. math::

        \max \sum_{t,v} x_{tv} \quad \text{subject to} \quad
        & x_{tv} \le h_t, \quad \sum_v x_{tv} \ge l h_t, \quad
          k z_t \le \sum_v x_{tv}, \quad h_t \le \bar h_t z_t \\
        & c_v - \sum_t x_{tv} \le H, \quad n - \sum_{t,v} x_{tv} \ge l H, \quad
          n - \sum_{t,v} x_{tv} \ge k

    with :math:`0 \le x_{tv} \le c_{tv}` rows of type t and sensitive value v that
    stay, integer heights :math:`h_t \le \bar h_t` (how often the most frequent value
    stays) and H (of the residue), and, for k-anonymity, binary :math:`z_t` (anything
    stays of t). The bounds :math:`\bar h_t` are those of ``residue``.

    Why it is right. Requirements are monotone, so all groups with a star can be
    united, and all groups without one of the same type: tuples do not change. R has
    no star if its rows are of one type, but then they could stay as well, so no
    optimum has such a residue. For fixed h, H, z the program is a flow from types to
    values with bounds on all arcs: a vertex is integral and x may be continuous. With
    several sensitive columns, v runs over their combinations, heights exist for each
    column, and x is made integer if it comes out fractional.

    What is decided without a solver: tables (or classes) whose forced residue is
    valid by itself, and k-anonymity alone. There all types with fewer than k rows
    leave, S rows in all; if 0 < S < k, larger types give k - S of their surplus
    rows, or, if they have too few, the smallest of them leaves.

    Columns to be kept cut the table into classes with a residue each. The requirement
    is ``KAnonymity``, ``LDiversity`` (frequency form), or both.

    Notes
    -----
    With one sensitive column the bound that it starts from,
    ``starmin.models.bounds.residue``, is nearly always the optimum, and large tables
    are mostly decided by small programs: 600,000 rows x 7 columns in 1 s, in 10 s where
    most types must give rows; 2 cores. Two sensitive columns: Adult, 4 quasi-identifier
    columns, l = 2 and 3 in 30 s, l = 5 not proven.

    References
    ----------
    Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, EDBT
    2010, for the problem and the residue.

    Examples
    --------
    >>> from starmin.instances import LDiversity
    >>> rows = [["0", "a"], ["0", "a"], ["0", "b"], ["1", "a"], ["1", "b"], ["1", "c"]]
    >>> table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    >>> tuple_ilp(table, LDiversity(2)).value
    2
    """
    run = Run(table, requirement, objective, time_limit, display, TUPLE_ILP)

    def search() -> Limit | None:
        run.offer(Partition.coarsest(table, objective))
        if initial is not None:
            run.offer(initial)
        return _solve(Means(run, seed, params))

    return run.carry_out(search)


def _solve(means: Means) -> Limit | None:
    """Offer the best choice of the rows that stay; return why it stopped early."""
    run, table = means.run, means.run.table
    classes = kept_classes(table, run.objective)
    k, l = run.requirement.core.size, run.requirement.core.diversity
    most = UnsuppressedRows.of(table, k, l)
    bounds = most.bounds(classes)
    proven = int(bounds.sum())
    proof = Certificate.of(*run.asked, "residue", proven, {})
    run.raise_bound(proven, "residue", proof)
    types = table.sensitive_types if l > 1 else table.row_types
    problem = CountedRows.of(table, types, most)
    of_class = classes[problem.types]
    copies, settled = _settle(problem, of_class, bounds)
    limit = None
    try:
        if not settled.all():
            limit = _by_class(problem, of_class, settled, copies, bounds, means)
    finally:  # An interrupt leaves the classes that are done.
        run.offer(_partition(types, problem.types, of_class, copies))
        run.raise_bound(int(bounds.sum()), "tuple_ilp")
    return limit


def _settle(
    problem: CountedRows, of_class: IntArray, bounds: IntArray
) -> tuple[IntArray, Bools]:
    """Find what stays in classes that need no solver, and which classes these are."""
    copies = problem.most
    leaving = np.bincount(of_class, problem.counts - copies).astype(np.int64)
    if problem.q > 1:
        return copies, bounds == 0
    settled = leaving == bounds
    if problem.l > 1:
        return copies, settled
    for short in np.flatnonzero(~settled):
        mine = np.flatnonzero((of_class == short) & (copies > 0))
        copies[mine] -= _donate(
            copies[mine], problem.k, problem.k - int(leaving[short])
        )
        bounds[short] = problem.counts[of_class == short].sum() - copies[mine].sum()
    return copies, np.ones(len(bounds), bool)


def _donate(sizes: IntArray, k: int, need: int) -> IntArray:
    """Find rows that types with ``sizes`` >= k give, ``need`` > 0 together."""
    surplus = sizes - k
    if surplus.sum() >= need:
        before = np.cumsum(surplus) - surplus
        return np.asarray(np.clip(need - before, 0, surplus))
    whole = np.zeros_like(sizes)
    smallest = int(sizes.argmin())
    whole[smallest] = sizes[smallest]
    return whole


def _by_class(
    problem: CountedRows,
    of_class: IntArray,
    settled: Bools,
    copies: IntArray,
    bounds: IntArray,
    means: Means,
) -> Limit | None:
    """Solve the other classes one by one, in place; return why it stopped early."""
    by_class = np.argsort(of_class, kind="stable")
    ends = np.cumsum(np.bincount(of_class))
    rows = np.split(by_class, ends[:-1])
    copies[~settled[of_class]] = 0  # Valid, and what remains if the time is up.
    limit = None
    for unsettled in map(int, np.flatnonzero(~settled)):
        if limit is Limit.INTERRUPTED or means.run.remaining == 0.0:
            return limit or Limit.TIME
        mine = rows[unsettled]
        found = _tuple_search(problem.select(mine), int(bounds[unsettled]), means)
        copies[mine], bounds[unsettled] = found.copies, found.bound
        limit = found.limit or limit
    return limit


def _partition(
    types: RowTypes, qi_type: IntArray, of_class: IntArray, copies: IntArray
) -> Partition:
    """Make a group for what stays of each row type, and a residue for each class."""
    each = np.arange(len(types))
    residue = int(qi_type.max()) + 1 + of_class
    group = np.concatenate([qi_type, residue])
    loads = np.concatenate([copies, types.counts - copies])
    used = np.flatnonzero(loads)
    type_ = np.concatenate([each, each])
    return Partition.from_loads(types, group[used], type_[used], loads[used])
