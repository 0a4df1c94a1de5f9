"""What other libraries see in a file, sharing no code with ours."""

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
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
