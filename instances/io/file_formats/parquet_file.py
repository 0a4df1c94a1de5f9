"""Files of Parquet."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from starmin.instances.errors import TableError
from starmin.instances.io.beside import Beside, taken
from starmin.instances.io.format import Asked, Format, Raw
from starmin.instances.tables.table import Table

_PANDAS = b"pandas"


class ParquetFormat(Format):
    """Files of Parquet: a column in which nothing is hidden keeps its type."""

    endings = (".parquet",)
    begins = True

    def read(self, path: Path, asked: Asked) -> Raw:
        """Read a file as a whole."""
        from pyarrow import parquet  # it has file systems, too

        with _told(path):
            # ``read_table`` would add a column for a folder named ``year=2020``.
            columns = parquet.ParquetFile(path).read()
        return Raw(columns, beside=hints_of(columns.schema))

    def first(self, path: Path, asked: Asked, rows: int) -> Raw:
        """Read a batch of the first rows."""
        from pyarrow import parquet

        with _told(path):
            file = parquet.ParquetFile(path)
            batches = [*islice(file.iter_batches(max(1, rows)), 1)]
            columns = pa.Table.from_batches(batches, file.schema_arrow)
        return Raw(columns, beside=hints_of(columns.schema))

    def write(
        self, table: Table, beside: Beside, file: IO[bytes], path: Path, asked: Asked
    ) -> None:
        """Write the columns in their types; those with stars or ranges as text."""
        from pyarrow import parquet

        parquet.write_table(arrow_of_table(table, beside), file)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what Arrow raises into one line that names the file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{path}: not a Parquet file ({why})") from None


def arrow_of_table(table: Table, beside: Beside) -> Any:
    """Return an Arrow table, each column in its type if that is known, else as text.

    ``table`` is what is published, ``beside`` what may stand beside it.
    """
    columns = []
    for name, codes, texts in zip(
        table.names, table.codes, table.dictionaries, strict=True
    ):
        typed = beside.typed.get(name)
        values = pa.array(texts, pa.string())
        if typed is not None and typed.type is not None and typed.plain:
            values = typed.values
        columns.append(taken(values, codes))
    made = pa.table(columns, names=list(table.names))
    return made.cast(with_hints(made.schema, beside))


def hints_of(schema: Any) -> Beside:
    """Return what pandas has noted of the columns of a schema.

    The notes name types alone. All other metadata may hold anything, labels of hidden
    values included, and is left out.
    """
    try:
        noted = json.loads((schema.metadata or {}).get(_PANDAS, b"{}"))
        columns = {each["field_name"]: each for each in noted.get("columns", ())}
        index = [c for c in noted.get("index_columns", ()) if isinstance(c, str)]
    except (ValueError, TypeError, KeyError, AttributeError):
        return Beside()
    return Beside(pandas=columns, index=tuple(index))


def with_hints(schema: Any, beside: Beside) -> Any:
    """Return a schema with the notes for pandas of columns that keep their type."""
    columns = [beside.pandas[c] for c in schema.names if c in beside.pandas]
    if not columns:
        return schema.remove_metadata()
    noted = {
        "index_columns": [c for c in beside.index if c in schema.names],
        "column_indexes": [],
        "columns": columns,
    }
    return schema.with_metadata({_PANDAS: json.dumps(noted).encode()})


def schema_metadata(schema: Any) -> dict[bytes, bytes]:
    """Return what says in a file which types of Arrow its columns are of."""
    content = base64.b64encode(schema.serialize().to_pybytes())
    return {b"ARROW:schema": content, **(schema.metadata or {})}
