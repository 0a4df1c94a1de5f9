"""Check a release by stars of files of any size."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from starmin.instances import Requirement, Table
from starmin.instances.streams.count import FileByFile, answers, coded
from starmin.instances.streams.source import Source, silent
from starmin.instances.tables.names import counted
from starmin.verify.cells.cells import (
    MAX_ROWS,
    ComparedRows,
    Inconsistency,
    find_inconsistencies,
)
from starmin.verify.releases.release_check import ReleaseCheck, check_release

# Compare the rows of a release of any size with those of its original.

_FEW = 10_000  # rows whose texts are held at a time
Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Comparison:
    """What is compared."""

    qi: tuple[str, ...]  # the columns that may have stars
    names: tuple[str, ...]  # all columns of the release, by their names in the original
    star: str

    def differences(
        self,
        files: Source,
        original: Source,
        executor: Executor | None = None,
        workers: int | None = None,
    ) -> ComparedRows:
        """Return one entry for each column that differs, and how many rows are missing.

        The ``executor`` is where files of Parquet are compared side by side, and runs
        ``workers`` tasks at a time; default: two threads.
        """
        ours, theirs = files.rows(), original.rows()
        if ours is None or theirs is None:
            return self._one_after_the_other(files, original)
        if sum(ours) != sum(theirs):
            return self._of_other_length(files, original, sum(ours), sum(theirs))
        by_file = FileByFile(files, executor is None)
        parts, calls, first = by_file.sources(), [], 0
        for part, rows in zip(parts, ours, strict=True):
            others, skipped = _stretch(original, theirs, first, first + rows)
            calls.append((self, part, others, first, skipped))
            first += rows
        found = []
        each_found = answers(_between, calls, executor, workers)
        for part, some in zip(parts, each_found, strict=True):
            found += some
            by_file.done(part)
        return ComparedRows(inconsistencies=self._by_column(found), missing_rows=0)

    def _one_after_the_other(self, files: Source, original: Source) -> ComparedRows:
        """Compare what does not say how many rows it has."""
        ours, theirs = _Rows(files, self), _Rows(original, self)
        found = self.between(ours, theirs, 0)
        both = ours.count_all(), theirs.count_all()
        if both[0] == both[1]:
            return ComparedRows(inconsistencies=self._by_column(found), missing_rows=0)
        return self._of_other_length(files, original, *both)

    def _of_other_length(
        self, files: Source, original: Source, ours: int, theirs: int
    ) -> ComparedRows:
        """Compare where rows were deleted; the others stand in their order."""
        missing = max(0, theirs - ours)
        if missing:
            rest = _Rows(original, self).each()
            fits = self._fits
            if all(
                any(fits(row, one) for one in rest) for row in _Rows(files, self).each()
            ):
                return ComparedRows(inconsistencies=(), missing_rows=missing)
        why = f"{counted(ours, 'row')}; the original has {theirs:,}"
        if missing:
            why += ", and in their order these are not rows of it"
        differences = (Inconsistency(None, (), why),)
        return ComparedRows(inconsistencies=differences, missing_rows=missing)

    def _fits(self, row: Row, one: Row) -> bool:
        """Return whether a released row may stand for one of the original."""
        return all(
            now == then
            or (now == self.star and column in self.qi)
            or (now == "" and then is None)
            for column, now, then in zip(self.names, row, one, strict=True)
        )

    def between(
        self, ours: "_Rows", theirs: "_Rows", first: int
    ) -> list[Inconsistency]:
        """Compare rows as long as there are some in both, batch by batch.

        ``ours`` are rows of the release, ``theirs`` of the original; ``first`` rows
        stand before them.
        """
        found: list[Inconsistency] = []
        while size := min(ours.ready(), theirs.ready()):
            now, then = ours.take(size), theirs.take(size)
            found += find_inconsistencies(now, then, self.star, before=first)
            first += size
        return found

    def _by_column(self, found: list[Inconsistency]) -> tuple[Inconsistency, ...]:
        by_column = (
            (column, [each for each in found if each.column == column])
            for column in self.names
        )
        return tuple(_joined(column, parts) for column, parts in by_column if parts)


def _between(
    asked: Comparison, files: Source, original: Source, first: int, skipped: int
) -> list[Inconsistency]:
    """Compare files of a release with files of the original, in a task.

    ``first`` rows of the release stand before. ``skipped`` rows of these files of the
    original belong to files before.
    """
    theirs = _Rows(original, asked)
    theirs.skip(skipped)
    return asked.between(_Rows(files, asked), theirs, first)


def _stretch(
    source: Source, rows: Sequence[int], first: int, last: int
) -> tuple[Source, int]:
    """Return the files with rows from ``first`` on, and how many they have before it.

    ``rows`` says how many each file has; ``last`` is the first row that is no longer
    wanted.
    """
    ends = np.cumsum(rows)
    begin = int(np.searchsorted(ends, first, side="right"))
    end = int(np.searchsorted(ends, last)) + 1
    before = int(ends[begin - 1]) if begin else 0
    files = source.files[begin:end] if first < last else ()
    return replace(source, files=files, progress=silent), first - before


def _joined(column: str, parts: list[Inconsistency]) -> Inconsistency:
    places = [row for part in parts for row in part.rows][:MAX_ROWS]
    why = parts[0].why
    if len(parts) > 1:
        why = (
            f"cells differ from the original in {len(parts)} batches of rows; the "
            f"first, in row {places[0]}"
        )
    return Inconsistency(column, tuple(places), why)


class _Rows:
    """The rows of files, as many at a time as are asked for."""

    def __init__(self, source: Source, asked: Comparison) -> None:
        self._source, self._asked = source, asked
        self._batches: Iterator[Any] = source.batches(asked.names)
        self._batch: Any = None
        self._at = self._before = 0

    def ready(self) -> int:
        """Return how many rows there are at once; 0 at the end."""
        while self._batch is None or self._at == self._batch.num_rows:
            self._before += self._at
            self._batch, self._at = next(self._batches, None), 0
            if self._batch is None:
                return 0
        return int(self._batch.num_rows) - self._at

    def take(self, size: int) -> Table:
        """Return the next rows as a table."""
        part = self._batch.slice(self._at, size)
        self._at += size
        name = str(self._source.path)
        names = self._asked.names
        both = [coded(part.column(c), c, name) for c in names]
        return Table(
            names,
            np.array([codes for _, codes in both]),
            tuple(tuple(texts) for texts, _ in both),
            self._asked.qi,
            name=name,
        )

    def each(self) -> Iterator[Row]:
        """Yield the rows that are left, one by one."""
        while size := self.ready():
            yield from self.take(min(size, _FEW)).rows()

    def skip(self, rows: int) -> None:
        """Pass over some rows."""
        while rows and (size := min(rows, self.ready())):
            self._at += size
            rows -= size

    def count_all(self) -> int:
        """Return how many rows there are, those that were taken included."""
        while size := self.ready():
            self._at += size
        return self._before


def check_streamed_release(
    released: Table,
    requirement: Requirement | None,
    files: Source,
    original: Source | None = None,
    drop: Sequence[str] = (),
    star: str = "*",
    executor: Executor | None = None,
    workers: int | None = None,
) -> ReleaseCheck:
    """Recompute whether a release satisfies a requirement, and what it cost.

    As ``starmin.verify.releases.release_check.check_release``, and cells are compared
    by ``compare_files``. Rows of classes are not named, and whether the original's rows
    stand in another order is not asked. ``released`` is a counted table; without a
    requirement it is only measured.
    """
    check = check_release(released, requirement, star=star)
    where = drop, star, executor, workers
    compared = compare_files(files, original, released.qi, *where)
    return replace(check, **vars(compared))


def compare_files(
    files: Source,
    original: Source | None,
    qi: Sequence[str],
    drop: Sequence[str] = (),
    star: str = "*",
    executor: Executor | None = None,
    workers: int | None = None,
) -> ComparedRows:
    """Compare the cells of a release row by row with the original, batch by batch.

    Where it has fewer rows, each is compared with the first one that it may stand for.

    ``files`` are those of the release, ``original`` those of the table it was made of,
    if it is to be compared; ``qi`` are the quasi-identifiers. The columns ``drop`` of
    the original are not in the release. The ``executor`` is where files of Parquet are
    compared side by side, and runs ``workers`` tasks at a time; default: two threads.
    Files of text are compared one after the other.

    One pass over both; memory for two batches of each.
    """
    if original is None:
        return ComparedRows()
    names = tuple(column for column in original.names if column not in drop)
    if files.names != names:
        one, other = (", ".join(map(repr, each)) for each in (files.names, names))
        why = f"columns {one}; those of the original: {other}"
        differences = (Inconsistency(None, (), why),)
        return ComparedRows(inconsistencies=differences, missing_rows=0)
    comparison = Comparison(tuple(qi), names, star)
    return comparison.differences(files, original, executor, workers)
