"""Rows that answer each other: what a row shows goes by what the others show."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.rules.rows import CHANGED, COST, FEW, Rows, cost_of, hide, undo
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.price_loops import code_at, sum_costs

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
    """Check whether a row shows an item, or the turn of its type has come to answer."""
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
    """Let rows of what too few show answer, each turn weighing more; count the rest."""
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
    forget(guide)


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
    may show it, by ``haste`` steps at a time. False: not within ``limit`` changes or
    the time.
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


_TRIES = 64  # rows that are looked at for one that pays much


@inner
def ask(rows: Rows, guide: Guide, i: int, scale: int, turn: int) -> None:
    """Let the rows that may show an item answer, or some where these are many."""
    stride = stride_of(rows, i)
    for x in range(rows.starts[i], rows.starts[i + 1]):
        t = rows.entry_owner[rows.entries[x]]
        for r in range(rows.row_starts[t], rows.row_starts[t + 1]):
            if guide.ended[0]:
                return
            if is_asked(rows, r, i, x, stride, turn):
                answer(rows, guide, r, scale)


@compiled
def grant_wish(rows: Rows, guide: Guide, scale: int, reward: int, turn: int) -> None:
    """Let a row show a set that costs less, whatever others show.

    Others get something for showing what is then shown by too few, a ``reward`` below
    0. Only what no larger item of the set comprises is asked for: who shows that shows
    its parts. Prices count at ``scale``; ``turn`` says which rows are asked where these
    are many.
    """
    r = _row_that_pays(rows, guide)
    choices, t = rows.choices, rows.owner[r]
    place = _cheaper_place(rows, guide, r, scale)
    if place < 0:
        return
    code = code_at(choices, t, place, rows.offsets)
    hide(rows, r, code)
    first, last = choices.starts[t], choices.starts[t + 1]
    for e in range(first, last):
        i = choices.item[e]
        shows = code & choices.care[e] == choices.want[e]
        if i >= 0 and shows and rows.shown[i] < rows.need[i]:
            weigh(guide, i, reward)
    for e in range(first, last):
        i = choices.item[e]
        if i >= 0 and guide.weights[i] == reward and _is_largest(rows, guide, t, e):
            ask(rows, guide, i, scale, turn)


@inner
def _row_that_pays(rows: Rows, guide: Guide) -> int:
    """Draw a row, rather one that pays much over the least of its type."""
    r = 0
    for _ in range(_TRIES):
        r = np.random.randint(len(rows.owner))
        if paid_over_least(rows, guide, r) > np.random.random() * guide.star:
            break
    return int(r)


@inner
def paid_over_least(rows: Rows, guide: Guide, r: int) -> int:
    """Return what a row pays in stars and prices over the least of its type."""
    choices, t, code = rows.choices, rows.owner[r], rows.codes[r]
    paid = cost_of(rows, t, code)
    for e in range(choices.starts[t], choices.starts[t + 1]):
        if choices.item[e] >= 0 and code & choices.care[e] == choices.want[e]:
            paid += guide.prices[e]
    return int(paid - guide.least[t])


@inner
def _cheaper_place(rows: Rows, guide: Guide, r: int, scale: int) -> int:
    """Draw a set that costs a row less than what it shows, -1 where none does."""
    choices, t, own = rows.choices, rows.owner[r], guide.own
    for e in range(choices.starts[t], choices.starts[t + 1]):
        own[e] = guide.prices[e] * scale // WHOLE
    sets, sums = sums_at(rows, guide, t)
    now = sums[place_of(rows, t, rows.codes[r])]
    found, chosen = 0, -1
    for place in range(sets):
        if sums[place] < now:
            found += 1
            if np.random.randint(found) == 0:
                chosen = place
    return chosen


@inner
def _is_largest(rows: Rows, guide: Guide, t: int, e: int) -> bool:
    """Check whether no item of more columns has the weight of an entry's, too."""
    choices = rows.choices
    weight, care = guide.weights[choices.item[e]], choices.care[e]
    for o in range(choices.starts[t], choices.starts[t + 1]):
        i, other = choices.item[o], choices.care[o]
        if i < 0 or guide.weights[i] != weight or choices.want[o] != 0:
            continue
        if other != care and care & ~other == 0:
            return False
    return True


MOST_CHANGED = 400  # rows by one move
_MOST_REWARD = 30  # steps that showing an item is worth while it is opened
_HASTES = 5  # repairs take steps of 1, 2, 4, .. usual ones


@compiled
def ruin(
    rows: Rows, guide: Guide, items: Ints, moves: int, wishes: float, seed: int
) -> int:
    """Make random moves from a mask that satisfies all rules; return how many gained.

    At first nothing in ``rows`` is shown by too few rows, and the weights of ``guide``
    are the first ones. A share ``wishes`` of the moves let a row show what costs it
    less, and get others to show it too. The rest take an item of ``items``: if no row
    shows it, rows get something for it, else no row may show it, or its rows just
    answer anew.

    They go by prices at a random scale; then what too few show is repaired, by small
    steps or large ones, and the rows that changed show what they may. Moves that cost
    more, or change too much, or are not done in time, are taken back.
    """
    np.random.seed(seed)
    gained = 0
    for _ in range(moves):
        if guide.ended[0]:
            break
        rows.numbers[CHANGED] = 0
        before = rows.numbers[COST]
        scale = np.random.randint(0, WHOLE + 1)
        limit = 1 + int(np.random.random() ** 2 * MOST_CHANGED)
        haste = 1 << np.random.randint(_HASTES)
        reward = -guide.step * np.random.randint(1, _MOST_REWARD)
        turn = np.random.randint(1 << 20)
        if np.random.random() < wishes:
            grant_wish(rows, guide, scale, reward, turn)
        else:
            i = items[np.random.randint(len(items))]
            if rows.shown[i] == 0:
                weigh(guide, i, reward)
            elif np.random.random() < 0.5:
                weigh(guide, i, guide.most)
            ask(rows, guide, i, scale, turn)
        fine = repair(rows, guide, scale, limit, haste)
        forget_touched(guide)
        if fine:
            for x in range(rows.numbers[CHANGED]):
                answer(rows, guide, rows.changed[x], 0)
            fine = repair(rows, guide, 0, 2 * limit, haste)
            forget_touched(guide)
        if not fine or rows.numbers[COST] > before:
            undo(rows)
        elif rows.numbers[COST] < before:
            gained += 1
    return gained
