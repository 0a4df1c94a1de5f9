"""Prices of row types that prove a matching of two sensitive values cheapest."""

import numpy as np

from starmin.instances import Objective, Table, group_by
from starmin.instances.arrays import Bools, Indices, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.matching.network import FAR, Arcs, Surplus, distances
from starmin.models.patterns.closed_listing import MAX_COLUMNS


def potential(
    table: Table, objective: Objective, surplus: Surplus, arcs: Arcs, flow: Ints
) -> Ints:
    r"""Find a price :math:`\varphi` for each type; they prove the flow cheapest.

    .. math:: \varphi(x) = \min_b \; 2 \, dist(x, b) - D(b)

    over the types b of the second value, D being shortest distances in the residual
    network of ``flow``, a cheapest one on the arcs. It satisfies :math:`\varphi(x) -
    \varphi(y) \le 2\,dist(x, y)` whatever D is, so no matching costs less than
    :math:`\sum_x excess(x)\, \varphi(x)`.
    """
    codes, excess = surplus.codes, surplus.excess
    if not len(surplus.nodes):
        return np.zeros(len(codes), np.int64)
    price = -residual_distances(arcs.tail, arcs.head, arcs.cost, flow, arcs.nodes)
    second = np.flatnonzero(excess < 0)
    base = price[: len(surplus.nodes)][excess[surplus.nodes] < 0]
    if len(second) < 1 << min(table.d, MAX_COLUMNS):
        lowest = _nearest_one_by_one(table, objective, codes, second, base)
    else:
        lowest = _nearest_by_columns(table, objective, codes, second, base)
    # A class of kept columns that has no excess meets no other: any price will do.
    return np.where(lowest < FAR // 2, lowest, 0)


def _nearest_one_by_one(
    table: Table, objective: Objective, codes: Int32s, second: Indices, base: Ints
) -> Ints:
    lowest = np.full(len(codes), FAR)
    for b, price in zip(second, base, strict=True):
        to_b = distances(table, objective, codes, codes[b : b + 1])[:, 0]
        np.minimum(lowest, 2 * to_b + price, out=lowest)
    return lowest


def _nearest_by_columns(
    table: Table, objective: Objective, codes: Int32s, second: Indices, base: Ints
) -> Ints:
    lowest = np.full(len(codes), FAR)
    free = np.flatnonzero(~objective.kept(table))
    for number in range(1 << len(free)):
        starred = np.zeros(table.d, bool)
        starred[free] = number >> np.arange(len(free)) & 1
        cost = 2 * int(objective.row_costs(table, starred[None])[0])
        group = _group_by_kept(table, codes, starred)
        nearest = np.full(int(group.max()) + 1, FAR)
        np.minimum.at(nearest, group[second], base)
        np.minimum(lowest, nearest[group] + cost, out=lowest)
    return lowest


def _group_by_kept(table: Table, codes: Int32s, starred: Bools) -> Int32s:
    kept = np.flatnonzero(~starred)
    return group_by(
        [codes[:, j] for j in kept] or [np.zeros(len(codes), np.int32)],
        [table.qi_cardinalities[j] for j in kept] or [1],
    ).inverse


@compiled
def residual_distances(
    tail: Int32s,
    head: Int32s,
    cost: Ints,
    flow: Ints,
    nodes: int,
) -> Ints:
    """Compute shortest distances from any node in the residual network.

    The arcs are ``tail``, ``head``, ``cost``; ``flow`` is a cheapest one on them: where
    it is positive, an arc can be gone back. ``nodes`` is how many nodes there are.
    """
    distance = np.zeros(nodes, np.int64)
    for _ in range(nodes):
        changed = False
        for i in range(len(tail)):
            a, b = tail[i], head[i]
            if distance[a] + cost[i] < distance[b]:
                distance[b] = distance[a] + cost[i]
                changed = True
            if flow[i] > 0 and distance[b] - cost[i] < distance[a]:
                distance[a] = distance[b] - cost[i]
                changed = True
        if not changed:
            break
    return distance
