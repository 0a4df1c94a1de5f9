"""Read what a certificate states of boxes, every entry checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starmin.instances.arrays import Ints
from starmin.verify.certificates.boxes.bits import as_bits
from starmin.verify.certificates.boxes.conditions import RowSet
from starmin.verify.certificates.untrusted import (
    ENDLESS,
    RefusalError,
    changes,
    check_keys,
    check_mapping,
    listed,
    numbers,
    whole,
)

KINDS = "rows", "share", "values"


@dataclass(frozen=True)
class BoxNode:
    """One node: new prices by type, new multipliers by set, and the split."""

    prices: dict[int, int]
    multipliers: dict[int, int]
    split: tuple[int, int] | None


@dataclass(frozen=True)
class BoxFile:
    """Sets, their multipliers at the root, and the nodes of a tree."""

    sets: list[RowSet]  # of types, with their shares
    multipliers: list[int]  # of each set at the root, at most 0
    nodes: list[BoxNode]  # each node before its children; none where there is no tree


def read_boxes(
    data: Mapping[str, Any], order: Ints, least: int, piles: bool, tallies: bool = False
) -> BoxFile:
    """Read sets and nodes; refuse them where an entry is none.

    The ``data`` are those of a certificate of kind ``boxes``, ``order`` the row types
    in the order in which the file numbers them, and ``least`` the rows of a group.
    Where ``piles``, a share may be 0: such a set counts piles. Where ``tallies``, there
    may be boxes whose rows are counted: these have three entries.
    """
    types = order.tolist()
    sets = []
    for one in listed(data["sets"], "sets"):
        if tallies and len(listed(one, "a set")) == 3:
            sets.append(_tallied(one, types))
            continue
        if len(listed(one, "a set")) != 2:
            raise RefusalError("a set does not have two entries")
        share = whole(one[1], "the share of a set", 0 if piles else 1)
        if share > least:
            raise RefusalError(f"the share of a set is above {least}")
        sets.append(RowSet(as_bits(numbers(one[0], "a set", types)), share))
    places = range(len(sets))
    stated = changes(data["multipliers"], "multipliers", places, -ENDLESS, ENDLESS)
    if any(multiplier > 0 for multiplier in stated.values()):
        raise RefusalError("a multiplier of the root is above 0")
    if any(m and sets[s].share <= 0 for s, m in stated.items()):
        raise RefusalError("a set that counts piles or rows has a multiplier above")
    multipliers = [stated.get(s, 0) for s in places]
    nodes = [
        _node(one, types, places) for one in listed(data.get("nodes", []), "nodes")
    ]
    # Of what is said of values there is no lower bound.
    upper = {s for s, one in enumerate(sets) if one.kind not in ("", "rows")}
    for node in nodes:
        if any(m > 0 for s, m in node.multipliers.items() if s in upper) or (
            node.split is not None and node.split[0] in upper
        ):
            raise RefusalError("a node has values of a box on their lower side")
    return BoxFile(sets, multipliers, nodes)


def _tallied(stated: Any, types: list[int]) -> RowSet:
    """Read a box with what is said of some of its rows."""
    inside, kind, counted = stated
    if kind not in KINDS:
        raise RefusalError(f"a set counts none of {', '.join(KINDS)}")
    both = numbers(inside, "a set", types), numbers(counted, "a set", types)
    return RowSet(as_bits(both[0]), -1, kind, as_bits(both[1]))


def _node(content: object, types: list[int], places: range) -> BoxNode:
    stated = check_mapping(content, "a node")
    check_keys(stated, "a node", set(), {"prices", "sets", "split"})
    split = None
    if "split" in stated:
        both = listed(stated["split"], "a split")
        if len(both) != 2:
            raise RefusalError("a split does not have two entries")
        (place,) = numbers(both[:1], "a split", places)
        split = place, whole(both[1], "the number of a split", 0)
    what = "multipliers of a node"
    return BoxNode(
        changes(stated.get("prices", []), "prices of a node", types, -ENDLESS, ENDLESS),
        changes(stated.get("sets", []), what, places, -ENDLESS, ENDLESS),
        split,
    )
