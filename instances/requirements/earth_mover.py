"""Earth mover's distances between each of many groups and the whole table, exactly.

All are multiplied by the sizes of group and table, so that they are whole numbers.
Where these may exceed 64 bits the same lines compute with Python's integers, which
have no limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.instances.requirements.group_stats import SensitiveCounts
from starmin.instances.tables.table import Table

# How often each sensitive value occurs in one table, to compare another one with.

Value = str | None


@dataclass(frozen=True)
class Reference:
    """The values of a sensitive column by their text, and how many rows have each.

    Codes of values are those of one table only; text is the same in all of them. A
    missing value (None) is a value of its own, other than the empty text.

    >>> rows = [["0", "flu"], ["0", None], ["1", "flu"]]
    >>> table = Table.from_rows(["a", "ill"], rows, qi=["a"], sensitive=["ill"])
    >>> Reference.of(table, "ill")
    Reference(column='ill', values=('flu', None), counts=(2, 1))
    """

    column: str
    values: tuple[Value, ...]  # the values that occur, each once
    counts: tuple[int, ...]  # the number of rows of each

    @classmethod
    def of(cls, table: Table, column: str) -> "Reference":
        """Return the values of a column of a table."""
        found = table.text_counts(column)
        return cls(column, tuple(found), tuple(found.values()))

    def sort(self, order: Sequence[int]) -> "Reference":
        """Put the values in another order."""
        return Reference(
            self.column,
            tuple(self.values[i] for i in order),
            tuple(self.counts[i] for i in order),
        )

    def places(self, groups: SensitiveCounts) -> tuple["Reference", Ints]:
        """Find where the values of some groups stand in ``values``.

        Returns this reference, followed by the values of the groups that it lacks, with
        0 rows each; and for each code of the groups its place there, -1 where the code
        does not occur.
        """
        used = np.zeros(len(groups.labels), bool)
        used[groups.value] = True
        codes = np.flatnonzero(used)
        labels = [groups.labels[code] for code in codes.tolist()]
        known, place = self._places, np.full(len(used), -1)
        place[codes] = [known.get(label, -1) for label in labels]
        if (place[codes] >= 0).all():
            return self, place
        more = tuple(dict.fromkeys(label for label in labels if label not in known))
        whole = Reference(
            self.column, self.values + more, self.counts + (0,) * len(more)
        )
        return whole, whole.places(groups)[1]

    @cached_property
    def array(self) -> Ints:
        """``counts`` as an array."""
        return np.array(self.counts, np.int64)

    @cached_property
    def _places(self) -> dict[Value, int]:
        return {value: place for place, value in enumerate(self.values)}


Exact = npt.NDArray[Any]  # int64, or Python's integers


def placed(groups: SensitiveCounts, place: Ints) -> SensitiveCounts:
    """Return the counts of groups by the places of values, without labels.

    ``place`` has that of each code, or -1; entries are sorted by group alone.
    """
    found = replace(groups, value=place[groups.value], labels=())
    used = place[place >= 0]
    if len(used) and np.bincount(used).max() > 1:  # a text with two codes
        found = _by_place(found)
        new = np.diff(found.group, prepend=-1) | np.diff(found.value, prepend=-1)
        first = np.flatnonzero(new)
        return replace(found.only(first), count=np.add.reduceat(found.count, first))
    return found


def _by_place(entries: SensitiveCounts) -> SensitiveCounts:
    return entries.only(np.lexsort((entries.value, entries.group)))


def equal_distances(entries: SensitiveCounts, overall: Ints) -> tuple[Exact, Exact]:
    r"""Compute the distances where any two values are 1 apart, as fractions.

    The distance of a group with the distribution ``p`` to ``q`` of the table is
    :math:`\frac12 \sum_v |p_v - q_v|`. A value that is absent from a group differs by
    all that is expected of it, hence only the others are gone through.

    ``overall`` counts the rows of the table at each of the m places. Returns numerators
    and denominators.

    >>> counts = map(np.array, ([0, 1], [0, 2], [2, 1], [2, 1]))
    >>> entries = SensitiveCounts(*counts, labels=())
    >>> above, below = equal_distances(entries, np.array([1, 1, 1]))
    >>> above.tolist(), below.tolist()
    ([8, 4], [12, 6])
    """
    total = int(overall.sum())
    # The distance is at most 1, and no number below exceeds the denominator.
    number = _type(2 * total * int(entries.sizes.max()))
    sizes = entries.sizes.astype(number)
    expected = sizes[entries.group] * overall[entries.value]
    surplus = abs(entries.count.astype(number) * total - expected) - expected
    return np.add.reduceat(surplus, entries.starts) + sizes * total, sizes * (2 * total)


def line_distances(entries: SensitiveCounts, overall: Ints) -> tuple[Exact, Exact]:
    r"""Compute distances where values stand in a line, one step apart, as fractions.

    The distance of a group with the distribution ``p`` to ``q`` of the table is
    :math:`\frac{1}{m-1} \sum_{i<m} |\sum_{v \le i} (p_v - q_v)|` for m values.

    The idea: between two places where a group has a value, its own part of the inner
    sum stands still, and the table's grows. So the terms are first positive and then
    negative, and both parts come from prefix sums of prefix sums of ``overall``.

    ``overall`` counts the rows of the table at each of the m places. Returns numerators
    and denominators, 0 / 0 where m = 1, in O(e log m) for e entries.

    >>> counts = map(np.array, ([0, 1], [0, 2], [2, 1], [2, 1]))
    >>> entries = SensitiveCounts(*counts, labels=())
    >>> above, below = line_distances(entries, np.array([1, 1, 1]))
    >>> above.tolist(), below.tolist()
    ([6, 3], [12, 6])
    """
    entries, m, total = _by_place(entries), len(overall), int(overall.sum())
    # No number below exceeds m terms of size x total rows each.
    number = _type(m * total * int(entries.sizes.max()))
    reached = np.cumsum(overall)
    area = np.append(0, np.cumsum(reached.astype(number)))
    group, place, count = entries.group, entries.value, entries.count
    first = entries.starts
    running = np.cumsum(count)
    running -= (running - count)[first][group]
    end = np.append(place[1:], m)
    end[np.append(first[1:], len(group)) - 1] = m
    size, here = entries.sizes.astype(number)[group], running.astype(number) * total
    cross = np.searchsorted(reached, (here // size).astype(np.int64), "right")
    cross = np.clip(cross, place, end)
    moved = here * (cross - place) - size * (area[cross] - area[place])
    moved += size * (area[end] - area[cross]) - here * (end - cross)
    sizes = entries.sizes.astype(number)
    before = sizes * area[place[first]]
    return np.add.reduceat(moved, first) + before, sizes * (total * (m - 1))


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree with the values as leaves, as lists of edges."""

    # starts, edges: the edges above the value at place v are
    # ``edges[starts[v] : starts[v + 1]]``
    starts: Ints
    edges: Ints
    lengths: Ints  # of each edge
    # the sum of the lengths between the root and the lowest leaf, at least 1
    height: int


def tree_distances(
    entries: SensitiveCounts, overall: Ints, tree: Tree
) -> tuple[Exact, Exact]:
    r"""Compute the distances where values are the leaves of a tree, as fractions.

    Along a tree the flow through every edge is given by what lies below it, so

    .. math::

      D = \frac{1}{2 H} \sum_e \text{length}(e) \;
          \Bigl| \sum_{v \text{ below } e} (p_v - q_v) \Bigr|

    The idea: an edge without a value of the group below it contributes all that is
    expected below it; so the sum of this over all edges is corrected at the edges that
    have some.

    ``overall`` counts the rows of the table at each of the m places. Returns numerators
    and denominators, in O(e h log(e h)) for e entries below at most h edges each.

    >>> counts = map(np.array, ([0, 1], [0, 2], [2, 1], [2, 1]))
    >>> entries = SensitiveCounts(*counts, labels=())
    >>> tree = Tree(np.arange(4), np.arange(3), np.ones(3, int), height=1)
    >>> above, below = tree_distances(entries, np.array([1, 1, 1]), tree)
    >>> above.tolist(), below.tolist()
    ([8, 4], [12, 6])
    """
    total, edges = int(overall.sum()), len(tree.lengths)
    # The edges above a leaf have a length of at most the height together, hence what
    # is expected below all of them, times their lengths, is at most height x total.
    number = _type(2 * tree.height * total * int(entries.sizes.max()))
    above = np.diff(tree.starts)
    expected = np.zeros(edges, np.int64)
    np.add.at(expected, tree.edges, np.repeat(overall, above))
    lengths, expected = tree.lengths.astype(number), expected.astype(number)
    sizes = entries.sizes.astype(number)
    distances = sizes * (lengths * expected).sum()
    denominators = sizes * (2 * tree.height * total)
    group, edge, count = _along_paths(entries, tree)
    if len(group):
        surplus = count.astype(number) * total
        usual = sizes[group] * expected[edge]
        change = (abs(surplus - usual) - usual) * lengths[edge]
        first = np.flatnonzero(np.diff(group, prepend=-1))
        distances[group[first]] += np.add.reduceat(change, first)
    return distances, denominators


def _along_paths(entries: SensitiveCounts, tree: Tree) -> tuple[Ints, Ints, Ints]:
    """Return the rows of each group below each edge that has some: sorted triplets."""
    low = tree.starts[entries.value]
    many = tree.starts[entries.value + 1] - low
    first = np.repeat(np.cumsum(many) - many, many)
    edge = tree.edges[np.repeat(low, many) + np.arange(many.sum()) - first]
    # Groups and edges are both fewer than 2^31: no key exceeds 64 bits.
    key = np.repeat(entries.group, many) * len(tree.lengths) + edge
    if len(key) == 0:
        return key, key, key
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    key = key[order][starts]
    count = np.add.reduceat(np.repeat(entries.count, many)[order], starts)
    return key // len(tree.lengths), key % len(tree.lengths), count


def _type(most: int) -> Any:
    """Return what holds whole numbers up to ``most``: int64 if it can."""
    return np.int64 if most < 2**63 else object
