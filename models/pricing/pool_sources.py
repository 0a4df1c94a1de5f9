"""Where patterns of a pool come from: a list of all, or generation by prices."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from starmin.instances import (
    Certificate,
    Partition,
    Run,
)
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.lagrangian_subgradient import (
    LAGRANGIAN_PARAMS,
    LagrangianSubgradient,
)
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.lagrangian_relaxation.start_prices import certified_prices, scaled
from starmin.models.lagrangian_relaxation.subgradient import SubgradientParams
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.many_patterns import is_wide
from starmin.models.pricing.boxstep import Boxstep
from starmin.models.pricing.generated_patterns import generated_patterns
from starmin.models.pricing.pattern_pool import PatternPool, useful_pool

PER_TYPE = 40  # incidences
# Searches go by these prices while they are refined: soon good, then better.
POOL_PARAMS = replace(LAGRANGIAN_PARAMS, steps=200)
_ROUGH = 0.05  # A box that gains no more than this share of the bound ends an estimate.


def pattern_pool(
    run: Run,
    *,
    time_limit: float = math.inf,
    tolerance: float = 2e-4,
    per_type: int = PER_TYPE,
    initial: Partition | None = None,
    prices: Certificate | None = None,
    told: Callable[[Ints], None] = lambda prices: None,
    cuts_follow: bool = False,
) -> PatternPool:
    """List the closed patterns, price the types, and keep what looks useful.

    In wide tables, which have too many patterns to list, prices are found without
    listing them (``starmin.models.pricing.boxstep``) and the pool is generated. There
    ``told`` is called with prices as they are reached, and ``cuts_follow`` is, for
    losses, as for ``Boxstep``.

    The problem is k-anonymity, frequency l-diversity or both; the run learns the bound
    of the prices and its certificate. The prices take up to ``time_limit`` seconds, and
    stop after a round that raised the bound by less than the share ``tolerance`` in 500
    steps. For each type ``per_type`` incidences are kept on average, those with the
    lowest bound on the releases that use them; the release ``initial`` shall be within
    the pool. ``prices`` is a proof for the same table, perhaps for another requirement:
    its prices start the search for those of this one, where patterns are listed.
    TimeoutError where the time of the run was up before the pool was chosen.
    """
    table, objective = run.table, run.objective
    diverse = run.requirement.core.diversity > 1
    types = table.sensitive_types if diverse else table.row_types
    limit = min(time_limit, run.remaining)
    source: ListedPatterns | GeneratedPatterns
    if is_wide(table, types, objective, run.time_limit):
        source = GeneratedPatterns(run, told, cuts_follow)
    else:
        source = ListedPatterns(run, prices)
    source.refine(run, limit, tolerance)
    return source.pool(run, per_type, initial)


def good_prices(run: Run, time_limit: float, tolerance: float = 1e-3) -> Ints:
    """Return prices of the row types, in units of ``PriceUnit``.

    Under diversity they are those with their sensitive values. The run learns their
    bound. Arguments and errors are those of ``pattern_pool``.
    """
    source: ListedPatterns | GeneratedPatterns
    diverse = run.requirement.core.diversity > 1
    types = run.table.sensitive_types if diverse else run.table.row_types
    if is_wide(run.table, types, run.objective, run.time_limit):
        source = GeneratedPatterns(run)
    else:
        source = ListedPatterns(run)
    source.refine(run, time_limit, tolerance)
    assert source.prices is not None
    return source.prices


class ListedPatterns:
    """All closed patterns of a problem, and prices that become better step by step.

    ``prices`` is a proof whose prices are those to begin with, as for ``pattern_pool``.
    TimeoutError where the time of the run was up before the patterns were listed.
    """

    def __init__(
        self,
        run: Run,
        prices: Certificate | None = None,
        params: SubgradientParams = POOL_PARAMS,
    ) -> None:
        self._params = params
        self._k, self._l = run.requirement.core.size, run.requirement.core.diversity
        table = run.table
        self.types = table.sensitive_types if self._l > 1 else table.row_types
        self.patterns = closed_patterns(
            table, self.types, run.objective, self._k, self._l, run.check_time
        )
        self._begin = certified_prices(prices, table, self.types, self.patterns.unit)
        if self._begin is not None:
            function = LagrangianFunction(self.patterns, self.types, self._k, self._l)
            self._begin = scaled(self._begin, function)
        self._method: LagrangianSubgradient | None = None

    @property
    def prices(self) -> Ints | None:
        """The prices at hand, in units of ``PriceUnit``, if there are any."""
        return self._begin if self._method is None else self._method.prices

    @property
    def bound(self) -> int:
        """The bound of the prices at hand, in the same unit; 0 before an estimate."""
        return self._method.value if self._method is not None else 0

    def estimate(self, run: Run, steps: int) -> None:
        """Find prices in a few steps: too rough for a bound, but fit for searches.

        The run learns their bound.
        """
        star = mean_star_cost(run.table, run.objective)
        self._method = self._subgradient(run, LAGRANGIAN_PARAMS)
        self._method.improve_once(LAGRANGIAN_PARAMS.first_step * star, steps)

    def refine(self, run: Run, time_limit: float, tolerance: float) -> None:
        """Find prices of a good bound.

        The run learns the bound and its certificate when they are found. Takes up to
        ``time_limit`` seconds, and stops after a round that raised the bound by less
        than the share ``tolerance`` in 500 steps.
        """
        pricing = Run(run.table, run.requirement, run.objective, time_limit)
        self._method = self._subgradient(pricing, self._params)
        self._method.improve(tolerance)
        run.learn(pricing)

    def pool(
        self, run: Run, per_type: int, initial: Partition | None = None
    ) -> PatternPool:
        """Keep what looks useful at the prices at hand; as for ``pattern_pool``."""
        prices = self.prices
        assert prices is not None
        return useful_pool(run, self.types, self.patterns, prices, per_type, initial)

    def _subgradient(
        self, run: Run, params: SubgradientParams
    ) -> LagrangianSubgradient:
        """Begin steps from the prices at hand."""
        problem, prices = (
            (run, self.patterns, self.types, self._k, self._l),
            self.prices,
        )
        return LagrangianSubgradient(
            *problem, prices, params=params, is_good=prices is not None
        )


class GeneratedPatterns:
    """Patterns that count at prices which become better box by box; none is listed.

    As ``ListedPatterns``, for tables with too many patterns to list. The run learns the
    bounds and their certificates. Where losses are minimised, ``told`` is called with
    prices that were reached, and with ``cuts_follow`` the search ends with prices from
    a short list, as they will climb among cuts.
    """

    def __init__(
        self,
        run: Run,
        told: Callable[[Ints], None] = lambda prices: None,
        cuts_follow: bool = False,
    ) -> None:
        self._k, self._l = run.requirement.core.size, run.requirement.core.diversity
        self.types = run.table.sensitive_types if self._l > 1 else run.table.row_types
        problem = run, self.types, self._k, self._l
        self._boxes = Boxstep(*problem, told=told, cuts_follow=cuts_follow)

    @property
    def prices(self) -> Ints:
        """The prices at hand, in units of ``PriceUnit``."""
        return self._boxes.reached

    @property
    def begins_well(self) -> bool:
        """As that of ``starmin.models.pricing.boxstep``."""
        return self._boxes.begins_well

    @property
    def has_settled(self) -> bool:
        """As that of ``starmin.models.pricing.boxstep``."""
        return self._boxes.has_settled

    @property
    def bound(self) -> int:
        """The bound of the prices at hand, in the same unit."""
        return self._boxes.value

    def estimate(self, run: Run, steps: int) -> None:
        """Find rough prices, in boxes of so many steps."""
        self._boxes.steps = steps
        self._boxes.improve(_ROUGH, patience=1)
        self._boxes.steps = None

    def refine(self, run: Run, time_limit: float, tolerance: float) -> None:
        """Find prices of a good bound."""
        pricing = Run(run.table, run.requirement, run.objective, time_limit)
        self._boxes.run = pricing
        try:
            with suppress(TimeoutError):
                self._boxes.improve(tolerance)
        finally:
            run.learn(pricing)

    def pool(
        self, run: Run, per_type: int, initial: Partition | None = None
    ) -> PatternPool:
        """Generate what looks useful at the prices at hand; as for ``pattern_pool``."""
        problem, k, l = (run, self.types), self._k, self._l
        prices = self.prices
        found = generated_patterns(*problem, prices, k, l, per_type, initial)
        return useful_pool(*problem, found, prices, per_type, initial)
