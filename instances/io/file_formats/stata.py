"""Files of Stata, written in its format 118."""

import re
import struct
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starmin.instances.io.beside import Beside
from starmin.instances.io.file_formats import statistics
from starmin.instances.io.format import Asked, told
from starmin.instances.tables.table import Table

_NAME = re.compile(r"(?!\d)\w{1,32}")
_RESERVED = {"if", "in", "using", "with", "byte", "int", "long", "float", "double"}
_RESERVED |= {"strL", "_all", "_b", "_coef", "_cons", "_n", "_N", "_pi", "_pred"}
_RESERVED |= {"_rc", "_skip"}
_LONGEST = 2045  # bytes of a text in its cell; longer ones stand apart
_TITLE, _LABEL = 80, 32_000  # characters of labels: of a column or file, of a value
_APART = 32768  # the type of a column with such texts
_PARTS = (
    *("variable_types", "varnames", "sortlist", "formats", "value_label_names"),
    *("variable_labels", "characteristics", "data", "strls", "value_labels"),
)


class _Kind(NamedTuple):
    """A type of numbers: its code in the file, of numpy, and how missing ones count.

    The first missing value is ``.``; ``.a`` to ``.z`` follow by steps. Of floating
    point numbers it is the bits that are meant.
    """

    code: int
    type: str
    least: float
    missing: int
    step: int
    form: str


_BYTE = _Kind(65530, "<i1", -127, 101, 1, "%8.0g")
_INT = _Kind(65529, "<i2", -32767, 32741, 1, "%8.0g")
_LONG = _Kind(65528, "<i4", -2147483647, 2147483621, 1, "%12.0g")
_FLOAT = _Kind(65527, "<f4", -1.7e38, 0x7F000000, 0x800, "%9.0g")
_DOUBLE = _Kind(65526, "<f8", -8.9e307, 0x7FE0000000000000, 1 << 40, "%10.0g")

_DAY, _MOMENT = date(1960, 1, 1), datetime(1960, 1, 1)  # from which Stata counts


class _Variable(NamedTuple):
    """A column as it stands in the file."""

    code: int  # code, form: its type, and how Stata shows it
    form: str
    cells: npt.NDArray[Any]  # for each text of the dictionary what stands in the file
    apart: dict[int, bytes]  # texts that stand apart, by their places in the dictionary
    # of whole numbers and of missing codes, which are numbers, too
    labels: dict[int, str]


class StataFormat(statistics.StatisticsFormat):
    """Files of Stata, in its format 118.

    References
    ----------
    StataCorp, File formats .dta, format 118.
    """

    endings = (".dta",)
    most_columns = 32_767

    def why_no_name(self, name: str) -> str | None:
        """Look for what Stata takes for no name."""
        if _NAME.fullmatch(name) and name not in _RESERVED:
            return None
        return (
            "a name in Stata has letters, digits and _, at most 32, and is none of its "
            "words"
        )

    def left_out(self, table: Table, beside: Beside) -> Iterator[str]:
        """Say which labels are shortened or left out."""
        labels = beside.labels
        for column in (name for name in table.names if labels.values.get(name)):
            known = labels.values[column]
            written = statistics.Written.of(table, column, beside, codes=True)
            if written.kind != "number":
                yield (
                    f"the labels of column {column!r} are left out: it is text, whose "
                    "values have none in Stata"
                )
                continue
            if any(not number.is_integer() for number in statistics.numbered(known)):
                yield (
                    f"labels of column {column!r} are left out: Stata has some for "
                    "whole numbers alone"
                )
            if any(len(label) > _LABEL for label in known.values()):
                yield (
                    f"labels of values of column {column!r} are shortened to "
                    f"{_LABEL:,} characters"
                )
        yield from statistics.shortened(labels, _TITLE, _TITLE, "characters", len)

    def write(
        self, table: Table, beside: Beside, file: IO[bytes], path: Path, asked: Asked
    ) -> None:
        """Write each column in the type that it was of, if its numbers fit."""
        with told(path):
            _write(table, beside, file)


def _write(table: Table, beside: Beside, file: IO[bytes]) -> None:
    variables = [_variable(table, name, beside) for name in table.names]
    titles = [beside.labels.columns.get(name, "")[:_TITLE] for name in table.names]
    named = [n if v.labels else "" for n, v in zip(table.names, variables, strict=True)]
    data, apart = _rows(table, variables)
    contents = (
        struct.pack(f"<{len(variables)}H", *(v.code for v in variables)),
        _padded(table.names, 129),
        bytes(2 * (len(variables) + 1)),
        _padded([v.form for v in variables], 57),
        _padded(named, 129),
        _padded(titles, 321),
        b"",
        data,
        apart,
        b"".join(map(_label_set, table.names, variables)),
    )
    title = beside.labels.title[:_TITLE].encode()
    sizes = struct.pack("<H", len(variables)), struct.pack("<Q", table.n)
    header = _part("release", b"118") + _part("byteorder", b"LSF")
    header += _part("K", sizes[0]) + _part("N", sizes[1])
    header += _part("label", struct.pack("<H", len(title)) + title)
    begin = b"<stata_dta>" + _part("header", header + _part("timestamp", b"\0"))
    parts = [_part(*each) for each in zip(_PARTS, contents, strict=True)]
    places = [0, len(begin), len(begin) + len(_part("map", bytes(14 * 8)))]
    for part in parts:
        places.append(places[-1] + len(part))
    places.append(places[-1] + len(b"</stata_dta>"))
    file.write(begin + _part("map", struct.pack("<14Q", *places)))
    file.writelines(parts)
    file.write(b"</stata_dta>")


def _part(name: str, content: bytes) -> bytes:
    return f"<{name}>".encode() + content + f"</{name}>".encode()


def _padded(texts: list[str] | tuple[str, ...], width: int) -> bytes:
    return b"".join(text.encode().ljust(width, b"\0") for text in texts)


def _variable(table: Table, name: str, beside: Beside) -> _Variable:
    """Return a column with its type."""
    written = statistics.Written.of(table, name, beside, codes=True)
    form = beside.formats.get(name, "")
    if not form.startswith("%") or form.endswith("s") != (written.kind == "text"):
        form = ""
    if written.kind == "text":
        return _of_texts([text.encode() for text in written.cells], form)
    numbers, kind = written.cells, _kind_of(written, beside.storage.get(name))
    if written.kind == "time":
        numbers = [None if value is None else _since(value) for value in numbers]
        form = form or _time_form(written.type)
    known = beside.labels.values.get(name, {})
    labels = {
        _LONG.missing + _step(text): said
        for text, said in known.items()
        if _is_code(text)
    }
    for number, said in statistics.numbered(known).items():
        if number.is_integer() and _LONG.least <= number < _LONG.missing:
            labels[int(number)] = said
    cells = _of_numbers(numbers, kind)
    return _Variable(kind.code, form or kind.form, cells, {}, labels)


def _of_texts(texts: list[bytes], form: str) -> _Variable:
    longest = max(map(len, texts), default=0) or 1
    if longest <= _LONGEST:
        cells = np.array(texts, f"S{longest}")
        return _Variable(longest, form or f"%{max(9, longest)}s", cells, {}, {})
    apart = {place: text for place, text in enumerate(texts) if text}
    places = np.array([place if place in apart else -1 for place in range(len(texts))])
    return _Variable(_APART, form or "%9s", places, apart, {})


def _kind_of(written: statistics.Written, stored: str | None) -> _Kind:
    """Return the type of a column of numbers or times."""
    if written.kind == "time":
        days = pa.types.is_date(written.type) and stored != "double"
        return _LONG if days else _DOUBLE
    numbers = [n for n in written.cells if n is not None and not isinstance(n, str)]
    least, greatest = min(numbers, default=0), max(numbers, default=0)
    if pa.types.is_integer(written.type):
        first = {pa.int16(): 1, pa.int32(): 2}.get(written.type, 0)
        for kind in (_BYTE, _INT, _LONG)[first:]:
            if kind.least <= least and greatest < kind.missing:
                return kind
    if written.type == pa.float32() and max(-least, greatest) <= -_FLOAT.least:
        return _FLOAT
    return _DOUBLE


def _of_numbers(numbers: list[Any], kind: _Kind) -> npt.NDArray[Any]:
    """Return numbers in a type of the file, missing ones by its codes."""
    missing = [n is None or isinstance(n, str) for n in numbers]
    plain = [0 if gone else n for n, gone in zip(numbers, missing, strict=True)]
    cells = np.array(plain, kind.type)
    bits = cells.view(kind.type.replace("f", "i"))
    for place, (number, gone) in enumerate(zip(numbers, missing, strict=True)):
        if gone:
            bits[place] = kind.missing + kind.step * _step(number)
    return cells


def _is_code(text: str) -> bool:
    return len(text) == 2 and text[0] == "." and "a" <= text[1].lower() <= "z"


def _step(code: str | None) -> int:
    """Return the place of a missing code after ``.``; SAS writes ``.A`` and ``._``."""
    return ord(code[1].lower()) - ord("a") + 1 if code and _is_code(code) else 0


def _since(value: Any) -> float:
    """Return the days of a date, the milliseconds of a moment or a time of the day."""
    if isinstance(value, time):
        value = datetime.combine(_DAY, value)
    if isinstance(value, datetime):
        return (value - _MOMENT).total_seconds() * 1000
    days: int = (value - _DAY).days
    return days


def _time_form(kind: Any) -> str:
    if pa.types.is_date(kind):
        return "%td"
    return "%tcHH:MM:SS" if pa.types.is_time(kind) else "%tc"


def _rows(table: Table, variables: list[_Variable]) -> tuple[bytes, bytes]:
    """Return the rows, and the texts that stand apart, named by their first rows."""
    kinds = [
        (f"f{j}", "<u8" if v.code == _APART else v.cells.dtype)
        for j, v in enumerate(variables)
    ]
    rows, apart = np.zeros(table.n, np.dtype(kinds)), []
    for j, (codes, variable) in enumerate(zip(table.codes, variables, strict=True)):
        cells = variable.cells
        if variable.code == _APART:
            cells = np.zeros(len(variable.cells), np.uint64)
            first = np.unique(codes, return_index=True)
            for code, row in zip(*(each.tolist() for each in first), strict=True):
                if code in variable.apart:
                    cells[code] = (j + 1) | (row + 1) << 16
                    apart.append((row + 1, j + 1, variable.apart[code] + b"\0"))
        rows[f"f{j}"] = cells[codes]
    texts = (
        b"GSO" + struct.pack("<IQBI", variable, row, 130, len(text)) + text
        for row, variable, text in sorted(apart)
    )
    return rows.tobytes(), b"".join(texts)


def _label_set(name: str, variable: _Variable) -> bytes:
    """Return the labels of the values of a column, named as it is."""
    if not variable.labels:
        return b""
    texts = [label.encode() + b"\0" for label in variable.labels.values()]
    places = np.cumsum([0, *map(len, texts[:-1])])
    numbers = [*variable.labels]
    content = struct.pack("<2i", len(texts), sum(map(len, texts)))
    content += struct.pack(f"<{len(texts)}i", *places)
    content += struct.pack(f"<{len(texts)}i", *numbers) + b"".join(texts)
    head = struct.pack("<i", len(content)) + name.encode().ljust(132, b"\0")
    return _part("lbl", head + content)
