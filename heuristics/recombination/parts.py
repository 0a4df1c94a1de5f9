"""Parts of a release: whole groups that are near to one another, as problems."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.instances.arrays import Int32s, Ints, distinct
from starmin.instances.loops.compiled import compiled
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.pattern_pool import PatternPool

# Of a part: in smaller ones rows find too few others.
LEAST_TYPES = 4_000
MOST_PARTS = 64


@dataclass(frozen=True, eq=False)
class Part:
    """Some groups of a release, and the patterns that their rows can have."""

    # the row types with the copies that are in these groups, and their patterns
    pool: PatternPool
    incidences: Ints  # for each incidence of this pool its number in the whole
    loads: Ints  # the groups, as copies by incidence of this pool


class Parts:
    """Cuts releases of a pool into parts.

    A pattern that is kept in a part has ``least`` rows. A release has ``count`` parts:
    a power of two that depends on the pool alone, so that what is found does not depend
    on who searches the parts.
    """

    def __init__(self, pool: PatternPool, least: int) -> None:
        self.pool, self._least = pool, least
        most = max(1, len(pool.types) // LEAST_TYPES)
        self.count = min(1 << (most.bit_length() - 1), MOST_PARTS)
        self._first, self._by_type = by_type(pool.patterns.types, len(pool.types))

    def cut(self, loads: Ints, rng: np.random.Generator) -> list[Ints]:
        """Cut a release; return for each part the incidences of its groups.

        Groups are put in order of what they publish in one column after the other, the
        columns and where the first part begins being drawn.
        """
        patterns = self.pool.patterns
        used = np.flatnonzero(loads)
        if self.count == 1:
            return [used]
        open_ = distinct(patterns.pattern[used])
        nodes = patterns.nodes[open_]
        order = np.lexsort(nodes[:, rng.permutation(nodes.shape[1])].T)
        order = np.roll(order, int(rng.integers(len(order))))
        part = np.empty(len(patterns), np.int64)
        part[open_[order]] = np.arange(len(order)) * self.count // len(order)
        of_used = part[patterns.pattern[used]]
        return [used[of_used == number] for number in range(self.count)]

    def part(self, loads: Ints, used: Ints) -> Part | None:
        """Return the part of these incidences; None where there are none."""
        if len(used) == 0:
            return None
        pool, patterns = self.pool, self.pool.patterns
        copies = np.zeros(len(pool.types), np.int64)
        np.add.at(copies, patterns.types[used], loads[used])
        chosen = np.flatnonzero(copies)
        kept, starts, types, incidences = patterns_of_types(
            *(self._first, self._by_type, patterns.pattern, len(patterns)),
            *(chosen, copies, self._least),
        )
        few = replace(
            pool.types,
            codes=pool.types.codes[chosen],
            sensitive=pool.types.sensitive[chosen],
            counts=copies[chosen],
        )
        inside = Patterns(
            patterns.nodes[kept],
            patterns.cost[kept],
            starts,
            types,
            few.counts,
            patterns.unit,
        )
        mine = np.zeros(len(patterns), bool)
        mine[patterns.pattern[used]] = True
        held = np.where(mine[patterns.pattern[incidences]], loads[incidences], 0)
        none = np.zeros(0, np.int64)
        own = PatternPool(few, inside, pool.prices[chosen], none)
        return Part(own, incidences, held)


@compiled
def by_type(types: Int32s, count: int) -> tuple[Ints, Ints]:
    """Return where the incidences of each of so many types begin, and all of these."""
    first = np.zeros(count + 1, np.int64)
    for t in types:
        first[t + 1] += 1
    first = np.cumsum(first)
    at, found = first[:-1].copy(), np.empty(len(types), np.int64)
    for i in range(len(types)):
        found[at[types[i]]] = i
        at[types[i]] += 1
    return first, found


@compiled
def patterns_of_types(
    first: Ints,
    by_type: Ints,
    pattern: Int32s,
    count: int,
    chosen: Ints,
    copies: Ints,
    least: int,
) -> tuple[Ints, Ints, Int32s, Ints]:
    """Return the patterns that enough copies of some types fit.

    The incidences of type t are ``by_type[first[t] : first[t + 1]]``; ``pattern`` is
    the pattern of each incidence, and ``count`` how many patterns there are. ``chosen``
    are the types, ``copies`` how many copies of each there are, and ``least`` so many
    are enough.

    Returns the patterns that are kept; their members as in
    ``starmin.models.patterns.patterns``, starts and types, by their number in
    ``chosen``; and the number of each incidence.
    """
    support, sizes = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for t in chosen:
        for at in range(first[t], first[t + 1]):
            p = pattern[by_type[at]]
            support[p] += copies[t]
            sizes[p] += 1
    many = 0
    for p in range(count):
        many += support[p] >= least and sizes[p] > 0
    kept, starts = np.empty(many, np.int64), np.zeros(many + 1, np.int64)
    place, many = np.full(count, -1), 0
    for p in range(count):
        if support[p] >= least and sizes[p] > 0:
            kept[many], place[p] = p, starts[many]
            starts[many + 1] = starts[many] + sizes[p]
            many += 1
    types = np.empty(starts[many], np.int32)
    incidences = np.empty(starts[many], np.int64)
    for number in range(len(chosen)):
        t = chosen[number]
        for at in range(first[t], first[t + 1]):
            p = pattern[by_type[at]]
            if place[p] >= 0:
                types[place[p]], incidences[place[p]] = number, by_type[at]
                place[p] += 1
    return kept, starts, types, incidences
