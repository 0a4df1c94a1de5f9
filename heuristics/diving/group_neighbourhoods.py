"""Choose groups of a diverse release to be dealt anew: destroy operators.

Groups that are alike are next to each other in the order of ``mean_places``.
"""

from dataclasses import dataclass

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import seed_moves
from starmin.heuristics.annealing.pattern_moves import anneal_batches
from starmin.heuristics.annealing.start import loads_in, state_of
from starmin.heuristics.diving.dive import (
    Clock,
    Dive,
    Each,
    pilot_dive,
    some_patterns,
    some_types,
    what_fits,
)
from starmin.heuristics.diving.dive_params import DIVING_PARAMS, DivingParams
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.runs.search_control import clock, stopping
from starmin.models.pattern_program.neighbourhood import OperatorWeights, random_order
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.pool_sources import PatternPool

# The number of the operator whose groups are improved by moves alone.
_MOVED = 3
_PART_LIMIT = 8.0  # seconds for one neighbourhood


def mean_places(patterns: Patterns, loads: Ints, rng: np.random.Generator) -> Floats:
    """Return by pattern the mean place of its rows in a random sorted order; empty: 0.

    ``rng`` draws the order of the columns, and the type that comes first.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> rows = [["0", "x"], ["0", "y"], ["1", "z"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, 2)
    >>> patterns.types.tolist()
    [0, 1, 0, 1, 2]
    >>> loads = np.array([1, 1, 0, 0, 1])
    >>> places = mean_places(patterns, loads, np.random.default_rng(0))
    >>> sorted(places.tolist()) in ([0.0, 1.5], [0.5, 2.0], [1.0, 1.0])
    True
    """
    codes = patterns.row_types.codes
    place = np.empty(len(codes))
    place[random_order(codes, rng)] = np.arange(len(codes))
    rows = np.bincount(patterns.pattern, loads, minlength=len(patterns))
    total = np.bincount(
        patterns.pattern, loads * place[patterns.types], minlength=len(patterns)
    )
    return np.asarray(total / np.maximum(rows, 1))


@dataclass(frozen=True, eq=False)
class Part:
    """Some groups of a release: their rows are a table of their own."""

    # the row types with the copies that are in these groups, and their patterns; what a
    # release costs at least that uses them is not known
    pool: PatternPool
    incidences: Ints  # of the whole, those of this pool
    loads: Ints  # the groups, as copies by incidence of this pool

    @classmethod
    def of(
        cls,
        whole: PatternPool,
        chosen: Ints | Bools,
        patterns: Patterns,
        incidences: Ints,
        loads: Ints,
    ) -> "Part":
        """Return the part of the chosen types, whose ``patterns`` are given."""
        pool = PatternPool(patterns, whole.prices[chosen], np.zeros(0, np.int64))
        return cls(pool, incidences, loads)

    def cost(self, loads: Ints) -> int:
        """Return what these loads cost."""
        patterns = self.pool.patterns
        return int(loads @ patterns.cost[patterns.pattern])

    def merged(self, whole: Ints, found: Ints) -> Ints:
        """Return the loads of the whole with other loads of this part."""
        after = whole.copy()
        after[self.incidences] += found - self.loads
        return after


@dataclass(frozen=True, eq=False)
class GroupDive:
    """Some groups of a release that are to be dealt anew."""

    # by which rule they were chosen; by _MOVED groups are improved, else forgotten
    kind: int
    free: Bools  # the types, of the whole, with rows in these groups
    part: Part
    k: int  # k, l: the requirement
    l: int
    window: int  # number of steps that the averages of a plain dive are taken over
    width: int  # ways in which each stage of the dive is tried; 1 for a plain one
    limit: float  # seconds
    seed: int  # of the moves
    params: DivingParams = DIVING_PARAMS

    def solve(self, each: Each = map) -> tuple[Ints, float]:
        """Deal the same rows anew, or improve their groups; return loads and seconds.

        ``each`` is how the ways of a stage are tried.
        """
        started = clock()

        def left(share: float = 1.0) -> float:
            if stopping():
                return 0.0
            return share * self.limit - (clock() - started)

        params, pool, loads = self.params.groups, self.part.pool, self.part.loads
        if self.kind != _MOVED:
            loads = self._dive(lambda: left(params.dive_share), each)
        state = state_of(pool, self.k, self.l, loads)
        seed_moves(self.seed)
        proposals = min(len(pool.types), params.proposals)
        while proposals > 0 and left() > 0:
            anneal_batches(state, 1, params.batch, params.cold * pool.patterns.star)
            proposals -= params.batch
        return loads_in(state, pool.patterns), clock() - started

    def _dive(self, clock: Clock, each: Each) -> Ints:
        """Dive for all rows: plainly, or with a look ahead."""
        pool, faster = self.part.pool, self._faster()
        patterns, prices = pool.patterns, pool.worth
        dive = Dive(patterns, self.k, self.l, clock, self.params.dive)
        if self.width == 1:
            return dive(patterns.counts, prices, self.window, faster)
        given = patterns.counts, prices, faster, self.width, each
        return pilot_dive(dive, *given, self.params.pilot)

    def _faster(self) -> float:
        """Return how many times as fast as the rows the reserves may fall."""
        params, types = self.params.groups, self.part.pool.types
        rows = float(types.counts.sum())
        most = float(np.bincount(types.sensitive[:, 0], types.counts).max())
        if rows > params.many and self.l * most > params.tight * rows:
            return params.careful
        return params.faster


class GroupNeighbourhoods:
    """Chooses groups of a release that are broken up, or only improved by moves.

    Rows of broken groups are dealt by a dive on them alone, and by moves of
    ``pattern_annealing`` at a low temperature. Groups of other rows stay as they are,
    so any solution that costs less can take the place of the old one: groups rendered
    alike are one group then, and diverse still.

    Operators: the groups that pay most beyond the prices of their rows, with some
    noise; random groups; groups of rows that are next to each other after sorting by a
    random order of the columns, for a dive or for moves alone. Those that gained more
    of late are chosen more often; neighbourhoods without a gain shrink. What average a
    dive should go by differs among them, and is drawn.

    The pool has one sensitive column, l > 1; ``width`` is the ways in which each stage
    of a dive is tried; 1 for plain dives.
    """

    complete = False  # No neighbourhood proves that nothing is cheaper.

    def __init__(
        self,
        pool: PatternPool,
        k: int,
        l: int,
        rng: np.random.Generator,
        params: DivingParams = DIVING_PARAMS,
    ) -> None:
        self.params = params
        self.pool, self.k, self.l, self.rng = pool, k, l, rng
        self.width = 1
        self.values = pool.types.sensitive[:, 0].astype(np.int32)
        self.patterns = patterns = pool.patterns
        self._order = np.lexsort((self.values[patterns.types], patterns.pattern))
        self._by_value = patterns.types[self._order]
        self.cost = patterns.cost[patterns.pattern]
        self.kinds = (self._worst, self._random, self._block, self._block)
        groups = params.groups
        self.weights = OperatorWeights(len(self.kinds), groups.memory)
        self.rows = np.array([1.0, 1.0, 1.0, groups.moved_by]) * groups.first_rows
        self.most = groups.most_share * float(pool.types.counts.sum())

    def whole(self, loads: Ints, limit: float) -> GroupDive:
        """Return all groups, for a plain dive."""
        used = np.bincount(self.patterns.pattern, loads, minlength=len(self.patterns))
        return self._part(0, loads, used > 0, (self.params.dive.windows[0], 1), limit)

    def propose(
        self, loads: Ints, remaining: float, busy: Bools | None = None
    ) -> GroupDive | None:
        """Return groups to deal anew, without types marked ``busy``; None if empty."""
        pattern = self.patterns.pattern
        size = np.bincount(pattern, loads, minlength=len(self.patterns))
        if busy is not None:
            taken = (loads > 0) & busy[self.patterns.types]
            size[np.unique(pattern[taken])] = 0
        if not size.any():
            return None
        kind = self.weights.draw(self.rng)
        rows = min(
            max(float(self.rows[kind]), self.params.groups.least_rows), self.most
        )
        groups = np.flatnonzero(size)
        score = self.kinds[kind](loads, size)
        order = groups[np.argsort(score[groups], kind="stable")]
        count = int(np.searchsorted(np.cumsum(size[order]), rows)) + 1
        chosen = np.zeros(len(size), bool)
        chosen[order[:count]] = True
        how = int(self.rng.choice(self.params.dive.windows)), self.width
        return self._part(kind, loads, chosen, how, min(_PART_LIMIT, remaining))

    def merge(
        self, loads: Ints, part: GroupDive, found: Ints, seconds: float
    ) -> Ints | None:
        """Return the loads of the release with what was found, if that is cheaper."""
        own = part.part
        gain = own.cost(own.loads) - own.cost(found)
        self._learn(part, gain, seconds)
        return own.merged(loads, found) if gain > 0 else None

    def _learn(self, part: GroupDive, gain: int, seconds: float) -> None:
        """Update the weight and the size of the operator that chose these groups."""
        params = self.params.groups
        # By rows, not seconds, so that the same seed finds the same release.
        kind, rate = part.kind, max(gain, 0) / float(part.part.loads.sum())
        self.weights.update(kind, rate)
        if seconds >= part.limit:
            factor = params.cut
        elif gain > 0 or part.kind == _MOVED:
            factor = params.grow
        else:
            factor = params.shrink
        self.rows[kind] = min(
            max(factor * self.rows[kind], params.least_rows), self.most
        )

    def _part(
        self, kind: int, loads: Ints, chosen: Bools, how: tuple[int, int], limit: float
    ) -> GroupDive:
        """Return the rows of the chosen groups, and what they can be groups of."""
        whole = self.patterns
        mine = np.where(chosen[whole.pattern], loads, 0)
        counts = np.bincount(whole.types, mine, minlength=len(whole.counts))
        counts = counts.astype(np.int64)
        some, starts, sorted_incidences = what_fits(
            whole.starts, self._by_value, self.values, counts, self.k, self.l
        )
        incidences = self._order[sorted_incidences]
        free = counts > 0
        few = some_types(self.pool.types, free, counts)
        number = np.cumsum(free) - 1
        members = number[whole.types[incidences]].astype(np.int32)
        patterns = some_patterns(whole, some, starts, members, few)
        given = self.pool, free, patterns, incidences, mine[incidences]
        return GroupDive(
            *(kind, free, Part.of(*given), self.k, self.l, *how, limit),
            int(self.rng.integers(2**31)),
            self.params,
        )

    def _worst(self, loads: Ints, size: Ints) -> Floats:
        """Rank by what their rows pay beyond their prices, most first; with noise."""
        patterns = self.patterns
        excess = loads * (self.cost - self.pool.worth[patterns.types])
        each = np.bincount(patterns.pattern, excess, minlength=len(size))
        each = np.asarray(each / np.maximum(size, 1))
        spread = float(each[size > 0].std())
        return -(each + spread * self.rng.standard_normal(len(each)))

    def _random(self, loads: Ints, size: Ints) -> Floats:
        """Rank at random."""
        return self.rng.random(len(size))

    def _block(self, loads: Ints, size: Ints) -> Floats:
        """Rank by the mean place of their rows in a random order of the columns."""
        return mean_places(self.patterns, loads, self.rng)
