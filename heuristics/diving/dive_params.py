"""Constants that steer dives, and what is drawn for them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DiveParams:
    """Constants of one dive."""

    # numbers of pricing solutions that an average is taken over, the best number first:
    # of few, shares are coarse, and more is committed on less evidence; of many, hardly
    # a share is nearly integral, and what is committed in the end is rounded far
    windows: tuple[int, ...] = (4, 3, 5, 2, 6)
    first_steps: int = 8  # subgradient steps of a stage before the average begins
    # step, last_step: lengths of the first and the last subgradient step of a stage, in
    # stars
    step: float = 0.06
    last_step: float = 0.02
    stage_share: float = 0.05  # share of the rows left that a stage commits
    # share of the rows left that a stage must commit; else the next one lets reserves
    # fall twice as fast
    least_share: float = 0.003
    # how many times as fast as the rows the reserves of values may fall at most
    fastest: float = 100.0
    # distance of a pattern from a group, by row, that is always accepted
    near: float = 0.03
    # what is added to shares before they are rounded down, one after the other
    roundings: tuple[float, ...] = (0.5, 0.7, 0.99)
    # share of the rows wanted for which no further rounding is tried
    enough: float = 0.25


@dataclass(frozen=True)
class PilotParams:
    """Constants of a dive with a look ahead."""

    steps: int = 80  # subgradient steps for the bound of the rows that a stage leaves
    # step, last_step: lengths of the first and the last of them, in stars
    step: float = 0.06
    last_step: float = 0.002
    # share of the rows left that a stage commits where time is ample
    least_share: float = 0.0125
    # share from which on the plain dive takes over, for lack of time
    most_share: float = 0.3


@dataclass(frozen=True)
class GroupParams:
    """Constants of neighbourhoods of whole groups, whose rows are dealt anew."""

    # faster, careful: how many times as fast as the rows the reserves of values may
    # fall; ``careful`` for many rows where a value is nearly as frequent as may be
    faster: float = 8.0
    careful: float = 1.25
    many: int = 20_000  # rows from which on ``careful`` may apply
    # share of the highest frequency that l allows, from which on it does
    tight: float = 0.9
    cold: float = 0.02  # temperature of the moves, in stars
    proposals: int = 5_000  # moves at most; there are no more than row types
    batch: int = 500  # moves between two looks at the clock
    # share of the seconds of a neighbourhood for its dive; the rest is for moves
    dive_share: float = 0.8
    # first_rows, least_rows: rows of the first neighbourhoods, and of the smallest ones
    first_rows: int = 6_000
    least_rows: int = 200
    most_share: float = 0.5  # share of all rows that a neighbourhood has at most
    # how many times as many rows the first neighbourhoods have that are improved by
    # moves alone
    moved_by: int = 2
    # grow, shrink, cut: factors of the number of rows after a gain, after none, and
    # after a time-out
    grow: float = 1.1
    shrink: float = 0.9
    cut: float = 0.7
    memory: float = 0.7  # share of an operator's weight that is kept at each update


@dataclass(frozen=True)
class DivingParams:
    """Constants that steer ``lagrangian_diving``."""

    price_share: float = 0.4  # share of the time for the prices of the Lagrangian bound
    # gain of a round of prices, as a share of the bound, with which they end
    tolerance: float = 1e-3
    # share of what is left after a plain dive for the dive with a look ahead
    pilot_share: float = 0.5
    width: int = 2  # ways in which each stage of that dive is tried
    # dive, pilot, groups: constants of a dive, of its look ahead, and of the
    # neighbourhoods
    dive: DiveParams = DiveParams()
    pilot: PilotParams = PilotParams()
    groups: GroupParams = GroupParams()


# Defaults of arguments.
DIVING_PARAMS = DivingParams()
DIVE_PARAMS, PILOT_PARAMS = DIVING_PARAMS.dive, DIVING_PARAMS.pilot
