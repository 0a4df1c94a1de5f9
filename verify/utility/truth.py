"""The cells of the original that a release is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from starmin.instances import Scales, Table, group_by
from starmin.instances.arrays import Int32s, Ints


@dataclass(frozen=True, eq=False)
class Truth:
    """A table as rows of positions, with a code for what is sensitive."""

    places: Int32s  # n x d, the positions of the rows on the scales of the QI columns
    sizes: tuple[int, ...]  # how many positions each column has
    # by row: a code of its values in all sensitive columns together; 0 if there is none
    sensitive: Int32s

    @classmethod
    def of(cls, original: Table, scales: Scales) -> "Truth":
        """Return the cells of a table.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["9"], ["7"], ["9"]], qi=["a"])
        >>> truth = Truth.of(table, Scales.of(table, ["a"]))
        >>> truth.places.tolist(), truth.cells([0])[2].tolist()
        ([[1], [0], [1]], [1, 2])
        """
        scales.check(original)
        codes = np.zeros(original.n, np.int32)
        if original.sensitive:
            codes = group_by(
                [original.column(c) for c in original.sensitive],
                [len(original.dictionary(c)) for c in original.sensitive],
            ).inverse
        return cls(
            scales.row_positions(original),
            tuple(scale.size for scale in scales.scales),
            codes,
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.sensitive)

    @property
    def values(self) -> int:
        """How many codes of sensitive values there are."""
        return int(self.sensitive.max()) + 1

    def cells(self, columns: Sequence[int]) -> tuple[Int32s, Int32s, Ints]:
        """Find the distinct cells in columns: positions, sensitive codes, counts."""
        found = group_by(
            [*(self.places[:, j] for j in columns), self.sensitive],
            [*(self.sizes[j] for j in columns), self.values],
        )
        at = np.array(columns, np.int64)
        places = np.ascontiguousarray(self.places[np.ix_(found.first, at)])
        return places, self.sensitive[found.first], found.counts
