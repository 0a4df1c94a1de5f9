"""Open or close a combination, let the others answer, and keep what costs no more."""

import numpy as np

from starmin.heuristics.rules.answers import (
    WHOLE,
    Guide,
    answer,
    forget_touched,
    is_asked,
    repair,
    stride_of,
    weigh,
)
from starmin.heuristics.rules.rows import CHANGED, COST, Rows, undo
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled

MOST_CHANGED = 400  # rows by one move
_MOST_REWARD = 30  # steps that showing an item is worth while it is opened


@compiled
def ruin(rows: Rows, guide: Guide, items: Ints, moves: int, seed: int) -> int:
    """Make random moves from a mask that satisfies all rules; return how many gained.

    A move takes an item: if no row shows it, rows get something for it, else no row may
    show it, or its rows just answer anew. They go by prices at a random scale; then
    what too few show is repaired, and the rows that changed show what they may. Moves
    that cost more, or change too much, or are not done in time, are taken back.

    Parameters
    ----------
    rows, guide
        Nothing is shown by too few rows; weights are the first ones.
    items
        From which the moves choose.
    """
    np.random.seed(seed)
    gained = 0
    for _ in range(moves):
        if guide.ended[0]:
            break
        rows.numbers[CHANGED] = 0
        before = rows.numbers[COST]
        i = items[np.random.randint(len(items))]
        scale = np.random.randint(0, WHOLE + 1)
        limit = 1 + int(np.random.random() ** 2 * MOST_CHANGED)
        if rows.shown[i] == 0:
            weigh(guide, i, -guide.step * np.random.randint(1, _MOST_REWARD))
        elif np.random.random() < 0.5:
            weigh(guide, i, guide.most)
        stride, turn = stride_of(rows, i), np.random.randint(1 << 20)
        for x in range(rows.starts[i], rows.starts[i + 1]):
            t = rows.entry_owner[rows.entries[x]]
            for r in range(rows.row_starts[t], rows.row_starts[t + 1]):
                if guide.ended[0]:
                    break
                if is_asked(rows, r, i, x, stride, turn):
                    answer(rows, guide, r, scale)
        fine = repair(rows, guide, scale, limit)
        forget_touched(guide)
        if fine:
            for x in range(rows.numbers[CHANGED]):
                answer(rows, guide, rows.changed[x], 0)
            fine = repair(rows, guide, 0, 2 * limit)
            forget_touched(guide)
        if not fine or rows.numbers[COST] > before:
            undo(rows)
        elif rows.numbers[COST] < before:
            gained += 1
    return gained
