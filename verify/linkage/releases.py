"""Several releases made comparable, and the people they show."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np

from starmin.instances import IntArray, Table, TableError
from starmin.instances.arrays import Ints
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.texts import in_common

# Which published cells may stand for which values: what an adversary matches by.

Pairs: TypeAlias = tuple[Ints, Ints]
Side: TypeAlias = Literal["left", "right"]

_NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
_INTERVAL = re.compile(rf"([\[\](]){_NUMBER}[,;]{_NUMBER}([\])\[])$")
_RANGE = re.compile(rf"\[?{_NUMBER}(?:-|\.\.|\u2013){_NUMBER}\]?$")
_HALF_LINE = re.compile(rf"(<=|>=|<|>){_NUMBER}$")


class Matching(Protocol):
    """How the cells of one published column stand for the values of people.

    A method of recoding plugs into the attack by this one method.
    """

    def pairs(self, values: Sequence[str | None], cells: Sequence[str | None]) -> Pairs:
        """List positions (value, cell) of the pairs where the cell may be the value.

        ``values`` are the distinct values of people, ``cells`` the distinct published
        cells.
        """


@dataclass(frozen=True)
class Suppression:
    """A cell stands for the value it shows; a star stands for any value.

    >>> value, cell = Suppression().pairs(["F", "M"], ["*", "M"])
    >>> sorted(zip(value.tolist(), cell.tolist()))
    [(0, 0), (1, 0), (1, 1)]
    """

    star: str = "*"

    def pairs(self, values: Sequence[str | None], cells: Sequence[str | None]) -> Pairs:
        place = {value: i for i, value in reversed([*enumerate(values)])}
        shown = [(place[c], j) for j, c in enumerate(cells) if c in place]
        stars = [j for j, c in enumerate(cells) if c == self.star]
        places, own = np.array(shown, np.int64).reshape(-1, 2).T
        starred = np.repeat(np.array(stars, np.int64), len(values))
        everyone = np.tile(np.arange(len(values)), len(stars))
        return np.concatenate([places, everyone]), np.concatenate([own, starred])


@dataclass(frozen=True)
class Generalization:
    """Cells may also be ranges of numbers, sets of values, or nodes of a taxonomy.

    Ranges are written ``20-29``, ``20..29``, ``[20, 30)``, ``[20, 30[``, ``<30``,
    ``>=65`` (both ends belong to ``a-b`` and ``a..b``); sets ``{a, b}``.

    >>> taxonomy = Generalization({"nurse": ["health", "any"]})
    >>> value, cell = taxonomy.pairs(["nurse", "34"], ["health", "30-39", "{34, 35}"])
    >>> sorted(zip(value.tolist(), cell.tolist()))
    [(0, 0), (1, 1), (1, 2)]
    """

    # by value: the nodes above it
    ancestors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    star: str = "*"  # stands for any value

    def pairs(self, values: Sequence[str | None], cells: Sequence[str | None]) -> Pairs:
        numbers = np.array([_number(value) for value in values])
        order = np.argsort(numbers)  # NaN last
        ranked = numbers[order]
        below = self._below(values)
        found: list[Ints] = []
        for cell in cells:
            members = set(below.get(cell, ()))
            if cell is not None and cell[:1] == "{" and cell[-1:] == "}":
                for member in cell[1:-1].split(","):
                    members.update(below.get(member.strip(), ()))
            if (limits := parse_range(cell)) is not None:
                low = np.searchsorted(ranked, limits[0], limits[1])
                high = np.searchsorted(ranked, limits[2], limits[3])
                members.update(order[low:high].tolist())
            if cell == self.star:
                members.update(range(len(values)))
            found.append(np.array(sorted(members), np.int64))
        lengths = [len(members) for members in found]
        return (
            np.concatenate([np.empty(0, np.int64), *found]),
            np.repeat(np.arange(len(cells), dtype=np.int64), lengths),
        )

    def _below(self, values: Sequence[str | None]) -> dict[str | None, list[int]]:
        """Return for each value, and each node above one, where its values are."""
        below: dict[str | None, list[int]] = {}
        for i, value in enumerate(values):
            above = self.ancestors.get(value, ()) if value is not None else ()
            for node in dict.fromkeys([value, *above]):
                below.setdefault(node, []).append(i)
        return below


def parse_range(cell: str | None) -> tuple[float, Side, float, Side] | None:
    """Parse the ends of a range, each with the side to search a sorted array on.

    >>> parse_range("[20, 30)"), parse_range("20-29"), parse_range("Male")
    ((20.0, 'left', 30.0, 'left'), (20.0, 'left', 29.0, 'right'), None)
    """
    if cell is None:
        return None
    if match := _INTERVAL.match(cell):
        opens, low, high, closes = match.groups()
        begin: Side = "left" if opens == "[" else "right"
        return float(low), begin, float(high), "right" if closes == "]" else "left"
    if match := _RANGE.match(cell):
        return float(match[1]), "left", float(match[2]), "right"
    if match := _HALF_LINE.match(cell):
        sign, bound = match[1], float(match[2])
        if sign[0] == "<":
            return -math.inf, "left", bound, "right" if sign == "<=" else "left"
        return bound, "left" if sign == ">=" else "right", math.inf, "right"
    return None


def _number(value: str | None) -> float:
    try:
        return float(value or "nan")
    except ValueError:
        return math.nan


def align(releases: Sequence[Table]) -> list[Table]:
    """Return the releases with one dictionary of sensitive values for all of them.

    Raises TableError for fewer than two releases, or where not all have the same one
    sensitive column.

    >>> first, second = align([
    ...     Table.from_rows(["a", "s"], [["0", ill]], qi=["a"], sensitive=["s"])
    ...     for ill in ("flu", "gout")])
    >>> second.dictionary("s"), second.column("s").tolist()
    (('flu', 'gout'), [1])
    """
    if len(releases) < 2:
        raise TableError("Linking needs two releases or more; name them.")
    column = releases[0].sensitive[:1]
    for released in releases:
        if len(released.sensitive) != 1 or released.sensitive != column:
            raise TableError(
                f"{released.name}: expected one sensitive column, the same in all "
                "releases; name it"
            )
    values, texts = in_common(releases, column[0])
    both = zip(releases, values, strict=True)
    return [released.recoded({column[0]: (own, texts)}) for released, own in both]


def pooled(releases: Sequence[Table]) -> Table:
    """Return the sensitive column of all releases, one below the other.

    What requirements on linked releases that compare with the whole table, such as
    t-closeness, take for the whole table.

    >>> one = Table.from_rows(["a", "s"], [["0", "x"]], qi=["a"], sensitive=["s"])
    >>> pooled([one, one]).rows()
    [('1', 'x'), ('2', 'x')]
    """
    aligned = align(releases)
    (column,) = aligned[0].sensitive
    of_row = np.repeat(np.arange(len(aligned)), [released.n for released in aligned])
    values = np.concatenate([released.column(column) for released in aligned])
    name = "release" if column != "release" else "publication"
    return Table(
        (name, column),
        np.stack([of_row, values]).astype(np.int32),
        (tuple(str(i + 1) for i in range(len(aligned))), aligned[0].dictionary(column)),
        (name,),
        (column,),
        "linked releases",
    )


def published_in_full(
    releases: Sequence[Table], matchings: Mapping[str, Matching]
) -> Table:
    """Return everybody whose row some release publishes without a star.

    Raises TableError where there is nobody, or some column is not published by
    suppression, so that nothing tells a value from what stands for several.
    """
    qi = tuple(dict.fromkeys(column for released in releases for column in released.qi))
    rows: list[tuple[str | None, ...]] = []
    for released in releases:
        if set(released.qi) != set(qi):
            continue
        whole = np.ones(released.n, bool)
        for column in qi:
            matching = matchings.get(column, Suppression())
            if not isinstance(matching, Suppression):
                raise TableError(f"column {column!r} is generalized; name targets")
            values = np.array(released.dictionary(column), dtype=object)
            whole &= (values != matching.star)[released.column(column)]
        if whole.any():
            people = released.take(np.flatnonzero(whole))
            rows += zip(*(people.cells(column) for column in qi), strict=True)
    if not rows:
        raise TableError("no row is published in full in any release; name targets")
    return Table.from_rows(qi, rows, qi, name="rows published in full")


def as_targets(targets: Table, releases: Sequence[Table]) -> Table:
    """Return the targets with the QI columns of all releases, in a fixed order.

    Raises TableError where the targets lack one of them.
    """
    qi = tuple(dict.fromkeys(column for released in releases for column in released.qi))
    return merge_equal_values(targets).with_roles(qi)


def reveal_classes(
    releases: Sequence[Table], targets: Table, rows: Sequence[IntArray]
) -> tuple[list[Table], Table]:
    """Show releases and targets to someone who knows each target's class.

    Where several classes match, a release hides in which of them a target is. Who
    made it knows, and others may find out, by how it was made or in what order: a
    publisher who wants to be safe against that attacks with this. Each release gets
    one more QI column, the number of the class.

    ``rows`` has for each release the row of each target, from 0.

    >>> from starmin.verify.linkage import attack
    >>> released = Table.from_rows(
    ...     ["a", "s"], [["0", "x"], ["0", "y"], ["*", "y"], ["*", "z"]], ["a"], ["s"])
    >>> person = released.take(np.array([0]))
    >>> attack([released, released], person).after.tolist()
    [3]
    >>> told = reveal_classes([released, released], person, [np.array([0])] * 2)
    >>> attack(*told).after.tolist()
    [2]
    """
    told = []
    for i, (released, at) in enumerate(zip(releases, rows, strict=True), start=1):
        released = merge_equal_values(released)
        classes, column = released.row_types.inverse, f"class in release {i}"
        told.append(_with_class(released, column, classes, classes))
        targets = _with_class(targets, column, classes[at], classes)
    return told, targets


def _with_class(table: Table, column: str, codes: IntArray, classes: IntArray) -> Table:
    return replace(
        table,
        names=(column, *table.names),
        codes=np.concatenate([codes[None].astype(np.int32), table.codes]),
        dictionaries=(
            tuple(str(number) for number in range(int(classes.max()) + 1)),
            *table.dictionaries,
        ),
        qi=(column, *table.qi),
    )
