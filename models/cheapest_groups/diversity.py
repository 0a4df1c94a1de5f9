"""How many rows of a group may have the same sensitive value."""

from typing import NamedTuple

import numpy as np

from starmin.instances import Core, RowTypes, Table
from starmin.instances.arrays import Ints


class Diversity(NamedTuple):
    """What so many rows of a group need in a sensitive column.

    A group in which no value is in more than the share 1/l of its m rows has sets of k
    of its rows with at most k/l rows of a value, rounded up: lay its rows on a circle,
    sorted by value, and take k of them at equal distances from a place drawn at random.
    Each row is in the same share of these sets. So prices are a bound if no such set
    pays less than its prices (``docs/reference/certificate.md``, kind
    ``group_prices``).

    Examples
    --------
    >>> [Diversity(l, 0).most(5) for l in (1, 2, 4, 5)]
    [5, 3, 2, 1]
    """

    # no value is in more than the share 1/l of a group; 1 where none is asked
    l: int = 1
    column: int = 0  # which one of the sensitive columns

    @classmethod
    def of(cls, core: Core, table: Table) -> "Diversity":
        """Return what is asked in the column with the most rows of one value."""
        if core.diversity == 1:
            return cls()
        types = table.sensitive_types
        most = [np.bincount(values, types.counts).max() for values in types.sensitive.T]
        return cls(core.diversity, int(np.argmax(most)))

    def most(self, k: int) -> int:
        """Return how many of k rows may have the same value."""
        return -(-k // self.l)

    def values(self, types: RowTypes) -> Ints:
        """Return the sensitive value of each type, as a number; 0 for all if l is 1."""
        if self.l == 1:
            return np.zeros(len(types), np.int64)
        found = np.unique(types.sensitive[:, self.column], return_inverse=True)[1]
        return found.astype(np.int64)


NO_DIVERSITY = Diversity()
