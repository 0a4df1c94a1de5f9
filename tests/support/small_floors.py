"""Small random problems with floors, and their optimum from the original cells.

The oracle knows nothing of scales: it charges each set of original rows by what the
words of ``docs/how_to/floors.md`` say, and tries every partition.
"""

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import NamedTuple

from starmin.instances import Objective, Scales, Table, TableError, Taxonomy
from starmin.instances.scales.floors import Floors
from starmin.instances.scales.numbers import Width
from tests.support.small_problems import UNKNOWN, VALUES, random_tree

BOUNDS = (2, 1), (2, 1), (3, 1), (1, 2), (2, 2)
ZERO, ONE = Fraction(0), Fraction(1)


class Told(NamedTuple):
    """What a column is told of."""

    tree: Taxonomy | None = None
    numeric: bool = False
    min_level: int = 0
    max_level: int | None = None
    top: str | None = None
    bottom: str | None = None
    step: str | None = None
    width: Width = Width()


class Floored(NamedTuple):
    """A problem: the original, the table with floors, and what was told."""

    original: Table
    table: Table
    told: dict[str, Told]
    rule: str
    objective: Objective
    k: int
    l: int


def random_floored(seed: int, kind: str = "gcp") -> Floored:
    """Three to six rows and one to three columns, most of them with a floor."""
    rng = random.Random(seed)
    n, d = rng.randint(3, 6), rng.randint(1, 3)
    qi = list("abc"[:d])
    known = {c: VALUES + "??-"[: rng.choice([0, 0, 2, 3])] for c in qi}
    rows = [[*(rng.choice(known[c]) for c in qi), "xyz"[i % 3]] for i in range(n)]
    original = Table.from_rows([*qi, "s"], rows, qi, ["s"])
    while True:
        told = {column: _told(rng, original.cells(column)) for column in qi}
        try:
            table = floors_of(told).on(original, trees_of(told), UNKNOWN)
            break
        except TableError:
            continue  # a level that is the root's for some value
    rule = rng.choice(["ncp", "granularity", "stars"])
    weights = {c: rng.randint(0, 3) for c in rng.sample(qi, rng.choice([0, 0, 1]))}
    keep = tuple(rng.sample(qi, rng.choice([0, 0, 0, 1])))
    scales = scales_of(table, told, rule) if kind == "gcp" else None
    objective = Objective(kind, weights if kind != "tuples" else {}, keep, scales)
    return Floored(original, table, told, rule, objective, *rng.choice(BOUNDS))


def _told(rng: random.Random, cells: Sequence[str | None]) -> Told:
    kind = rng.choice(["flat", "tree", "tree", "numeric", "numeric", "numeric"])
    if kind == "tree":
        tree = random_tree(rng)
        levels = rng.choice([0, 1, 1, 2, 3]), rng.choice([None, None, 3])
        return Told(tree, False, *levels)
    if kind == "flat" and rng.random() < 0.5:
        return Told()
    top = rng.choice([None, "5", "7", "9", "6", "8.5", "12", "0"])
    bottom = rng.choice([None, None, "1", "2", "3.5", "-3"])
    if top and bottom and float(top) <= float(bottom):
        bottom = None
    step = rng.choice([None, None, "2", "3", "0.5"])
    width = Width()
    if {"1", "9"} <= {*cells} and rng.random() < 0.4:
        width = Width.parse(rng.choice(["2.5..", "6..", "..1", "..3", "..7", "3..7.5"]))
    numeric = kind == "numeric"
    more = (step, width) if numeric else (None, Width())
    return Told(None, numeric, 0, None, top, bottom, *more)


def floors_of(told: dict[str, Told]) -> Floors:
    """The floors that were told."""
    return Floors(
        {c: t.min_level for c, t in told.items() if t.min_level},
        {c: t.top for c, t in told.items() if t.top is not None},
        {c: t.bottom for c, t in told.items() if t.bottom is not None},
    )


def trees_of(told: dict[str, Told]) -> dict[str, Taxonomy]:
    """The whole trees, by column."""
    return {c: t.tree for c, t in told.items() if t.tree is not None}


def limits_of(told: dict[str, Told]) -> tuple[dict, dict, dict]:
    """Steps, highest levels and widths."""
    return (
        {c: t.step for c, t in told.items() if t.step is not None},
        {c: t.max_level for c, t in told.items() if t.max_level is not None},
        {c: t.width for c, t in told.items() if t.width != Width()},
    )


def scales_of(table: Table, told: dict[str, Told], rule: str = "ncp") -> Scales:
    """The scales of the table with floors."""
    numeric = [column for column, each in told.items() if each.numeric]
    return Scales.of(table, numeric, trees_of(told), UNKNOWN, rule, *limits_of(told))


class Oracle:
    """The optimum by trying every partition of the original rows."""

    def __init__(self, problem: Floored) -> None:
        self.p = problem
        self.columns = {c: problem.original.cells(c) for c in problem.original.qi}
        self.values = problem.original.cells("s")
        objective = problem.objective
        self.weights = {c: objective.weights.get(c, 1) for c in self.columns}
        self.best = cache(self._best)

    def optimum(self) -> int | None:
        """The least cost in units of the objective; None: there is no release."""
        found = self.best(frozenset(range(self.p.original.n)))
        if found is None or self.p.objective.kind != "gcp":
            return None if found is None else int(found)
        whole = self.p.objective.whole(self.p.table)
        value = found * whole / (self.p.table.n * (sum(self.weights.values()) or 1))
        assert value.denominator == 1
        return int(value)

    def _best(self, rows: frozenset[int]) -> Fraction | None:
        if not rows:
            return ZERO
        first, *others = sorted(rows)
        least = None
        for mask in range(1 << len(others)):
            group = [first, *(r for i, r in enumerate(others) if mask >> i & 1)]
            cost = self._cost(group)
            rest = None if cost is None else self.best(rows - frozenset(group))
            if rest is not None and (least is None or cost + rest < least):
                least = cost + rest
        return least

    def _cost(self, group: list[int]) -> Fraction | None:
        p = self.p
        many = [[self.values[r] for r in group].count(v) for v in "xyz"]
        if len(group) < p.k or p.l * max(many) > len(group):
            return None
        lost = {
            c: self.lost(c, [cells[r] for r in group])
            for c, cells in self.columns.items()
        }
        for column in p.objective.keep:
            if len({seen(p.told[column], self.columns[column][r]) for r in group}) > 1:
                return None
        if None in lost.values():
            return None
        if p.objective.kind == "tuples":
            return Fraction(len(group) * any(lost.values()))
        return len(group) * sum((self.weights[c] * x for c, x in lost.items()), ZERO)

    def lost(self, column: str, values: list[str]) -> Fraction | None:
        """What a row loses by being published with these; None: it may not be."""
        told, kind = self.p.told[column], self.p.objective.kind
        alike = len({seen(told, value) for value in values}) == 1
        if kind != "gcp" or not (told.numeric or told.tree):
            return ZERO if alike else ONE
        if told.tree is not None:
            return self._by_tree(column, told, values)
        if set(values) & set(UNKNOWN):
            return ZERO if alike else ONE
        return self._by_length(column, told, values, alike)

    def _by_tree(self, column: str, told: Told, values: list[str]) -> Fraction | None:
        tree = told.tree
        absent = sorted({v for v in self.columns[column] if v in UNKNOWN})
        paths = {path[0]: path for path in tree.with_leaves(absent).paths}
        published = [seen(told, value) for value in values]
        above = [
            paths[v][paths[v].index(node) :]
            for v, node in zip(values, published, strict=True)
        ]
        node = next(node for node in above[0] if all(node in path for path in above))
        beneath = [path for path in paths.values() if node in path]
        level = max(path.index(node) for path in beneath)
        parts = {seen(told, path[0]) for path in beneath}
        low = told.max_level is None or level <= told.max_level
        if not low and len(set(published)) > 1 and len(parts) > 1:
            return None
        if self.p.rule == "stars":
            return Fraction(len(beneath) == len(paths) and len(paths) > 1)
        one = self.p.rule == "granularity"
        if len(beneath) == 1:
            return ZERO
        return Fraction(len(beneath) - one, len(paths) - one)

    def _by_length(
        self, column: str, told: Told, values: list[str], alike: bool
    ) -> Fraction:
        known = [Fraction(v) for v in self.columns[column] if v not in UNKNOWN]
        unit = Fraction(told.step) if told.step else None

        def down(x: Fraction) -> Fraction:
            return unit * floor(x / unit) if unit else x

        def up(x: Fraction) -> Fraction:
            return unit * ceil(x / unit) if unit else x

        first, last = down(min(known)), up(max(known))
        lows, highs = [], []
        for value in map(Fraction, values):
            low, high = (value, value) if alike else (down(value), up(value))
            if told.top is not None and value >= Fraction(told.top):
                low, high = max(Fraction(told.top), min(known)), last
                low = low if alike else down(low)
            elif told.bottom is not None and value <= Fraction(told.bottom):
                low, high = first, min(Fraction(told.bottom), max(known))
                high = high if alike else up(high)
            lows.append(low)
            highs.append(high)
        low, high = min(lows), max(highs)
        ends = {seen(told, value) for value in values}
        if not alike and {f"{told.top}+", f"<={told.bottom}"} <= ends:
            return ONE
        most = told.width.most
        if not alike and most is not None and high - low > Fraction(most):
            return ONE
        if self.p.rule == "stars" or first == last:
            return ZERO
        least = ZERO if alike else Fraction(told.width.least or 0)
        return max(high - low, least) / (last - first)


def seen(told: Told, value: str) -> str:
    """What a value is published as by itself."""
    if told.tree is not None:
        paths = {path[0]: path for path in told.tree.paths}
        if value not in paths:
            return value
        nodes = {p[min(told.min_level, len(p) - 1)] for p in paths.values()}
        return [node for node in paths[value] if node in nodes][-1]
    if value in UNKNOWN:
        return value
    if told.top is not None and Fraction(value) >= Fraction(told.top):
        return f"{told.top}+"
    if told.bottom is not None and Fraction(value) <= Fraction(told.bottom):
        return f"<={told.bottom}"
    return value
