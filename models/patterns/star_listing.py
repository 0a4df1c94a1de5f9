"""The groups of row types that agree on each set of columns, listed."""

from collections.abc import Callable

import numpy as np

from starmin.instances import NotSupportedError, Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.runs.threads import Threads
from starmin.models.patterns.star_groups import closed_groups, split_groups

_THREADS = 2  # half of the sets split by the last column
# Below so many row types times sets, the loops take less time in Python than numba
# takes to load what it has compiled.
_FEW = 10_000


class StarGroups:
    """Groups that could be published with the same stars, for each set of stars.

    Parameters
    ----------
    table, types, objective, least_support, least_values, check, most_incidences
        As for ``starmin.models.patterns.closed_listing.closed_patterns``.
    """

    def __init__(
        self,
        table: Table,
        types: RowTypes,
        objective: Objective,
        least_support: int,
        least_values: int,
        check: Callable[[], None],
        most_incidences: float,
    ) -> None:
        self._kept = objective.kept(table)
        self._codes = np.ascontiguousarray(types.codes.T, np.int32)
        values = types.sensitive.T if least_values > 1 else types.sensitive.T[:0]
        self._values = np.ascontiguousarray(values, np.int32)
        self._counts = types.counts
        self._least, self._least_values = least_support, least_values
        self._check, self._most = check, most_incidences
        self._incidences = 0
        few = len(types) << table.d < _FEW
        self._split_groups = split_groups.py_func if few else split_groups
        self._closed_groups = closed_groups.py_func if few else closed_groups
        self._parts: dict[bytes, tuple[Ints, Int32s]] = {}

    def of_all_sets(self) -> dict[bytes, tuple[Ints, Int32s]]:
        """Return sizes of groups and their types, for each set of starred columns."""
        enough = self._counts.sum() >= self._least
        types = np.arange(len(self._counts) if enough else 0, dtype=np.int32)
        group, starred = np.zeros_like(types), ~self._kept
        for column in np.flatnonzero(self._kept).tolist():
            types, group = self._split(types, group, column)
        free = np.flatnonzero(starred)
        self._close(types, group, starred)
        with Threads(_THREADS) as threads:
            parts = [
                threads.submit(self._list, types, group, starred, free[: i + 1])
                for i in reversed(range(len(free)))
            ]
            for part in parts:
                part.result()
        return self._parts

    def _list(self, types: Int32s, group: Int32s, starred: Bools, free: Ints) -> None:
        """Keep the last free column, too, then each set of those before it."""
        self._check()
        types, group = self._split(types, group, int(free[-1]))
        starred = starred.copy()
        starred[free[-1]] = False
        self._close(types, group, starred)
        for i in reversed(range(len(free) - 1)):
            self._list(types, group, starred, free[: i + 1])

    def _split(
        self, types: Int32s, group: Int32s, column: int
    ) -> tuple[Int32s, Int32s]:
        found: tuple[Int32s, Int32s] = self._split_groups(
            types, group, self._codes[column], self._counts, self._least
        )
        return found

    def _close(self, types: Int32s, group: Int32s, starred: Bools) -> None:
        """Keep the closed groups of a set of starred columns."""
        sizes, members = self._closed_groups(
            types,
            group,
            self._codes,
            np.flatnonzero(starred),
            self._values,
            self._least_values,
        )
        self._parts[starred.tobytes()] = sizes, members
        self._incidences += len(members)
        if self._incidences > self._most:
            raise NotSupportedError(
                f"Expected at most {self._most:,} pairs of a pattern and a row "
                "type, got more; large_neighbourhood takes them."
            )
