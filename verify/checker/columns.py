"""Say what values of a column are published as, and what ranges and nodes lose."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from starmin.verify.checker.reading import (
    BeyondError,
    Chain,
    Content,
    InputError,
    RefusalError,
    Trees,
    band,
    entries,
    exact,
    listed_in,
    whole,
)
from starmin.verify.checker.times import Times

# Floors of columns: what is published of a value at least.

UNNAMED = "name the hierarchy of each column that has one: COLUMN=FILE"
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


class Given(NamedTuple):
    """A table, a certificate of it, and the hierarchies of the columns that have one.

    What the certificate names is looked up in the table.
    """

    header: list[str]
    rows: list[list[str]]
    certificate: Content
    trees: Trees

    def floors(self) -> dict[str, Level | Cap]:
        """Return the floors of columns, as the certificate states them."""
        table = {"floors": {}, **entries(self.certificate, "table")}
        stated = entries(table, "floors")
        return {column: self.floor_of(column, one) for column, one in stated.items()}

    def floor_of(self, column: str, stated: Any) -> Level | Cap:
        """Return the floor of a column."""
        if not isinstance(stated, dict) or column not in self.header:
            raise RefusalError("a floor is none, or of no column")
        texts = {row[self.header.index(column)] for row in self.rows}
        if "min_level" not in stated:
            return Cap(stated, texts)
        if not self.trees.get(column):
            raise InputError(UNNAMED)
        return Level(stated, self.trees[column], texts)

    def published(self, floors: dict[str, Level | Cap]) -> list[list[str]]:
        """Return what is published of each row at least."""
        own = [floors.get(column) for column in self.header]
        return [
            [f.text(cell) if f else cell for f, cell in zip(own, row, strict=True)]
            for row in self.rows
        ]

    def expect_columns(self, shown: list[str]) -> None:
        """Refuse columns that the table lacks, or an objective of other ones."""
        if not set(shown) <= set(self.header) or len(set(shown)) < len(shown):
            raise RefusalError("it is for a table with other columns")
        objective, qi = self.certificate["objective"], self.certificate["table"]["qi"]
        if not {*objective["weights"], *objective["keep"]} <= set(qi):
            raise RefusalError(
                "its objective names a column that is no quasi-identifier"
            )

    def expect_size(self) -> None:
        """Refuse a certificate of another number of rows or columns."""
        table = self.certificate["table"]
        size = len(self.rows), len(table["qi"])
        if (whole(table["n"], 0), whole(table["d"], 0)) != size:
            raise RefusalError("it is for a table of another size")


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
        raise BeyondError(
            "its losses are not those of hierarchies by a rule; starmin verify knows "
            "those of ranges, of highest levels, and your own"
        )
    if paths is None:
        raise InputError(UNNAMED)
    paths = paths if floor is None else floor.paths
    above = {path[0]: list(dict.fromkeys(reversed(path))) for path in paths}
    if floor is None:
        for text in texts - set(above):
            above[text] = [paths[0][-1], text]
    leaves = Counter(node for path in above.values() for node in path)
    total, parents = len(above), dict[str, str]()
    edges = [edge for path in above.values() for edge in pairwise(path)]
    two = any(parents.setdefault(node, parent) != parent for parent, node in edges)
    if two or len({path[0] for path in above.values()}) > 1:
        raise InputError("a hierarchy has two roots, or a node below two others")
    if any(leaves[text] > 1 for text in above):
        raise InputError("a value of a hierarchy is a node above others, too")

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


class Numbers:
    """The numbers of the texts of a column, in order (``known``), and their ranges.

    A text may be a range itself (``bands``), or a top or a bottom (``spans``).
    """

    def __init__(self, texts: set[str], scale: Content, cap: Cap | None) -> None:
        self.cap, self.rounded = cap, "step" in scale
        self.of_bands = "band" in scale
        self.bands = {text: (text, text) for text in texts}
        if self.of_bands:
            if cap or {"step", "width"} & set(scale):
                raise RefusalError("ranges as values are not rounded or cut off")
            self.bands = {text: band(text, scale["band"]) for text in texts}
        self.times: Times | None = None
        self.step: Any = scale.get("step")  # a period, where there are times
        if "time" in scale:
            if cap:
                raise RefusalError("a top or a bottom is for numbers, not for times")
            both = {end for ends in self.bands.values() for end in ends}
            self.times = Times(scale["time"], both)
        elif self.rounded:
            self.step = exact(self.step)
        self.spans = {text: cap.ends(text) if cap else None for text in texts}
        self.known = sorted((self.value(text), text) for text in texts)

    def number(self, text: str) -> Fraction:
        """Return the number that a text writes."""
        return self.times.number(text) if self.times else exact(text)

    def value(self, text: str) -> Fraction:
        """Return the number by which a text is ordered."""
        span = self.spans[text]
        if span is None or self.cap is None:
            return self.number(self.bands[text][0])
        return span[text == self.cap.texts[1]]

    def down(self, value: Fraction) -> Fraction:
        """Return where the rounded range of a number begins."""
        if self.times and self.rounded:
            return self.times.begin(value, self.step)
        return Fraction(value // self.step * self.step) if self.rounded else value

    def up(self, value: Fraction) -> Fraction:
        """Return where the rounded range of a number ends."""
        if self.times and self.rounded:
            return self.times.end(value, self.step)
        return -self.down(-value)

    def ends(self) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
        """Return where each begins and ends, and how long it is if published alone."""
        begins = [self.down(value) for value, _ in self.known]
        ends = [
            self.number(self.bands[text][1]) if self.of_bands else self.up(value)
            for value, text in self.known
        ]
        if self.of_bands and any(a >= b for a, b in pairwise(ends)):
            raise RefusalError("of ranges as values one is within another one")
        alone = [Fraction(0)] * len(self.known)
        for place, (_, text) in enumerate(self.known):
            if self.cap is None or (span := self.spans[text]) is None:
                continue
            if text == self.cap.texts[0]:
                ends[place] = self.up(self.cap.greatest)
                alone[place] = ends[place] - span[0]
            else:
                begins[place] = self.down(self.cap.least)
                alone[place] = span[1] - begins[place]
        return begins, ends, alone

    def unit(
        self, ends: list[Fraction], lengths: list[Fraction]
    ) -> tuple[Fraction, Fraction]:
        """Return where the column begins, and the unit in which lengths are whole."""
        values = [value for value, _ in self.known]
        if self.cap is not None:
            values += [self.cap.least, self.cap.greatest]
        edges = [*ends, *map(self.down, values), *map(self.up, values)]
        first, last = min(edges, default=Fraction(0)), max(edges, default=Fraction(0))
        from_first = [x - first for x in values]
        lengths = [*(x - first for x in edges), *lengths]
        parts = math.lcm(*(length.denominator for length in (*from_first, *lengths)))

        def common(some: list[Fraction]) -> int:
            return math.gcd(*(int(x * parts) for x in some))

        unit = Fraction(common([*from_first, *lengths]) or 1, parts)
        if (total := last - first) / unit > MOST_EXACT:
            # Too fine for 64 bits: by the ends alone, or rounded down as the search.
            unit = Fraction(common(lengths), parts)
            if total / unit > MOST_EXACT:
                unit = total / PARTS
        return first, unit


def reached(
    begins: list[Fraction], ends: list[Fraction], longest: str, missing: int
) -> list[int]:
    """Return the last place of a range from each place on; first are missing values."""
    reach, at = list(range(missing)), missing - 1
    most = exact(longest) if longest and begins else Fraction(0)
    for place, begin in enumerate(begins, start=missing):
        while at + 1 < missing + len(ends) and (
            not longest or ends[at + 1 - missing] <= begin + most
        ):
            at += 1
        reach.append(max(place, at))
    return reach


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
        if cap is not None and (cap.absent ^ absent) & texts:
            raise RefusalError("a floor and its scale name other missing values")
        missing = sorted(text for text in texts if text in absent)
        low, _, high = scale.get("width", "..").partition("..")
        low, high = (
            end.removesuffix("second").removesuffix("month") for end in (low, high)
        )
        numbers = Numbers(texts - absent, scale, cap)
        shortest = exact(low) if low else Fraction(0)
        if numbers.rounded and not numbers.times:
            shortest = Fraction(math.ceil(shortest / numbers.step) * numbers.step)
        begins, ends, alone = numbers.ends()
        first, unit = numbers.unit([*begins, *ends], [shortest, *alone])
        self.reach = reached(begins, ends, high, len(missing))
        if cap is not None and set(cap.texts) <= set(texts):
            # From the bottom to the top is all of the column.
            self.reach[len(missing)] = min(
                self.reach[len(missing)], len(self.reach) - 2
            )
        apart = [0] * len(missing)
        self.free = "loss" in scale  # of stars alone ranges lose nothing

        def units(length: Fraction) -> int:
            return 0 if self.free else int(length / unit)

        self.begins = apart + [units(x - first) for x in begins]
        self.ends = apart + [units(x - first) for x in ends]
        self.single = apart + [units(x) for x in alone]
        self.shortest = units(shortest)
        self.whole = max(1, *self.ends, 0)
        ordered = [*missing, *(text for _, text in numbers.known)]
        self.places = {text: place for place, text in enumerate(ordered)}

    def round_down(self, unit: int) -> None:
        """Count lengths in whole parts of the length of all, each end rounded down."""
        most, rounded = self.whole, (self.begins, self.ends, self.single)
        self.begins, self.ends, self.single = (
            [length * unit // most for length in lengths] for lengths in rounded
        )
        self.shortest = self.shortest * unit // most
        self.whole = max(1, *self.ends, 0)

    def loss(self, low: int, high: int) -> int:
        """Return what a row pays for the range between two places."""
        if low == high:
            return self.single[low]
        if high > self.reach[low]:
            return self.whole
        return max(self.ends[high] - self.begins[low], self.shortest)
