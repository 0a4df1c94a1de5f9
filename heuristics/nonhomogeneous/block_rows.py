"""Which rows make a block: rows in lexicographic order, cut into equal stretches."""

import numpy as np

from starmin.instances import Objective, Table, group_by
from starmin.instances.arrays import Int32s, Ints


def block_rows(
    table: Table, objective: Objective, k: int, size: int, sort: bool
) -> list[Int32s]:
    """Cut the rows into blocks.

    A cut leaves k rows or more of each class of the columns to be kept, or none.

    Parameters
    ----------
    table, objective, k
        The problem.
    size
        Rows of a block, about.
    sort
        Whether to sort by the other columns too: those with few values first.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["1"], ["0"], ["1"], ["0"]], qi=["a"])
    >>> rows = block_rows(table, Objective(), 1, 2, sort=True)
    >>> [block.tolist() for block in rows]
    [[0, 2], [1, 3]]
    """
    by_size = sorted(table.qi, key=lambda c: len(table.dictionary(c)))
    columns = [c for c in by_size if c in objective.keep]
    if sort:
        columns += [c for c in by_size if c not in columns]
    order = np.arange(table.n, dtype=np.int32)
    if columns:
        order = np.argsort(_ranks(table, columns), kind="stable").astype(np.int32)
    count = -(-table.n // size)
    cuts = np.arange(count + 1, dtype=np.int64) * table.n // count
    if objective.keep:
        cuts = _at_class_ends(_ranks(table, objective.keep)[order], cuts, k)
    return np.split(order, cuts[1:-1])


def _ranks(table: Table, columns: tuple[str, ...] | list[str]) -> Int32s:
    """Return for each row its place in the sorted combinations of the columns."""
    sizes = [len(table.dictionary(c)) for c in columns]
    return group_by([table.column(c) for c in columns], sizes).inverse


def _at_class_ends(classes: Int32s, cuts: Ints, k: int) -> Ints:
    """Move cuts within k rows of the end of a class there."""
    at = classes[cuts[1:-1]]
    low, high = np.searchsorted(classes, at), np.searchsorted(classes, at, "right")
    inner = cuts[1:-1]
    inner = np.where(inner - low < k, low, np.where(high - inner < k, high, inner))
    return np.unique(np.r_[0, inner, cuts[-1]])
