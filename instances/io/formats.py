"""The kinds of files: a new one is one file and one entry here."""

from pathlib import Path

from starmin.instances.io.file_formats.parquet_file import ParquetFormat
from starmin.instances.io.file_formats.spreadsheet import SheetFormat
from starmin.instances.io.file_formats.statistics import (
    SasFormat,
    SpssFormat,
    StataFormat,
)
from starmin.instances.io.file_formats.text_file import TextFormat
from starmin.instances.io.format import Format

FORMATS: tuple[Format, ...] = (
    TextFormat(),
    ParquetFormat(),
    SheetFormat(),
    SpssFormat(),
    StataFormat(),
    SasFormat(),
)
READ = tuple(ending for kind in FORMATS for ending in kind.endings)
WRITTEN = tuple(e for kind in FORMATS if kind.written for e in kind.endings)


def format_of(path: Path) -> Format | None:
    """Return the kind of a file by its name, or None.

    Examples
    --------
    >>> type(format_of(Path("people.csv.gz"))).__name__
    'TextFormat'
    """
    return next((f for f in FORMATS if str(path).endswith(f.endings)), None)
