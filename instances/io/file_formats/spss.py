"""Read and write files of SPSS, by pyreadstat; say what columns are written as."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from math import isfinite, isinf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Literal, NamedTuple

import pyarrow as pa

from starmin.instances.io.beside import Beside, Labels, Span
from starmin.instances.io.file_formats.statistics import StatisticsFormat, shortened
from starmin.instances.io.format import Asked, Check, library, told
from starmin.instances.io.frames import guess
from starmin.instances.tables.table import Table

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
