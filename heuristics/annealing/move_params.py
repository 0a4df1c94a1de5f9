"""Constants that steer the moves of the annealing, for the compiled loops."""

from typing import NamedTuple


class MoveParams(NamedTuple):
    """Constants that steer the moves of the annealing.

    Attributes
    ----------
    towards_cheap
        Exponent of the draw of a pattern for a row: 1 draws evenly among those that
        cost less, more draws the cheapest ones oftener.
    all_better
        For l-diversity: share of the moves in which a pattern takes all rows that cost
        less in it; in the others only rows that their patterns can spare.
    large
        Patterns with that many times k or l rows are refilled or trimmed, not closed.
    width, rows_tried
        Patterns that are tried for orphans before the best of them opens: at least
        ``width``, and more for small groups, so that groups of so many rows are tried.
    skipped
        Share of these that is passed over at random, so that the same move can end
        otherwise.
    dearer
        What orphans pay at least, as a multiple of their prices: a move that is too
        dear at that is given up before places are sought for them.
    eager
        How patterns that lack rows are mended: 0 refills them the most, 1 closes them.
    breaking
        Highest excess cost, in the unit of costs, for which rows of a pattern that
        cannot spare them are ranked by what breaking it up gains.
    noise
        Width of the noise on that ranking, in the unit of costs.
    path_slack
        Alternating paths, for k = 2: stars by which a row may exceed what is allowed
        while others of its path may pay less than their prices.
    steps
        How many pairs the search for such a path tries to break up.
    """

    towards_cheap: float = 1.5
    all_better: float = 0.5
    large: int = 8
    width: int = 2
    rows_tried: int = 16
    skipped: float = 0.1
    dearer: float = 1.05
    eager: float = 0.3
    breaking: float = 3.0
    noise: float = 2.0
    path_slack: float = 0.5
    steps: int = 60


MOVE_PARAMS = MoveParams()
