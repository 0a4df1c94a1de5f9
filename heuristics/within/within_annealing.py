"""Nested releases by prices and annealing of whole classes."""

import math
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.annealing.start import seed_moves
from starmin.heuristics.within import WITHIN_ANNEALING
from starmin.heuristics.within.greedy_deal import dealt_greedily, linked, posed
from starmin.heuristics.within.moves import anneal
from starmin.instances import (
    STARS,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Floats
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.within import Within
from starmin.instances.runs.work import spend
from starmin.models.within.atoms import Atoms
from starmin.models.within.listing import Listing, list_patterns
from starmin.models.within.prices import WithinPrices
from starmin.models.within.unions import offer_unions
from starmin.models.within.within_prices import TOLERANCE

_PROPOSAL = 1  # units of work


@dataclass(frozen=True)
class WithinParams:
    """Numbers that steer the annealing of whole classes."""

    price_share: float = 0.4  # of the time, what prices may take
    # hot, cold: the first and the last temperature, in mean costs of a star
    hot: float = 6.0
    cold: float = 0.3
    # patterns of an atom are drawn by this power of a uniform number: those that cost
    # little beside its price most often
    skew: float = 3.0
    steps: int = 400  # for each class of the earlier release
    batch: int = 20_000  # steps at one temperature


WITHIN_PARAMS = WithinParams()


def within_annealing(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    """Solves nested releases: each class a union of classes of an earlier release.

    Prices of the rows of each class prove a bound (``within_prices``) and say which
    patterns are near to being worth it. Then classes are dealt to patterns by simulated
    annealing. Where diversity is asked for, too, what fails is merged in the end.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``Within``.
    time_limit
        Seconds; the best release and bound until then are returned.
    seed
        Of all random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        With the bound of ``within_prices`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many patterns.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> rows = [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> nested = nested_within(table, KAnonymity(2), np.array([0, 0, 1, 1, 2]))
    >>> within_annealing(*nested).value
    5
    """
    run = Run(table, requirement, objective, time_limit, display, WITHIN_ANNEALING)
    asked = of_kind(requirement, Within)
    assert asked is not None

    def search() -> None:
        run.offer(initial or Partition.coarsest(table, objective))
        run.check_time()
        atoms = Atoms.of(table, objective)
        listing = list_patterns(table, atoms, objective, asked.least, run.check_time)
        share = WITHIN_PARAMS.price_share
        prices = WithinPrices(run, atoms, listing, share)
        prices.improve(TOLERANCE)
        if not run.closed:
            run.check_time()
            reduced = prices.reduced()
            _anneal(run, atoms, listing, reduced, asked.least, seed)

    return run.carry_out(search)


def _anneal(
    run: Run, atoms: Atoms, listing: Listing, reduced: Floats, least: int, seed: int
) -> None:
    """Deal classes to patterns, hot first, and offer the best deal."""
    params = WITHIN_PARAMS
    problem = posed(atoms, listing, reduced, least)
    dealt = linked(problem, dealt_greedily(problem))
    offer_unions(run, atoms, dealt.pattern)
    value = int((atoms.size * listing.cost[dealt.pattern]).sum())
    best, values = dealt.pattern.copy(), np.array([value, value])
    moved, origin = np.empty_like(best), np.empty_like(best)
    star = max(1.0, float(listing.cost.max()) / run.table.d)
    seed_moves(seed)
    before, steps, left = run.elapsed, params.steps * len(atoms), run.remaining
    done = 0
    while done < steps and run.remaining > 0:
        past = max(done / steps, (run.elapsed - before) / left)
        heat = star * params.hot * (params.cold / params.hot) ** past
        many = min(params.batch, steps - done)
        anneal(problem, dealt, best, values, moved, origin, heat, params.skew, many)
        done += many
        spend(_PROPOSAL * many)
    run.stats["proposals"] = done
    offer_unions(run, atoms, best)
    run.check_time()
