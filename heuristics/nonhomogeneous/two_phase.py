"""Successive matchings, then negative cycles: Murakami and Uno's two phases.

The second is given time, or goes to its end, as they have it; freeform generalization
has the first alone, with the cheapest pairs that are left.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.nonhomogeneous import FREEFORM, TWO_PHASE
from starmin.heuristics.nonhomogeneous.complete import complete
from starmin.heuristics.nonhomogeneous.cycles import (
    by_original,
    cancel_cycles,
    cancel_in_tree,
    decompose,
)
from starmin.heuristics.nonhomogeneous.layers import (
    first_graph,
    masks_without,
    match_layer,
    match_layers,
    weigh,
)
from starmin.heuristics.nonhomogeneous.mask_prices import pose
from starmin.heuristics.nonhomogeneous.near_edges import FREE, NEVER, Graph, MaskArrays
from starmin.heuristics.nonhomogeneous.ring import offer_rings, release_of
from starmin.instances import (
    STARS,
    Limit,
    NonHomogeneous,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import compiled


@dataclass(frozen=True)
class TwoPhaseParams:
    """Constants that steer the search."""

    # wanted, wanted_per_layer: candidates that a record looks for: so many, and so many
    # more for each of k layers
    wanted: int = 50
    wanted_per_layer: int = 8
    # originals at most that a search for cycles labels; 0: no second phase
    steps: int = 20
    # a cycle is looked for upstream of a label that was lowered so often
    visits: int = 3
    # originals from which cycles are searched between two looks at the clock
    roots: int = 20_000
    # whether cycles are searched in whole trees, until none is found; ``steps`` does
    # not matter then
    to_the_end: bool = False
    # steps in a tree at most, between two looks at the clock
    iterations: int = 1_000_000


def two_phase(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    params: TwoPhaseParams = TwoPhaseParams(),
) -> Result[NonHomogeneous]:
    """Release rows non-homogeneously by k - 1 matchings, one after the other.

    No guarantee for k >= 3. For k = 2 a single matching of least weight is asked for,
    and what is lost are only edges that are no candidates.

    *First phase.* Every record is matched to itself. Then, k - 1 times, records are
    matched to originals at the least weight, the weight of a pair being the stars that
    the record does not have yet:

    .. math::

        w(i, j) = |A_{ij} \\setminus C_j|, \\qquad C_j = \\bigcup_{i \\in N(j)} A_{ij}

    with :math:`A_{ij}` the columns on which rows i and j differ. Candidates are pairs
    that differ on few columns, found by hashing the columns on which they agree.
    Where they have no perfect matching, pairs are added.

    *Second phase.* Negative cycles are cancelled: record j takes i and gives up h,
    which another record takes. Labels spread from every original in turn; the cycle
    search goes upstream of labels that were lowered three times (section 3.2.2). By
    default each original is the root of a short search; ``to_the_end`` is the paper's
    single tree, again and again until a tree finds none.

    Parameters
    ----------
    table, requirement, objective
        At most 31 quasi-identifiers, for gcp steps of their trees; k-anonymity; stars
        or gcp, weighted or not; columns to be kept are.
    time_limit
        Seconds; if the layers are not done by then, rings of neighbours are returned.
    seed
        Of the order in which records are looked at.

    Raises
    ------
    NotSupportedError
        Another requirement, more than 31 quasi-identifiers, or steps of their trees.

    See Also
    --------
    starmin.heuristics.nonhomogeneous.rematching : fewer stars.
    starmin.heuristics.nonhomogeneous.blocks : tables of millions of rows.

    Notes
    -----
    Matchings are found by auction with shrinking steps (Bertsekas), which on these
    graphs is ten times as fast as cost scaling by push and relabel and equals it to
    four digits.

    References
    ----------
    K. Murakami, T. Uno: Optimization algorithm for k-anonymization of datasets with
    low information loss, International Journal of Information Security 2018.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> two_phase(table, KAnonymity(2)).value
    4
    """
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, TWO_PHASE
    )

    def search() -> Limit | None:
        problem = pose(table, objective, seed)
        offer_rings(run)
        run.offer(release_of(table, _two_phases(run, problem, seed, params)))
        return None if run.remaining else Limit.TIME

    return run.carry_out(search)


def _two_phases(
    run: Run[NonHomogeneous], problem: MaskArrays, seed: int, params: TwoPhaseParams
) -> Int32s:
    """Find the layers of both phases."""
    k = run.requirement.core.size
    wanted = params.wanted + params.wanted_per_layer * k
    graph = first_graph(problem, k, wanted, seed=seed, check=run.check_time)
    mates = match_layers(problem, graph, k, run.check_time)
    if k == 2:
        return mates
    return second_phase(problem, graph, mates, seed, params, lambda: not run.remaining)


def second_phase(
    problem: MaskArrays,
    graph: Graph,
    mates: Int32s,
    seed: int,
    params: TwoPhaseParams,
    ended: Callable[[], bool] = lambda: False,
) -> Int32s:
    """Cancel negative cycles in layers x n, changed in place; return layers anew."""
    edges, rng = by_original(graph), np.random.default_rng(seed)
    arrays = problem.cells, problem.charges, edges, mates
    if params.to_the_end:
        gain = 1
        while gain and not ended():
            root = int(rng.integers(problem.n))
            gain, _ = cancel_in_tree(*arrays, root, params.iterations, params.visits)
    elif params.steps:
        for first in range(0, problem.n, params.roots):
            if ended():
                break
            cancel_cycles(*arrays, params.steps, params.visits, first, params.roots)
    return decompose(mates, rng)


TO_THE_END = TwoPhaseParams(to_the_end=True)


def two_phase_to_the_end(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
) -> Result[NonHomogeneous]:
    """Release rows non-homogeneously by two phases, the second one to its end.

    No guarantee for k >= 3. The first phase is that of ``two_phase``, which then makes
    a short search for negative cycles from each original. Here cycles are searched as
    in the paper: labels spread through one tree of all originals, a cycle is looked for
    upstream of a label that was lowered three times, and what a cycle made stale is
    forgotten. Trees are searched one after the other until one finds no cycle.

    Parameters
    ----------
    table, requirement, objective
        At most 31 quasi-identifiers, for gcp steps of their trees; k-anonymity; stars
        or gcp, weighted or not; columns to be kept are.
    time_limit
        Seconds; the cycles that were cancelled by then are kept.
    seed
        Of the order in which records are looked at, and of the roots of trees.

    Raises
    ------
    NotSupportedError
        As ``two_phase``.

    See Also
    --------
    starmin.heuristics.nonhomogeneous.two_phase : with short searches, faster.
    starmin.heuristics.nonhomogeneous.rematching : fewer stars.

    References
    ----------
    K. Murakami, T. Uno: Optimization algorithm for k-anonymization of datasets with
    low information loss, International Journal of Information Security 2018,
    section 3.2.2.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.catalogue.generators import census
    >>> from starmin.heuristics.nonhomogeneous.two_phase import two_phase
    >>> table, requirement = census(1_000, sensitive="none"), KAnonymity(3)
    >>> two_phase(table, requirement).value
    3055
    >>> two_phase_to_the_end(table, requirement).value
    3042
    """
    return two_phase(
        table,
        requirement,
        objective=objective,
        time_limit=time_limit,
        seed=seed,
        display=display,
        params=TO_THE_END,
    )


@dataclass(frozen=True)
class FreeformParams:
    """Constants that steer the search."""

    # wanted, wanted_per_layer: candidates that a record looks for: so many, and so many
    # more for each of k layers
    wanted: int = 30
    wanted_per_layer: int = 8


def freeform(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    params: FreeformParams = FreeformParams(),
) -> Result[NonHomogeneous]:
    """Release rows non-homogeneously by k - 1 greedy matchings; no guarantee.

    A baseline: the sorted greedy of Doka et al. As the first phase of ``two_phase``,
    but a matching takes the pairs from the cheapest to the dearest, wherever both are
    free still, and swaps for what is left at the end.

    Parameters
    ----------
    table, requirement, objective
        At most 31 quasi-identifiers, for gcp steps of their trees; k-anonymity; stars
        or gcp, weighted or not; columns to be kept are.
    time_limit
        Seconds; if the layers are not done by then, rings of neighbours are returned.
    seed
        Of random orders.

    Raises
    ------
    NotSupportedError
        Another requirement, more than 31 quasi-identifiers, or steps of their trees.

    Notes
    -----
    They sort all n^2 pairs; here these are the candidates of ``two_phase``.

    References
    ----------
    K. Doka, M. Xue, D. Tsoumakos, P. Karras: k-Anonymization by Freeform
    Generalization, ASIACCS 2015.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> freeform(table, KAnonymity(2)).value
    4
    """
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, FREEFORM
    )

    def search() -> None:
        problem, k = pose(table, objective, seed), requirement.core.size
        offer_rings(run)
        wanted = params.wanted + params.wanted_per_layer * k
        graph = first_graph(problem, k, wanted, seed=seed, check=run.check_time)
        mates = np.full((k - 1, table.n), FREE, np.int32)
        for layer in range(k - 1):
            run.check_time()
            _greedy_layer(problem, graph, mates, layer)
        run.offer(release_of(table, mates))

    return run.carry_out(search)


def _greedy_layer(problem: MaskArrays, graph: Graph, mates: Int32s, layer: int) -> None:
    """Match a layer by the cheapest pairs, then complete it."""
    rest = masks_without(problem.cells, mates, layer)
    weight = weigh(graph, problem.charges, rest, mates, layer)
    mates[layer] = _cheapest_first(graph, weight, np.argsort(weight, kind="stable"))
    complete(problem, rest, mates, layer)
    if (mates[layer] == FREE).any():  # in small classes
        match_layer(problem, graph, mates, layer)


@compiled
def _cheapest_first(graph: Graph, weight: Int32s, order: Int32s) -> Int32s:
    """Take the pairs in their order, where record and original are free."""
    n = len(graph.start) - 1
    record = np.repeat(np.arange(n, dtype=np.int32), np.diff(graph.start))
    mate, taken = np.full(n, FREE, np.int32), np.zeros(n, np.bool_)
    for e in order:
        if weight[e] == NEVER:
            break
        j, i = record[e], graph.original[e]
        if mate[j] == FREE and not taken[i]:
            mate[j], taken[i] = i, True
    return mate
