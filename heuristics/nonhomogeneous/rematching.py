"""Masks planned by prices, matchings that follow the plan, and re-matching."""

import math

import numpy as np

from heuristics.matchings.auction import FREE, Graph, Ints
from heuristics.matchings.checks import Check, never
from heuristics.matchings.edges import first_graph, refreshed, with_masks
from heuristics.matchings.layers import (
    masks_without,
    match_layer,
    mix_layers,
    total,
)
from heuristics.matchings.pose import pose
from heuristics.matchings.prices import find_groups, find_prices, wished_edges
from heuristics.matchings.problem import Problem
from heuristics.nonhomogeneous.ring import offer_rings
from heuristics.nonhomogeneous.solution import release_of
from instances import (
    STARS,
    Limit,
    NonHomogeneous,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    expect_k,
)

_SLACK = 1  # columns that a planned mask may cost more than the cheapest
_ENOUGH = 0.002  # a sweep that gains less, as a share, is the last but one


def rematching(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
) -> Result[NonHomogeneous]:
    """Non-homogeneous k-anonymity by prices, planned masks and re-matching.

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
    weight: no step costs more. Candidates are refreshed from the present masks, and
    layers are mixed between sweeps (two matchings exchange cycles at random), which
    gives re-matching other choices.

    Parameters
    ----------
    table
        At most 31 QI columns; for gcp, steps of their trees.
    requirement
        k-anonymity.
    objective
        Stars or gcp, weighted or not; columns to be kept are.
    time_limit
        Seconds; the best release so far is returned.
    seed
        Of random orders.

    Raises
    ------
    NotSupportedError
        Another requirement, more than 31 QI columns, or steps of their trees.

    See Also
    --------
    heuristics.nonhomogeneous.two_phase : without plan; faster.

    Examples
    --------
    >>> from instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> rematching(table, KAnonymity(2)).value
    4
    """
    k = expect_k(requirement)
    run = Run[NonHomogeneous](table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    problem = pose(table, objective, seed)
    offer_rings(run)
    try:
        rematched(problem, k, seed=seed, run=run)
    except TimeoutError:
        return run.result(Limit.TIME)
    return run.result()


def rematched(
    problem: Problem,
    k: int,
    *,
    rounds: int | None = None,
    sweeps: int = 12,
    seed: int = 0,
    run: Run[NonHomogeneous] | None = None,
) -> Ints:
    """The layers that plan and re-matching find; each better one is offered to ``run``.

    Parameters
    ----------
    problem, k
        The problem.
    rounds
        Of changes of the prices; None: 20 and 6 for each layer.
    sweeps
        Over all layers at most.
    seed
        Of random orders.
    run
        Its time limit is kept.
    """
    mates = np.full((k - 1, problem.n), FREE, np.int32)
    check = run.check_time if run else never
    if k > 1:
        graph, plan = _planned(problem, k, rounds or 20 + 6 * k, seed, check)
        for layer in range(k - 1):
            check()
            match_layer(problem, graph, mates, layer, plan)
        _sweep(problem, graph, mates, sweeps, seed, run)
    if run:
        run.offer(release_of(run.table, mates))
    return mates


def _planned(
    problem: Problem, k: int, rounds: int, seed: int, check: Check
) -> tuple[Graph, Ints]:
    """Candidates and the masks that the prices suggest."""
    cells, charges = problem.cells, problem.charges
    slack = _SLACK * problem.unit
    groups = find_groups(cells, charges, problem.masks, k, slack, seed, check)
    price, wish = find_prices(groups, problem.n, k, rounds, problem.unit, seed, check)
    check()
    edges = with_masks(cells, *wished_edges(groups, price, wish, 3 * k, 3 * k))
    graph = first_graph(problem, k, 20 + 2 * k, edges, seed=seed, check=check)
    return graph, groups.mask[wish]


def _sweep(
    problem: Problem,
    graph: Graph,
    mates: Ints,
    sweeps: int,
    seed: int,
    run: Run[NonHomogeneous] | None,
) -> None:
    """Re-match all layers until that gains little."""
    rng = np.random.default_rng(seed)
    check = run.check_time if run else never
    before = math.inf
    for sweep in range(sweeps):
        full = masks_without(problem.cells, mates, -1)
        if run:
            run.offer(release_of(run.table, mates))
        check()
        paid = total(problem.charges, full)
        if paid == 0 or (sweep > 2 and paid > (1 - _ENOUGH) * before):
            return
        before = paid
        if sweep in (0, 3):
            each = 2 * len(mates) + 10
            graph = refreshed(problem, graph, full, mates, each, seed + sweep, check)
        mix_layers(mates, rng)
        for layer in range(len(mates)):
            if run and not run.remaining:
                run.offer(release_of(run.table, mates))  # no layer made it dearer
                raise TimeoutError
            match_layer(problem, graph, mates, layer)
