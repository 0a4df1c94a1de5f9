"""Prices found without listing all patterns: ascent in one box after the other."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import Run
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianSubgradient,
)
from starmin.models.lagrangian_relaxation.price_bound import (
    mean_star_cost,
    note_prices,
    price_step,
)
from starmin.models.patterns.patterns import Patterns, Sought
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pricing import PriceBox, PriceRounds, Round
from starmin.models.pricing.restricted_list import (
    ListedColumns,
    RestrictedList,
    RowSetList,
)

# Prices that climb on the patterns that are nearly worth opening, for losses.


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

    The problem has losses. ``box`` says how far prices may rise in a climb; its unit is
    the mean price. ``patterns`` are those of the last list, all that count at
    ``prices`` among them.
    """

    def __init__(self, run: Run, prices: Ints, value: int, box: PriceBox) -> None:
        super().__init__(run, prices, value)
        self.params, self._box = NearParams(), box
        self._width, self._first = self.params.width, self.params.first
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


_FIRST_STEP = 0.3
_MOST_ROOM, _LEAST_ROOM = 1.0, 1 / 32  # in stars
_FIRST_ROOM = 1 / 16  # for losses, in mean prices: those of the list are good
# Where the list was too short: in mean prices; how many; and incidences of a box.
_FIRST_ROOM_SHORT, _FIRST_STEP_SHORT, _STEPS_SHORT = 1 / 8, 1 / 16, 100
_MOST_SHORT = 1_000_000
_BEFORE_CUTS = 1e-3  # tolerance of the prices that cuts begin with
_BEFORE_CUTS_SHORT = 1e-4  # likewise: further rounds are quick
_SETTLED = 0.05  # of the bound: prices from which a box gains less are good
_SETTLED_NEAR = 0.003  # likewise, of a climb on what is nearly worth opening
_EARLY = 0.25  # of the room: while more than that, small gains are no end


class Boxstep(PriceRounds[None]):
    r"""Column generation in the Lagrangian dual of the pattern formulation.

    List what counts at a ceiling somewhat above the prices
    (``starmin.models.pricing.pricing``), climb below it
    (``starmin.models.bounds.lagrangian``), move the ceiling, and again. Prices of
    losses begin with a list by cost (``RestrictedList``); where that is too short, and
    too much counts below a ceiling, they go on by lists of what is nearly worth opening
    (``NearList``).

    The run learns the bounds and their certificates. There are ``steps`` steps below
    each ceiling, by default those of the subgradient method. Where losses are
    minimised, ``told`` is called with prices that were reached, and with
    ``cuts_follow`` the search ends with prices from a short list, as they will climb
    among cuts (``starmin.models.pricing.cut_prices``).

    ``prices`` are the best so far, in units of ``PriceUnit``, and ``patterns`` are
    those that the last box was listed with. ``has_settled`` says whether the last box
    gained little, or the last two climbs; there were ``boxes`` boxes, and
    ``iterations`` bounds computed in them.
    """

    def __init__(
        self,
        run: Run,
        steps: int | None = None,
        told: Callable[[Ints], None] = lambda prices: None,
        cuts_follow: bool = False,
    ) -> None:
        self.run, self.sought = run, Sought.of(run)
        self._unit = PriceUnit.of(run.table, run.objective)
        self._cuts_follow = cuts_follow
        self.steps, self._told = steps, told
        self.prices, self.value = np.zeros(len(self.sought.types), np.int64), 0
        self.patterns: Patterns | None = None
        self._reached: Ints | None = None
        self.boxes, self.iterations = 0, 0
        self._start: RestrictedList | None = None  # the list that prices begin with
        self._is_short = False
        self._near: NearList | None = None  # where boxes have too much
        self.has_settled = False
        self._in_vain, self._little, self._patience = 0, False, 0
        room = _MOST_ROOM, _LEAST_ROOM, _MOST_ROOM
        star = mean_star_cost(run.table, run.objective)
        self._box = PriceBox(self.sought, star, room)

    @property
    def reached(self) -> Ints:
        """The last prices, good for searches; it may not be known what they prove."""
        return self.prices if self._reached is None else self._reached

    @property
    def is_good(self) -> bool:
        """Whether the last prices are nearly as good as those to be found."""
        return self.has_settled or self.begins_well

    @property
    def begins_well(self) -> bool:
        """Whether a short list of patterns has led to good prices, of losses."""
        return self._start is not None and self._start.is_good

    def improve(self, tolerance: float, patience: int = 2) -> None:
        """Take box after box until some gain too little, or time is up.

        Too little is less than the share ``tolerance`` of the bound, for ``patience``
        boxes in a row. The run knows the best bound when this ends, whatever ends it;
        TimeoutError where its time is up.
        """
        if self.run.objective.by_node:
            self._start_from_list(tolerance)
        elif self.run.certificate is None:
            self._note("column_generation")
        self._in_vain, self._little, self._patience = 0, False, patience
        self._told(self.prices)
        if self._cuts_follow:
            if not self._is_short:
                return
            tolerance = max(tolerance, _BEFORE_CUTS_SHORT)
        self.rounds(self._next(), tolerance)

    def follow(
        self, last: Round, found: None, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Return a climb below a ceiling that follows the prices; None for little gain.

        Or where the last ones in a row gained too little.
        """
        gained = self.value - before
        share = _SETTLED if self._near is None else _SETTLED_NEAR
        # A climb on what is nearly worth opening may have gained little by chance.
        was_little, self._little = self._little, gained <= share * self.value
        self.has_settled = self._little and (was_little or self._near is None)
        small = gained <= tolerance * max(self.value, 1)
        settled = float(np.median(self._box.room)) <= _EARLY
        self._in_vain = self._in_vain + 1 if small and settled else 0
        return self._next()

    def _start_from_list(self, tolerance: float) -> None:
        """Begin with prices from a short list of patterns, proven by all."""

        def take() -> None:
            self.prices, self.value = listed.prices, listed.value
            self.patterns, self.iterations = listed.patterns, listed.iterations
            self._box.unit = price_step(self.run.table, self.run.objective, self.prices)
            self._note(LagrangianSubgradient.method)

        of_values = 1 < self.sought.l >= self.sought.k
        chosen = RowSetList if of_values else RestrictedList
        self._start = listed = chosen(self.run, take, told=self._tell)
        try:
            enough = max(tolerance, _BEFORE_CUTS) if self._cuts_follow else tolerance
            listed.rounds(listed.begin(listed.own_costs()), enough)
        finally:
            self._reached = listed.reached
        self._box.room[:] = _FIRST_ROOM
        if listed.counting is not None:
            self._reached = None
            self._is_short, self._box.room[:] = True, _FIRST_ROOM_SHORT
            first = _FIRST_STEP_SHORT * self._box.unit
            self._climb_below(
                self._below(listed.reached, listed.counting, first, _STEPS_SHORT)
            )

    def _tell(self, prices: Ints) -> None:
        """Tell of prices that a short list led to, not proven yet."""
        self._reached = prices
        self._told(prices)

    def _note(self, method: str) -> None:
        types, bound = self.sought.types, self._unit.bound(self.value)
        note_prices(self.run, types, self.prices, bound, method)

    def _next(self) -> Round | None:
        """List what counts below a ceiling, or nearly does; None at the end.

        TimeoutError where the time of the run is up, or too many patterns count at the
        prices.
        """
        if self.run.closed or self._in_vain >= self._patience:
            return None
        self._reached = None
        if self._near is None and self._is_short:
            listed = self._box.list_once(self.prices, _MOST_SHORT)
            if listed is None:
                self._box.room[:] = _FIRST_ROOM_SHORT
                self._near = NearList(self.run, self.prices, self.value, self._box)
        elif self._near is None:
            listed = self._box.list(self.prices)
        if self._near is not None:
            self._near.run = self.run
            return self._near.next()
        if listed is None:
            raise TimeoutError
        first = _FIRST_STEP * min(1.0, float(np.median(self._box.room)))
        steps = self.steps or (_STEPS_SHORT if self._is_short else None)
        return self._below(self._box.ceiling, listed, first * self._box.unit, steps)

    def _below(
        self, ceiling: Ints, listed: Patterns, first: float, steps: int | None
    ) -> Round:
        """Return a climb below a ceiling on all that counts there."""
        start = np.minimum(self.prices, ceiling)
        return Round(listed, start, ceiling, first, steps, self.is_good)

    def climb(self, now: Round) -> tuple[Ints, None, int]:
        """Climb; what the list says of prices below a ceiling is proven by it."""
        if self._near is None:
            self._climb_below(now)
            self._told(self.prices)
        else:
            self._climb_near(self._near, now)
        return self.prices, None, self.value

    def _climb_near(self, near: NearList, now: Round) -> None:
        """Climb on what is nearly worth opening."""
        self.boxes += 1
        done = near.iterations
        try:
            near.prove(near.climb_on(now).prices)
        finally:
            self.iterations += near.iterations - done
        if near.value > self.value:
            self.prices, self.value = near.prices, near.value
            self.patterns = near.patterns
            self._note(LagrangianSubgradient.method)
        self._told(self.prices)
        self.run.check_time()

    def _climb_below(self, now: Round) -> None:
        """Climb below a ceiling with all that counts there."""
        self.boxes += 1
        ceiling, listed = now.ceiling, now.listed
        assert ceiling is not None
        if len(listed) == 0:
            if (value := int(ceiling @ self.sought.types.counts)) > self.value:
                self.prices, self.value = ceiling, value
            return
        self.patterns = listed
        ascent = LagrangianSubgradient(
            self.run, listed, now.prices, ceiling, is_good=now.is_good
        )
        ascent.improve_once(now.first, now.steps)
        self.iterations += ascent.iterations
        if ascent.value >= self.value:
            self.prices, self.value = ascent.prices, ascent.value
        self._box.ceiling = ceiling
        self._box.follow(self.prices)
        self.run.check_time()
