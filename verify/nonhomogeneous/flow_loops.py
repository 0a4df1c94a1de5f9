"""Dinic's algorithm, compiled; imported when first called for."""

from typing import Any, NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled, inner

# Bits that all cells of a row have, counted and listed; compiled.


@inner
def _common(at: Ints, words: Words, record: int, word: int) -> Any:
    bits = words[at[record, 0], word]
    for a in range(1, at.shape[1]):
        bits &= words[at[record, a], word]
    return bits


@compiled
def count_common(at: Ints, words: Words) -> Ints:
    """Count how many public types each released one may stem from."""
    found = np.zeros(len(at), np.int64)
    for record in range(len(at)):
        for word in range(words.shape[1]):
            bits = _common(at, words, record, word)
            while bits:
                bits &= bits - np.uint64(1)
                found[record] += 1
    return found


@compiled
def fill_common(at: Ints, words: Words, start: Ints, originals: Int32s) -> None:
    """List the public types, those of each released type from its ``start`` on.

    ``at`` is by released type and column the number of its text. The ``words`` have for
    each text the public types it covers, 64 to a word. ``originals`` is filled in place
    with public types.
    """
    for record in range(len(at)):
        place = start[record]
        for word in range(words.shape[1]):
            bits = _common(at, words, record, word)
            bit = 64 * word
            while bits:
                if bits & np.uint64(1):
                    originals[place] = bit
                    place += 1
                bits >>= np.uint64(1)
                bit += 1


class _Flow(NamedTuple):
    """The edges, as ``dinic`` is given them, and what is sent along them."""

    starts: Ints
    tails: Int32s
    heads: Int32s
    capacities: Ints
    head_starts: Ints
    by_head: Int32s
    # flow, supply, demand: of each edge, and what is left at tails and heads
    flow: Ints
    supply: Ints
    demand: Ints
    # levels, arcs: by node: its distance from unused supply, and the edge to look at
    # next
    levels: Int32s
    arcs: Ints
    queue: Int32s  # queue, path: room for nodes, and for the edges of a path
    path: Ints


@compiled
def dinic(
    starts: Ints,
    tails: Int32s,
    heads: Int32s,
    capacities: Ints,
    head_starts: Ints,
    by_head: Int32s,
    supplies: Ints,
    demands: Ints,
) -> tuple[Ints, Int32s]:
    """Find a maximum flow in a bipartite graph.

    The edges are sorted by tail; those of tail t are ``starts[t]`` to ``starts[t +
    1]``. ``by_head`` has the numbers of the edges sorted by head, and ``head_starts``
    where those of each head start. Returned are the flow of each edge, and the level of
    each node, tails first; -1 where no unused supply reaches it.
    """
    m, nodes = len(supplies), len(supplies) + len(demands)
    flow = np.zeros(len(heads), np.int64)
    supply, demand = supplies.copy(), demands.copy()
    for t in range(m):
        for e in range(starts[t], starts[t + 1]):
            sent = min(supply[t], min(capacities[e], demand[heads[e]]))
            flow[e] = sent
            supply[t] -= sent
            demand[heads[e]] -= sent
    levels, arcs = np.empty(nodes, np.int32), np.empty(nodes, np.int64)
    f = _Flow(
        starts,
        tails,
        heads,
        capacities,
        head_starts,
        by_head,
        flow,
        supply,
        demand,
        levels,
        arcs,
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int64),
    )
    while _label(f):
        arcs[:m] = starts[:-1]
        arcs[m:] = head_starts[:-1]
        for t in range(m):
            while supply[t] > 0 and _push(f, t):
                pass
    return flow, levels


@inner
def _label(f: _Flow) -> bool:
    """Label distances from unused supply; return whether they reach an unmet demand."""
    starts, tails, heads, capacities = f.starts, f.tails, f.heads, f.capacities
    head_starts, by_head, flow = f.head_starts, f.by_head, f.flow
    supply, demand, levels, queue = f.supply, f.demand, f.levels, f.queue
    m = len(supply)
    levels[:] = -1
    first, last = 0, 0
    for t in range(m):
        if supply[t] > 0:
            levels[t] = 0
            queue[last] = t
            last += 1
    found, deepest = False, np.int32(1 << 30)
    while first < last:
        v = queue[first]
        first += 1
        if levels[v] >= deepest:
            break
        if v < m:
            for e in range(starts[v], starts[v + 1]):
                u = heads[e] + m
                if levels[u] < 0 and flow[e] < capacities[e]:
                    levels[u] = levels[v] + 1
                    queue[last] = u
                    last += 1
                    if demand[u - m] > 0:
                        found, deepest = True, levels[u]
        else:
            for i in range(head_starts[v - m], head_starts[v - m + 1]):
                t = tails[by_head[i]]
                if levels[t] < 0 and flow[by_head[i]] > 0:
                    levels[t] = levels[v] + 1
                    queue[last] = t
                    last += 1
    return found


@inner
def _push(f: _Flow, source: int) -> bool:
    """Send something along one shortest path from a node; whether there was one."""
    starts, tails, heads, capacities = f.starts, f.tails, f.heads, f.capacities
    head_starts, by_head, flow = f.head_starts, f.by_head, f.flow
    supply, demand, levels = f.supply, f.demand, f.levels
    arcs, path = f.arcs, f.path
    m = len(supply)
    depth, v = 0, np.int64(source)
    while True:
        if v >= m and demand[v - m] > 0:
            break
        advanced = False
        end = starts[v + 1] if v < m else head_starts[v - m + 1]
        while arcs[v] < end:
            if v < m:
                e = arcs[v]
                w = np.int64(heads[e]) + m
                usable = flow[e] < capacities[e]
            else:
                e = np.int64(by_head[arcs[v]])
                w = np.int64(tails[e])
                usable = flow[e] > 0
            if usable and levels[w] == levels[v] + 1:
                path[depth] = e
                depth += 1
                v = w
                advanced = True
                break
            arcs[v] += 1
        if not advanced:
            if depth == 0:
                return False
            levels[v] = -2
            depth -= 1
            e = path[depth]
            v = np.int64(tails[e]) if v >= m else np.int64(heads[e]) + m
    sent = min(supply[source], demand[v - m])
    for i in range(depth):
        e = path[i]
        room = capacities[e] - flow[e] if i % 2 == 0 else flow[e]
        sent = min(sent, room)
    for i in range(depth):
        flow[path[i]] += sent if i % 2 == 0 else -sent
    supply[source] -= sent
    demand[v - m] -= sent
    return True
