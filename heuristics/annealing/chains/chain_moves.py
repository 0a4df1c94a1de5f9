"""Moves for small k: a group breaks up, and its rows go along ejection chains."""

import numpy as np

from starmin.heuristics.acceptance.metropolis import most_increase
from starmin.heuristics.annealing.annealing_changes import (
    leaves_release,
    logged_change,
    shift,
    take_back,
)
from starmin.heuristics.annealing.annealing_state import NONE, State, wide
from starmin.heuristics.annealing.chains.chain_labels import ChainLabels
from starmin.heuristics.annealing.chains.chain_search import find_chain
from starmin.heuristics.annealing.chains.following import follow_chain, move_all
from starmin.heuristics.annealing.pattern_moves import settle, some_pattern
from starmin.instances.loops.compiled import compiled, inner

_ROUNDING = 1e-6  # Changes in cost are whole, distances are not.


@compiled
def move_along_chains(
    s: State, w: ChainLabels, moves: int, temperature: float, star: float
) -> None:
    """Break up groups, and take back what costs too much.

    A row of a random type leaves its pattern, ``moves`` times. Where too few are left
    there, either the pattern finds another row and the row another place, in either
    order, or all its rows find other places, one after the other: each by the cheapest
    chain.

    ``s``, the state of a release, for k-anonymity alone, and its labels ``w`` are
    updated. ``temperature`` is the mean increase in cost that is accepted, in the unit
    of costs, and ``star`` the mean cost of a star.
    """
    for _ in range(moves):
        t = np.random.randint(len(s.nodes.first_of_type))
        p = some_pattern(s, t)
        if s.patterns.cost[p] > 0:
            allowed = most_increase(temperature, np.random.random()) + _ROUNDING
            s.log.size[0] = 0
            done = _break_up(s, w, t, p, allowed, s.params.path_slack * star)
            if not done or logged_change(s) > allowed or not leaves_release(s):
                take_back(s, 0)
    settle(s)


@inner
def _break_up(
    s: State, w: ChainLabels, t: int, p: int, allowed: float, slack: float
) -> bool:
    """Let a row of type t leave p, and mend what that breaks; whether that is done."""
    orphanage, none, whole = len(s.patterns.cost), wide(NONE), s.held.load[p] > s.k
    shift(s, t, p, orphanage, 1)
    if whole:
        return bool(_chain(s, w, False, t, none, none, allowed, slack))
    choice = np.random.randint(3)
    if choice == 0:
        if not _chain(s, w, True, p, t, p, allowed, slack):
            return False
        if s.held.load[orphanage] == 0:
            return True
        return bool(_chain(s, w, False, t, none, none, allowed, slack))
    if choice == 1:
        if not _chain(s, w, False, t, p, p, allowed, slack):
            return False
        if s.held.load[p] == 0 or s.held.load[p] >= s.k:
            return True
        return bool(_chain(s, w, True, p, none, p, allowed, slack))
    move_all(s, p, orphanage)
    while s.held.load[orphanage] > 0:
        t = wide(s.nodes.type[s.nodes.first_of_group[orphanage]])
        if not _chain(s, w, False, t, none, none, allowed, slack):
            return False
    return True


@inner
def _chain(
    s: State,
    w: ChainLabels,
    lacks: bool,
    root: int,
    other: int,
    lacking: int,
    allowed: float,
    slack: float,
) -> bool:
    """Find a chain and follow it; whether there is one that does not cost too much."""
    budget, node = (
        allowed - logged_change(s),
        s.nodes.first_of_group[len(s.patterns.cost)],
    )
    while node >= 0:
        budget -= s.nodes.copies[node] * s.worth.price[s.nodes.type[node]]
        node = s.nodes.next_of_group[node]
    if lacking >= 0:
        budget += s.held.excess[lacking]
    last = s.held.load[len(s.patterns.cost)] + (1 if lacking >= 0 else 0) == 1
    if not last:
        budget += slack  # Another chain may gain something.
    found = find_chain(s, w, lacks, root, other, budget, slack, s.params.steps)
    return bool(found and follow_chain(s, w, lacks, root))
