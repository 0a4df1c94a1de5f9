"""Pairs of a bipartite flow whose number is the same in all flows."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled


def fixed_pairs(pairs: Ints, flow: Ints, m: int, n: int) -> Bools:
    """Return for each pair whether its number is the same in all flows.

    That is so iff no alternating cycle passes through it: iff its ends are in different
    strong components of the residual graph, or it is a bridge of one.

    Parameters
    ----------
    pairs, flow
        A tail (below m) and a head (below n) each; one flow between them.
    m, n
        How many tails and heads there are.
    """
    back = flow > 0
    tails = np.concatenate([pairs[:, 0], m + pairs[back, 1]])
    heads = np.concatenate([m + pairs[:, 1], pairs[back, 0]])
    ones = np.ones(len(tails), bool)
    residual = csr_array((ones, (tails, heads)), shape=(m + n, m + n))
    _, part = connected_components(residual, directed=True, connection="strong")
    fixed = part[pairs[:, 0]] != part[m + pairs[:, 1]]
    inside = np.flatnonzero(~fixed)
    u, v = pairs[inside, 0], m + pairs[inside, 1]
    ends, others = np.concatenate([u, v]), np.concatenate([v, u])
    order = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[order], np.arange(m + n + 1))
    edges = np.tile(np.arange(len(inside)), 2)[order]
    fixed[inside] = bridges(start, others[order], edges, len(inside))
    return np.asarray(fixed)


@compiled
def bridges(start: Ints, heads: Ints, edges: Ints, number: int) -> Bools:
    """Return for each edge whether it is a bridge: low links by depth-first search.

    By ``start`` the neighbours of each vertex begin in ``heads``; ``edges`` has the
    edge to each of these. There are ``number`` edges.
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
