"""The rows that an opened pattern takes, for k-anonymity: compiled loops."""

from starmin.heuristics.annealing.annealing_changes import shift
from starmin.heuristics.annealing.annealing_state import State, wide
from starmin.heuristics.dealt_rows.nodes import copies_at
from starmin.instances.loops.compiled import inner
from starmin.models.lagrangian_relaxation.member_scan import heapify, sift_down


@inner
def take_cheapest(s: State, q: int, size: int, all_better: bool, ceiling: float) -> int:
    """Let q take all rows that are better off in it, and the cheapest others it lacks.

    Of the others it needs few: a heap finds them. ``s``, a state for k-anonymity, whose
    scratch lists ``size`` candidates, is updated. With ``all_better`` rows that are
    better off leave patterns that cannot spare them. Returns the change in cost, which
    ``ceiling`` limits: where others must cost more, it takes none.
    """
    change, others = 0, 0
    for i in range(size):
        t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
        each = s.scratch.pick_cost[i]
        if each >= 0:
            s.scratch.pick_cost[others], s.scratch.pick_number[others] = each, i
            others += 1
            continue
        copies = copies_at(s.nodes, t, p)
        if p != len(s.patterns.cost) and not all_better:
            copies = min(copies, s.held.load[p] - s.k)
        if copies > 0:
            shift(s, t, p, q, copies)
            change += copies * each
    wanted = s.k - s.held.load[q]
    if wanted <= 0:
        return change
    keys, numbers = s.scratch.pick_cost, s.scratch.pick_number
    heapify(keys, numbers, others)
    while wanted > 0 and others > 0 and change + wanted * keys[0] <= ceiling:
        i, each = numbers[0], keys[0]
        t, p = wide(s.scratch.pick_type[i]), wide(s.scratch.pick_from[i])
        others -= 1
        keys[0], numbers[0] = keys[others], numbers[others]
        sift_down(keys, numbers, 0, others)
        copies = min(copies_at(s.nodes, t, p), wanted)
        if p != len(s.patterns.cost):
            copies = min(copies, s.held.load[p] - s.k)
        if copies > 0:
            shift(s, t, p, q, copies)
            change += copies * each
            wanted -= copies
    return change
