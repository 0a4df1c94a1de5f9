"""Constants that steer the large neighbourhood search and its operators."""

from dataclasses import dataclass

from starmin.heuristics.diving.dive_params import DIVING_PARAMS, DivingParams
from starmin.heuristics.ejection_chains.chain_params import CHAIN_PARAMS, ChainParams
from starmin.heuristics.recombination.recombination_params import (
    DIVED_PARAMS,
    RECOMBINATION_PARAMS,
    DivedParams,
    RecombinationParams,
)


@dataclass(frozen=True)
class ScheduleParams:
    """Constants that steer the schedule of operators.

    Attributes
    ----------
    share, seconds
        Share of the time left that an operator has at once, and at least so many
        seconds.
    least_rate
        Least weight of an operator, as a share of the highest.
    memory
        Share of a weight that is kept at each update.
    """

    share: float = 0.03
    seconds: float = 2.0
    least_rate: float = 0.05
    memory: float = 0.3


SCHEDULE_PARAMS = ScheduleParams()


@dataclass(frozen=True)
class RoundParams:
    """Constants that steer the rounds of the search for k-anonymity.

    Attributes
    ----------
    price_steps
        Steps in which prices are estimated before the first round.
    refining, tolerance
        Steps of the first round that refines them, and what refined prices may lack,
        as for ``starmin.models.bounds.lagrangian``: they climb on among cuts.
    better, apart
        Patterns are chosen anew where the bound of the prices is higher by this share,
        and ``apart`` times as long has passed as it took to choose the last ones.
    first, longer
        Seconds of the first round, and the length of a further one as a multiple of
        that of the one before.
    anew
        Where patterns are chosen anew and the bound is higher by this share, the next
        round begins at a greedy deal: the release at hand holds what is not worth its
        price.
    enough
        Moves for each row type that make a round the last one; then recombination and
        neighbourhoods take turns.
    recombining
        A turn of the first is so many times as long as one of the others.
    last
        A round is the last one where no more than this multiple of it is left.
    proposals
        Moves of the annealing for each row type, at most, in a round, where the time
        is not limited.
    kernel, near
        Some neighbourhoods may use the patterns of the last offspring, and so many
        incidences of these for each row type on average; others so many incidences of
        all patterns, or all of them.
    part_limit
        Seconds for the program of one neighbourhood.
    """

    price_steps: int = 80
    refining: int = 80
    tolerance: float = 1e-3
    better: float = 1e-4
    apart: float = 4.0
    first: float = 0.35
    longer: float = 2.0
    anew: float = 0.01
    enough: float = 25.0
    recombining: float = 3.0
    last: float = 1.6
    proposals: float = 100.0
    kernel: int = 5
    near: int = 6
    part_limit: float = 3.0


@dataclass(frozen=True)
class BudgetParams:
    """Constants that steer the search by budgets.

    Attributes
    ----------
    first, types, longer
        Seconds of the first search for a table of so many row types or fewer, more for
        more, and those of a further one as a multiple of those of the one before.
    last
        A search is the last one where no more than this multiple of it is left.
    """

    first: float = 5.0
    types: int = 30_000
    longer: float = 2.0
    last: float = 3.0


@dataclass(frozen=True)
class OpeningParams:
    """Constants that steer the opening of a search for l-diversity.

    Attributes
    ----------
    stages
        For each stage the steps in which prices are improved, and the seconds of the
        dives that go by them, side by side, for a table of ``types`` row types or
        fewer, more for more. A dive that is done sooner ends sooner.
    types
        Row types.
    share
        Of the time left, what a dive may take at most.
    per_type
        Incidences for each row type that dives may use on average.
    """

    stages: tuple[tuple[int, tuple[float, ...]], ...] = (
        (30, (0.15,)),
        (50, (0.5, 1.6)),
        (80, (1.0, 10.0)),
    )
    types: int = 30_000
    share: float = 0.9
    per_type: int = 40


ROUND_PARAMS, BUDGET_PARAMS = RoundParams(), BudgetParams()
OPENING_PARAMS = OpeningParams()


@dataclass(frozen=True)
class LargeNeighbourhoodParams:
    """Constants that steer the large neighbourhood search.

    Attributes
    ----------
    price_share, price_share_losses
        l-diversity: share of the time for the prices of the Lagrangian bound, of stars
        and of losses.
    price_seconds_losses, price_most_losses
        Of losses: the least seconds for these prices, and the greatest share that these
        may be.
    price_share_late, price_seconds_late, price_most_late
        Losses under k-anonymity: likewise, the most of all three.
    cover_pairs, cover_share
        Losses under k-anonymity: a pattern cover comes first, up to so many pairs of a
        row type and a vector of nodes for each second of the time limit, and may take
        this share of the time.
    ruin_share, ruin_seconds, ruin_proposals
        Losses under k-anonymity: ruin and recreate ends when prices are good, if no
        more than this share of the time is over, and for large k when their search
        ends, if there are so many seconds; else with the time. The most moves for each
        row where the time is not limited.
    large_k
        From which k on that is so.
    cut_share, cut_seconds
        k-anonymity: one thread raises the bound of the prices by cuts if there are so
        many seconds, for this share of the time left after the prices.
    part_share, part_seconds
        Losses under l-diversity, after the dives: the share of the time left that ruin
        and recreate in parts takes at once, then neighbourhoods of what is left then;
        and the least seconds of the first.
    dive_share, pilot_share
        Dives for l-diversity: share of what is left then for the plain ones, and of
        what is left after them for the one with a look ahead, of stars.
    width, part_width
        Ways in which each stage of that dive, and of the dives for neighbourhoods, is
        tried.
    per_type_first, per_type, per_type_diverse
        Incidences for each row type that may be used on average: by the first rounds of
        annealing under k-anonymity, k of them but at least the first number and at
        most the second; by all that follows; by neighbourhoods under l-diversity.
    diving, chains, schedule, recombination, dived
        Constants of the dives, of ejection chains, of the schedule of operators and of
        recombination, the last for l-diversity.
    rounds, opening, budgets
        Constants of the rounds for k-anonymity, of the opening of searches for
        l-diversity, and of the budgets of these and others.
    """

    price_share: float = 0.3
    price_share_losses: float = 0.35
    price_share_late: float = 0.85
    price_seconds_late: float = 6.0
    price_most_late: float = 0.85
    price_seconds_losses: float = 12.0
    price_most_losses: float = 0.6
    cover_pairs: float = 20e6
    cover_share: float = 0.5
    ruin_share: float = 0.75
    ruin_seconds: float = 20.0
    ruin_proposals: float = 1_000.0
    large_k: int = 8
    cut_share: float = 0.75
    cut_seconds: float = 3.0
    part_share: float = 0.6
    part_seconds: float = 20.0
    dive_share: float = 0.4
    pilot_share: float = 0.5
    width: int = 4
    part_width: int = 2
    per_type_first: tuple[int, int] = (8, 15)
    per_type: int = 22
    per_type_diverse: int = 40
    diving: DivingParams = DIVING_PARAMS
    chains: ChainParams = CHAIN_PARAMS
    schedule: ScheduleParams = SCHEDULE_PARAMS
    recombination: RecombinationParams = RECOMBINATION_PARAMS
    dived: DivedParams = DIVED_PARAMS
    rounds: RoundParams = ROUND_PARAMS
    opening: OpeningParams = OPENING_PARAMS
    budgets: BudgetParams = BUDGET_PARAMS


# The default of the method.
LARGE_NEIGHBOURHOOD_PARAMS = LargeNeighbourhoodParams()
