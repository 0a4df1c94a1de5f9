"""Regular bipartite graphs of originals and released rows, and their matchings."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from starmin.instances import IntArray, NonHomogeneous, Objective, Partition, Table
from starmin.instances.arrays import Bools, Int32s, Ints


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


def charged_differences(
    table: Table, objective: Objective
) -> tuple[Bools, Ints, Bools]:
    """Return what it costs that two rows differ, for small models.

    That is where two rows differ (n x n x columns), what a star there costs, and which
    rows may not be matched as they differ in a column to be kept. For tuples a single
    column stands for all.
    """
    types = table.row_types
    codes = types.codes[types.inverse]
    differ = codes[:, None] != codes[None]
    apart = differ[:, :, objective.kept(table)].any(axis=2)
    return *objective.charged(table, differ), apart
