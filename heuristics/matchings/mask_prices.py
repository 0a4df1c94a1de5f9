"""Prices of originals (multipliers), and for each record its cheapest mask at them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.heuristics.matchings.charges import Charges, cost
from starmin.heuristics.matchings.checks import Check, never
from starmin.heuristics.matchings.near_edges import bucket_order, hash_cells, outside
from starmin.instances.arrays import Float32s, Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled, inner

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
    """Find the groups that some member may want.

    A member may want a group whose mask costs at most ``slack`` more than its own
    pattern: the cheapest mask that it shares with k - 1 others or more. A group has k
    members at least. ``masks`` are in the order of their least cost, ``seed`` is of the
    hashes, and ``check`` is called between masks.
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
    n = len(by_key)
    bits = 1
    while 1 << bits < n:
        bits += 1
    shift = np.uint64(64 - bits)
    start = np.empty(n // k + 2, np.int64)
    member = np.empty(n, np.int32)
    wanting, of = np.empty(n // k + 1, np.int32), np.empty(n // k + 1, np.int32)
    start[0] = 0
    groups, stored, low = 0, 0, 0
    while low < n:
        high = low + 1
        while high < n and key[by_key[high]] >> shift == key[by_key[low]] >> shift:
            high += 1
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

    There are ``n`` rows, prices change ``rounds`` times, and ``unit`` is what a column
    costs at most. ``seed`` is of the first prices, which are different but nearly 0.
    ``check`` is called between rounds. Returns the price of each original; and for each
    record the group that it wants, or -1.
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
    """Return edges from each record to members of the group it wants.

    ``price`` is of each original, and ``wish`` the group that each record wants. There
    are edges to the ``cheap`` cheapest members, and to ``more`` others. Returns record
    and original of each edge.
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
