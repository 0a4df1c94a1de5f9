"""Prove non-homogeneous releases of small tables optimal by a tree of starred cells."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from starmin.instances import Certificate, Objective, Requirement, Table
from starmin.instances.arrays import Ints
from starmin.instances.releases.tuples_as_stars import tuples_as_stars
from starmin.instances.runs.stop import stopping
from starmin.models.nonhomogeneous.cell_prices import UNIT, CellPrices

KIND = "nonhomogeneous_tree"


def prove_by_cells(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    value: int,
    seconds: float,
) -> Certificate | None:
    r"""Search a tree that proves that no release costs less than ``value``.

    Branch and bound: a node decides of some cells whether they are starred. Its bound
    is the maximum over prices :math:`\mu` of originals of

    .. math::

        (k - 1) \sum_i \mu_i + \sum_j \min_S \Big( cost_S -
        \max_{N \subseteq C_S(j) \setminus \{j\},\ |N| = k - 1}
        \sum_{i \in N} \mu_i \Big)

    over the sets S of starred columns that row j may have, a concave function that
    Kelley's cutting planes maximise: each (S, N) found is a linear bound on the term of
    its row. Prices are rounded to whole numbers, and their bound is computed in whole
    numbers. Where all cells are decided, the rest is a flow; so a tree exists for every
    true value.

    The problem is k-anonymity, with stars or tuples, weights and kept columns;
    ``value`` is at least 1. The certificate is for
    ``starmin.verify.certificates.certificate_check``; None where ``seconds`` were too
    few, or the table has too many rows and columns.

    Notes
    -----
    Exponential in the worst case. 10 rows x 4 columns take about a second.

    References
    ----------
    J. E. Kelley, The cutting-plane method for solving convex programs, 1960.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> proof = prove_by_cells(table, KAnonymity(2), STARS, 4, 10.0)
    >>> proof.bound
    4
    """
    problem, charged = table, objective
    if objective.once:
        problem, charged = tuples_as_stars(table, objective)
    cells = CellPrices.of(problem, charged, requirement.core.size)
    if cells is None:
        return None
    end = time.perf_counter() + seconds
    nodes = _search(cells, value, lambda: stopping() or time.perf_counter() > end)
    if nodes is None:
        return None
    data = {"denominator": UNIT, "nodes": nodes}
    return Certificate.of(table, requirement, objective, KIND, value, data)


def _search(
    cells: CellPrices, value: int, out_of_time: Callable[[], bool]
) -> list[dict[str, Any]] | None:
    """Return the nodes of a tree, each before its children; None if out of time."""
    nodes: list[dict[str, Any]] = []
    nothing = np.zeros(cells.n, np.int64)
    every = np.full(cells.n, int(cells.sets[-1]))
    waiting = [(nothing, nothing, every)]
    while waiting:
        written, must, may = waiting.pop()
        best, split = cells.climb(written, must, may, value, out_of_time)
        changed = np.flatnonzero(best != written)
        entry: dict[str, Any] = {}
        if len(changed):
            pairs = np.stack([changed, best[changed]], axis=1)
            entry["prices"] = pairs.ravel().tolist()
        if split is not None:
            row, column = split
            if out_of_time() or not (may & ~must)[row] >> column & 1:
                return None
            entry["split"] = [row, column]
            waiting += halves(best, must, may, split)
        nodes.append(entry)
    return nodes


def halves(
    best: Ints, must: Ints, may: Ints, cell: tuple[int, int]
) -> list[tuple[Ints, Ints, Ints]]:
    """Return the two nodes below one: a cell is starred, and it is not."""
    row, column = cell
    starred, unstarred = must.copy(), may.copy()
    starred[row] |= 1 << column
    unstarred[row] &= ~(1 << column)
    return [(best, starred, may), (best, must, unstarred)]
