"""Make a counted table of files of any size."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from instances.errors import TableError
from instances.streams.codes import GrowingCodes
from instances.streams.runs import CountingRuns
from instances.streams.source import Source
from instances.tables.table import Table

BYTES_PER_ROW = 120  # of a distinct row by eight columns while rows are counted


@dataclass(frozen=True)
class Budget:
    """What counting may use.

    Attributes
    ----------
    most
        Distinct rows that are held in memory at a time; the others are on disk.
    folder
        Where what is on disk is kept while rows are counted; None: where the system
        keeps such files.
    """

    most: int = 20_000_000
    folder: Path | None = None


def count_rows(
    source: Source,
    qi: Sequence[str],
    sensitive: Sequence[str] = (),
    budget: Budget | None = None,
) -> Table:
    """Read files batch by batch, and return the table of their distinct rows.

    Parameters
    ----------
    source
        The files.
    qi, sensitive
        The columns that are counted; all others are passed over.
    budget
        What may be held in memory, and where the rest is kept.

    Returns
    -------
    Table
        A counted one, with these columns alone: distinct rows in lexicographic order
        of their codes, and how often each occurs.

    Raises
    ------
    TableError
        A file cannot be read, a column is not there, or there are no rows.

    Notes
    -----
    All rows are never in memory: a batch of them, the distinct rows that were found
    (36 bytes each by eight columns, up to 120 while two lists of them are merged), and
    the distinct values of each column.
    """
    columns = (*qi, *sensitive)
    source.expect(columns)
    asked, name = budget or Budget(), str(source.path)
    growing = GrowingCodes(columns, name)
    with TemporaryDirectory(prefix="starmin.", dir=asked.folder) as folder:
        runs = CountingRuns(len(columns), asked.most, Path(folder))
        for batch in source.batches(columns):
            runs.add(growing.of_batch(batch))
        if not runs.has_rows:
            raise TableError(f"{name}: no rows; expected at least one")
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
