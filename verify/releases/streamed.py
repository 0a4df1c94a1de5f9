"""Check a release by stars of files of any size."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from instances import Requirement, Table
from instances.streams.codes import coded
from instances.streams.source import Source
from instances.tables.plural import counted
from verify.cells.consistency import MAX_ROWS, Inconsistency, find_inconsistencies
from verify.releases.release import ReleaseCheck, check_release


def check_streamed_release(
    released: Table,
    requirement: Requirement | None,
    files: Source,
    original: Source | None = None,
    drop: Sequence[str] = (),
    star: str = "*",
) -> ReleaseCheck:
    """Recompute whether a release satisfies a requirement, and what it cost.

    As ``verify.releases.release.check_release``: classes are counted, and the cells
    compared row by row with the original, a batch at a time. Rows of classes are not
    named, and whether the original's rows stand in another order is not asked.

    Parameters
    ----------
    released
        The release as a counted table.
    requirement
        What each class must satisfy; None to measure only.
    files
        The files of the release.
    original
        Those of the table it was made of, if it is to be compared.
    drop
        Columns of the original that are not in the release.
    star
        The symbol of a suppressed cell.

    Notes
    -----
    One pass over both; memory for the counted release and a batch of each.
    """
    check = check_release(released, requirement, star=star)
    if original is None:
        return check
    found = _differences(released, files, original, drop, star)
    return replace(check, inconsistencies=tuple(found))


def _differences(
    released: Table, files: Source, original: Source, drop: Sequence[str], star: str
) -> list[Inconsistency]:
    """Return one entry for each column that differs."""
    names = tuple(column for column in original.names if column not in drop)
    if files.names != names:
        one, other = (", ".join(map(repr, each)) for each in (files.names, names))
        return [
            Inconsistency(None, (), f"columns {one}; those of the original: {other}")
        ]
    rows, parts = 0, (_Rows(files, released.qi), _Rows(original, released.qi, names))
    found: dict[str, list[Inconsistency]] = {}
    while size := min(part.ready() for part in parts):
        now, then = (part.take(size) for part in parts)
        for each in find_inconsistencies(now, then, star):
            assert each.column is not None
            places = tuple(row + rows for row in each.rows)
            found.setdefault(each.column, []).append(replace(each, rows=places))
        rows += size
    left = [part.count_rest() for part in parts]
    if any(left):
        why = f"{counted(rows + left[0], 'row')}; the original has {rows + left[1]:,}"
        return [Inconsistency(None, (), why)]
    return [_joined(column, found[column]) for column in names if column in found]


def _joined(column: str, parts: list[Inconsistency]) -> Inconsistency:
    places = [row for part in parts for row in part.rows][:MAX_ROWS]
    why = (
        parts[0].why
        if len(parts) == 1
        else (
            f"cells differ from the original in {len(parts)} batches of rows; the "
            f"first, in row {places[0]}"
        )
    )
    return Inconsistency(column, tuple(places), why)


class _Rows:
    """The rows of files, as many at a time as are asked for."""

    def __init__(
        self, source: Source, qi: Sequence[str], names: Sequence[str] | None = None
    ) -> None:
        self._source, self._names = source, tuple(names or source.names)
        self._qi = tuple(qi)
        self._batches: Iterator[Any] = source.batches(self._names)
        self._batch: Any = None
        self._at = 0

    def ready(self) -> int:
        """Return how many rows there are at once; 0 at the end."""
        while self._batch is None or self._at == self._batch.num_rows:
            self._batch, self._at = next(self._batches, None), 0
            if self._batch is None:
                return 0
        return int(self._batch.num_rows) - self._at

    def take(self, size: int) -> Table:
        """Return the next rows as a table."""
        part = self._batch.slice(self._at, size)
        self._at += size
        name = str(self._source.path)
        both = [coded(part.column(c), c, name) for c in self._names]
        return Table(
            self._names,
            np.array([codes for _, codes in both]),
            tuple(tuple(texts) for texts, _ in both),
            self._qi,
            name=name,
        )

    def count_rest(self) -> int:
        """Return how many rows were not taken."""
        rest = 0
        while size := self.ready():
            rest += size
            self._at += size
        return rest
