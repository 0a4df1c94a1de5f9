"""Changes of one row, or one group, that save stars (see ``clustering``)."""

from typing import NamedTuple

import numba
import numpy as np

from heuristics.row_distance import Codes, Ints
from instances import BoolArray

MOVE, SWAP, DISSOLVE, SPLIT = 0, 1, 2, 3

_NONE = -1
_LARGE = 100  # rows: groups beyond are not searched for a row to swap


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
def propose(
    s: Groups, rows: Ints, kind: int, least: int, found: Ints, labels: Ints, of: Ints
) -> tuple[int, int]:
    """Changes of one kind that save something, no two of which share a group.

    Written to ``found`` (rows that change), ``labels`` (their new groups) and ``of``
    (numbers of the changes); how many rows and changes there are. A split makes a new
    group. No group is left with fewer than ``least`` rows.
    """
    groups = len(s.price)
    locked = np.zeros(groups, np.bool_)
    used, changes, made = 0, 0, 0
    for row in rows:
        g = s.group[row]
        if locked[g] or s.price[g] == 0:
            continue
        begin = used
        if kind == MOVE:
            used = _move(s, row, least, locked, found, labels, used)
        elif kind == SWAP:
            used = _swap(s, row, locked, found, labels, used)
        elif s.members[s.starts[g]] == row and kind == DISSOLVE:
            used = _dissolve(s, g, locked, found, labels, used)
        elif s.members[s.starts[g]] == row:
            used = _split(s, g, least, groups + made, found, labels, used)
            made += used > begin
        if used > begin:
            locked[g] = True
            for i in range(begin, used):
                if labels[i] < groups:
                    locked[labels[i]] = True
                of[i] = changes
            changes += 1
    return used, changes


@numba.njit(cache=True)
def _size(s: Groups, g: int) -> int:
    return int(s.starts[g + 1] - s.starts[g])


@numba.njit(cache=True)
def _more(s: Groups, price: int, column: int) -> int:
    """What a row pays after one more column is starred; -1 if it must not be."""
    if s.prices[column] < 0:
        return -1
    if s.once:
        return int(max(price, s.prices[column]))
    return int(price + s.prices[column])


@numba.njit(cache=True)
def _joined(s: Groups, row: int, g: int, limit: int) -> int:
    """What a group costs more with a row of another; ``limit`` if that or more."""
    size, rep, price = _size(s, g), s.members[s.starts[g]], s.price[g]
    before = size * price
    for j in range(len(s.prices)):
        if not s.starred[g, j] and s.codes[row, j] != s.codes[rep, j]:
            price = _more(s, price, j)
            if price < 0 or (size + 1) * price - before >= limit:
                return limit
    return int(min(limit, (size + 1) * price - before))


@numba.njit(cache=True)
def _target(s: Groups, row: int, locked: BoolArray, limit: int) -> tuple[int, int]:
    """The group that a row joins at the least cost below ``limit``, and this cost."""
    best, own = _NONE, s.group[row]
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
def _price(s: Groups, g: int, out: int, extra: int) -> int:
    """What a row of a group pays without the row ``out`` and with ``extra`` (or -1)."""
    rep, price = extra, 0
    if rep == _NONE:
        at = s.starts[g]
        rep = s.members[at + 1] if s.members[at] == out else s.members[at]
    for j in range(len(s.prices)):
        if extra == _NONE and not s.starred[g, j]:
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
def _move(
    s: Groups,
    row: int,
    least: int,
    locked: BoolArray,
    found: Ints,
    labels: Ints,
    used: int,
) -> int:
    """Move a row to the group in which it costs least."""
    g = s.group[row]
    size = _size(s, g)
    if size <= max(1, least):
        return used
    gain = size * s.price[g] - (size - 1) * _price(s, g, row, _NONE)
    target, _ = _target(s, row, locked, gain)
    if target == _NONE:
        return used
    found[used], labels[used] = row, target
    return used + 1


@numba.njit(cache=True)
def _swap(
    s: Groups, row: int, locked: BoolArray, found: Ints, labels: Ints, used: int
) -> int:
    """Swap a row with one of the group in which it costs least."""
    g = s.group[row]
    target, _ = _target(s, row, locked, _size(s, g) * s.price[g])
    if target == _NONE or _size(s, target) > _LARGE or _size(s, g) > _LARGE:
        return used
    own, other = _size(s, g), _size(s, target)
    least, best = own * s.price[g] + other * s.price[target], _NONE
    for i in range(s.starts[target], s.starts[target + 1]):
        back = s.members[i]
        if s.twin[back] != s.twin[row]:
            continue
        here, there = _price(s, g, row, back), _price(s, target, back, row)
        if here >= 0 and there >= 0 and own * here + other * there < least:
            least, best = own * here + other * there, back
    if best == _NONE:
        return used
    found[used], labels[used] = row, target
    found[used + 1], labels[used + 1] = best, g
    return used + 2


@numba.njit(cache=True)
def _dissolve(
    s: Groups, g: int, locked: BoolArray, found: Ints, labels: Ints, used: int
) -> int:
    """Move all rows of a group to different others."""
    left, begin = _size(s, g) * s.price[g], used
    for i in range(s.starts[g], s.starts[g + 1]):
        target, cost = _target(s, s.members[i], locked, left)
        if target == _NONE:
            break
        left -= cost
        found[used], labels[used] = s.members[i], target
        locked[target] = True
        used += 1
    if used - begin == _size(s, g):
        return used
    for i in range(begin, used):
        locked[labels[i]] = False
    return begin


@numba.njit(cache=True)
def _split(
    s: Groups, g: int, least: int, new: int, found: Ints, labels: Ints, used: int
) -> int:
    """Split off the rows that agree with one in a starred column."""
    size, begin, end = _size(s, g), s.starts[g], s.starts[g + 1]
    if size < 2 * least or size > _LARGE * _LARGE:
        return used
    best, column, value = size * s.price[g], _NONE, _NONE
    seen = np.zeros(size, np.bool_)
    for j in range(len(s.prices)):
        if not s.starred[g, j]:
            continue
        seen[:] = False
        for i in range(size):
            if seen[i]:
                continue
            code, alike = s.codes[s.members[begin + i], j], 0
            for h in range(i, size):
                if s.codes[s.members[begin + h], j] == code:
                    seen[h] = True
                    alike += 1
            if alike < least or size - alike < least:
                continue
            cost = alike * _part(s, g, j, code, True)
            cost += (size - alike) * _part(s, g, j, code, False)
            if cost < best:
                best, column, value = cost, j, code
    if column == _NONE:
        return used
    for i in range(begin, end):
        if s.codes[s.members[i], column] == value:
            found[used], labels[used] = s.members[i], new
            used += 1
    return used


@numba.njit(cache=True)
def _part(s: Groups, g: int, column: int, value: int, inside: bool) -> int:
    """What the rows of a group pay that have a value in a column, or do not."""
    price = 0
    for j in range(len(s.prices)):
        if not s.starred[g, j]:
            continue
        rep = _NONE
        for i in range(s.starts[g], s.starts[g + 1]):
            row = s.members[i]
            if (s.codes[row, column] == value) != inside:
                continue
            if rep == _NONE:
                rep = row
            elif s.codes[row, j] != s.codes[rep, j]:
                price = _more(s, price, j)
                break
    return price
