"""Moves along ejection chains: a pattern closes, another opens, rows are re-inserted.

A pattern gives up a *block*, l rows without which it still satisfies the requirement,
or all its rows; a new block of these rows opens in another pattern.
"""

import numpy as np

from starmin.heuristics.acceptance.metropolis import most_increase
from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.ejection_chains.breadth_first import Search
from starmin.heuristics.ejection_chains.chain_changes import (
    keep_changes,
    need,
    set_blocks,
    take_back,
)
from starmin.heuristics.ejection_chains.chain_state import (
    COST,
    STAMP,
    USED,
    WAITING,
    State,
)
from starmin.heuristics.ejection_chains.insertion import (
    insert_by_chain,
    insert_near,
    reachable_patterns,
)
from starmin.heuristics.ejection_chains.removal import (
    give_up,
    send_away,
    some_pattern,
)
from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import compiled, inner


@compiled
def exchange_along_chains(
    s: State, f: Search, moves: int, temperature: float, star: float
) -> int:
    """Propose moves and take back those that cost too much; return the change in cost.

    ``s`` and the scratch ``f`` are updated. ``temperature`` is the mean increase in
    cost that is accepted, in the unit of costs, and ``star`` the mean cost of a star.
    """
    before = s.heads[COST]
    for _ in range(moves):
        allowed = most_increase(temperature, np.random.random())
        start = s.heads[COST]
        if _move(s, f, allowed, star) and s.heads[COST] - start <= allowed:
            keep_changes(s)
        else:
            take_back(s, 0)
    return int(s.heads[COST] - before)


@inner
def _move(s: State, f: Search, allowed: float, star: float) -> bool:
    """Move a block, or a row that can be spared; return whether no row is left."""
    p = some_pattern(s, star)
    if s.size[p] > need(s, wide(s.blocks[p])) and np.random.random() < s.params.spared:
        send_away(s, p)
    elif s.cost[p] == 0:
        return False
    else:
        rows = max(s.k, s.l)
        spare = give_up(s, p) - rows
        if spare >= 0:
            highest = s.cost[p] + allowed / rows
            _new_block(s, f, p, spare, highest, star, _width(s))
    while s.heads[WAITING] > 0:
        if not insert_near(s, f, wide(s.waiting[0]), s.params.place_steps):
            return False
    return True


@inner
def _width(s: State) -> int:
    """Draw how many steps to look for patterns."""
    most = s.params.narrow
    while most < s.params.wide and np.random.random() < 0.5:
        most *= 2
    return most


@inner
def _new_block(
    s: State,
    f: Search,
    given_up: int,
    spare: int,
    highest: float,
    star: float,
    most: int,
) -> None:
    """Open a block for the rows that wait, all but ``spare``, in a cheap pattern.

    Patterns are tried that each of the rows can get to by itself, cheap and near ones
    first. Whether all of them can at a time is seen when they do.

    ``s`` and the scratch ``f`` are updated. The rows come from pattern ``given_up``; no
    pattern is tried that costs more than ``highest``, each search takes ``most`` steps,
    and ``star`` is the mean cost of a star.
    """
    rows = _hardest_first(s)
    listed = _candidates(s, f, rows, given_up, spare, highest, most)
    for i in range(listed):
        p = f.found[i]
        noise = s.params.noise * np.random.exponential()
        f.rank[i] = s.cost[p] / star + noise + f.depth[p] / len(rows)
    for _ in range(min(s.params.tries, listed)):
        best = np.argmin(f.rank[:listed])
        f.rank[best] = np.inf
        mark = wide(s.heads[USED])
        if _fill(s, f, wide(f.found[best]), rows, spare):
            return
        take_back(s, mark)


@inner
def _hardest_first(s: State) -> Int32s:
    """Return the types that wait, those with the highest price first."""
    rows = s.waiting[: s.heads[WAITING]]
    return rows[np.argsort(-s.price[rows])]


@inner
def _candidates(
    s: State,
    f: Search,
    rows: Int32s,
    given_up: int,
    spare: int,
    highest: float,
    most: int,
) -> int:
    """List the patterns that all but ``spare`` of the rows can get to; return how many.

    Parameters are those of ``_new_block``, ``rows`` the types that wait.
    """
    listed, family = 0, s.heads[STAMP] + 1
    f.family[given_up] = family
    for searches in range(len(rows)):
        start = searches <= spare
        t = wide(rows[searches])
        found = reachable_patterns(s, f, t, family, start, listed, most)
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


@inner
def _fill(s: State, f: Search, q: int, rows: Int32s, spare: int) -> bool:
    """Open a block in q by chains from all but ``spare`` rows; return whether it is."""
    set_blocks(s, q, max(wide(s.blocks[q]) + 1, s.k // s.l))
    i = 0
    while s.size[q] < need(s, wide(s.blocks[q])):
        while i < len(rows) and s.waits[rows[i]] == 0:
            i += 1
        if i == len(rows):
            return False
        if not insert_by_chain(s, f, wide(rows[i]), q, s.params.chain_steps):
            spare -= s.waits[rows[i]]
            if spare < 0:
                return False
            i += 1
    return True
