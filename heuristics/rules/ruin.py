"""Open or close a combination, let the others answer, and keep what costs no more."""

import numpy as np

from starmin.heuristics.rules.answers import (
    WHOLE,
    Guide,
    answer,
    forget_touched,
    repair,
    weigh,
)
from starmin.heuristics.rules.rows import CHANGED, COST, Rows, undo
from starmin.heuristics.rules.wishes import ask, grant_wish
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled

MOST_CHANGED = 400  # rows by one move
_MOST_REWARD = 30  # steps that showing an item is worth while it is opened
_HASTES = 5  # repairs take steps of 1, 2, 4, .. usual ones


@compiled
def ruin(
    rows: Rows, guide: Guide, items: Ints, moves: int, wishes: float, seed: int
) -> int:
    """Make random moves from a mask that satisfies all rules; return how many gained.

    Most moves let a row show what costs it less, and get others to show it too. The
    rest take an item: if no row shows it, rows get something for it, else no row may
    show it, or its rows just answer anew. They go by prices at a random scale; then
    what too few show is repaired, by small steps or large ones, and the rows that
    changed show what they may. Moves that cost more, or change too much, or are not
    done in time, are taken back.

    Parameters
    ----------
    rows, guide
        Nothing is shown by too few rows; weights are the first ones.
    items
        From which the moves choose.
    wishes
        The share of the moves that begin with a row.
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
