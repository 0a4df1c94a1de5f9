"""Read the tree of a certificate, every entry checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starmin.instances.arrays import Ints
from starmin.verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    changes,
    check_keys,
    listed,
    numbers,
    split_on,
)

_ENTRIES = {"prices", "cuts", "counts", "split", "count_split"}


@dataclass(frozen=True)
class Count:
    """What a count counts in a release: rows, or patterns that have such rows."""

    groups: bool  # whether it counts patterns, not rows
    # types, patterns: of which types the rows are, and as which patterns they are
    # published; None for all of them. Patterns by their place in the file
    types: list[int] | None
    patterns: list[int] | None


@dataclass(frozen=True)
class TreeFile:
    """Cuts, counts and nodes of a tree, as numbers that are in range."""

    # for each pattern that is named the types that it is the smallest one of
    patterns: list[list[int]]
    cuts: list[tuple[list[int], list[int]]]  # for each cut its types and its patterns
    counts: list[Count]  # what splits on counts count
    # by which the list is thinned before: changes of prices and of multipliers
    rounds: list["TreeNode"]
    # each node before its children: changes of prices, changes of multipliers, and the
    # split: a pattern and a height, or a count and a number; None at a leaf
    nodes: list["TreeNode"]

    @property
    def leaves(self) -> int:
        """How many nodes are not split."""
        return sum(not (node.split or node.count_split) for node in self.nodes)

    @property
    def _steps(self) -> list["TreeNode"]:
        return [*self.rounds, *self.nodes]

    @property
    def highest_price(self) -> int:
        """The largest price at a node, in size."""
        return max(
            (abs(x) for node in self._steps for x in node.prices.values()), default=0
        )

    @property
    def highest_multipliers(self) -> int:
        """The sum over cuts and counts of the largest multiplier, in size, of each."""
        cuts, counts = [0] * len(self.cuts), [0] * len(self.counts)
        for node in self._steps:
            for cut, multiplier in node.cuts.items():
                cuts[cut] = max(cuts[cut], multiplier)
            for count, multiplier in node.counts.items():
                counts[count] = max(counts[count], abs(multiplier))
        return sum(cuts) + sum(counts)


@dataclass(frozen=True)
class TreeNode:
    """One node: new prices by type, new multipliers by cut and count, and the split."""

    prices: dict[int, int]
    cuts: dict[int, int]
    counts: dict[int, int]
    split: tuple[int, int] | None
    count_split: tuple[int, int] | None


def read_tree(data: Mapping[str, Any], order: Ints) -> TreeFile:
    """Read patterns, cuts and nodes; refuse them where an entry is none.

    The ``data`` are those of a certificate of kind ``tree``, ``order`` the row types in
    the order in which the file numbers them.
    """
    types = order.tolist()
    patterns = [
        numbers(one, "a pattern", types) for one in listed(data["patterns"], "patterns")
    ]
    if not all(patterns):
        raise RefusalError("a pattern in its data has no row type")
    cuts = []
    for cut in listed(data["cuts"], "cuts"):
        if not isinstance(cut, list) or len(cut) != 2:
            raise RefusalError("a cut is not two lists")
        inside = numbers(cut[0], "a cut", types)
        cuts.append((inside, numbers(cut[1], "a cut", range(len(patterns)))))
    counts = [
        _count(one, types, range(len(patterns)))
        for one in listed(data.get("counts", []), "counts")
    ]
    sizes = types, len(cuts), len(counts), len(patterns)
    nodes = [_node(node, *sizes) for node in listed(data["nodes"], "nodes")]
    rounds = listed(data.get("rounds", []), "rounds")
    read = [_node(each, *sizes) for each in rounds]
    if any(set(each) - {"prices", "cuts"} for each in rounds):
        raise RefusalError("a round of its data has more than prices and multipliers")
    return TreeFile(patterns, cuts, counts, read, nodes)


def _count(content: object, types: list[int], patterns: range) -> Count:
    stated = check_keys(content, "a count", {"of"}, {"types", "patterns"})
    if stated["of"] not in ("rows", "groups"):
        raise RefusalError("a count is neither of rows nor of groups")
    chosen, published = (
        numbers(stated[name], "a count", numbered) if name in stated else None
        for name, numbered in (("types", types), ("patterns", patterns))
    )
    return Count(stated["of"] == "groups", chosen, published)


def _node(
    content: object, types: list[int], cuts: int, counts: int, patterns: int
) -> TreeNode:
    stated = check_keys(content, "a node", possible=_ENTRIES)
    splits = [
        split_on(stated[name], range(count)) if name in stated else None
        for name, count in (("split", patterns), ("count_split", counts))
    ]
    if all(splits):
        raise RefusalError("a node is split twice")
    what = "multipliers of a node"
    return TreeNode(
        changes(stated.get("prices", []), "prices of a node", types, -LARGEST),
        changes(stated.get("cuts", []), what, range(cuts), 0),
        changes(stated.get("counts", []), what, range(counts), -LARGEST),
        *splits,
    )
