"""What a tree decides: heights of patterns, and counts."""

from typing import NamedTuple

from starmin.models.lagrangian_relaxation.pattern_fills import Heights


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
