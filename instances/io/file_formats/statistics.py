"""Files of SPSS, Stata and SAS: codes, with what stands beside them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from starmin.instances.io.beside import Beside, Labels, Typed
from starmin.instances.io.format import Asked, Format, Raw, library, told
from starmin.instances.io.frames import text_of, texts_of

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
