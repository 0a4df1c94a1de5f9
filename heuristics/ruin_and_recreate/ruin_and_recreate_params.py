"""Constants that steer ruin and recreate."""

from dataclasses import dataclass
from typing import NamedTuple

# Constants that steer the moves of ruin and recreate, for the compiled loops.


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
