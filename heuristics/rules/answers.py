"""Rows that answer each other: what a row shows goes by what the others show."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.rules.rows import CHANGED, FEW, Rows, hide
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.minima import code_at, sum_costs

CLOSED = 1 << 45  # more than all other prices of a row come to, less than RARE
WHOLE = 256  # the scale at which prices count in full
_LOOKED_AT = 8
_LEAST_STEPS = 300
_MOST_ASKED = 128  # types that do not show an item, at a time


class Guide(NamedTuple):
    """What a row pays beside its stars."""

    prices: Ints  # of what it shows, by entry
    # by item: of being farther from no rows, or from enough of them, by one; below 0
    # what a row gets for showing it while too few do
    weights: Ints
    touched: Ints  # items whose weights are not the first ones, after their number
    # first, step, most: the first weight, what is added while too few rows show an
    # item, and the weight from which on no row may show it
    first: int
    step: int
    most: int
    least: Ints  # what a row pays at least in stars and prices, by type
    star: int  # the mean cost of a star
    own: Ints  # own, work: room for prices of a row, and for the costs of its sets
    work: Ints
    # one number, which all guides of a search share: not 0 once the time is over; loops
    # over rows then break off
    ended: Ints


@inner
def _tent(x: int, need: int) -> int:
    """Return how far a number of rows is from none, or from enough."""
    return min(x, max(need - x, 0))


@inner
def answer(rows: Rows, guide: Guide, r: int, scale: int) -> bool:
    """Let a row show what costs least; return whether that is something else.

    Beside its stars it pays the prices, at a scale, and for each item its weight times
    what it makes that farther from no rows or from enough.
    """
    choices, t, code = rows.choices, rows.owner[r], rows.codes[r]
    own = guide.own
    for e in range(choices.starts[t], choices.starts[t + 1]):
        i = choices.item[e]
        if i < 0:
            continue
        weight, need, x = guide.weights[i], rows.need[i], rows.shown[i]
        if weight >= guide.most:
            own[e] = CLOSED
            continue
        own[e] = guide.prices[e] * scale // WHOLE
        if code & choices.care[e] == choices.want[e]:
            x -= 1
        if x < need:
            farther = 1 if weight < 0 else _tent(x + 1, need) - _tent(x, need)
            own[e] += weight * farther
    sets, sums = sums_at(rows, guide, t)
    best = 0
    for place in range(1, sets):
        if sums[place] < sums[best]:
            best = place
    if sums[place_of(rows, t, code)] <= sums[best]:
        return False
    hide(rows, r, code_at(choices, t, best, rows.offsets))
    return True


@inner
def sums_at(rows: Rows, guide: Guide, t: int) -> tuple[int, Ints]:
    """Return how many sets a type may show, and what each costs at its own prices."""
    sets = sum_costs(rows.choices, rows.costs, guide.own, t, guide.work)
    sums = guide.work[0]
    if rows.once:
        for place in range(sets):
            if place or rows.choices.base[t] != 0:
                sums[place] += rows.once
    return sets, sums


@inner
def place_of(rows: Rows, t: int, code: int) -> int:
    """Return the place of a code among the sets of a type."""
    choices, place, stride = rows.choices, 0, 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        level, bits = -choices.low[x], code & rows.bits[choices.axis[x]]
        while bits:
            bits &= bits - 1
            level += 1
        place += stride * level
        stride *= choices.size[x]
    return place


@inner
def stride_of(rows: Rows, i: int) -> int:
    """Return how many types of an item come to one that is asked at a time."""
    return int(1 + (rows.starts[i + 1] - rows.starts[i]) // _MOST_ASKED)


@inner
def is_asked(rows: Rows, r: int, i: int, x: int, stride: int, turn: int) -> bool:
    """Check whether a row shows an item, or it is the turn of its type to answer.

    Rules by classes have items that nearly all rows may show, and few do.
    """
    e = rows.entries[x]
    if (x - rows.starts[i] + turn) % stride == 0:
        return True
    return bool(rows.codes[r] & rows.choices.care[e] == rows.choices.want[e])


@inner
def weigh(guide: Guide, i: int, weight: int) -> None:
    """Give an item a weight of its own."""
    if guide.weights[i] == guide.first and weight != guide.first:
        guide.touched[0] += 1
        guide.touched[guide.touched[0]] = i
    guide.weights[i] = weight


@compiled
def forget(guide: Guide) -> None:
    """Give all items the first weight."""
    guide.weights[:] = guide.first
    guide.touched[0] = 0


@inner
def forget_touched(guide: Guide) -> None:
    """Give items their first weights again."""
    for x in range(1, guide.touched[0] + 1):
        guide.weights[guide.touched[x]] = guide.first
    guide.touched[0] = 0


@compiled
def answer_by_turns(rows: Rows, guide: Guide, rounds: int, seed: int) -> int:
    """Let the rows of what too few show answer; return how much of that is left.

    After each turn these items weigh more.
    """
    np.random.seed(seed)
    marked = np.zeros(len(rows.owner), np.bool_)
    for turn in range(rounds):
        if rows.numbers[FEW] == 0:
            break
        rows.numbers[CHANGED] = 0
        marked[:] = False
        for x in range(rows.numbers[FEW]):
            i = rows.few[x]
            # At most, no row may show it any more: that is left to the repair.
            weigh(guide, i, min(guide.weights[i] + guide.step, guide.most - 1))
            stride = stride_of(rows, i)
            for y in range(rows.starts[i], rows.starts[i + 1]):
                t = rows.entry_owner[rows.entries[y]]
                for r in range(rows.row_starts[t], rows.row_starts[t + 1]):
                    if is_asked(rows, r, i, y, stride, turn):
                        marked[r] = True
        for r in np.random.permutation(len(marked)):
            if guide.ended[0]:
                return int(rows.numbers[FEW])
            if marked[r]:
                answer(rows, guide, r, WHOLE)
    return int(rows.numbers[FEW])


@compiled
def fill_up(rows: Rows, guide: Guide, seed: int) -> None:
    """Let all rows show what they may without making anything rarer than it may be."""
    np.random.seed(seed)
    guide.weights[:] = guide.most - 1
    changed = True
    while changed:
        changed = False
        rows.numbers[CHANGED] = 0
        for r in np.random.permutation(len(rows.owner)):
            if guide.ended[0]:
                changed = False
                break
            if answer(rows, guide, r, 0):
                changed = True
    guide.weights[:] = guide.first
    guide.touched[0] = 0


@compiled
def repair_all(rows: Rows, guide: Guide, rounds: int) -> bool:
    """Repair, whatever that changes; return whether nothing is left to repair."""
    for _ in range(rounds):
        if guide.ended[0]:
            break
        rows.numbers[CHANGED] = 0
        if repair(rows, guide, WHOLE, len(rows.changed) // 2, 1):
            return True
    return bool(rows.numbers[FEW] == 0)


@inner
def repair(rows: Rows, guide: Guide, scale: int, limit: int, haste: int) -> bool:
    """Let rows answer until each item is shown by enough rows or by none.

    The weight of an item that too few rows show grows until they do, or until no row
    may show it, by ``haste`` steps at a time. Returns False where that did not end
    within ``limit`` changes, or in time.
    """
    steps = 0
    while rows.numbers[FEW]:
        i = rows.few[0]
        for x in range(1, min(_LOOKED_AT, rows.numbers[FEW])):
            if guide.weights[rows.few[x]] < guide.weights[i]:
                i = rows.few[x]
        weigh(guide, i, max(guide.weights[i], 0) + haste * guide.step)
        steps += 1
        if steps > _LEAST_STEPS + limit:
            return False
        stride = stride_of(rows, i)
        for x in range(rows.starts[i], rows.starts[i + 1]):
            t = rows.entry_owner[rows.entries[x]]
            for r in range(rows.row_starts[t], rows.row_starts[t + 1]):
                if rows.place[i] < 0:
                    break
                if guide.ended[0]:
                    return False
                if not is_asked(rows, r, i, x, stride, steps):
                    continue
                if answer(rows, guide, r, scale) and rows.numbers[CHANGED] >= limit:
                    return False
    return True
