"""Constants that steer the moves of ruin and recreate, for the compiled loops."""

from typing import NamedTuple


class RuinParams(NamedTuple):
    """Constants that steer the moves.

    Attributes
    ----------
    fewest, most
        Groups that a move breaks up.
    skipped
        Share of the near groups that are passed over.
    noise
        What a row costs in a group is multiplied by 1 to 1 + ``noise`` at random when
        the cheapest one is chosen.
    one_less
        Share of the moves that build one group less than there could be.
    near
        Types near a row that is left over, whose groups may take it.
    idle
        Share of the drawn rows that are taken where their group loses nothing, or
        little beyond what its rows are worth.
    excess
        Where rows have a worth: the share of what a group costs, beyond its worth,
        above which a row that is drawn is always taken.
    regard
        By what part of its worth a row is preferred when a group grows.
    by_pattern
        Where patterns are known: share of the moves that build a group for one.
    passed_over
        Share of the types of such a pattern that are passed over.
    settled
        A row that pays less than this part of its worth is hardly ever taken for it.
    """

    fewest: int = 2
    most: int = 4
    skipped: float = 0.2
    noise: float = 0.4
    one_less: float = 0.15
    near: int = 12
    idle: float = 0.1
    excess: float = 0.2
    regard: float = 0.5
    by_pattern: float = 0.8
    passed_over: float = 0.1
    settled: float = 0.3


RUIN_PARAMS = RuinParams()
