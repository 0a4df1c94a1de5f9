"""What prices and sets prove of all boxes, at the root or by a tree."""

from typing import Any

from starmin.verify.checker.boxes.box_list import below
from starmin.verify.checker.boxes.pieces import Pieces, places
from starmin.verify.checker.reading import changes, numbers, pair, whole
from starmin.verify.checker.words import RefusalError


def box_bound(pieces: Pieces, claim: int, nodes: list[Any]) -> int:
    """Return what is proven, at most the claim, in units of the objective."""
    goal = (claim - 1) * pieces.unit + 1
    sides = [(m, 0, b) for m, b in zip(pieces.multipliers, pieces.most, strict=True)]
    at_root = least_of_all(pieces, pieces.prices, sides)
    boxes = below(pieces, max(0, goal - at_root))
    least = min((worth for *_, worth in boxes), default=0)
    total = at_root + pieces.most_groups * min(0, least)
    if nodes:
        if least < 0:
            raise RefusalError("a box is worth less than 0 at the root of its tree")
        total = max(total, least_box_leaf(pieces, boxes, goal, nodes))
    return min(claim, max(0, -(-total // pieces.unit)))


def least_box_leaf(
    pieces: Pieces, boxes: list[tuple[int, int, int, int]], goal: int, nodes: list[Any]
) -> int:
    """Return the least that is proven at a leaf, at most the goal."""
    listed = [
        (
            *(cost, places(members), places(must)),
            [pieces.coefficient(members, must, *stated) for stated in pieces.sets],
        )
        for cost, members, must, _ in boxes
    ]
    sides = [(m, 0, b) for m, b in zip(pieces.multipliers, pieces.most, strict=True)]
    waiting, lowest = [(pieces.prices, sides)], goal
    for node in nodes:
        if not waiting:
            raise RefusalError("there are nodes beyond its tree")
        prices, sides = waiting.pop()
        if not isinstance(node, dict) or not set(node) <= {
            "prices",
            "sets",
            "split",
        }:
            raise RefusalError("a node has an entry of unknown name")
        new = changes(node.get("prices", []), pieces.bit, None)
        prices = [new.get(t, price) for t, price in enumerate(prices)]
        new = changes(node.get("sets", []), range(len(sides)), None)
        sides = [(new.get(s, m), low, high) for s, (m, low, high) in enumerate(sides)]
        # Of what is said of values there is no lower bound.
        bounded = [s for s, (kind, *_) in pieces.tallies.items() if kind != "rows"]
        if any(sides[s][0] > 0 for s in bounded):
            raise RefusalError("a node has values of a box on their lower side")
        if "split" in node:
            place, number = pair(node["split"])
            (s,) = numbers([place], range(len(sides)))
            if s in bounded:
                raise RefusalError("a node splits values of a box")
            m, low, high = sides[s]
            number = whole(number, 0)
            lower, upper = (low, min(high, number)), (max(low, number + 1), high)
            waiting += [
                (prices, [*sides[:s], (m, *side), *sides[s + 1 :]])
                for side in (upper, lower)
            ]
            continue
        lowest = min(lowest, box_leaf(pieces, listed, prices, sides))
    if waiting:
        raise RefusalError("a node of its tree is missing")
    return lowest


def box_leaf(
    pieces: Pieces,
    listed: list[tuple[int, list[int], list[int], list[int]]],
    prices: list[int],
    sides: list[tuple[int, int, int]],
) -> int:
    """Return what is proven of the releases that agree with a path."""
    used = [(s, m) for s, (m, _, _) in enumerate(sides) if m]
    least = 0
    for cost, members, must, coefficients in listed:
        gains = [(m * coefficients[s], pieces.sets[s][1]) for s, m in used]
        of_piles = sum(gain for gain, share in gains if share == 0)
        others = sum(gain for gain, share in gains if share > 0)
        paid = prices
        for s, m in used:
            if pieces.sets[s][1] < 0 and coefficients[s]:
                _, counted, (one, other, group) = pieces.tallies[s]
                others += m * group
                paid = [
                    price + m * (one if counted >> t & 1 else other)
                    for t, price in enumerate(paid)
                ]
        dearest = sorted(members, key=lambda t: -paid[t])
        worth = pieces.worth(cost, dearest, must, paid, of_piles)
        if worth is not None:
            least = min(least, worth - others)
    return least_of_all(pieces, prices, sides) + pieces.most_groups * least


def least_of_all(
    pieces: Pieces, prices: list[int], sides: list[tuple[int, int, int]]
) -> int:
    """Return what is proven where no box is worth less than 0.

    ``sides`` are the multiplier of each set, and what it has at least and at most.
    """
    total = sum(p * s for p, s in zip(prices, pieces.copies, strict=True))
    return total + sum(
        multiplier * (low if multiplier > 0 else high)
        for multiplier, low, high in sides
    )
