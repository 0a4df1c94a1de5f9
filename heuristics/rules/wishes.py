"""Let a row that pays much show a cheaper set, and ask others to show it too."""

import numpy as np

from starmin.heuristics.rules.answers import (
    WHOLE,
    Guide,
    answer,
    is_asked,
    place_of,
    stride_of,
    sums_at,
    weigh,
)
from starmin.heuristics.rules.rows import Rows, cost_of, hide
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.minima import code_at

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

    Others get something for showing what is then shown by too few. Only what no larger
    item of the set comprises is asked for: who shows that shows its parts. Prices count
    at ``scale``; ``reward``, below 0, is what a row pays for showing what too few show;
    ``turn`` says which rows are asked where these are many.
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
