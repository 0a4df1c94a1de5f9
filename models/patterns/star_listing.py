"""The groups of row types that agree on each set of columns, listed."""

from concurrent.futures import Future
from threading import Lock

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.runs.cores import Threads, cores
from starmin.instances.runs.search_control import spend
from starmin.models.patterns.patterns import Sought, TooManyPairsError

# Sets of the last columns are listed apart: the largest task has an eighth of all.
_APART = 3
# Below so many row types times sets, the loops take less time in Python than numba
# takes to load what it has compiled.
_FEW = 10_000
_A_UNIT = 30  # row types that one unit of work splits and selects


class StarGroups:
    """Groups that could be published with the same stars, for each set of stars.

    Groups have k rows, and l values of each sensitive column. ``most_incidences`` are
    the most pairs of a pattern and a row type that the caller can use.
    """

    def __init__(self, sought: Sought, most_incidences: float) -> None:
        table, types, objective, self._least, self._least_values, self._check = sought
        self._kept = objective.kept(table)
        self._codes = np.ascontiguousarray(types.codes.T, np.int32)
        values = types.sensitive.T[: None if self._least_values > 1 else 0]
        self._values = np.ascontiguousarray(values, np.int32)
        self._counts, self._most = types.counts, most_incidences
        self._incidences, self._lock = 0, Lock()  # of all sets until now
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
        spend(len(types) / _A_UNIT)
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
        with self._lock:
            self._incidences += len(members)
        if self._incidences > self._most:
            raise TooManyPairsError(
                f"Expected at most {self._most:,} pairs of a pattern and a row "
                "type, got more; large_neighbourhood takes them."
            )


@compiled
def split_groups(
    types: Int32s, group: Int32s, column: Int32s, counts: Ints, least: int
) -> tuple[Int32s, Int32s]:
    """Split groups of row types by a further column, and keep those that are large.

    ``types`` are the row types, group after group, and ``group`` has the number of the
    group of each; what is returned is likewise, groups in order of their codes, then of
    the group they were in, and types in their order. ``column`` and ``counts`` are by
    row type: its code in the column, and its multiplicity. Groups with fewer than
    ``least`` rows are left out.
    """
    starts = np.zeros(column.max() + 2, np.int64)
    for t in types:
        starts[column[t] + 1] += 1
    for code in range(1, len(starts)):
        starts[code] += starts[code - 1]
    ordered, was_in = np.empty_like(types), np.empty_like(group)
    for i in range(len(types)):
        at = starts[column[types[i]]]
        starts[column[types[i]]] += 1
        ordered[at], was_in[at] = types[i], group[i]
    size, groups, begin, rows = 0, 0, 0, 0
    for i in range(len(ordered)):
        rows += counts[ordered[i]]
        if (
            i + 1 < len(ordered)
            and was_in[i + 1] == was_in[begin]
            and column[ordered[i + 1]] == column[ordered[begin]]
        ):
            continue
        if rows >= least:
            for j in range(begin, i + 1):
                ordered[size], was_in[size] = ordered[j], groups
                size += 1
            groups += 1
        begin, rows = i + 1, 0
    return ordered[:size].copy(), was_in[:size].copy()


@compiled
def closed_groups(
    types: Int32s,
    group: Int32s,
    codes: Int32s,
    starred: Ints,
    values: Int32s,
    least_values: int,
) -> tuple[Ints, Int32s]:
    """Select groups that differ in each of some columns and are diverse enough.

    Returns the sizes of the groups that are selected, in row types, and their types.
    ``types`` and ``group`` are as ``split_groups`` returns them. ``codes`` are those of
    the row types, columns x types, and a group must differ in the columns ``starred``.
    ``values`` are the sensitive ones of the row types, columns x types, of which a
    group must have ``least_values`` different ones in each of these columns.
    """
    sizes, members = np.empty(len(types), np.int64), np.empty(len(types), np.int32)
    seen = np.full(values.max() + 1 if values.size else 1, -1, np.int64)
    groups, size, begin, looks = 0, 0, 0, 0
    while begin < len(types):
        end = begin + 1
        while end < len(types) and group[end] == group[begin]:
            end += 1
        selected = True
        for j in starred:
            i, own = begin + 1, codes[j, types[begin]]
            while i < end and codes[j, types[i]] == own:
                i += 1
            selected &= i < end
        for j in range(len(values)):
            found, i = 0, begin
            while i < end and found < least_values:
                if seen[values[j, types[i]]] != looks:
                    seen[values[j, types[i]]] = looks
                    found += 1
                i += 1
            looks += 1
            selected &= found >= least_values
        if selected:
            sizes[groups] = end - begin
            groups += 1
            for i in range(begin, end):
                members[size] = types[i]
                size += 1
        begin = end
    return sizes[:groups].copy(), members[:size].copy()
