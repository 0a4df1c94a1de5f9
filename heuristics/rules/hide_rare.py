"""Leave nothing that too few rows show: a valid mask when time is short."""

from starmin.heuristics.rules.rows import CHANGED, FEW, Rows, hide
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner


@compiled
def hide_rare(rows: Rows, coarsest: Ints) -> bool:
    """Let rows hide more and more, until nothing is shown by too few.

    Those who show something rare hide one more of its columns. Where what is rare is
    that all is hidden, further rows hide all. Rows only ever hide more, so this ends
    soon.

    Parameters
    ----------
    coarsest
        By row: the code that hides all.

    Returns
    -------
    bool
        False where something is left that too few show.
    """
    while rows.numbers[FEW]:
        i, changed = rows.few[0], False
        for further in (False, True):
            if changed:
                break
            for x in range(rows.starts[i], rows.starts[i + 1]):
                e = rows.entries[x]
                care, want = rows.choices.care[e], rows.choices.want[e]
                t = rows.entry_owner[e]
                for r in range(rows.row_starts[t], rows.row_starts[t + 1]):
                    if rows.place[i] < 0 or rows.codes[r] == coarsest[r]:
                        continue
                    if (rows.codes[r] & care == want) == further:
                        continue
                    code = coarsest[r]
                    if not further:
                        code = _one_more(rows, r, care, code)
                    rows.numbers[CHANGED] = 0
                    hide(rows, r, code)
                    changed = True
        if not changed:
            return False
    return True


@inner
def _one_more(rows: Rows, r: int, care: int, coarsest: int) -> int:
    """Return a code that hides one more of some columns, and shows least rare."""
    best, least = coarsest, 1 << 30
    for a in range(len(rows.bits)):
        left = rows.bits[a] & coarsest & ~rows.codes[r]
        if left & care == 0:
            continue
        code = rows.codes[r] | (left & -left)
        found = _rare_shown(rows, r, code)
        if 0 <= found < least:
            best, least = code, found
    return int(best)


@inner
def _rare_shown(rows: Rows, r: int, code: int) -> int:
    """Return how much a row would show that is too rare then; -1: that never may be."""
    choices, t, found = rows.choices, rows.owner[r], 0
    for e in range(choices.starts[t], choices.starts[t + 1]):
        i, care, want = choices.item[e], choices.care[e], choices.want[e]
        if code & care != want:
            continue
        if i < 0:
            return -1
        more = rows.codes[r] & care != want
        if rows.shown[i] + more < rows.need[i]:
            found += 1
    return found
