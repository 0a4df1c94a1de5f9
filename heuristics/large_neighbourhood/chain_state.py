"""Rows dealt to patterns block by block, with changes that can be taken back."""

from typing import NamedTuple

import numba
import numpy as np

from heuristics.annealing.state import Floats, Ints, Small, wide
from models.patterns.patterns import Patterns

USED, WAITING, COST, STAMP = 0, 1, 2, 3  # places in State.heads
_CHANGES = 1 << 16  # that one move may log beside those of the block it gives up
_STEP = 4  # changes at most, between two looks at what the log may hold


class State(NamedTuple):
    """Copies of row types dealt to patterns, and what compiled loops need beside.

    A pattern of h *blocks* holds at least ``max(k, l h)`` rows, and no value oftener
    than h times. A pattern without a block holds none. Rows that are in no pattern
    *wait*.

    Attributes
    ----------
    k, l
        The requirement.
    cost
        Of the patterns.
    pattern, type
        Of the incidences.
    value, price
        The sensitive value of each type, and what a copy of it is worth.
    segments, by_value, place_by_value, used_by_value
        The incidences of pattern p with value v begin in ``by_value`` at
        ``segments[p, v]``, the next value's after them; ``used_by_value[p, v]`` of
        them hold copies and come first. Where each incidence is.
    starts, by_type, place_by_type, used_by_type
        The same for the incidences of each type.
    copies
        By incidence.
    tally, size, blocks
        Copies of each value in each pattern, all of them, and h.
    waits, waiting, place_waiting
        Copies of each type that wait; the types that have some; where each is.
    log, heads
        Changes since the last move began, to take them back; how many there are,
        how many types wait, what all copies cost, and the last number of a search.
    """

    k: int
    l: int
    cost: Ints
    pattern: Small
    type: Small
    value: Small
    price: Floats
    segments: Small
    by_value: Small
    place_by_value: Small
    used_by_value: Small
    starts: Small
    by_type: Small
    place_by_type: Small
    used_by_type: Small
    copies: Ints
    tally: Small
    size: Small
    blocks: Small
    waits: Small
    waiting: Small
    place_waiting: Small
    log: Small
    heads: Ints


def block_state(
    patterns: Patterns, values: Small, prices: Floats, k: int, l: int, loads: Ints
) -> State:
    """The state of a release.

    Parameters
    ----------
    patterns
        What rows can be groups of.
    values, prices
        The sensitive value of each type, and what a copy of it is worth.
    k, l
        The requirement, l > 1.
    loads
        The release, as copies by incidence of ``patterns``.
    """
    m, count = len(values), len(patterns)
    value = values.astype(np.int32)
    distinct = int(value.max()) + 1
    own = value[patterns.types]
    cell = patterns.pattern.astype(np.int64) * distinct + own
    unused = loads == 0

    def by_cell(weights: Ints) -> Small:
        filled = np.bincount(cell, weights, count * distinct)
        return filled.reshape(count, distinct).astype(np.int32)

    lengths = by_cell(np.ones_like(loads))
    ends = np.cumsum(lengths, axis=1) + patterns.starts[:-1, None]
    segments = np.concatenate([patterns.starts[:-1, None], ends], axis=1)
    by_value = np.lexsort((unused, cell)).astype(np.int32)
    by_type = np.lexsort((unused, patterns.types)).astype(np.int32)
    fits = np.bincount(patterns.types, minlength=m)
    tally = by_cell(loads)
    size = tally.sum(axis=1, dtype=np.int32)
    return State(
        k,
        l,
        patterns.cost.astype(np.int64),
        patterns.pattern.astype(np.int32),
        patterns.types.astype(np.int32),
        value,
        prices,
        segments.astype(np.int32),
        by_value,
        _places(by_value),
        by_cell(1 - unused),
        np.concatenate([[0], np.cumsum(fits)]).astype(np.int32),
        by_type,
        _places(by_type),
        np.bincount(patterns.types, ~unused, minlength=m).astype(np.int32),
        loads.astype(np.int64),
        tally,
        size,
        size // np.int32(l),
        np.zeros(m, np.int32),
        np.zeros(m, np.int32),
        np.zeros(m, np.int32),
        np.zeros((_CHANGES + k + 4 * l + distinct, 2), np.int32),
        np.array([0, 0, loads @ patterns.cost[patterns.pattern], 0], np.int64),
    )


def _places(order: Small) -> Small:
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


@numba.njit(cache=True)
def need(s: State, blocks: int) -> int:
    """Rows that a pattern of so many blocks holds at least."""
    return max(s.k, s.l * blocks) if blocks > 0 else 0


@numba.njit(cache=True)
def shift(s: State, incidence: int, copies: int) -> None:
    """So many copies more of the type in the pattern, from those that wait."""
    _shift(s, incidence, copies)
    _note(s, incidence, copies)


@numba.njit(cache=True)
def set_blocks(s: State, p: int, blocks: int) -> None:
    """How many blocks the pattern is to have."""
    _note(s, -1 - p, wide(s.blocks[p]))
    s.blocks[p] = blocks


@numba.njit(cache=True)
def crowded(s: State) -> bool:
    """Whether the log may not hold another step of a chain."""
    return bool(s.heads[USED] + _STEP > len(s.log))


@numba.njit(cache=True)
def take_back(s: State, mark: int) -> None:
    """Undo all changes since the log was so long."""
    while s.heads[USED] > mark:
        s.heads[USED] -= 1
        what, before = s.log[s.heads[USED]]
        if what < 0:
            s.blocks[-1 - what] = before
        else:
            _shift(s, wide(what), -before)


@numba.njit(cache=True)
def keep_changes(s: State) -> None:
    """Forget how to undo them; patterns have as many blocks as their rows allow."""
    for i in range(s.heads[USED]):
        what = s.log[i, 0]
        p = s.pattern[what] if what >= 0 else -1 - what
        while s.blocks[p] > 0 and s.size[p] >= need(s, s.blocks[p] + 1):
            s.blocks[p] += 1
    s.heads[USED] = 0


@numba.njit(cache=True)
def _note(s: State, what: int, number: int) -> None:
    s.log[s.heads[USED], 0] = what
    s.log[s.heads[USED], 1] = number
    s.heads[USED] += 1


@numba.njit(cache=True)
def _shift(s: State, incidence: int, copies: int) -> None:
    p, t = s.pattern[incidence], s.type[incidence]
    v = s.value[t]
    before = s.copies[incidence]
    s.copies[incidence] += copies
    if before == 0:
        _swap(s.by_value, s.place_by_value, incidence, _end_by_value(s, p, v))
        _swap(s.by_type, s.place_by_type, incidence, s.starts[t] + s.used_by_type[t])
        s.used_by_value[p, v] += 1
        s.used_by_type[t] += 1
    elif before == -copies:
        s.used_by_value[p, v] -= 1
        s.used_by_type[t] -= 1
        _swap(s.by_value, s.place_by_value, incidence, _end_by_value(s, p, v))
        _swap(s.by_type, s.place_by_type, incidence, s.starts[t] + s.used_by_type[t])
    s.tally[p, v] += copies
    s.size[p] += copies
    s.heads[COST] += copies * s.cost[p]
    _wait(s, t, -copies)


@numba.njit(cache=True)
def _end_by_value(s: State, p: int, v: int) -> int:
    return int(s.segments[p, v] + s.used_by_value[p, v])


@numba.njit(cache=True)
def _swap(order: Small, places: Small, item: int, place: int) -> None:
    """Bring the item to the place, and what is there to where the item is."""
    other, old = order[place], places[item]
    order[place], order[old] = item, other
    places[item], places[other] = place, old


@numba.njit(cache=True)
def _wait(s: State, t: int, copies: int) -> None:
    """So many copies of t more wait."""
    before = s.waits[t]
    s.waits[t] += copies
    if before == 0:
        s.waiting[s.heads[WAITING]] = t
        s.place_waiting[t] = s.heads[WAITING]
        s.heads[WAITING] += 1
    elif before == -copies:
        s.heads[WAITING] -= 1
        last = s.waiting[s.heads[WAITING]]
        s.waiting[s.place_waiting[t]] = last
        s.place_waiting[last] = s.place_waiting[t]
