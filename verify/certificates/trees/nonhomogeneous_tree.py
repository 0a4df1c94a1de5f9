"""The bound that a tree of starred cells proves of non-homogeneous releases."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Objective, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.verify.beyond import BeyondError, expect_time
from starmin.verify.certificates.trees.tree_file import TreeFile
from starmin.verify.certificates.untrusted import RefusalError

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

    Why it is right: as for ``starmin.verify.nonhomogeneous.rowwise_prices``, where it
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
