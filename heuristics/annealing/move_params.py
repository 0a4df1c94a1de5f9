"""Constants that steer the moves of the annealing, for the compiled loops."""

from typing import NamedTuple


class MoveParams(NamedTuple):
    """Constants that steer the moves of the annealing."""

    # exponent of the draw of a pattern for a row: 1 draws evenly among those that cost
    # less, more draws the cheapest ones oftener
    towards_cheap: float = 1.5
    # for l-diversity: share of the moves in which a pattern takes all rows that cost
    # less in it; in the others only rows that their patterns can spare
    all_better: float = 0.5
    # patterns with that many times k or l rows are refilled or trimmed, not closed
    large: int = 8
    # width, rows_tried: patterns that are tried for orphans before the best of them
    # opens: at least ``width``, and more for small groups, so that groups of so many
    # rows are tried
    width: int = 2
    rows_tried: int = 16
    # share of these that is passed over at random, so that the same move can end
    # otherwise
    skipped: float = 0.1
    # what orphans pay at least, as a multiple of their prices: a move that is too dear
    # at that is given up before places are sought for them
    dearer: float = 1.05
    # how patterns that lack rows are mended: 0 refills them the most, 1 closes them
    eager: float = 0.3
    # highest excess cost, in the unit of costs, for which rows of a pattern that cannot
    # spare them are ranked by what breaking it up gains
    breaking: float = 3.0
    noise: float = 2.0  # width of the noise on that ranking, in the unit of costs
    # alternating paths, for k = 2: stars by which a row may exceed what is allowed
    # while others of its path may pay less than their prices
    path_slack: float = 0.5
    steps: int = 60  # how many pairs the search for such a path tries to break up


MOVE_PARAMS = MoveParams()
