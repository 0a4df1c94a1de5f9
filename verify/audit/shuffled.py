"""Differencing without an order: how many rows two classes must have in common."""

import numpy as np

from starmin.instances import Table, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.exact import BeyondError, expect_time
from starmin.verify.nonhomogeneous.anonymity_graph import maximum_flow, strong_parts
from starmin.verify.texts import kinds_in_common

# Pairs of a bipartite flow whose number is the same in all flows.


def fixed_pairs(pairs: Ints, flow: Ints, m: int, n: int) -> Bools:
    """Return for each pair whether its number is the same in all flows.

    A pair is a tail (below ``m``) and a head (below ``n``); ``flow`` is one flow
    between them, by pair. The number is fixed iff no alternating cycle passes through
    the pair: iff its ends are in different strong components of the residual graph, or
    it is a bridge of one.
    """
    of_tail, of_head = strong_parts(pairs[:, 0], pairs[:, 1], flow, m, n)
    fixed = of_tail[pairs[:, 0]] != of_head[pairs[:, 1]]
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


MOST_PAIRS = 3 * 10**7  # of a class of the one and a class of the other release


def in_any_order(one: Classes, two: Classes) -> Inference:
    """Count the hidden cells that two releases show together, whatever their orders.

    The number of rows that are in a class of the one and a class of the other release
    is a flow: classes have as many rows as they have, and two have a row in common
    only if their cells, and what is published unchanged, agree. Of the rows whose
    number is the same in all flows (``fixed_pairs``) each release tells what the other
    one hides.

    The two releases are of the same rows; if they cannot be, that is a contradiction.
    In what is returned, ``hidden`` counts the cells of the release that hides more,
    ``narrowed`` and ``pinned`` those of its rows in fixed pairs that the other one
    tells more of. Raises BeyondError where more than thirty million pairs of classes
    agree.

    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.cells import PlainCells
    >>> def table(*rows): return Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> plain = {"a": PlainCells(), "b": PlainCells()}
    >>> one, two = classes_of([table("1*", "1*", "2y"), table("2y", "1x", "1y")], plain)
    >>> found = in_any_order(one, two)
    >>> found.hidden, found.pinned
    (2, 2)
    """
    most, other = (one, two) if one.hidden_cells >= two.hidden_cells else (two, one)
    a, b, pairs = _agreeing(most, other)
    fixed, possible = _fixed(a, b, pairs)
    narrowed = pinned = 0
    worst: list[Worst] = []
    for j, column in enumerate(most.columns):
        expect_time()
        left, right = most.codes[a.classes, j], other.codes[b.classes, j]
        here = fixed[:, 2] > 0
        x, y = left[fixed[here, 0]], right[fixed[here, 1]]
        masks = column.masks[x] & other.columns[j].masks[y]
        after, before = masks.sum(axis=1), column.masks[x].sum(axis=1)
        hidden, rows = column.hidden[x], fixed[here, 2]
        narrowed += int(rows[hidden & (after < before)].sum())
        shown = hidden & (after == 1) & (before > 1)
        pinned += int(rows[shown].sum())
        for pair in np.flatnonzero(shown)[: MAX_WORST - len(worst)].tolist():
            c = a.classes[fixed[here, 0][pair]]
            why = f"{rows[pair]} rows of its class are known in {column.name}"
            worst.append(Worst(int(most.first[c]) + 1, why))
    return Inference(
        SOUND,
        hidden=most.hidden_cells,
        narrowed=narrowed,
        pinned=pinned,
        contradictions=int(not possible),
        worst=tuple(worst),
        more={"fixed": int(fixed[:, 2].sum())},
    )


class _Side:
    """Classes of one release, parted by what is published unchanged."""

    def __init__(self, classes: Classes, beside: Ints) -> None:
        groups = group_by([classes.of_row, beside])
        self.classes = classes.of_row[groups.first].astype(np.int64)
        self.beside = beside[groups.first]
        self.sizes = groups.counts


def _beside(one: Table, two: Table) -> tuple[Ints, Ints]:
    """Return for each row of both what is published unchanged beside its class."""
    unchanged = set(two.names).difference(one.qi, two.qi)
    columns = [column for column in one.names if column in unchanged]
    kinds = kinds_in_common([one, two], columns).inverse.astype(np.int64)
    return kinds[: one.n], kinds[one.n :]


def _agreeing(one: Classes, two: Classes) -> tuple[_Side, _Side, Ints]:
    """Return both sides and the pairs of their parts that may have a common row."""
    left, right = _beside(one.released, two.released)
    a, b = _Side(one, left), _Side(two, right)
    fits = [  # for each two texts whether some value is below both
        np.asarray(x.masks.astype(np.float32) @ y.masks.T.astype(np.float32) > 0)
        for x, y in zip(one.columns, two.columns, strict=True)
    ]
    found, count = [], 0
    order = np.argsort(b.beside, kind="stable")
    starts = np.searchsorted(b.beside[order], np.arange(int(b.beside.max()) + 2))
    for part in range(len(a.classes)):
        if part % 256 == 0:
            expect_time()
        kind = int(a.beside[part])
        if kind + 1 >= len(starts):
            continue
        near = order[starts[kind] : starts[kind + 1]]
        for j, fit in enumerate(fits):
            if len(near) == 0:
                break
            row = fit[one.codes[a.classes[part], j]]
            if not row.all():
                near = near[row[two.codes[b.classes[near], j]]]
        count += len(near)
        if count > MOST_PAIRS:
            raise BeyondError("too many pairs of classes agree")
        found.append(np.stack([np.full(len(near), part), near], axis=1))
    return a, b, np.concatenate(found).astype(np.int64)


def _fixed(a: _Side, b: _Side, pairs: Ints) -> tuple[Ints, bool]:
    """Return the pairs whose number is fixed with it, and whether there is a flow."""
    tails, heads = pairs.T
    room = np.minimum(a.sizes[tails], b.sizes[heads])
    found = maximum_flow(tails, heads, room, a.sizes, b.sizes)
    if not found.total == a.sizes.sum() == b.sizes.sum():
        return np.empty((0, 3), np.int64), False
    flow = found.amounts
    apart = fixed_pairs(pairs, flow, len(a.sizes), len(b.sizes)) & (flow > 0)
    return np.column_stack([pairs[apart], flow[apart]]).astype(np.int64), True
