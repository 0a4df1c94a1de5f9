"""The nodes of a column, and what a group pays at least that has some types."""

from functools import cache
from typing import NamedTuple

from starmin.verify.checker.boxes.pieces import NEVER, Pieces, places
from starmin.verify.checker.problem.lines import Line
from starmin.verify.checker.words import Node


class Choice(NamedTuple):
    """What some types are published as in a column.

    ``parts`` are the types at both ends of a range, or below each child of a node: a
    group has rows of two of them. ``hidden`` is a column of numbers that is hidden.
    """

    cost: int
    types: int
    parts: tuple[int, ...] = ()
    hidden: "LineOfTypes | None" = None

    def ends(self, members: int) -> int | None:
        """Return the types that each group published so has; None: there is none."""
        if self.hidden is not None:
            return 0 if self.hidden.is_hidden(members) else None
        if not self.parts:
            return 0
        held = [part & members for part in self.parts if part & members]
        if len(held) < 2:
            return None
        if len(held) > 2:
            return 0
        return sum(part for part in held if part.bit_count() == 1)


class LineOfTypes:
    """A column of numbers, published as ranges, or hidden."""

    def __init__(self, pieces: Pieces, column: int, line: Line) -> None:
        self.line, self.kept = line, pieces.problem.kept[column]
        self.unit = pieces.unit * pieces.problem.units[column]
        self.place = [0] * len(pieces.order)
        self.at = [0] * len(line.reach)
        for place, types in pieces.at[column].items():
            self.at[place] = types
            for t in places(types):
                self.place[t] = place
        self.whole = self.unit * line.whole
        self.from_low, self.to_high = cache(self._from_low), cache(self._to_high)

    def is_hidden(self, members: int) -> bool:
        """Return whether some types are published as all of the column."""
        held = [place for place, types in enumerate(self.at) if types & members]
        return held[0] != held[-1] and held[-1] > self.line.reach[held[0]]

    def _least(self, low: int, high: int) -> int:
        """Return what a group pays at least that has rows at two places."""
        if low < high and self.kept:
            return NEVER
        loss = self.unit * self.line.loss(low, high)
        return loss if self.kept else min(loss, self.whole)

    def _from_low(self, low: int) -> list[int]:
        return [self._least(min(low, p), max(low, p)) for p in range(len(self.at))]

    def _to_high(self, high: int) -> list[int]:
        return self._from_low(high)

    def least_with(self, must: int, low: int | None, types: list[int]) -> list[int]:
        """Return for some types what a group pays at least that has each one.

        It has the types ``must``; and is published as a range from a place, if one is
        given.
        """
        held = [self.place[t] for t in places(must)]
        if low is not None:
            held.append(low)
        if not held:
            return [self._least(self.place[t], self.place[t]) for t in types]
        first, last = min(held), max(held)
        above, below = self.from_low(first), self.from_low(last)
        between = above[last]
        return [
            below[p] if p < first else above[p] if p > last else between
            for p in map(self.place.__getitem__, types)
        ]


class TreeOfTypes:
    """A column of values below the nodes of a tree."""

    def __init__(self, pieces: Pieces, column: int) -> None:
        self.kept = pieces.problem.kept[column]
        self.unit = pieces.unit * pieces.problem.units[column]
        self.chains = pieces.problem.chains[column]
        self.at = pieces.at[column]
        self.nodes = list[tuple[Choice, int]]()
        self._add(0, list(self.at))
        self.known = cache(self._known)

    def _add(self, depth: int, texts: list[str]) -> None:
        """Add the node of some texts, and those below; each with where these end."""
        parts: dict[Node, list[str]] = {}
        for text in texts:
            chain = self.chains[text]
            child = chain[depth + 1][0] if depth < len(chain) - 1 else text
            parts.setdefault(child, []).append(text)
        inner = depth < len(chain) - 1
        below = tuple(sum(self.at[text] for text in part) for part in parts.values())
        cost = self.unit * chain[depth][1]
        own_place = len(self.nodes)
        choice = Choice(cost, sum(below), below if inner else ())
        self.nodes.append((choice, 0))
        if inner:
            for part in parts.values():
                self._add(depth + 1, part)
        self.nodes[own_place] = choice, len(self.nodes)

    def _known(self, must: int) -> list[tuple[int, int]]:
        """Return the nodes above some types by what they cost, and their types."""
        return sorted(
            (choice.cost, choice.types)
            for choice, _ in self.nodes
            if must & ~choice.types == 0 and not (choice.parts and self.kept)
        )

    def least_with(self, must: int, low: int | None, types: list[int]) -> list[int]:
        """Return for some types what a group pays at least that has each one."""
        above = self.known(must)
        return [
            next((cost for cost, below in above if below >> t & 1), NEVER)
            for t in types
        ]
