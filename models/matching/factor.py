"""Rows that are paired, or taken three at a time by patterns."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Objective, Table, group_by
from starmin.instances.arrays import Bools, Ints

FAR = 1 << 50  # More than any factor costs.


@dataclass(frozen=True, eq=False)
class Factor:
    """n rows that are paired, or taken three at a time by patterns."""

    pair: Ints  # n x n: what two rows cost as a pair
    fits: Bools  # P x n: which rows fit which pattern
    cost: Ints  # by pattern: what a row pays that is released as it

    @classmethod
    def of(cls, table: Table, objective: Objective) -> "Factor":
        """Return the factor of a table of which any two rows may be paired."""
        types = table.row_types
        codes = types.codes[types.inverse]
        n = table.n
        differ = (codes[:, None] != codes[None]).reshape(n * n, table.d)
        pair = 2 * objective.row_costs(table, differ).reshape(n, n)
        if n < 3:
            return cls(pair, np.zeros((0, n), bool), np.zeros(0, np.int64))
        a, b, c = np.ogrid[:n, :n, :n]
        i, j, h = np.nonzero((a < b) & (b < c))
        starred = (codes[i] != codes[j]) | (codes[i] != codes[h])
        sizes = np.array(table.qi_cardinalities)
        shown = np.where(starred, sizes, codes[i])
        first = group_by(list(shown.T), (sizes + 1).tolist()).first
        fits = np.ones((len(first), n), bool)
        for column, stars, values in zip(codes.T, starred.T, codes[i].T, strict=True):
            fits &= stars[first, None] | (values[first, None] == column)
        return cls(pair, fits, objective.row_costs(table, starred[first]))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.pair)

    @property
    def nearest(self) -> int:
        """What all rows pay at least: the distance to their nearest ones."""
        others = self.pair + np.diag(np.full(self.n, FAR))
        return int(others.min(axis=1).sum()) // 2
