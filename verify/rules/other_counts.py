"""What other tools would count as violated in a release that has stars by row."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.verify.beyond import expect_time

MOST_PAIRS = 4096  # of two sets of hidden columns that occur


@dataclass(frozen=True)
class OtherCounts:
    """Rows that violate one rule, by how others read a star."""

    # rows that show the whole combination, if fewer than k rows do. A row with a star
    # shows no combination
    mu_argus: int
    # rows that fewer than k rows agree with where both show a value: a star matches
    # whatever there is. None where there are too many sets of hidden columns
    sdcmicro_alpha_1: int | None
    # the same where a star matches nothing: rows with a star agree with no row, and
    # count as violated
    sdcmicro_alpha_0: int
    # rows that fewer than k rows are published like, a star being a value
    k_anonymity: int
    # rows of the original that agree with fewer than k rows of the release where these
    # show a value; None without the original
    persons: int | None


def count_by_others(
    cells: Ints, hidden: Bools, k: int, original: Ints | None = None
) -> OtherCounts:
    """Count what violates one rule.

    ``cells`` are codes, rows x columns of the rule, and of its strata, which are never
    hidden. ``hidden``, of the same shape, says whether a cell is starred. ``k`` rows
    are asked for. ``original`` is rows x columns of the original, in the same codes.

    Examples
    --------
    >>> cells = np.array([[0, 0], [0, 0], [0, 1]])
    >>> count_by_others(cells, np.array([[0, 0], [0, 1], [0, 0]], bool), 2, cells)
    ... # doctest: +NORMALIZE_WHITESPACE
    OtherCounts(mu_argus=2, sdcmicro_alpha_1=0, sdcmicro_alpha_0=3, k_anonymity=3,
                persons=0)
    """
    alike = np.where(hidden, -1, cells)
    first, rows = _distinct(alike)
    cells, hidden, alike = cells[first], hidden[first], alike[first]
    whole = ~hidden.any(axis=1)
    rare = int(rows[whole & (rows < k)].sum())
    patterns = list(_patterns(hidden))
    wild: Ints | None = None
    if len(patterns) ** 2 <= MOST_PAIRS:
        wild = np.zeros(len(rows), np.int64)
        for mine, own in patterns:
            for theirs, others in patterns:
                expect_time()
                both = ~(mine | theirs)
                pair = cells[own][:, both], cells[others][:, both]
                wild[own] += _agreeing(*pair, rows[others])
    persons = None
    if original is not None:
        first, people = _distinct(original)
        original = original[first]
        found = np.zeros(len(original), np.int64)
        for starred, own in patterns:
            expect_time()
            pair = original[:, ~starred], cells[own][:, ~starred]
            found += _agreeing(*pair, rows[own])
        persons = int(people[found < k].sum())
    return OtherCounts(
        rare,
        None if wild is None else int(rows[wild < k].sum()),
        rare + int(rows[~whole].sum()),
        int(rows[rows < k].sum()),
        persons,
    )


def _patterns(hidden: Bools) -> Iterator[tuple[Bools, Ints]]:
    """Visit the sets of hidden columns that occur, each with its rows."""
    found, inverse = np.unique(hidden, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    for number, pattern in enumerate(found):
        yield pattern, np.flatnonzero(inverse == number)


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """Return the first of each of the distinct rows, and how many there are."""
    _, first, counts = np.unique(_packed(rows), return_index=True, return_counts=True)
    return first, counts


def _packed(rows: Ints) -> Ints:
    """Number rows such that equal ones have the same number."""
    packed = np.zeros(len(rows), np.int64)
    for column in rows.T:
        _, code = np.unique(column, return_inverse=True)
        numbers = packed * (int(code.max(initial=0)) + 1) + code
        _, packed = np.unique(numbers, return_inverse=True)
    return packed


def _agreeing(rows: Ints, others: Ints, times: Ints) -> Ints:
    """Return for each row how many of the others are equal to it."""
    packed = _packed(np.concatenate([rows, others]))
    counts = np.bincount(packed[len(rows) :], times, int(packed.max(initial=0)) + 1)
    return counts.astype(np.int64)[packed[: len(rows)]]
