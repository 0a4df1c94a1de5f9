"""Moves of blocks: one is given up, and its rows are another by chains of rows."""

import numba
import numpy as np

from heuristics.annealing.state import Small, wide
from heuristics.large_neighbourhood.chain_search import Search
from heuristics.large_neighbourhood.chain_state import (
    COST,
    STAMP,
    USED,
    WAITING,
    State,
    keep_changes,
    need,
    set_blocks,
    shift,
    take_back,
)
from heuristics.large_neighbourhood.ejection_chains import bring, place, spread

# Steps of a search for patterns that a row can get to. Most moves are cheap; half as
# many look twice as far, so that each width has the same time.
_NARROW, _WIDE = 128, 1 << 16
_PLACE = 1_000  # of one for a place for a single row
_CHAIN = 100_000  # of one for a chain
_TRIES = 12  # patterns that are tried for a new block
_DRAWS = 200  # rows that are drawn for one to begin with
_EAGER = 2.0  # how probably a row is drawn, for each star too much in its pattern
_LEAST = 0.02  # stars too much that any pattern is drawn for
_NOISE = 0.5  # of the order in which patterns are tried, in stars
_SPARED = 0.5  # how often only a row that can be spared is placed anew


@numba.njit(cache=True, nogil=True)
def exchange_along_chains(
    s: State, f: Search, moves: int, temperature: float, star: float
) -> int:
    """Propose moves; those that cost too much are taken back. The change in cost."""
    before = s.heads[COST]
    for _ in range(moves):
        allowed = -temperature * np.log(1 - np.random.random())
        start = s.heads[COST]
        if _move(s, f, allowed, star) and s.heads[COST] - start <= allowed:
            keep_changes(s)
        else:
            take_back(s, 0)
    return int(s.heads[COST] - before)


@numba.njit(cache=True)
def _move(s: State, f: Search, allowed: float, star: float) -> bool:
    """Give up a block, or a row that can be spared; whether no row waits at the end."""
    p = _some_pattern(s, star)
    if s.size[p] > need(s, wide(s.blocks[p])) and np.random.random() < _SPARED:
        _send_away(s, p)
    elif s.cost[p] == 0:
        return False
    else:
        rows = max(s.k, s.l)
        spare = _give_up(s, p) - rows
        if spare >= 0:
            highest = s.cost[p] + allowed / rows
            _new_block(s, f, p, spare, highest, star, _width())
    while s.heads[WAITING] > 0:
        if not place(s, f, wide(s.waiting[0]), _PLACE):
            return False
    return True


@numba.njit(cache=True)
def _width() -> int:
    """How many steps to look for patterns."""
    most = _NARROW
    while most < _WIDE and np.random.random() < 0.5:
        most *= 2
    return most


@numba.njit(cache=True)
def _some_pattern(s: State, star: float) -> int:
    """A pattern in use, those oftener whose rows pay much beyond their worth."""
    p = wide(0)
    for _ in range(_DRAWS):
        t = np.random.randint(len(s.value))
        i = s.starts[t] + np.random.randint(s.used_by_type[t])
        p = wide(s.pattern[s.by_type[i]])
        if np.random.random() < _EAGER * (_excess(s, p) / star + _LEAST):
            break
    return int(p)


@numba.njit(cache=True)
def _excess(s: State, p: int) -> float:
    """What a row of p pays beyond its worth."""
    worth = 0.0
    for v in range(s.tally.shape[1]):
        begin = s.segments[p, v]
        for i in range(begin, begin + s.used_by_value[p, v]):
            incidence = s.by_value[i]
            worth += s.copies[incidence] * s.price[s.type[incidence]]
    return float(s.cost[p] - worth / s.size[p])


@numba.njit(cache=True)
def _give_up(s: State, p: int) -> int:
    """Take a block from p, all if the rest would be too few; how many rows wait."""
    before, rows = wide(s.size[p]), max(s.k, s.l)
    blocks = wide(s.blocks[p]) - 1
    set_blocks(s, p, blocks if blocks >= max(1, s.k // s.l) else 0)
    _trim(s, p)
    if s.size[p] < need(s, wide(s.blocks[p])):
        set_blocks(s, p, 0)
        _trim(s, p)
    while before - s.size[p] < rows and s.size[p] > need(s, wide(s.blocks[p])):
        _send_away(s, p)
    return int(before - s.size[p])


@numba.njit(cache=True)
def _trim(s: State, p: int) -> None:
    """Let random rows of p wait of the values that are too frequent."""
    for v in range(s.tally.shape[1]):
        while s.tally[p, v] > s.blocks[p]:
            i = s.segments[p, v] + np.random.randint(s.used_by_value[p, v])
            shift(s, wide(s.by_value[i]), -1)


@numba.njit(cache=True)
def _send_away(s: State, p: int) -> None:
    """Let a random row of p wait."""
    row = np.random.randint(s.size[p])
    for v in range(s.tally.shape[1]):
        if row >= s.tally[p, v]:
            row -= s.tally[p, v]
            continue
        i = s.segments[p, v]
        while row >= s.copies[s.by_value[i]]:
            row -= s.copies[s.by_value[i]]
            i += 1
        shift(s, wide(s.by_value[i]), -1)
        return


@numba.njit(cache=True)
def _new_block(
    s: State,
    f: Search,
    given_up: int,
    spare: int,
    highest: float,
    star: float,
    most: int,
) -> None:
    """A block of rows that wait, all but ``spare``, in a pattern that costs little.

    Patterns are tried that each of the rows can get to by itself, cheap and near ones
    first. Whether all of them can at a time is seen when they do.
    """
    rows = _hardest_first(s)
    listed = _candidates(s, f, rows, given_up, spare, highest, most)
    for i in range(listed):
        p = f.found[i]
        noise = _NOISE * np.random.exponential()
        f.rank[i] = s.cost[p] / star + noise + f.depth[p] / len(rows)
    for _ in range(min(_TRIES, listed)):
        best = np.argmin(f.rank[:listed])
        f.rank[best] = np.inf
        mark = wide(s.heads[USED])
        if _fill(s, f, wide(f.found[best]), rows, spare):
            return
        take_back(s, mark)


@numba.njit(cache=True)
def _hardest_first(s: State) -> Small:
    """The types that wait, those with the highest price first."""
    rows = s.waiting[: s.heads[WAITING]]
    return rows[np.argsort(-s.price[rows])]


@numba.njit(cache=True)
def _candidates(
    s: State,
    f: Search,
    rows: Small,
    given_up: int,
    spare: int,
    highest: float,
    most: int,
) -> int:
    """List the patterns that all but ``spare`` of the rows can get to."""
    listed, family = 0, s.heads[STAMP] + 1
    f.family[given_up] = family
    for searches in range(len(rows)):
        start = searches <= spare
        t = wide(rows[searches])
        found = spread(s, f, t, family, start, listed, most)
        listed = 0
        for i in range(found):
            p = f.found[i]
            if f.hits[p] > searches - spare and s.cost[p] <= highest:
                f.found[listed] = p
                listed += 1
            else:
                f.family[p] = 0
        if listed == 0:
            return 0
    return listed


@numba.njit(cache=True)
def _fill(s: State, f: Search, q: int, rows: Small, spare: int) -> bool:
    """A block more in q by chains from the rows; all but ``spare`` must have one."""
    set_blocks(s, q, max(wide(s.blocks[q]) + 1, s.k // s.l))
    i = 0
    while s.size[q] < need(s, wide(s.blocks[q])):
        while i < len(rows) and s.waits[rows[i]] == 0:
            i += 1
        if i == len(rows):
            return False
        if not bring(s, f, wide(rows[i]), q, _CHAIN):
            spare -= s.waits[rows[i]]
            if spare < 0:
                return False
            i += 1
    return True
