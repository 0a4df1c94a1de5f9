"""Bound losses by prices with multipliers of cuts."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import RowTypes
from starmin.instances.arrays import Ints
from starmin.verify.certificates.patterns.node_tree import NodeWalk, PricedTypes
from starmin.verify.certificates.patterns.pricing_problems import PricingProblems
from starmin.verify.certificates.untrusted import RefusalError, listed, numbers, whole
from starmin.verify.exact import BeyondError

_LARGEST = 2**62


class StatedCuts(NamedTuple):
    """Cuts as a certificate states them."""

    # for each pattern some row types; it is the smallest node of each column that
    # covers them
    patterns: list[Ints]
    # for each cut its row types, the numbers of its patterns, its multiplier
    cuts: list[tuple[Ints, Ints, int]]


def read_cuts(data: Mapping[str, Any], order: Ints) -> StatedCuts:
    """Read patterns and cuts; refuse them where an entry is none.

    The ``data`` have ``patterns``, each a list of row types, and ``cuts``, each two
    lists, of row types and patterns, and a multiplier; ``order`` is the row types in
    the order in which the file numbers them.
    """
    types, cuts = order.tolist(), list[tuple[Ints, Ints, int]]()
    stated = listed(data["patterns"], "its patterns")
    patterns = [_numbers(one, types) for one in stated]
    for cut in listed(data["cuts"], "its cuts"):
        if len(listed(cut, "a cut")) != 3:
            raise RefusalError("a cut is not two lists and a multiplier")
        chosen = _numbers(cut[1], range(len(patterns)))
        multiplier = whole(cut[2], "the multiplier of a cut", 0)
        cuts.append((_numbers(cut[0], types), chosen, multiplier))
    return StatedCuts(patterns, cuts)


def cut_price_bound(problem: PricedTypes, cuts: StatedCuts) -> int:
    """Compute a loss below which prices and cuts allow no release by groups.

    docs/reference/certificate.md has what cuts say (sections "Kind prices" and "Kind
    tree"): a pattern of a cut costs its multiplier times r once it has rows, and each
    of its rows of a type outside is cheaper by the multiplier. All patterns of no cut
    are worth the same as at prices alone: the walk over all patterns adds these up, and
    for those of the cuts the least that any rows that fit cost, or 0, takes their
    place.

    The objective is ``gcp``, diversity is not asked, and multipliers are in the unit of
    prices. Raises ValueError where the sums do not fit 64 bits, or too many patterns
    cost less than the prices of their rows to be checked.

    >>> from starmin.instances import Objective, Scales, Table
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> every = np.arange(3)
    >>> stated = StatedCuts([every], [(every, np.array([0]), 2)])
    >>> prices = np.array([8, 8, 8])
    >>> problem = PricedTypes(table, table.row_types, objective, 2, 1, prices, 1)
    >>> cut_price_bound(problem, stated)
    6
    """
    table, types, prices, k = problem.table, problem.types, problem.prices, problem.k
    once = sum(multiplier for _, _, multiplier in cuts.cuts)
    row = problem.denominator * (problem.objective.whole(table) // table.n)
    if (problem.highest + row + once) * table.n + once * k >= _LARGEST:
        raise BeyondError("prices, losses and multipliers multiply beyond 64 bits")
    walk = NodeWalk(problem)
    nodes, cost, members = _published(walk, types, cuts.patterns)
    held = {vector.tobytes() for vector in nodes}
    total = problem.paid
    for batch in walk.patterns():
        worth = walk.fills.worth(batch)
        vectors = batch.nodes.astype(np.int64)
        free = [vector.tobytes() not in held for vector in vectors]
        total += sum(np.minimum(worth[np.array(free)], 0).tolist())
    if len(held) < len(nodes):
        raise RefusalError("a pattern of the cuts is stated twice")
    opening = np.zeros(len(nodes), np.int64)
    cheaper = [np.zeros(len(each), np.int64) for each in members]
    charge = np.ones(len(types), np.int64)  # 0 for the types of a cut
    for inside, chosen, multiplier in cuts.cuts:
        rows = int(types.counts[inside].sum())
        q, r = rows // k, k - rows % k
        total -= multiplier * r * q
        opening[chosen] += multiplier * r
        charge[inside] = 0
        for p in chosen.tolist():
            cheaper[p] += multiplier * charge[members[p]]
        charge[inside] = 1
    lengths = np.array([len(fitting) for fitting in members], np.int64)
    pattern, fitting = np.repeat(np.arange(len(members)), lengths), _joined(members)
    reduced = cost[pattern] - prices[fitting] - _joined(cheaper)
    order = np.lexsort((reduced, pattern))
    copies = types.counts[fitting][order]
    if len(members):
        problems = PricingProblems(reduced[order], copies, lengths)
        least = problems.least_cost(k) + opening
        total += sum(np.minimum(least, 0)[problems.support >= k].tolist())
    return problem.proven(total)


def _published(
    walk: NodeWalk, types: RowTypes, patterns: Sequence[Ints]
) -> tuple[Ints, Ints, list[Ints]]:
    """Return the nodes of patterns, what a row pays in each, and the types that fit.

    A type fits if it lies in all nodes.
    """
    positions = np.empty_like(walk.positions)
    positions[:, walk.order] = walk.positions
    starts = np.cumsum([0, *map(len, patterns)])[:-1]
    covered = positions[:, _joined(patterns)]
    low = np.minimum.reduceat(covered, starts, axis=1)
    high = np.maximum.reduceat(covered, starts, axis=1)
    nodes = np.zeros((len(patterns), len(walk.scales)), np.int64)
    cost = np.zeros(len(patterns), np.int64)
    begins, ends = np.empty_like(low), np.empty_like(high)
    for j, scale in enumerate(walk.scales):
        nodes[:, j] = scale.nodes(low[j], high[j])
        cost += walk.units[j] * scale.extents(low[j], high[j]).astype(np.int64)
        begins[j], ends[j] = scale.spans(nodes[:, j])
    # Of the column whose node has the fewest types only these are looked at.
    sorted_types = np.argsort(positions, axis=1, kind="stable")
    low, high = np.empty_like(begins), np.empty_like(ends)
    for j, in_order in enumerate(np.take_along_axis(positions, sorted_types, axis=1)):
        low[j] = np.searchsorted(in_order, begins[j])
        high[j] = np.searchsorted(in_order, ends[j], side="right")
    fewest = np.argmin(high - low, axis=0)
    members = []
    for p, j in enumerate(fewest.tolist()):
        fitting = sorted_types[j, low[j, p] : high[j, p]]
        for own, begin, end in zip(positions, begins[:, p], ends[:, p], strict=True):
            here = own[fitting]
            fitting = fitting[(begin <= here) & (here <= end)]
        members.append(fitting)
    return nodes, cost, members


def _joined(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *arrays])


def _numbers(content: object, numbered: Sequence[int]) -> Ints:
    """Read different places in a list, one at least; return what stands there."""
    found = numbers(content, "its cuts", numbered)
    if not found or len(set(found)) < len(found):
        raise RefusalError("a list in its cuts is empty, or numbers are no such ones")
    return np.array(found, np.int64)
