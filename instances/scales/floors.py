"""Floors of law: least levels of hierarchies, and numbers beyond which none is told."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from starmin.instances.arguments import expect_whole, nearest, told_alike
from starmin.instances.errors import TableError
from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import (
    DECIMAL,
    FLOAT,
    MOST_LENGTH,
    ambiguity,
    short_text,
)
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.dictionaries import coded
from starmin.instances.tables.table import Floor, Table, expect_qi

Trees = Mapping[str, Taxonomy]  # by column
Texts = Collection[str | None]


@dataclass(frozen=True)
class LeastLevel(Floor):
    """No node below a level of a hierarchy is published.

    >>> tree = Taxonomy([("a1", "a", "*"), ("a2", "a", "*"), ("?", "*")])
    >>> floor = LeastLevel(tree, 1)
    >>> floor.nodes, floor.cut.leaves
    ({'a1': 'a', 'a2': 'a', '?': '?'}, ('a', '?'))
    """

    taxonomy: Taxonomy  # the whole tree
    level: int  # the least level, above that of the values
    # values directly below the root that stay as they are: they tell of nobody
    missing: tuple[str | None, ...] = MISSING

    @property
    def nodes(self) -> dict[str, str]:
        """For each value the node that is published of it at least.

        That is the node of its path at the level. Where it is below another one of
        these, as trees of uneven depth have it, it is the upper one. Raises TableError
        where the level is that of the root, for all values or for one of them.
        """
        tree, level = self.taxonomy, self.level
        root, height = tree.paths[0][-1], len(tree.levels[0]) - 1
        if level >= height:
            raise TableError(
                f"{tree.name}: expected a least level below {height}, that of the "
                f"root {root!r}, which hides all of a column; got {level}"
            )
        unknown = {text or "" for text in self.missing}
        found: dict[str, str] = {}
        for path in tree.paths:
            node = path[min(level, len(path) - 1)]
            if node == root and path[0] in unknown and set(path[1:]) == {root}:
                node = path[0]
            if node == root:
                raise TableError(
                    f"{tree.name}: {path[0]!r} has no node at level {level} but the "
                    f"root; put one between them, as {path[0]};{path[0]};{root}"
                )
            found[path[0]] = node
        nodes = set(found.values())
        for path in tree.paths:
            found[path[0]] = [node for node in path if node in nodes][-1]
        return found

    @property
    def cut(self) -> Taxonomy:
        """The tree without what is below these nodes, which are its leaves."""
        nodes, paths = self.nodes, dict[str, tuple[str, ...]]()
        for path in self.taxonomy.paths:
            node = nodes[path[0]]
            last = len(path) - 1 - path[::-1].index(node)
            paths.setdefault(node, tuple(path[last:]))
        return Taxonomy(list(paths.values()), self.taxonomy.name)

    def as_json(self) -> dict[str, Any]:
        unknown = {text or "" for text in self.missing}
        apart = [p[0] for p in self.taxonomy.paths if len({*p[1:]}) == 1]
        return {
            "min_level": self.level,
            "fingerprint": self.taxonomy.fingerprint,
            "missing": sorted(unknown.intersection(apart)),
        }


@dataclass(frozen=True)
class Cap(Floor):
    """Numbers from one on, or up to one, are published alike: ``90+`` or ``<=18``.

    >>> Cap("90", "18", "3", "97").texts
    ('90+', '<=18')
    """

    top: str | None  # top, bottom: these numbers as text; None: there is none
    bottom: str | None
    # least, greatest: the ends of all numbers of the column, as they are written there
    least: str
    greatest: str
    missing: tuple[str | None, ...] = ()  # the missing values of the column, which stay

    @property
    def texts(self) -> tuple[str | None, str | None]:
        """What is published from the top on, and up to the bottom."""
        top = None if self.top is None else f"{self.top}+"
        return top, None if self.bottom is None else f"<={self.bottom}"

    def as_json(self) -> dict[str, Any]:
        ends = {"top": self.top, "bottom": self.bottom}
        known = {name: end for name, end in ends.items() if end is not None}
        return {**known, "missing": sorted(text or "" for text in self.missing)}


@dataclass(frozen=True)
class Floors:
    """Which floors columns have, by name.

    >>> table = Table.from_rows(["age"], [["17"], ["93"], ["90"]], qi=["age"])
    >>> Floors(top={"age": "90"}).on(table).rows()
    [('17',), ('90+',), ('90+',)]
    """

    # by column with a hierarchy: no node below this level is published
    min_levels: Mapping[str, int] = field(default_factory=dict)
    # top, bottom: by column of numbers: numbers from the one on, and up to the other,
    # are published alike
    top: Mapping[str, str] = field(default_factory=dict)
    bottom: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def stated(cls, floors: object) -> "Floors":
        """Return the floors that a certificate states of its table.

        Raises TableError where they are none.

        >>> Floors.stated({"age": {"top": "90", "missing": []}}).top
        {'age': '90'}
        """
        kinds: dict[str, dict[str, Any]] = {"min_level": {}, "top": {}, "bottom": {}}
        each = floors.items() if isinstance(floors, Mapping) else [("", None)]
        for column, told in each:
            if not isinstance(told, Mapping) or not isinstance(column, str):
                raise TableError("the floors of the certificate are none")
            for kind, found in kinds.items():
                if kind in told:
                    found[column] = told[kind]
        return cls(kinds["min_level"], kinds["top"], kinds["bottom"])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that have one."""
        return tuple(dict.fromkeys([*self.min_levels, *self.top, *self.bottom]))

    def on(
        self, table: Table, taxonomies: Trees | None = None, missing: Texts = MISSING
    ) -> Table:
        """Return the table with the coarse cells in place of its own.

        ``table`` is without floors in these columns; ``taxonomies`` has by column the
        hierarchies that levels are of, and what is ``missing`` is left as it is. Raises
        TableError for a floor of a column that is no QI column, or that has none such;
        a level that is none; a top that is not above the bottom.
        """
        trees = taxonomies or {}
        expect_qi(table, self.columns, "has a floor")
        for column in self.columns:
            if column in self.min_levels:
                table = self._level(table, column, trees, missing)
            if column in self.top or column in self.bottom:
                table = self._cap(table, column, trees, missing)
        return table

    def _level(self, table: Table, column: str, trees: Trees, missing: Texts) -> Table:
        level = self.min_levels[column]
        if column not in trees:
            raise TableError(
                f"column {column!r} has a least level but has no hierarchy"
                f"{nearest(column, trees)}"
            )
        expect_whole(f"the least level of {column}", level, 0)
        if level == 0:
            return table
        tree = trees[column].with_leaves(absent(table, column, missing))
        floor = LeastLevel(tree, level, tuple(missing))
        nodes, known = floor.nodes, set(tree.leaves)
        for text in table.text_counts(column):
            if (text or "") not in known:
                raise no_leaf(table, column, text, tree)
        return _recoded(table, column, floor, nodes)

    def _cap(self, table: Table, column: str, trees: Trees, missing: Texts) -> Table:
        if column in trees:
            raise TableError(
                f"column {column!r} has a top or a bottom and a hierarchy; expected "
                "one of them"
            )
        top, bottom = _end(self.top, column), _end(self.bottom, column)
        if top is not None and bottom is not None and top <= bottom:
            raise TableError(
                f"column {column!r}: expected a top above the bottom, got "
                f"{short_text(top)} and {short_text(bottom)}"
            )
        labels, unknown = split_missing(table.text_counts(column), missing)
        mark = "," if any("," in label for label in labels) else "."
        cap = Cap(_written(top, mark), _written(bottom, mark), "0", "0", tuple(unknown))
        numbers = _numbers(table, column, labels, cap)
        above, below = cap.texts
        if numbers:
            order = sorted(numbers, key=numbers.__getitem__)
            least, greatest = (_plain(order[at], cap) for at in (0, -1))
            cap = replace(cap, least=least, greatest=greatest)
        floored: dict[str, str | None] = {}
        for text, number in numbers.items():
            if top is not None and number >= top:
                floored[text] = above
            elif bottom is not None and number <= bottom:
                floored[text] = below
        return _recoded(table, column, cap, floored)


def no_leaf(table: Table, column: str, text: str | None, tree: Taxonomy) -> TableError:
    """Return the error for a value that a tree has no leaf for."""
    alike = told_alike(text, tree.leaves) or "; add it"
    where = table.where(column, text)
    return TableError(f"{where}: {text!r} is no leaf of {tree.name}{alike}")


def absent(table: Table, column: str, missing: Texts) -> list[str]:
    """Return the missing values of a column as leaves of a tree; a null is empty."""
    occurring = table.text_counts(column)
    return sorted({text or "" for text in occurring if text in missing})


def _recoded(
    table: Table, column: str, floor: Floor, floored: Mapping[str, str | None]
) -> Table:
    """Return the table with some texts of a column replaced, and the floor noted."""
    coarse = (
        (text, floored.get(text or "", text)) for text in table.dictionary(column)
    )
    code_of, texts = coded(a if b == (a or "") else b for a, b in coarse)
    made = table.recoded({column: (code_of[table.column(column)], texts)})
    return replace(made, floors={**table.floors, column: floor})


def _end(ends: Mapping[str, object], column: str) -> Fraction | None:
    """Return the top or the bottom of a column, if it has one, as an exact number."""
    if column not in ends:
        return None
    try:
        return Fraction(expect_end(ends[column]))
    except TableError as error:
        raise TableError(f"column {column!r}: {error}") from None


def expect_end(given: object) -> str:
    """Return a top or a bottom, written shortly.

    Raises TableError where it is not a number such as 90 or 0.5.

    >>> expect_end("90.0"), expect_end(-2.5)
    ('90', '-2.5')
    """
    text = str(given)
    if len(text) > MOST_LENGTH or not re.fullmatch(FLOAT, text):
        hint = ""
        if re.match(r"\d+\D\d+\D\d+", text):
            hint = "; dates have a least level of a hierarchy instead, by years say"
        raise TableError(
            f"expected a number for a top or a bottom, got {given!r}{hint}"
        )
    return short_text(Fraction(text))


def _written(end: Fraction | None, mark: str) -> str | None:
    return None if end is None else short_text(end).replace(".", mark)


def _plain(label: str, cap: Cap) -> str:
    """Return the number of a cell, which may be a top or a bottom already."""
    if label in cap.texts:
        return label.removeprefix("<=").removesuffix("+")
    return label


def _mend(column: str, label: str, cap: Cap) -> str:
    """Say what to do with a text that is no number: it may be an end itself."""
    if found := re.fullmatch(rf"({DECIMAL}) ?\+|[>≥]=? ?({DECIMAL})", label):
        end, kind, text = found[1] or found[2], "top", cap.texts[0]
        known = f"{end}+"
    elif found := re.fullmatch(rf"[<≤]=? ?({DECIMAL})", label):
        end, kind, text = found[1], "bottom", cap.texts[1]
        known = f"<={end}"
    else:
        return "if it is a missing value, name it (--missing)"
    number = Fraction(end.replace(",", "."))
    named = f"(--{kind} {column}={short_text(number)})"
    mend = (
        f"name it {named}" if label == known else f"write {known}, and name it {named}"
    )
    end = getattr(cap, kind)
    limit = number if end is None else Fraction(end.replace(",", "."))
    inside = number > limit if kind == "top" else number < limit
    more = f", or write {text}" if inside else ""
    return f"it is an end itself: {mend}{more}"


def _numbers(
    table: Table, column: str, labels: Sequence[str], cap: Cap
) -> dict[str, Fraction]:
    """Return the numbers of a column by their texts."""
    found: dict[str, Fraction] = {}
    for label in labels:
        plain = _plain(label, cap)
        if len(plain) > MOST_LENGTH or not re.fullmatch(DECIMAL, plain):
            raise TableError(
                f"{table.where(column, label)}: a top or a bottom is for numbers, got "
                f"{label!r}; {_mend(column, label, cap)}"
            )
        found[label] = Fraction(plain.replace(",", "."))
    if why := ambiguity([label for label in labels if label not in cap.texts]):
        raise TableError(f"{table.name}: column {column!r}: {why}")
    return found
