"""Changes of the state of ejection chains: rows enter or leave, and all is undone.

The log is one of its own (compare ``starmin.heuristics.dealt_rows.move_log``): an entry
is the change of one incidence or of one pattern's number of blocks, half of a move
there.
"""

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.ejection_chains.chain_state import COST, USED, WAITING, State
from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import inner

# Changes between two looks at what the log may hold, at most.
_STEP = 4


@inner
def need(s: State, blocks: int) -> int:
    """Return how many rows a pattern of so many blocks holds at least."""
    return max(s.k, s.l * blocks) if blocks > 0 else 0


@inner
def shift(s: State, incidence: int, copies: int) -> None:
    """Move copies that wait into an incidence, or back if negative, and note that."""
    _shift(s, incidence, copies)
    _note(s, incidence, copies)


@inner
def set_blocks(s: State, p: int, blocks: int) -> None:
    """Set the number of blocks of a pattern, and note that."""
    _note(s, -1 - p, wide(s.blocks[p]))
    s.blocks[p] = blocks


@inner
def crowded(s: State) -> bool:
    """Check whether the log may lack room for another step of a chain."""
    return bool(s.heads[USED] + _STEP > len(s.log))


@inner
def take_back(s: State, mark: int) -> None:
    """Undo all changes since the log had ``mark`` of them."""
    while s.heads[USED] > mark:
        s.heads[USED] -= 1
        what, before = s.log[s.heads[USED]]
        if what < 0:
            s.blocks[-1 - what] = before
        else:
            _shift(s, wide(what), -before)


@inner
def keep_changes(s: State) -> None:
    """Empty the log; changed patterns have as many blocks as their rows allow."""
    for i in range(s.heads[USED]):
        what = s.log[i, 0]
        p = s.pattern[what] if what >= 0 else -1 - what
        while s.blocks[p] > 0 and s.size[p] >= need(s, s.blocks[p] + 1):
            s.blocks[p] += 1
    s.heads[USED] = 0


@inner
def _note(s: State, what: int, number: int) -> None:
    """Append to the log a change of copies, or the number of blocks before one."""
    s.log[s.heads[USED], 0] = what
    s.log[s.heads[USED], 1] = number
    s.heads[USED] += 1


@inner
def _shift(s: State, incidence: int, copies: int) -> None:
    """Move copies that wait into an incidence, or back if negative."""
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


@inner
def _end_by_value(s: State, p: int, v: int) -> int:
    """Return where the incidences of p with value v end that hold copies."""
    return int(s.segments[p, v] + s.used_by_value[p, v])


@inner
def _swap(order: Int32s, places: Int32s, item: int, place: int) -> None:
    """Swap an item with the one at a place."""
    other, old = order[place], places[item]
    order[place], order[old] = item, other
    places[item], places[other] = place, old


@inner
def _wait(s: State, t: int, copies: int) -> None:
    """Let so many copies of t more wait."""
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
