"""The groups of row types that agree on each set of columns, listed."""

from collections.abc import Callable
from concurrent.futures import Future

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.runs.workers.cores import cores
from starmin.instances.runs.workers.threads import Threads
from starmin.models.patterns.patterns import TooManyPairsError
from starmin.models.patterns.star_groups import closed_groups, split_groups

# Sets of the last columns are listed apart: the largest task has an eighth of all.
_APART = 3
# Below so many row types times sets, the loops take less time in Python than numba
# takes to load what it has compiled.
_FEW = 10_000


class StarGroups:
    """Groups that could be published with the same stars, for each set of stars.

    Parameters
    ----------
    table, types, objective
        The table, its row types, and which columns must not be starred.
    least_support, least_values
        k and l: groups have so many rows, and so many values of each sensitive column.
    check
        Called before each group-by; it may raise to end the enumeration.
    most_incidences
        Most pairs of a pattern and a row type that the caller can use.
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
        self._incidences: list[int] = []  # of each set
        self._calls: list[Future[None]] = []
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
        with Threads(cores()) as self._threads:
            self._list_before(types, group, starred, free, _APART)
            for call in self._calls:  # which begin others before they end
                call.result()
        return self._parts

    def _list(
        self, types: Int32s, group: Int32s, starred: Bools, free: Ints, apart: int
    ) -> None:
        """Keep the last free column, too, then each set of those before it."""
        self._check()
        types, group = self._split(types, group, int(free[-1]))
        starred = starred.copy()
        starred[free[-1]] = False
        self._close(types, group, starred)
        self._list_before(types, group, starred, free[:-1], apart - 1)

    def _list_before(
        self, types: Int32s, group: Int32s, starred: Bools, free: Ints, apart: int
    ) -> None:
        """Keep each set of free columns, too, the last ones as tasks apart."""
        for i in reversed(range(len(free))):
            columns = free[: i + 1]
            if apart > 0:
                call = self._threads.submit(
                    self._list, types, group, starred, columns, apart
                )
                self._calls.append(call)
            else:
                self._list(types, group, starred, columns, apart)

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
        self._incidences.append(len(members))
        if sum(self._incidences) > self._most:
            raise TooManyPairsError(
                f"Expected at most {self._most:,} pairs of a pattern and a row "
                "type, got more; large_neighbourhood takes them."
            )
