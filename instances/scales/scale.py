"""How the values of one column are generalized, and what part of it a range loses."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import floor

import numpy as np
import numpy.typing as npt

from instances.errors import TableError
from instances.scales.missing import MISSING, split_missing
from instances.scales.node_losses import Rule, own_losses, rule_losses
from instances.scales.numbers import DECIMAL, ambiguity, short_text, whole_numbers
from instances.scales.taxonomy import Taxonomy
from instances.scales.widths import Width
from instances.tables.grouping import BoolArray
from instances.tables.table import Table

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
_ANY_WIDTH = Width()


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
    """Numbers: a range loses the length that is published of it.

    Different texts of one number (1 and 1.0) are neighbours, no length apart. Missing
    values are apart: they have the first positions, and a range that begins with one
    of them and does not end there is hidden.

    Attributes
    ----------
    values
        By position: whole numbers from 0 on; 0 for missing values.
    lower, upper
        Where a range is published to begin and to end whose least, or greatest, number
        is at the position: at the number itself, or rounded outwards; 0 if ``free``.
    missing
        The missing values that occur, in the order of their positions.
    step
        Ends of ranges are multiples of this; None: the numbers themselves.
    free
        Whether ranges lose nothing, so that only stars count.
    width
        How long a range may be.
    reach
        By position: the last one at which a range may end that begins there. Of a
        missing value it is the position itself. A range that ends beyond is hidden: the
        node of all positions, which loses all.
    least
        The least length that is published, in the unit of ``lower`` and ``upper``.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["2.5"], ["-1"], ["6"]], qi=["a"])
    >>> scale = NumericScale.of(table, "a")
    >>> scale.positions.tolist(), scale.values.tolist()
    ([1, 0, 2], [0, 1, 2])
    """

    values: Ints
    lower: Ints
    upper: Ints
    missing: tuple[str | None, ...] = ()
    step: str | None = None
    free: bool = False
    width: Width = _ANY_WIDTH
    reach: Ints = field(kw_only=True)
    least: int = 0

    @classmethod
    def of(
        cls,
        table: Table,
        column: str,
        missing: Iterable[str | None] = MISSING,
        step: str | None = None,
        free: bool = False,
        width: Width = _ANY_WIDTH,
    ) -> "NumericScale":
        """Return the numbers of a column in their order, after the missing values.

        Parameters
        ----------
        table, column
            The table, and the name of the column.
        missing
            What stands for a missing value.
        step
            Ends of ranges are rounded outwards to multiples of it; None: they are not.
        free
            Whether ranges lose nothing, so that only stars count.
        width
            Shorter ranges are widened, longer ones hidden.

        Raises
        ------
        TableError
            A cell that is not a number, or numbers too long to compute with; a least
            width that no range can have.
        """
        texts = table.dictionary(column)
        counts = np.bincount(table.column(column), minlength=len(texts))
        occurs, is_number = np.flatnonzero(counts), re.compile(DECIMAL).fullmatch
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
        if why := ambiguity(labels):
            raise TableError(f"{table.name}: column {column!r}: {why}")
        width = width.in_steps(step)
        whole = whole_numbers(labels, step, width.least)
        if whole is None:
            raise TableError(
                f"{table.name}: column {column!r}: the numbers differ by more than "
                "16 digits; round them"
            )
        if whole.least > (longest := int(whole.upper.max(initial=0))):
            raise TableError(
                f"{table.name}: column {column!r}: expected a least width of at most "
                f"{short_text(longest * whole.unit)}, the length of all, got {width}"
            )
        values = whole.values
        order = np.argsort(values, kind="stable")
        if (np.diff(values[order]) == 0).any():  # texts of one number, in their order
            pairs = list(zip(values.tolist(), labels, strict=True))
            order = np.array(sorted(range(len(here)), key=pairs.__getitem__))
        codes = np.append(occurs[unknown[occurs]], here[order])
        positions = np.full(len(texts), -1, np.int32)
        positions[codes] = np.arange(len(codes))
        known, lower, upper = (
            np.append(np.zeros(len(apart), np.int64), each[order]) for each in whole[:3]
        )
        reach = np.append(np.arange(len(apart)), np.full(len(here), len(codes) - 1))
        if width.most is not None:
            most = floor(Fraction(width.most) / whole.unit)
            own, ends = lower[len(apart) :], upper[len(apart) :]
            last = len(apart) - 1 + np.searchsorted(ends, own + most, side="right")
            reach[len(apart) :] = np.maximum(last, np.arange(len(apart), len(codes)))
        least = whole.least
        if free:
            lower, upper, least = np.zeros_like(known), np.zeros_like(known), 0
        return cls(
            *(positions, len(codes), known, lower, upper, tuple(apart), step, free),
            width=width,
            reach=reach,
            least=least,
        )

    @property
    def domain(self) -> int:
        return max(1, int(self.upper[-1]))

    @property
    def span(self) -> int:
        """The greatest of the values; at least 1."""
        return max(1, int(self.values[-1]))

    def extents(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        lengths = np.maximum(self.upper[high] - self.lower[low], self.least)
        lost = np.where(low == high, 0, lengths)
        return np.asarray(np.where(self.hidden(low, high), self.domain, lost))

    def hidden(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> BoolArray:
        """Return which ranges are published as a star."""
        return np.asarray((high > self.reach[low]) & (low != high))

    @property
    def nodes_above(self) -> int:
        numbers = self.size - len(self.missing)
        return (numbers // 2 + 1) * ((numbers + 1) // 2) + (numbers < self.size)

    def nodes(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        hidden = self.hidden(low, high)
        begin = np.where(hidden, 0, low).astype(np.int64)
        number = begin * self.size + np.where(hidden, self.size - 1, high)
        return np.where(low == high, low, -1 - number)

    def spans(self, nodes: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
        number = -1 - nodes.astype(np.int64)
        low, high = np.divmod(number, self.size)
        return np.where(nodes < 0, low, nodes), np.where(nodes < 0, high, nodes)


@dataclass(frozen=True, eq=False)
class TaxonomyScale(Scale):
    """Leaves of a tree: a set of them loses what their lowest ancestor loses.

    Positions are the numbers of leaves; those that do not occur count, too.

    Attributes
    ----------
    taxonomy
        The tree.
    losses
        By node, from 0 for all that have a single leaf; none loses more than the node
        above it.
    rule
        How they are found; None: they are the user's own.
    max_level
        The highest level whose nodes are published; None: any.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["cat"], ["rat"], ["dog"]], qi=["a"])
    >>> tree = Taxonomy.parse("{pet{cat,dog},rat,owl}")
    >>> scale = TaxonomyScale.of(table, "a", tree)
    >>> scale.extents(np.array([0, 0, 0]), np.array([0, 1, 2])).tolist(), scale.domain
    ([0, 2, 4], 4)
    """

    taxonomy: Taxonomy
    losses: Ints
    rule: Rule | None = "ncp"
    max_level: int | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        column: str,
        taxonomy: Taxonomy,
        loss: Rule | Mapping[str, Fraction] = "ncp",
        max_level: int | None = None,
    ) -> "TaxonomyScale":
        """Return the values of a column in the order of the leaves.

        Parameters
        ----------
        table, column
            The table, and the name of the column.
        taxonomy
            A tree whose leaves are the values.
        loss
            The rule of its losses, or the loss of each node.
        max_level
            The highest level whose nodes are published; None: any.

        Raises
        ------
        TableError
            A value that is not a leaf; losses that are none of this tree.
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
        size = len(taxonomy.leaves)
        if isinstance(loss, str):
            losses = rule_losses(taxonomy, loss)
            return cls(positions, size, taxonomy, losses, loss, max_level)
        losses = own_losses(taxonomy, loss)
        return cls(positions, size, taxonomy, losses, None, max_level)

    @property
    def domain(self) -> int:
        return max(1, int(self.losses.max()))

    @cached_property
    def allowed(self) -> BoolArray:
        """Which nodes may be published: those up to the highest level, all leaves."""
        levels = self.taxonomy.node_levels
        if self.max_level is None:
            return np.ones(len(levels), bool)
        return np.asarray((levels <= self.max_level) | (self.taxonomy.counts == 1))

    @cached_property
    def roofs(self) -> Codes | None:
        """For each position the highest node that may be published for it.

        None if that is the root for all of them.
        """
        if self.allowed.all():
            return None
        node = np.arange(self.size)
        while (
            rise := self.allowed[self.taxonomy.parents[node]] & ~self._top(node)
        ).any():
            node = np.where(rise, self.taxonomy.parents[node], node)
        return node.astype(np.int32)

    def _top(self, node: Ints) -> BoolArray:
        return np.asarray(self.taxonomy.parents[node] == node)

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
