"""Files of SPSS, Stata and SAS: codes, with what stands beside them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from math import isfinite, isinf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Literal, NamedTuple

import pyarrow as pa

from starmin.instances.io.beside import Beside, Labels, Span, Typed
from starmin.instances.io.format import Asked, Check, Format, Raw, library, told
from starmin.instances.io.frames import guess, text_of, texts_of
from starmin.instances.tables.table import Table

_KINDS = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
}


class StatisticsFormat(Format):
    """Files that pyreadstat reads: declared missing codes are values like others."""

    begins = True

    def read(self, path: Path, asked: Asked) -> Raw:
        """Read the codes; ``.a`` is the missing code a of Stata or SAS."""
        return self.first(path, asked, 0)

    def first(self, path: Path, asked: Asked, rows: int) -> Raw:
        """Read the codes of the first rows; of all, if 0."""
        how = {"user_missing": True, "output_format": "dict", "row_limit": rows}
        with told(path):
            columns, found = _read(path, **how)
            arrow, typed = {}, {}
            for name, values in columns.items():
                kind = _KINDS[found.readstat_variable_types[name]]
                if name in found.missing_user_values:
                    arrow[name], typed[name] = _tagged(values, kind)
                else:
                    arrow[name] = _array(values, kind)
        return Raw(pa.table(arrow), beside=replace(_beside(found), typed=typed))

    def labels(self, path: Path) -> Labels:
        """Read the labels alone, which needs no cells."""
        with told(path):
            return _beside(_read(path, metadataonly=True)[1]).labels


class SasFormat(StatisticsFormat):
    """Files of SAS, which are read alone."""

    endings = (".sas7bdat",)
    written = False


def _read(path: Path, **how: Any) -> Any:
    return getattr(library("pyreadstat", path), f"read_{path.suffix[1:]}")(path, **how)


def shortened(
    labels: Labels, most: int, most_of_file: int, unit: str, size: Callable[[str], int]
) -> Iterator[str]:
    """Say which labels of columns, and of the file, are longer than there is room."""
    for column, label in labels.columns.items():
        if size(label) > most:
            yield f"the label of column {column!r} is shortened to {most} {unit}"
    if size(labels.title) > most_of_file:
        yield f"the label of the file is shortened to {most_of_file} {unit}"


def _beside(found: Any) -> Beside:
    """Return what the metadata of pyreadstat say."""
    kinds = found.readstat_variable_types
    labels = Labels(
        {c: label for c, label in found.column_names_to_labels.items() if label},
        {
            column: {_code(value, kinds[column]): said for value, said in known.items()}
            for column, known in found.variable_value_labels.items()
        },
        {c: kind for c, kind in found.variable_measure.items() if kind != "unknown"},
        found.file_label or "",
    )
    missing = {
        column: tuple((span["lo"], span["hi"]) for span in spans)
        for column, spans in found.missing_ranges.items()
    }
    formats = {c: form for c, form in found.original_variable_types.items() if form}
    return Beside(labels, missing=missing, formats=formats, storage=kinds)


def _code(value: Any, kind: str) -> str:
    """Return the text of a code that has a label."""
    if isinstance(value, str) and kind != "string":
        return f".{value}"
    return text_of(value) or ""


def _array(values: list[Any], kind: Any) -> Any:
    """Return a column of Arrow; dates and times have their own type.

    An empty text is a missing cell: columns of text have no other one in these files.
    """
    if kind == pa.string():
        return pa.array([value or None for value in values], kind)
    numbers = all(value is None or isinstance(value, float | int) for value in values)
    return pa.array(values, kind if numbers else None)


def _tagged(values: list[Any], kind: Any) -> tuple[Any, Typed]:
    """Return a column with missing codes as text, and the numbers that are in it."""
    numbers = _array([None if isinstance(v, str) else v for v in values], kind)
    texts = [
        f".{value}" if isinstance(value, str) else text
        for value, text in zip(values, texts_of(numbers).to_pylist(), strict=True)
    ]
    first: dict[str | None, int] = {}
    for row, text in enumerate(texts):
        first.setdefault(text, row)
    kept = numbers.take(pa.array(list(first.values()), pa.int64()))
    return pa.array(texts, pa.string()), Typed(tuple(first), kept)


# What a column is written as by the programs that know numbers, dates and text.

_MOST = 8.9e307  # greater ones stand for missing values in Stata


class Written(NamedTuple):
    """The cells of a column, by the codes of the table."""

    kind: Literal["number", "time", "text"]  # a time is a date, a time, or both
    # numbers and times, None where one is missing; of numbers, a text is a missing code
    # of Stata, as ``.a``
    cells: list[Any]
    type: Any  # of Arrow

    @classmethod
    def of(cls, table: Table, name: str, beside: Beside, codes: bool) -> "Written":
        """Return what a column is written as.

        Where ``beside`` does not know its type, it is what all its texts are written
        like. ``codes`` says whether missing codes of Stata can stand among numbers.
        """
        texts, typed = table.dictionary(name), beside.typed.get(name)
        text = cls("text", [each or "" for each in texts], pa.string())
        if typed is None or typed.type is None:
            return _guessed([guess(each) for each in texts]) or text
        kind = typed.type
        numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if numeric and (codes or typed.plain):
            numbers = [*map(_number, texts, typed.values.to_pylist())]
            known = [n for n in numbers if not isinstance(n, str | None)]
            # Stata has no infinity.
            fine = all(_exact(n) or (isinf(n) and not codes) for n in known)
            return cls("number", numbers, kind) if fine else text
        timed = pa.types.is_date(kind) or pa.types.is_time(kind)
        timed = timed or (pa.types.is_timestamp(kind) and kind.tz is None)
        if timed and typed.plain:
            return cls("time", typed.values.to_pylist(), kind)
        return text


def _guessed(values: list[Any]) -> Written | None:
    """Return values as numbers, or as dates, if all of them are."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {date}:
        return Written("time", values, pa.date32())
    if kinds and kinds <= {int, float}:
        return Written("number", values, pa.float64() if float in kinds else pa.int64())
    return None


def _number(text: str | None, value: Any) -> Any:
    """Return the number that a text stands for; the text, where there is none."""
    if value is None:
        return text
    # Of a number of single precision it is the text that is meant.
    return float(text or 0) if isinstance(value, float) else value


def _exact(number: Any) -> bool:
    """Check whether a double holds a number exactly."""
    most = _MOST if isinstance(number, float) else 2**53
    return isfinite(number) and abs(number) < most


_NAME = re.compile(r"[^\W\d_][\w.$#@]*")
_RESERVED = {"ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO"}
_RESERVED |= {"WITH"}
_NAME_BYTES, _TITLE_BYTES = 64, 256  # of a name or the label of a file, of a column's
_LABEL_BYTES, _TEXT_BYTES = 120, 32_767  # of the label of a value, of a cell
_DECLARED = 3  # missing codes of a column of text
_LONGEST = 8  # bytes of such a code


class SpssFormat(StatisticsFormat):
    """Files of SPSS."""

    endings = (".sav",)
    writers = ("pyreadstat", "polars")

    def why_no_name(self, name: str) -> str | None:
        """Look for what SPSS takes for no name."""
        fits = _NAME.fullmatch(name) and _bytes(name) <= _NAME_BYTES
        if fits and name.upper() not in _RESERVED:
            return None
        return (
            "a name in SPSS has letters, digits and . _ $ # @, at most 64 bytes, "
            "begins with a letter, and is none of its words"
        )

    def folded(self, name: str) -> str:
        """Return a name without case."""
        return name.lower()

    def text_check(self, asked: Asked) -> Check | None:
        """Look for blanks at ends, which are lost, and at lengths."""
        return _why_no_text

    def left_out(self, table: Table, beside: Beside) -> Iterator[str]:
        """Say which labels are shortened or left out."""
        labels = beside.labels
        for column, known in labels.values.items():
            if any(_bytes(label) > _LABEL_BYTES for label in known.values()):
                yield (
                    f"labels of values of column {column!r} are shortened to "
                    f"{_LABEL_BYTES} bytes"
                )
        yield from shortened(labels, _TITLE_BYTES, _NAME_BYTES, "bytes", _bytes)

    def write(
        self, table: Table, beside: Beside, file: IO[bytes], path: Path, asked: Asked
    ) -> None:
        """Write numbers, all of them doubles, and dates where a column has no other."""
        writer, polars = library("pyreadstat", path), library("polars", path)
        types = {"number": polars.Float64, "text": polars.String, "time": None}
        columns = {c: Written.of(table, c, beside, False) for c in table.names}
        kinds = {c: each.kind for c, each in columns.items()}
        labels = beside.labels
        with told(path), TemporaryDirectory() as folder:
            series = (
                polars.Series(c, each.cells, types[each.kind]).gather(table.column(c))
                for c, each in columns.items()
            )
            scratch = Path(folder, "table.sav")  # it writes to a path alone
            writer.write_sav(
                polars.DataFrame([*series]),
                scratch,
                file_label=labels.title,
                column_labels={c: labels.columns.get(c, "") for c in table.names},
                variable_value_labels=_value_labels(labels, kinds),
                variable_measure={
                    c: "nominal" if kinds[c] == "text" and how == "scale" else how
                    for c, how in labels.measures.items()
                },
                variable_format={
                    c: form
                    for c, form in beside.formats.items()
                    if kinds[c] != "text" and not form.startswith("%")  # of Stata
                },
                missing_ranges={
                    c: _ranges(spans, kinds[c] == "text")
                    for c, spans in beside.missing.items()
                },
            )
            file.write(scratch.read_bytes())


def _bytes(text: str) -> int:
    return len(text.encode())


def _why_no_text(text: str) -> str | None:
    """Say why a cell cannot have a text; None: it can."""
    if text[-1:] == " ":
        return f"{text!r} ends with a blank, which is lost in SPSS"
    if (many := _bytes(text)) > _TEXT_BYTES:
        return f"a text of {many:,} bytes, and a cell of SPSS holds {_TEXT_BYTES:,}"
    return None


def _value_labels(
    labels: Labels, kinds: Mapping[str, str]
) -> dict[str, dict[Any, str]]:
    """Return the labels of values, by number or by text as the column is."""
    found: dict[str, dict[Any, str]] = {}
    for name, known in labels.values.items():
        if kinds[name] == "text":
            found[name] = dict(known)
        elif kinds[name] == "number":
            found[name] = numbered(known)
    return {name: known for name, known in found.items() if known}


def numbered(known: Mapping[str, str]) -> dict[float, str]:
    """Return labels by number, of the texts that are numbers.

    >>> numbered({"1": "north", "X": "abroad"})
    {1.0: 'north'}
    """
    found = {}
    for text, label in known.items():
        with suppress(ValueError):
            found[float(text)] = label
    return found


def _ranges(spans: Iterable[Span], text: bool) -> list[dict[str, Any]]:
    """Return declared missing codes as SPSS takes them."""
    if not text:
        return [
            {"lo": low, "hi": high} for low, high in spans if not isinstance(low, str)
        ]
    codes = [low for low, _ in spans if isinstance(low, str)]
    short = [code for code in codes if _bytes(code) <= _LONGEST]
    return [{"lo": code, "hi": code} for code in short[:_DECLARED]]
