"""Which published cells may stand for which values: what an adversary matches by."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import numpy as np

from starmin.instances.arrays import Ints

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

    Examples
    --------
    >>> value, cell = Suppression().pairs(["F", "M"], ["*", "M"])
    >>> sorted(zip(value.tolist(), cell.tolist()))
    [(0, 0), (1, 0), (1, 1)]
    """

    star: str = "*"

    def pairs(self, values: Sequence[str | None], cells: Sequence[str | None]) -> Pairs:
        place: dict[str | None, int] = {}
        for i, value in enumerate(values):
            place.setdefault(value, i)
        shown = [(place[c], j) for j, c in enumerate(cells) if c in place]
        stars = [j for j, c in enumerate(cells) if c == self.star]
        everyone = np.arange(len(values), dtype=np.int64)
        return (
            np.concatenate([[i for i, _ in shown], *(everyone for _ in stars)]).astype(
                np.int64
            ),
            np.concatenate(
                [[j for _, j in shown], *(np.full(len(values), j) for j in stars)]
            ).astype(np.int64),
        )


@dataclass(frozen=True)
class Generalization:
    """Cells may also be ranges of numbers, sets of values, or nodes of a taxonomy.

    Ranges are written ``20-29``, ``20..29``, ``[20, 30)``, ``[20, 30[``, ``<30``,
    ``>=65`` (both ends belong to ``a-b`` and ``a..b``); sets ``{a, b}``.

    Examples
    --------
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

    Examples
    --------
    >>> parse_range("[20, 30)"), parse_range("20-29"), parse_range("Male")
    ((20.0, 'left', 30.0, 'left'), (20.0, 'left', 29.0, 'right'), None)
    """
    if cell is None:
        return None
    if match := _INTERVAL.match(cell):
        opens, low, high, closes = match.groups()
        return (
            float(low),
            "left" if opens == "[" else "right",
            float(high),
            "right" if closes == "]" else "left",
        )
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
