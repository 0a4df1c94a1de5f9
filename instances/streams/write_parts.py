"""Write a table part after part: to one file, or to a folder of files."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from starmin.instances.arrays import IntArray
from starmin.instances.errors import TableError
from starmin.instances.io.atomic import check_writable, is_stream, write_atomically
from starmin.instances.io.beside import Beside
from starmin.instances.io.file_formats import parquet_file, text_file
from starmin.instances.streams.source import ENDINGS
from starmin.instances.tables.table import Table

_TEXT = (pa.string(), pa.large_string(), pa.string_view())
FILE_ROWS = 10_000_000  # of one file of a folder


def check_target(path: Path) -> None:
    """Raise TableError where no release can be written part after part.

    A name without an ending stands for a folder of Parquet files; it must not be there,
    or be empty.
    """
    if is_stream(path):
        check_writable(path)
        return
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


def is_folder_name(path: Path) -> bool:
    """Check whether a name stands for a folder of files."""
    return not path.suffix and not is_stream(path)


# Takes a part of a table, whose dictionaries hold what occurs alone, and by name those
# columns of Arrow that keep their type.
Write = Callable[[Table, Mapping[str, Any]], object]


@contextmanager
def write_parts(
    path: Path, sep: str | None = None, encoding: str = "utf-8", schema: Any = None
) -> Iterator[Write]:
    """Open a file or a folder, which appears whole or not at all.

    Raises TableError: it cannot be written.

    ``path`` is ``.parquet``, ``.csv``, ``.tsv`` or ``.txt``; without an ending a folder
    of Parquet files of about 10 million rows each. ``sep`` and ``encoding`` are of a
    text file, and ``schema`` of the columns in the files of the input, if they have
    types. Yields what takes the table, part after part.
    """
    check_target(path)
    if is_folder_name(path):
        with _folder(path, schema) as write:
            yield write
        return
    with write_atomically(path) as file:
        if path.suffix == ".parquet":
            with ParquetPart(file, schema) as parquet:
                yield parquet.write
        else:
            yield _text(file, path, sep, encoding)


def _text(file: IO[bytes], path: Path, sep: str | None, encoding: str) -> Write:
    cells, encode = text_file.written_by(path, sep, encoding)
    begun = False

    def write(table: Table, kept: Mapping[str, Any]) -> None:
        nonlocal begun
        with text_file.encoding_told(path, encoding):
            text_file.write_csv(table, file, cells, encode, header=not begun)
        begun = True

    return write


class ParquetPart:
    """One Parquet file; each part is a row group at least.

    ``schema`` is of the columns in the files of the input; if it is None, they are
    text.
    """

    def __init__(self, file: IO[bytes] | Path, schema: Any = None) -> None:
        self._file, self._schema = file, schema
        self._writer: Any = None
        self.rows = 0

    def __enter__(self) -> "ParquetPart":
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, table: Table, kept: Mapping[str, Any]) -> None:
        """Append rows."""
        from pyarrow import parquet  # it has file systems, too

        arrow, said = self._arrow(table, kept)
        if self._writer is None:
            # Columns are written coded, and read as what is said here.
            self._writer = parquet.ParquetWriter(
                self._file, arrow.schema, store_schema=False
            )
            self._writer.add_key_value_metadata(parquet_file.schema_metadata(said))
        self._writer.write_table(arrow)
        self.rows += table.n

    def _arrow(self, table: Table, kept: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return an Arrow table, its text coded, and the schema as it is to be read."""
        columns, fields = [], []
        for name, codes, texts in zip(
            table.names, table.codes, table.dictionaries, strict=True
        ):
            kind = pa.string()
            if self._schema is not None and name in kept:
                kind = self._schema.field(name).type
            plain = kind not in _TEXT
            columns.append(_as(kept[name], kind) if plain else _coded(codes, texts))
            fields.append((name, kind))
        hints: Mapping[str, Any] = {}
        if self._schema is not None:
            hints = parquet_file.hints_of(self._schema).pandas
        whole = {name: each for name, each in hints.items() if name in kept}
        said = parquet_file.with_hints(pa.schema(fields), Beside(pandas=whole))
        return pa.table(columns, names=list(table.names)), said


def _as(column: Any, kind: Any) -> Any:
    """Return a column in the type of its file; a coded one is read in another."""
    if not pa.types.is_dictionary(kind) or column.type == kind:
        return column
    return pa.DictionaryArray.from_arrays(
        column.indices.cast(kind.index_type),
        column.dictionary.cast(kind.value_type),
        ordered=kind.ordered,
    )


def _coded(codes: IntArray, texts: Sequence[str | None]) -> Any:
    """Return a column of Arrow that is coded, missing cells as nulls."""
    missing = codes == texts.index(None) if None in texts else None
    values = pa.array([text or "" for text in texts], pa.string())
    indices = pa.array(codes, pa.int32(), mask=missing)
    return pa.DictionaryArray.from_arrays(indices, values)


@contextmanager
def _folder(path: Path, schema: Any) -> Iterator[Write]:
    with new_folder(path) as scratch, ExitStack() as stack:
        files: list[ParquetPart] = []

        def write(table: Table, kept: Mapping[str, Any]) -> None:
            if not files or files[-1].rows + table.n > FILE_ROWS:
                stack.close()
                file = scratch / part_file(len(files))
                files.append(stack.enter_context(ParquetPart(file, schema)))
            files[-1].write(table, kept)

        yield write


def part_file(number: int) -> str:
    """Return what a file of a folder is called."""
    return f"part-{number:05}.parquet"


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder that appears whole or not at all.

    Yields where its files are written. Raises TableError where it cannot be written, or
    is there already.
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
