"""Read the tree of a certificate, every entry checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from verify.certificates.untrusted import LARGEST, RefusalError, check_keys, whole

_ENTRIES = {"prices", "cuts", "split"}


@dataclass(frozen=True)
class TreeFile:
    """Cuts and nodes of a tree, as numbers that are in range.

    Attributes
    ----------
    patterns
        For each pattern that is named the types that it is the smallest one of.
    cuts
        For each cut its types and its patterns.
    rounds
        By which the list is thinned before: changes of prices and of multipliers.
    nodes
        Each node before its children: changes of prices, changes of multipliers, and
        the split, a pattern and a height, or None at a leaf.
    """

    patterns: list[list[int]]
    cuts: list[tuple[list[int], list[int]]]
    rounds: list["TreeNode"]
    nodes: list["TreeNode"]

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
        """The sum over cuts of the largest multiplier that each has."""
        most = [0] * len(self.cuts)
        for node in self._steps:
            for cut, multiplier in node.cuts.items():
                most[cut] = max(most[cut], multiplier)
        return sum(most)


@dataclass(frozen=True)
class TreeNode:
    """One node: new prices by type, new multipliers by cut, and the split."""

    prices: dict[int, int]
    cuts: dict[int, int]
    split: tuple[int, int] | None


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
    nodes = [
        _node(node, types, len(cuts), len(patterns))
        for node in _listed(data["nodes"], "nodes")
    ]
    rounds = [
        _node(each, types, len(cuts), len(patterns))
        for each in _listed(data.get("rounds", []), "rounds")
    ]
    if any(each.split is not None for each in rounds):
        raise RefusalError("a round of its data has a split")
    return TreeFile(patterns, cuts, rounds, nodes)


def _node(content: object, types: list[int], cuts: int, patterns: int) -> TreeNode:
    if not isinstance(content, Mapping):
        raise RefusalError("a node is not an object with named entries")
    check_keys(content, "a node", set(), _ENTRIES)
    split = None
    if "split" in content:
        both = _listed(content["split"], "split")
        if len(both) != 2:
            raise RefusalError("a split is not a pattern and a height")
        (pattern,) = _numbers(both[:1], "a split", range(patterns))
        split = pattern, whole(both[1], "the height of a split", 0)
    return TreeNode(
        _changes(content.get("prices", []), "prices of a node", types, -LARGEST),
        _changes(content.get("cuts", []), "multipliers of a node", range(cuts), 0),
        split,
    )


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
