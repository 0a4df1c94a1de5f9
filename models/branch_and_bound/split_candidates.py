"""Splits by which a point of the relaxation falls."""

import math
from collections.abc import Iterator

import numpy as np

from starmin.instances.arrays import Floats
from starmin.models.branch_and_bound.split_counts import Count
from starmin.models.branch_and_bound.tree_facts import Split
from starmin.models.branch_and_bound.tree_relaxation import Relaxation

_INTEGRAL = 1e-6  # A value so near to a whole number is one.
_LEAST_AWAY = 0.1  # A count is split where it is so far from a whole number.
_PAIRS = 2  # Pairs of types that are looked at.


class Candidates:
    """Finds splits of heights and of counts, at points of a relaxation.

    Counts that are offered are added to the relaxation.
    """

    def __init__(self, relaxation: Relaxation) -> None:
        self.relaxation = relaxation
        self._numbers: dict[str, int] = {}

    def heights(self, x: Floats) -> list[Split]:
        """Return splits of heights of patterns, the most fractional first."""
        program = self.relaxation.program
        count = len(program.patterns)
        found = []
        if program.k > 1:
            y = x[program.first_y : program.first_y + count]
            found = [Split(p, 0) for p in _fractional(y)]
        if program.l > 1 and not found:
            height = x[program.incidences : program.incidences + count]
            found = [Split(p, math.floor(height[p])) for p in _fractional(height)]
        return found

    def rows(self, x: Floats, most: int) -> list[Split]:
        """Return splits of the rows of a type in a pattern, the most fractional first.

        They are what is left to decide where all heights are whole.
        """
        patterns = self.relaxation.program.patterns
        return [
            Split(
                self._number(
                    Count(
                        False,
                        np.array([patterns.types[e]]),
                        np.array([patterns.pattern[e]]),
                    )
                ),
                math.floor(x[e]),
                True,
            )
            for e in _fractional(x[: len(patterns.types)])[:most]
        ]

    def counts(self, x: Floats, most: int) -> list[Split]:
        """Return splits of counts that are fractional, the most fractional first.

        Of rows and groups with a star in a column, of all groups, of the groups of
        cuts, and of groups with either of two types.
        """
        if most == 0:
            return []
        rated = list[tuple[float, int, int, Count]]()
        for count in self._offered(x):
            value = self._value(count, x)
            away = abs(value - round(value))
            if away > _LEAST_AWAY:
                rated.append((-away, len(rated), math.floor(value), count))
        return [
            Split(self._number(count), g, True)
            for _, _, g, count in sorted(rated, key=lambda each: each[:2])[:most]
        ]

    def _offered(self, x: Floats) -> Iterator[Count]:
        relaxation, program = self.relaxation, self.relaxation.program
        patterns = program.patterns
        for starred in patterns.starred.T:
            some = np.flatnonzero(starred)
            yield Count(False, None, some)
            if program.k > 1:
                yield Count(True, None, some)
        if program.k > 1:
            yield Count(True)
            for cut in relaxation.cuts:
                yield Count(True, None, cut.patterns)
        yield from self._pairs(x)

    def _pairs(self, x: Floats) -> Iterator[Count]:
        """Visit pairs of types that share the most fractional patterns."""
        patterns = self.relaxation.program.patterns
        part = x[: len(patterns.types)] / patterns.counts[patterns.types]
        away = np.minimum(part, 1 - part)
        order = np.argsort(-np.bincount(patterns.pattern, away), kind="stable")
        for p in order[:_PAIRS]:
            first, last = patterns.starts[p], patterns.starts[p + 1]
            if last - first > 1:
                both = first + np.argsort(-away[first:last], kind="stable")[:2]
                yield Count(True, np.sort(patterns.types[both]).astype(np.int64))

    def _value(self, count: Count, x: Floats) -> float:
        """Return what the relaxation counts at a point at least."""
        program = self.relaxation.program
        patterns = program.patterns
        if count.groups and count.types is None:
            y = x[program.first_y : program.first_y + len(patterns)]
            return float((y if count.patterns is None else y[count.patterns]).sum())
        members = count.members(patterns)
        copies = x[: program.incidences][members]
        if not count.groups:
            return float(copies.sum())
        most = np.zeros(len(patterns))
        share = copies / patterns.counts[patterns.types[members]]
        np.maximum.at(most, patterns.pattern[members], share)
        return float(most.sum())

    def _number(self, count: Count) -> int:
        """Return the number of a count in the relaxation, added once."""
        key = repr([count.groups, *(a is None or a.tolist() for a in count[1:])])
        if key not in self._numbers:
            self._numbers[key] = self.relaxation.count(count)
        return self._numbers[key]


def _fractional(values: Floats) -> list[int]:
    away = np.abs(values - np.rint(values))
    places = np.flatnonzero(away > _INTEGRAL)
    return [int(p) for p in places[np.argsort(-away[places], kind="stable")]]
