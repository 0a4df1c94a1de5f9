"""The nodes above the values of a column, level by level: what a row may show of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.errors import NotSupportedError
from starmin.instances.scales.scale import Layout, Scale
from starmin.instances.scales.scales import Scales


@dataclass(frozen=True, eq=False)
class Chain:
    """What each value of a column is published as at each level.

    Level 0 is the value, the last level the root, which shows nothing. Levels are those
    of a longest path: where a path is shorter, its value stands at several low levels.
    Of nodes above the same leaves the lowest one counts, and one that is above all
    leaves is the root.
    """

    nodes: Ints  # codes x levels: numbers of nodes, leaves first
    losses: Ints  # codes x levels: what they lose, as the scale has it
    # the texts of nodes; empty where the root is the only node above values
    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, scale: Scale, column: str) -> "Chain":
        """Return the nodes above the values of a scale.

        Raises NotSupportedError where any range of numbers may be published, or the
        root may not.

        >>> from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
        >>> from starmin.instances.scales.scale import TaxonomyScale
        >>> from starmin.instances.tables.table import Table
        >>> table = Table.from_rows(["a"], [["cat"], ["rat"]], qi=["a"])
        >>> tree = Taxonomy.parse("{pet{cat,dog},rat}")
        >>> chain = Chain.of(TaxonomyScale.of(table, "a", tree), "a")
        >>> chain.nodes.tolist(), chain.losses.tolist()
        ([[0, 4, 3], [2, 2, 3]], [[0, 2, 3], [0, 0, 3]])
        """
        _expect_levels(scale, column)
        used = np.maximum(scale.positions, 0).astype(np.int64)
        layout = scale.layout
        nodes = _paths(layout)[used]
        labels = () if layout.tree is None else layout.tree.labels
        return cls(nodes, layout.losses[nodes], labels)

    @property
    def levels(self) -> int:
        """How many there are, the root's among them."""
        return int(self.nodes.shape[1])

    @cached_property
    def lowest(self) -> Ints:
        """Codes x levels: the least level at which a code has the same node."""
        found: Ints = np.tile(np.arange(self.levels), (len(self.nodes), 1))
        for level in range(1, self.levels - 1):
            same = self.nodes[:, level] == self.nodes[:, level - 1]
            found[same, level] = found[same, level - 1]
        return found

    def texts(
        self, values: Sequence[str | None], level: int, star: str
    ) -> list[str | None]:
        """Return what is published at a level for each code.

        ``values`` are those of the codes; ``star`` is for a root that has no name, or a
        single leaf.
        """
        if level == 0:
            return list(values)
        hidden = level == self.levels - 1
        if not self.labels or (hidden and len(self.labels) == 1):
            return [star] * len(values)
        found = self.nodes[:, level].tolist()
        stays = self.nodes[:, level] == self.nodes[:, 0]
        return [
            value if same else self.labels[node]
            for value, node, same in zip(values, found, stays.tolist(), strict=True)
        ]


def _paths(layout: Layout) -> Ints:
    """Return for each leaf its node at each level."""
    total, parents = len(layout.places), layout.parents.tolist()
    counts = (layout.last - layout.first + 1).tolist()
    paths = list[list[int]]()
    for leaf in range(total):
        path, node, root = [leaf], leaf, leaf
        while parents[node] != node:
            node = parents[node]
            if counts[path[-1]] < counts[node] < total:
                path.append(node)
        root = node
        paths.append([*path, root])
    longest = max(map(len, paths))
    return np.array([[p[0]] * (longest - len(p)) + p for p in paths], np.int64)


def expect_levels(scales: Scales, linked: Collection[str]) -> None:
    """Raise NotSupportedError where a column has no levels for rules.

    Columns that are hidden together have none.
    """
    for column, scale in scales.items:
        _expect_levels(scale, column)
        if column in linked and scale.layout.tree is not None:
            raise NotSupportedError(
                f"Linked columns take no taxonomies: {column!r} has one."
            )


def _expect_levels(scale: Scale, column: str) -> None:
    if scale.layout.is_line:
        raise NotSupportedError(
            f"Rules over combinations take no free ranges: give column {column!r} "
            f"ranges of fixed ends, as --hierarchy {column}=ranges:5,10."
        )
    if scale.layout.roofs is not None:
        raise NotSupportedError(
            f"Rules over combinations take no highest level: column {column!r} "
            "may be hidden."
        )


def chains_of(scales: Scales) -> tuple[Chain, ...]:
    """Return the nodes above the values of each column.

    Raises NotSupportedError where a column has no levels.
    """
    return tuple(Chain.of(scale, column) for column, scale in scales.items)
