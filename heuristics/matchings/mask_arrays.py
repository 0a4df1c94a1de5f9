"""The problem as arrays: cells, what masks cost, and which masks are tried."""

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from starmin.heuristics.matchings.charges import MOST_LAYERS, Charges, star_charges
from starmin.instances import NotSupportedError, Objective, Table, group_by
from starmin.instances.arrays import Int32s, Ints

_FINEST = 8  # Where weights are rounded, the dearest column costs so many units.
_MOST_MASKS = 1000  # So many masks of one size are tried; 12 columns have fewer.


class MaskArrays(NamedTuple):
    """What the loops read."""

    cells: Int32s  # n x layers
    charges: Charges  # what masks cost
    # the sets of layers that may be hidden, the cheapest first; the last is the set of
    # all that may
    masks: Int32s
    # for each row its class; rows of different classes are never matched
    classes: Int32s
    unit: int  # what a column costs at most

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.cells)

    @property
    def most(self) -> int:
        """Above this, an edge is given up: several times the dearest record."""
        return 8 * self.unit * int(self.cells.shape[1])


def star_problem(table: Table, objective: Objective, seed: int = 0) -> MaskArrays:
    """Pose the hiding of cells of a table, each column at its weight.

    Weights are rounded to eighths of the largest, and tuples are taken for stars: the
    search is a heuristic, and what it finds is recounted. Raises NotSupportedError for
    more than 31 QI columns.
    """
    if table.d > MOST_LAYERS:
        raise NotSupportedError(
            f"Expected at most {MOST_LAYERS} QI columns, got {table.d}."
        )
    weights = objective.column_weights(table)
    if weights.max() > _FINEST:
        weights = -(-_FINEST * weights // weights.max())
    kept = objective.kept(table)
    classes = classes_of(table, objective)
    cells = np.ascontiguousarray(table.codes[table.positions(table.qi)].T)
    masks = _masks(np.flatnonzero(~kept), weights, seed)
    charges = star_charges(weights, table.n)
    return MaskArrays(cells, charges, masks, classes, max(1, int(weights.max())))


def classes_of(table: Table, objective: Objective) -> Int32s:
    """Return for each row its class by the columns to be kept."""
    if not objective.keep:
        return np.zeros(table.n, np.int32)
    sizes = [len(table.dictionary(c)) for c in objective.keep]
    return group_by([table.column(c) for c in objective.keep], sizes).inverse


def _masks(columns: Ints, weights: Ints, seed: int) -> Int32s:
    """Return sets of columns by cost: all of them, or of each size a thousand."""
    rng = np.random.default_rng(seed)
    found = []
    for size in range(len(columns) + 1):
        if comb(len(columns), size) <= _MOST_MASKS:
            found += list(combinations(columns.tolist(), size))
        else:
            some = (rng.permutation(columns)[:size] for _ in range(_MOST_MASKS))
            found += sorted({tuple(sorted(s.tolist())) for s in some})
    paid = np.array([weights[list(columns)].sum() for columns in found])
    masks = np.array([sum(1 << c for c in columns) for columns in found], np.int32)
    sizes = np.array([len(columns) for columns in found])
    return masks[np.lexsort((sizes, paid))]
