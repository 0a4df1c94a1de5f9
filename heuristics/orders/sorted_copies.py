"""Groups of sorted row types, for tables whose rows are too many to sort."""

from collections.abc import Sequence

import numpy as np

from starmin.heuristics.cuts.best_cuts import cheapest_cuts
from starmin.instances import Partition, RowTypes, Run, sorted_order
from starmin.instances.arrays import Ints


def offer_sorted_copies(run: Run, columns: Sequence[int]) -> None:
    """Offer a run the best consecutive groups of its sorted row types.

    Types of k rows or more are groups of their own. The copies of the others are sorted
    and cut at least cost. Where columns are to be kept, or the other types have fewer
    than k rows in all, nothing is offered.

    The problem is k-anonymity and stars, and its table feasible. ``columns`` are the QI
    columns in the order in which they are compared.

    Notes
    -----
    O(n k d) for the n rows of rare types.
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
    begins[cheapest_cuts(types.codes[copies], costs, False, k)] = 1
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
