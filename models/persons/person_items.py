"""What is dealt to groups where persons count: persons, or their different rows."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Persons, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.scales import Scales


@dataclass(frozen=True, eq=False)
class Items:
    """Rows that are alike in all that counts, and hang together where persons do.

    Where all rows of a person are in one group an item is a person; else it is all
    rows of a person that are alike in quasi-identifiers and sensitive values.

    Attributes
    ----------
    unit
        The person, or household, of each.
    places
        m x d, the positions of its quasi-identifiers.
    copies
        How many rows it has.
    values
        By sensitive column which values it has: m x values.
    of_row
        The item of each row.
    whole
        Whether its rows have to be in one group.
    """

    unit: Int32s
    places: Int32s
    copies: Ints
    values: tuple[Bools, ...]
    of_row: Int32s
    whole: bool

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def of(cls, table: Table, asked: Persons, scales: Scales) -> "Items":
        """Return the items of a table.

        Parameters
        ----------
        table, asked
            The problem.
        scales
            How its columns are generalized.
        """
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
