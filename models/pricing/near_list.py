"""Prices that climb on the patterns that are nearly worth opening, for losses."""

from dataclasses import dataclass

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.listed_columns import ListedColumns
from starmin.models.pricing.price_box import PriceBox
from starmin.models.pricing.price_rounds import Round


@dataclass(frozen=True)
class NearParams:
    """How long the lists are, and how they are climbed."""

    # a list has the patterns whose best fill is worth less than this, in mean prices;
    # half of it where those have more than ``most_incidences`` pairs with types
    width: float = 0.3
    most_incidences: int = 3_000_000
    # first, steps: the first step of a climb, in mean prices, and how many steps it has
    first: float = 0.05
    steps: int = 75
    # the first step as a share of the last one, where prices that were reached proved
    # no more than those before
    next_step: float = 0.8
    tries: int = 3  # how many means of both are then tried


class NearList(ListedColumns):
    """Column generation for the price bound, by lists of what is nearly worth opening.

    Below a ceiling with room for prices to rise, so many patterns may count that a
    climb on all of them takes a minute (ranges of numbers, k of 10 and more: ten
    million pairs of a pattern and a type). Few of them do at the prices that the climb
    comes to, and those are nearly worth opening at the prices it begins with. So prices
    climb on these alone, still below a ceiling; the walk then finds what counts at the
    prices reached, and with it what these prove. Where that is less than before, the
    mean of both prices is tried, since the bound is concave. The same walk makes the
    next list.

    The problem has losses. ``prices``, in units of ``PriceUnit``, are those to begin
    with, then the best so far, and ``value`` is what they prove. ``box`` says how far
    they may rise in a climb; its unit is the mean price. ``patterns`` are those of the
    last list, all that count at ``prices`` among them; ``iterations`` counts the steps
    taken.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        l: int,
        prices: Ints,
        value: int,
        box: PriceBox,
        params: NearParams = NearParams(),
    ) -> None:
        super().__init__(run, types, k, l, prices, value)
        self.params, self._box = params, box
        self._width, self._first = params.width, params.first
        self._per_cost = PriceUnit.of(run.table, run.objective).per_cost

    def next(self) -> Round:
        """Return a climb on what is nearly worth opening, below a new ceiling.

        TimeoutError where the time of the run is up, or too many patterns count at the
        prices.
        """
        if self.patterns is None:
            self.patterns = self._list(self.prices)
        if self.patterns is None:
            raise TimeoutError
        ceiling, first = self._box.above(self.prices), self._first * self._box.unit
        return Round(self.patterns, self.prices, ceiling, first, self.params.steps)

    def prove(self, middle: Ints) -> None:
        """Prove what a climb came to, or means with the best prices so far.

        TimeoutError where the time of the run is up.
        """
        params = self.params
        if not self._take(middle):
            self._first *= params.next_step
            for _ in range(params.tries):
                middle = (middle + self.prices) // 2
                if self._take(middle):
                    break
        self._box.follow(self.prices)

    def _take(self, prices: Ints) -> bool:
        """Keep prices if they prove more; return whether they do."""
        self.run.check_time()
        found = self._list(prices)
        return found is not None and self.keep(prices, found)

    def _list(self, prices: Ints) -> Patterns | None:
        """List what is nearly worth opening at prices; None if too much counts."""
        width, least = self._width, self.params.width / 8
        while True:
            threshold = int(width * self._box.unit * self._per_cost)
            found = self.counting_at(prices, self.params.most_incidences, threshold)
            if found is not None:
                self._width = min(2 * max(width, least), self.params.width)
                return found
            if width == 0:
                return None
            width = width / 2 if width > least else 0.0
