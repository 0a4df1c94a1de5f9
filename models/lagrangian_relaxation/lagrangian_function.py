"""The Lagrangian function, which is the price bound, and its supergradient."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from starmin.instances import Certificate, RowTypes, Run, Table
from starmin.instances.arrays import Ints
from starmin.instances.runs.cores import Team
from starmin.instances.runs.search_control import spend
from starmin.instances.tables.row_types import canonical_order
from starmin.models.lagrangian_relaxation.price_bound import (
    lagrangian_fixing,
    mean_star_cost,
    price_certificate,
)
from starmin.models.lagrangian_relaxation.pricing_distinct import (
    Memory,
    Workspace,
    blocks_of,
    pricing_data,
    solve_pricing_k,
    workspace,
)
from starmin.models.lagrangian_relaxation.pricing_l import (
    solve_pricing_l,
    sort_by_value,
)
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.patterns.closed_listing import cheapest_pattern_costs
from starmin.models.patterns.patterns import Patterns, Sought
from starmin.models.price_unit import INFEASIBLE, MOST_SUM, PriceUnit


class LagrangianFunction:
    """The bound that prices prove, and a supergradient, for many prices in turn.

    Keeps from one call to the next what it learned of the patterns. These are priced in
    blocks, by whoever is free: ``team``, or the caller alone where it is None.

    ``l`` applies to the first sensitive column. ``members`` are those of the patterns,
    for l > 1 in order of their sensitive values; with ``count_choices``, for l > 1,
    ``chosen`` adds up how many copies of each the best choices had so far. For
    ``outside`` see ``PricingData``. ``unit`` is that of the prices.
    """

    def __init__(
        self,
        patterns: Patterns,
        k: int,
        l: int,
        count_choices: bool = False,
        outside: Ints | None = None,
    ) -> None:
        self.unit = patterns.unit
        self.data = pricing_data(patterns, k, l, outside)
        if l > 1:
            values = self.data.values
            by_value = sort_by_value(
                patterns.starts, patterns.types, values, int(values.max()) + 1
            )
            self.data = self.data._replace(members=by_value)
        self.members = self.data.members
        self.chosen = np.zeros(len(self.members) if count_choices else 0, np.int64)
        self.team: Team | None = None
        # Nothing of it knows the function, which is freed with the last one who does.
        self._workspaces = defaultdict[int, Workspace](partial(workspace, self.data))
        count = len(patterns)
        self._memory = Memory(np.zeros(count, np.int64), np.ones(count, np.int64))
        self._blocks = [
            (self.data.block(at), self._memory.block(at))
            for at in blocks_of(self.data.starts)
        ]
        self._risen = 0
        self._last: Ints | None = None

    def __call__(self, prices: Ints) -> tuple[int, Ints]:
        """Return the bound in units of ``PriceUnit``, and its supergradient.

        The supergradient is what the copies of each type are short of in the best
        choices: negative where they take more than there are.
        """
        self.unit.expect(prices)
        if self._last is not None:
            self._risen += max(0, int((prices - self._last).max()))
        if self._risen > MOST_SUM:  # begins anew before it wraps
            looks = self._memory.next_look
            looks[looks < INFEASIBLE] = 0
            self._risen = 0
        self._last = prices
        counts = self.data.counts
        short = defaultdict[int, Ints](lambda: np.zeros(len(counts), np.int64))
        gains = [0] * len(self._blocks)

        def solve(worker: int, number: int) -> None:
            data, memory = self._blocks[number]
            room = self._workspaces[worker]
            given = data, prices, self._risen, memory, room, short[worker]
            if data.l == 1:
                gains[number] = self.unit.total(solve_pricing_k(*given))
            else:
                gains[number] = self.unit.total(solve_pricing_l(*given, self.chosen))

        if self.team is None:
            for number in range(len(gains)):
                solve(0, number)
        else:
            self.team.share(len(gains), solve)
        supergradient = sum(short.values(), counts)
        return int(prices @ counts) + sum(gains), supergradient

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Have patterns priced by whoever is free."""
        with Team() as team:
            self.team = team
            try:
                yield
            finally:
                self.team = None


# The subgradient method for the prices of row types.

# Of a list of more incidences than LONG, a round looks at the patterns that so many
# stars would open. It is repaired, at most so often, where others take more than this
# share of the bound.
LONG, NEAR, REPAIRS, CLOSE = 300_000, 2.0, 3, 1e-5
# Prices of row types converge slowly, so rounds become longer and keep larger steps.
PAIRS_PRICED = 0.003  # units of work of a pair of a pattern and a type
LAGRANGIAN_PARAMS = SubgradientParams(next_step=0.5, longer=2)


class _Best:
    """A function of prices, and the prices of its highest value so far."""

    def __init__(self, function: LagrangianFunction) -> None:
        self._function = function
        self.value, self.calls = -(1 << 62), 0
        self.prices: Ints | None = None

    def __call__(self, prices: Ints) -> Ints:
        """Return the supergradient at some prices."""
        value, supergradient = self._function(prices)
        self.calls += 1
        if value > self.value:
            self.value, self.prices = value, prices
        return supergradient


class LagrangianSubgradient(SubgradientMethod):
    """The subgradient method for the Lagrangian dual of the pattern formulation.

    The run learns the bounds; its time ends the search. ``l`` applies to the first
    sensitive column. ``initial`` are the prices to start from, by default those of the
    own-pattern bound; ``is_good`` says that they are nearly as good as those to be
    found, so that they tell which patterns may matter: those of a whole round are.
    Prices never exceed ``ceiling``, in units of ``PriceUnit``, so that the patterns
    need only be those that count there (``starmin.models.pricing.pricing``).
    """

    method = "lagrangian"

    def __init__(
        self,
        run: Run,
        patterns: Patterns,
        initial: Ints | None = None,
        ceiling: Ints | None = None,
        params: SubgradientParams = LAGRANGIAN_PARAMS,
        is_good: bool = False,
    ) -> None:
        star = mean_star_cost(run.table, run.objective)
        prices = (
            cheapest_pattern_costs(patterns) * patterns.unit.per_cost
            if initial is None
            else initial
        )
        first = params.first_step * star
        super().__init__(run, prices, patterns.counts, first, params)
        self.patterns, self.sought = patterns, Sought.of(run)
        self.ceiling = None if ceiling is None else ceiling / self.unit.per_cost
        self._function = LagrangianFunction(patterns, *self.sought.asked)
        self._is_good, self._near = is_good, NEAR * star

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        spend(PAIRS_PRICED * len(self.patterns.types))
        return self._function(prices)

    def _round(self, first: float, steps: int) -> None:
        """Take one round, of a long list with the patterns that may matter alone.

        What it comes to is then computed with all patterns. Where some that were left
        out matter there, fewer and smaller steps follow, with these among them. Which
        ones may matter is seen from good prices only, so not in a first round.
        """
        with self._function.shared():
            if not self._is_good or len(self.patterns.types) < LONG:
                super()._round(first, steps)
                self._is_good = True
                return
            prices = self.prices
            for _ in range(REPAIRS):
                best = _Best(self._near_function(prices))
                self._climb(best, prices, first, steps)
                if best.prices is None:
                    return
                self.iterations += best.calls
                prices = best.prices
                self._evaluate(prices)
                whole = self._bound(prices)[0]
                if best.value - whole <= CLOSE * abs(whole) or self.run.remaining <= 0:
                    return
                first, steps = first / REPAIRS, max(1, steps // REPAIRS)

    def _near_function(self, prices: Ints) -> LagrangianFunction:
        """Return the function of the patterns that are nearly worth opening."""
        patterns = self.patterns
        asked = self.sought.asked
        least = lagrangian_fixing(patterns, prices, *asked)
        worth = np.minimum.reduceat(least, patterns.starts[:-1])
        near = worth - self._bound(prices)[0] <= self._near * self.unit.per_cost
        near |= not near.any()  # all where none is
        function = LagrangianFunction(patterns.select(near), *asked)
        function.team = self._function.team
        return function

    def _certificate(self, bound: int) -> Certificate | None:
        return price_certificate(self.run, self.sought.types, self.prices, bound)


# Prices to start from: those that a certificate of a like problem holds.

_RATIO = 1.15  # between two multiples that are tried


def certified_prices(
    certificate: Certificate | None, table: Table, types: RowTypes, unit: PriceUnit
) -> Ints | None:
    """Return the prices that a certificate holds for row types of a table.

    In ``unit``, by type of ``types``; None where it has no price for each of them. The
    certificate is for the same table, perhaps for another requirement.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> data = {"denominator": 2, "prices": [2, 3]}
    >>> proof = Certificate.of(table, KAnonymity(2), STARS, "prices", 2, data)
    >>> unit = PriceUnit.of(table, STARS)
    >>> found = certified_prices(proof, table, table.row_types, unit)
    >>> (found / unit.per_cost).tolist()
    [1.0, 1.5]
    """
    if certificate is None or certificate.kind != "prices":
        return None
    data = certificate.data
    if len(data["prices"]) != len(types):
        return None
    prices = np.empty(len(types), np.int64)
    written = np.array(data["prices"], np.float64) / data["denominator"]
    prices[canonical_order(table, types)] = unit.whole(written)
    return prices


def scaled(prices: Ints, function: LagrangianFunction) -> Ints:
    """Return the multiple of prices whose bound is about the highest.

    Prices are in units of ``PriceUnit``. A row is worth less for a smaller k, and more
    for a larger one. The bound is concave along the multiples of prices, so that they
    are followed as long as it rises.
    """
    best, value = prices, function(prices)[0]
    for ratio in (1 / _RATIO, _RATIO):
        while True:
            tried = function.unit.clipped(np.rint(best * ratio))
            found = function(tried)[0]
            if found <= value:
                break
            best, value = tried, found
    return best
