"""The choice of groups of a diverse release whose rows are dealt anew."""

from dataclasses import replace

import numpy as np

from heuristics.diving.dive import Floats, Ints
from heuristics.diving.dive_loops import what_fits
from heuristics.diving.group_dive import GroupDive
from heuristics.diving.group_order import mean_places
from heuristics.diving.pilot_method import FILLS
from instances import BoolArray
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR
from models.pricing.pattern_pool import PatternPool

_FIRST_ROWS, _LEAST_ROWS = 6_000, 200
_MOST_SHARE = 0.5  # of the rows
_MOVED = 3  # the kind that is not dived for
_MOVED_BY = 2  # as many rows for moves alone
_GROW, _SHRINK, _CUT = 1.1, 0.9, 0.7
_MEMORY = 0.7  # of the weight of a kind of part, at each update


class GroupNeighbourhoods:
    """Chooses groups of a release that are broken up, or only improved by moves.

    Rows of broken groups are dealt by a dive (``heuristics.diving.dive``) on them
    alone, and by moves of ``heuristics.annealing.pattern_annealing`` at a low
    temperature. Groups of other rows stay as they are, so any part that costs less can
    take the place of the old one: groups rendered alike are one group then, and diverse
    still.

    Kinds: the groups that pay most beyond what their rows are worth by the prices,
    with some noise; random groups; groups of rows that are next to each other after
    sorting by a random order of the columns, for a dive or for moves alone. Those that
    gained more of late are chosen more often; parts that gain nothing shrink. By how
    many fills a dive should go differs from part to part, and is drawn.

    Parameters
    ----------
    pool
        The patterns and prices. One sensitive column.
    k, l
        The requirement, l > 1.
    rng
        Source of all choices.
    part_limit
        Seconds for one part.

    Attributes
    ----------
    width
        Of the dives for parts: 1 for plain ones (``heuristics.diving.pilot_method``).
    """

    complete = False  # no part proves that nothing is cheaper

    def __init__(
        self,
        pool: PatternPool,
        k: int,
        l: int,
        rng: np.random.Generator,
        part_limit: float = 8.0,
    ) -> None:
        self.types, self.k, self.l, self.rng = pool.types, k, l, rng
        self.part_limit, self.width = part_limit, 1
        self.prices = pool.prices / DENOMINATOR
        self.values = pool.types.sensitive[:, 0].astype(np.int32)
        self.patterns = patterns = pool.patterns
        self._order = np.lexsort((self.values[patterns.types], patterns.pattern))
        self._by_value = patterns.types[self._order]
        self.cost = patterns.cost[patterns.pattern]
        self.kinds = (self._worst, self._random, self._block, self._block)
        self.weights = np.ones(len(self.kinds))
        self.rows = np.array([1.0, 1.0, 1.0, _MOVED_BY]) * _FIRST_ROWS
        self.most = _MOST_SHARE * float(pool.types.counts.sum())

    def whole(self, loads: Ints, limit: float) -> GroupDive:
        """All groups, for a plain dive."""
        used = np.bincount(self.patterns.pattern, loads, minlength=len(self.patterns))
        return self._part(0, loads, used > 0, True, (FILLS[0], 1), limit)

    def propose(
        self, loads: Ints, remaining: float, busy: BoolArray | None = None
    ) -> GroupDive | None:
        """A part to solve, without the types marked ``busy``; None if it is empty."""
        pattern = self.patterns.pattern
        size = np.bincount(pattern, loads, minlength=len(self.patterns))
        if busy is not None:
            taken = (loads > 0) & busy[self.patterns.types]
            size[np.unique(pattern[taken])] = 0
        groups = np.flatnonzero(size)
        if len(groups) == 0:
            return None
        weights = self.weights / self.weights.sum()
        kind = int(self.rng.choice(len(self.kinds), p=weights))
        order = groups[np.argsort(self.kinds[kind](loads, size)[groups])]
        rows = min(max(float(self.rows[kind]), _LEAST_ROWS), self.most)
        count = int(np.searchsorted(np.cumsum(size[order]), rows)) + 1
        chosen = np.zeros(len(size), bool)
        chosen[order[:count]] = True
        limit = min(self.part_limit, remaining)
        how = int(self.rng.choice(FILLS)), self.width
        return self._part(kind, loads, chosen, kind != _MOVED, how, limit)

    def merge(
        self, loads: Ints, part: GroupDive, found: Ints, seconds: float
    ) -> Ints | None:
        """The loads with the groups found for a part, if they cost less."""
        gain = part.cost(part.loads) - part.cost(found)
        self._learn(part, gain, seconds)
        if gain <= 0:
            return None
        after = loads.copy()
        after[part.incidences] += found - part.loads
        return after

    def _learn(self, part: GroupDive, gain: int, seconds: float) -> None:
        # By rows, not seconds, so that the same seed finds the same release.
        kind, rate = part.kind, max(gain, 0) / float(part.patterns.counts.sum())
        self.weights[kind] = _MEMORY * self.weights[kind] + (1 - _MEMORY) * rate
        self.weights = np.maximum(self.weights, 0.1 * self.weights.max())
        if seconds >= part.limit:
            factor = _CUT
        elif part.dive:
            factor = _GROW if gain > 0 else _SHRINK
        else:
            factor = _GROW
        self.rows[kind] = min(max(factor * self.rows[kind], _LEAST_ROWS), self.most)

    def _part(
        self,
        kind: int,
        loads: Ints,
        chosen: BoolArray,
        dive: bool,
        how: tuple[int, int],
        limit: float,
    ) -> GroupDive:
        """The rows of the chosen groups, and what they can be groups of."""
        whole = self.patterns
        mine = np.where(chosen[whole.pattern], loads, 0)
        counts = np.bincount(whole.types, mine, minlength=len(self.types))
        counts = counts.astype(np.int64)
        some, starts, sorted_incidences = what_fits(
            whole.starts, self._by_value, self.values, counts, self.k, self.l
        )
        incidences = self._order[sorted_incidences]
        free = counts > 0
        number = np.cumsum(free) - 1
        types = self.types
        return GroupDive(
            kind,
            free,
            incidences,
            Patterns(
                whole.nodes[some],
                whole.cost[some],
                starts,
                number[whole.types[incidences]].astype(np.int32),
                counts[free],
            ),
            replace(
                types,
                codes=types.codes[free],
                sensitive=types.sensitive[free],
                counts=counts[free],
            ),
            mine[incidences],
            self.prices[free],
            self.k,
            self.l,
            dive,
            *how,
            limit,
            int(self.rng.integers(2**31)),
        )

    def _worst(self, loads: Ints, size: Ints) -> Floats:
        """By what their rows pay beyond their worth, the most first; with noise."""
        patterns = self.patterns
        excess = loads * (self.cost - self.prices[patterns.types])
        each = np.bincount(patterns.pattern, excess, minlength=len(size))
        each = np.asarray(each / np.maximum(size, 1))
        spread = float(each[size > 0].std())
        return -(each + spread * self.rng.standard_normal(len(each)))

    def _random(self, loads: Ints, size: Ints) -> Floats:
        return self.rng.random(len(size))

    def _block(self, loads: Ints, size: Ints) -> Floats:
        """By the mean place of their rows in a random order of the columns."""
        return mean_places(self.types.codes, self.patterns, loads, self.rng)
