"""Good prices for losses under l-diversity, from lists of cheap row sets."""

from dataclasses import dataclass

from starmin.instances.arrays import Ints
from starmin.models.patterns.node_patterns import priced_node_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.generated_patterns import union
from starmin.models.pricing.price_rounds import Round
from starmin.models.pricing.restricted_list import RestrictedList


@dataclass(frozen=True)
class RowSetParams:
    """How long the lists are, and how they are climbed."""

    # first_width, width: a list has the row sets worth less than so many mean prices:
    # the first one, on which prices rise far, and the others; those of twice as many
    # where the last one was too short
    first_width: float = 5.0
    width: float = 1.5
    # a list was long enough if this share of its own bound is proven, or more
    exact: float = 0.98
    # the first step of a round, as a share of that of the round before
    next_step: float = 0.8
    # prices at which too many patterns count are lowered to this mean of them and of
    # those proven, before the next try
    lower: float = 0.5


ROW_SET_PARAMS = RowSetParams()
_STEPS = 150
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

    For k at most l. Parameters, attributes and errors are those of ``RestrictedList``.
    """

    def begin(self, costs: Ints) -> Round:
        """Return a climb on what costs little."""
        self._width, self._rounds = ROW_SET_PARAMS.first_width, 0
        self._lower = ROW_SET_PARAMS.lower
        return super().begin(costs)._replace(steps=_STEPS)

    def follow(
        self, last: Round, found: Patterns, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Return a climb on row sets worth little; None where a round gained little."""
        params = ROW_SET_PARAMS
        exact = self.value >= params.exact * estimate
        if not exact:
            self.lower(last.prices, found)
        gained, missed = self.value - before, estimate - self.value
        if self._rounds > 0:
            if max(gained, missed) <= tolerance * self.value:
                return None
            short = not exact and self._rounds > 1
            wider = min(2 * self._width, params.first_width)
            self._width = wider if short else params.width
        self._rounds += 1
        listed = self._near(last.prices, self._width, found)
        return Round(listed, last.prices, None, last.first * params.next_step, _STEPS)

    def _reach(self, prices: Ints) -> None:
        self.reached = prices  # told once they are proven

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
