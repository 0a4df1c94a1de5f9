"""Pairs of a bipartite flow whose number is the same in all flows."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from starmin.instances.arrays import Bools, Ints
from starmin.verify.audit.bridges import bridges


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
