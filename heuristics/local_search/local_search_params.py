"""Constants that steer the local search and its moves."""

from dataclasses import dataclass
from typing import NamedTuple


class MoveParams(NamedTuple):
    """Constants that steer the moves of the local search."""

    dissolved: float = 0.03  # share of the moves that dissolve a group at once
    listed: int = 2048  # row types that one move looks at, at most
    # share of the rows that stay though they would pay less, so that the same move can
    # end otherwise
    skipped: float = 0.1
    # share of the groups with too few rows that may dissolve; the others take rows
    broken: float = 0.3
    tries: int = 1000  # nodes that are tried to fill a group up
    wide: int = 8  # groups of more nodes than that many times k + l are not dissolved
    companions: int = 8  # row types near which a pattern is sought for a row
    # by_mask, by_companion: shares of the moves whose pattern is drawn from the masks
    # in use, or joins a row with one that is near; the others clear one column of the
    # row's own mask
    by_mask: float = 0.5
    by_companion: float = 0.25
    # share of the moves that clear one column and may star another one
    stars_another: float = 0.15


MOVE_PARAMS = MoveParams()


class RangeMoveParams(NamedTuple):
    """Constants that steer the moves of the local search for losses."""

    # moved, swapped: shares of the moves that move a row, and that swap two; others
    # build groups anew
    moved: float = 0.25
    swapped: float = 0.25
    tries: int = 4  # rows of a near group that are tried for a swap
    broken: int = 4  # groups that are built anew, at most
    # what a row costs in a group is multiplied by 1 to 1 + ``noise`` at random when the
    # cheapest one is chosen
    noise: float = 0.4
    # share of the moves that build one group less, as many, or one more, drawn at
    # random; others build as many as there can be, where that is one more at most
    one_less: float = 0.15


RANGE_MOVE_PARAMS = RangeMoveParams()


@dataclass(frozen=True)
class LocalSearchParams:
    """Constants that steer the local search."""

    # hot, cold: first and last temperature, in mean costs of a star; for losses in what
    # the rows of a group of least size, or of mean size if that is less, pay on average
    hot: float = 0.3
    cold: float = 0.02
    # share of the time after which only moves are made that raise no cost
    anneal_share: float = 0.8
    # proposals between two checks, at most; a twentieth of the row types if more
    batch: int = 500
    # time until the next release is offered, as a multiple of what it took to recount
    # the last one
    between: float = 20
    # groups that a move takes rows from, at most, where the requirement is checked only
    # afterwards
    sources: int = 3
    # moves, range_moves: constants of the moves themselves, for stars and tuples, and
    # for losses
    moves: MoveParams = MOVE_PARAMS
    range_moves: RangeMoveParams = RANGE_MOVE_PARAMS
    range_hot: float = 0.1  # range_hot, range_cold: ``hot`` and ``cold`` for losses
    range_cold: float = 0.003
    # proposals between two checks for losses; an eighth of the groups if more
    range_batch: int = 100
    neighbours: int = 20  # types near to each type, for losses
    largest: int = 300  # rows that one move deals, at most, for losses


# The default of the method.
LOCAL_SEARCH_PARAMS = LocalSearchParams()
