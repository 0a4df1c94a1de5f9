"""Good prices for losses under l-diversity, from lists of cheap row sets."""

from dataclasses import dataclass

from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.subgradient import SubgradientParams
from starmin.models.patterns.node_patterns import priced_node_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.generated_patterns import union
from starmin.models.pricing.restricted_list import ListedPrices, RestrictedList


@dataclass(frozen=True)
class RowSetParams:
    """How long the lists are, and how they are climbed.

    Attributes
    ----------
    first_width, width
        A list has the row sets worth less than so many mean prices: the first one, on
        which prices rise far, and the others. Those of twice as many where the last one
        was too short.
    exact
        A list was long enough if this share of its own bound is proven, or more.
    next_step
        The first step of a round, as a share of that of the round before.
    lower
        As for ``starmin.models.pricing.restricted_list.ListParams``.
    """

    first_width: float = 5.0
    width: float = 1.5
    exact: float = 0.98
    next_step: float = 0.8
    lower: float = 0.5


ROW_SET_PARAMS = RowSetParams()
_STEPS = SubgradientParams(steps=150)
_LEAST_WIDTH = 1e-3


class RowSetList(RestrictedList):
    """Column generation for the price bound of l-diversity, by lists of row sets.

    Rows of rare values let rows of frequent ones form groups, and their prices rise far
    above what they pay. So patterns of little cost are soon too few. But at any prices
    few types are in a row set that is worth little
    (``starmin.models.node_walk.row_set_walk``): on Adult, l = 4, one in fifty of those
    that fit a pattern and cost less than all others there gain. Prices climb on a list
    of these, without a ceiling; the walk proves what they are worth and makes the next
    list. The first list is one by cost.

    Parameters, attributes and errors are those of ``RestrictedList``. For k at most l.
    """

    def improve(self, costs: Ints, tolerance: float) -> None:
        """Raise the bound until a round gains less than this share of it."""
        params = ROW_SET_PARAMS
        listed, most = self.cheap.list(costs)
        per_cost = self.unit.per_cost
        ceiling: Ints | None = self.unit.clipped(most * per_cost)
        prices, width = costs * per_cost, params.first_width
        rounds = 0
        first = self.params.first_step * self.step
        while not self.run.closed:
            problem = self.run, listed, self.types, self.k, self.l, prices, ceiling
            climb = ListedPrices(*problem, _STEPS)
            climb.improve_once(first)
            self.iterations += climb.iterations
            self.reached = prices = climb.prices
            before = self.value
            prices, found = self._prove_about(prices, params.lower)
            exact = self.value >= params.exact * climb.value
            if not exact:
                self.lower(prices, found)
            least = tolerance * self.value
            gained, missed = self.value - before, climb.value - self.value
            if rounds > 0 and max(gained, missed) <= least:
                return
            if rounds > 0:
                short = not exact and rounds > 1
                width = min(2 * width, params.first_width) if short else params.width
            rounds += 1
            first *= params.next_step
            listed, ceiling = self._near(prices, width, found), None

    def _near(self, prices: Ints, width: float, counting: Patterns) -> Patterns:
        """List the row sets worth less than so many mean prices, fewer if too many.

        They include what counts at the prices, and all that can be published coarsest.
        """
        run, types = self.run, self.types
        mean = int(prices @ types.counts) / run.table.n
        found: Patterns | None = None
        while found is None and width > _LEAST_WIDTH:
            found = priced_node_patterns(
                *(run.table, types, run.objective, prices, self.k, self.l),
                threshold=int(width * mean) + 1,
                by_sets=True,
                most_incidences=self.params.most_counting,
                check=run.check_time,
            )
            width /= 2
        return union(self.cheap.coarsest(), counting if found is None else found)
