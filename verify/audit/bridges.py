"""Bridges of a graph: edges that are on no cycle; compiled."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def bridges(start: Ints, heads: Ints, edges: Ints, number: int) -> Bools:
    """Return for each edge whether it is a bridge: low links by depth-first search.

    Parameters
    ----------
    start, heads, edges
        For each vertex the first place of its neighbours; these, and the edge to each.
    number
        How many edges there are.
    """
    n = len(start) - 1
    found = np.zeros(number, np.bool_)
    depth = np.full(n, -1, np.int64)
    low = np.zeros(n, np.int64)
    at = start[:n].copy()
    above = np.full(n, -1, np.int64)  # the edge by which a vertex was reached
    stack = np.empty(n, np.int64)
    for root in range(n):
        if depth[root] >= 0:
            continue
        stack[0], top = root, 0
        depth[root] = low[root] = 0
        while top >= 0:
            v = stack[top]
            if at[v] < start[v + 1]:
                w, edge = heads[at[v]], edges[at[v]]
                at[v] += 1
                if depth[w] < 0:
                    depth[w] = low[w] = depth[v] + 1
                    above[w] = edge
                    top += 1
                    stack[top] = w
                elif edge != above[v]:
                    low[v] = min(low[v], depth[w])
                continue
            top -= 1
            if top >= 0:
                u = stack[top]
                low[u] = min(low[u], low[v])
                found[above[v]] = low[v] > depth[u]
    return found
