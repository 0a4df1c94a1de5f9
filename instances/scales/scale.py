"""Generalize values of columns: what a range loses, and all scales as arrays."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.tables.table import Table

# All scales of a table as arrays, for compiled loops.

FLAT, NUMERIC, TREE = 0, 1, 2


class ScaleArrays(NamedTuple):
    """All scales for compiled loops; read by ``instances.scales.scale_loops``."""

    kind: npt.NDArray[np.int8]  # of each column: FLAT, NUMERIC or TREE
    start: Ints  # where each column begins in the other arrays
    # NUMERIC: what all of the column loses, then where a range ends that ends at each
    # position; TREE: what each node loses, the first nodes being the leaves
    amount: Ints
    # TREE: of each node the parent; NUMERIC: 0, then by position the last one of a
    # range that begins there and is not hidden
    parent: Ints
    # TREE: of each node the greatest leaf below it; NUMERIC: the least length of a
    # range, then where one begins that begins at each position
    last: Ints
    # what a single value loses at each position: more than 0 below a floor alone
    single: Ints


@dataclass(frozen=True, eq=False)
class Scale(ABC):
    """One column's values at positions 0, 1, .. in an order, each at its own.

    A group is published as the range from its least to its greatest position, or what
    stands for it. Its NCP in this column is ``extents(low, high) / domain``.
    """

    positions: Int32s  # by code; -1 for codes that do not occur in the table
    size: int  # how many positions there are

    @property
    @abstractmethod
    def domain(self) -> int:
        """The extent of all that there is; at least 1."""

    @abstractmethod
    def extents(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        """Return what is lost by publishing ranges of positions: 0 for one value."""

    @property
    @abstractmethod
    def nodes_above(self) -> int:
        """In how many nodes a value is at most."""

    @abstractmethod
    def nodes(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        """Return what ranges of positions are published as, one number for each node.

        That of a single value is its position; others have negative ones.
        """

    @abstractmethod
    def spans(self, nodes: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
        """Return the least and the greatest position that each node covers."""

    @cached_property
    def codes(self) -> Int32s:
        """The code at each position; -1 where no value of the table is."""
        codes = np.full(self.size, -1, np.int32)
        here = np.flatnonzero(self.positions >= 0)
        codes[self.positions[here]] = here
        return codes


@dataclass(frozen=True, eq=False)
class FlatScale(Scale):
    """Values without order: all or nothing, which is suppression.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["x"], ["y"]], qi=["a"])
    >>> FlatScale.of(table, "a").extents(np.array([0, 0]), np.array([0, 1])).tolist()
    [0, 1]
    """

    @classmethod
    def of(cls, table: Table, column: str) -> "FlatScale":
        """Return the values of a column in the order of their codes."""
        size = len(table.dictionary(column))
        return cls(np.arange(size, dtype=np.int32), size)

    @property
    def domain(self) -> int:
        return 1

    def extents(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        return np.asarray(low != high, np.int64)

    @property
    def nodes_above(self) -> int:
        return 2

    def nodes(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        return np.where(low == high, low, -1).astype(np.int64)

    def spans(self, nodes: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
        star = nodes < 0
        low, high = np.where(star, 0, nodes), np.where(star, self.size - 1, nodes)
        return low.astype(np.int64), high.astype(np.int64)
