"""Tuple minimisation, exact: which rows stay, and one residue for all others."""

import math

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
from starmin.instances.arrays import Bools
from starmin.models.bounds.residue import UnsuppressedRows, kept_classes, qi_types
from starmin.models.tuples import TUPLE_ILP
from starmin.models.tuples.tuple_program import CountedRows
from starmin.models.tuples.tuple_search import (
    DEFAULT_PARAMS,
    Means,
    TupleParams,
    tuple_search,
)


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

    Columns to be kept cut the table into classes with a residue each.

    Parameters
    ----------
    table
        With a sensitive column, or several, where l-diversity is required.
    requirement
        ``KAnonymity``, ``LDiversity`` (frequency form), or both.
    objective
        Tuples; ``keep`` is honoured.
    time_limit
        Wall-clock seconds; then the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Live progress on stderr.
    initial
        A valid partition to start from.
    params
        Constants that steer the search.

    Raises
    ------
    NotSupportedError
        Another requirement, or the objective stars.

    See Also
    --------
    starmin.models.bounds.residue.residue :
        The bound it starts from, usually the optimum.

    Notes
    -----
    With one sensitive column the residue bound is nearly always the optimum, and large
    tables are mostly decided by small programs
    (``starmin.models.tuples.tuple_search``): 600,000 rows x 7 columns in 1 s, in 10 s
    where most types must give rows; 2 cores. Two sensitive columns: Adult, 4
    quasi-identifier columns, l = 2 and 3 in 30 s, l = 5 not proven.

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
    _certify(run, int(bounds.sum()))
    types = table.sensitive_types if l > 1 else table.row_types
    problem = _problem(table, types, most)
    of_class = classes[problem.types]
    copies, settled = _settle(problem, of_class, bounds)
    limit = None
    try:
        if not settled.all():
            limit = _search(problem, of_class, settled, copies, bounds, means)
    finally:  # An interrupt leaves the classes that are done.
        run.offer(_partition(types, problem.types, of_class, copies))
        run.raise_bound(int(bounds.sum()), "tuple_ilp")
    return limit


def _problem(table: Table, types: RowTypes, most: UnsuppressedRows) -> CountedRows:
    """Count the rows of a table, as the program needs them."""
    if most.l > 1:
        of_type, values = qi_types(table), types.sensitive
    else:
        of_type = np.arange(len(types), dtype=np.int32)
        values = np.zeros((len(types), 1), np.int32)
    # Groups that are l-diverse have l rows at least.
    k = most.k if most.k > most.l else 1
    return CountedRows(of_type, values, types.counts, most.heights, k, most.l)


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


def _search(
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
        found = tuple_search(problem.select(mine), int(bounds[unsettled]), means)
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


def _certify(run: Run, bound: int) -> None:
    """Raise the bound with its certificate."""
    certificate = Certificate.of(
        run.table, run.requirement, run.objective, "residue", bound, {}
    )
    run.raise_bound(bound, "residue", certificate)
