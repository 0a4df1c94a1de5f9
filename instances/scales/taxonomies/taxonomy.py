"""A tree over the values of a column, whose nodes may be published in their place."""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import IntArray, Ints
from starmin.instances.errors import TableError
from starmin.instances.io.atomic import write_atomically
from starmin.instances.io.level_file import read_levels

# The two ways to write a taxonomy: ARX's table of levels, and inline.

ROOT = "*"  # of a tree that is written inline
_SYNTAX = '{},"'


def levels_text(paths: Iterable[Sequence[str]]) -> str:
    """Return the lines ``leaf;node;..;root`` of paths of one length."""
    text, rows = io.StringIO(newline=""), list(paths)
    # The signs of the end of a line are quoted where they stand in a name.
    end = "\r\n" if any("\r" in name for path in rows for name in path) else "\n"
    csv.writer(text, delimiter=";", lineterminator=end).writerows(rows)
    return text.getvalue()


def inline_paths(text: str, name: str) -> list[tuple[str, ...]]:
    """Read the paths, leaf first, of a tree written as ``{node{leaf,..},..}``.

    >>> inline_paths("{pet{cat},rat}", "pets")
    [('cat', 'pet', '*'), ('rat', '*')]
    """
    tokens = list(_tokens(text, name))
    if tokens[:1] != ["{"]:
        raise TableError(f"{name}: expected {{node{{leaf,..}},..}}, got {text!r}")
    paths: list[tuple[str, ...]] = []
    above, at = [ROOT], 1
    while above:
        label = tokens[at] if at < len(tokens) else ""
        if not label or label in ("{", "}", ","):
            raise TableError(f"{name}: a name is missing in {text!r}")
        label, at = label.removeprefix('"'), at + 1
        if tokens[at : at + 1] == ["{"]:
            above.append(label)
            at += 1
            continue
        paths.append((label, *reversed(above)))
        while above and tokens[at : at + 1] == ["}"]:
            above.pop()
            at += 1
        if above and tokens[at : at + 1] != [","]:
            raise TableError(f"{name}: braces do not match in {text!r}")
        at += bool(above)
    if at < len(tokens):
        raise TableError(f"{name}: expected nothing after the last brace of {text!r}")
    return paths


def _tokens(text: str, name: str) -> Iterable[str]:
    """Yield braces, commas and names; names that were quoted begin with a quote."""
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = text.find('"', at + 1)
            while text[end + 1 : end + 2] == '"' and end != -1:
                end = text.find('"', end + 2)
            if end == -1:
                raise TableError(f"{name}: a quote is not closed in {text!r}")
            yield '"' + text[at + 1 : end].replace('""', '"')
            at = end + 1
        elif text[at] in _SYNTAX:
            yield text[at]
            at += 1
        else:
            end = at
            while end < len(text) and text[end] not in _SYNTAX:
                end += 1
            if label := text[at:end].strip():
                yield label
            at = end


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree, its leaves the values of a column, every node with a name of its own.

    Leaves are numbered as a walk through the tree meets them, so those below a node
    have consecutive numbers, and the lowest common ancestor of a set of leaves is that
    of its least and its greatest one. Raises TableError: no leaf, several roots, a node
    with two parents, or a leaf above another node.

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
        recognised (``instances/io/hierarchies``), and said in ``told``. Raises
        TableError: no such file, no lines, a line without a node, or no tree.
        """
        found = read_levels(Path(path))
        return cls(found.paths, str(path), found.lines, found.told)

    @classmethod
    def parse(cls, text: str, name: str = "taxonomy") -> "Taxonomy":
        """Return a tree written inline: ``{node{leaf,leaf},leaf}``, below a root ``*``.

        A name that holds a brace, a comma, a quote or blanks at its ends is put in
        double quotes, quotes in it are doubled. Raises TableError: braces or quotes do
        not match, a name is missing, or it is no tree.

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

    def lowest_above(self, low: IntArray, high: IntArray) -> Ints:
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
                    pair = " and ".join(
                        "the root" if each is None else f"below {each!r}"
                        for each in (above[label], parent)
                    )
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
        order, waiting = list[str](), roots
        while waiting:
            order.append(waiting.pop())
            waiting += reversed(below[order[-1]])
        leaves = [label for label in order if not below[label]]
        return {label: above[label] for label in [*leaves, *filter(below.get, order)]}


def expect_trees(taxonomies: Mapping[str, Taxonomy] | None) -> dict[str, Taxonomy]:
    """Return taxonomies by column, none for None; raise TypeError for others."""
    if taxonomies is None:
        return {}
    expect_kind("taxonomies", taxonomies, Mapping, " (a Taxonomy by column)")
    for column, tree in taxonomies.items():
        expect_kind(f"the taxonomy of {column}", tree, Taxonomy)
    return dict(taxonomies)


# Areas with few inhabitants, joined to one node of a taxonomy of codes.


def join_small_areas(
    tree: Taxonomy, population: Mapping[str, int], more_than: int, label: str = "000"
) -> Taxonomy:
    """Return a taxonomy of codes where areas with few inhabitants are one node.

    The areas are the nodes of level 1, as ``prefix_taxonomy`` makes them: all codes
    that begin alike. One that has no more inhabitants than ``more_than`` is told by the
    common ``label`` instead, directly below the root. An area of which nothing is known
    has none. Values directly below the root of the tree stay. ``population`` tells by
    code how many people live there; codes may be longer than those of areas. Raises
    TableError where the label is a code, or a node, already.

    >>> from starmin.instances.scales.taxonomies.build_taxonomy import prefix_taxonomy
    >>> tree = prefix_taxonomy(["02139", "02140", "03601"], [3])
    >>> people = {"02139": 15_000, "02140": 9_000, "036": 20_000}
    >>> join_small_areas(tree, people, 20_000).paths
    [('02139', '021*', '*'), ('02140', '021*', '*'), ('03601', '000', '*')]
    """
    if label in tree.labels:
        raise TableError(
            f"{tree.name}: {label!r} is a value or a node; name the small areas "
            "otherwise"
        )
    areas = {path[1].removesuffix("*") for path in tree.paths}
    people = Counter[str]()
    for length in {len(area) for area in areas}:
        for code, number in population.items():
            if len(code) >= length and code[:length] in areas:
                people[code[:length]] += number
    paths = list[tuple[str, ...]]()
    for path in tree.paths:
        root, area = path[-1], path[1].removesuffix("*")
        if path[1] == root or people[area] > more_than:
            paths.append(tuple(path))
        else:
            paths.append((path[0], label, root))
    return Taxonomy(paths, tree.name)
