"""Odd sets of rows: in any release some group has an odd number of rows of each."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from starmin.instances.arrays import Floats
from starmin.models.simplex_matching.pairs_and_triples import Groups

# Groups that are used less than one of these shares do not join a component.
_LEAST_USES = (1e-6, 0.2, 0.35, 0.45, 0.55, 0.7, 0.95)
_VIOLATION = 0.01  # A set that is cut less than this below 1 is taken.


def find_odd_sets(groups: Groups, uses: Floats) -> Any:
    """Find odd sets of types that a fractional packing cuts by less than one group.

    Components of the graph of groups that are used by more than some share; ``uses`` is
    how often each of the pairs and triples is used. Returns the sparse matrix of sets
    and types.
    """
    used = groups.select(uses > _LEAST_USES[0])
    uses = uses[uses > _LEAST_USES[0]]
    incidence, counts = used.incidence(), used.counts
    found: set[tuple[int, ...]] = set()
    # Shares that the same groups are above give the same components.
    shares = {np.count_nonzero(uses > least): least for least in _LEAST_USES}
    for least in shares.values():
        joined = incidence[np.flatnonzero(uses > least)]
        graph = sparse.coo_array(joined.T @ joined)
        size, component = csgraph.connected_components(graph, directed=False)
        rows = np.zeros(size, np.int64)
        np.add.at(rows, component, counts)
        everything = np.arange(len(counts))
        sets = sparse.csr_array(
            (np.ones(len(counts), np.int64), (component, everything)),
            shape=(size, len(counts)),
        )
        cut = used.odd(sets).T @ uses
        for number in np.flatnonzero((rows % 2 == 1) & (cut < 1 - _VIOLATION)):
            begin, end = sets.indptr[number : number + 2]
            found.add(tuple(sorted(sets.indices[begin:end].tolist())))
    return matrix_of(sorted(found), len(counts))


def matrix_of(sets: list[tuple[int, ...]], types: int) -> Any:
    """Return the sparse matrix of sets and types.

    Examples
    --------
    >>> matrix_of([(0, 2)], 3).toarray().tolist()
    [[1, 0, 1]]
    """
    starts = np.cumsum([0, *map(len, sets)])
    members = np.array([t for one in sets for t in one], np.int64)
    ones = np.ones(len(members), np.int64)
    return sparse.csr_array((ones, members, starts), shape=(len(sets), types))
