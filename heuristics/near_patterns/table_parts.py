"""A table with too many row types for the memory, cut into parts."""

from collections.abc import Iterable

import numpy as np

from starmin.heuristics.orders.lexicographic_suppression import columns_by_entropy
from starmin.instances import (
    Objective,
    Partition,
    RowTypes,
    Table,
    group_by,
    sorted_order,
)
from starmin.instances.arrays import Ints


def cut_in_parts(table: Table, objective: Objective, pieces: int, k: int) -> list[Ints]:
    """Cut the rows of a counted table into parts that are solved one by one.

    Rows are sorted by the columns to be kept, then by the others, those with the least
    entropy first: they are starred least. Then they are cut into parts of equal size. A
    group of a release of the whole may be in several parts, which is what this costs.

    There are ``pieces`` parts, if there are so many, and a part has ``k`` copies at
    least. The kept columns of the objective are never cut through: a group has one
    value in them.

    Examples
    --------
    >>> table = Table(("a", "b"), np.array([[0, 0, 1], [0, 1, 0]], np.int32),
    ...               (("x", "y"),) * 2, ("a", "b"), counts=np.array([3, 4, 5]))
    >>> [part.tolist() for part in cut_in_parts(table, Objective(), 2, 3)]
    [[0], [2, 1]]
    """
    rows, counts = table.codes.shape[1], table.counts
    assert counts is not None
    kept = [j for j, column in enumerate(table.qi) if column in objective.keep]
    by_entropy = columns_by_entropy(table, Objective())
    columns = kept + [j for j in by_entropy if j not in kept]
    sizes = [table.qi_cardinalities[j] for j in columns]
    order = sorted_order([table.codes[j] for j in columns], sizes)
    classes = np.zeros(rows, np.int32)
    if kept:
        first = [table.codes[j] for j in kept]
        classes = group_by(first, sizes[: len(kept)]).inverse
    ordered, copies = classes[order], np.cumsum(counts[order])
    wanted = np.linspace(0, rows, pieces + 1).astype(np.int64)[1:-1]
    cuts = [0]
    for place in wanted.tolist():
        if kept:  # the next place where a class begins
            later = np.flatnonzero(np.diff(ordered[place - 1 :]))
            if len(later) == 0:
                break
            place += int(later[0])
        before = copies[cuts[-1] - 1] if cuts[-1] else 0
        here, all_of_them = copies[place - 1], copies[-1]
        if place > cuts[-1] and here - before >= k and all_of_them - here >= k:
            cuts.append(place)
    return np.split(order, cuts[1:])


def joined(found: Iterable[tuple[Ints, Partition]], types: RowTypes) -> Partition:
    """Join the partitions of parts of the row types to one of the table.

    ``found`` has the row types of each part, and its partition; ``types`` are those of
    the table.
    """
    groups, rows, copies, many = [], [], [], 0
    for part, partition in found:
        assert partition.rows is not None and partition.copies is not None
        groups.append(partition.groups.astype(np.int64) + many)
        rows.append(part[partition.rows])
        copies.append(partition.copies)
        many += partition.size
    return Partition.from_loads(
        types, np.concatenate(groups), np.concatenate(rows), np.concatenate(copies)
    )
