"""Write a table part after part: to one file, or to a folder of files."""

import codecs
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet

from instances.errors import TableError
from instances.io.atomic import write_atomically
from instances.io.form import check_encoding, check_separator, usual_separator
from instances.io.write import encoding_told, write_csv
from instances.streams.source import ENDINGS
from instances.tables.table import Table

Write = Callable[[Table], None]
FILE_ROWS = 10_000_000  # of one file of a folder


def check_target(path: Path) -> None:
    """Raise TableError where no release can be written part after part.

    A name without an ending stands for a folder of Parquet files; it must not be there,
    or be empty.
    """
    if path.suffix in ENDINGS:
        return
    if path.suffix:
        raise TableError(
            f"{path}: expected a file {', '.join(ENDINGS)}, or a folder, whose name "
            "has no ending"
        )
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise TableError(f"{path}: is there; name a folder that is not, or is empty")
    if not path.resolve().parent.is_dir():
        raise TableError(f"{path}: folder {path.parent} does not exist; make it first")


@contextmanager
def write_parts(
    path: Path, sep: str | None = None, encoding: str = "utf-8"
) -> Iterator[Write]:
    """Open a file or a folder, which appears whole or not at all.

    Parameters
    ----------
    path
        ``.parquet``, ``.csv``, ``.tsv``, ``.txt``; without an ending a folder of
        Parquet files of about 10 million rows each.
    sep, encoding
        Of a text file.

    Yields
    ------
    What takes the table, part after part.

    Raises
    ------
    TableError
        It cannot be written.
    """
    check_target(path)
    if not path.suffix:
        with _folder(path) as write:
            yield write
        return
    with write_atomically(path) as file:
        if path.suffix == ".parquet":
            with ParquetPart(file) as parquet:
                yield parquet.write
        else:
            yield _text(file, path, sep, encoding)


def _text(file: IO[bytes], path: Path, sep: str | None, encoding: str) -> Write:
    cells = usual_separator(path) if sep is None else sep
    check_separator(path, cells)
    check_encoding(path, encoding)
    encode = codecs.getincrementalencoder(encoding)().encode  # one mark at most
    begun = False

    def write(table: Table) -> None:
        nonlocal begun
        with encoding_told(path, encoding):
            write_csv(table, file, cells, encode, header=not begun)
        begun = True

    return write


class ParquetPart:
    """One Parquet file; each part is a row group at least."""

    def __init__(self, file: IO[bytes] | Path) -> None:
        self._file = file
        self._writer: Any = None
        self.rows = 0

    def __enter__(self) -> "ParquetPart":
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, table: Table) -> None:
        """Append rows."""
        arrow = _coded_arrow(table)
        if self._writer is None:
            # Without the schema of Arrow columns are read as plain text.
            self._writer = pa.parquet.ParquetWriter(
                self._file, arrow.schema, store_schema=False
            )
        self._writer.write_table(arrow)
        self.rows += table.n


def _coded_arrow(table: Table) -> Any:
    """Return an Arrow table whose columns are coded, missing cells as nulls."""
    columns = []
    for codes, values in zip(table.codes, table.dictionaries, strict=True):
        missing = None
        if None in values:
            missing = codes == values.index(None)
        texts = pa.array([value or "" for value in values], pa.string())
        indices = pa.array(codes, pa.int32(), mask=missing)
        columns.append(pa.DictionaryArray.from_arrays(indices, texts))
    return pa.table(columns, names=list(table.names))


@contextmanager
def _folder(path: Path) -> Iterator[Write]:
    with new_folder(path) as scratch, ExitStack() as stack:
        files: list[ParquetPart] = []

        def write(table: Table) -> None:
            if not files or files[-1].rows + table.n > FILE_ROWS:
                stack.close()
                file = scratch / part_file(len(files))
                files.append(stack.enter_context(ParquetPart(file)))
            files[-1].write(table)

        yield write


def part_file(number: int) -> str:
    """Return what a file of a folder is called."""
    return f"part-{number:05}.parquet"


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder that appears whole or not at all.

    Yields
    ------
    Where its files are written.

    Raises
    ------
    TableError
        It cannot be written, or is there already.
    """
    check_target(path)
    target = path.resolve()
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise TableError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        yield scratch
        scratch.chmod(0o755)
        scratch.replace(target)
    except OSError as error:
        raise TableError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
