"""The groups of a clustering, for compiled loops, and what changes of them cost."""

from typing import NamedTuple

import numba

from heuristics.approximation.row_distance import Codes, Ints
from instances import BoolArray

NONE = -1


class Groups(NamedTuple):
    """The groups of a partition of n rows, as compiled loops need them.

    Attributes
    ----------
    codes
        n x d.
    prices, once
        Of a star in each column, -1 where there must be none; whether once a row.
    twin
        Rows that may be swapped whatever the requirement have the same number.
    group
        Of each row.
    starts, members
        The rows of group g are ``members[starts[g]:starts[g + 1]]``.
    starred
        Groups x columns.
    price
        What a row of each group pays.
    by_price
        The groups, the cheapest first.
    """

    codes: Codes
    prices: Ints
    once: bool
    twin: Ints
    group: Ints
    starts: Ints
    members: Ints
    starred: BoolArray
    price: Ints
    by_price: Ints


@numba.njit(cache=True)
def size_of(s: Groups, g: int) -> int:
    """How many rows a group has."""
    return int(s.starts[g + 1] - s.starts[g])


@numba.njit(cache=True)
def cheapest_group(
    s: Groups, row: int, locked: BoolArray, limit: int
) -> tuple[int, int]:
    """The group that a row joins at the least cost below ``limit``, and this cost."""
    best, own = NONE, s.group[row]
    for g in s.by_price:
        if s.price[g] >= limit:
            break
        if locked[g] or g == own:
            continue
        cost = _joined(s, row, g, limit)
        if cost < limit:
            best, limit = g, cost
    return best, limit


@numba.njit(cache=True)
def price_after(s: Groups, g: int, out: int, extra: int) -> int:
    """What a row of a group pays without the row ``out`` and with ``extra`` (or -1)."""
    rep, price = extra, 0
    if rep == NONE:
        at = s.starts[g]
        rep = s.members[at + 1] if s.members[at] == out else s.members[at]
    for j in range(len(s.prices)):
        if extra == NONE and not s.starred[g, j]:
            continue
        for i in range(s.starts[g], s.starts[g + 1]):
            row = s.members[i]
            if row != out and s.codes[row, j] != s.codes[rep, j]:
                price = _more(s, price, j)
                break
        if price < 0:
            return -1
    return price


@numba.njit(cache=True)
def part_price(s: Groups, g: int, column: int, value: int, inside: bool) -> int:
    """What the rows of a group pay that have a value in a column, or do not."""
    price = 0
    for j in range(len(s.prices)):
        if not s.starred[g, j]:
            continue
        rep = NONE
        for i in range(s.starts[g], s.starts[g + 1]):
            row = s.members[i]
            if (s.codes[row, column] == value) != inside:
                continue
            if rep == NONE:
                rep = row
            elif s.codes[row, j] != s.codes[rep, j]:
                price = _more(s, price, j)
                break
    return price


@numba.njit(cache=True)
def _joined(s: Groups, row: int, g: int, limit: int) -> int:
    """What a group costs more with a row of another; ``limit`` if that or more."""
    size, rep, price = size_of(s, g), s.members[s.starts[g]], s.price[g]
    before = size * price
    for j in range(len(s.prices)):
        if not s.starred[g, j] and s.codes[row, j] != s.codes[rep, j]:
            price = _more(s, price, j)
            if price < 0 or (size + 1) * price - before >= limit:
                return limit
    return int(min(limit, (size + 1) * price - before))


@numba.njit(cache=True)
def _more(s: Groups, price: int, column: int) -> int:
    """What a row pays after one more column is starred; -1 if it must not be."""
    if s.prices[column] < 0:
        return -1
    if s.once:
        return int(max(price, s.prices[column]))
    return int(price + s.prices[column])
