"""Constants that steer the local search and its moves."""

from dataclasses import dataclass
from typing import NamedTuple


class MoveParams(NamedTuple):
    """Constants that steer the moves of the local search.

    Attributes
    ----------
    dissolved
        Share of the moves that dissolve a group at once.
    listed
        Row types that one move looks at, at most.
    skipped
        Share of the rows that stay though they would pay less, so that the same move
        can end otherwise.
    broken
        Share of the groups with too few rows that may dissolve; the others take rows.
    tries
        Nodes that are tried to fill a group up.
    wide
        Groups of more nodes than that many times k + l are not dissolved.
    companions
        Row types near which a pattern is sought for a row.
    by_mask, by_companion
        Shares of the moves whose pattern is drawn from the masks in use, or joins a
        row with one that is near; the others clear one column of the row's own mask.
    stars_another
        Share of the moves that clear one column and may star another one.
    """

    dissolved: float = 0.03
    listed: int = 2048
    skipped: float = 0.1
    broken: float = 0.3
    tries: int = 1000
    wide: int = 8
    companions: int = 8
    by_mask: float = 0.5
    by_companion: float = 0.25
    stars_another: float = 0.15


MOVE_PARAMS = MoveParams()


class RangeMoveParams(NamedTuple):
    """Constants that steer the moves of the local search for losses.

    Attributes
    ----------
    moved, swapped
        Shares of the moves that move a row, and that swap two; others build groups
        anew.
    tries
        Rows of a near group that are tried for a swap.
    broken
        Groups that are built anew, at most.
    noise
        What a row costs in a group is multiplied by 1 to 1 + ``noise`` at random when
        the cheapest one is chosen.
    one_less
        Share of the moves that build one group less, as many, or one more, drawn at
        random; others build as many as there can be, where that is one more at most.
    """

    moved: float = 0.25
    swapped: float = 0.25
    tries: int = 4
    broken: int = 4
    noise: float = 0.4
    one_less: float = 0.15


RANGE_MOVE_PARAMS = RangeMoveParams()


@dataclass(frozen=True)
class LocalSearchParams:
    """Constants that steer the local search.

    Attributes
    ----------
    hot, cold
        First and last temperature, in mean costs of a star; for losses in what the rows
        of a group of least size, or of mean size if that is less, pay on average.
    anneal_share
        Share of the time after which only moves are made that raise no cost.
    batch
        Proposals between two checks, at most; a twentieth of the row types if more.
    between
        Time until the next release is offered, as a multiple of what it took to
        recount the last one.
    sources
        Groups that a move takes rows from, at most, where the requirement is checked
        only afterwards.
    moves, range_moves
        Constants of the moves themselves, for stars and tuples, and for losses.
    range_hot, range_cold
        ``hot`` and ``cold`` for losses.
    range_batch
        Proposals between two checks for losses; an eighth of the groups if more.
    neighbours
        Types near to each type, for losses.
    largest
        Rows that one move deals, at most, for losses.
    """

    hot: float = 0.3
    cold: float = 0.02
    anneal_share: float = 0.8
    batch: int = 500
    between: float = 20
    sources: int = 3
    moves: MoveParams = MOVE_PARAMS
    range_moves: RangeMoveParams = RANGE_MOVE_PARAMS
    range_hot: float = 0.1
    range_cold: float = 0.003
    range_batch: int = 100
    neighbours: int = 20
    largest: int = 300


# The default of the method.
LOCAL_SEARCH_PARAMS = LocalSearchParams()
