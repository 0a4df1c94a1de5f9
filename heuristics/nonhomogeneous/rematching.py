"""Masks planned by prices, matchings that follow the plan, and re-matching."""

import math
from dataclasses import dataclass, field

import numpy as np

from starmin.heuristics.nonhomogeneous import REMATCHING
from starmin.heuristics.nonhomogeneous.layers import (
    FINE,
    first_graph,
    masks_without,
    match_layer,
    match_layers,
    mix_layers,
    refreshed,
    total,
    with_masks,
)
from starmin.heuristics.nonhomogeneous.mask_prices import (
    PriceParams,
    find_groups,
    find_prices,
    pose,
    wished_edges,
)
from starmin.heuristics.nonhomogeneous.near_edges import Graph, MaskArrays
from starmin.heuristics.nonhomogeneous.ring import offer_rings, release_of
from starmin.instances import (
    STARS,
    NonHomogeneous,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Floats, Int32s


@dataclass(frozen=True)
class RematchingParams:
    """Constants that steer the search."""

    # rounds, rounds_per_layer: changes of the prices: so many, and so many more for
    # each of k layers
    rounds: int = 20
    rounds_per_layer: int = 6
    slack: int = 1  # columns that a planned mask may cost more than the cheapest
    # wished, wanted, wanted_per_layer: candidates of a record: of the group that it
    # wants so many for each of k layers that are cheap, and as many others; of near
    # ones ``wanted`` and ``wanted_per_layer`` for each of k layers
    wished: int = 3
    wanted: int = 20
    wanted_per_layer: int = 2
    # matchings, sweeps: so many layers are re-matched in all, in at least so many
    # sweeps; a single layer, for k = 2, in at most so many, as long as each gains
    # something
    matchings: int = 150
    sweeps: int = 12
    fresh: int = 3  # sweeps between two searches for candidates
    # share, share_per_layer, most_share: what an original pays at first that needs a
    # part of the mask which one other layer needs, as a share of the cost of that part:
    # for three layers, for each further one, and at most
    share: float = 0.3
    share_per_layer: float = 0.05
    most_share: float = 0.65
    # constants of the subgradient method
    prices: PriceParams = field(default_factory=PriceParams)


def rematching(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    params: RematchingParams = RematchingParams(),
) -> Result[NonHomogeneous]:
    """Release rows non-homogeneously by prices, planned masks and re-matching.

    No guarantee; ahead of ``two_phase``, and the more so the larger k is.

    *Plan.* Give each original a price that a record pays to be matched to it. A record
    then wants the mask that costs least together with the k - 1 cheapest originals
    that it covers. Prices rise where more than k - 1 records want an original and fall
    where fewer do: a subgradient method on the Lagrangian dual of

    .. math::

        \\min \\sum_j |C_j|, \\qquad |N(j)| = k \\;\\; \\forall j, \\qquad
        |N^{-1}(i)| = k \\;\\; \\forall i \\quad (\\text{prices } u_i)

    *Follow.* The layers are matched one after the other as in ``two_phase``, but a
    record has its planned mask from the beginning, so that later layers are free.
    Matching by small differences alone opens the masks one star at a time, for the
    nearest original first, and regrets it.

    *Re-match.* Layers are matched anew one at a time, the others fixed, at the least
    weight. A star that one layer alone needs goes when that layer finds another
    original, and one that several need stays. So an original also pays a share of the
    stars that few other layers need
    (``layers.weigh_shared``): layers gather on few stars.
    The shares fall to nothing with the time, or with the sweeps. Candidates are
    refreshed from the present masks, and layers are mixed between sweeps (two matchings
    exchange cycles at random), which gives re-matching other choices.

    Parameters
    ----------
    table, requirement, objective
        At most 31 quasi-identifiers, for gcp steps of their trees; k-anonymity; stars
        or gcp, weighted or not; columns to be kept are.
    time_limit
        Seconds; the best release so far is returned.
    seed
        Of random orders.

    Raises
    ------
    NotSupportedError
        Another requirement, more than 31 quasi-identifiers, or steps of their trees.

    See Also
    --------
    starmin.heuristics.nonhomogeneous.two_phase : without plan; faster.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> rematching(table, KAnonymity(2)).value
    4
    """
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, REMATCHING
    )

    def search() -> None:
        problem = pose(table, objective, seed)
        offer_rings(run)
        _rematch(run, problem, seed, params)

    return run.carry_out(search)


def _rematch(
    run: Run[NonHomogeneous], problem: MaskArrays, seed: int, params: RematchingParams
) -> None:
    """Plan, match and re-match; each better release is offered."""
    graph, plan = _planned(run, problem, seed, params)
    k = run.requirement.core.size
    mates = match_layers(problem, graph, k, run.check_time, plan)
    _sweep(run, problem, graph, mates, seed, params)
    run.offer(release_of(run.table, mates))


def _planned(
    run: Run[NonHomogeneous], problem: MaskArrays, seed: int, params: RematchingParams
) -> tuple[Graph, Int32s]:
    """Return candidates, and the masks that the prices suggest."""
    cells, charges, check = problem.cells, problem.charges, run.check_time
    k, slack = run.requirement.core.size, params.slack * problem.unit
    groups = find_groups(cells, charges, problem.masks, k, slack, seed, check)
    rounds = params.rounds + params.rounds_per_layer * k
    price, wish = find_prices(
        groups, problem.n, k, rounds, problem.unit, seed, check, params.prices
    )
    check()
    cheap = params.wished * k
    edges = with_masks(cells, *wished_edges(groups, price, wish, cheap, cheap))
    wanted = params.wanted + params.wanted_per_layer * k
    graph = first_graph(problem, k, wanted, edges, seed=seed, check=check)
    return graph, groups.mask[wish]


def _sweep(
    run: Run[NonHomogeneous],
    problem: MaskArrays,
    graph: Graph,
    mates: Int32s,
    seed: int,
    params: RematchingParams,
) -> None:
    """Re-match all layers, in place, sweep after sweep; shares fall to nothing."""
    rng, began, layers = np.random.default_rng(seed), run.elapsed, len(mates)
    alone = layers == 1  # Its matching is the best among its candidates.
    sweeps = params.sweeps if alone else max(params.sweeps, params.matchings // layers)
    least = math.inf
    for sweep in range(sweeps):
        full = masks_without(problem.cells, mates, -1)
        cost = total(problem.charges, full)
        if cost < least:
            least = cost
            run.offer(release_of(run.table, mates))
        elif alone:
            return
        run.check_time()
        if cost == 0:
            return
        if alone or sweep % params.fresh == 0:
            graph = refreshed(
                *(problem, graph, full, mates, 2 * layers + 10, seed + sweep),
                run.check_time,
            )
        spent = run.elapsed - began
        done = max(sweep / max(sweeps - 1, 1), spent / (spent + run.remaining))
        shares = _shares(layers, 1 - done, params)
        mix_layers(mates, rng)
        for layer in range(layers):
            if not run.remaining:
                run.offer(release_of(run.table, mates))
                raise TimeoutError
            match_layer(problem, graph, mates, layer, shares=shares)


def _shares(layers: int, left: float, params: RematchingParams) -> Floats | None:
    """Return what is paid for parts that other layers need; None for nothing.

    ``layers`` are without that of the record itself; ``left`` is the share still to go.
    """
    first = params.share + params.share_per_layer * (layers - 2)
    shares = min(first, params.most_share) * left * 2 / np.arange(1, layers + 2)
    shares[0] = 0.0  # What no layer needs costs all of it.
    return shares if np.rint(FINE * shares).any() else None
