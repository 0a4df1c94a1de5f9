"""Prices between those that hold and those of known groups, lowered until they hold."""

import heapq
from collections.abc import Callable, Iterator

import numpy as np

from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.runs.search_control import Pace
from starmin.models.bounds.near_types import NO_GROUP, GroupSearch, choose, joined
from starmin.models.bounds.slack_search import least_slack, slack_of_some
from starmin.models.solvers.linear_solver import solve_interior
from starmin.models.solvers.program import INF, Program, Rows

# Lower prices of rows until no group pays less than its prices: loops.


@compiled
def lower_prices(
    s: GroupSearch,
    prices: Ints,
    held: Bools,
    most_work: int,
    dearest: Ints,
    low: Int32s,
    high: Int32s,
) -> tuple[int, int]:
    """Lower prices, the highest first, each by what a group of its row lacks; return
    how many times, and how many types are left to look at.

    Of a group the dearest row is lowered, so that of each row only groups with none
    that is dearer are looked at. ``prices`` are by type and updated in place, and so is
    ``held``: the types with whose rows no group pays less. As many searches are made as
    ``dearest`` has places; it becomes the types that were lowered, ``low`` and ``high``
    the ranges of the groups which lack most: empty, the highest below the lowest, where
    a search was cut short (after ``most_work`` types) before it had met one.
    """
    heap = [(-prices[r], r) for r in range(len(prices)) if not held[r]]
    heapq.heapify(heap)
    lowered = 0
    for _ in range(len(dearest)):
        if len(heap) == 0:
            break
        r = heap[0][1]
        low[lowered], high[lowered] = 0, -1
        ranges = low[lowered], high[lowered]
        asked = s, r, 0, prices[r], prices, held, most_work, *ranges
        lacks, _ = least_slack(*asked)
        if lacks < 0:
            prices[r] = max(0, prices[r] + lacks)
            dearest[lowered] = r
            lowered += 1
            heapq.heapreplace(heap, (-prices[r], r))
        else:
            held[r] = True
            heapq.heappop(heap)
    return lowered, len(heap)


@compiled
def loss_of(s: GroupSearch, rows: Ints) -> int:
    """Return what rows, by their types, lose together as a group."""
    s.low[0] = s.high[0] = s.positions[rows[0]]
    for t in rows:
        choose(s, 0, t, 0)
    return int(len(rows) * joined(s, 0, rows[0], NO_GROUP))


@compiled
def dearest_inside(
    s: GroupSearch, r: int, low: Int32s, high: Int32s, prices: Ints, rows: Ints
) -> int:
    """Note the types of the k dearest rows in some ranges, one of a type among them,
    and return how many there are, at most k.
    """
    inside = np.empty(len(prices), np.int64)
    size, k = 0, s.k
    s.low[0], s.high[0] = low, high
    paid = joined(s, 0, r, NO_GROUP)
    for t in range(len(prices)):
        if joined(s, 0, t, paid + 1) <= paid:
            inside[size] = t
            size += 1
    rows[0], many = r, 1
    s.met[s.values[r]] = 1
    for at in np.argsort(-prices[inside[:size]]):
        t = inside[at]
        copies = s.counts[t] - (1 if t == r else 0)
        for _ in range(min(k - many, copies, s.most - s.met[s.values[t]])):
            rows[many] = t
            many += 1
            s.met[s.values[t]] += 1
    s.met[:] = 0
    return many


@compiled
def grow_groups(
    s: GroupSearch, begin: int, most: int, prices: Ints, slack: int
) -> tuple[Ints, Ints]:
    """Grow a group for some types, and note those that pay less than prices and slack.

    From type ``begin`` on ``most`` types are looked at. Returns the types of the rows
    of each group that is noted, and what they lose.
    """
    found, size = np.zeros((most, s.k), np.int64), 0
    costs = np.zeros(most, np.int64)
    for r in range(begin, min(begin + most, len(prices))):
        # The dearest row of a group that pays less pays less than its own price.
        slack_of_some(s, r, prices[r] + slack // s.k + 1, prices)
        low, high = s.low[1].copy(), s.high[1].copy()
        if dearest_inside(s, r, low, high, prices, found[size]) == s.k:
            costs[size] = loss_of(s, found[size])
            if costs[size] < prices[found[size]].sum() + slack:
                size += 1
    return found[:size], costs[:size]


# Generate groups as columns: prices that hold come nearer and nearer to the best.

# Of the way to the prices of the program: at first and at least. It is doubled where
# at least so much of it held, and halved where nothing did.
_STEP, _HELD = 0.1, 0.5
_NEAR = 1e-5  # of its value: the prices are as good as those of the program
_MANY = 6  # groups for each type at first; of more, half are forgotten
# Types that are looked at for one: at first, times that where it is cut, and at most.
_WORK, _MORE, _MOST_WORK = 100_000, 4, 1 << 40
_AT_A_TIME = 16  # searches between two looks at the clock, fewer where they are long


class _Known:
    """The linear program over the groups that are known, in what a row may lose."""

    def __init__(self, counts: Ints, most: int) -> None:
        self._counts, self._most, self._room = counts, most, _MANY * len(counts)
        self._seen = set[bytes]()
        self._rows, self._costs = list[Ints](), list[int]()
        self._prices: Floats | None = None  # unless a group was added since

    def add(self, rows: Ints, cost: int) -> None:
        """Take a group by the types of its rows, unless it is known."""
        rows = np.sort(rows)
        if (name := rows.tobytes()) not in self._seen:
            self._seen.add(name)
            self._rows.append(rows)
            self._costs.append(cost)
            self._prices = None

    def prices(self, seconds: float) -> Floats | None:
        """Return the prices of rows, by type, that known groups pay for, or None.

        A row that is in no group costs the most that it can lose. Where groups are many
        those are forgotten that pay most above their prices.
        """
        if self._prices is not None:
            return self._prices
        m, many = len(self._counts), len(self._rows)
        of = np.repeat(np.arange(many), [len(rows) for rows in self._rows])
        types, alone = np.concatenate([*self._rows, of[:0]]), np.arange(m)
        costs = np.array(self._costs) / self._most
        cover = (types, of, 1), (alone, many + alone, 1)
        every = np.ones(many + m)
        program = Program(
            np.concatenate([costs, np.ones(m)]),
            0 * every,
            INF * every,
            every < 0,
            (Rows.of(m, self._counts, INF, *cover),),
        )
        if (found := solve_interior(program, seconds)) is None:
            return None
        prices = np.maximum(0, found[1])
        # Groups may pay less than these, by what the solver tolerates.
        for group in np.flatnonzero(np.bincount(of, prices[types], many) > costs):
            rows = self._rows[group]
            if (paid := prices[rows].sum()) > costs[group]:
                prices[rows] *= costs[group] / paid
        if many > self._room:
            above = costs - np.bincount(of, prices[types], many)
            share = above / np.maximum(costs, _NEAR)
            those = np.argsort(share, kind="stable")[: self._room // 2]
            self._rows = [self._rows[i] for i in those]
            self._costs = [self._costs[i] for i in those]
            self._seen = {rows.tobytes() for rows in self._rows}
            self._room += m  # so that they are not forgotten for ever
        self._prices = prices * self._most
        return self._prices


def rise_by_groups(
    groups: GroupSearch,
    prices: Ints,
    most: int,
    known: list[Ints],
    check: Callable[[], None],
    remaining: Callable[[], float],
) -> Iterator[Ints]:
    """Visit higher and higher prices that hold, by type in the order of the search.

    Column generation in the dual: the linear program over all known groups has prices
    that are too high. Groups that pay less than these are guessed, by turns with
    proofs: some of the way there from prices that hold, groups that pay less than their
    prices are looked for; they become known, and prices are lowered until they hold. No
    row can lose as much as ``most``. ``known`` are groups to begin with, by the types
    of their rows; ``check`` and ``remaining`` are those of ``Pace``.

    References
    ----------
    Ben-Ameur and Neto (2007): between prices that hold and those that do not.
    """
    program, counts = _Known(groups.counts, most), groups.counts
    for rows in known:
        program.add(rows, loss_of(groups, rows))
    _guess(groups, prices, int(prices.max(initial=0)), program, check)
    best, step, work, guess = float(prices @ counts), _STEP, _WORK, True
    pace = Pace(check, remaining)
    while work < _MOST_WORK and (found := program.prices(remaining())) is not None:
        value = float(found @ counts)
        if value <= (1 + _NEAR) * best:
            return
        if guess := not guess:
            _guess(groups, found.astype(np.int64), 0, program, check)
            continue
        target = (prices + step * (found - prices)).astype(np.int64)
        lowered, met, cut = target.copy(), 0, 0
        for r, low, high in _lowered(groups, lowered, work, pace):
            rows = np.zeros(groups.k, np.int64)
            if low[0] > high[0]:
                cut += 1
            elif dearest_inside(groups, r, low, high, target, rows) == groups.k:
                met += 1
                program.add(rows, loss_of(groups, rows))
        total = float(lowered @ counts)
        held = (total - best) / max(1.0, float(target @ counts) - best)
        if total > best:
            prices, best = lowered, total
            yield prices
        if step == 1 and not met and not cut:
            return  # but for parts of a unit
        if cut > met or (cut and held <= 0):
            work *= _MORE
        if held >= _HELD or not (met or cut):
            step = min(1.0, 2 * step)
        elif held <= 0:
            step = max(_STEP, step / 2)


def _guess(
    groups: GroupSearch,
    prices: Ints,
    slack: int,
    program: _Known,
    check: Callable[[], None],
) -> None:
    """Let groups be known that are grown for prices, and pay less than them."""
    for begin in range(0, len(prices), _AT_A_TIME):
        check()
        found, costs = grow_groups(groups, begin, _AT_A_TIME, prices, slack)
        for rows, cost in zip(found, costs.tolist(), strict=True):
            program.add(rows, cost)


def _lowered(
    groups: GroupSearch, prices: Ints, work: int, pace: Pace
) -> Iterator[tuple[int, Int32s, Int32s]]:
    """Lower prices until they hold; visit types and ranges of groups that paid less.

    The ranges hold until the next ones; they are empty where a search was cut short.
    """
    held, left = np.zeros(len(prices), bool), 1
    at_a_time = max(1, _AT_A_TIME * _WORK // work)
    dearest = np.zeros(at_a_time, np.int64)
    low, high = np.zeros((2, at_a_time, groups.low.shape[1]), np.int32)
    ranges = dearest, low, high
    while left:
        with pace.step(at_a_time * work):
            many, left = lower_prices(groups, prices, held, work, *ranges)
        for i in range(many):
            yield int(dearest[i]), low[i], high[i]
