"""The row types of a table as a table of their own."""

import numpy as np

from starmin.instances.tables.table import RowTypes, Table


def table_of_types(table: Table, types: RowTypes) -> Table:
    """Return the counted table of the row types of a table.

    ``types`` is its ``row_types`` or ``sensitive_types``, whose order is that of the
    rows.

    Examples
    --------
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
