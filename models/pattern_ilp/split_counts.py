"""What a tree splits on and decides: numbers of rows or patterns, and heights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.models.lagrangian_relaxation.pattern_fills import Heights
from starmin.models.pattern_program.pattern_program import GroupCut
from starmin.models.patterns.patterns import Patterns, marked

# Counts that a tree splits on: rows, or patterns with such rows, of a release.


class Count(NamedTuple):
    """What is counted in a release."""

    groups: bool  # whether patterns are counted that have such rows, or the rows
    # types, patterns: of which types the rows are, and as which patterns they are
    # published; None for all of them
    types: Ints | None = None
    patterns: Ints | None = None

    @property
    def by_types(self) -> bool:
        """Whether it counts groups by some of the types."""
        return self.groups and self.types is not None

    def members(self, patterns: Patterns) -> Bools:
        """Mark the incidences whose copies are counted."""
        members = np.ones(len(patterns.types), bool)
        if self.types is not None:
            members &= marked(len(patterns.counts), self.types)[patterns.types]
        if self.patterns is not None:
            members &= marked(len(patterns), self.patterns)[patterns.pattern]
        return members


class Terms(NamedTuple):
    """What multipliers of counts change."""

    charged: Ints  # by incidence: what a copy pays in addition
    opening: Ints  # by pattern: what it pays in addition, once it has rows
    touch: Ints  # by pattern: the same, once it has a copy that is ``touched``
    touched: Bools  # by incidence


def terms(
    patterns: Patterns, counts: Mapping[int, Count], multipliers: Mapping[int, int]
) -> Terms:
    """Return what multipliers change, or a part of it.

    A count of groups by some of the types of a pattern: what it pays less for such a
    copy, it pays less for any; what it pays more is charged exactly for the first such
    count, and not at all for others. Neither is more than the truth.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["2"]], qi=["a"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> counts = {0: Count(True), 1: Count(True, np.array([0, 1]))}
    >>> found = terms(patterns, counts, {0: 5, 1: 7})
    >>> found.opening.tolist(), found.touch.tolist(), found.touched.tolist()
    ([5], [7], [True, True, False])
    """
    opening, touch = np.zeros((2, len(patterns)), np.int64)
    charged = np.zeros(len(patterns.types), np.int64)
    touched = np.zeros(len(patterns.types), bool)
    for c, multiplier in sorted(multipliers.items()):
        members = counts[c].members(patterns)
        if not counts[c].groups:
            charged[members] += multiplier
            continue
        inside = np.bincount(patterns.pattern[members], minlength=len(patterns))
        some, every = inside > 0, inside == np.diff(patterns.starts)
        opening[some if multiplier < 0 else every] += multiplier
        if multiplier > 0:
            exact = some & ~every & (touch == 0)
            touch[exact] = multiplier
            touched |= members & exact[patterns.pattern]
    return Terms(charged, opening, touch, touched)


# Cuts and counts that the multipliers of a tree refer to.


@dataclass(frozen=True, eq=False)
class Known:
    """Cuts and counts by number, shared by all that search a tree.

    Who adds one takes a number that nobody else takes, so that the numbers do not
    depend on who is first.
    """

    cuts: dict[int, GroupCut] = field(default_factory=dict)
    counts: dict[int, Count] = field(default_factory=dict)


# Constants that steer the search of a tree.


@dataclass(frozen=True)
class TreeParams:
    """Constants that steer the search of a tree."""

    # root_rounds, rounds: most rounds of cuts at the root, and at any other node
    root_rounds: int = 20
    rounds: int = 3
    # candidates, counts: splits of heights, and of counts, that are probed before one
    # is chosen
    candidates: int = 6
    counts: int = 3
    # where more are left at the root, no counts are probed: their rows are long, and
    # slow the relaxation
    counted_incidences: int = 2_000
    # the tree has no more, so that its certificate can be read
    most_nodes: int = 200_000
    # where more are left at the root, it is not split
    most_incidences: float = math.inf
    # the program of the root is thinned and solved anew as long as what better releases
    # may use of it is at most this share
    thin_share: float = 0.8
    # so many nodes are solved at a time, each in a thread of its own; the tree depends
    # on their number, and not on who is first
    workers: int = 2


DEFAULTS = TreeParams()


# What a tree decides: heights of patterns, and counts.


class Split(NamedTuple):
    """Of a pattern's height, or of a count: at most so much, or more."""

    number: int  # of the pattern or the count
    most: int  # the greatest number in the first child
    counted: bool = False  # whether it is of a count


class Decision(NamedTuple):
    """The least and the greatest height of a pattern, or number of a count."""

    number: int
    least: int
    most: int
    counted: bool = False


class Facts(NamedTuple):
    """What holds at a node: bounds on all heights, and on some counts."""

    heights: Heights
    limits: dict[int, tuple[int, int]]
