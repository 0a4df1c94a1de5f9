"""Files and folders of files, read in batches."""

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import expect_file
from starmin.instances.io.file_formats import text_file
from starmin.instances.io.frames import coded_texts
from starmin.instances.io.layout import (
    SAMPLE,
    TABBED,
    check_separator,
    marked_or_wide,
    recognise,
    usual_separator,
)
from starmin.instances.tables.names import (
    counted,
    expect_columns,
    expect_different,
    named,
)
from starmin.instances.tables.table import Table

# The beginning of a text file that is read in batches.

_BLOCK = 1 << 25  # bytes of a batch of text


class Head(NamedTuple):
    """The names of the columns, and where the rows begin."""

    names: tuple[str, ...]  # of the columns
    sep: str  # what separates cells
    skip: int  # lines above the names
    told: tuple[str, ...]  # lines that say what was guessed
    # whether all rows end with a separator, behind which nothing stands
    ended: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """Names for all cells of a row, also for an empty one at its end."""
        return (*self.names, text_file.LAST) if self.ended else self.names

    @classmethod
    def of(cls, file: Path, sep: str | None, encoding: str) -> "Head":
        """Read the beginning of a file.

        ``sep`` is what separates cells; if it is None, it is recognised. Raises
        TableError where the file is empty, or its names are none.
        """
        if sep is not None:
            check_separator(file, sep)
        now = file.stat()
        return _read(file, sep, encoding, now.st_size, now.st_mtime_ns)


@lru_cache(maxsize=1024)
def _read(file: Path, sep: str | None, encoding: str, size: int, at: int) -> Head:
    """Read the beginning of a file that is so large, and was written at this time."""
    with file.open("rb") as opened:
        content = opened.read(SAMPLE)
    # What is cut in the midst of a character is left out.
    text = codecs.getincrementaldecoder(encoding)().decode(content)
    text = text.removeprefix("\ufeff")
    cut = len(content) == SAMPLE
    layout = recognise(file, text, sep, usual_separator(file), cut)
    below = io.StringIO(text, newline="")
    for _ in range(layout.skip):
        below.readline()
    names = next(csv.reader(below, delimiter=layout.sep), [])
    if not names:
        raise TableError(f"{file}: an empty file; expected a header and rows")
    # As a whole file: what the names lack decides the column behind the last of them.
    told, ended = text_file.layout_lines(file, layout), False
    if layout.short or text_file.ends_with_separator(names):
        kept = names if layout.short else names[:-1]
        head = Head((*kept,), layout.sep, layout.skip, (), ended=True)
        ended = _is_ended(file, head, encoding)
        found, lines = text_file.names_of_short(file, kept, layout.short, ended)
    else:
        found, lines = named(file, names)
    return Head((*found,), layout.sep, layout.skip, told + lines, ended)


def _is_ended(file: Path, head: Head, encoding: str) -> bool:
    """Check whether the last cell of each row is empty, in one pass over the file."""
    try:
        with file.open("rb") as opened:
            return all(
                not any(batch.column(0).dictionary.to_pylist())
                for batch in open_text(opened, head, encoding, (text_file.LAST,))
            )
    except pa.ArrowInvalid:  # rows of several lengths, which are refused when read
        return False


def open_text(opened: Any, head: Head, encoding: str, columns: tuple[str, ...]) -> Any:
    """Return a reader of batches of some columns of a file that is open.

    The file is at its beginning, and its lines begin with what ``head`` tells. The
    columns of a batch stand in the order of ``columns``.
    """
    told = head.cells, head.sep, _BLOCK, columns
    asked = text_file.csv_options(*told, encoding=encoding, skip_rows=head.skip)
    return pa.csv.open_csv(opened, **asked)


ENDINGS = (".parquet", ".csv", *TABBED)
BATCH = 1 << 20  # rows of a batch of Parquet

Progress = Callable[[int, int], object]


def silent(done: int, total: int) -> None:
    """Say nothing of bytes that were read."""


@dataclass(frozen=True)
class Source:
    """A file, or a folder of files with the same columns, to be read in batches."""

    path: Path  # as it was named
    files: tuple[Path, ...]  # those to be read, in the order of their names
    names: tuple[str, ...]  # the columns
    sep: str  # sep, encoding: of text files
    encoding: str
    # called with the bytes that were read, and with all there are
    progress: Progress = field(default=silent, repr=False)
    told: tuple[str, ...] = ()  # lines that say what was guessed of the first file
    # by column the texts that are read in place of others
    recoded: Mapping[str, Mapping[str | None, str | None]] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def of(
        cls,
        path: Path | str,
        sep: str | None = None,
        encoding: str | None = None,
        progress: Progress = silent,
    ) -> "Source":
        """Find the files and their columns.

        ``path`` is a file ``.parquet``, ``.csv``, ``.tsv`` or ``.txt``, or a folder of
        such. ``sep`` and ``encoding`` are of text files, by default recognised from the
        beginning of the first one: UTF-8, or UTF-16 if it begins with its mark.
        ``progress`` is called with the bytes that were read, and with all there are.
        Raises TableError for no such file, a folder without any or with files of
        several kinds, another format, or columns that differ from those of the first
        file.
        """
        path = Path(path)
        files = _files(path)
        encoding = encoding or _encoding_of(files[0])
        head = None
        if files[0].suffix != ".parquet":
            head = Head.of(files[0], sep, encoding)
        source = cls(path, files, (), head.sep if head else ",", encoding, progress)
        names = source._names(files[0])
        expect_different(files[0], names)
        for file in files[1:]:
            _expect_same(files[0], names, file, source._names(file))
        told = head.told if head else ()
        return cls(path, files, names, source.sep, encoding, progress, told)

    @property
    def schema(self) -> Any:
        """The types of the columns in the first file; None of text."""
        from pyarrow import parquet  # it has file systems, too

        if self.files[0].suffix != ".parquet":
            return None
        found = parquet.read_schema(self.files[0])
        for column in self.recoded:
            at = found.get_field_index(column)
            found = found.set(at, found.field(at).with_type(pa.string()))
        return found

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.stat().st_size for file in self.files)

    def rows(self) -> list[int] | None:
        """Return how many rows each file has; None where that is not written in it.

        Raises TableError where a file cannot be read.
        """
        from pyarrow import parquet

        if any(file.suffix != ".parquet" for file in self.files):
            return None
        found = []
        for file in self.files:
            try:
                found.append(int(parquet.read_metadata(file).num_rows))
            except (pa.ArrowException, OSError) as error:
                raise self._refusal(file, error) from None
        return found

    def expect(self, columns: Sequence[str]) -> None:
        """Raise TableError where a column is not there."""
        expect_columns(str(self.path), columns, self.names)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Read some columns, batch after batch, as Arrow record batches.

        Those of a batch stand in the order of ``columns``. Raises TableError where a
        file cannot be read; it names the file, and the row of a text file.
        """
        total, before = self.size, 0
        for file in self.files:
            whole = file.stat().st_size
            for batch, share in self._of_file(file, columns):
                self.progress(before + int(share * whole), total)
                yield self._recoded(batch)
            before += whole
            self.progress(before, total)

    def _recoded(self, batch: Any) -> Any:
        """Return a batch with the texts that are read in place of others."""
        for column, told in self.recoded.items():
            at = batch.schema.get_field_index(column)
            if at < 0:
                continue
            texts = coded_texts(batch.column(at), column, str(self.path))
            words = texts.dictionary.to_pylist()
            new = pa.array([told.get(word, word) for word in words], pa.string())
            cells = new.take(texts.indices)
            if None in told:
                cells = cells.fill_null(told[None])
            batch = batch.set_column(at, pa.field(column, pa.string()), cells)
        return batch

    def _of_file(
        self, file: Path, columns: Sequence[str]
    ) -> Iterator[tuple[Any, float]]:
        try:
            if file.suffix == ".parquet":
                yield from _parquet_batches(file, columns)
            else:
                yield from self._text_batches(file, columns)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._refusal(file, error) from None

    def _refusal(self, file: Path, error: Exception) -> TableError:
        """Say what is wrong with a file; of a text file the first line that is."""
        if file.suffix != ".parquet" and (fault := self._fault(file)):
            return TableError(f"{file}: {fault}")
        why = " ".join((getattr(error, "strerror", None) or str(error)).split())
        return TableError(f"{file}: cannot be read ({why})")

    def _fault(self, file: Path) -> str | None:
        """Read a text file once more, strictly; name the first line that is wrong."""
        line = 1
        try:
            head = Head.of(file, self.sep, self.encoding)
            above = head.skip
            with file.open(encoding=self.encoding, newline="") as text:
                for _ in range(above):
                    text.readline()
                reader = csv.reader(text, delimiter=self.sep, strict=True)
                next(reader, [])
                width = len(head.cells)
                line = above + reader.line_num + 1
                for row in reader:
                    if row and len(row) != width:
                        wanted = counted(width, "cell")
                        return f"line {line}: expected {wanted}, got {len(row)}"
                    line = above + reader.line_num + 1
        except csv.Error as error:
            return f"line {line}: {error}; mend the quotes"
        except UnicodeDecodeError:
            return f"after line {line}: not {self.encoding} text; name its encoding"
        return None

    def _text_batches(
        self, file: Path, columns: Sequence[str]
    ) -> Iterator[tuple[Any, float]]:
        whole = max(1, file.stat().st_size)
        with file.open("rb") as stream:
            head = Head.of(file, self.sep, self.encoding)
            reader = open_text(stream, head, self.encoding, tuple(columns))
            for batch in reader:
                yield batch, min(1.0, stream.tell() / whole)

    def _names(self, file: Path) -> tuple[str, ...]:
        from pyarrow import parquet

        try:
            if file.suffix == ".parquet":
                return tuple(parquet.ParquetFile(file).schema_arrow.names)
            return Head.of(file, self.sep, self.encoding).names
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._refusal(file, error) from None


def _encoding_of(file: Path) -> str:
    """Return the encoding that the beginning of a text file shows, or UTF-8."""
    with file.open("rb") as opened:
        found = marked_or_wide(opened.read(SAMPLE))
    return "utf-8" if found in (None, "utf-8-sig") else found


def _files(path: Path) -> tuple[Path, ...]:
    expect_file(path)
    if not path.exists():
        raise TableError(f"{path}: no such file")
    if not path.is_dir():
        if path.suffix not in ENDINGS:
            raise TableError(f"{path}: expected a file {', '.join(ENDINGS)}")
        return (path,)
    files = tuple(
        sorted(f for f in path.iterdir() if f.is_file() and f.suffix in ENDINGS)
    )
    if not files:
        raise TableError(f"{path}: a folder without files {', '.join(ENDINGS)}")
    if len(kinds := sorted({file.suffix for file in files})) > 1:
        raise TableError(
            f"{path}: a folder of files {' and '.join(kinds)}; expected one kind"
        )
    return files


def _expect_same(
    first: Path, names: tuple[str, ...], file: Path, others: tuple[str, ...]
) -> None:
    if others == names:
        return
    for column in names:
        if column not in others:
            raise TableError(f"{file}: no column {column!r}, which {first.name} has")
    for column in others:
        if column not in names:
            raise TableError(f"{file}: column {column!r}, which {first.name} has not")
    raise TableError(f"{file}: its columns stand in another order than {first.name}'s")


def _parquet_batches(file: Path, columns: Sequence[str]) -> Iterator[tuple[Any, float]]:
    from pyarrow import parquet

    whole = parquet.ParquetFile(file, read_dictionary=list(columns))
    rows, done = max(1, whole.metadata.num_rows), 0
    for batch in whole.iter_batches(BATCH, columns=list(columns)):
        done += batch.num_rows
        yield batch.select(list(columns)), done / rows


# Files whose cells are read as sets, or as floors leave them, batch by batch.

Text = str | None


def recoded(source: Source, counted: Table, coarse: Table) -> tuple[Source, Table]:
    """Return files with other texts in place of their own, and their counted table.

    ``counted`` has their distinct rows, and ``coarse`` the same rows, in the same
    order, with the texts that are to be read.

    >>> cells = ["17"], ["93"], ["95"]
    >>> table = Table.from_rows(["age"], cells, qi=["age"])
    >>> counted = replace(table, counts=np.array([1, 2, 3]))
    >>> floored = Table.from_rows(["age"], [["17"], ["90+"], ["90+"]], qi=["age"])
    >>> files = Source(None, (), ("age",), ",", "utf-8")
    >>> files, few = recoded(files, counted, floored)
    >>> files.recoded["age"], few.rows(), few.counts.tolist()
    ({'93': '90+', '95': '90+'}, [('17',), ('90+',)], [1, 5])
    """
    each = ((column, _told(counted, coarse, column)) for column in counted.names)
    changed = {column: told for column, told in each if told}
    if not changed:
        return source, replace(counted, floors=coarse.floors)
    found = coarse.grouped(counted.names)
    table = replace(coarse.take(found.first), counts=found.summed(counted.counts))
    return replace(source, recoded=changed), table


def _told(counted: Table, coarse: Table, column: str) -> dict[Text, Text]:
    """Return by text what is read in its place, where that is another one."""
    texts = counted.dictionary(column)
    place = np.full(len(texts), -1, np.int64)
    place[counted.column(column)] = coarse.column(column)
    others = coarse.dictionary(column)
    pairs = ((texts[c], others[at]) for c, at in enumerate(place.tolist()) if at >= 0)
    return {text: other for text, other in pairs if text != other}
