"""The bound of prices of originals: both degree constraints of the matchings."""

import math
from typing import NamedTuple

import numpy as np

from starmin.instances import (
    STARS,
    Certificate,
    NonHomogeneous,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.nonhomogeneous import DEGREE_PRICES
from starmin.models.nonhomogeneous.matching_flow_tree import ring_release
from starmin.models.nonhomogeneous.node_degree_prices import NodeDegreePrices
from starmin.models.nonhomogeneous.own_star_set import StarSets, price_certificate
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import expect_no_tuples
from starmin.models.price_unit import INFEASIBLE, exact_product

# The bound of prices of originals, and who is matched too often or too seldom.


def price_bound(sets: StarSets, k: int, prices: Ints) -> tuple[int, Ints]:
    """Compute what the prices prove, and how many matches each type lacks.

    ``sets`` are those for k, which is at least 2; ``prices`` has one for each row type,
    in units of ``PriceUnit``. Returns the bound in the same unit, not rounded; and for
    each type k - 1 matches for each of its rows, less those that the released rows
    choose: a supergradient.

    Notes
    -----
    A pass over the types of each star set in the order of falling prices, ended as
    soon as all classes have k rows. 256 sets x 90,000 types take 0.3 s.
    """
    sets.unit.expect(prices)
    order = np.argsort(-prices, kind="stable").astype(np.int32)
    types, cost = _Types(sets.counts, prices, order, k), sets.cost * sets.unit.per_cost
    values, used = _choose(sets.class_of, sets.sizes, cost, types)
    total = (k - 1) * int(prices @ sets.counts) + exact_product(values, sets.counts)
    return total, (k - 1) * sets.counts - used


class _Types(NamedTuple):
    """The row types, and how many of the dearest rows are asked for."""

    counts: Ints
    prices: Ints
    order: Int32s  # by falling price
    k: int


@compiled
def _choose(
    class_of: Int32s, sizes: Ints, cost: Ints, types: _Types
) -> tuple[Ints, Ints]:
    """Find for each type its least value, and how often it is matched then."""
    (sets, m), prices, order = class_of.shape, types.prices, types.order
    least = np.full(m, INFEASIBLE)
    choice = np.zeros(m, np.int32)
    most = sizes.max()
    have, total = np.empty(most, np.int32), np.empty(most, np.int64)
    last = np.empty(most, np.int32)
    for s in range(sets):
        classes = class_of[s]
        _fill(classes, sizes[s], types, have, total, last)
        for t in range(m):
            c = classes[t]
            if c >= 0:
                out = max(prices[t], prices[order[last[c]]])
                value = cost[s] - total[c] + out
                if value < least[t]:
                    least[t] = value
                    choice[t] = s
    return least, _count_matches(class_of, sizes, types, choice)


@inner
def _fill(
    classes: Int32s, size: int, types: _Types, have: Int32s, total: Ints, last: Int32s
) -> None:
    """Sum the k highest prices of each class, and find the place of the last."""
    counts, prices, order, k = types
    have[:size] = 0
    total[:size] = 0
    full = 0
    for place in range(len(order)):
        t = order[place]
        c = classes[t]
        if c < 0 or have[c] == k:
            continue
        taken = min(counts[t], k - have[c])
        have[c] += taken
        total[c] += taken * prices[t]
        if have[c] == k:
            last[c] = place
            full += 1
            if full == size:
                break


@inner
def _count_matches(
    class_of: Int32s, sizes: Ints, types: _Types, choice: Int32s
) -> Ints:
    """Count how often each type is matched to rows other than itself."""
    (sets, m), (counts, _, order, k) = class_of.shape, types
    used = np.zeros(m, np.int64)
    place = np.empty(m, np.int32)
    place[order] = np.arange(m).astype(np.int32)
    most = sizes.max()
    have, last = np.empty(most, np.int32), np.empty(most, np.int32)
    rows = np.empty(most, np.int64)
    for s in range(sets):
        classes = class_of[s]
        rows[: sizes[s]] = 0
        open_classes = 0
        for t in range(m):
            if choice[t] == s:
                if rows[classes[t]] == 0:
                    open_classes += 1
                rows[classes[t]] += counts[t]
        if open_classes == 0:
            continue
        have[: sizes[s]] = 0
        for p in range(m):
            t = order[p]
            c = classes[t]
            if c < 0 or rows[c] == 0 or have[c] == k:
                continue
            taken = min(counts[t], k - have[c])
            have[c] += taken
            used[t] += taken * rows[c]
            if have[c] == k:
                last[c] = p
                open_classes -= 1
                if open_classes == 0:
                    break
        for t in range(m):
            if choice[t] == s:
                # Of the k dearest rows it leaves out itself, or else the last one.
                end = last[classes[t]]
                used[t if place[t] <= end else order[end]] -= counts[t]
    return used


# The first step is divided by k.
DEGREE_PARAMS = SubgradientParams(first_step=0.25, steps=200, last_step=0.01)
# Models for small tables ask for this bound on tables of so many columns at most.
_FEW_COLUMNS = 12


def degree_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    tolerance: float = 1e-3,
) -> Result[NonHomogeneous]:
    r"""Bound stars or losses of non-homogeneous releases by a Lagrangian dual.

    ``own_star_set`` lets all released rows use the same few originals. Here an
    original that is used more often than k times becomes dear. Every row may be
    matched to itself (see ``starmin.verify.certificates.prices.node_prices``), so each
    original is matched to k - 1 other released rows, at a price :math:`\mu_i` each:

    .. math::
        LB(\mu) = (k - 1) \sum_i \mu_i + \sum_j \min_S \Big( cost_S -
        \max_{N \subseteq C_S(j) \setminus \{j\},\ |N| = k - 1}
        \sum_{i \in N} \mu_i \Big).

    The bound is concave in the prices, at least that of ``own_star_set``, where they
    begin at 0, and its maximum is the value of the linear program that mixes star sets
    and partners for each released row; for k = 2 that is the optimum. What the matches
    of an original lack in the best choices is a supergradient. Steps are those of
    ``starmin.models.bounds.lagrangian``; all bounds are computed in integers.

    For losses the vectors of nodes that cover row j are in the place of S
    (``starmin.models.nonhomogeneous.node_degree_prices``), too many to list: prices
    climb on a part of them, and a walk over all proves their bound.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity; stars or gcp.
    time_limit, display
        Seconds. Steps shrink faster where they would not suffice for a round. Progress
        is printed to stderr.
    tolerance
        Stop after a round that raised the bound by less than this share.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    starmin.models.nonhomogeneous.own_star_set.own_star_set : faster and weaker.

    Notes
    -----
    No convergence is proven, but every bound is valid. Census, 100,000 rows by 8
    columns (90,000 distinct rows, 256 sets), 300 s on a busy processor: 3.2 % above
    ``own_star_set`` for k = 3 and k = 10. 18 rows, k = 3 to 5: 1 to 3 % below the best
    release known, where ``own_star_set`` is 13 to 16 % below it.

    References
    ----------
    Fisher (1981), The Lagrangian relaxation method for solving integer programming
    problems. Kingma and Ba (2015), Adam: a method for stochastic optimization.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> degree_prices(table, KAnonymity(2)).lower_bound
    4
    """
    expect_no_tuples(objective)
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, DEGREE_PRICES
    )
    run.stats["iterations"] = 0

    def search() -> None:
        k = requirement.core.size
        method: DegreeSubgradient | NodeDegreePrices
        if objective.by_node:
            method = NodeDegreePrices(run_with_prices(run), k)
        else:
            sets = StarSets.of(table, objective, k, run.check_time)
            method = DegreeSubgradient(run, sets, k)
        try:
            method.improve(tolerance)
        finally:
            run.stats["iterations"] = method.iterations
        run.check_time()

    return run.carry_out(search)


def start_model(run: Run[NonHomogeneous], initial: NonHomogeneous | None) -> bool:
    """Give a model for small tables a release and this bound, which is stronger.

    There is no bound for other objectives and for more than 12 columns. Returns whether
    there is something left to search, and time for it; raises TimeoutError as
    ``run.check_time`` does.
    """
    k = run.requirement.core.size
    run.offer(ring_release(run.table, run.objective, k))
    if initial is not None:
        run.offer(initial)
    if run.objective.by_star and run.table.d <= _FEW_COLUMNS:
        sets = StarSets.of(run.table, run.objective, k, run.check_time)
        DegreeSubgradient(run, sets, k).improve(tolerance=1e-3)
    return run.remaining != 0.0 and not run.closed


class DegreeSubgradient(SubgradientMethod):
    """The subgradient method for the prices of originals.

    The run learns the bounds, and its time ends the search; ``sets`` are the star sets
    for ``k``.
    """

    method = "degree_prices"

    def __init__(self, run: Run[NonHomogeneous], sets: StarSets, k: int) -> None:
        params = DEGREE_PARAMS
        first = params.first_step * mean_star_cost(run.table, run.objective) / k
        prices = np.zeros(len(sets.counts), np.int64)
        super().__init__(run, prices, (k - 1) * sets.counts, first, params)
        self.sets, self.k = sets, k

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return price_bound(self.sets, self.k, prices)

    def _certificate(self, bound: int) -> Certificate:
        return price_certificate(self.run, self.prices, bound, self.unit.per_cost)
