"""t-closeness with the hierarchical distance between sensitive values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from starmin.instances.errors import TableError
from starmin.instances.requirements.earth_mover import (
    Entries,
    Exact,
    Reference,
    Tree,
    tree_distances,
)
from starmin.instances.requirements.requirement import Stated
from starmin.instances.requirements.t_closeness import DISTANCE, Closeness, T
from starmin.instances.tables.table import Table

Path = tuple[str, ...]


@dataclass(frozen=True)
class Taxonomy:
    """One sensitive column's values as the leaves of a tree."""

    overall: Reference  # the values that occur in the table, of which the tree is
    # values, also such that do not occur, and the nodes above each, its parent first
    ancestors: tuple[tuple[str, Path], ...]
    tree: Tree = field(repr=False, compare=False)

    @classmethod
    def of(
        cls, overall: Reference, ancestors: Mapping[str, Sequence[str]]
    ) -> "Taxonomy":
        """Build the taxonomy of a column; TableError where it is not one tree."""
        above = {value: tuple(nodes) for value, nodes in ancestors.items()}
        return cls(overall, tuple(above.items()), _tree(overall, above))

    def extend(self, overall: Reference) -> Tree:
        """Return the tree of the table's values and maybe more."""
        if overall is self.overall:
            return self.tree
        return _tree(overall, dict(self.ancestors))


@dataclass(frozen=True)
class HierarchicalCloseness(Closeness):
    r"""The sensitive values of every group are distributed nearly as in the table.

    Values are the leaves of a taxonomy of height H; two of them are as far apart as the
    lowest node above both is high, divided by H. The distance between the distributions
    ``p`` of a group and ``q`` of the table is the earth mover's, and is at most ``t``.

    Earth that moves between two leaves below a node of height h goes up and down edges
    of total length 2 h, if an edge is as long as its parent is higher than its child.
    The tree is that of the values that occur in the table or in some group. The
    distance is computed by ``earth_mover.tree_distances`` and compared exactly,
    multiplied by the group's size and the table's.

    Make it by :meth:`of`; values are compared as text, as by ``TCloseness``, which has
    the equal and the ordered distance. Monotone, as that is: the distance is convex. A
    check of groups raises TableError where they have a value without a place in the
    tree.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and
    l-diversity, ICDE 2007, section 4.2.

    Examples
    --------
    >>> from starmin.instances import GroupStats
    >>> table = Table.from_rows(["a", "ill"], [["0", "flu"], ["0", "cold"],
    ...     ["1", "gout"], ["1", "flu"]], qi=["a"], sensitive=["ill"])
    >>> tree = {"flu": ["lungs", "any"], "cold": ["lungs", "any"],
    ...         "gout": ["joints", "any"]}
    >>> stats = GroupStats.of(table, np.array([0, 0, 0, 1]))
    >>> closeness = HierarchicalCloseness.of(table, 0.25, {"ill": tree})
    >>> closeness.distances(stats).tolist(), closeness.holds(stats).tolist()
    ([0.125, 0.375], [True, False])
    """

    told = "hierarchical "

    taxonomies: tuple[Taxonomy, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        table: Table,
        t: float,
        ancestors: Mapping[str, Mapping[str, Sequence[str]]],
    ) -> "HierarchicalCloseness":
        """Make t-closeness to the sensitive columns of ``table`` as they are.

        ``ancestors`` tells for each sensitive column and each of its values the nodes
        above it, its parent first, the root last; a node that is named twice in a row
        (as in tables of levels) counts once. Raises TableError where there is no
        sensitive column, or a value is without its place in one tree.
        """
        if not table.sensitive:
            raise TableError(f"{table.name}: t-closeness needs a sensitive column")
        try:
            taxonomies = [
                Taxonomy.of(Reference.of(table, column), ancestors.get(column, {}))
                for column in table.sensitive
            ]
        except TableError as error:
            raise TableError(f"{table.name}: {error}") from None
        return cls(t, tuple(taxonomies))

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "HierarchicalCloseness | None":
        if stated[T] is None or stated[DISTANCE] != "hierarchical":
            return None
        for column in table.sensitive:
            if column not in stated.trees:
                raise TableError(
                    f"hierarchies has none for the sensitive column {column!r}, which "
                    "distance='hierarchical' needs"
                    if stated.python
                    else f"--distance hierarchical needs --hierarchy {column}=FILE"
                )
        trees = {column: stated.trees[column].ancestors for column in table.sensitive}
        return cls.of(table, stated[T], trees)

    @classmethod
    def example(cls, table: Table) -> "HierarchicalCloseness | None":
        if not table.sensitive:
            return None
        trees = {
            column: {value or "": ["any"] for value in table.dictionary(column)}
            for column in table.sensitive
        }
        return cls.of(table, 0.3, trees)

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(taxonomy.overall for taxonomy in self.taxonomies)

    def _distance(self, overall: Reference, entries: Entries) -> tuple[Exact, Exact]:
        taxonomy = {each.overall.column: each for each in self.taxonomies}
        tree = taxonomy[overall.column].extend(overall)
        return tree_distances(entries, overall.array, tree)

    def as_json(self) -> dict[str, Any]:
        return {"t": self.t, "distance": "hierarchical"}


def _tree(overall: Reference, ancestors: Mapping[str, Path]) -> Tree:
    """Return the tree above some values."""
    # Nodes are paths from the root: labels may repeat in different branches.
    paths = [_path(overall.column, value, ancestors) for value in overall.values]
    heights: dict[Path, int] = {}
    for path in paths:
        for height in range(len(path)):
            node = path[: len(path) - height]
            heights[node] = max(heights.get(node, 0), height)
    if len({path[0] for path in paths}) > 1:
        raise TableError(f"the taxonomy of column {overall.column!r} has several roots")
    edges = [node for node in heights if len(node) > 1]
    number = {node: edge for edge, node in enumerate(edges)}
    above = [number[path[:end]] for path in paths for end in range(2, len(path) + 1)]
    return Tree(
        np.cumsum([0, *(len(path) - 1 for path in paths)]),
        np.array(above, np.int64),
        np.array([heights[node[:-1]] - heights[node] for node in edges], np.int64),
        max(*heights.values(), 1),
    )


def _path(column: str, value: str | None, ancestors: Mapping[str, Path]) -> Path:
    """Return the nodes from the root down to a value."""
    if value is None or not ancestors.get(value):
        raise TableError(
            f"value {value!r} of sensitive column {column!r} has no place in its "
            "taxonomy"
        )
    path = [value]
    for node in ancestors[value]:
        if node != path[-1]:
            path.append(node)
    return tuple(reversed(path))
