"""Constants that steer ruin and recreate."""

from dataclasses import dataclass

from starmin.heuristics.ruin_and_recreate.ruin_params import RUIN_PARAMS, RuinParams


@dataclass(frozen=True)
class RuinAndRecreateParams:
    """Constants that steer the search."""

    # hot, cold, calm: first and last temperature, as a share of what k rows pay on
    # average, where the time is enough for ``calm`` moves for each row; lower in
    # proportion where it is not, as there is no time to cool down
    hot: float = 0.3
    cold: float = 0.01
    calm: float = 80.0
    # the first temperature where prices guide the moves, of which more are of use
    hot_guided: float = 2.0
    neighbours: int = 30  # types that are listed for each type
    batch: int = 2_000  # moves between two looks at the clock
    offers: int = 20  # times that the release on hand is offered
    unlimited: int = 50  # moves for each row where nothing else limits the search
    # round, rounds, overhead: seconds after which parts are cut anew, if that is no
    # more than so many times in the whole search, and the share of the time that
    # cutting them, or taking new prices, may have
    round: float = 1.5
    rounds: int = 20
    overhead: float = 0.1
    least_groups: int = 100  # groups of k rows that a part has at least
    moves: RuinParams = RUIN_PARAMS  # constants of the moves themselves


RUIN_AND_RECREATE_PARAMS = RuinAndRecreateParams()
