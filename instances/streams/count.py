"""Make a counted table of files of any size."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.errors import TableError
from starmin.instances.io.frames import coded_texts, codes_of
from starmin.instances.runs.cores import Threads, cores
from starmin.instances.runs.places import Places
from starmin.instances.streams.source import Progress, Source, silent
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table

# Files read side by side: a task for each, in threads or on other machines.

Answer = TypeVar("Answer")

BESIDE = 2  # files that are read at a time on one machine, where there are the cores


def answers(
    task: Callable[..., Answer],
    calls: Iterable[tuple[Any, ...]],
    executor: Executor | Places | None = None,
    workers: int | None = None,
) -> Iterator[Answer]:
    """Yield what a task answers to each call, in their order.

    ``calls`` has its arguments. ``executor`` is where it is called, None: in two
    threads; ``workers`` is how many tasks that runs at a time, and no more than twice
    as many are begun ahead, so that few answers are held.

    >>> list(answers(pow, [(2, 3), (5, 2), (7, 1)]))
    [8, 25, 7]
    """
    with ExitStack() as stack:
        where = executor or stack.enter_context(Threads(min(BESIDE, cores())))
        ahead = BESIDE if executor is None else 2 * (workers or 8)
        begun: deque[Future[Answer]] = deque()
        try:
            for call in calls:
                if len(begun) == ahead:
                    yield begun.popleft().result()
                begun.append(where.submit(task, *call))
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()


class FileByFile:
    """The files of a source as sources of their own, and how much of all was read.

    If ``here``, they are read in this process, and tell how far they are; else call
    ``done`` for each.
    """

    def __init__(self, source: Source, here: bool) -> None:
        self._source, self._here, self._lock = source, here, Lock()
        self._read: dict[Path, int] = {}

    def sources(self) -> list[Source]:
        """Return a source for each file."""
        source = self._source
        return [
            replace(
                source, files=(file,), progress=self._of(file) if self._here else silent
            )
            for file in source.files
        ]

    def done(self, source: Source) -> None:
        """Note that a file was read."""
        (file,) = source.files
        self._of(file)(source.size, source.size)

    def _of(self, file: Path) -> Progress:
        def tell(read: int, _: int) -> None:
            with self._lock:
                self._read[file] = read
                self._source.progress(sum(self._read.values()), self._source.size)

        return tell


# Dictionaries that grow while batches are read.

Text = str | None


class GrowingCodes:
    """The distinct texts of some columns, numbered in the order in which they are met.

    ``columns`` are their names; ``name``, of the table, is for messages; the texts that
    are ``known`` of each column are numbered first.

    >>> import pyarrow as pa
    >>> codes = GrowingCodes(["a"], "table")
    >>> [codes.of_batch(pa.record_batch({"a": cells}))[0].tolist()
    ...  for cells in (["x", "y"], ["y", None, "z"])]
    [[0, 1], [1, 3, 2]]
    >>> codes.dictionaries
    (('x', 'y', 'z', None),)
    """

    def __init__(
        self, columns: Sequence[str], name: str, known: Iterable[Sequence[Text]] = ()
    ) -> None:
        self.columns, self.name = tuple(columns), name
        self._numbers: list[dict[Text, int]] = [{} for _ in columns]
        for j, texts in enumerate(known):
            self._known(j, texts)

    @property
    def dictionaries(self) -> tuple[tuple[Text, ...], ...]:
        """The texts of each column; codes index them."""
        return tuple(tuple(numbers) for numbers in self._numbers)

    @property
    def sizes(self) -> list[int]:
        """How many texts each column has by now."""
        return [len(numbers) for numbers in self._numbers]

    def of_batch(self, batch: Any) -> list[Int32s]:
        """Return the codes of each column of a batch of Arrow.

        Raises TableError where a column has no text form, or holds a NUL byte.
        """
        found = []
        for j, column in enumerate(self.columns):
            texts, indices = coded(batch.column(column), column, self.name)
            found.append(self._known(j, texts)[indices])
        return found

    def of_table(self, table: Table) -> list[Int32s]:
        """Return the codes of each column of a table with these columns."""
        found = []
        for j, column in enumerate(self.columns):
            known = self._known(j, table.dictionary(column))
            found.append(known[table.column(column)])
        return found

    def _known(self, j: int, texts: Sequence[Text]) -> Int32s:
        """Return the numbers of texts of a column; new ones are numbered."""
        numbers = self._numbers[j]
        return np.array(
            [numbers.setdefault(text, len(numbers)) for text in texts], np.int32
        )


def coded(values: Any, column: str, name: str) -> tuple[list[Text], Int32s]:
    """Return the texts that occur in an Arrow array, and the codes of its cells.

    Raises TableError where it has no text form, is not UTF-8, or holds a NUL byte.
    """
    codes, texts = codes_of(coded_texts(values, column, name), column, name)
    used = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
    if len(used) < len(texts):  # values that do not occur are not part of the table
        place = np.zeros(len(texts), np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        codes, texts = place[codes], [texts[i] for i in used.tolist()]
    if any(text is not None and "\0" in text for text in texts):
        raise TableError(f"{name}: column {column!r}: a NUL byte; remove it")
    return texts, codes


# Distinct rows with counts, in memory up to a bound, else in sorted runs on disk.

_KEY_LIMIT = 2**62


class CountingRuns:
    """Counts rows that come in batches.

    What was counted is kept in memory as distinct rows, until these are more than
    ``most``: then they are written to a folder as a sorted *run*. In the end the runs
    are merged, a range of rows after the other, so that a row that is in several runs
    becomes one again.

    ``columns`` is how many there are. The ``folder`` where runs are written is the
    caller's to remove, and ``spilled`` is how many runs were written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     runs = CountingRuns(1, 2, Path(folder))
    ...     for batch in ([3, 1, 3], [2, 1], [3, 0]):
    ...         runs.add([np.array(batch, np.int32)])
    ...     codes, counts = runs.merged([4])
    >>> codes.tolist(), counts.tolist(), runs.spilled > 0
    ([[0, 1, 2, 3]], [1, 2, 1, 3], True)
    """

    def __init__(self, columns: int, most: int, folder: Path) -> None:
        self.columns, self.most, self.folder = columns, most, folder
        self.spilled = 0
        self._parts: list[tuple[Int32s, Ints]] = []
        self._compact = 0  # distinct rows in the first part
        self._held = 0
        self._sorted = True  # each part by itself

    def add(self, codes: Sequence[Int32s], counts: Ints | None = None) -> None:
        """Count the rows of a batch.

        ``codes`` has one array for each column; ``counts`` tells how often each row
        occurs, by default once. Of batches with counts few rows are expected to be
        equal.
        """
        if len(codes[0]) == 0:
            return
        held = np.array(codes, np.int32)
        if counts is None:
            self._parts.append(_distinct(held, None))
        else:  # sorted with the others
            self._parts.append((held, counts))
            self._sorted = False
        self._held += len(self._parts[-1][1])
        # Compacted when as much has come as was there, so that each row is sorted
        # a constant number of times.
        if self._held > self.most or self._held > max(4 * self._compact, 1 << 22):
            self._shrink()
            if self._held > self.most // 2:
                self._spill()

    @property
    def has_rows(self) -> bool:
        """Whether any row was counted."""
        return bool(self._parts or self.spilled)

    def merged(self, sizes: Sequence[int]) -> tuple[Int32s, Ints]:
        """Return the distinct rows, columns x m, in lexicographic order, and counts.

        ``sizes`` tells how many codes each column has.
        """
        self._shrink()
        runs = [self._run(number) for number in range(self.spilled)]
        runs += self._parts
        if len(runs) == 1:
            return runs[0]
        keys = [_keys(codes, sizes) for codes, _ in runs]
        bounds = _ranges(keys, self.most)
        ends = [np.searchsorted(key, bounds) for key in keys]
        parts = []
        for piece in range(len(bounds) - 1):
            slices = [slice(end[piece], end[piece + 1]) for end in ends]
            both = zip(runs, slices, strict=True)
            cut = [(codes[:, s], counts[s]) for (codes, counts), s in both]
            parts.append(_merge(cut))
        return _joined(parts)

    def _shrink(self) -> None:
        """Merge the parts in memory into one, which is sorted."""
        if len(self._parts) > 1 or not self._sorted:
            merged = _merge(self._parts)
            self._parts, self._sorted = [merged], True
        self._held = self._compact = sum(len(counts) for _, counts in self._parts)

    def _spill(self) -> None:
        """Write what is in memory as a run."""
        codes, counts = self._parts.pop()
        np.save(self.folder / f"codes{self.spilled}.npy", codes)
        np.save(self.folder / f"counts{self.spilled}.npy", counts)
        self.spilled += 1
        self._held = self._compact = 0

    def _run(self, number: int) -> tuple[Int32s, Ints]:
        return (
            np.load(self.folder / f"codes{number}.npy", mmap_mode="r"),
            np.load(self.folder / f"counts{number}.npy", mmap_mode="r"),
        )


def _distinct(codes: Int32s, counts: Ints | None) -> tuple[Int32s, Ints]:
    """Return the distinct rows in lexicographic order, and how often they occur."""
    groups = group_by(list(codes))
    return np.ascontiguousarray(codes[:, groups.first]), groups.summed(counts)


def _merge(parts: list[tuple[Int32s, Ints]]) -> tuple[Int32s, Ints]:
    codes, counts = _joined(parts)
    if len(counts) == 0:
        return codes, counts
    return _distinct(codes, counts)


def _joined(parts: list[tuple[Int32s, Ints]]) -> tuple[Int32s, Ints]:
    return (
        np.concatenate([codes for codes, _ in parts], axis=1),
        np.concatenate([counts for _, counts in parts]),
    )


def _keys(codes: Int32s, sizes: Sequence[int]) -> Ints:
    """Pack as many of the first columns as fit into a number, sorted as rows are."""
    key, width = np.zeros(codes.shape[1], np.int64), 1
    for column, size in zip(codes, sizes, strict=True):
        if width * max(size, 1) > _KEY_LIMIT:
            break
        key = key * max(size, 1) + column
        width *= max(size, 1)
    return key


def _ranges(keys: list[Ints], most: int) -> Ints:
    """Return keys between which the runs have about ``most`` rows in all."""
    pieces = -(-sum(map(len, keys)) // max(1, most))
    if pieces == 0:
        return np.array([0, _KEY_LIMIT], np.int64)
    # Quantiles of a sample of each run, in proportion to its length.
    sample = np.sort(np.concatenate([key[:: max(1, len(key) // 4096)] for key in keys]))
    at = np.linspace(0, len(sample) - 1, pieces + 1).astype(np.int64)[1:-1]
    inner = np.unique(sample[at])
    return np.concatenate([[0], inner[inner > 0], [_KEY_LIMIT]])


class NoRowsError(TableError):
    """A file, or a folder of files, has no rows."""


@dataclass(frozen=True)
class Budget:
    """What counting may use."""

    # distinct rows that are held in memory at a time; the others are on disk
    most: int = 20_000_000
    # where what is on disk is kept while rows are counted; None: where the system keeps
    # such files
    folder: Path | None = None
    # where files are counted side by side, each as a task: processes, or the workers of
    # a cluster, which read the files by the same paths; None: two threads
    executor: Executor | None = None
    workers: int | None = None  # how many tasks the executor runs at a time


def count_rows(
    source: Source,
    qi: Sequence[str],
    sensitive: Sequence[str] = (),
    budget: Budget | None = None,
) -> Table:
    """Read files batch by batch, and return the table of their distinct rows.

    Only the columns ``qi`` and ``sensitive`` are counted; all others are passed over.
    The table is a counted one, with these columns alone: distinct rows in lexicographic
    order of their codes, and how often each occurs. ``budget`` tells what may be held
    in memory, and where the rest is kept.

    All rows are never in memory: a batch of them, the distinct rows that were found (36
    bytes each by eight columns, up to 120 while two lists of them are merged), and the
    distinct values of each column. Raises TableError where a file cannot be read, a
    column is not there, or there are no rows.
    """
    columns = (*qi, *sensitive)
    source.expect(columns)
    asked, name = budget or Budget(), str(source.path)
    growing = GrowingCodes(columns, name)
    with TemporaryDirectory(prefix="starmin.", dir=asked.folder) as folder:
        runs = CountingRuns(len(columns), asked.most, Path(folder))
        if asked.executor is None and len(source.files) == 1:
            for batch in source.batches(columns):
                runs.add(growing.of_batch(batch))
        else:
            for part in _counted_apart(source, columns, asked):
                runs.add(growing.of_table(part), part.counts)
        if not runs.has_rows:
            raise NoRowsError(f"{name}: no rows; expected at least one")
        codes, counts = runs.merged(growing.sizes)
        return Table(
            columns,
            codes,
            growing.dictionaries,
            tuple(qi),
            tuple(sensitive),
            name,
            counts,
        )


def _counted_apart(
    source: Source, columns: Sequence[str], asked: Budget
) -> Iterator[Table]:
    """Count each file as a task; yield the counted tables in the order of the files."""
    here = asked.executor is None
    files = FileByFile(source, here)
    parts = files.sources()
    # What is in memory at a time: a table in each thread, and what they add up to.
    most = max(1, asked.most // (BESIDE + 1)) if here else asked.most
    budget = Budget(most, asked.folder)
    calls = [(part, columns, budget) for part in parts]
    found = answers(_count, calls, asked.executor, asked.workers)
    for part, table in zip(parts, found, strict=True):
        if table is not None:
            yield table
        files.done(part)


def _count(source: Source, columns: Sequence[str], budget: Budget) -> Table | None:
    """Count the rows of a file, in a worker; None where it has none."""
    try:
        return count_rows(source, columns, (), budget)
    except NoRowsError:
        return None
