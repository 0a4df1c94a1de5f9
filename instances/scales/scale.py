"""How the values of one column are generalized, and what part of it a range loses."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from instances.errors import TableError
from instances.scales.missing import MISSING, split_missing
from instances.scales.taxonomy import Taxonomy
from instances.tables.table import Table

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_MOST = 2**53  # wider domains are not exact in floating point
_MOST_DIGITS = 1000  # Python refuses to convert more than 4300
_INT64_DIGITS = 18  # of numbers whose differences 64 bits hold


@dataclass(frozen=True, eq=False)
class Scale(ABC):
    """One column's values at positions 0, 1, .. in an order, each at its own.

    A group is published as the range from its least to its greatest position, or what
    stands for it. Its NCP in this column is ``extents(low, high) / domain``.

    Attributes
    ----------
    positions
        By code; -1 for codes that do not occur in the table.
    size
        How many positions there are.
    """

    positions: Codes
    size: int

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
    def codes(self) -> Codes:
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


@dataclass(frozen=True, eq=False)
class NumericScale(Scale):
    """Numbers: a range loses its length.

    Different texts of one number (1 and 1.0) are neighbours, no length apart. Missing
    values are apart: they have the first positions, and a range that begins with one
    of them and does not end there is the node of all positions and loses all.

    Attributes
    ----------
    values
        By position: whole numbers, 0 the least, their greatest common divisor 1; 0
        for missing values.
    missing
        The missing values that occur, in the order of their positions.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["2.5"], ["-1"], ["6"]], qi=["a"])
    >>> scale = NumericScale.of(table, "a")
    >>> scale.positions.tolist(), scale.values.tolist()
    ([1, 0, 2], [0, 1, 2])
    """

    values: Ints
    missing: tuple[str | None, ...] = ()

    @classmethod
    def of(
        cls, table: Table, column: str, missing: Iterable[str | None] = MISSING
    ) -> "NumericScale":
        """Return the numbers of a column in their order, after the missing values.

        Raises
        ------
        TableError
            A cell that is not a number, or numbers too long to compute with.
        """
        texts = table.dictionary(column)
        counts = np.bincount(table.column(column), minlength=len(texts))
        occurs, is_number = np.flatnonzero(counts), re.compile(NUMBER).fullmatch
        labels, apart = split_missing((texts[code] for code in occurs), missing)
        unknown = np.array([text in apart for text in texts], bool)
        here = occurs[~unknown[occurs]]
        for code, label in zip(here, labels, strict=True):
            if not is_number(label):
                row = int(np.argmax(table.column(column) == code)) + 1
                raise TableError(
                    f"{table.name}: row {row}, column {column!r}: expected a number "
                    f"as 42 or -1.5, or a missing value (--missing), got {label!r}"
                )
        values = _values(labels)
        if values is None:
            raise TableError(
                f"{table.name}: column {column!r}: the numbers differ by more than "
                "16 digits; round them"
            )
        order = np.argsort(values, kind="stable")
        if (np.diff(values[order]) == 0).any():  # texts of one number, in their order
            pairs = list(zip(values.tolist(), labels, strict=True))
            order = np.array(sorted(range(len(here)), key=pairs.__getitem__))
        codes = np.append(occurs[unknown[occurs]], here[order])
        positions = np.full(len(texts), -1, np.int32)
        positions[codes] = np.arange(len(codes))
        known = np.append(np.zeros(len(apart), np.int64), values[order])
        return cls(positions, len(codes), known, tuple(apart))

    @property
    def domain(self) -> int:
        return max(1, int(self.values[-1]))

    def extents(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        lengths = self.values[high] - self.values[low]
        if not self.missing:
            return np.asarray(lengths)
        mixed = (low < len(self.missing)) & (low != high)
        return np.asarray(np.where(mixed, self.domain, lengths))

    @property
    def nodes_above(self) -> int:
        numbers = self.size - len(self.missing)
        return (numbers // 2 + 1) * ((numbers + 1) // 2) + (numbers < self.size)

    def nodes(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        mixed = (low < len(self.missing)) & (low != high)
        begin = np.where(mixed, 0, low).astype(np.int64)
        number = begin * self.size + np.where(mixed, self.size - 1, high)
        return np.where(low == high, low, -1 - number)

    def spans(self, nodes: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
        number = -1 - nodes.astype(np.int64)
        low, high = np.divmod(number, self.size)
        return np.where(nodes < 0, low, nodes), np.where(nodes < 0, high, nodes)


@dataclass(frozen=True, eq=False)
class TaxonomyScale(Scale):
    """Leaves of a tree: a set of them loses the leaves below its lowest ancestor.

    Positions are the numbers of leaves; those that do not occur count, too. With
    ``others`` a leaf is not counted as lost itself: a node loses one leaf less, and so
    does the root, which is the loss of Murakami and Uno, and ARX's granularity.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["cat"], ["rat"], ["dog"]], qi=["a"])
    >>> tree = Taxonomy.parse("{pet{cat,dog},rat,owl}")
    >>> scale = TaxonomyScale.of(table, "a", tree)
    >>> scale.extents(np.array([0, 0, 0]), np.array([0, 1, 2])).tolist(), scale.domain
    ([0, 2, 4], 4)
    """

    taxonomy: Taxonomy
    others: bool = False

    @classmethod
    def of(
        cls, table: Table, column: str, taxonomy: Taxonomy, others: bool = False
    ) -> "TaxonomyScale":
        """Return the values of a column in the order of the leaves.

        Parameters
        ----------
        table, column
            The table, and the name of the column.
        taxonomy
            A tree whose leaves are the values.
        others
            Whether a node loses one leaf less (granularity instead of NCP).

        Raises
        ------
        TableError
            A value that is not a leaf.
        """
        texts = table.dictionary(column)
        number: dict[str | None, int] = {
            leaf: at for at, leaf in enumerate(taxonomy.leaves)
        }
        if "" not in texts and "" in number:  # so a file has to write a null
            number[None] = number[""]
        positions = np.array([number.get(text, -1) for text in texts], np.int32)
        occurs = np.bincount(table.column(column), minlength=len(texts)) > 0
        for code in np.flatnonzero(occurs & (positions < 0)):
            row = int(np.argmax(table.column(column) == code)) + 1
            raise TableError(
                f"{table.name}: row {row}, column {column!r}: {texts[code]!r} is no "
                f"leaf of {taxonomy.name}; add it"
            )
        return cls(positions, len(taxonomy.leaves), taxonomy, others)

    @property
    def domain(self) -> int:
        return max(1, self.size - self.others)

    @cached_property
    def losses(self) -> Ints:
        """What each node loses: 0 for one that has a single leaf."""
        leaves = self.taxonomy.counts
        return np.where(leaves > 1, leaves - self.others, 0)

    def extents(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        return np.asarray(self.losses[self.taxonomy.lowest_above(low, high)])

    @property
    def nodes_above(self) -> int:
        return 1 + max(map(len, self.taxonomy.ancestors.values()))

    def nodes(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        lowest = self.taxonomy.lowest_above(low, high)
        return np.where(lowest < self.size, lowest, self.size - 1 - lowest)

    def spans(self, nodes: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
        wide = np.asarray(nodes, np.int64)
        node = np.where(wide < 0, self.size - 1 - wide, wide)
        return self.taxonomy.first[node], self.taxonomy.last[node]


def _values(numbers: Sequence[str]) -> Ints | None:
    """Numbers in the greatest unit that makes all whole, the least 0; None if long."""
    if not numbers:
        return np.zeros(0, np.int64)
    exact = [_parts(number) for number in numbers]
    digits = max(len(tail) for _, tail in exact)
    longest = max(len(head) for head, _ in exact) + digits
    if longest > _MOST_DIGITS:
        return None
    whole = np.array(
        [int(head + tail.ljust(digits, "0")) for head, tail in exact],
        np.int64 if longest <= _INT64_DIGITS else object,
    )
    whole -= whole.min()
    whole //= int(np.gcd.reduce(whole)) or 1
    return None if int(whole.max()) > _MOST else whole.astype(np.int64)


def _parts(number: str) -> tuple[str, str]:
    """Return its digits before the point, with the sign, and those after it."""
    head, _, tail = number.partition(".")
    return (head if head.strip("+-") else head + "0"), tail.rstrip("0")
