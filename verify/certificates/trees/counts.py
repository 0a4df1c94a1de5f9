"""What multipliers of counts add to the worth of patterns, in a tree."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.verify.certificates.patterns.pattern_list import PatternList
from starmin.verify.certificates.trees.tree_file import Count

Limits = Mapping[int, tuple[int, int]]  # by count: its least and its greatest number


class Terms(NamedTuple):
    """What counts change."""

    charged: Ints  # by entry of the list: what a copy pays in addition
    opening: Ints  # by pattern: what it pays in addition, once it has rows
    touch: Ints  # by pattern: the same, once it has a copy of an entry of ``touched``
    touched: Bools  # those entries


class TreeCounts:
    """The counts of a tree, over a list of patterns.

    ``counts`` are as the file has them; ``named`` has for each pattern of the file its
    place on the list, or a negative number. There are ``types`` row types.
    """

    def __init__(
        self,
        counts: Sequence[Count],
        patterns: PatternList,
        named: Sequence[int],
        types: int,
    ) -> None:
        self._patterns = patterns
        self._groups = [count.groups for count in counts]
        self._members = [
            self._entries(count, np.array(named, np.int64), types) for count in counts
        ]

    def _entries(self, count: Count, named: Ints, types: int) -> Bools:
        """Mark the entries whose copies are counted."""
        inside = np.ones(types, bool)
        if count.types is not None:
            inside[:] = False
            inside[count.types] = True
        chosen = np.ones(len(self._patterns), bool)
        if count.patterns is not None:
            places = named[count.patterns]
            chosen[:] = False
            chosen[places[places >= 0]] = True
        return inside[self._patterns.types] & chosen[self._patterns.pattern]

    def patterns_of(self, number: int) -> Ints:
        """Return the patterns with entries that a count counts."""
        return np.unique(self._patterns.pattern[self._members[number]])

    def terms(self, multipliers: Mapping[int, int]) -> Terms:
        """Return what multipliers add.

        A count of groups by some of the types of a pattern: what it pays less for such
        a copy, it pays less for any; what it pays more, is charged exactly for the
        first such count, and not at all for others. Neither is more than the truth.
        """
        patterns = self._patterns
        opening, touch = np.zeros((2, len(patterns)), np.int64)
        charged = np.zeros(len(patterns.types), np.int64)
        touched = np.zeros(len(patterns.types), bool)
        for c, multiplier in sorted(multipliers.items()):
            members = self._members[c]
            if not self._groups[c]:
                charged[members] += multiplier
                continue
            inside = np.bincount(patterns.pattern[members], minlength=len(patterns))
            some, every = inside > 0, inside == patterns.lengths
            opening[some if multiplier < 0 else every] += multiplier
            if multiplier > 0:
                exact = some & ~every & (touch == 0)
                touch[exact] = multiplier
                touched |= members & exact[patterns.pattern]
        return Terms(charged, opening, touch, touched)


def paid_at_once(multipliers: Mapping[int, int], limits: Limits, rows: int) -> int:
    """Return what counts cost at the limits by which their multipliers are paid.

    ``multipliers`` and ``limits`` are by count; where there are no limits, they are
    from 0 to ``rows``, the rows of the table.
    """
    total = 0
    for c, multiplier in multipliers.items():
        least, most = limits.get(c, (0, rows))
        total += multiplier * (most if multiplier > 0 else least)
    return total
