"""Prices of originals (multipliers), and for each record its cheapest mask at them."""

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from starmin.heuristics.nonhomogeneous.layers import ranks_of, star_problem
from starmin.heuristics.nonhomogeneous.near_edges import (
    MOST_LAYERS,
    Charges,
    Check,
    MaskArrays,
    bucket_end,
    bucket_order,
    bucket_shift,
    cost,
    hash_cells,
    never,
    outside,
)
from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.arrays import Bools, Float32s, Floats, Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.scales.scale import Layout

_UNIT = 64  # Losses are counted in this fraction of that of a cell at the root.
_MOST_MASKS = 4000  # So many masks are tried.
_HALVINGS = 5  # A tree that stands for a column of numbers has so many steps at most.


def range_problem(table: Table, objective: Objective, seed: int = 0) -> MaskArrays:
    """Pose the publishing of taxonomies' nodes, ranges and stars (section 3.2.4).

    Two records differ in a *layer* for each step of a tree at which they have other
    nodes. What a record must hide of its originals is the union of such layers, so the
    methods for stars do this too; a column that has no taxonomy has one layer, the
    star. Numbers are searched by a tree of halved ranges; what is published is the
    range of the originals, and what is found is recounted by it. Raises
    NotSupportedError: the trees have more than 31 steps together.

    Examples
    --------
    >>> from starmin.instances import Scales, Taxonomy
    >>> rows = [["cat"], ["dog"], ["rat"], ["hen"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{pet{cat,dog},farm{rat,hen}}")
    >>> objective = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    >>> range_problem(table, objective).cells.tolist()
    [[0, 5], [1, 5], [2, 6], [3, 6]]
    """
    layouts = [scale.layout for scale in objective.scales_of(table).scales]
    halvings = _halvings(layouts)
    positions = [scale.positions for scale in objective.scales_of(table).scales]
    trees = [
        _tree(layout, np.maximum(at, 0).astype(np.int64), halvings)
        for layout, at in zip(layouts, positions, strict=True)
    ]
    steps = np.array([nodes.shape[1] - 1 for nodes, _ in trees])
    if steps.sum() > MOST_LAYERS:
        raise NotSupportedError(
            f"Expected trees of at most {MOST_LAYERS} steps, got {steps.sum()}."
        )
    weights = objective.column_weights(table)
    unit = _UNIT * weights / max(1, int(weights.max()))
    shifts = (np.cumsum(steps) - steps).astype(np.int32)
    values = [table.column(c) for c in table.qi]
    each = zip(trees, values, strict=True)
    cells = np.concatenate([nodes[codes, :-1] for (nodes, _), codes in each], 1)
    losses = [one * loss for one, (_, loss) in zip(unit, trees, strict=True)]
    return MaskArrays(
        np.ascontiguousarray(cells, np.int32),
        _charges(losses, values, shifts),
        _masks(losses, values, shifts, objective.kept(table), seed),
        ranks_of(table, objective.keep),
        _UNIT,
    )


def _halvings(layouts: list[Layout]) -> int:
    """Return how many steps are left for each column of numbers."""
    others = [len(layout.path) - 1 for layout in layouts if not layout.is_line]
    numeric = max(1, len(layouts) - len(others))
    return max(1, min(_HALVINGS, (MOST_LAYERS - sum(others)) // numeric))


def _tree(layout: Layout, at: Ints, halvings: int) -> tuple[Ints, Floats]:
    """Return for each code and level, from the value up to the root, node and loss.

    The codes of the column are ``at`` positions.
    """
    if layout.is_line:
        share = layout.places[at] / (layout.span + 1)
        levels = np.arange(1, halvings + 1)
        halves = np.floor(share[:, None] * 2.0 ** (halvings - levels))
        apart = at < len(layout.missing)
        halves[apart, :-1] = -1 - at[apart, None]
        nodes = np.concatenate([at[:, None], halves.astype(np.int64)], axis=1)
        loss = np.append(0.0, 2.0 ** (levels - halvings))
        return nodes, np.tile(loss, (len(at), 1))
    # Short paths wait at the value, levels end at the root.
    path = layout.path[:, at]
    most = max(1, int((path != at).sum(axis=0).max(initial=0)))
    nodes = path[np.minimum(np.arange(most + 1), len(path) - 1)][::-1].T
    return nodes, layout.losses[nodes] / max(1, int(layout.losses.max()))


def _charges(losses: list[Floats], values: list[Int32s], shifts: Int32s) -> Charges:
    base = np.empty((len(values[0]), len(losses)), np.int32)
    flat: list[Int32s] = []
    low, begin = [], 0
    for a, loss in enumerate(losses):
        levels = np.arange(loss.shape[1])
        steps = len(levels) - 1
        paid = np.zeros((len(loss), 1 << steps), np.int32)
        paid[:, (1 << levels) - 1] = np.rint(loss)
        low.append((1 << steps) - 1)
        base[:, a] = begin + (values[a] << steps)
        flat.append(paid.ravel())
        begin += paid.size
    return Charges(shifts, np.array(low, np.int32), base, np.concatenate(flat))


def _masks(
    losses: list[Floats], values: list[Int32s], shifts: Int32s, kept: Bools, seed: int
) -> Int32s:
    """Return levels for all columns, by mean loss; the root last, if allowed."""
    mean = [loss[code].mean(axis=0) for loss, code in zip(losses, values, strict=True)]
    sizes = np.where(kept, 1, [len(each) for each in mean])
    if np.prod(sizes, dtype=float) <= _MOST_MASKS:
        levels = np.array(list(product(*map(range, sizes))))
    else:
        rng = np.random.default_rng(seed)
        levels = rng.integers(0, sizes, (_MOST_MASKS, len(sizes)))
        levels[0], levels[1] = 0, sizes - 1
        levels = np.unique(levels, axis=0)
    paid = sum(each[levels[:, a]] for a, each in enumerate(mean))
    masks = (((1 << levels) - 1) << shifts).sum(axis=1)
    order = np.lexsort((levels.sum(axis=1), paid))
    return np.asarray(masks[order], np.int32)


def pose(table: Table, objective: Objective, seed: int = 0) -> MaskArrays:
    """Pose the problem for stars and tuples, or for losses by generalization.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["1"], ["2"]], qi=["a"])
    >>> [pose(table, Objective(kind)).unit for kind in ("stars", "gcp")]
    [1, 64]
    """
    of = range_problem if objective.by_node else star_problem
    return of(table, objective, seed)


_NONE = -1


@dataclass(frozen=True)
class PriceParams:
    """Constants of the subgradient method, whose steps are those of Adam."""

    # the first step, in costs of a column; steps shrink to 0 in proportion
    first_step: float = 0.15
    # mean_decay, square_decay: how much of the mean of the subgradients, and of their
    # squares, stays in each round
    mean_decay: float = 0.8
    square_decay: float = 0.95
    floor: float = 0.05  # added to the root of the squares, so that steps stay bounded


class Groups(NamedTuple):
    """Records that agree outside a mask, k or more, for several masks."""

    start: Ints  # the members of group g are ``member[start[g]:start[g + 1]]``
    member: Int32s  # records
    wanting: Int32s  # so many members, the first of each group, may want it
    mask: Int32s  # of each group
    # what it costs: the same for all members, who agree on what is published
    paid: Int32s


def find_groups(
    cells: Int32s,
    charges: Charges,
    masks: Int32s,
    k: int,
    slack: int,
    seed: int = 0,
    check: Check = never,
) -> Groups:
    """Find the groups of k members or more that some member may want.

    That is one whose mask costs at most ``slack`` more than the member's own pattern:
    the cheapest mask that it shares with k - 1 others. ``masks`` are in the order of
    their least cost, ``seed`` is of the hashes, and ``check`` is called between masks.
    """
    n = len(cells)
    rng = np.random.default_rng(seed)
    hashes, whole = hash_cells(cells, rng)
    order = rng.permutation(n).astype(np.int32)
    own = np.full(n, np.iinfo(np.int32).max // 2, np.int32)
    found: list[Groups] = []
    for mask in masks.tolist():
        check()
        key = outside(hashes, whole, mask)
        by_key = bucket_order(key, order)
        found.append(_large(key, by_key, charges, mask, k, slack, own))
    stored = np.cumsum([0] + [len(part.member) for part in found])
    start = [part.start[1:] + at for part, at in zip(found, stored[:-1], strict=True)]
    rest = [np.concatenate(parts) for parts in list(zip(*found, strict=True))[1:]]
    return Groups(np.concatenate([[0], *start]), *rest)


@compiled
def _large(
    key: Words,
    by_key: Int32s,
    charges: Charges,
    mask: int,
    k: int,
    slack: int,
    own: Int32s,
) -> Groups:
    """Find groups of k or more that a member may want; lower ``own``."""
    n, shift = len(by_key), bucket_shift(len(by_key))
    start = np.empty(n // k + 2, np.int64)
    member = np.empty(n, np.int32)
    wanting, of = np.empty(n // k + 1, np.int32), np.empty(n // k + 1, np.int32)
    start[0] = 0
    groups, stored, low = 0, 0, 0
    while low < n:
        high = bucket_end(key, by_key, low, shift)
        while high - low >= k:
            # Keys that share a bucket: those of the first one are moved to the front.
            same = low + 1
            for p in range(low + 1, high):
                if key[by_key[p]] == key[by_key[low]]:
                    by_key[p], by_key[same] = by_key[same], by_key[p]
                    same += 1
            if same - low >= k:
                paid = cost(charges, by_key[low], mask)
                first = stored
                last = stored + same - low
                for p in range(low, same):
                    j = by_key[p]
                    own[j] = min(own[j], paid)
                    if paid <= own[j] + slack:
                        member[first] = j
                        first += 1
                    else:
                        last -= 1
                        member[last] = j
                if first > stored:
                    wanting[groups], of[groups] = first - stored, paid
                    stored += same - low
                    groups += 1
                    start[groups] = stored
            low = same
        low = high
    return Groups(
        start[: groups + 1].copy(),
        member[:stored].copy(),
        wanting[:groups].copy(),
        np.full(groups, mask, np.int32),
        of[:groups].copy(),
    )


def find_prices(
    groups: Groups,
    n: int,
    k: int,
    rounds: int,
    unit: int,
    seed: int = 0,
    check: Check = never,
    params: PriceParams = PriceParams(),
) -> tuple[Float32s, Int32s]:
    """Find prices at which each original is wanted about k - 1 times.

    Each record wants the group whose mask and k - 1 cheapest other members cost the
    least together. Prices rise with the demand and fall without it: a subgradient
    method on the Lagrangian dual of the problem, in which every original is to be
    matched k - 1 times, with steps as Adam takes them.

    Prices change ``rounds`` times, and ``unit`` is what a column costs at most. By
    ``seed`` the first prices are different but nearly 0. Returns the price of each
    original; and for each record the group that it wants, or -1.
    """
    rng = np.random.default_rng(seed)
    price = (rng.random(n) * 1e-3 * unit).astype(np.float32)
    mean, square = np.zeros((2, n), np.float32)
    wish = np.full(n, _NONE, np.int32)
    for t in range(1, rounds + 1):
        check()
        _wishes(groups, price, k - 1, wish)
        if t == rounds:
            break
        excess = _demand(groups, price, k - 1, wish) / np.float32(k - 1) - 1
        mean = _mix(params.mean_decay, mean, excess)
        square = _mix(params.square_decay, square, excess**2)
        step = np.float32(unit * params.first_step * (1 - t / rounds))
        price += step * mean / (np.sqrt(square) + np.float32(params.floor))
    return price, wish


def _mix(share: float, old: Float32s, new: Float32s) -> Float32s:
    """Return a mean of two arrays, ``share`` of it of the old one."""
    return np.float32(share) * old + np.float32(1 - share) * new


@inner
def _cheapest(
    member: Int32s, price: Float32s, many: int, best: Float32s, who: Int32s
) -> None:
    """Find the ``many`` cheapest members, in order."""
    found = 0
    for i in member:
        value = price[i]
        if found < many:
            at = found
            found += 1
        elif value < best[many - 1]:
            at = many - 1
        else:
            continue
        while at > 0 and best[at - 1] > value:
            best[at], who[at] = best[at - 1], who[at - 1]
            at -= 1
        best[at], who[at] = value, i


@compiled
def _wishes(groups: Groups, price: Float32s, others: int, wish: Int32s) -> None:
    """Find for each record the group that costs it least at these prices."""
    least = np.full(len(wish), np.inf, np.float32)
    best, who = np.empty(others + 1, np.float32), np.empty(others + 1, np.int32)
    for g in range(len(groups.mask)):
        member = groups.member[groups.start[g] : groups.start[g + 1]]
        _cheapest(member, price, others + 1, best, who)
        value = groups.paid[g] + best[:others].sum()
        for j in member[: groups.wanting[g]]:
            mine = value
            if price[j] <= best[others - 1]:
                mine += best[others] - price[j]
            if mine < least[j]:
                least[j] = mine
                wish[j] = g


@compiled
def _demand(groups: Groups, price: Float32s, others: int, wish: Int32s) -> Float32s:
    """Count how many records want each original."""
    demand = np.zeros(len(price), np.float32)
    wanting = np.zeros(len(groups.mask), np.int32)
    for g in wish:
        if g != _NONE:
            wanting[g] += 1
    best, who = np.empty(others + 1, np.float32), np.empty(others + 1, np.int32)
    for g in np.flatnonzero(wanting):
        member = groups.member[groups.start[g] : groups.start[g + 1]]
        _cheapest(member, price, others + 1, best, who)
        for i in who[:others]:
            demand[i] += wanting[g]
            if wish[i] == g:
                demand[i] -= 1
                demand[who[others]] += 1
    return demand


@compiled
def wished_edges(
    groups: Groups, price: Float32s, wish: Int32s, cheap: int, more: int
) -> tuple[Int32s, Int32s]:
    """Return record and original of edges to members of the group that a record wants.

    These are the ``cheap`` cheapest members, and ``more`` others.
    """
    n = len(wish)
    record = np.empty(n * (cheap + more), np.int32)
    original = np.empty(n * (cheap + more), np.int32)
    many = 0
    wanting = np.zeros(len(groups.mask), np.bool_)
    for g in wish:
        if g != _NONE:
            wanting[g] = True
    best, who = np.empty(cheap, np.float32), np.empty(cheap, np.int32)
    for g in np.flatnonzero(wanting):
        member = groups.member[groups.start[g] : groups.start[g + 1]]
        size = len(member)
        first = min(cheap, size)
        _cheapest(member, price, first, best, who)
        for p in range(size):
            j = member[p]
            if wish[j] != g:
                continue
            for i in who[:first]:
                if i != j:
                    record[many], original[many] = j, i
                    many += 1
            for step in range(1, min(more, size - 1) + 1):
                q = p + step
                record[many] = j
                original[many] = member[q if q < size else q - size]
                many += 1
    return record[:many].copy(), original[:many].copy()
