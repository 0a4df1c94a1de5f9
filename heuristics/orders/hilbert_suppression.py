"""Suppression along the Hilbert curve: groups of rows that it brings together."""

import numpy as np

from starmin.heuristics.cuts.along_order import offer_groups
from starmin.heuristics.cuts.preset import RowOrder
from starmin.heuristics.mappings.column_ranks import Order, column_ranks
from starmin.heuristics.mappings.hilbert_curve import hilbert_order
from starmin.heuristics.orders import HILBERT_SUPPRESSION
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.instances.arrays import Ints


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
