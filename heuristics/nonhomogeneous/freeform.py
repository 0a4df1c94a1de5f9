"""Freeform generalization: matchings made of the cheapest pairs that are left."""

import math
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.nonhomogeneous import FREEFORM
from starmin.heuristics.nonhomogeneous.complete import complete
from starmin.heuristics.nonhomogeneous.layers import (
    first_graph,
    masks_without,
    match_layer,
    weigh,
)
from starmin.heuristics.nonhomogeneous.mask_prices import pose
from starmin.heuristics.nonhomogeneous.near_edges import FREE, NEVER, Graph, MaskArrays
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
from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import compiled


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
