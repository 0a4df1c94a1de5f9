"""Make a counted table of files of any size."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from starmin.instances.errors import TableError
from starmin.instances.streams.file_by_file import BESIDE, FileByFile, answers
from starmin.instances.streams.growing_codes import GrowingCodes
from starmin.instances.streams.runs import CountingRuns
from starmin.instances.streams.source import Source
from starmin.instances.tables.table import Table


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
