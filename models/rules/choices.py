"""What each row type may show, laid out for loops."""

from typing import NamedTuple

import numpy as np

from starmin.instances import NotSupportedError
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.axes import Axes, Reduced, Terms

MOST_SETS = 2**16  # of axes that a row type may show, and of levels of these


class Choices(NamedTuple):
    """What row types may show: each has a part of every list below.

    The vectors of levels of a type's open axes are its *sets*, numbered with the first
    axis fastest; ``places`` are such numbers. A type shows an item under a code if
    ``code & care == want``.
    """

    types: Ints  # the row types of the table, by number
    base: Ints  # by type: the bits that are set in any case
    # axis_starts, axis, low, size: open axes by type, with the lowest level and the
    # number of levels of each
    axis_starts: Ints
    axis: Ints
    low: Ints
    size: Ints
    # dead_starts, dead: places of the least sets that must not be shown
    dead_starts: Ints
    dead: Ints
    # starts, item, care, want, place, term: what may be shown by type: the item (-1:
    # never), and the place of the least set that shows it
    starts: Ints
    item: Ints
    care: Ints
    want: Ints
    place: Ints
    term: Ints
    cost: Ints  # types x axes: the list of costs in each axis
    # block_starts, block, sizes: of rules by classes, whose items stand together: by
    # type where these begin, and the number of levels of their axes
    block_starts: Ints
    block: Ints
    sizes: Ints


class _Given(NamedTuple):
    """What the layout is made of: as in Terms, Reduced and Axes."""

    types: Ints
    item: Int32s
    rare: Bools
    alive: Bools
    contested: Bools
    best: Ints
    care: Ints
    want: Ints
    by_rows: Ints  # terms of rules by rows, small ones first
    by_classes: Ints  # terms of rules by classes, those of a rule beside each other
    rule: Ints
    bits: Ints
    levels: Ints
    offsets: Ints


def list_choices(
    terms: Terms, reduced: Reduced, axes: Axes, types: Ints, cost: Ints
) -> Choices:
    """Lay out what some types may show, given the lists of costs of all types.

    NotSupportedError where a type has too many open columns.
    """
    care = terms.care & ~np.int64(axes.kept_bits)
    by_classes = np.isin(terms.rule, terms.rule[terms.want != 0])
    by_size = np.argsort(np.bitwise_count(care), kind="stable")
    given = _Given(
        types,
        terms.item,
        reduced.rare,
        reduced.alive,
        reduced.contested,
        reduced.best,
        care,
        terms.want,
        by_size[~by_classes[by_size]],
        np.flatnonzero(by_classes),
        terms.rule,
        axes.bits,
        axes.sizes,
        axes.offsets,
    )
    sizes = np.zeros((len(given.types) + 1, 4), np.int64)
    most = _measure(given, sizes)
    if most > MOST_SETS:
        raise NotSupportedError(
            f"A row may show {most:,} sets of columns, and at most {MOST_SETS:,} are "
            "looked at; name fewer columns"
        )
    starts = np.ascontiguousarray(np.cumsum(sizes, axis=0).T)
    axis, dead, item, block = starts[:, -1].tolist()
    choices = Choices._make(
        (
            given.types,
            given.best[given.types],
            starts[0],
            *np.zeros((3, axis), np.int64),
            starts[1],
            np.zeros(dead, np.int64),
            starts[2],
            *np.zeros((5, item), np.int64),
            np.ascontiguousarray(cost[types]),
            starts[3],
            np.zeros(block, np.int64),
            np.ones((block, len(axes.units)), np.int64),
        )
    )
    _write(given, choices)
    return choices


@inner
def rare_sets(item: Int32s, rare: Bools, care: Ints, order: Ints, dead: Ints) -> int:
    """Write the least sets that a type must not show to ``dead``; return how many."""
    found = 0
    for e in order:
        if item[e] < 0 or not rare[item[e]]:
            continue
        least = True
        for d in range(found):
            if dead[d] & ~care[e] == 0:
                least = False
                break
        if least:
            dead[found] = care[e]
            found += 1
    return found


@inner
def _open_axes(given: _Given, t: int, dead: Ints, found: int) -> int:
    """Return the bits of the axes that something is open on for a type."""
    active, best = 0, given.best[t]
    for d in range(found):
        if dead[d] & best == 0:
            active |= dead[d]
    for e in given.by_rows:
        if given.alive[t, e] and given.contested[given.item[t, e]]:
            active |= given.care[e]
    for e in given.by_classes:
        active |= given.care[e]
    bits = 0
    for a in range(len(given.bits)):
        own = given.bits[a]
        if active & own and best & own != own:
            bits |= own
    return bits


@compiled
def _measure(given: _Given, sizes: Ints) -> int:
    """Count open axes, sets not to be shown, items and blocks of each type."""
    dead, most = np.empty(len(given.care), np.int64), 1
    for i, t in enumerate(given.types):
        found = rare_sets(given.item[t], given.rare, given.care, given.by_rows, dead)
        bits, sets = _open_axes(given, t, dead, found), 1
        for a in range(len(given.bits)):
            if bits & given.bits[a]:
                sizes[i + 1, 0] += 1
                sets *= given.levels[a] - _level(given.best[t], given.bits[a])
                sets = min(sets, 1 << 40)
        most = max(most, sets)
        for d in range(found):
            if dead[d] & given.best[t] == 0:
                sizes[i + 1, 1] += 1
        for e in given.by_rows:
            if given.alive[t, e] and given.contested[given.item[t, e]]:
                sizes[i + 1, 2] += 1
        last = -1
        for e in given.by_classes:
            if given.rule[e] == last:
                continue
            last, states = given.rule[e], 1
            for a in range(len(given.bits)):
                if given.care[e] & bits & given.bits[a]:
                    states *= given.levels[a] - _level(given.best[t], given.bits[a])
            sizes[i + 1, 2] += states
            sizes[i + 1, 3] += 1
    return most


@inner
def _level(code: int, own: int) -> int:
    """Return the level of an axis in a code, by the bits of the axis."""
    level, code = 0, code & own
    while code:
        code &= code - 1
        level += 1
    return level


@compiled
def _write(given: _Given, choices: Choices) -> None:
    dead = np.empty(len(given.care), np.int64)
    for i, t in enumerate(given.types):
        found = rare_sets(given.item[t], given.rare, given.care, given.by_rows, dead)
        bits = _open_axes(given, t, dead, found)
        at = choices.axis_starts[i]
        for a in range(len(given.bits)):
            if bits & given.bits[a]:
                low = _level(given.best[t], given.bits[a])
                choices.axis[at], choices.low[at] = a, low
                choices.size[at] = given.levels[a] - low
                at += 1
        at = choices.dead_starts[i]
        for d in range(found):
            if dead[d] & given.best[t] == 0:
                choices.dead[at] = _place(given, choices, i, dead[d])
                at += 1
        at = choices.starts[i]
        for e in given.by_rows:
            if given.alive[t, e] and given.contested[given.item[t, e]]:
                choices.item[at], choices.term[at] = given.item[t, e], e
                choices.care[at], choices.want[at] = given.care[e], 0
                choices.place[at] = _place(given, choices, i, given.care[e])
                at += 1
        _write_blocks(given, choices, i, t, at)


@inner
def _place(given: _Given, choices: Choices, i: int, care: int) -> int:
    """Return the place of the least set that shows what some bits stand for."""
    place, stride = 0, 1
    for x in range(choices.axis_starts[i], choices.axis_starts[i + 1]):
        a, size = choices.axis[x], choices.size[x]
        own = care & given.bits[a]
        level = size - 1
        if own:
            level = 0
            while not own >> (given.offsets[a] + choices.low[x] + level) & 1:
                level += 1
        place += stride * level
        stride *= size
    return place


@inner
def _write_blocks(given: _Given, choices: Choices, i: int, t: int, at: int) -> None:
    """Write the items of rules by classes, each rule with all levels of its axes."""
    block, last = choices.block_starts[i], -1
    for e in given.by_classes:
        if given.rule[e] == last:
            continue
        last, states, axes = given.rule[e], 1, 0
        for x in range(choices.axis_starts[i], choices.axis_starts[i + 1]):
            if given.care[e] & given.bits[choices.axis[x]]:
                choices.sizes[block, axes] = choices.size[x]
                states *= choices.size[x]
                axes += 1
        choices.block[block] = at
        for state in range(states):
            _write_state(given, choices, i, t, e, state, at + state)
        at += states
        block += 1


@inner
def _write_state(
    given: _Given, choices: Choices, i: int, t: int, first: int, state: int, at: int
) -> None:
    """Write the item of a rule by classes at some levels of its open axes."""
    care = given.care[first]
    want, place, stride = given.best[t] & care, 0, 1
    for x in range(choices.axis_starts[i], choices.axis_starts[i + 1]):
        a, size = choices.axis[x], choices.size[x]
        level = size - 1
        if care & given.bits[a]:
            level = state % size
            state //= size
            want &= ~given.bits[a]
            want |= ((1 << (choices.low[x] + level)) - 1) << given.offsets[a]
        place += stride * level
        stride *= size
    term = first
    while given.want[term] != want:
        term += 1
    item = given.item[t, term]
    alive = given.alive[t, term] and given.contested[item]
    choices.item[at] = item if alive else -1
    choices.care[at], choices.want[at] = care, want
    choices.place[at], choices.term[at] = place, term
