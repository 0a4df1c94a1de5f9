"""Files of SPSS, by pyreadstat."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from starmin.instances.io.beside import Beside, Span
from starmin.instances.io.file_formats.written import Written
from starmin.instances.io.format import library
from starmin.instances.io.labels import Labels
from starmin.instances.tables.table import Table

_DECLARED = 3  # missing codes of a column of text
_LONGEST = 8  # bytes of such a code


def write_spss(table: Table, beside: Beside, file: IO[bytes], path: Path) -> None:
    """Write a table; all numbers are doubles.

    Parameters
    ----------
    table, beside
        What is published, and what may stand beside it.
    file
        Where to.
    path
        Its name, for messages.
    """
    writer, polars = library("pyreadstat", path), library("polars", path)
    types = {"number": polars.Float64, "text": polars.String, "time": None}
    columns = {name: Written.of(table, name, beside, False) for name in table.names}
    frame = polars.DataFrame(
        [
            polars.Series(name, each.cells, types[each.kind]).gather(table.column(name))
            for name, each in columns.items()
        ]
    )
    kinds = {name: each.kind for name, each in columns.items()}
    labels = beside.labels
    with TemporaryDirectory() as folder:
        scratch = Path(folder, "table.sav")  # it writes to a path alone
        writer.write_sav(
            frame,
            scratch,
            file_label=labels.title,
            column_labels={c: labels.columns.get(c, "") for c in table.names},
            variable_value_labels=_value_labels(labels, kinds),
            variable_measure={
                c: "nominal" if kinds[c] == "text" and measure == "scale" else measure
                for c, measure in labels.measures.items()
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

    Examples
    --------
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
    short = [code for code in codes if len(code.encode()) <= _LONGEST]
    return [{"lo": code, "hi": code} for code in short[:_DECLARED]]
