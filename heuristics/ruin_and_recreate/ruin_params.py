"""Constants that steer the moves of ruin and recreate, for the compiled loops."""

from typing import NamedTuple


class RuinParams(NamedTuple):
    """Constants that steer the moves."""

    fewest: int = 2  # fewest, most: groups that a move breaks up
    most: int = 4
    skipped: float = 0.2  # share of the near groups that are passed over
    # what a row costs in a group is multiplied by 1 to 1 + ``noise`` at random when the
    # cheapest one is chosen
    noise: float = 0.4
    # share of the moves that build one group less than there could be
    one_less: float = 0.15
    near: int = 12  # types near a row that is left over, whose groups may take it
    # share of the drawn rows that are taken where their group loses nothing, or little
    # beyond what its rows are worth
    idle: float = 0.1
    # where rows have a worth: the share of what a group costs, beyond its worth, above
    # which a row that is drawn is always taken
    excess: float = 0.2
    # by what part of its worth a row is preferred when a group grows
    regard: float = 0.5
    # where patterns are known: share of the moves that build a group for one
    by_pattern: float = 0.8
    # share of the types of such a pattern that are passed over
    passed_over: float = 0.1
    # a row that pays less than this part of its worth is hardly ever taken for it
    settled: float = 0.3


RUIN_PARAMS = RuinParams()
