"""Suppress along an order of the rows: a sorted one, or that of the Hilbert curve."""

from collections.abc import Sequence

import numpy as np

from starmin.heuristics.orders import HILBERT_SUPPRESSION, LEXICOGRAPHIC_SUPPRESSION
from starmin.heuristics.orders.along_order import cheapest_cuts, is_plain, offer_groups
from starmin.heuristics.orders.hilbert_curve import hilbert_order
from starmin.heuristics.orders.mappings import Order, column_ranks, sorted_line
from starmin.heuristics.orders.preset import RowOrder
from starmin.instances import (
    STARS,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    sorted_order,
)
from starmin.instances.arrays import Ints
from starmin.models.one_dimensional.k_total import cut_step


def hilbert_suppression(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
    order: Order = "value",
) -> Result:
    """Group rows that are near on a Hilbert curve through the quasi-identifiers.

    No guarantee; fast, and the baseline that TP is compared with.

    The idea: the curve visits the grid of all quasi-identifier combinations such that
    neighbours on it are near in the grid, so groups are formed along it, in one
    dimension:

    - k-anonymity: the optimum among groups of consecutive rows, by dynamic programming
      over groups of k to 2k - 1 rows, with their true cost;
    - l-diversity (frequency form, one sensitive column): each group takes the next
      rows of l or a few more sensitive values, always those values that must be taken
      for the rest to stay l-eligible; with k > l groups are joined;
    - any other requirement, and l-diversity again, the cheaper being kept: the curve
      is cut in the middle, or else at another eighth, as long as both parts satisfy
      the requirement.

    Parameters
    ----------
    table, requirement, objective
        Any problem. Columns to be kept are not on the curve: rows that differ there
        are never grouped.
    order
        In what order the values of a column are on its axis, which all columns fill
        alike: by number or text, or by frequency.

    See Also
    --------
    lexicographic_suppression : the same along a sorted order, mostly with fewer stars.

    Notes
    -----
    O(n k d) after a sort for k-anonymity, O(n log m) for m sensitive values, O(n) for
    each of about log2(n / k) cuts. A million rows by 7 columns take a few seconds.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009, sections
    4.3 and 6; their greedy step may fail and is then rolled back, here it looks ahead.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["9", "b"], ["1", "c"], ["9", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> result = hilbert_suppression(table, KAnonymity(2))
    >>> result.value, result.best.groups.tolist()
    (2, [0, 1, 0, 1])
    """
    run = Run(
        table, requirement, objective, display=display, method=HILBERT_SUPPRESSION
    )

    def search() -> None:
        places = _places(table, objective, order)
        offer_groups(run, RowOrder.of(table, objective.apart(table), places))

    return run.carry_out(search)


def _places(table: Table, objective: Objective, order: Order) -> Ints:
    """Return the place on the curve of each row type."""
    types, ranks = table.row_types, column_ranks(table, order)
    free = np.flatnonzero(~objective.kept(table))
    if len(free) == 0:
        return np.zeros(len(types), np.int64)
    sizes = [table.qi_cardinalities[j] for j in free]
    bits = max(1, *((size - 1).bit_length() for size in sizes))
    points = np.empty((len(types), len(free)), np.int64)
    for axis, (j, size) in enumerate(zip(free, sizes, strict=True)):
        points[:, axis] = (ranks[j][types.codes[:, j]].astype(np.int64) << bits) // size
    places = np.empty(len(types), np.int64)
    places[hilbert_order(points, bits)] = np.arange(len(types))
    return places


def offer_sorted_copies(run: Run, columns: Sequence[int]) -> None:
    """Offer a run the best consecutive groups of its sorted row types. O(n k d).

    Types of k rows or more are groups of their own. The copies of the others, n, are
    sorted by ``columns`` and cut at least cost. Where columns are to be kept, or the
    other types have fewer than k rows in all, nothing is offered. The problem is
    k-anonymity and stars, and its table feasible.
    """
    types, k = run.table.row_types, run.requirement.core.size
    rare = np.flatnonzero(types.counts < k)
    if types.counts[rare].sum() < k or run.objective.keep:
        return
    sizes = [run.table.qi_cardinalities[j] for j in columns]
    rare = rare[sorted_order([types.codes[rare, j] for j in columns], sizes)]
    copies = np.repeat(rare, types.counts[rare])
    costs = run.objective.column_weights(run.table)
    begins = np.zeros(len(copies), np.int64)
    step = cut_step(len(copies), k, run.table.d)
    begins[cheapest_cuts(types.codes[copies], costs, False, k, step)] = 1
    run.offer(_partition(types, k, copies, np.cumsum(begins) - 1))


def _partition(types: RowTypes, k: int, copies: Ints, groups: Ints) -> Partition:
    """Return the partition of the copies of rare types and of all frequent ones."""
    new = np.flatnonzero(np.diff(copies) | np.diff(groups)) + 1
    first = np.concatenate([[0], new])
    many = np.diff(first, append=len(copies))
    frequent = np.flatnonzero(types.counts >= k)
    alone = int(groups[-1]) + 1 + np.arange(len(frequent))
    return Partition.from_loads(
        types,
        np.concatenate([groups[first], alone]),
        np.concatenate([copies[first], frequent]),
        np.concatenate([many, types.counts[frequent]]),
    )


def lexicographic_suppression(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
) -> Result:
    """Group rows that are near when sorted, columns of low entropy compared first.

    No guarantee; the fastest start for a local search, at ten million rows too.

    The idea: a column with few or uneven values costs many stars if it is starred and
    is easy to keep, so it goes first (its entropy is divided by its weight); only the
    last columns in the order change often. Groups are formed along the order as in
    ``hilbert_suppression``; for k-anonymity they are optimal among consecutive ones.

    Parameters
    ----------
    table, requirement, objective
        Any problem.

    See Also
    --------
    hilbert_suppression : the same along the Hilbert curve.

    Notes
    -----
    O(n k d) after the sort. Adult (30,162 rows by 8 columns): 22,135 / 37,217 / 47,206
    / 60,315 stars for k = 2 / 5 / 10 / 25, in less than 0.1 s each; 10 million rows by
    7 columns, k = 10, half a minute.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["3", "a"], ["4", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> result = lexicographic_suppression(table, KAnonymity(2))
    >>> result.value, result.best.groups.tolist()
    (4, [0, 1, 0, 1])
    """
    run = Run(
        table, requirement, objective, display=display, method=LEXICOGRAPHIC_SUPPRESSION
    )
    return run.carry_out(lambda: offer_sorted(run))


def offer_sorted(run: Run) -> None:
    """Offer groups along the sorted order to a run whose table is feasible.

    The rows of a counted table are never listed: there its row types are sorted, for
    k-anonymity and stars, and for other problems nothing is offered.
    """
    table, objective = run.table, run.objective
    by_entropy = columns_by_entropy(table, objective)
    if table.counts is not None:
        plain = is_plain(run) and run.requirement.core.diversity == 1
        if plain and objective.by_star:
            offer_sorted_copies(run, by_entropy)
        return
    places = sorted_line(table.row_types.codes[:, by_entropy]).ranks()
    offer_groups(run, RowOrder.of(table, objective.apart(table), places))


def columns_by_entropy(table: Table, objective: Objective) -> list[int]:
    """Return the QI columns by entropy divided by weight, the least first."""
    entropies = np.empty(table.d)
    for j, column in enumerate(table.qi):
        counts = np.bincount(table.column(column), table.counts)
        share = counts[counts > 0] / table.n
        entropies[j] = -share @ np.log(share)
    entropies /= np.maximum(objective.column_weights(table), 0.5)
    return sorted(range(table.d), key=entropies.__getitem__)
