"""Patterns near the least cost of their row types: a list linear in the types."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import groupby
from mmap import mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np

from starmin.instances import Certificate, RowTypes, Run, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.bounds.pattern_ranges import (
    UNKNOWN,
    PatternRange,
    SetOfColumns,
    agreeing,
    least_outside,
    sets_by_cost,
)
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LAGRANGIAN_PARAMS,
    LagrangianFunction,
)
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost, note_prices
from starmin.models.lagrangian_relaxation.pricing_distinct import (
    Memory,
    PricingData,
    solve_pricing_k,
    workspace,
)
from starmin.models.lagrangian_relaxation.subgradient import SubgradientMethod
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, PriceUnit

# Compiled loops over the patterns that star the same columns.


@compiled
def near_members(
    groups: Int32s, size: int, counts: Ints, own: Int32s, cost: int, slack: int, k: int
) -> tuple[Ints, Int32s]:
    """List the types near each of the patterns that star the same columns.

    Returns how many types each pattern has that is listed, and the types. See
    ``near_patterns`` for which are.

    ``groups`` has for each type its pattern, of which there are ``size``; ``counts``
    are by type. ``own``, by type, is updated in place: its own cost, the greatest
    number where it is not known yet. These patterns cost ``cost``, and no pattern that
    was not listed before costs less.
    """
    support = np.zeros(size, np.int64)
    near = np.zeros(size, np.int64)
    reach = np.zeros(size, np.int64)
    winner = np.zeros(size, np.bool_)
    for t in range(len(groups)):
        support[groups[t]] += counts[t]
    for t in range(len(groups)):
        g = groups[t]
        if support[g] < k:
            continue
        if own[t] > cost:
            own[t] = cost
        if own[t] + slack >= cost:
            near[g] += 1
            reach[g] += counts[t]
            if own[t] + slack > cost:
                winner[g] = True
    place = np.full(size, -1, np.int64)
    listed, total = 0, 0
    for g in range(size):
        if near[g] > 0 and (winner[g] or reach[g] >= k):
            place[g] = total
            listed += 1
            total += near[g]
    lengths = np.empty(listed, np.int64)
    members = np.empty(total, np.int32)
    listed = 0
    for g in range(size):
        if place[g] >= 0:
            lengths[listed] = near[g]
            listed += 1
    for t in range(len(groups)):
        g = groups[t]
        if place[g] >= 0 and own[t] + slack >= cost:
            members[place[g]] = t
            place[g] += 1
    return lengths, members


@compiled
def note_own_costs(
    groups: Int32s, size: int, counts: Ints, own: Int32s, cost: int, k: int
) -> None:
    """Lower the own costs of types to that of patterns that star the same columns.

    ``groups`` has for each type its pattern, of which there are ``size``, and in which
    a row loses ``cost``. ``own``, by type, is updated in place.
    """
    support = np.zeros(size, np.int64)
    for t in range(len(groups)):
        support[groups[t]] += counts[t]
    for t in range(len(groups)):
        if support[groups[t]] >= k and own[t] > cost:
            own[t] = cost


@dataclass(frozen=True, eq=False)
class NearPatterns:
    r"""The pairs of a pattern and a row type with a cost near the least of the type.

    The *own cost* of a type is that of its cheapest pattern that k rows fit. A pair is
    *near* if the pattern costs at most ``slack`` more than the own cost of the type.
    With the near pairs are those of the coarsest patterns, so that a release within
    them exists whenever there is one.
    """

    patterns: Patterns  # with their near types alone
    own: Ints  # the own cost of each type
    slack: int  # in the unit of costs
    # for each pattern what a row costs there at least beyond its price whose type fits
    # it but is not near, if no price exceeds own cost and slack; in units of
    # ``PriceUnit``
    outside: Ints


def near_patterns(
    run: Run, types: RowTypes, k: int, where: Executor, slack: int | None = None
) -> NearPatterns:
    """List the patterns that cost at most ``slack`` more than their types pay at least.

    Sets of starred columns are taken in the order of their costs, so that the own cost
    of a type is known when the first pattern is met that k rows fit. Such a pattern is
    listed if its near types have k rows, or if one of them may have a price above its
    cost: all others have no choice of negative value at prices up to own cost and
    slack (``starmin.models.lagrangian_relaxation.price_bound``).

    The problem is k-anonymity and stars, and ``types`` are by QI; the sets of one cost
    are looked at side by side in ``where``: threads. ``slack``, by default what a star
    costs on average, is in the unit of costs; for prices at least 1. Raises
    NotSupportedError where more than 12 columns may be starred, and TimeoutError where
    the time of the run was up.

    Notes
    -----
    A group-by of the m types for each set of columns that is near for some type: no
    more than 2^d. The pairs are some 25 m on census tables where all are 200 m.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from starmin.instances import KAnonymity, Table
    >>> rows = [["0", "x"], ["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> with ThreadPoolExecutor(1) as where:
    ...     near = near_patterns(
    ...         Run(table, KAnonymity(2)), table.row_types, 2, where
    ...     )
    >>> near.own.tolist(), len(near.patterns)
    ([0, 1, 1], 5)
    """
    table, unit = run.table, PriceUnit.of(run.table, run.objective)
    if slack is None:
        slack = usual_slack(run)
    sets, costs = sets_by_cost(run)
    columns = [np.ascontiguousarray(column) for column in types.codes.T]
    own = np.full(len(types), UNKNOWN, np.int32)

    def members(starred: Bools, cost: int, slack: int) -> tuple[Ints, Int32s]:
        run.check_time()
        groups, size = agreeing(columns, table.qi_cardinalities, starred)
        found: tuple[Ints, Int32s] = near_members(
            groups, size, types.counts, own, cost, slack, k
        )
        return found

    parts: list[tuple[int, int, Ints, Int32s]] = []
    coarsest = len(sets) - 1
    for cost, level in groupby(range(coarsest), key=costs.tolist().__getitem__):
        outside = least_outside(own, cost, slack, unit)
        if outside is not None:
            those = list(level)
            lists = where.map(
                lambda at: members(sets[at], int(costs[at]), slack), those
            )
            for at, (lengths, found) in zip(those, lists, strict=True):
                parts.append((at, outside, lengths, found))
    everything = members(sets[coarsest], int(costs[coarsest]), UNKNOWN)
    parts.append((coarsest, INFEASIBLE, *everything))
    many = [len(lengths) for _, _, lengths, _ in parts]
    starts = np.concatenate([[0], np.cumsum(np.concatenate([p[2] for p in parts]))])
    listed = np.concatenate([part[3] for part in parts])
    of = np.repeat([part[0] for part in parts], many)
    nodes = types.codes[listed[starts[:-1]]]
    nodes[sets[of]] = -1
    far = np.repeat(np.array([part[1] for part in parts], np.int64), many)
    patterns = Patterns(nodes, costs[of], starts, listed, types, unit)
    return NearPatterns(patterns, own.astype(np.int64), slack, far)


def usual_slack(run: Run) -> int:
    """Return what a star costs on average, at least 1."""
    return max(1, round(mean_star_cost(run.table, run.objective)))


# The subgradient method on the patterns near the least cost of their row types.


class NearPrices(SubgradientMethod):
    """Prices of row types, none above own cost and slack, and the bound they prove.

    The bound holds for all patterns. One that is not listed has no choice of negative
    value, for none of its types has a price above its cost. In one that is, a copy of a
    type that is not near costs more than ``NearPatterns.outside`` beyond its price, and
    there are taken to be as many of them as are wanted.

    The first prices are the own costs, so the bound is never below their sum. No
    certificate is made on the way: that takes as long as many steps.

    The run learns the bounds, and its time ends the search. ``own`` is by type,
    ``slack`` in the unit of costs; ``function`` returns the bound of prices on the near
    patterns, and a supergradient.
    """

    method = "lagrangian"

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        own: Ints,
        slack: int,
        function: Callable[[Ints], tuple[int, Ints]],
    ) -> None:
        params = LAGRANGIAN_PARAMS
        first = params.first_step * mean_star_cost(run.table, run.objective)
        unit = PriceUnit.of(run.table, run.objective)
        super().__init__(run, own * unit.per_cost, types.counts, first, params)
        self.types, self._function = types, function
        self._shared: Callable[[], AbstractContextManager[None]] = nullcontext
        self.ceiling = (own + slack).astype(np.float64)

    @classmethod
    def of_list(cls, run: Run, near: NearPatterns, k: int) -> "NearPrices":
        """Return prices on a list that is in memory as a whole."""
        function = LagrangianFunction(near.patterns, k, 1, outside=near.outside)
        found = cls(run, near.patterns.row_types, near.own, near.slack, function)
        found._shared = function.shared
        return found

    def estimate(self, steps: int) -> None:
        """Take a few steps: too few for a good bound, but enough for a search."""
        with self._shared():
            self.improve_once(self._first, steps)

    def improve(self, tolerance: float) -> None:
        """As that of all subgradient methods; a list is priced by whoever is free."""
        with self._shared():
            super().improve(tolerance)

    def take_up(self, prices: Ints) -> None:
        """Go on from prices that such a search has found before."""
        self.prices = prices
        self._evaluate(prices)
        self._note()

    @property
    def bound(self) -> int:
        """What the best prices prove."""
        return max(0, self.unit.bound(self.value))

    def certify(self, run: Run) -> None:
        """Tell a run on the same problem the bound, with its certificate."""
        if self.iterations:
            note_prices(run, self.types, self.prices, self.bound, self.method)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return self._function(prices)

    def _certificate(self, bound: int) -> Certificate | None:
        return None


# Near patterns by ranges: each is listed, and priced, where there is room for it.


class RangeArrays(NamedTuple):
    """The near patterns of a range, as arrays in one file.

    The members of pattern p stand in ``members[starts[p] : starts[p + 1]]``.
    """

    starts: Ints
    cost: Ints  # cost, outside: by pattern, in units of ``PriceUnit``
    outside: Ints
    # for each pattern ``Memory.next_look``. It changes in the file, so that any worker
    # goes on with it.
    looks: Ints
    # types, counts: of each member its number among all row types, and its copies
    types: Ints
    counts: Ints
    members: Int32s  # row types, numbered within the range

    def save(self, path: Path) -> None:
        """Write them: their lengths, and one after the other."""
        with path.open("wb") as file:
            np.array([len(array) for array in self], np.int64).tofile(file)
            for array in self:
                array.tofile(file)

    @classmethod
    def load(cls, path: Path) -> "RangeArrays":
        """Map them to memory; what is not looked at is not read."""
        with path.open("r+b") as file:
            mapped = mmap(file.fileno(), 0)
        count = len(cls._fields)
        lengths = np.frombuffer(mapped, np.int64, count).tolist()
        at, arrays = 8 * count, []
        for name, length in zip(cls._fields, lengths, strict=True):
            kind = np.dtype(np.int32 if name == "members" else np.int64)
            arrays.append(np.frombuffer(mapped, kind, length, at))
            at += length * kind.itemsize
        return cls(*arrays)


def list_range(
    table: Table,
    own: Int32s,
    piece: PatternRange,
    sets: Sequence[SetOfColumns],
    k: int,
    unit: PriceUnit,
    file: Path,
) -> tuple[Ints | None, int]:
    """List the near patterns of a range, and write them to a file.

    Returns the row types that are listed, None where no pattern is; and how many pairs
    there are. ``table`` is the counted one of the row types, ``own`` the own cost of
    each type; ``sets`` are those of starred columns that the range ``piece`` has.
    Whoever reaches the file may price the range.
    """
    assert table.counts is not None
    rows = np.arange(len(own))
    if piece.kept >= 0:
        values = table.codes[piece.kept]
        rows = rows[(values >= piece.low) & (values < piece.high)]
    columns = [np.ascontiguousarray(codes[rows]) for codes in table.codes]
    counts, known = table.counts[rows], own[rows]
    lengths, members, cost, outside = [], [], [], []
    for each in sets:
        groups, size = agreeing(columns, table.qi_cardinalities, each.starred)
        many, found = near_members(
            groups, size, counts, known, each.cost, each.slack, k
        )
        lengths.append(many)
        members.append(found)
        cost.append(np.full(len(many), each.cost * unit.per_cost))
        outside.append(np.full(len(many), each.outside))
    all_members = np.concatenate(members)
    if len(all_members) == 0:
        return None, 0
    used = np.zeros(len(rows), bool)
    used[all_members] = True
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    RangeArrays(
        starts,
        np.concatenate(cost),
        np.concatenate(outside),
        np.zeros(len(starts) - 1, np.int64),
        rows[used],
        counts[used],
        place[all_members],
    ).save(file)
    return rows[used], len(all_members)


def price_ranges(
    prices: Ints, unit: PriceUnit, risen: int, k: int, files: Sequence[Path]
) -> list[tuple[int, Ints]]:
    """Solve the pricing problems of some ranges.

    Returns for each range, one a file, the sum of ``min(0, f_p)`` over its patterns,
    and what is chosen of each of its types, as a number that is not positive.
    ``prices`` are of all row types, in this unit; ``risen`` is by how much they rose at
    most since the first call, one call after the other.
    """
    found, nothing = [], np.ones(0, np.int64)
    for file in files:
        here = RangeArrays.load(file)
        chosen = np.zeros(len(here.counts), np.int64)
        none = np.zeros(len(here.counts), np.int32)
        listed = here.starts, here.members, here.cost, here.counts, none
        data = PricingData(*listed, k, 1, here.outside)
        memory, room = Memory(here.looks, nothing), workspace(data)
        own = prices[here.types]
        gains = solve_pricing_k(data, own, risen, memory, room, chosen)
        found.append((unit.total(gains), chosen))
    return found
