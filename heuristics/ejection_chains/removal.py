"""The first half of a move along chains: a pattern is drawn and gives up rows."""

import numpy as np

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.ejection_chains.chain_changes import need, set_blocks, shift
from starmin.heuristics.ejection_chains.chain_state import State
from starmin.instances.loops.compiled import inner


@inner
def some_pattern(s: State, star: float) -> int:
    """Draw a pattern in use, those oftener whose rows pay much beyond their prices."""
    p = wide(0)
    for _ in range(s.params.draws):
        t = np.random.randint(len(s.value))
        i = s.starts[t] + np.random.randint(s.used_by_type[t])
        p = wide(s.pattern[s.by_type[i]])
        if np.random.random() < s.params.eager * (
            _excess(s, p) / star + s.params.least
        ):
            break
    return int(p)


@inner
def _excess(s: State, p: int) -> float:
    """Return what a row of p pays beyond its price, on average."""
    prices = 0.0
    for v in range(s.tally.shape[1]):
        begin = s.segments[p, v]
        for i in range(begin, begin + s.used_by_value[p, v]):
            incidence = s.by_value[i]
            prices += s.copies[incidence] * s.price[s.type[incidence]]
    return float(s.cost[p] - prices / s.size[p])


@inner
def give_up(s: State, p: int) -> int:
    """Take a block from p, all its rows if too few would stay; return how many wait."""
    before, rows = wide(s.size[p]), max(s.k, s.l)
    blocks = wide(s.blocks[p]) - 1
    set_blocks(s, p, blocks if blocks >= max(1, s.k // s.l) else 0)
    _trim(s, p)
    if s.size[p] < need(s, wide(s.blocks[p])):
        set_blocks(s, p, 0)
        _trim(s, p)
    while before - s.size[p] < rows and s.size[p] > need(s, wide(s.blocks[p])):
        send_away(s, p)
    return int(before - s.size[p])


@inner
def _trim(s: State, p: int) -> None:
    """Take random rows of the values that are too frequent from p."""
    for v in range(s.tally.shape[1]):
        while s.tally[p, v] > s.blocks[p]:
            i = s.segments[p, v] + np.random.randint(s.used_by_value[p, v])
            shift(s, wide(s.by_value[i]), -1)


@inner
def send_away(s: State, p: int) -> None:
    """Take a random row from p."""
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
