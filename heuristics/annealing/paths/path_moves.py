"""Moves for 2-anonymity: a group breaks up, and its rows go along alternating paths."""

import numpy as np

from starmin.heuristics.acceptance.metropolis import most_increase
from starmin.heuristics.annealing.annealing_changes import (
    leaves_release,
    logged_change,
    move_row,
    shift,
    take_back,
)
from starmin.heuristics.annealing.annealing_state import State, wide
from starmin.heuristics.annealing.paths.path_labels import (
    AT,
    JOINED,
    SOURCE,
    TAKEN,
    Labels,
)
from starmin.heuristics.annealing.paths.path_search import find_path
from starmin.heuristics.annealing.pattern_moves import settle, some_pattern
from starmin.instances.loops.compiled import compiled, inner

_ROUNDING = 1e-6  # Changes in cost are whole, distances are not.


@compiled
def move_along_paths(
    s: State, w: Labels, moves: int, temperature: float, star: float
) -> None:
    """Break up pairs, and take back what costs too much.

    A row of a random type leaves its pattern, ``moves`` times; where only one row would
    be left there, that one leaves, too. Each goes along the cheapest alternating path.
    Paths change what no chain of better and better groups does, so that few groups stay
    dearer than the prices of their rows.

    ``s``, the state of a release, for k = 2 alone, and its labels ``w`` are updated.
    ``temperature`` is the mean increase in cost that is accepted, in the unit of costs,
    and ``star`` the mean cost of a star.
    """
    for _ in range(moves):
        t = np.random.randint(len(s.nodes.first_of_type))
        p = some_pattern(s, t)
        if s.patterns.cost[p] > 0:
            allowed = most_increase(temperature, np.random.random())
            _move(s, w, t, p, allowed + _ROUNDING, star)
    settle(s)


@inner
def _move(s: State, w: Labels, t: int, p: int, allowed: float, star: float) -> None:
    """Let a row of type t leave p, and its partner where it has one alone."""
    orphanage, slack, steps = (
        len(s.patterns.cost),
        s.params.path_slack * star,
        s.params.steps,
    )
    s.log.size[0] = 0
    budget = allowed + s.patterns.cost[p] - s.worth.price[t]
    pair = s.held.load[p] == 2
    if pair:
        budget = (
            allowed + s.held.excess[p] + slack
        )  # The other path may gain something.
    shift(s, t, p, orphanage, 1)
    if pair:
        shift(s, wide(s.nodes.type[s.nodes.first_of_group[p]]), p, orphanage, 1)
    placed = find_path(s, w, t, budget, slack, steps) and follow_path(s, w, t)
    if placed and s.held.load[orphanage] > 0:
        t = wide(s.nodes.type[s.nodes.first_of_group[orphanage]])
        budget = allowed - logged_change(s) - s.worth.price[t]
        placed = find_path(s, w, t, budget, slack, steps) and follow_path(s, w, t)
    if not placed or logged_change(s) > allowed or not leaves_release(s):
        take_back(s, 0)


@inner
def follow_path(s: State, w: Labels, root: int) -> bool:
    """Move the rows of the path found for an orphan; whether it could be followed.

    It cannot where it takes the same row twice. ``root`` is the type of the orphan;
    ``s`` is updated.
    """
    orphanage, steps, at = len(s.patterns.cost), 0, w.end[AT]
    while at != orphanage:
        w.path[steps] = at
        steps += 1
        at = w.parent[at]
    exposed = root
    for i in range(steps - 1, -1, -1):
        p = w.path[i]
        shift(s, exposed, orphanage, wide(w.joined[p]), 1)
        if w.taken[p] >= 0 and not move_row(s, wide(w.taken[p]), p, wide(w.joined[p])):
            return False
        exposed = wide(w.exposed[p])
        if not move_row(s, exposed, p, orphanage):
            return False
    shift(s, exposed, orphanage, wide(w.end[JOINED]), 1)
    if w.end[TAKEN] < 0:
        return True
    joined, source = wide(w.end[JOINED]), wide(w.end[SOURCE])
    return bool(move_row(s, wide(w.end[TAKEN]), source, joined))
