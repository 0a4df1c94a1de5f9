"""How often each sensitive value occurs in each group, sparsely."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints
from starmin.instances.tables.grouping import group_by


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """Counts of one sensitive column's values by group, as triplets.

    Examples
    --------
    >>> counts = SensitiveCounts.of([0, 0, 1], [1, 1, 0], ("flu", "gout"))
    >>> counts.largest().tolist(), counts.distinct().tolist()
    ([2, 1], [1, 1])
    """

    # group, value, count: one entry for each value that occurs in a group, sorted by
    # group then value
    group: Ints
    value: Ints
    count: Ints
    sizes: Ints  # rows of each group; no group is empty
    # the column's dictionary, to name a value in a message
    labels: tuple[str | None, ...]

    @classmethod
    def of(
        cls,
        groups: npt.ArrayLike,
        values: npt.ArrayLike,
        labels: Sequence[str | None],
        copies: Ints | None = None,
    ) -> "SensitiveCounts":
        """Count ``values`` (a code a row) by ``groups`` (0, 1, ..; none empty).

        ``copies`` says how often each row counts; default: once.
        """
        group, value = np.asarray(groups), np.asarray(values)
        sizes = np.bincount(group, copies).astype(np.int64)
        pairs = group_by([group, value], [len(sizes), len(labels)])
        counts = pairs.counts
        if copies is not None:
            counts = np.bincount(pairs.inverse, copies).astype(np.int64)
        return cls(
            group[pairs.first].astype(np.int64),
            value[pairs.first].astype(np.int64),
            counts,
            sizes,
            tuple(labels),
        )

    @property
    def starts(self) -> Ints:
        """Index of each group's first entry."""
        entries = np.bincount(self.group, minlength=len(self.sizes))
        return np.asarray(np.cumsum(entries) - entries, np.int64)

    def largest(self) -> Ints:
        """Count of the most frequent value of each group (its pillar height)."""
        return np.maximum.reduceat(self.count, self.starts)

    def distinct(self) -> Ints:
        """Count the different values in each group."""
        return np.bincount(self.group, minlength=len(self.sizes)).astype(np.int64)

    def entropy(self) -> Floats:
        """Compute the entropy of each group's distribution of values, in nats."""
        share = self.count / self.sizes[self.group]
        return np.bincount(
            self.group, -share * np.log(share), minlength=len(self.sizes)
        ).astype(np.float64)
