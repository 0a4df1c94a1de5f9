"""Read the tree of a certificate, every entry checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import Objective, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.tables.row_types import canonical_order
from starmin.verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    changes,
    check_keys,
    check_mapping,
    listed,
    numbers,
    whole,
)
from starmin.verify.exact import BeyondError, expect_time

_ENTRIES = {"prices", "cuts", "counts", "split", "count_split"}


@dataclass(frozen=True)
class Count:
    """What a count counts in a release: rows, or patterns that have such rows."""

    groups: bool  # whether it counts patterns, not rows
    # types, patterns: of which types the rows are, and as which patterns they are
    # published; None for all of them. Patterns by their place in the file
    types: list[int] | None
    patterns: list[int] | None


@dataclass(frozen=True)
class TreeFile:
    """Cuts, counts and nodes of a tree, as numbers that are in range."""

    # for each pattern that is named the types that it is the smallest one of
    patterns: list[list[int]]
    cuts: list[tuple[list[int], list[int]]]  # for each cut its types and its patterns
    counts: list[Count]  # what splits on counts count
    # by which the list is thinned before: changes of prices and of multipliers
    rounds: list["TreeNode"]
    # each node before its children: changes of prices, changes of multipliers, and the
    # split: a pattern and a height, or a count and a number; None at a leaf
    nodes: list["TreeNode"]

    @property
    def leaves(self) -> int:
        """How many nodes are not split."""
        return sum(not (node.split or node.count_split) for node in self.nodes)

    @property
    def _steps(self) -> list["TreeNode"]:
        return [*self.rounds, *self.nodes]

    @property
    def highest_price(self) -> int:
        """The largest price at a node, in size."""
        return max(
            (abs(x) for node in self._steps for x in node.prices.values()), default=0
        )

    @property
    def highest_multipliers(self) -> int:
        """The sum over cuts and counts of the largest multiplier, in size, of each."""
        cuts, counts = [0] * len(self.cuts), [0] * len(self.counts)
        for node in self._steps:
            for cut, multiplier in node.cuts.items():
                cuts[cut] = max(cuts[cut], multiplier)
            for count, multiplier in node.counts.items():
                counts[count] = max(counts[count], abs(multiplier))
        return sum(cuts) + sum(counts)


@dataclass(frozen=True)
class TreeNode:
    """One node: new prices by type, new multipliers by cut and count, and the split."""

    prices: dict[int, int]
    cuts: dict[int, int]
    counts: dict[int, int]
    split: tuple[int, int] | None
    count_split: tuple[int, int] | None


def read_tree(data: Mapping[str, Any], order: Ints) -> TreeFile:
    """Read patterns, cuts and nodes; refuse them where an entry is none.

    The ``data`` are those of a certificate of kind ``tree``, ``order`` the row types in
    the order in which the file numbers them.
    """
    types = order.tolist()
    patterns = [
        numbers(one, "a pattern", types) for one in listed(data["patterns"], "patterns")
    ]
    if not all(patterns):
        raise RefusalError("a pattern in its data has no row type")
    cuts = []
    for cut in listed(data["cuts"], "cuts"):
        if not isinstance(cut, list) or len(cut) != 2:
            raise RefusalError("a cut is not two lists")
        inside = numbers(cut[0], "a cut", types)
        cuts.append((inside, numbers(cut[1], "a cut", range(len(patterns)))))
    counts = [
        _count(one, types, range(len(patterns)))
        for one in listed(data.get("counts", []), "counts")
    ]
    sizes = types, len(cuts), len(counts), len(patterns)
    nodes = [_node(node, *sizes) for node in listed(data["nodes"], "nodes")]
    rounds = listed(data.get("rounds", []), "rounds")
    read = [_node(each, *sizes) for each in rounds]
    if any(set(each) - {"prices", "cuts"} for each in rounds):
        raise RefusalError("a round of its data has more than prices and multipliers")
    return TreeFile(patterns, cuts, counts, read, nodes)


def _count(content: object, types: list[int], patterns: range) -> Count:
    stated = check_mapping(content, "a count")
    check_keys(stated, "a count", {"of"}, {"types", "patterns"})
    if stated["of"] not in ("rows", "groups"):
        raise RefusalError("a count is neither of rows nor of groups")
    chosen, published = (
        numbers(stated[name], "a count", numbered) if name in stated else None
        for name, numbered in (("types", types), ("patterns", patterns))
    )
    return Count(stated["of"] == "groups", chosen, published)


def _node(
    content: object, types: list[int], cuts: int, counts: int, patterns: int
) -> TreeNode:
    stated = check_mapping(content, "a node")
    check_keys(stated, "a node", set(), _ENTRIES)
    split, count_split = (
        _split(stated[name], range(count)) if name in stated else None
        for name, count in (("split", patterns), ("count_split", counts))
    )
    if split and count_split:
        raise RefusalError("a node is split twice")
    return TreeNode(
        changes(stated.get("prices", []), "prices of a node", types, -LARGEST),
        changes(stated.get("cuts", []), "multipliers of a node", range(cuts), 0),
        changes(
            stated.get("counts", []), "multipliers of a node", range(counts), -LARGEST
        ),
        split,
        count_split,
    )


def _split(content: object, numbered: range) -> tuple[int, int]:
    """Read what a node is split on, and the most of it in the first child."""
    both = listed(content, "a split")
    if len(both) != 2:
        raise RefusalError("a split does not have two entries")
    (number,) = numbers(both[:1], "a split", numbered)
    return number, whole(both[1], "the number of a split", 0)


# The bound that a tree of starred cells proves of non-homogeneous releases.

_LARGEST = 2**60
_NONE = 2**61  # in the place of the value of a row that cannot be matched
_MOST_CELLS = 2**26  # pairs of rows, times sets of starred columns


def nonhomogeneous_tree_bound(
    table: Table, k: int, objective: Objective, tree: TreeFile, denominator: int
) -> int:
    r"""Compute the (weighted) stars that a tree proves of every such release.

    A split says of one cell that it is not starred, in the first child, or that it is,
    in the second: one of them is true of any release. A leaf has a price
    :math:`\mu_i` for each original. With :math:`\mathcal{S}_j` the sets of starred
    columns that released row j may have by the splits above the leaf, releases in which
    every row is matched to itself, and which agree with them, cost at least

    .. math::

        (k - 1) \sum_i \mu_i + \sum_j \min_{S \in \mathcal{S}_j} \Big( cost_S -
        \max_{N \subseteq C_S(j) \setminus \{j\},\ |N| = k - 1}
        \sum_{i \in N} \mu_i \Big),

    where :math:`C_S(j)` are the rows that agree with row j on all columns but S. If
    some j has no such N, no release agrees with the leaf.

    Why it is right: as for ``starmin.verify.certificates.prices.node_prices``, where it
    is shown that some release of least cost has every row matched to itself. There row
    j has k - 1 other originals, all in :math:`C_S(j)` for the set S of its starred
    columns.

    Equal values of the table are merged; ``k`` is at most n. The objective is stars:
    its weights and kept columns count. The prices of the tree are by row, in units of
    1/``denominator``, and its splits by row and QI column. Rows are numbered in the
    canonical order of their types.

    Raises ValueError where the sums might not fit 64 bits, or there are too many rows
    and columns; and RefusalError where the nodes are not a tree, a split names no cell
    that may be starred, or no release agrees with any leaf.

    Notes
    -----
    O(2^d n^2) for each leaf.
    """
    cells = _Cells.of(table, k, objective, denominator)
    weights = sum(objective.weights.get(column, 1) for column in table.qi)
    most = k * tree.highest_price + denominator * (weights + 1)
    # Of a row k prices and the stars, of all n rows together.
    if most * table.n >= _LARGEST:
        raise BeyondError("prices, weights and rows multiply beyond 64 bits")
    nothing = np.zeros(table.n, np.int64)
    waiting = [(nothing, nothing, np.full(table.n, cells.free))]
    bounds = []
    for node in tree.nodes:
        expect_time()
        if not waiting:
            raise RefusalError("there are nodes beyond its tree")
        prices, must, may = waiting.pop()
        if node.prices:
            prices = prices.copy()
            prices[list(node.prices)] = list(node.prices.values())
        if node.split is None:
            bounds.append(cells.bound(prices, must, may))
            continue
        row, column = node.split
        if column >= table.d or not cells.free >> column & 1:
            raise RefusalError("a split names a column that is never starred")
        starred, unstarred = must.copy(), may.copy()
        starred[row] |= 1 << column
        unstarred[row] &= ~(1 << column)
        waiting += [(prices, starred, may), (prices, must, unstarred)]
    if waiting:
        raise RefusalError("a node of its tree is missing")
    proven = [bound for bound in bounds if bound is not None]
    if not proven:
        raise RefusalError("no release agrees with any of its leaves")
    return max(0, -(-min(proven) // denominator))


@dataclass(frozen=True, eq=False)
class _Cells:
    """Which originals each released row may have, by its set of starred columns."""

    k: int
    free: int  # the columns that may be starred, as bits
    sets: Ints  # sets, cost: all sets of such columns, and what a row pays for each
    cost: Ints
    fits: Bools  # rows x sets x originals, never a row itself

    @classmethod
    def of(cls, table: Table, k: int, objective: Objective, unit: int) -> "_Cells":
        types = table.row_types
        order = canonical_order(table, types)
        codes = types.codes[np.repeat(order, types.counts[order])]
        columns = np.flatnonzero(~objective.kept(table)).tolist()
        if table.d > 62 or table.n**2 << len(columns) > _MOST_CELLS:
            raise BeyondError("too many rows and columns for a tree of cells")
        weights = [objective.weights.get(column, 1) for column in table.qi]
        sets, cost = np.zeros(1, np.int64), np.zeros(1, np.int64)
        for column in columns:
            sets = np.concatenate([sets, sets | 1 << column])
            cost = np.concatenate([cost, cost + unit * weights[column]])
        differ = np.zeros((table.n, table.n), np.int64)
        for column in range(table.d):
            own = codes[:, column]
            differ |= (own[:, None] != own).astype(np.int64) << column
        fits = differ[:, None, :] & ~sets[:, None] == 0
        every = np.arange(table.n)
        fits[every, :, every] = False
        return cls(k, sum(1 << column for column in columns), sets, cost, fits)

    def bound(self, prices: Ints, must: Ints, may: Ints) -> int | None:
        """Return what a leaf proves; None if no release agrees with it."""
        dearest = np.argsort(-prices, kind="stable")
        fits = self.fits[:, :, dearest]
        chosen = fits & (fits.cumsum(axis=2) < self.k)
        allowed = (must[:, None] & ~self.sets) | (self.sets & ~may[:, None]) == 0
        allowed &= chosen.sum(axis=2) == self.k - 1
        value = np.where(allowed, self.cost - chosen @ prices[dearest], _NONE)
        least = value.min(axis=1)
        if (least == _NONE).any():
            return None
        return (self.k - 1) * int(prices.sum()) + int(least.sum())
