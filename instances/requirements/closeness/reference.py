"""How often each sensitive value occurs in one table, to compare another one with."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.requirements.sensitive import SensitiveCounts
from starmin.instances.tables.table import Table

Value = str | None


@dataclass(frozen=True)
class Reference:
    """The values of a sensitive column by their text, and how many rows have each.

    Codes of values are those of one table only; text is the same in all of them. A
    missing value (None) is a value of its own, other than the empty text.

    Examples
    --------
    >>> rows = [["0", "flu"], ["0", None], ["1", "flu"]]
    >>> table = Table.from_rows(["a", "ill"], rows, qi=["a"], sensitive=["ill"])
    >>> Reference.of(table, "ill")
    Reference(column='ill', values=('flu', None), counts=(2, 1))
    """

    column: str
    values: tuple[Value, ...]  # the values that occur, each once
    counts: tuple[int, ...]  # the number of rows of each

    @classmethod
    def of(cls, table: Table, column: str) -> "Reference":
        """Return the values of a column of a table."""
        labels = table.dictionary(column)
        found: dict[Value, int] = {}
        for code, count in enumerate(np.bincount(table.column(column)).tolist()):
            if count:
                found[labels[code]] = found.get(labels[code], 0) + count
        return cls(column, tuple(found), tuple(found.values()))

    def sort(self, order: Sequence[int]) -> "Reference":
        """Put the values in another order."""
        return Reference(
            self.column,
            tuple(self.values[i] for i in order),
            tuple(self.counts[i] for i in order),
        )

    def places(self, groups: SensitiveCounts) -> tuple["Reference", Ints]:
        """Find where the values of some groups stand in ``values``.

        Returns this reference, followed by the values of the groups that it lacks, with
        0 rows each; and for each code of the groups its place there, -1 where the code
        does not occur.
        """
        used = np.zeros(len(groups.labels), bool)
        used[groups.value] = True
        codes = np.flatnonzero(used)
        labels = [groups.labels[code] for code in codes.tolist()]
        known, place = self._places, np.full(len(used), -1)
        place[codes] = [known.get(label, -1) for label in labels]
        if (place[codes] >= 0).all():
            return self, place
        more = tuple(dict.fromkeys(label for label in labels if label not in known))
        whole = Reference(
            self.column, self.values + more, self.counts + (0,) * len(more)
        )
        return whole, whole.places(groups)[1]

    @cached_property
    def array(self) -> Ints:
        """``counts`` as an array."""
        return np.array(self.counts, np.int64)

    @cached_property
    def _places(self) -> dict[Value, int]:
        return {value: place for place, value in enumerate(self.values)}
