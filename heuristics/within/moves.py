"""The compiled loop of annealing: whole classes change their pattern."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.acceptance.metropolis import most_increase
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner


class Dealt(NamedTuple):
    """Which pattern each atom is dealt to, with the patterns' atoms as linked lists."""

    pattern: Ints  # by atom
    rows: Ints  # by pattern: how many rows its atoms have
    head: Ints  # by pattern: its first atom; -1: it has none
    after: Ints  # after, before: by atom: its neighbours in the list; -1: none
    before: Ints


class FittingAtoms(NamedTuple):
    """The patterns, the atoms that fit, and for each atom its patterns."""

    start: Ints  # start, atom: the atoms that fit a pattern, by pattern
    atom: Ints
    # first, choice: the patterns that an atom fits, by atom, the most promising ones
    # first
    first: Ints
    choice: Ints
    cost: Ints  # of a row, by pattern
    size: Ints  # by atom
    least: int  # how many rows a pattern that is used has


@inner
def deal(dealt: Dealt, a: int, rows: int, to: int) -> None:
    """Deal an atom, which has so many rows, to another pattern."""
    pattern, total, head, after, before = dealt
    left, right, at = before[a], after[a], pattern[a]
    if left >= 0:
        after[left] = right
    else:
        head[at] = right
    if right >= 0:
        before[right] = left
    total[at] -= rows
    total[to] += rows
    pattern[a], before[a], after[a] = to, -1, head[to]
    if head[to] >= 0:
        before[head[to]] = a
    head[to] = a


@inner
def recruit(fitting: FittingAtoms, dealt: Dealt, to: int, left: int) -> int:
    """Return the atom that most cheaply joins a pattern which lacks rows; -1: none.

    It may come from where enough rows stay, or none; or from the pattern ``left``,
    where too few stay in any case.
    """
    start, atom, _, _, cost, size, least = fitting
    best, found, lack = np.inf, -1, least - dealt.rows[to]
    for e in range(start[to], start[to + 1]):
        b = atom[e]
        at = dealt.pattern[b]
        if at == to:
            continue
        rest = dealt.rows[at] - size[b]
        if rest >= least or rest == 0 or (at == left and dealt.rows[at] < least):
            paid = size[b] * (cost[to] - cost[at]) + np.random.random()
            if size[b] < lack:
                paid += lack - size[b]  # what is still to come costs something, too
            if paid < best:
                best, found = paid, b
    return found


@inner
def cheapest_open(fitting: FittingAtoms, dealt: Dealt, a: int, but: int) -> int:
    """Return the cheapest pattern in use that an atom fits, but for one; -1: none."""
    found = -1
    for e in range(fitting.first[a], fitting.first[a + 1]):
        p = fitting.choice[e]
        if p == but or dealt.rows[p] < fitting.least:
            continue
        if found < 0 or fitting.cost[p] < fitting.cost[found]:
            found = p
    return found


@compiled
def anneal(
    fitting: FittingAtoms,
    dealt: Dealt,
    best: Ints,
    values: Ints,
    moved: Ints,
    origin: Ints,
    temperature: float,
    skew: float,
    steps: int,
) -> None:
    """Take so many steps at a temperature.

    An atom is drawn, and a pattern that it fits. If this is not in use it takes in
    others until it has enough rows; if too few rows stay where the atom was, they go to
    the cheapest patterns in use. All this is done, or undone.

    ``fitting`` and ``dealt`` are changed. ``best`` is the cheapest that was found, the
    pattern of each atom, and ``values`` what it costs now, and at best. ``moved`` and
    ``origin``, as long as there are atoms, are to work with. ``temperature`` is in the
    unit of costs; patterns are drawn by the power ``skew`` of a uniform number, first
    ones most often.
    """
    least, cost, size = fitting.least, fitting.cost, fitting.size
    most = len(moved)
    for _ in range(steps):
        a = np.random.randint(len(size))
        many = fitting.first[a + 1] - fitting.first[a]
        drawn = int(many * np.random.random() ** skew)
        to, at = fitting.choice[fitting.first[a] + drawn], dealt.pattern[a]
        if to == at:
            continue
        moved[0], origin[0] = a, at
        done, change, valid = 1, size[a] * (cost[to] - cost[at]), True
        deal(dealt, a, size[a], to)
        while valid and dealt.rows[to] < least:
            b = recruit(fitting, dealt, to, at)
            if b < 0 or done == most:
                valid = False
                break
            moved[done], origin[done] = b, dealt.pattern[b]
            change += size[b] * (cost[to] - cost[dealt.pattern[b]])
            deal(dealt, b, size[b], to)
            done += 1
        while valid and 0 < dealt.rows[at] < least:
            b = dealt.head[at]
            new = cheapest_open(fitting, dealt, b, at)
            if new < 0 or done == most:
                valid = False
                break
            moved[done], origin[done] = b, at
            change += size[b] * (cost[new] - cost[at])
            deal(dealt, b, size[b], new)
            done += 1
        if valid and change <= most_increase(temperature, np.random.random()):
            values[0] += change
            if values[0] < values[1]:
                values[1] = values[0]
                best[:] = dealt.pattern
            continue
        for i in range(done - 1, -1, -1):
            deal(dealt, moved[i], size[moved[i]], origin[i])
