"""Constants that steer ejection chains."""

from dataclasses import dataclass
from typing import NamedTuple


class ChainMoveParams(NamedTuple):
    """Constants of the moves; steps are those of a breadth-first search for chains.

    Attributes
    ----------
    narrow, wide
        Fewest and most steps of a search for patterns that a row can get to. Each
        width is drawn half as often as the one of half the steps, so that every width
        has the same time.
    place_steps
        Steps of a search for a place for a single row.
    chain_steps
        Steps of a search for a chain from a row to a given pattern.
    tries
        Patterns that are tried for a new block of rows.
    draws
        Rows that are drawn at most for one to begin a move with.
    eager
        Probability that a drawn row is taken, for each star of excess in its pattern.
    least
        Excess, in stars, that every pattern is drawn for besides its own.
    noise
        Mean of the noise on the order in which patterns are tried, in stars.
    spared
        Share of the moves that take only one row from a pattern that can spare it.
    balance
        Steps backward that take as long as one step forward.
    """

    narrow: int = 128
    wide: int = 1 << 16
    place_steps: int = 1_000
    chain_steps: int = 100_000
    tries: int = 12
    draws: int = 200
    eager: float = 2.0
    least: float = 0.02
    noise: float = 0.5
    spared: float = 0.5
    balance: int = 4


CHAIN_MOVE_PARAMS = ChainMoveParams()


@dataclass(frozen=True)
class ChainParams:
    """Constants that steer the operator of ejection chains.

    Attributes
    ----------
    hot, cold
        First and last temperature, in stars.
    moves
        Moves for each group, at most.
    batch
        Moves between two looks at the clock.
    share, least, most
        Share of the time left for one neighbourhood, and the least and most seconds.
    along
        Constants of the moves themselves.
    """

    hot: float = 0.3
    cold: float = 0.1
    moves: int = 3
    batch: int = 50
    share: float = 0.04
    least: float = 4.0
    most: float = 60.0
    along: ChainMoveParams = CHAIN_MOVE_PARAMS


CHAIN_PARAMS = ChainParams()
