"""Say what values of a column are published as, and what ranges and nodes lose."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

from starmin.verify.checker.reading import (
    BeyondError,
    Chain,
    Content,
    InputError,
    RefusalError,
    Trees,
    band,
    exact,
    listed_in,
    whole,
)
from starmin.verify.checker.times import Times

# Floors of columns: what is published of a value at least.

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


# The nodes above each value of a hierarchy, and what they lose.

LOSSES = ("ncp", "granularity", "stars")  # rules for nodes of hierarchies


def chains(
    texts: set[str],
    scale: Content,
    paths: list[list[str]] | None,
    floor: Level | None = None,
) -> dict[str, Chain]:
    """Return the nodes above each text in a hierarchy, and what they lose.

    A text that the hierarchy does not have is a missing value: below the root. With a
    floor texts are nodes, which lose something by themselves.
    """
    rule = scale.get("loss")
    if set(scale) != {"scale", "fingerprint", "loss"} or rule not in LOSSES:
        raise BeyondError("its losses are not those of hierarchies by a rule")
    if paths is None:
        raise InputError("name the hierarchy of each column that has one: COLUMN=FILE")
    paths = paths if floor is None else floor.paths
    above = {path[0]: list(dict.fromkeys(reversed(path))) for path in paths}
    if floor is None:
        for text in texts - set(above):
            above[text] = [paths[0][-1], text]
    leaves = Counter(node for path in above.values() for node in path)
    total = len(above)

    def loss(node: str) -> int:
        if leaves[node] == 1:
            return 0
        if rule == "stars":
            return int(leaves[node] == total)
        return leaves[node] - int(rule == "granularity")

    if floor is not None:
        for leaf, node in floor.nodes.items():
            above[node] = above[leaf][: above[leaf].index(node) + 1]
    return {text: [(node, loss(node)) for node in above[text]] for text in texts}


# The numbers of a column in their order, and what their ranges lose.

MOST_EXACT = 2**53  # lengths up to it are counted as they are
PARTS = 2**32  # that longer ones are counted in
LINE = {"step", "width", "loss", "time", "band"}  # of scales that may be there


class Line:
    """The numbers of a column in their order, and what their ranges lose.

    ``places`` has the place of each text; missing values have the first ones. A range
    from one place to another loses ``ends[high] - begins[low]``, ``shortest`` at least;
    beyond ``reach[low]`` it is hidden, which loses ``whole``. A single place loses what
    ``single`` has of it: nothing, unless it is a top or a bottom.
    """

    def __init__(self, texts: set[str], scale: Content, cap: Cap | None = None) -> None:
        if not {"scale", "missing"} <= set(scale) <= {*LINE, "scale", "missing"}:
            raise RefusalError("a scale of numbers has an entry of unknown name")
        if scale.get("loss", "stars") != "stars":
            raise RefusalError("losses of numbers are by length, or of stars alone")
        absent = {text or "" for text in listed_in(scale["missing"])}
        missing = sorted(text for text in texts if text in absent)
        low, _, high = scale.get("width", "..").partition("..")
        low, high = (
            end.removesuffix("second").removesuffix("month") for end in (low, high)
        )
        shortest = exact(low) if low else Fraction(0)
        step, times = Fraction(0), None
        bands = {text: (text, text) for text in texts - absent}
        if "band" in scale:
            if cap or {"step", "width"} & set(scale):
                raise RefusalError("ranges as values are not rounded or cut off")
            bands = {text: band(text, scale["band"]) for text in bands}
        if "time" in scale:
            if cap:
                raise RefusalError("a top or a bottom is for numbers, not for times")
            times = Times(
                scale["time"], {end for both in bands.values() for end in both}
            )
        elif "step" in scale:
            step = exact(scale["step"])
            shortest = math.ceil(shortest / step) * step
        spans = {text: cap.ends(text) if cap else None for text in texts - absent}

        def number(text: str) -> Fraction:
            return times.number(text) if times else exact(text)

        def value_of(text: str) -> Fraction:
            span = spans[text]
            if span is None or cap is None:
                return number(bands[text][0])
            return span[text == cap.texts[1]]

        def down(value: Fraction) -> Fraction:
            if times and "step" in scale:
                return times.begin(value, scale["step"])
            return value // step * step if step else value

        def up(value: Fraction) -> Fraction:
            if times and "step" in scale:
                return times.end(value, scale["step"])
            return -down(-value)

        known = sorted((value_of(text), text) for text in texts - absent)
        values = [value for value, _ in known]
        begins = [down(value) for value in values]
        ends = [
            number(bands[text][1]) if "band" in scale else up(value)
            for value, text in known
        ]
        if "band" in scale and any(a >= b for a, b in pairwise(ends)):
            raise RefusalError("of ranges as values one is within another one")
        alone = [Fraction(0)] * len(known)
        for place, (_, text) in enumerate(known):
            if cap is None or (span := spans[text]) is None:
                continue
            if text == cap.texts[0]:
                ends[place] = up(cap.greatest)
                alone[place] = ends[place] - span[0]
            else:
                begins[place] = down(cap.least)
                alone[place] = span[1] - begins[place]
        all_of = values if cap is None else [*values, cap.least, cap.greatest]
        edges = [*begins, *ends, *map(down, all_of), *map(up, all_of)]
        first, last = min(edges, default=Fraction(0)), max(edges, default=Fraction(0))
        lengths = [x - first for x in (*all_of, *edges)] + [shortest, *alone]
        parts = math.lcm(*(length.denominator for length in lengths))
        unit = Fraction(math.gcd(*(int(x * parts) for x in lengths)) or 1, parts)
        if (total := last - first) / unit > MOST_EXACT:
            # Too fine for 64 bits: by the ends alone, or rounded down as the search.
            unit = Fraction(
                math.gcd(*(int(x * parts) for x in lengths[len(all_of) :])), parts
            )
            if total / unit > MOST_EXACT:
                unit = total / PARTS
        self.reach, at = list(range(len(missing))), len(missing) - 1
        for place, begin in enumerate(begins, start=len(missing)):
            while at + 1 < len(missing) + len(ends) and (
                not high or ends[at + 1 - len(missing)] <= begin + exact(high)
            ):
                at += 1
            self.reach.append(max(place, at))
        if cap is not None and set(cap.texts) <= set(texts):
            # From the bottom to the top is all of the column.
            self.reach[len(missing)] = min(
                self.reach[len(missing)], len(self.reach) - 2
            )
        self.apart, apart = len(missing), [0] * len(missing)
        free = "loss" in scale
        self.begins = apart + [0 if free else int((x - first) / unit) for x in begins]
        self.ends = apart + [0 if free else int((x - first) / unit) for x in ends]
        self.single = apart + [0 if free else int(x / unit) for x in alone]
        self.shortest = 0 if free else int(shortest / unit)
        self.whole = max(1, *self.ends, 0)
        ordered = [*missing, *(text for _, text in known)]
        self.places = {text: place for place, text in enumerate(ordered)}

    def loss(self, low: int, high: int) -> int:
        """Return what a row pays for the range between two places."""
        if low == high:
            return self.single[low]
        if high > self.reach[low]:
            return self.whole
        return max(self.ends[high] - self.begins[low], self.shortest)
