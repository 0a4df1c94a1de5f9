"""Blossoms: what cuts fractional points off from the 2-factors of a graph."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from starmin.instances.arrays import Bools, Floats, Ints

_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Blossom:
    """An odd number of teeth that leave a set: not all of them, or another edge too."""

    inside: Bools
    teeth: npt.NDArray[np.intp]

    def row(self, edges: npt.NDArray[np.intp]) -> tuple[Ints, Floats]:
        """Return the edges that leave the set, and their coefficients."""
        n = len(self.inside)
        leaves = np.flatnonzero(self.inside[edges[:, 0]] != self.inside[edges[:, 1]])
        keys, teeth = edges[leaves] @ (n, 1), self.teeth @ (n, 1)
        return leaves, np.where(np.isin(keys, teeth), -1.0, 1.0)


def find_blossoms(n: int, edges: npt.NDArray[np.intp], x: Floats) -> list[Blossom]:
    """Find blossoms around components of fractional edges, whole edges as teeth."""
    whole = x > 1 - _ROUNDING
    part = edges[(x > _ROUNDING) & ~whole]
    graph = sparse.coo_array((np.ones(len(part)), tuple(part.T)), shape=(n, n))
    _, component = csgraph.connected_components(graph, directed=False)
    ends = component[edges]
    cuts = []
    for c in np.unique(component[part]):
        crossing = whole & ((ends == c).sum(axis=1) == 1)
        if crossing.sum() % 2:
            cuts.append(Blossom(component == c, edges[crossing]))
    return cuts
