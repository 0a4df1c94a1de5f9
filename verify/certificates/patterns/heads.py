"""The types that can be in l rows of l values which are worth less than some slack."""

import numpy as np

from starmin.instances import group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.tables.grouping import COMPILED_FROM
from starmin.verify.certificates.patterns.batches import Batch


def in_sets(
    batch: Batch, prices: Ints, values: Int32s, k: int, l: int, slack: int
) -> Bools:
    """Return which members can be in l rows of l values worth less than ``slack``.

    Each fill is made of sets of l rows or more, no value twice in one. One of these is
    worth less than ``slack`` if the fill is. With no slack, and where
    sets are large enough to be groups, all are worth less than 0 in a best fill, and
    those of more than l rows have only rows that are: so a type and the cheapest types
    of l - 1 other values are worth less than 0, or it is not needed.

    The sets of ``batch`` have the cheapest types first; ``prices`` and ``values``, the
    sensitive ones, are of all types. Where ``slack`` is above 0, or ``k`` is above
    ``l``, no single type is left out.
    """
    each = leaves_out_types(k, l, slack)
    if len(batch.members) >= COMPILED_FROM:
        from starmin.verify.certificates.patterns.set_loops import diverse_members

        sets = batch.members, batch.lengths, batch.cost
        return np.asarray(diverse_members(*sets, prices, values, l, slack, each))
    values, reduced = values[batch.members], batch.cost[batch.set_of]
    reduced = reduced - prices[batch.members]
    pairs = group_by(
        [batch.set_of, values], [len(batch.lengths), int(values.max()) + 1]
    )
    # Members are in order of price: the first one of a value is its cheapest.
    owner, head = batch.set_of[pairs.first], reduced[pairs.first]
    order = np.lexsort((head, owner))
    rank = np.empty(len(order), np.int64)
    begins = np.searchsorted(owner[order], np.arange(len(batch.lengths)))
    rank[order] = np.arange(len(order)) - begins[owner[order]]
    count, chosen = len(batch.lengths), rank < l
    total, last = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(total, owner[chosen], head[chosen])
    last[owner[rank == l - 1]] = head[rank == l - 1]
    good = (np.bincount(owner, minlength=count) >= l) & (total < slack)
    if not each:
        return np.asarray(good[batch.set_of])
    others = total[owner] - np.where(rank < l - 1, head, last[owner])
    return np.asarray(good[batch.set_of] & (reduced + others[pairs.inverse] < 0))


def enough_values(batch: Batch, columns: Int32s, l: int) -> Bools:
    """Return which sets have at least ``l`` values in each sensitive column.

    ``columns`` is q x m: the sensitive values of all types by column.
    """
    count = len(batch.lengths)
    good = np.ones(count, np.bool_)
    for values in columns:
        if len(batch.members) >= COMPILED_FROM:
            from starmin.verify.certificates.patterns.set_loops import sets_of_values

            good &= sets_of_values(batch.members, batch.lengths, values, l)
            continue
        pairs = group_by(
            [batch.set_of, values[batch.members]], [count, int(values.max()) + 1]
        )
        good &= np.bincount(batch.set_of[pairs.first], minlength=count) >= l
    return good


def leaves_out_types(k: int, l: int, slack: int) -> bool:
    """Return whether a type can be left out of a set of which others stay.

    What is then left may have fewer again: it is looked at until nothing changes, so
    that the order of the columns does not matter.
    """
    return l > 1 and k <= l and slack <= 0
