"""Read the tree of a certificate, every entry checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    check_keys,
    check_mapping,
    whole,
)

_ENTRIES = {"prices", "cuts", "counts", "split", "count_split"}


@dataclass(frozen=True)
class Count:
    """What a count counts in a release: rows, or patterns that have such rows.

    Attributes
    ----------
    groups
        Whether it counts patterns, not rows.
    types, patterns
        Of which types the rows are, and as which patterns they are published; None for
        all of them. Patterns by their place in the file.
    """

    groups: bool
    types: list[int] | None
    patterns: list[int] | None


@dataclass(frozen=True)
class TreeFile:
    """Cuts, counts and nodes of a tree, as numbers that are in range.

    Attributes
    ----------
    patterns
        For each pattern that is named the types that it is the smallest one of.
    cuts
        For each cut its types and its patterns.
    counts
        What splits on counts count.
    rounds
        By which the list is thinned before: changes of prices and of multipliers.
    nodes
        Each node before its children: changes of prices, changes of multipliers, and
        the split: a pattern and a height, or a count and a number; None at a leaf.
    """

    patterns: list[list[int]]
    cuts: list[tuple[list[int], list[int]]]
    counts: list[Count]
    rounds: list["TreeNode"]
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


def read_tree(data: Mapping[str, Any], order: npt.NDArray[np.int64]) -> TreeFile:
    """Read patterns, cuts and nodes; refuse them where an entry is none.

    Parameters
    ----------
    data
        Those of a certificate of kind ``tree``.
    order
        The row types in the order in which the file numbers them.
    """
    types = order.tolist()
    patterns = [
        _numbers(one, "a pattern", types)
        for one in _listed(data["patterns"], "patterns")
    ]
    if not all(patterns):
        raise RefusalError("a pattern in its data has no row type")
    cuts = []
    for cut in _listed(data["cuts"], "cuts"):
        if not isinstance(cut, list) or len(cut) != 2:
            raise RefusalError("a cut is not two lists")
        inside = _numbers(cut[0], "a cut", types)
        cuts.append((inside, _numbers(cut[1], "a cut", range(len(patterns)))))
    counts = [
        _count(one, types, range(len(patterns)))
        for one in _listed(data.get("counts", []), "counts")
    ]
    sizes = types, len(cuts), len(counts), len(patterns)
    nodes = [_node(node, *sizes) for node in _listed(data["nodes"], "nodes")]
    rounds = _listed(data.get("rounds", []), "rounds")
    read = [_node(each, *sizes) for each in rounds]
    if any(set(each) - {"prices", "cuts"} for each in rounds):
        raise RefusalError("a round of its data has more than prices and multipliers")
    return TreeFile(patterns, cuts, counts, read, nodes)


def _count(content: object, types: list[int], patterns: range) -> Count:
    stated = check_mapping(content, "a count")
    check_keys(stated, "a count", {"of"}, {"types", "patterns"})
    if stated["of"] not in ("rows", "groups"):
        raise RefusalError("a count is neither of rows nor of groups")
    chosen, published = (
        _numbers(stated[name], "a count", numbered) if name in stated else None
        for name, numbered in (("types", types), ("patterns", patterns))
    )
    return Count(stated["of"] == "groups", chosen, published)


def _node(
    content: object, types: list[int], cuts: int, counts: int, patterns: int
) -> TreeNode:
    stated = check_mapping(content, "a node")
    check_keys(stated, "a node", set(), _ENTRIES)
    split, count_split = (
        _split(stated[name], range(count)) if name in stated else None
        for name, count in (("split", patterns), ("count_split", counts))
    )
    if split and count_split:
        raise RefusalError("a node is split twice")
    return TreeNode(
        _changes(stated.get("prices", []), "prices of a node", types, -LARGEST),
        _changes(stated.get("cuts", []), "multipliers of a node", range(cuts), 0),
        _changes(
            stated.get("counts", []), "multipliers of a node", range(counts), -LARGEST
        ),
        split,
        count_split,
    )


def _split(content: object, numbered: range) -> tuple[int, int]:
    """Read what a node is split on, and the most of it in the first child."""
    both = _listed(content, "a split")
    if len(both) != 2:
        raise RefusalError("a split does not have two entries")
    (number,) = _numbers(both[:1], "a split", numbered)
    return number, whole(both[1], "the number of a split", 0)


def _changes(
    content: object, what: str, numbered: Sequence[int], least: int
) -> dict[int, int]:
    """Read numbers and what they get in turn."""
    flat = _listed(content, what)
    if len(flat) % 2:
        raise RefusalError(f"{what}: a number without its value")
    values = [whole(value, what, least) for value in flat[1::2]]
    return dict(zip(_numbers(flat[::2], what, numbered), values, strict=True))


def _numbers(content: object, what: str, numbered: Sequence[int]) -> list[int]:
    """Read places in a list; return what stands there."""
    places = _listed(content, what)
    for place in places:
        if type(place) is not int or not 0 <= place < len(numbered):
            raise RefusalError(f"{what}: not a number below {len(numbered)}")
    return [numbered[place] for place in places]


def _listed(content: object, what: str) -> Sequence[Any]:
    if not isinstance(content, list):
        raise RefusalError(f"{what}: not a list")
    return content
