"""Constants that steer ejection chains."""

from dataclasses import dataclass
from typing import NamedTuple


class ChainMoveParams(NamedTuple):
    """Constants of the moves; steps are those of a breadth-first search for chains."""

    # narrow, wide: fewest and most steps of a search for patterns that a row can get
    # to: each width is drawn half as often as the one of half the steps, so that every
    # width has the same time
    narrow: int = 128
    wide: int = 1 << 16
    place_steps: int = 1_000  # steps of a search for a place for a single row
    # steps of a search for a chain from a row to a given pattern
    chain_steps: int = 100_000
    tries: int = 12  # patterns that are tried for a new block of rows
    draws: int = 200  # rows that are drawn at most for one to begin a move with
    # probability that a drawn row is taken, for each star of excess in its pattern
    eager: float = 2.0
    # excess, in stars, that every pattern is drawn for besides its own
    least: float = 0.02
    # mean of the noise on the order in which patterns are tried, in stars
    noise: float = 0.5
    # share of the moves that take only one row from a pattern that can spare it
    spared: float = 0.5
    balance: int = 4  # steps backward that take as long as one step forward


CHAIN_MOVE_PARAMS = ChainMoveParams()


@dataclass(frozen=True)
class ChainParams:
    """Constants that steer the operator of ejection chains."""

    hot: float = 0.3  # hot, cold: first and last temperature, in stars
    cold: float = 0.1
    moves: int = 3  # moves for each group, at most
    batch: int = 50  # moves between two looks at the clock
    share: float = 0.04  # share of the time left for one neighbourhood
    least: float = 4.0  # least, most: the least and most seconds of one
    most: float = 60.0
    along: ChainMoveParams = CHAIN_MOVE_PARAMS  # constants of the moves themselves


CHAIN_PARAMS = ChainParams()
