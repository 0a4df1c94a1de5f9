"""Non-homogeneous k-anonymity by branch and bound over star sets, with flows."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from starmin.instances import (
    STARS,
    Certificate,
    IntArray,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.runs.search_control import stopping
from starmin.models.nonhomogeneous import MATCHING_FLOW_TREE
from starmin.models.nonhomogeneous.cell_prices import KIND, CellPrices, Climbed

# Regular bipartite graphs of originals and released rows, and their matchings.


def split_regular(originals: IntArray, records: IntArray, n: int, k: int) -> Int32s:
    """Split a regular graph into k matchings that share no pair.

    A regular bipartite graph has a perfect matching (König); what is left without it is
    regular again. The pairs of originals and records are all different, n k of them.
    Returns k x n: row i of matching m is the released row that original i is matched
    to.

    Examples
    --------
    >>> split_regular(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 2, 2).tolist()
    [[0, 1], [1, 0]]
    """
    matchings = np.empty((k, n), np.int32)
    for m in range(k):
        graph = csr_array(
            (np.ones(len(originals), np.int8), (originals, records)), shape=(n, n)
        )
        matchings[m] = maximum_bipartite_matching(graph, perm_type="column")
        rest = matchings[m][originals] != records
        originals, records = originals[rest], records[rest]
    return matchings


def release_of_pairs(
    table: Table, pairs: Sequence[tuple[int, int]], k: int
) -> NonHomogeneous:
    """Make the release in which each row has k - 1 originals beside itself.

    ``pairs`` are of originals and records that are no row with itself; each record has
    ``k`` originals.
    """
    same = [(row, row) for row in range(table.n)]
    originals, records = np.array([*pairs, *same]).T
    matchings = split_regular(originals, records, table.n, k)
    return NonHomogeneous.from_matchings(table, matchings)


def ring_release(table: Table, objective: Objective, k: int) -> NonHomogeneous:
    """Make the release of rings of neighbours in row order: it always exists."""
    classes = Partition.coarsest(table, objective)
    return NonHomogeneous.coarsest(table, k, classes.groups)


def matching_flow_tree(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    initial: NonHomogeneous | None = None,
) -> Result[NonHomogeneous]:
    r"""Solve non-homogeneous k-anonymity exactly on tiny tables, for any k.

    The idea: once it is fixed which columns of each released row are starred, the rest
    is a flow. Each original sends one unit to k - 1 other released rows that agree with
    it on all columns that are not starred, and each released row takes k - 1.

    *The relaxation.* Let each released row j choose among its sets S of starred columns
    by shares that add up to 1, and send what each share can: the best of all such flows
    is a linear program. Its dual has a price :math:`\mu_i` for each original,

    .. math::

        \max_\mu\ (k - 1) \sum_i \mu_i + \sum_j \min_S \Big( cost_S -
        \max_{N \subseteq C_S(j) \setminus \{j\},\ |N| = k - 1}
        \sum_{i \in N} \mu_i \Big),

    which cutting planes maximise. *The tree* decides cells, starred or not, until no
    release in a node costs less than the best one found. *Releases* are found at each
    node: star sets are fixed at what the prices choose, and a flow of least cost says
    where further stars are needed. Where all cells are decided, the flow is the
    optimum, so the search ends.

    Parameters
    ----------
    table, requirement, objective
        Few rows and columns: n^2 2^d is 2^21 at most; ``KAnonymity``; stars or tuples;
        weights and ``keep`` are honoured.
    time_limit, display
        Wall-clock seconds, after which the best release is returned. Progress is shown
        on stderr.
    initial
        A release with matchings, returned if nothing better is found.

    Returns
    -------
    Result
        With a certificate of kind ``nonhomogeneous_tree`` if the search ended.

    Raises
    ------
    NotSupportedError
        Another requirement, or more rows and columns.

    See Also
    --------
    starmin.models.nonhomogeneous.matching_mip.matching_mip : by a solver.
    starmin.models.nonhomogeneous.cell_prices.prove_by_cells : the tree of a value.

    References
    ----------
    Murakami and Uno (2018); J. E. Kelley, The cutting-plane method for solving convex
    programs, 1960.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> result = matching_flow_tree(table, KAnonymity(2))
    >>> result.value, result.certificate.kind
    (4, 'nonhomogeneous_tree')
    """
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, MATCHING_FLOW_TREE
    )
    k = requirement.core.size
    cells = CellPrices.of(table, objective, k)
    if cells is None:
        raise NotSupportedError(
            f"Expected fewer rows and columns, got {table.n} by {table.d}."
        )

    def search() -> Limit | None:
        run.offer(ring_release(table, objective, k))
        if initial is not None:
            run.offer(initial)
        return _Tree(run, cells).search()

    return run.carry_out(search)


class _Tree:
    """The nodes, and what is known of them."""

    def __init__(self, run: Run[NonHomogeneous], cells: CellPrices) -> None:
        self.run, self.cells = run, cells

    def search(self) -> Limit | None:
        """Decide cells until no release costs less than the best one; certify that."""
        data = self.cells.tree(self._climb)
        if data is None:
            return Limit.TIME
        run, value = self.run, self.run.cost
        if value:
            proof = Certificate.of(*run.asked, KIND, value, data)
            run.raise_bound(value, "matching_flow_tree", certificate=proof)
        return None

    def _climb(self, prices: Ints, must: Ints, may: Ints) -> Climbed | None:
        """Return prices that close a node, or those and the cell that it is split on.

        A release is looked for in between. Where no cell is open any more, prices climb
        on until they close the node, as they can. None if out of time.
        """
        while True:
            best, split = self.cells.climb(prices, must, may, self.run.cost, self._left)
            if self._left() <= 0:
                return None
            if split is None:
                return best, None
            self._offer_flow(self.cells.evaluate(best, must, may).sets)
            if self.cells.is_open(split, must, may):
                return best, split
            prices = best

    def _offer_flow(self, chosen: Ints) -> None:
        """Offer the flow of least cost where rows are starred as chosen, or more."""
        from ortools.graph.python import min_cost_flow  # a tenth of a second to import

        cells, n = self.cells, self.cells.n
        # What a pair costs beyond the stars that are there: the cheapest larger set.
        own = cells.sets[chosen][:, None]
        larger = cells.sets & own == own
        extra = (cells.cost - cells.cost[chosen][:, None]).astype(np.int64)
        dear = int(cells.cost[-1]) + 1
        price = np.where(larger, extra, dear)[:, :, None]
        pair = np.where(cells.fits, price, dear).min(axis=1)  # released x original
        records, originals = np.nonzero(pair < dear)
        flow = min_cost_flow.SimpleMinCostFlow()
        once = np.ones(len(records), np.int64)
        arcs = flow.add_arcs_with_capacity_and_unit_cost(
            originals, n + records, once, pair[records, originals]
        )
        supply = np.repeat([cells.k - 1, 1 - cells.k], n)
        flow.set_nodes_supplies(np.arange(2 * n), supply)
        if flow.solve() != flow.OPTIMAL:
            return
        used = flow.flows(arcs) > 0
        every = np.arange(n)
        given = cells.rows[np.concatenate([originals[used], every])]
        taken = cells.rows[np.concatenate([records[used], every])]
        matchings = split_regular(given, taken, n, cells.k)
        self.run.offer(NonHomogeneous.from_matchings(self.run.table, matchings))

    def _left(self) -> float:
        return 0.0 if stopping() else self.run.remaining
