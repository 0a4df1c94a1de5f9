"""Floors of columns: what is published of a value at least."""

from fractions import Fraction
from typing import Any

from starmin.verify.checker.problem.decimals import exact
from starmin.verify.checker.reading import listed_in, whole
from starmin.verify.checker.words import Content, InputError, RefusalError, Trees

LEVEL = {"min_level", "fingerprint", "missing"}  # entries of a least level
CAP = {"top", "bottom", "missing"}  # and those that a top and a bottom may have


class Level:
    """A least level of a hierarchy: the node that is published of each value at least.

    That is the node of its path at the level; where it is below another one of these,
    the upper one.
    """

    def __init__(self, stated: Content, paths: list[list[str]], column: set[str]):
        if not {"min_level", "missing"} <= set(stated) <= LEVEL:
            raise RefusalError("a floor has an entry of unknown name")
        level, absent = whole(stated["min_level"], 1), listed_in(stated["missing"])
        root = paths[0][-1]
        known = {path[0] for path in paths}
        self.paths = [*paths, *([text, root] for text in column - known)]
        if not column - known <= set(absent):
            raise RefusalError("a value is in no hierarchy")
        self.nodes: dict[str, str] = {}
        for path in self.paths:
            node = path[min(level, len(path) - 1)]
            if node == root and path[0] in absent and set(path[1:]) == {root}:
                node = path[0]
            self.nodes[path[0]] = node
        nodes = set(self.nodes.values())
        if root in nodes:
            raise RefusalError("a floor is the root of a hierarchy")
        for path in self.paths:
            self.nodes[path[0]] = [node for node in path if node in nodes][-1]

    def text(self, cell: str) -> str:
        """Return what is published of a value at least."""
        return self.nodes[cell]


class Cap:
    """A top and a bottom: numbers from the one on, or up to the other, are alike."""

    def __init__(self, stated: Content, column: set[str]) -> None:
        if not {"missing"} <= set(stated) <= CAP or len(stated) < 2:
            raise RefusalError("a floor has an entry of unknown name")
        self.absent = set(listed_in(stated["missing"]))
        self.top = exact(stated["top"]) if "top" in stated else None
        self.bottom = exact(stated["bottom"]) if "bottom" in stated else None
        if self.top is not None and self.bottom is not None and self.top <= self.bottom:
            raise RefusalError("a top is not above the bottom")
        self.texts = f"{stated.get('top')}+", f"<={stated.get('bottom')}"
        numbers = [self.number(cell) for cell in column - self.absent]
        self.least = min(numbers, default=Fraction(0))
        self.greatest = max(numbers, default=Fraction(0))

    def number(self, cell: str) -> Fraction:
        """Return the number of a cell, which may be a top or a bottom already."""
        if self.top is not None and cell == self.texts[0]:
            return self.top
        if self.bottom is not None and cell == self.texts[1]:
            return self.bottom
        return exact(cell)

    def text(self, cell: str) -> str:
        """Return what is published of a cell at least."""
        if cell in self.absent:
            return cell
        number = self.number(cell)
        if self.top is not None and number >= self.top:
            return self.texts[0]
        if self.bottom is not None and number <= self.bottom:
            return self.texts[1]
        return cell

    def ends(self, cell: str) -> tuple[Fraction, Fraction] | None:
        """Return what a top or a bottom stands for; None for another cell."""
        if self.top is not None and cell == self.texts[0]:
            return max(self.top, self.least), self.greatest
        if self.bottom is not None and cell == self.texts[1]:
            return self.least, min(self.bottom, self.greatest)
        return None


def floor_of(
    column: str, stated: Any, header: list[str], rows: list[list[str]], trees: Trees
) -> Level | Cap:
    """Return the floor of a column, as the certificate states it."""
    if not isinstance(stated, dict) or column not in header:
        raise RefusalError("a floor is none, or of no column")
    texts = {row[header.index(column)] for row in rows}
    if "min_level" not in stated:
        return Cap(stated, texts)
    if not trees.get(column):
        raise InputError("name the hierarchy of each column that has one: COLUMN=FILE")
    return Level(stated, trees[column], texts)
