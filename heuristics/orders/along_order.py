"""Groups along an order of the rows, the way that fits the requirement."""

import heapq
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from starmin.heuristics.orders.l_groups_by_ncp import all_rows, take
from starmin.heuristics.orders.preset import RowOrder
from starmin.instances import KAnonymity, LDiversity, Partition, Requirement, Run, Table
from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.one_dimensional.k_total import cut_step

# More than any release costs; sums with it do not overflow.
_FAR = np.iinfo(np.int64).max // 4


@compiled
def cheapest_cuts(codes: Int32s, costs: Ints, once: bool, k: int, step: int) -> Ints:
    """Find the cheapest way to cut an order of rows into consecutive groups of k rows.

    ``opt(i) = min over i - 2k < j <= i - k of opt(j) + cost of rows j .. i - 1``: a
    group of 2k rows falls into two that cost no more. Groups begin at multiples of
    ``step``, and are larger by as much. O(n k d / step).

    ``codes`` are n x d, the rows in their order. Where stars are forbidden in some
    columns, the rows that agree on these are consecutive, k at least. ``costs`` is what
    a star costs in each column, negative where there must be none; with ``once`` a row
    pays the largest cost instead of the sum. Returns where the groups begin.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]], np.int32)
    >>> cheapest_cuts(codes, np.array([1, 2]), False, 2, 1).tolist()
    [0, 2]
    """
    n, d = codes.shape
    opt, begin = np.full(n + 1, _FAR, np.int64), np.zeros(n + 1, np.int64)
    opt[0] = 0
    starred = np.zeros(d, np.bool_)
    for i in range(k, n + 1):
        if i % step and i < n:
            continue
        starred[:] = False
        paid = 0
        for j in range(i - 1, max(i - 2 * k - step + 1, -1), -1):
            for column in range(d):
                if starred[column] or codes[j, column] == codes[i - 1, column]:
                    continue
                starred[column] = True
                if costs[column] < 0:
                    paid = -1
                    break
                if once:
                    paid = max(paid, costs[column])
                else:
                    paid += costs[column]
            if paid < 0:
                break
            cost = opt[j] + (i - j) * paid
            if i - j >= k and cost < opt[i]:
                opt[i], begin[i] = cost, j
    cuts = [np.int64(0) for _ in range(0)]
    cut = np.int64(n)
    while cut > 0:
        cut = begin[cut]
        cuts.append(cut)
    return np.array(cuts)[::-1]


# A stretch is cut at the first of these shares of it at which both parts hold.
_FRACTIONS = (0.5, 0.375, 0.625, 0.25, 0.75, 0.125, 0.875)


def bisect(table: Table, order: Ints, starts: Ints, requirement: Requirement) -> Ints:
    """Cut stretches of the order in two as long as both parts satisfy a requirement.

    Of a stretch the middle is tried first, then cuts at other eighths. Stretches begin
    at ``starts``, and each satisfies the requirement. Returns where the final ones
    begin.
    """
    low, high = starts, np.append(starts[1:], len(order))
    final = [starts]
    while len(low):
        cut = np.zeros(len(low), np.int64)
        for fraction in _FRACTIONS:
            open_ = np.flatnonzero(cut == 0)
            at = low[open_] + ((high - low)[open_] * fraction).astype(np.int64)
            inside = (at > low[open_]) & (at < high[open_])
            open_, at = open_[inside], at[inside]
            if len(open_):
                ends = low[open_], at, high[open_]
                good = both_hold(table, requirement, *_halves(order, *ends))
                cut[open_[good]] = at[good]
        done = cut > 0
        final.append(cut[done])
        low, high = (
            np.concatenate([low[done], cut[done]]),
            np.concatenate([cut[done], high[done]]),
        )
    return np.sort(np.concatenate(final))


def _halves(order: Ints, low: Ints, cut: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Return the rows of stretches, with the numbers of the parts they are cut into."""
    sizes = np.stack([cut - low, high - cut], axis=1).ravel()
    labels = np.repeat(np.arange(len(sizes)), sizes)
    begin = np.cumsum(sizes) - sizes
    first = np.stack([low, cut], axis=1).ravel()
    places = np.arange(len(labels)) + np.repeat(first - begin, sizes)
    return labels, order[places]


def both_hold(
    table: Table, requirement: Requirement, labels: IntArray, rows: Ints
) -> Bools:
    """Check for each pair 2i, 2i + 1 of labels whether both satisfy a requirement."""
    holds = requirement.holds_in(table, labels, rows)
    return np.asarray(holds.reshape(-1, 2).all(axis=1), bool)


@compiled
def l_groups_by_frontier(sensitive: Int32s, l: int) -> Int32s:
    """Form groups of l or a few more rows with different values, nearest rows first.

    ``sensitive`` has n codes in the order of the rows, no value more than n / l times.
    Returns a group for each place in the order.

    Of r rows that remain and are l-eligible, p values have ``q = r // l`` rows, the
    most there can be. Each group takes one row of each of these, so that the rest stays
    l-eligible, and the first rows of other values up to ``max(l, p)`` in all: where
    p > l, ``r - p >= (q - 1) l`` still, because ``p q <= r < (q + 1) l``.

    O(n log m) for m values, and O(m) for each group that must take some value.

    Examples
    --------
    >>> l_groups_by_frontier(np.array([0, 1, 0, 2], np.int32), 2).tolist()
    [0, 0, 1, 1]
    """
    n, values = len(sensitive), sensitive.max() + 1
    rows = all_rows(sensitive)
    head = rows.head
    queue = [np.int64(row) for row in head if row < n]
    heapq.heapify(queue)
    group = np.full(n, -1, np.int32)
    taken = np.empty(values, np.int64)
    label = 0
    while rows.left[0] > 0:
        most = rows.left[0] // l
        target = max(l, rows.with_count[most])
        members = 0
        if rows.with_count[most] > 0:
            for value in range(values):
                if rows.counts[value] == most:
                    group[head[value]] = label
                    taken[members] = value
                    members += 1
        while members < target:
            nearest = heapq.heappop(queue)
            if group[nearest] == -1:
                group[nearest] = label
                taken[members] = sensitive[nearest]
                members += 1
        for value in taken[:members]:
            take(rows, value)
            head[value] = rows.after[head[value]]
            if head[value] < n:
                heapq.heappush(queue, head[value])
        label += 1
    return group


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
        step = cut_step(table.n, k, table.d)
        starts = [
            part.start + cheapest_cuts(codes[part], costs, once, k, step)
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
    """Offer groups along an order of a feasible table, formed as the requirement asks.

    ``consecutive`` is for k-anonymity. Each of ``diverse`` finds l-diverse groups of a
    stretch, for frequency l-diversity of one sensitive column; with k > l they are
    joined.
    """
    k, l = run.requirement.core.size, run.requirement.core.diversity
    if not is_plain(run):
        offer_bisection(run, order)
    elif l == 1:
        run.offer(consecutive())
    else:
        for find in diverse:
            run.offer(order.by_stretch(partial(_joined, find, k)))


def _joined(find: Callable[[slice], Int32s], k: int, stretch: slice) -> Int32s:
    groups: Int32s = join_groups(find(stretch), k)
    return groups


def is_plain(run: Run) -> bool:
    """Check for k-anonymity, or frequency l-diversity of one sensitive column."""
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
