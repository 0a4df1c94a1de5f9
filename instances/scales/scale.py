"""How values without order, or below a taxonomy, are generalized, and what is lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.errors import TableError
from starmin.instances.scales.floors import LeastLevel, no_leaf
from starmin.instances.scales.node_losses import Rule, own_losses, rule_losses
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.table import Table

Text: TypeAlias = str | None

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


def _none() -> Ints:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Layout:
    """What searches and checks read of a scale: the nodes of a tree, or a line.

    Positions are the first nodes. The tree of a line, and of values without order, has
    single values below one node that hides them. Amounts are in units of the domain.
    """

    # of each node: the one above it, the root's itself; what it loses; the least and
    # the greatest position below it; whether it may be published
    parents: Ints
    losses: Ints
    first: Ints
    last: Ints
    allowed: Bools
    places: Ints  # by position where it stands, for distances
    kind: int = FLAT  # FLAT, NUMERIC or TREE
    # the tree; ``whole`` has what is below a floor, too; None: it has no names
    tree: Taxonomy | None = None
    whole: Taxonomy | None = None
    max_level: int | None = None  # the highest level whose nodes are published
    # of a line, by position: where a range is published to begin and to end there, as
    # it is or rounded outwards, or 0 where stars alone count; the last position of one
    # that begins there and is not hidden, which the node of all is that loses all; and
    # the loss by itself, 0 but for a top or a bottom
    lower: Ints = field(default_factory=_none)
    upper: Ints = field(default_factory=_none)
    reach: Ints = field(default_factory=_none)
    single: Ints = field(default_factory=_none)
    least: int = 0  # the least length of a range
    missing: tuple[str | None, ...] = ()  # the values that have the first positions
    by_length: bool = False  # whether ranges lose by their ends; else stars count
    # whether lengths are counted in 1/4,294,967,296 of the length of all, and may be
    # off by less than that, as no unit that fits 64 bits makes them whole
    rounded: bool = False

    @property
    def is_line(self) -> bool:
        """Whether any range may be published; else only nodes of the tree."""
        return self.kind == NUMERIC

    @property
    def span(self) -> int:
        """The greatest place; at least 1."""
        return max(1, int(self.places.max(initial=0)))

    def as_arrays(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return amount, parent, last and single of ``ScaleArrays``."""
        if self.is_line:
            amount, reach = np.append(self.losses[-1], self.upper), self.reach
            last, single = np.append(self.least, self.lower), np.append(self.single, 0)
            return amount, np.append(0, reach), last, single
        if self.kind == FLAT:
            return (_none(),) * 4
        return self.losses, self.parents, self.last, self.losses

    @cached_property
    def path(self) -> Ints:
        """Depths x positions: the node at each depth, the root first; then itself."""
        steps = [np.arange(len(self.places))]
        while (self.parents[steps[-1]] != steps[-1]).any():
            steps.append(self.parents[steps[-1]])
        up = np.stack(steps)
        depth = (up != up[-1]).sum(axis=0)
        rise = np.maximum(0, depth - np.arange(len(up))[:, None])
        return np.take_along_axis(up, rise, axis=0)

    @cached_property
    def roofs(self) -> Int32s | None:
        """For each position the highest node that may be published for it.

        None if that is the root for all of them.
        """
        if self.allowed.all():
            return None
        node = np.arange(len(self.places))
        while (
            rise := self.allowed[self.parents[node]] & (self.parents[node] != node)
        ).any():
            node = np.where(rise, self.parents[node], node)
        return node.astype(np.int32)


@dataclass(frozen=True, eq=False)
class Scale:
    """One column's values at positions 0, 1, .. in an order, each at its own.

    A group is published as the range from its least to its greatest position, or what
    stands for it. Its NCP in this column is ``extents(low, high) / domain``. A new kind
    of scale is a class; what it does not say is as for values without order.
    """

    positions: Int32s  # by code; -1 for codes that do not occur in the table
    size: int  # how many positions there are

    @property
    def domain(self) -> int:
        """The extent of all that there is; at least 1."""
        return max(1, int(self.layout.losses.max()))

    def extents(self, low: IntArray, high: IntArray) -> Ints:
        """Return what is lost by publishing ranges of positions: 0 for one value."""
        return self.layout.losses[self.lowest(low, high)]

    @property
    def nodes_above(self) -> int:
        """In how many nodes a value is at most."""
        return len(self.layout.path)

    def levels(self) -> list[Int32s]:
        """Return for each level of a full-domain recoding the class of each code."""
        return [self.positions, np.zeros_like(self.positions)][: min(2, self.size)]

    def texts(
        self, values: Sequence[Text], low: Int32s, high: Int32s, star: str
    ) -> list[Text]:
        """Return what is published for each range; ``values`` are those of codes."""
        tree, codes = self.layout.tree, self.codes[low].tolist()
        nodes = self.lowest(low, high).tolist()
        return [
            values[code] if same else star if tree is None else tree.labels[node]
            for code, node, same in zip(codes, nodes, low == high, strict=True)
        ]

    def nodes(self, low: IntArray, high: IntArray) -> Ints:
        """Return what ranges of positions are published as, one number for each node.

        That of a single value is its position; others have negative ones.
        """
        lowest = self.lowest(low, high)
        return np.where(lowest < self.size, lowest, self.size - 1 - lowest)

    def spans(self, nodes: IntArray) -> tuple[Ints, Ints]:
        """Return the least and the greatest position that each node covers."""
        wide = np.asarray(nodes, np.int64)
        node = np.where(wide < 0, self.size - 1 - wide, wide)
        return self.layout.first[node], self.layout.last[node]

    def lowest(self, low: IntArray, high: IntArray) -> Ints:
        """Return the lowest node of the layout above ranges of positions."""
        return np.where(low == high, low, self.size).astype(np.int64)

    @cached_property
    def layout(self) -> Layout:
        """What searches and checks read: by default a node that hides all values."""
        root, every = self.size, np.arange(self.size)
        return Layout(
            parents=np.full(root + 1, root),
            losses=np.append(np.zeros(root, np.int64), 1),
            first=np.append(every, 0),
            last=np.append(every, root - 1),
            allowed=np.ones(root + 1, bool),
            places=every,
        )

    def charged(self, amount: Callable[[int], int]) -> "Scale":
        """Return the same scale where ``amount`` tells what each loss becomes."""
        return self

    def as_json(self) -> dict[str, Any]:
        """Return what makes the scale; nothing of values without order."""
        return {}

    def plain(self) -> Ints | None:
        """Return the numbers by position where ranges lose their lengths, no more."""
        return None

    def children(self, low: int, end: int, counts: Ints) -> Ints:
        """Return where the children begin of the node of positions ``low`` to ``end``.

        They are counted from ``low`` on; ``counts`` are the rows by position.
        """
        layout = self.layout
        top = self.lowest(np.array([low]), np.array([end - 1]))[0]
        is_root = np.arange(len(layout.parents)) == layout.parents
        below = np.flatnonzero((layout.parents == top) & ~is_root)
        return np.sort(layout.first[below]) - low

    def level_losses(self, level: Int32s) -> Ints:
        """Return for each code what its class loses: that of what occurs of it."""
        here = np.flatnonzero(self.positions >= 0)
        classes = np.unique(level[here], return_inverse=True)[1]
        places = self.positions[here]
        low = np.full(len(here), self.size, np.int32)
        high = np.full(len(here), -1, np.int32)
        np.minimum.at(low, classes, places)
        np.maximum.at(high, classes, places)
        lost = np.zeros(len(level), np.int64)
        lost[here] = self.extents(low[classes], high[classes])
        return lost

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

    >>> table = Table.from_rows(["a"], [["x"], ["y"]], qi=["a"])
    >>> FlatScale.of(table, "a").extents(np.array([0, 0]), np.array([0, 1])).tolist()
    [0, 1]
    """

    @classmethod
    def of(cls, table: Table, column: str) -> "FlatScale":
        """Return the values of a column in the order of their codes."""
        size = len(table.dictionary(column))
        return cls(np.arange(size, dtype=np.int32), size)

    # A layout takes longer than these answers, and many ask for them.
    @property
    def domain(self) -> int:
        return 1

    @property
    def nodes_above(self) -> int:
        return 2

    def extents(self, low: IntArray, high: IntArray) -> Ints:
        return np.asarray(low != high, np.int64)

    def nodes(self, low: IntArray, high: IntArray) -> Ints:
        return np.where(low == high, low, -1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TaxonomyScale(Scale):
    """Leaves of a tree: a set of them loses what their lowest ancestor loses.

    Positions are the numbers of leaves; those that do not occur count, too.

    >>> table = Table.from_rows(["a"], [["cat"], ["rat"], ["dog"]], qi=["a"])
    >>> tree = Taxonomy.parse("{pet{cat,dog},rat,owl}")
    >>> scale = TaxonomyScale.of(table, "a", tree)
    >>> scale.extents(np.array([0, 0, 0]), np.array([0, 1, 2])).tolist(), scale.domain
    ([0, 2, 4], 4)
    """

    taxonomy: Taxonomy  # the tree; with a floor, cut off there
    # by node, from 0 for all that stand for a single value; none loses more than the
    # node above it
    losses: Ints
    rule: Rule | None = "ncp"  # how they are found; None: they are the user's own
    # the highest level whose nodes are published; None: any
    max_level: int | None = None
    # the least level, of the whole tree; None: single values are published
    floor: LeastLevel | None = None

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

        The leaves of the tree are the values, or would be without a floor. ``loss`` is
        the rule of its losses, or the loss of each node; ``max_level`` is the highest
        level whose nodes are published, None: any. Raises TableError for a value that
        is not a leaf; losses that are none of this tree; another tree than that of the
        floor, or a highest level below it.
        """
        whole, floor = taxonomy, table.floors.get(column)
        if isinstance(floor, LeastLevel):
            if floor.taxonomy.fingerprint != whole.fingerprint:
                raise TableError(
                    f"{table.name}: column {column!r} has a floor in another hierarchy "
                    f"than {whole.name}"
                )
            if max_level is not None and max_level < floor.level:
                raise TableError(
                    f"column {column!r}: expected a highest level of at least "
                    f"{floor.level}, the least one, got {max_level}"
                )
            taxonomy = floor.cut
        else:
            floor = None
        texts = table.dictionary(column)
        number: dict[str | None, int] = {
            leaf: at for at, leaf in enumerate(taxonomy.leaves)
        }
        if "" not in texts and "" in number:  # so a file has to write a null
            number[None] = number[""]
        positions = np.array([number.get(text, -1) for text in texts], np.int32)
        if (positions < 0).any():
            for text in table.text_counts(column):
                if text not in number:
                    raise no_leaf(table, column, text, taxonomy)
        rule = loss if isinstance(loss, str) else None
        if isinstance(loss, str):
            losses = rule_losses(whole, loss)
        else:
            losses = own_losses(whole, loss)
        if floor is not None:
            losses = losses[[whole.numbers[label] for label in taxonomy.labels]]
        size = len(taxonomy.leaves)
        return cls(positions, size, taxonomy, losses, rule, max_level, floor)

    @cached_property
    def allowed(self) -> Bools:
        """Which nodes may be published: those up to the highest level, all leaves."""
        if self.max_level is None:
            return np.ones(len(self.taxonomy.labels), bool)
        levels = self.taxonomy.node_levels
        if self.floor is not None:
            whole = self.floor.taxonomy
            kept = [whole.numbers[label] for label in self.taxonomy.labels]
            levels = whole.node_levels[kept]
        return np.asarray((levels <= self.max_level) | (self.taxonomy.counts == 1))

    def lowest(self, low: IntArray, high: IntArray) -> Ints:
        return self.taxonomy.lowest_above(low, high)

    @cached_property
    def layout(self) -> Layout:
        tree = self.taxonomy
        return Layout(
            *(tree.parents, self.losses, tree.first, tree.last, self.allowed),
            places=np.arange(self.size),
            kind=TREE,
            tree=tree,
            whole=tree if self.floor is None else self.floor.taxonomy,
            max_level=self.max_level,
        )

    def charged(self, amount: Callable[[int], int]) -> Scale:
        losses = np.array([amount(each) for each in self.losses.tolist()], np.int64)
        return replace(self, losses=losses, rule=None)

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "scale": "taxonomy",
            "fingerprint": self.taxonomy.fingerprint,
            "loss": self.rule or self.losses.tolist(),
        }
        if self.max_level is not None:
            found["max_level"] = self.max_level
        return found

    def levels(self) -> list[Int32s]:
        """Count steps from the root; levels with a node that is barred are left out."""
        levels = [node for node in self.layout.path[::-1] if self.allowed[node].all()]
        return [node[self.positions].astype(np.int32) for node in levels]

    def level_losses(self, level: Int32s) -> Ints:
        return np.asarray(self.losses[level])
