"""Draws a hierarchy and a cut through it: the nodes that stand for the values below.

    python docs/site/pictures/hierarchy_cut.py

takes what each node loses from the leaves below it.
"""

from fractions import Fraction
from typing import Any

from canvas import LINE, SMALLEST, WIDTH, Canvas
from keeping import read_json, remake

NAME = "hierarchy_cut"
LEVEL, TALL = 74, 28
LETTER = 7.6  # units, about


def kept() -> dict[str, Any]:
    """Nodes by name: their children, if any; and those of the cut."""
    found: dict[str, Any] = read_json(NAME)
    return found


def leaves(tree: dict[str, Any], node: str) -> list[str]:
    """The values below a node, from left to right."""
    children = tree["children"].get(node, [])
    return [leaf for child in children for leaf in leaves(tree, child)] or [node]


def loss(tree: dict[str, Any], node: str) -> Fraction:
    """The leaves below a node as a share of all; nothing for a leaf."""
    below = len(leaves(tree, node))
    return Fraction(below if below > 1 else 0, len(leaves(tree, tree["root"])))


def caption(tree: dict[str, Any]) -> str:
    """Name the nodes of the cut, each with what it stands for and loses."""
    covered = [leaf for node in tree["cut"] for leaf in leaves(tree, node)]
    if covered != leaves(tree, tree["root"]):
        raise ValueError("A cut has each leaf below exactly one of its nodes.")
    coarse = [node for node in tree["cut"] if node in tree["children"]]
    (node,) = coarse
    below = leaves(tree, node)
    others = [each for each in tree["cut"] if each != node]
    return (
        f"A hierarchy of {len(covered)} jobs and a cut: {' and '.join(others)} are "
        f"published as they are, {', '.join(below[:-1])} and {below[-1]} as {node}, "
        f"which loses {loss(tree, node)}."
    )


def drawn(tree: dict[str, Any]) -> str:
    """The root on top, leaves at the bottom, nodes of the cut filled."""
    every = leaves(tree, tree["root"])
    slot = WIDTH / len(every)
    deepest = depth_of(tree, tree["root"])
    canvas = Canvas(LEVEL * deepest + TALL + 2 * LINE + 14, caption(tree))
    places: dict[str, tuple[float, float]] = {}

    def place(node: str, depth: int) -> None:
        below = leaves(tree, node)
        x = slot * (every.index(below[0]) + len(below) / 2)
        places[node] = x, 2 + LEVEL * (depth if len(below) > 1 else deepest)
        for child in tree["children"].get(node, []):
            place(child, depth + 1)

    place(tree["root"], 0)
    for node, children in tree["children"].items():
        x, y = places[node]
        for child in children:
            to, down = places[child]
            bend = down - (LEVEL - TALL) / 2
            canvas.path(
                [(x, y + TALL), (x, bend), (to, bend), (to, down)], "line", width=1.5
            )
    for node, (x, y) in places.items():
        wide, chosen = LETTER * len(node) + 18, node in tree["cut"]
        at = (x - wide / 2, y)
        if chosen:
            canvas.box(at, (wide, TALL), "bound", round_by=6)
        else:
            canvas.box(at, (wide, TALL), "paper", edge="line", round_by=6)
        ink = "on_hidden" if chosen else "ink"
        canvas.text((x, y + 19), node, ink, anchor="middle", bold=chosen)
        if chosen or node == tree["root"]:
            told = f"loses {loss(tree, node)}"
            side = x + wide / 2 + 6, y + 19
            if len(leaves(tree, node)) == 1:
                side = x - SMALLEST * 1.7, y + TALL + LINE
            canvas.text(side, told, "faint")
    bottom = LEVEL * deepest + TALL + 2 * LINE + 8
    canvas.box((0, bottom - 13), (26, 15), "bound", round_by=4)
    canvas.text((34, bottom), "published: one such node for each value")
    return canvas.svg()


def depth_of(tree: dict[str, Any], node: str) -> int:
    """The steps from a node down to its deepest leaf."""
    children = tree["children"].get(node, [])
    return 1 + max(depth_of(tree, child) for child in children) if children else 0


if __name__ == "__main__":
    remake(NAME, kept, drawn, caption)
