"""What all releases of one table share: the files that are written of them."""

from abc import ABC, abstractmethod

from starmin.instances.arrays import IntArray
from starmin.instances.tables.table import Table


class ReleasedTable(ABC):
    """A release of one table."""

    @property
    @abstractmethod
    def published(self) -> Table:
        """The released table, rows in order."""

    def tables(self, order: IntArray | None = None) -> dict[str, Table]:
        """Return the files to write by the suffix of the name; rows in this order."""
        published = self.published
        return {"": published if order is None else published.take(order)}
