"""The rows that an opened pattern takes, for k-anonymity: compiled loops."""

from heuristics.annealing.changes import shift
from heuristics.annealing.eligibility import copies_in
from heuristics.annealing.state import State, wide
from instances.loops.compiled import inner


@inner
def take_cheapest(s: State, q: int, size: int, all_better: bool, ceiling: float) -> int:
    """Let q take all rows that are better off in it, and the cheapest others it lacks.

    Of the others it needs few: a heap finds them.

    Parameters
    ----------
    s
        The state, for k-anonymity. Updated.
    q
        The pattern.
    size
        How many candidates are listed in the scratch of the state.
    all_better
        Whether rows that are better off leave patterns that cannot spare them.
    ceiling
        The greatest change in cost: where others must cost more, it takes none.

    Returns
    -------
    The change in cost.
    """
    change, others = 0, 0
    for i in range(size):
        t, p, each = wide(s.pick_type[i]), wide(s.pick_from[i]), s.pick_cost[i]
        if each >= 0:
            s.pick_type[others], s.pick_from[others] = t, p
            s.pick_cost[others] = each
            others += 1
            continue
        copies = copies_in(s, t, p)
        if p != len(s.cost) and not all_better:
            copies = min(copies, s.load[p] - s.k)
        if copies > 0:
            shift(s, t, p, q, copies)
            change += copies * each
    wanted = s.k - s.load[q]
    if wanted <= 0:
        return change
    for i in range(others // 2 - 1, -1, -1):
        _sift_down(s, i, others)
    while wanted > 0 and others > 0 and change + wanted * s.pick_cost[0] <= ceiling:
        t, p, each = wide(s.pick_type[0]), wide(s.pick_from[0]), s.pick_cost[0]
        others -= 1
        s.pick_type[0], s.pick_from[0] = s.pick_type[others], s.pick_from[others]
        s.pick_cost[0] = s.pick_cost[others]
        _sift_down(s, 0, others)
        copies = min(copies_in(s, t, p), wanted)
        if p != len(s.cost):
            copies = min(copies, s.load[p] - s.k)
        if copies > 0:
            shift(s, t, p, q, copies)
            change += copies * each
            wanted -= copies
    return change


@inner
def _sift_down(s: State, place: int, size: int) -> None:
    """Let a candidate of a heap, the cheapest on top, sink to where it belongs."""
    t, p, each = s.pick_type[place], s.pick_from[place], s.pick_cost[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and s.pick_cost[child + 1] < s.pick_cost[child]:
            child += 1
        if s.pick_cost[child] >= each:
            break
        s.pick_type[place], s.pick_from[place] = s.pick_type[child], s.pick_from[child]
        s.pick_cost[place] = s.pick_cost[child]
        place = child
    s.pick_type[place], s.pick_from[place], s.pick_cost[place] = t, p, each
