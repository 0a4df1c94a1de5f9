"""Name row types by texts that survive re-reading, and count them as a table."""

from dataclasses import replace
from itertools import accumulate
from operator import mul
from weakref import WeakKeyDictionary

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import RowTypes, Table

# Names for values and row types that survive re-reading: their text, not codes.

# Bounds are stated again and again while they rise.
_orders = WeakKeyDictionary[RowTypes, Ints]()


def canonical_order(table: Table, types: RowTypes) -> Ints:
    """Return the permutation that sorts row types by their text.

    ``types.counts[order]`` is the same list for every reading of the same rows,
    whatever the order of the rows and of the dictionaries: first by the first QI
    column, then by the others in the order of ``table.qi``, then by the sensitive
    columns in the order of ``table.sensitive`` if the types have them. Text is compared
    by code points; a missing value comes first. A list of one number for each row type
    (the prices of a certificate) is written in this order: ``numbers[order]``; and read
    back: ``numbers = empty; numbers[order] = written``.

    Equal values of ``table`` must be merged before; ``types`` is ``table.row_types`` or
    ``table.sensitive_types``, whose order is kept. Takes O(m log m) for m types, one
    sort of each dictionary.

    >>> table = Table.from_rows(["a", "b"], [["2", "x"], ["1", "y"], ["1", "x"]],
    ...                         qi=["a", "b"])
    >>> order = canonical_order(table, table.row_types)
    >>> [table.dictionary("a")[code] for code in table.row_types.codes[order, 0]]
    ['1', '1', '2']
    """
    if (known := _orders.get(types)) is not None:
        return known
    columns = [*table.qi, *table.sensitive[: types.sensitive.shape[1]]]
    codes = np.concatenate([types.codes, types.sensitive], axis=1)
    sizes, m = table.sizes(columns), len(types)
    # So many combinations that types seldom agree on: the texts of later columns, which
    # take longest, need not be sorted.
    rooms = accumulate(sizes, mul)
    few = next((j for j, room in enumerate(rooms, 1) if room >= m * m), len(columns))
    ranks = list[Ints]()
    for count in few, len(columns):
        for j, column in enumerate(columns[len(ranks) : count], len(ranks)):
            ranks.append(_text_ranks(table.dictionary(column))[codes[:, j]])
        groups = group_by(ranks, sizes[:count])
        if groups.size == m:
            break
    _orders[types] = order = np.argsort(groups.inverse, kind="stable").astype(np.int64)
    return order


def _text_ranks(values: tuple[str | None, ...]) -> Ints:
    texts = [value or "" for value in values]
    order = sorted(range(len(values)), key=texts.__getitem__)
    order.sort(key=lambda code: values[code] is not None)
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(len(values))
    return ranks


def merge_equal_values(table: Table) -> Table:
    """Recode a table so that cells of equal text have equal codes.

    Where a dictionary lists a text twice, equal cells may have different codes: a
    check that compares codes would tell alike rows apart, so checks call this first.
    Dictionaries stay as they are; cells refer to the first entry of their text.

    >>> table = Table(("a",), np.array([[0, 1]], np.int32), (("x", "x"),), ("a",))
    >>> len(table.row_types), len(merge_equal_values(table).row_types)
    (2, 1)
    """
    made = table.texts.made().items()  # values that are not written yet are distinct
    twice = {j: values for j, values in made if len(set(values)) < len(values)}
    if not twice:
        return table
    codes = table.codes.copy()
    for j, values in twice.items():
        first: dict[str | None, int] = {}
        recode = [first.setdefault(text, code) for code, text in enumerate(values)]
        codes[j] = np.array(recode, np.int32)[codes[j]]
    return replace(table, codes=codes)


# The row types of a table as a table of their own.


def table_of_types(table: Table, types: RowTypes) -> Table:
    """Return the counted table of the row types of a table.

    ``types`` is its ``row_types`` or ``sensitive_types``, whose order is that of the
    rows.

    >>> table = Table.from_rows(["a", "b"], [["1", "x"], ["0", "x"], ["0", "y"]],
    ...                         qi=["a"])
    >>> few = table_of_types(table, table.row_types)
    >>> few.names, few.rows(), few.counts.tolist()
    (('a',), [('1',), ('0',)], [1, 2])
    """
    sensitive = table.sensitive if types.sensitive.shape[1] else ()
    names = (*table.qi, *sensitive)
    codes = types.codes.T
    if sensitive:
        codes = np.concatenate([codes, types.sensitive.T])
    return Table(
        names,
        np.ascontiguousarray(codes),
        tuple(table.dictionary(column) for column in names),
        table.qi,
        sensitive,
        table.name,
        types.counts,
        table.floors,
    )
