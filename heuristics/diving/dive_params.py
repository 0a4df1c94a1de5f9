"""Constants that steer dives, and what is drawn for them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DiveParams:
    """Constants of one dive.

    Attributes
    ----------
    windows
        Numbers of pricing solutions that an average is taken over, the best number
        first. Of few, shares are coarse, and more is committed on less evidence; of
        many, hardly a share is nearly integral, and what is committed in the end is
        rounded far.
    first_steps
        Subgradient steps of a stage before the average begins.
    step, last_step
        Lengths of the first and the last subgradient step of a stage, in stars.
    stage_share
        Share of the rows left that a stage commits.
    least_share
        Share of the rows left that a stage must commit; else the next one lets
        reserves fall twice as fast.
    fastest
        How many times as fast as the rows the reserves of values may fall at most.
    near
        Distance of a pattern from a group, by row, that is always accepted.
    roundings
        What is added to shares before they are rounded down, one after the other.
    enough
        Share of the rows wanted for which no further rounding is tried.
    """

    windows: tuple[int, ...] = (4, 3, 5, 2, 6)
    first_steps: int = 8
    step: float = 0.06
    last_step: float = 0.02
    stage_share: float = 0.05
    least_share: float = 0.003
    fastest: float = 100.0
    near: float = 0.03
    roundings: tuple[float, ...] = (0.5, 0.7, 0.99)
    enough: float = 0.25


@dataclass(frozen=True)
class PilotParams:
    """Constants of a dive with a look ahead.

    Attributes
    ----------
    steps
        Subgradient steps for the bound of the rows that a stage leaves.
    step, last_step
        Lengths of the first and the last of them, in stars.
    least_share
        Share of the rows left that a stage commits where time is ample.
    most_share
        Share from which on the plain dive takes over, for lack of time.
    """

    steps: int = 80
    step: float = 0.06
    last_step: float = 0.002
    least_share: float = 0.0125
    most_share: float = 0.3


@dataclass(frozen=True)
class GroupParams:
    """Constants of neighbourhoods of whole groups, whose rows are dealt anew.

    Attributes
    ----------
    faster, careful
        How many times as fast as the rows the reserves of values may fall; ``careful``
        for many rows where a value is nearly as frequent as may be.
    many
        Rows from which on ``careful`` may apply.
    tight
        Share of the highest frequency that l allows, from which on it does.
    cold
        Temperature of the moves, in stars.
    proposals
        Moves at most; there are no more than row types.
    batch
        Moves between two looks at the clock.
    dive_share
        Share of the seconds of a neighbourhood for its dive; the rest is for moves.
    first_rows, least_rows
        Rows of the first neighbourhoods, and of the smallest ones.
    most_share
        Share of all rows that a neighbourhood has at most.
    moved_by
        How many times as many rows the first neighbourhoods have that are improved by
        moves alone.
    grow, shrink, cut
        Factors of the number of rows after a gain, after none, and after a time-out.
    memory
        Share of an operator's weight that is kept at each update.
    """

    faster: float = 8.0
    careful: float = 1.25
    many: int = 20_000
    tight: float = 0.9
    cold: float = 0.02
    proposals: int = 5_000
    batch: int = 500
    dive_share: float = 0.8
    first_rows: int = 6_000
    least_rows: int = 200
    most_share: float = 0.5
    moved_by: int = 2
    grow: float = 1.1
    shrink: float = 0.9
    cut: float = 0.7
    memory: float = 0.7


@dataclass(frozen=True)
class DivingParams:
    """Constants that steer ``lagrangian_diving``.

    Attributes
    ----------
    price_share
        Share of the time for the prices of the Lagrangian bound.
    tolerance
        Gain of a round of prices, as a share of the bound, with which they end.
    pilot_share
        Share of what is left after a plain dive for the dive with a look ahead.
    width
        Ways in which each stage of that dive is tried.
    dive, pilot, groups
        Constants of a dive, of its look ahead, and of the neighbourhoods.
    """

    price_share: float = 0.4
    tolerance: float = 1e-3
    pilot_share: float = 0.5
    width: int = 2
    dive: DiveParams = DiveParams()
    pilot: PilotParams = PilotParams()
    groups: GroupParams = GroupParams()


# Defaults of arguments.
DIVING_PARAMS = DivingParams()
DIVE_PARAMS, PILOT_PARAMS = DIVING_PARAMS.dive, DIVING_PARAMS.pilot
