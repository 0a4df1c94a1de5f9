"""Hold what a large neighbourhood search works with, and constants that steer it.

Those of its operators are here, too, but for dives and ejection chains.
"""

from concurrent.futures import Executor
from dataclasses import dataclass

from starmin.heuristics.diving.dive_params import DIVING_PARAMS, DivingParams
from starmin.heuristics.large_neighbourhood.ejection_state import (
    CHAIN_PARAMS,
    ChainParams,
)
from starmin.instances import Certificate, Run
from starmin.models.pricing.pool_sources import PatternPool


@dataclass(frozen=True)
class RecombinationParams:
    """Constants that steer the recombination of releases."""

    # heat, coolest, hottest, spread: the temperature at which offspring begins, as a
    # share of that of an annealing from nothing: at first, its limits, and by how much
    # that of each differs
    heat: float = 0.85
    coolest: float = 0.2
    hottest: float = 2.0
    spread: float = 0.2
    # proposals, most_proposals, longer: moves for each row type that make an offspring:
    # at first and in the end, and how much longer each offspring takes than the one
    # before it
    proposals: float = 3.0
    most_proposals: float = 20.0
    longer: float = 1.05
    # batch, steps: moves between two looks at the clock at least, and steps of the
    # temperature
    batch: int = 100
    steps: int = 25
    # parts of a generation at least, of several offspring if a release has fewer, where
    # the time is not limited
    tasks: int = 16
    # seconds between two releases that the run is told of, while better ones come
    pause: float = 0.5
    # components of a program are solved together until they have so many row types, or
    # a ``tasks``-th of all
    least_types: int = 400
    # releases, most_releases: how many of the last offspring a program merges: at
    # first, and at most
    releases: int = 4
    most_releases: int = 12
    # least_limit, limit_share, limit, soon: seconds for a program: the least, as a
    # share of the time that the search has taken, and at most; it is solved soon where
    # it took less than this share
    least_limit: float = 0.5
    limit_share: float = 0.1
    limit: float = 3.0
    soon: float = 0.25
    # hotter, cooler: by what share the temperature rises after a program that was
    # solved e times as soon, and what it is multiplied by after one that was not solved
    hotter: float = 0.05
    cooler: float = 0.95
    # more, fewer: what the number of releases is multiplied by after a program that was
    # solved soon, and after one that was not solved
    more: float = 1.06
    fewer: float = 0.8
    # after a program that was not solved the next one waits for twice as many
    # offspring, up to so many times
    most_pause: int = 16
    # programs in a row without a gain after which a search without a time limit ends
    in_vain: int = 15


RECOMBINATION_PARAMS = RecombinationParams()


@dataclass(frozen=True)
class ScheduleParams:
    """Constants that steer the schedule of operators."""

    # share, seconds: share of the time left that an operator has at once, and at least
    # so many seconds
    share: float = 0.03
    seconds: float = 2.0
    least_rate: float = 0.05  # least weight of an operator, as a share of the highest
    memory: float = 0.3  # share of a weight that is kept at each update


SCHEDULE_PARAMS = ScheduleParams()


@dataclass(frozen=True)
class RoundParams:
    """Constants that steer the rounds of the search for k-anonymity."""

    price_steps: int = 80  # steps in which prices are estimated before the first round
    # refining, tolerance: steps of the first round that refines them, and what refined
    # prices may lack, as for ``starmin.models.bounds.lagrangian``: they climb on among
    # cuts
    refining: int = 80
    tolerance: float = 1e-3
    # better, apart: patterns are chosen anew where the bound of the prices is higher by
    # this share, and ``apart`` times as long has passed as it took to choose the last
    # ones
    better: float = 1e-4
    apart: float = 4.0
    # first, longer: seconds of the first round, and the length of a further one as a
    # multiple of that of the one before
    first: float = 0.35
    longer: float = 2.0
    # where patterns are chosen anew and the bound is higher by this share, the next
    # round begins at a greedy deal: the release at hand holds what is not worth its
    # price
    anew: float = 0.01
    # moves for each row type that make a round the last one; then recombination and
    # neighbourhoods take turns
    enough: float = 25.0
    # a turn of the first is so many times as long as one of the others
    recombining: float = 3.0
    # a round is the last one where no more than this multiple of it is left
    last: float = 1.6
    # moves of the annealing for each row type, at most, in a round, where the time is
    # not limited
    proposals: float = 100.0
    # kernel, near: some neighbourhoods may use the patterns of the last offspring, and
    # so many incidences of these for each row type on average; others so many
    # incidences of all patterns, or all of them
    kernel: int = 5
    near: int = 6
    part_limit: float = 3.0  # seconds for the program of one neighbourhood


@dataclass(frozen=True)
class BudgetParams:
    """Constants that steer the search by budgets."""

    # first, types, longer: seconds of the first search for a table of so many row types
    # or fewer, more for more, and those of a further one as a multiple of those of the
    # one before
    first: float = 5.0
    types: int = 30_000
    longer: float = 2.0
    # a search is the last one where no more than this multiple of it is left
    last: float = 3.0


@dataclass(frozen=True)
class OpeningParams:
    """Constants that steer the opening of a search for l-diversity."""

    # for each stage the steps in which prices are improved, and the seconds of the
    # dives that go by them, side by side, for a table of ``types`` row types or fewer,
    # more for more; a dive that is done sooner ends sooner
    stages: tuple[tuple[int, tuple[float, ...]], ...] = (
        (30, (0.15,)),
        (50, (0.5, 1.6)),
        (80, (1.0, 10.0)),
    )
    types: int = 30_000
    share: float = 0.9  # of the time left, what a dive may take at most
    per_type: int = 40  # incidences for each row type that dives may use on average


@dataclass(frozen=True)
class LargeNeighbourhoodParams:
    """Constants that steer the large neighbourhood search."""

    # price_share, price_share_losses: l-diversity: share of the time for the prices of
    # the Lagrangian bound, of stars and of losses
    price_share: float = 0.3
    price_share_losses: float = 0.35
    # price_share_late, price_seconds_late, price_most_late: losses under k-anonymity:
    # share of the time for these prices; the least seconds, where they are more; and
    # the greatest share that these may be
    price_share_late: float = 0.85
    price_seconds_late: float = 6.0
    price_most_late: float = 0.85
    # price_seconds_losses, price_most_losses: of losses under l-diversity: the least
    # seconds for these prices, and the greatest share that these may be
    price_seconds_losses: float = 12.0
    price_most_losses: float = 0.6
    # cover_pairs, cover_share: losses under k-anonymity: a pattern cover comes first,
    # up to so many pairs of a row type and a vector of nodes for each second of the
    # time limit, and may take this share of the time
    cover_pairs: float = 20e6
    cover_share: float = 0.5
    # ruin_share, ruin_seconds: losses under k-anonymity: ruin and recreate ends when
    # prices are good, if no more than this share of the time is over, and for large k
    # when their search ends, if there are so many seconds; else with the time
    ruin_share: float = 0.75
    ruin_seconds: float = 20.0
    # the most moves of it for each row where the time is not limited
    ruin_proposals: float = 1_000.0
    large_k: int = 8  # from which on k is large there
    # cut_share, cut_seconds: k-anonymity: one thread raises the bound of the prices by
    # cuts if there are so many seconds, for this share of the time left after the
    # prices
    cut_share: float = 0.75
    cut_seconds: float = 3.0
    # part_share, part_seconds: losses under l-diversity, after the dives: the share of
    # the time left that ruin and recreate in parts takes at once, then neighbourhoods
    # of what is left then; and the least seconds of the first
    part_share: float = 0.6
    part_seconds: float = 20.0
    # dive_share, pilot_share: dives for l-diversity: share of what is left then for the
    # plain ones, and of what is left after them for the one with a look ahead, of stars
    dive_share: float = 0.4
    pilot_share: float = 0.5
    # width, part_width: ways in which each stage of that dive, and of the dives for
    # neighbourhoods, is tried
    width: int = 4
    part_width: int = 2
    # per_type_first, per_type, per_type_diverse: incidences for each row type that may
    # be used on average: by the first rounds of annealing under k-anonymity, k of them
    # but at least the first number and at most the second; by all that follows; by
    # neighbourhoods under l-diversity
    per_type_first: tuple[int, int] = (8, 15)
    per_type: int = 22
    per_type_diverse: int = 40
    diving: DivingParams = DIVING_PARAMS
    chains: ChainParams = CHAIN_PARAMS
    schedule: ScheduleParams = SCHEDULE_PARAMS
    recombination: RecombinationParams = RECOMBINATION_PARAMS
    rounds: RoundParams = RoundParams()  # for k-anonymity
    opening: OpeningParams = OpeningParams()  # of searches for l-diversity
    budgets: BudgetParams = BudgetParams()  # of these and other searches


# The default of the method.
LARGE_NEIGHBOURHOOD_PARAMS = LargeNeighbourhoodParams()


@dataclass(frozen=True, eq=False)
class Means:
    """The problem, where it is solved, and the constants that steer that."""

    run: Run  # it learns releases and bounds, and has a release to begin with
    # the patterns to search and the prices to go by; None: they are to be found
    pool: PatternPool | None
    seed: int  # of all choices
    stagnation: int  # stop after this many neighbourhoods in a row that gained nothing
    # executor, slots: where neighbourhoods are solved, and how many at a time
    executor: Executor
    slots: int
    params: LargeNeighbourhoodParams
    # a proof for the same table, perhaps for another requirement, whose prices the
    # search for prices begins with; None: it begins anew
    prices: Certificate | None = None
