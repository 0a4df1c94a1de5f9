"""A lower bound under distinct l-diversity, by prices."""

import math
from dataclasses import dataclass

import numpy as np

from starmin.instances import (
    STARS,
    Certificate,
    Objective,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
)
from starmin.instances.arrays import Floats, Ints
from starmin.instances.tables.row_types import canonical_order
from starmin.models.distinct import DISTINCT_PRICES
from starmin.models.distinct.distinct_reduction import (
    Reduction,
    has_prices,
    smallest_reduction,
)
from starmin.models.lagrangian_relaxation.pattern_fills import (
    GroupConditions,
    Heights,
    fill_values,
)
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.lagrangian_relaxation.pricing_distinct import (
    pricing_data,
    solve_pricing_distinct,
)
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.patterns.closed_listing import cheapest_pattern_costs
from starmin.models.price_unit import INFEASIBLE, PriceUnit, exact_sum
from starmin.models.solvers.mip_search import KernelSearchParams

# What steers the search, and how much of it is for prices.

_KERNEL = KernelSearchParams(
    kernel_size=4, kernel_share=0.7, neighbourhood_size=5, pause=0.0
)


@dataclass(frozen=True)
class DistinctParams:
    """Constants that steer the search under distinct l-diversity."""

    # linear relaxations that are solved at most, each with more classes placed
    relaxations: int = 2
    # share of the time for prices; a second relaxation is solved only where the first
    # one took less than this share
    share: float = 0.2
    # with more placed incidences, prices take the place of the relaxation
    large: int = 400_000
    # the prices are improved until a round gains less than this share of the bound
    tolerance: float = 1e-3
    # that must be left to search a whole program that is so large
    seconds_for_whole: float = 120.0
    kernel: KernelSearchParams = _KERNEL


# What prices prove under distinct l-diversity, as a tree without a split.

_LARGEST = 2**61  # Whoever re-checks it computes in 64 bits.


def prove_by_prices(
    run: Run, reduction: Reduction, duals: Floats, method: str = "pattern_ilp"
) -> None:
    r"""Tell a run the bound that prices of the placed types prove, with certificate.

    The types that are not placed have the price 0. For any prices

    .. math::

        \sum_t \lambda_t s_t + \sum_p \min(0, v_p)

    is a lower bound, v_p being the least reduced cost of a valid group of rows that fit
    the pattern p. With several sensitive columns the largest v_p of a column counts.

    ``duals`` has a price for each placed type, as the relaxation has them; ``method``
    is who is said to have proven it.

    Notes
    -----
    Integers only, so that no rounding of the solver enters it. A sort of the
    incidences.
    """
    types, patterns = reduction.types, reduction.patterns
    unit = patterns.unit
    prices = _of_all(reduction, unit.whole(duals))
    least = max(reduction.k, reduction.distinct)
    l = run.requirement.core.diversity
    asked = least, l, reduction.distinct
    groups = GroupConditions(patterns, *asked, types.sensitive)
    reduced = patterns.cost[patterns.pattern] * unit.per_cost - prices[patterns.types]
    values = fill_values(groups, reduced, Heights.free(len(patterns)))
    values = np.where(values >= INFEASIBLE, 0, np.minimum(values, 0))
    total = int(prices @ types.counts) + exact_sum(values)
    bound = max(0, unit.bound(total))
    proof = price_tree(run, types, prices, bound)
    if proof is not None:
        run.raise_bound(bound, method, proof)


def price_tree(
    run: Run, types: RowTypes, prices: Ints, bound: int
) -> Certificate | None:
    """Return a certificate that has one leaf; None if its numbers are too large.

    ``types`` are all distinct rows, ``prices`` are theirs, in units of ``PriceUnit``,
    and prove ``bound``.
    """
    n, whole = run.table.n, run.objective.whole(run.table)
    per_cost = PriceUnit.of(run.table, run.objective).per_cost
    highest = max(map(abs, prices.tolist()))
    if 4 * (highest * n + per_cost * (whole + n)) >= _LARGEST:
        return None
    ordered = prices[canonical_order(run.table, types)]
    priced = np.flatnonzero(ordered)
    changes = np.stack([priced, ordered[priced]], axis=1)
    data = {
        "denominator": per_cost,
        "prices": ordered.tolist(),
        "patterns": [],
        "cuts": [],
        "nodes": [{"prices": changes.ravel().tolist()}],
        "sensitive": list(run.table.sensitive),
    }
    return Certificate.of(*run.asked, "tree", bound, data)


def _of_all(reduction: Reduction, placed: Ints) -> Ints:
    """Return prices of all types, 0 where they are not placed."""
    prices = np.zeros(len(reduction.types), np.int64)
    prices[reduction.placed] = placed
    return prices


# Prices of the rows that must be placed, under distinct l-diversity.


class DistinctPrices(SubgradientMethod):
    r"""The Lagrangian dual of the distinct program, improved step by step.

    A price for each type that is placed splits the program into one small problem for
    each pattern (``starmin.models.lagrangian_relaxation.pricing_distinct``), as for the
    other requirements (``starmin.models.bounds.lagrangian``). It is an integer one, so
    the bound at the best prices is that of the relaxation or more.

    The run learns the bounds. The requirement is one that ``has_prices``.

    Notes
    -----
    Adult by 7 columns, occupation sensitive, on one processor: the bound 10,275 for
    l = 2 in 3 s, where the relaxation takes 17 s for the same; 19,357 for l = 4 in 9 s,
    where it takes more than 36.
    """

    method = "pattern_ilp"

    def __init__(self, run: Run, reduction: Reduction) -> None:
        placed, params = reduction.placed_patterns, SubgradientParams()
        step = params.first_step * mean_star_cost(run.table, run.objective)
        first = cheapest_pattern_costs(placed) * placed.unit.per_cost
        super().__init__(run, first, placed.counts, step, params)
        self.patterns, self._reduction = placed, reduction
        self._data = pricing_data(placed, reduction.k, reduction.distinct)
        self._borrows = np.zeros(len(placed), bool)
        self._borrows[reduction.borrowers] = True

    def least(self) -> Floats:
        """Return what a release that uses each placed incidence costs at least."""
        least = np.zeros(len(self.patterns.types), np.int64)
        bound, _ = self._solve(self.prices, least)
        return np.asarray((bound + least) / self.unit.per_cost)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._solve(prices, np.zeros(0, np.int64))

    def _solve(self, prices: Ints, least: Ints) -> tuple[int, Ints]:
        placed, supergradient = self.patterns, self.patterns.counts.copy()
        self.unit.expect(prices)
        gains = solve_pricing_distinct(
            self._data, prices, self._borrows, supergradient, least
        )
        return int(prices @ placed.counts) + self.unit.total(gains), supergradient

    def _certificate(self, bound: int) -> Certificate | None:
        # Types that are not placed have a price of 0: their rows add the whole cost of
        # a pattern, as those that are borrowed do, so that this proves no less.
        prices = _of_all(self._reduction, self.prices)
        return price_tree(self.run, self._reduction.types, prices, bound)


class _Prices(DistinctPrices):
    method = DISTINCT_PRICES.name


def distinct_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    tolerance: float = 1e-3,
) -> Result:
    r"""Bound stars from below under distinct l-diversity by prices.

    Every row that is no group with the rows equal to it has a price, at first the cost
    of the cheapest pattern that can be a group with it:

    .. math::
        LB(\lambda) = \sum_t \lambda_t s_t + \sum_p \min(0, f_p(\lambda)),

    f_p being the least cost, less prices, of rows of l values that fit the pattern p.
    Where distinct diversity in one sensitive column is asked for, with k up to l, steps
    along supergradients improve the prices
    (``starmin.models.distinct.distinct_prices``). For other requirements the first
    prices are what is proven.

    Parameters
    ----------
    table, requirement, objective
        The problem: distinct l-diversity, also with k-anonymity and with diversity by
        frequency; stars.
    time_limit, display
        Seconds; progress is printed to stderr.
    tolerance
        Stop after a round that raised the bound by less than this share.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate, a tree of one leaf.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp : goes on from these prices to a release.
    starmin.models.bounds.lagrangian : for the other requirements.

    Notes
    -----
    Integers only. A step looks at all pairs of a pattern and a priced distinct row.

    References
    ----------
    Fisher (1981), The Lagrangian relaxation method for solving integer programming
    problems.

    Examples
    --------
    >>> from starmin.instances import DistinctDiversity
    >>> rows = [["0", "x", "s"], ["1", "x", "t"], ["1", "y", "u"]]
    >>> table = Table.from_rows(["a", "b", "c"], rows, qi=["a", "b"], sensitive=["c"])
    >>> distinct_prices(table, DistinctDiversity(3)).lower_bound
    6
    """
    run = Run(table, requirement, objective, time_limit, display, DISTINCT_PRICES)

    def search() -> None:
        reduction = smallest_reduction(run)
        if len(reduction.inside) == 0:
            zero = np.zeros(len(reduction.types), np.int64)
            proof = price_tree(run, reduction.types, zero, 0)
            run.raise_bound(0, DISTINCT_PRICES.name, proof)
            return
        own = cheapest_pattern_costs(reduction.placed_patterns)
        prove_by_prices(run, reduction, own.astype(np.float64), DISTINCT_PRICES.name)
        if has_prices(requirement, len(table.sensitive)):
            _Prices(run, reduction).improve(tolerance)
        run.check_time()

    return run.carry_out(search)
