"""Carry out an ejection chain: its rows move from pattern to pattern."""

from starmin.heuristics.annealing.annealing_changes import move_row, shift
from starmin.heuristics.annealing.annealing_state import State, wide
from starmin.heuristics.annealing.chains.chain_labels import (
    AT,
    FILL,
    HOW,
    JOIN,
    JOINED,
    SOURCE,
    SPARED,
    SPARED_FROM,
    TAKEN,
    ChainLabels,
)
from starmin.instances.loops.compiled import inner


@inner
def follow_chain(s: State, w: ChainLabels, lacks: bool, root: int) -> bool:
    """Move the rows of the chain that was found; whether it could be followed.

    It cannot where it takes the same row twice. ``root`` is the pattern at which the
    chain begins where it ``lacks`` a row, else the orphan's type. ``s`` is updated, and
    moves are noted in its log.
    """
    orphanage, patterns = len(s.patterns.cost), len(s.patterns.cost) + 1
    steps, at = 0, w.end[AT]
    while at < 2 * patterns:
        w.path[steps] = at
        steps += 1
        at = w.parent[at]
    here = root
    for i in range(steps - 1, -1, -1):
        at, q = wide(w.path[i]), wide(w.joined[w.path[i]])
        if not _bring(s, lacks, here, q):
            return False
        if w.spared[at] >= 0 and not move_row(
            s, wide(w.spared[at]), wide(w.spared_from[at]), q
        ):
            return False
        p, who = at % patterns, wide(w.who[at])
        lacks = at < patterns
        if not move_row(s, who, p, q if lacks else orphanage):
            return False
        if not lacks:
            move_all(s, p, q)
        here = p if lacks else who
    q = wide(w.end[JOINED])
    if w.end[HOW] == JOIN:
        return bool(_bring(s, lacks, here, q))
    if w.end[HOW] != FILL:
        return bool(_scatter(s, q))
    if not _bring(s, lacks, here, q):
        return False
    spared, source = w.end[SPARED], w.end[SPARED_FROM]
    if spared >= 0 and not move_row(s, wide(spared), wide(source), q):
        return False
    return bool(move_row(s, wide(w.end[TAKEN]), wide(w.end[SOURCE]), q))


@inner
def _bring(s: State, lacks: bool, here: int, q: int) -> bool:
    """Move the orphan, or all rows of a pattern that lacks one, to q."""
    if not lacks:
        return bool(move_row(s, here, len(s.patterns.cost), q))
    move_all(s, here, q)
    return True


@inner
def move_all(s: State, p: int, q: int) -> None:
    """Move all rows of p to q."""
    while p != q and s.nodes.first_of_group[p] >= 0:
        node = s.nodes.first_of_group[p]
        shift(s, wide(s.nodes.type[node]), p, q, s.nodes.copies[node])


@inner
def _scatter(s: State, p: int) -> bool:
    """Move each row of p to the cheapest open pattern; whether there is one."""
    while s.nodes.first_of_group[p] >= 0:
        t = wide(s.nodes.type[s.nodes.first_of_group[p]])
        i, last = s.patterns.type_starts[t], s.patterns.type_starts[t + 1]
        while i < last and (
            s.patterns.type_patterns[i] == p
            or s.held.load[s.patterns.type_patterns[i]] < s.k
        ):
            i += 1
        if i == last:
            return False
        shift(s, t, p, wide(s.patterns.type_patterns[i]), 1)
    return True
