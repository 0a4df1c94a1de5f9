"""Chances of values where single rows alone are ruled out, by a program; compiled."""

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def count_dealt(types: Ints, counts: Ints, single: Bools) -> Floats:
    """Count in how many worlds each row has each value, none ruled out by two rows.

    Rows are dealt their values one after the other; a state is what is left of each
    value. The worlds through a step are those that lead to it times those after it.

    The ``types`` are those of the rows of a class, ``counts`` says how often it has
    each of its values, and ``single`` by type and value what is ruled out.
    """
    s, n = len(types), len(counts)
    weight = np.ones(n + 1, np.int64)
    for v in range(n):
        weight[v + 1] = weight[v] * (counts[v] + 1)
    states = weight[n]
    before = np.zeros((s + 1, states))
    after = np.zeros((s + 1, states))
    before[0, states - 1] = 1.0
    after[s, 0] = 1.0
    for i in range(s):
        for state in range(states):
            if before[i, state] > 0:
                for v in range(n):
                    left = state // weight[v] % (counts[v] + 1)
                    if left > 0 and not single[types[i], v]:
                        before[i + 1, state - weight[v]] += before[i, state]
    hits = np.zeros((s, n))
    for i in range(s - 1, -1, -1):
        for state in range(states):
            for v in range(n):
                left = state // weight[v] % (counts[v] + 1)
                if left > 0 and not single[types[i], v]:
                    rest = after[i + 1, state - weight[v]]
                    after[i, state] += rest
                    hits[i, v] += before[i, state] * rest
    return hits
