"""Groups along an order of the rows, the way that fits the requirement."""

from collections.abc import Callable, Iterable

import numpy as np

from starmin.heuristics.cuts.best_cuts import cheapest_cuts
from starmin.heuristics.cuts.bisection import bisect
from starmin.heuristics.cuts.l_groups_by_frontier import l_groups_by_frontier
from starmin.heuristics.cuts.row_order import RowOrder
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Partition,
    Run,
)
from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import compiled


def offer_groups(run: Run, order: RowOrder) -> None:
    """Offer a run, whose table is feasible, groups to suppress along an order.

    - k-anonymity: the optimum among consecutive groups;
    - frequency l-diversity of one sensitive column: groups of rows with different
      values, nearest rows first;
    - any requirement, the one above included: stretches cut in two as long as both
      parts satisfy it.
    """
    table, l = run.table, run.requirement.core.diversity

    def consecutive() -> Partition:
        qi = table.positions(table.qi)
        codes = np.ascontiguousarray(table.codes[qi][:, order.rows].T)
        costs = run.objective.column_weights(table)
        costs[run.objective.kept(table)] = -1
        once = run.objective.once
        k = run.requirement.core.size
        starts = [
            part.start + cheapest_cuts(codes[part], costs, once, k)
            for part in order.stretches()
        ]
        return order.consecutive(np.concatenate(starts))

    def diverse(stretch: slice) -> Int32s:
        values = table.column(table.sensitive[0])[order.rows[stretch]]
        found: Int32s = l_groups_by_frontier(values, l)
        return found

    form_groups(run, order, consecutive, (diverse,))
    if l > 1 and is_plain(run):
        offer_bisection(run, order)


def form_groups(
    run: Run,
    order: RowOrder,
    consecutive: Callable[[], Partition],
    diverse: Iterable[Callable[[slice], Int32s]],
) -> None:
    """Offer groups along an order, formed the way that fits the requirement.

    The table of the run is feasible. ``consecutive`` finds consecutive groups for
    k-anonymity. Each of ``diverse`` finds l-diverse groups of the rows of a stretch,
    for frequency l-diversity of one sensitive column; with k > l they are joined. All
    are offered.
    """
    k, l = run.requirement.core.size, run.requirement.core.diversity
    if not is_plain(run):
        offer_bisection(run, order)
    elif l == 1:
        run.offer(consecutive())
    else:
        for find in diverse:
            joined = _joined(find, k)
            run.offer(order.by_stretch(joined))


def _joined(find: Callable[[slice], Int32s], k: int) -> Callable[[slice], Int32s]:
    def form(stretch: slice) -> Int32s:
        groups: Int32s = join_groups(find(stretch), k)
        return groups

    return form


def is_plain(run: Run) -> bool:
    """Check for k-anonymity, or frequency l-diversity of one sensitive column, or both.

    All other requirements are met by cutting stretches in two.
    """
    kinds = KAnonymity | LDiversity
    frequency = all(isinstance(part, kinds) for part in run.requirement.parts)
    one = len(run.table.sensitive) == 1
    return frequency and (one or run.requirement.core.diversity == 1)


def offer_bisection(run: Run, order: RowOrder) -> None:
    """Offer the stretches cut in two as long as both parts satisfy the requirement."""
    cuts = bisect(run.table, order.rows, order.starts, run.requirement)
    run.offer(order.consecutive(cuts))


@compiled
def join_groups(groups: Int32s, k: int) -> Int32s:
    """Join groups that follow each other in number until they have k rows.

    ``groups`` has the group of each row: 0, 1, .. without gaps. What is left at the end
    joins the last group.

    Examples
    --------
    >>> join_groups(np.array([0, 1, 0, 2, 1, 3, 2], np.int32), 3).tolist()
    [0, 0, 0, 1, 0, 1, 1]
    """
    sizes = np.bincount(groups)
    label = np.empty(len(sizes), np.int32)
    at, size = 0, 0
    for group in range(len(sizes)):
        label[group] = at
        size += sizes[group]
        if size >= k:
            at, size = at + 1, 0
    if size > 0 and at > 0:  # too few are left for a group
        label[label == at] = at - 1
    return label[groups]
