"""A tree over the values of a column, whose nodes may be published in their place."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Ints
from starmin.instances.errors import TableError
from starmin.instances.io.atomic import write_atomically
from starmin.instances.io.hierarchies.level_file import expect_levels
from starmin.instances.scales.taxonomies.taxonomy_text import inline_paths, levels_text


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree, its leaves the values of a column, every node with a name of its own.

    Leaves are numbered as a walk through the tree meets them, so those below a node
    have consecutive numbers, and the lowest common ancestor of a set of leaves is
    that of its least and its greatest one.

    Parameters
    ----------
    paths
        For each leaf its name and those of the nodes above it, parent first, root
        last. A node that is named twice in a row (as in tables of levels) counts once.
    name
        What errors call it: a file, or a column.
    lines
        The line of each path in a file; default: their numbers.
    told
        Lines that say what was guessed of a file.

    Raises
    ------
    TableError
        No leaf, several roots, a node with two parents, or a leaf above another node.

    Examples
    --------
    >>> tree = Taxonomy([("cat", "pet", "*"), ("rat", "*"), ("dog", "pet", "*")])
    >>> tree.leaves
    ('cat', 'dog', 'rat')
    >>> lowest = tree.lowest_above(np.array([0, 0]), np.array([1, 2]))
    >>> [tree.labels[node] for node in lowest], tree.counts[lowest].tolist()
    (['pet', '*'], [2, 3])
    """

    paths: Sequence[Sequence[str]]
    name: str = "taxonomy"
    lines: Sequence[int] | None = None
    told: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _ = self.labels  # what is no tree is refused at once

    @classmethod
    def read(cls, path: Path | str) -> "Taxonomy":
        """Read a tree from a text file: a line per leaf, and the nodes above it.

        ARX's form has ``;`` between a leaf and its levels, the root last; other
        separators, a header, and what else is different in files of others is
        recognised (``instances/io/hierarchies``), and said in ``told``.

        Raises
        ------
        TableError
            No such file, no lines, a line without a node, or no tree.
        """
        return cls(*_read(Path(path)))

    @classmethod
    def parse(cls, text: str, name: str = "taxonomy") -> "Taxonomy":
        """Return a tree written inline: ``{node{leaf,leaf},leaf}``, below a root ``*``.

        A name that holds a brace, a comma, a quote or blanks at its ends is put in
        double quotes, quotes in it are doubled.

        Raises
        ------
        TableError
            Braces or quotes do not match, a name is missing, or it is no tree.

        Examples
        --------
        >>> Taxonomy.parse('{pet{cat,dog},"rat, wild"}').paths
        [('cat', 'pet', '*'), ('dog', 'pet', '*'), ('rat, wild', '*')]
        """
        return cls(inline_paths(text, name), name)

    @property
    def levels(self) -> list[tuple[str, ...]]:
        """For each leaf its nodes by level, short paths filled up with the root."""
        height = max(map(len, self.paths))
        return [(*path, *[path[-1]] * (height - len(path))) for path in self.paths]

    def write(self, path: Path | str) -> None:
        """Write the tree in ARX's form, as ``read`` takes it."""
        with write_atomically(Path(path)) as file:
            file.write(levels_text(self.levels).encode())

    @cached_property
    def node_levels(self) -> Ints:
        """For each node its level: how many steps it is above a leaf, 0 for leaves.

        In a file of levels that is its column; where leaves differ, the greatest.
        """
        number = {label: node for node, label in enumerate(self.labels)}
        found = np.zeros(len(self.labels), np.int64)
        for path in self.paths:
            for label in dict.fromkeys(path):
                node = number[label]
                found[node] = max(found[node], path.index(label))
        return found

    def with_leaves(self, values: Iterable[str]) -> "Taxonomy":
        """Return the tree with further leaves, each below the root by itself.

        Examples
        --------
        >>> Taxonomy.parse("{pet{cat,dog}}").with_leaves(["?"]).leaves
        ('cat', 'dog', '?')
        """
        root = self.paths[0][-1]
        more = [(value, root) for value in values if value not in self.labels]
        return Taxonomy([*self.paths, *more], self.name) if more else self

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the nodes: the leaves in their order, then the inner nodes."""
        return tuple(self._tree)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Names of the leaves in their order."""
        return self.labels[: len(self.paths)]

    @cached_property
    def ancestors(self) -> dict[str, tuple[str, ...]]:
        """For each leaf the nodes above it, parent first, root last."""
        parent = self._tree
        found = {}
        for leaf in self.leaves:
            path, node = [], parent[leaf]
            while node is not None:
                path.append(node)
                node = parent[node]
            found[leaf] = tuple(path)
        return found

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the tree: its names and parents, in the order of leaves."""
        text = json.dumps([self.labels, self.parents.tolist()])
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def parents(self) -> Ints:
        """For each node the number of its parent; the root is its own."""
        number = {label: node for node, label in enumerate(self.labels)}
        return np.array(
            [number[above or label] for label, above in self._tree.items()], np.int64
        )

    @cached_property
    def counts(self) -> Ints:
        """For each node the number of leaves below it; 1 for a leaf."""
        counts: Ints = self.last - self.first + 1
        return counts

    @cached_property
    def last(self) -> Ints:
        """For each node the greatest leaf below it."""
        return self._extreme(np.maximum, -1)

    @cached_property
    def first(self) -> Ints:
        """For each node the least leaf below it."""
        return self._extreme(np.minimum, len(self.leaves))

    def lowest_above(
        self, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
    ) -> Ints:
        """Return the lowest node above both leaves, for each pair ``low <= high``."""
        nodes = low.astype(np.int64)
        while (short := self.last[nodes] < high).any():
            nodes[short] = self.parents[nodes[short]]
        return nodes

    def _extreme(self, better: np.ufunc, worst: int) -> Ints:
        m = len(self.leaves)
        found = np.full(len(self.labels), worst, np.int64)
        found[:m] = node = np.arange(m)
        while (self.parents[node] != node).any():
            node = self.parents[node]
            better.at(found, node, np.arange(m))
        return found

    @cached_property
    def _tree(self) -> dict[str, str | None]:
        """The parent of every node: the leaves in their order, then the others."""
        above: dict[str, str | None] = {}
        below: dict[str, dict[str, None]] = {}
        numbers = self.lines or range(1, len(self.paths) + 1)
        for number, path in zip(numbers, self.paths, strict=True):
            names = [a for a, b in zip(path, [None, *path], strict=False) if a != b]
            for label, parent in zip(names, [*names[1:], None], strict=True):
                if above.setdefault(label, parent) != parent:
                    pair = " and ".join(_placed(p) for p in (above[label], parent))
                    raise TableError(
                        f"{self.name}: line {number}: node {label!r} is {pair}; "
                        "expected one parent"
                    )
                below.setdefault(label, {})
                if parent is not None:
                    below.setdefault(parent, {})[label] = None
        roots = [label for label, parent in above.items() if parent is None]
        if len(roots) != 1:
            ends = ", ".join(map(repr, roots[:2])) or "none"
            raise TableError(f"{self.name}: expected one root, got {ends}")
        first: dict[str, int] = {}
        for number, path in zip(numbers, self.paths, strict=True):
            if below[path[0]]:
                raise TableError(
                    f"{self.name}: line {number}: value {path[0]!r} is also a node "
                    "above others; rename the node"
                )
            if path[0] in first:
                raise TableError(
                    f"{self.name}: value {path[0]!r} is in lines {first[path[0]]} and "
                    f"{number}; expected it once"
                )
            first[path[0]] = number
        order = _walk(roots[0], below)
        leaves = [label for label in order if not below[label]]
        return {label: above[label] for label in [*leaves, *filter(below.get, order)]}


def _read(
    path: Path,
) -> tuple[Sequence[Sequence[str]], str, list[int], tuple[str, ...]]:
    found = expect_levels(path)
    return found.paths, str(path), found.lines, found.told


def _placed(parent: str | None) -> str:
    return "the root" if parent is None else f"below {parent!r}"


def _walk(root: str, below: dict[str, dict[str, None]]) -> list[str]:
    """Yield all nodes, each before those below it, siblings in their order."""
    order, waiting = [], [root]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(below[order[-1]])
    return order


def expect_trees(taxonomies: Mapping[str, Taxonomy] | None) -> dict[str, Taxonomy]:
    """Return taxonomies by column, none for None; raise TypeError for others."""
    if taxonomies is None:
        return {}
    expect_kind("taxonomies", taxonomies, Mapping, " (a Taxonomy by column)")
    for column, tree in taxonomies.items():
        expect_kind(f"the taxonomy of {column}", tree, Taxonomy)
    return dict(taxonomies)
