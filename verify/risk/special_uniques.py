"""Special uniques: the least sets of columns on which a row is like no other (SUDA)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.tables.grouping import group_by


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """Minimal unique sets of rows.

    A set of columns is a minimal unique set of a row if the row is the only one with
    its values there, and of no smaller part of the set that is true.

    The score of a row (Elliot and others 2005) is the sum over its minimal unique sets
    of s columns of ``(d - s) (d - s - 1) .. (d - m)``, where d is the number of columns
    and m = min(most, d - 1). The more sets, and the smaller they are, the higher:
    smaller sets are in more sets that tell the row.
    """

    most: int  # columns of the largest sets that were looked at
    # how many minimal unique sets there are of 1, 2, .. columns
    by_size: tuple[int, ...]
    by_column: tuple[int, ...]  # how many of them each column is in
    scores: Floats  # by row: its score

    @property
    def rows(self) -> int:
        """How many rows have such a set."""
        return int((self.scores > 0).sum())

    def worst(self, count: int) -> list[int]:
        """Return the rows of the greatest scores, the first one first.

        There are ``count`` of them at most.
        """
        order = np.argsort(-self.scores, kind="stable")[:count]
        return [int(row) for row in order if self.scores[row] > 0]

    def as_json(self) -> dict[str, Any]:
        """Return the figures under their names in results."""
        return {
            "most": self.most,
            "sets": list(self.by_size),
            "rows": self.rows,
            "highest": float(self.scores.max(initial=0.0)),
            "worst": [row + 1 for row in self.worst(10)],
        }


def special_uniques(
    columns: Sequence[Int32s], cardinalities: Sequence[int], most: int
) -> SpecialUniques:
    """Find all minimal unique sets of up to ``most`` columns, for every row.

    Parameters
    ----------
    columns, cardinalities
        Codes of the rows by column, and how many codes each has.
    most
        Columns of the largest sets.

    Notes
    -----
    One grouping of the distinct rows for each set of columns; a row that is unique on
    a set is so on all that contain it, so that the sets of one column fewer tell what
    is minimal. A million rows by eight columns take about 4 s for sets of three.

    Examples
    --------
    >>> a, b = np.array([0, 1, 1], np.int32), np.array([0, 0, 1], np.int32)
    >>> found = special_uniques([a, b], [2, 2], 2)
    >>> found.by_size, found.scores.tolist()
    ((2, 1), [1.0, 1.0, 1.0])
    """
    d = len(columns)
    top = min(most, max(d - 1, 1))
    types = group_by(columns, cardinalities)
    codes = [np.ascontiguousarray(column[types.first]) for column in columns]
    alone = np.flatnonzero(types.counts == 1)
    scores = np.zeros(len(alone))
    by_size, by_column = [], [0] * d
    before: dict[tuple[int, ...], Bools] = {}
    for size in range(1, min(most, d) + 1):
        weight = float(prod(d - i for i in range(size, top + 1)))
        now: dict[tuple[int, ...], Bools] = {}
        found = 0
        for chosen in combinations(range(d), size):
            unique = _unique_on(chosen, codes, cardinalities, alone)
            minimal = unique.copy()
            for part in _one_less(chosen):
                if part:
                    minimal &= ~before[part]
            many = int(minimal.sum())
            found += many
            for column in chosen:
                by_column[column] += many
            scores[minimal] += weight
            now[chosen] = unique
        by_size.append(found)
        before = now
    rows = np.zeros(len(types.inverse))
    rows[types.first[alone]] = scores
    return SpecialUniques(min(most, d), tuple(by_size), tuple(by_column), rows)


def _one_less(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for j in range(len(chosen)):
        yield chosen[:j] + chosen[j + 1 :]


def _unique_on(
    chosen: tuple[int, ...],
    codes: Sequence[Int32s],
    cardinalities: Sequence[int],
    alone: Ints,
) -> Bools:
    """Say which of the rows that are alone have values here that no other has."""
    groups = group_by([codes[j] for j in chosen], [cardinalities[j] for j in chosen])
    return np.asarray(groups.counts[groups.inverse[alone]] == 1, np.bool_)
