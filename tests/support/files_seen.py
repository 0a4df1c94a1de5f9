"""What a file holds, seen by other libraries or unpacked, without our code."""

import base64
import csv
import gzip
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat


@dataclass
class Seen:
    """Cells, types, labels of values and declared missing codes, by column."""

    cells: dict[str, list[Any]]
    types: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[Any, str]] = field(default_factory=dict)
    missing: dict[str, list[Any]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    formats: dict[str, str] = field(default_factory=dict)


def seen(path: Path) -> Seen:
    """Read a file by the library that is nearest to its kind."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        types = {field.name: str(field.type) for field in table.schema}
        return Seen(table.to_pydict(), types)
    if path.suffix in (".sav", ".dta"):
        return _statistics(path)
    if path.suffix == ".xlsx":
        names, *rows = openpyxl.load_workbook(path).active.iter_rows()
        columns = [
            [cell.value for cell in column] for column in zip(*rows, strict=True)
        ]
        kinds = [
            {cell.data_type for cell in column} for column in zip(*rows, strict=True)
        ]
        names = [cell.value for cell in names]
        return Seen(
            dict(zip(names, columns, strict=True)),
            {n: "".join(sorted(k)) for n, k in zip(names, kinds, strict=True)},
        )
    with path.open(encoding="utf-8-sig", newline="") as file:
        names, *rows = csv.reader(file)
    return Seen(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def _statistics(path: Path) -> Seen:
    read = getattr(pyreadstat, f"read_{path.suffix[1:]}")
    columns, found = read(path, user_missing=True, output_format="dict")
    missing: dict[str, list[Any]] = dict(found.missing_user_values)
    for name, spans in found.missing_ranges.items():
        missing[name] = [[span["lo"], span["hi"]] for span in spans]
    labels = {
        name: {_key(value): label for value, label in known.items()}
        for name, known in found.variable_value_labels.items()
    }
    return Seen(
        dict(columns),
        dict(found.readstat_variable_types),
        labels,
        missing,
        {c: label for c, label in found.column_names_to_labels.items() if label},
        {c: form for c, form in found.original_variable_types.items() if form},
    )


def _key(value: Any) -> Any:
    """Return a code as a key of JSON."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def has(path: Path | str, text: str) -> bool:
    """Check whether a text is anywhere in a file, or in one of a folder."""
    path = Path(path)
    if path.is_dir():
        return any(has(file, text) for file in path.iterdir())
    needles = {text.encode(code) for code in ("utf-8", "utf-16-le", "windows-1252")}
    return any(needle in part for part in parts(path) for needle in needles)


def parts(path: Path) -> Iterator[bytes]:
    """Return the bytes of a file, and those that are packed in it."""
    content = path.read_bytes()
    yield content
    if content.startswith(b"\x1f\x8b"):
        yield gzip.decompress(content)
    if content.startswith(b"PK"):
        with zipfile.ZipFile(path) as packed:
            yield from map(packed.read, packed.namelist())
    if content.startswith(b"PAR1"):
        file = pq.ParquetFile(path)
        for value in (file.metadata.metadata or {}).values():
            yield base64.b64decode(value + b"==") if b"{" not in value else value
        for group in range(file.metadata.num_row_groups):
            for column in range(file.metadata.num_columns):
                yield from _pages(content, file.metadata.row_group(group), column)


def _pages(content: bytes, group: pq.RowGroupMetaData, column: int) -> Iterator[bytes]:
    """Unpack the pages of a column of Parquet."""
    chunk = group.column(column)
    at = chunk.data_page_offset
    if chunk.has_dictionary_page:
        at = min(at, chunk.dictionary_page_offset)
    end = at + chunk.total_compressed_size
    while at < end:
        size, packed, at = _page_header(content, at)
        page = content[at : at + packed]
        at += packed
        if chunk.compression != "UNCOMPRESSED":
            page = pa.decompress(page, size, chunk.compression.lower(), asbytes=True)
        yield page


def _page_header(content: bytes, at: int) -> tuple[int, int, int]:
    """Read a page's sizes, unpacked and packed, and where it begins.

    They are fields 2 and 3 of a struct of Thrift's compact protocol.
    """
    fields, at = _struct(content, at)
    assert fields[1] != 3, "pages of version 2 are packed in part"
    return fields[2], fields[3], at


def _struct(content: bytes, at: int) -> tuple[dict[int, int], int]:
    fields, number = {}, 0
    while content[at]:
        kind, step = content[at] & 15, content[at] >> 4
        at += 1
        if not step:
            step, at = _varint(content, at)
            number = (step >> 1) ^ -(step & 1)
        else:
            number += step
        value, at = _value(content, at, kind)
        fields[number] = value
    return fields, at + 1


def _value(content: bytes, at: int, kind: int) -> tuple[int, int]:
    if kind in (1, 2):  # a truth value, in its head
        return 2 - kind, at
    if kind == 3:
        return content[at], at + 1
    if kind in (4, 5, 6):
        value, at = _varint(content, at)
        return (value >> 1) ^ -(value & 1), at
    if kind == 7:
        return 0, at + 8
    if kind == 8:
        length, at = _varint(content, at)
        return 0, at + length
    if kind == 12:
        return 0, _struct(content, at)[1]
    raise AssertionError(f"type {kind} of Thrift in a page header")


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (content[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if content[at - 1] < 128:
            return value, at
