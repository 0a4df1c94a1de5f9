"""What each row type may show, laid out for loops."""

from typing import NamedTuple

import numpy as np

from starmin.instances import NotSupportedError
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.axes import Axes, Terms
from starmin.models.rules.reduction import Reduced, rare_sets

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


# What each row type shows at least cost under prices of items.
#
# The cost of every set of a type is summed at once: a price stands at the least set
# that shows its item, and goes to all larger ones axis by axis. Of rules by classes,
# where one item of a block is shown by each set, differences along the axes are
# placed so that the same sums give each set its own.

RARE = 1 << 46  # more than all that a row pays; sums of 2^16 fit 63 bits


@compiled
def row_minima(
    choices: Choices,
    costs: Ints,
    once: int,
    prices: Ints,
    first: int,
    last: int,
    work: Ints,
    values: Ints,
    places: Ints,
) -> None:
    """Write the least cost of types ``first`` to ``last``, and the set that has it.

    ``values`` and ``places``, by type, are written. ``costs`` are lists of costs x
    levels; ``once`` is what a row pays for anything hidden, 0 where ``costs`` say it;
    ``prices`` are of showing an item, by place in ``choices.item``. ``work`` is room:
    two rows of as many numbers as a type has sets.
    """
    for t in range(first, last):
        places[t] = least_place(choices, costs, once, prices, t, work)
        values[t] = work[0, places[t]]


@inner
def least_place(
    choices: Choices, costs: Ints, once: int, prices: Ints, t: int, work: Ints
) -> int:
    """Return the first of the sets of a type that cost least; ``work[0]`` says what."""
    sets = sum_costs(choices, costs, prices, t, work)
    sums, at = work[0], 0
    if once:
        hidden = choices.base[t] != 0
        for place in range(sets):
            if hidden or place:
                sums[place] += once
    least = sums[0]
    for place in range(sets):
        least = min(least, sums[place])
    while sums[at] != least:
        at += 1
    return at


@inner
def sum_costs(choices: Choices, costs: Ints, prices: Ints, t: int, work: Ints) -> int:
    """Write what each set of a type costs to ``work[0]``; return how many there are."""
    sums, sets = work[0], 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        sets *= choices.size[x]
    sums[:sets] = 0
    own = choices.starts[t + 1]
    if choices.block_starts[t] < choices.block_starts[t + 1]:
        own = choices.block[choices.block_starts[t]]
    for e in range(choices.starts[t], own):
        sums[choices.place[e]] += prices[e]
    for d in range(choices.dead_starts[t], choices.dead_starts[t + 1]):
        sums[choices.dead[d]] += RARE
    for b in range(choices.block_starts[t], choices.block_starts[t + 1]):
        _add_block(choices, prices, t, b, work)
    stride, top = 1, sets - 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        size, low = choices.size[x], choices.low[x]
        paid = costs[choices.cost[t, choices.axis[x]], low : low + size]
        sums[top] += paid[size - 1]
        for level in range(size - 1):
            cheaper = paid[level] - paid[level + 1]
            sums[top - (size - 1 - level) * stride] += cheaper
        stride *= size
    _sum_axes(choices, t, sums, sets)
    return sets


@inner
def _sum_axes(choices: Choices, t: int, sums: Ints, sets: int) -> None:
    """Add to each number those of all larger places, axis by axis.

    The short loops of the first axes of two levels are written out, which makes them
    four times as fast.
    """
    stride = 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        size = choices.size[x]
        if size == 2 and stride == 1:
            for p in range(0, sets, 2):
                sums[p] += sums[p + 1]
        elif size == 2 and stride == 2:
            for p in range(0, sets, 4):
                sums[p] += sums[p + 2]
                sums[p + 1] += sums[p + 3]
        elif size == 2 and stride == 4:
            for p in range(0, sets, 8):
                sums[p] += sums[p + 4]
                sums[p + 1] += sums[p + 5]
                sums[p + 2] += sums[p + 6]
                sums[p + 3] += sums[p + 7]
        else:
            for begin in range(0, sets, stride * size):
                for level in range(size - 2, -1, -1):
                    here = begin + level * stride
                    low = sums[here : here + stride]
                    above = sums[here + stride : here + 2 * stride]
                    for p in range(stride):
                        low[p] += above[p]
        stride *= size


@inner
def _add_block(choices: Choices, prices: Ints, t: int, b: int, work: Ints) -> None:
    """Add the items of a rule by classes, of which each set shows exactly one."""
    start = choices.block[b]
    end = choices.starts[t + 1]
    if b + 1 < choices.block_starts[t + 1]:
        end = choices.block[b + 1]
    states, part = end - start, work[1]
    for s in range(states):
        part[s] = RARE if choices.item[start + s] < 0 else prices[start + s]
    stride = 1
    for axis in range(choices.sizes.shape[1]):
        size = choices.sizes[b, axis]
        if size > 1:
            for begin in range(0, states, stride * size):
                for s in range(begin, begin + (size - 1) * stride):
                    part[s] -= part[s + stride]
        stride *= size
    for s in range(states):
        work[0, choices.place[start + s]] += part[s]


@compiled
def codes_of(
    choices: Choices, places: Ints, offsets: Ints, first: int, last: int, codes: Ints
) -> None:
    """Write the bits that are set by the set that each type shows."""
    for t in range(first, last):
        codes[t] = code_at(choices, t, places[t], offsets)


@inner
def code_at(choices: Choices, t: int, place: int, offsets: Ints) -> int:
    """Return the bits that a set of a type has."""
    code = choices.base[t]
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        level = choices.low[x] + place % choices.size[x]
        code |= ((1 << level) - 1) << offsets[choices.axis[x]]
        place //= choices.size[x]
    return int(code)


@compiled
def show_items(
    choices: Choices, codes: Ints, copies: Ints, first: int, last: int, shown: Ints
) -> None:
    """Write how many rows of each type show each item under the codes of types."""
    for t in range(first, last):
        for e in range(choices.starts[t], choices.starts[t + 1]):
            shows = codes[t] & choices.care[e] == choices.want[e]
            shown[e] = copies[t] if shows else 0
