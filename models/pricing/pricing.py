"""The patterns that matter at given prices, and the loop of all column generations."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from starmin.instances import NotSupportedError, Run, group_by
from starmin.instances.arrays import Int32s, Ints
from starmin.models.patterns.patterns import MOST_INCIDENCES, Patterns, Sought
from starmin.models.price_unit import ANY_COST, PriceUnit
from starmin.models.pricing import pricing_search as walks

# The loop of all column generations: climb on a list, prove by all, list anew.

Found = TypeVar("Found")


class Round(NamedTuple):
    """A climb on a list."""

    listed: Patterns  # the patterns
    # prices, ceiling: to begin with, and what they never exceed, in units of
    # ``PriceUnit``; None for no ceiling
    prices: Ints
    ceiling: Ints | None
    # first, steps: the first step, in the unit of costs, and how many there are; None
    # for those of the subgradient method
    first: float
    steps: int | None
    # whether the prices to begin with tell which patterns may matter
    is_good: bool = False


class PriceRounds(ABC, Generic[Found]):
    """Prices that climb on one list after the other, by a rule for the next list."""

    run: Run[Any]  # its time ends the rounds, and so does a gap that is closed
    value: int  # what the best prices prove, in units of ``PriceUnit``, exact

    def rounds(self, first: Round | None, tolerance: float) -> None:
        """Climb, prove and list, until the rule ends it.

        ``first`` is None for no round at all. A round that gains less than the share
        ``tolerance`` of the bound may be the last. TimeoutError where the time of the
        run is up.
        """
        now = first
        while now is not None and not self.run.closed:
            before = self.value
            prices, found, estimate = self.climb(now)
            last = now._replace(prices=prices)
            now = self.follow(last, found, estimate, before, tolerance)

    @abstractmethod
    def climb(self, now: Round) -> tuple[Ints, Found, int]:
        """Climb on a list, and find out what the prices reached prove.

        Returns the prices, what the proof found for the next list, and what the list
        alone proves: where it lacks patterns, an estimate.
        """

    @abstractmethod
    def follow(
        self, last: Round, found: Found, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Return the next round; None at the end.

        ``last`` is the round that was climbed, with the prices that were reached;
        ``found`` and ``estimate`` are as in ``climb``. ``before`` is what was proven
        before this round; a gain of less than the share ``tolerance`` of the bound is
        too little.
        """


_WORK_AT_A_TIME = 1_000_000  # members looked at between two checks


def priced_patterns(
    sought: Sought,
    prices: Ints,
    *,
    threshold: int = 0,
    by_sets: bool = False,
    most_incidences: int = MOST_INCIDENCES,
) -> Patterns | None:
    r"""Find the patterns whose best fill is worth less than a threshold.

    Returns None where they have more than ``most_incidences`` pairs of a pattern and a
    member. ``prices``, by type, and ``threshold``, not negative, are in units of
    ``PriceUnit``. With ``by_sets``, for a search, losses and l-diversity, types are
    left out that are in fills worth less than the threshold, but in no set of l rows
    that is (``starmin.models.patterns.descent``). NotSupportedError where there are
    more than 62 columns.

    In a price bound (``starmin.models.lagrangian_relaxation.price_bound``) only
    patterns count whose best fill :math:`f_p(\lambda)` is negative. They are found by
    deciding column after column whether to keep or to star it: a set of types that
    agree on the columns kept so far, all others open yet, is split by the next column
    if that is kept, and pays for it if it is starred. What lies below such a set S is a
    subset of it at a higher cost, so a fill of it is a fill of S that costs no more
    there:

    .. math::

        p \text{ below } (S, c) \implies f_p(\lambda) \ge f_{S,c}(\lambda) =
        \min \Big\{\sum_{t \in S} (c - \lambda_t) x_t :
        \sum x_t \ge k, \; 0 \le x \le s\Big\}.

    Four rules follow, all inherited by everything below a set:

    - **Fill.** Where :math:`f_{S,c}` is at least the threshold, nothing below counts.
    - **Members.** Let :math:`g = \sum_{t \in S} (\lambda_t - c)^+ s_t`. A type with
      :math:`c - \lambda_t \ge g + threshold` is in no fill below the threshold, as
      the rest of the fill is worth -g at best. It is dropped.
    - **Stars.** A column is starred only where the rows of a group differ. Where the
      members left agree on a starred column, a group contains a type that was
      dropped, and is worth the threshold or more.
    - **Values.** Likewise where they have fewer than l values of a sensitive column.

    Fills grow as prices fall. So with threshold 0 the patterns found at prices
    :math:`u` are all that count in the bound of any prices :math:`\lambda \le u`, and
    so are their members: within this box the bound over the patterns found is exact.

    Members are kept in order of falling prices, so that a fill is seen from the first
    few of them. 27,253 rows by 16 columns: a second at good prices.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> prices = np.full(3, 3 * PriceUnit.of(table, STARS).per_cost // 2)
    >>> found = priced_patterns(Sought(table, table.row_types, STARS, k=2), prices)
    >>> found.starred.tolist(), found.types.tolist()
    ([[False, True], [True, False]], [1, 2, 0, 1])
    """
    table, types, objective, k, l, check = sought
    if objective.by_node:
        from starmin.models.patterns.node_patterns import priced_node_patterns

        return priced_node_patterns(
            *(sought, prices),
            threshold=threshold,
            by_sets=by_sets,
            most_incidences=most_incidences,
        )
    if table.d > walks.MOST_COLUMNS:
        raise NotSupportedError(
            f"Expected at most {walks.MOST_COLUMNS} columns, got {table.d}."
        )
    # Columns with many values first: they tell most rows apart.
    columns = np.argsort([-c for c in table.qi_cardinalities], kind="stable")
    room = min(most_incidences, MOST_INCIDENCES)
    order = np.argsort(-prices, kind="stable")
    unit = PriceUnit.of(table, objective)
    unit.expect(prices)
    stars = objective.column_weights(table) * unit.per_cost
    stars[objective.kept(table)] = -1
    codes = np.ascontiguousarray(types.codes[np.ix_(order, columns)].T)
    shape = (table.d + 1, len(types))
    widest = max(*table.qi_cardinalities, len(types))
    least = max(k, l)
    may = np.where(stars[columns] >= 0, stars[columns], ANY_COST)
    left = np.minimum.accumulate(may[::-1])[::-1]  # the cheapest star from each on
    walk = walks.Walk(
        codes=codes,
        counts=types.counts[order],
        prices=prices[order],
        values=np.ascontiguousarray(types.sensitive[order].T),
        suffixes=_suffixes(codes, [table.qi_cardinalities[j] for j in columns]),
        star=stars[columns],
        cheapest=np.where(left < ANY_COST, left, -1),
        k=least,
        l=l,
        threshold=min(threshold, ANY_COST // 2),
        members=np.empty(shape, np.int32),
        ends=np.zeros((table.d, widest), np.int32),
        distinct=np.empty((table.d, widest), np.int32),
        seen=np.full(int(types.sensitive.max(initial=0)) + 1, -1, np.int32),
        stack=np.empty((table.d + 1, walks.STACK), np.int64),
        types=np.empty(room, np.int32),
        starts=np.empty(room // 2 + 2, np.int64),
        cost=np.empty(room // 2 + 1, np.int64),
        starred=np.empty(room // 2 + 1, np.int64),
        state=np.zeros(5, np.int64),
    )
    walks.start(walk)
    while walk.state[walks.LEVEL] >= 0:
        check()
        walk.state[walks.WORK] = _WORK_AT_A_TIME
        walks.walk_on(walk)
        if walk.state[walks.FULL]:
            return None
    found = int(walk.state[walks.PATTERNS])
    starts = np.append(walk.starts[:found], walk.state[walks.INCIDENCES])
    mask = np.zeros((found, table.d), bool)
    for bit, column in enumerate(columns):
        mask[:, column] = walk.starred[:found] >> bit & 1
    members = order[walk.types[: starts[-1]]].astype(np.int32)
    return Patterns(
        np.where(mask, np.int32(-1), types.codes[members[starts[:-1]]]),
        walk.cost[:found] // unit.per_cost,
        starts,
        members,
        types,
        unit,
    )


def _suffixes(codes: Int32s, cardinalities: Sequence[int]) -> Int32s:
    numbers = np.zeros_like(codes)
    below, size = np.zeros(codes.shape[1], np.int32), 1
    for column in reversed(range(len(codes))):
        groups = group_by([codes[column], below], [cardinalities[column], size])
        numbers[column] = below = groups.inverse
        size = groups.size
    return numbers


# Prices below a ceiling, and the patterns that count there.

_NEAR = 0.1  # of the room: there a price is taken to want more
_FLOOR = 1e-9  # of the unit: less room is none


class PriceBox:
    r"""A ceiling above prices, with room for each type as its price has needed it.

    The patterns that count at prices u (``starmin.models.pricing.pricing``) are all
    that count at any prices :math:`\lambda \le u`: below this ceiling the bound of a
    few patterns is the bound of all, and needs no correction. Types whose price came
    near the ceiling get twice the room above it, the others half, so that few patterns
    are left in the end.

    ``room`` is given as that at first, the same for all types, the least and the most
    of it; the attribute is by type. All are in units of ``unit``, a price in the unit
    of costs. There is less room where patterns would have more pairs with types than
    ``most_incidences``. ``ceiling`` is that of the last list, by type and in units of
    ``PriceUnit``.
    """

    def __init__(
        self,
        sought: Sought,
        unit: float,
        room: tuple[float, float, float],
        most_incidences: int = MOST_INCIDENCES,
    ) -> None:
        self._sought = sought
        self._prices = PriceUnit.of(sought.table, sought.objective)
        self.unit, self.most_incidences = unit, most_incidences
        first, self._least, self._most = room
        self.room = np.full(len(sought.types), first)
        self.ceiling = np.zeros(len(sought.types), np.int64)

    def list(self, prices: Ints) -> Patterns | None:
        """Put the ceiling above prices, lower where too much counts; return what does.

        None where too many patterns count even at the prices themselves.
        """
        while self.room.max() >= _FLOOR:
            if (found := self.list_once(prices, self.most_incidences)) is not None:
                return found
            self.room = self.room / 2
        return None

    def list_once(self, prices: Ints, most_incidences: int) -> Patterns | None:
        """Put the ceiling above prices; return what counts there, None for too much."""
        above = self.above(prices)
        return priced_patterns(self._sought, above, most_incidences=most_incidences)

    def above(self, prices: Ints) -> Ints:
        """Put the ceiling above prices, and return it."""
        room = self._prices.clipped(self.room * (self.unit * self._prices.per_cost))
        self.ceiling = self._prices.clipped(prices + np.maximum(room, 1))
        return self.ceiling

    def follow(self, prices: Ints) -> None:
        """Give types room by how near to the ceiling prices have come."""
        room = self.room * (self.unit * self._prices.per_cost)
        near = prices > self.ceiling - _NEAR * room
        room = self.room * np.where(near, 2.0, 0.5)
        self.room = np.clip(room, self._least, self._most)
