"""Parts of a release: whole groups that are near to one another, as problems."""

import numpy as np

from starmin.heuristics.approximation.forest import component as find
from starmin.heuristics.diving.dive import some_patterns, some_types
from starmin.heuristics.diving.group_neighbourhoods import Part
from starmin.instances.arrays import Int32s, Ints, distinct
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.tables.table_loops import by_key
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.pool_sources import PatternPool


@inner
def join(parent: Ints, one: int, other: int) -> None:
    """Join the sets of two items; the lower number stands for both."""
    a, b = find(parent, one), find(parent, other)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@compiled
def take_regions(
    starts: Ints,
    types: Int32s,
    cost: Ints,
    best: Ints,
    other: Ints,
    enough: int,
    m: int,
) -> Ints:
    """Return ``best`` with each region of another release that costs no more there.

    A pattern with ``enough`` copies that both have joins no regions; there are m types.
    """
    parent, rise, merged = np.arange(m), np.zeros(m, np.int64), best.copy()
    for p in range(len(starts) - 1):
        first, common = -1, 0
        for i in range(starts[p], starts[p + 1]):
            common += min(best[i], other[i])
        if common >= enough:
            continue
        for i in range(starts[p], starts[p + 1]):
            if best[i] != other[i]:
                if first < 0:
                    first = types[i]
                else:
                    join(parent, first, types[i])
    for p in range(len(starts) - 1):
        for i in range(starts[p], starts[p + 1]):
            if best[i] != other[i]:
                rise[find(parent, types[i])] += cost[p] * (other[i] - best[i])
    for i in range(len(types)):
        if best[i] != other[i] and rise[find(parent, types[i])] <= 0:
            merged[i] = other[i]
    return merged


@compiled
def components(
    starts: Ints, types: Int32s, used: Ints, held: Ints, enough: int, m: int
) -> Ints:
    """Return for each of m types the component of those that depend on one another.

    ``used`` is 1 for incidences where their type may move, and ``held`` the copies in
    each pattern that stay there: one that holds ``enough`` is open in any case, and
    joins no types.
    """
    parent = np.arange(m)
    for p in range(len(starts) - 1):
        if held[p] >= enough:
            continue
        first = -1
        for i in range(starts[p], starts[p + 1]):
            if used[i] > 0:
                if first < 0:
                    first = types[i]
                else:
                    join(parent, first, types[i])
    for t in range(len(parent)):
        parent[t] = find(parent, t)
    return parent


NEVER = 1 << 62  # copies in a pattern


def crossover(patterns: Patterns, best: Ints, other: Ints, k: int, l: int = 1) -> Ints:
    """Take from another release each region that costs no more there.

    Releases, ``best`` and ``other`` as well as the one returned, are copies by pair of
    ``patterns``; the one returned costs no more than either. ``k`` and ``l`` are 1
    where there is no such requirement.

    The rows that two releases publish differently, and the patterns that gain or lose
    them, fall apart into regions that share neither a distinct row nor a pattern. Each
    can be taken from either release without regard to the others, as the patterns of a
    region have all their rows from the same release. For k-anonymity a pattern with k
    copies that both releases have is a group in any case, and joins no regions.

    Tinos, Whitley and Ochoa (2020), A new generalized partition crossover for the
    traveling salesman problem: tunneling between local optima.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> rows = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "y"]]
    >>> table = Table.from_rows(["1", "2"], rows, qi=["1", "2"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, 2)
    >>> all_starred = np.where(patterns.cost[patterns.pattern] == 2, 1, 0)
    >>> all_starred *= patterns.counts[patterns.types]
    >>> pair = patterns.starred.sum(axis=1)[patterns.pattern] == 0
    >>> both = np.where(patterns.counts[patterns.types] == 2, 2 * pair, all_starred)
    >>> merged = crossover(patterns, all_starred, both, 2)
    >>> int(merged @ patterns.cost[patterns.pattern])
    4
    """
    if (best == other).all():
        return best
    given = patterns.starts, patterns.types, patterns.cost, best, other
    enough = k if l == 1 else NEVER
    merged: Ints = take_regions(*given, enough, len(patterns.counts))
    return merged


# Of a part: in smaller ones rows find too few others.
LEAST_TYPES = 4_000
MOST_PARTS = 64


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
        self._first, self._by_type = by_key(pool.patterns.types, len(pool.types))

    def cut(self, loads: Ints, rng: np.random.Generator) -> list[Ints]:
        """Cut a release; return for each part the incidences of its groups.

        Groups are in order of what they publish in one column after the other, drawn.
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
        few = some_types(pool.types, chosen, copies)
        inside = some_patterns(patterns, kept, starts, types, few)
        mine = np.zeros(len(patterns), bool)
        mine[patterns.pattern[used]] = True
        held = np.where(mine[patterns.pattern[incidences]], loads[incidences], 0)
        return Part.of(pool, chosen, inside, incidences, held)


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
    """Return the patterns that ``least`` copies of the chosen types fit.

    The incidences of type t are ``by_type[first[t] : first[t + 1]]``; ``pattern`` is
    the pattern of each incidence, and ``copies`` how many of each chosen type there
    are.

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
