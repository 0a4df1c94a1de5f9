"""What is dealt to groups where persons count: persons, or their different rows."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Persons, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.scales import Scales


@dataclass(frozen=True, eq=False)
class Items:
    """Rows that are alike in all that counts, and hang together where persons do.

    Where all rows of a person are in one group an item is a person; else it is all rows
    of a person that are alike in quasi-identifiers and sensitive values.
    """

    unit: Int32s  # the person, or household, of each
    places: Int32s  # m x d, the positions of its quasi-identifiers
    copies: Ints  # how many rows it has
    values: tuple[Bools, ...]  # by sensitive column which values it has: m x values
    of_row: Int32s  # the item of each row
    whole: bool  # whether its rows have to be in one group

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def of(cls, table: Table, asked: Persons, scales: Scales) -> "Items":
        """Return the items of a table; the scales say how columns are generalized."""
        names: tuple[str, ...] = (asked.column,)
        if not asked.whole:
            names = (asked.column, *table.qi, *table.sensitive)
        sizes = [len(table.dictionary(column)) for column in names]
        found = group_by([table.column(column) for column in names], sizes)
        unit = group_by(
            [table.column(asked.column)], [len(table.dictionary(asked.column))]
        )
        values = []
        for column in table.sensitive:
            has = np.zeros((found.size, len(table.dictionary(column))), bool)
            has[found.inverse, table.column(column)] = True
            values.append(has)
        return cls(
            unit.inverse[found.first],
            scales.row_positions(table)[found.first],
            found.counts,
            tuple(values),
            found.inverse,
            asked.whole,
        )
