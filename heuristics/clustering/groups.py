"""The groups of a clustering, for compiled loops, and what changes of them cost."""

from typing import NamedTuple

from heuristics.approximation.row_distance import Codes, Ints
from instances import BoolArray
from instances.loops.compiled import compiled, inner

NONE = -1


class Groups(NamedTuple):
    """The groups of a partition of n rows, as compiled loops need them.

    Attributes
    ----------
    codes
        n x d, the rows.
    costs, once
        What a star costs in each column, -1 where there must be none; whether a row
        pays but once.
    twin
        Rows that may be swapped whatever the requirement have the same number.
    group
        The group of each row.
    starts, members
        The rows of group g are ``members[starts[g]:starts[g + 1]]``.
    starred
        Groups x columns: where the rows of a group differ.
    row_cost
        What a row of each group pays.
    by_cost
        The groups, the cheapest first.
    """

    codes: Codes
    costs: Ints
    once: bool
    twin: Ints
    group: Ints
    starts: Ints
    members: Ints
    starred: BoolArray
    row_cost: Ints
    by_cost: Ints


@inner
def size_of(s: Groups, g: int) -> int:
    """Return how many rows a group has."""
    return int(s.starts[g + 1] - s.starts[g])


@compiled
def cheapest_group(
    s: Groups, row: int, locked: BoolArray, limit: int
) -> tuple[int, int]:
    """Find the group that a row joins at the least cost below ``limit``, and that.

    Parameters
    ----------
    s
        The groups.
    row
        The row, which is in another group.
    locked
        Groups that it must not join.
    limit
        The group is ``NONE`` where no cost is below it.
    """
    best, own = NONE, s.group[row]
    for g in s.by_cost:
        if s.row_cost[g] >= limit:
            break
        if locked[g] or g == own:
            continue
        cost = _joined(s, row, g, limit)
        if cost < limit:
            best, limit = g, cost
    return best, limit


@compiled
def cost_after(s: Groups, g: int, out: int, extra: int) -> int:
    """Return what a row of a group pays without ``out`` and with ``extra`` (or -1).

    Parameters
    ----------
    s, g
        The groups, and one of them.
    out
        A row that leaves it, or ``NONE``.
    extra
        A row that joins it, or ``NONE``.
    """
    rep, paid = extra, 0
    if rep == NONE:
        at = s.starts[g]
        rep = s.members[at + 1] if s.members[at] == out else s.members[at]
    for j in range(len(s.costs)):
        if extra == NONE and not s.starred[g, j]:
            continue
        for i in range(s.starts[g], s.starts[g + 1]):
            row = s.members[i]
            if row != out and s.codes[row, j] != s.codes[rep, j]:
                paid = _more(s, paid, j)
                break
        if paid < 0:
            return -1
    return paid


@compiled
def part_cost(s: Groups, g: int, column: int, value: int, inside: bool) -> int:
    """Return what a row of a group pays among those with a value, or without it.

    Parameters
    ----------
    s, g
        The groups, and one of them.
    column, value
        A column, and a value in it.
    inside
        Whether the rows with the value are meant, or the others.
    """
    paid = 0
    for j in range(len(s.costs)):
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
                paid = _more(s, paid, j)
                break
    return paid


@inner
def _joined(s: Groups, row: int, g: int, limit: int) -> int:
    """Return what a group costs more with a row of another, at most ``limit``."""
    size, rep, paid = size_of(s, g), s.members[s.starts[g]], s.row_cost[g]
    before = size * paid
    for j in range(len(s.costs)):
        if not s.starred[g, j] and s.codes[row, j] != s.codes[rep, j]:
            paid = _more(s, paid, j)
            if paid < 0 or (size + 1) * paid - before >= limit:
                return limit
    return int(min(limit, (size + 1) * paid - before))


@inner
def _more(s: Groups, paid: int, column: int) -> int:
    """Return what a row pays with one more column starred; -1 if it must not be."""
    if s.costs[column] < 0:
        return -1
    if s.once:
        return int(max(paid, s.costs[column]))
    return int(paid + s.costs[column])
