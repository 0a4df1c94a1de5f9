"""Rows of finished runs, one JSON object a line, that survive a kill."""

import json
import os
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class Store:
    """A file of rows; what a killed run wrote by halves is cut off.

    Parameters
    ----------
    path
        The file; it need not be there.

    Raises
    ------
    ValueError
        A line in the middle is no row: it is another file, or was edited.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder, "rows.jsonl"))
    ...     store.append({"key": "a", "value": 3})
    ...     Store(Path(folder, "rows.jsonl")).rows
    {'a': {'key': 'a', 'value': 3}}
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, Row] = {}
        if not path.exists():
            return
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                row = json.loads(line)
                self.rows[row["key"]] = row
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"{path}: line {number} is not a row of gaps; name another --out"
                ) from error
        if len(whole) < len(content):
            os.truncate(path, len(whole))

    def append(self, row: Row) -> None:
        """Add a row; it is on the disk when this returns."""
        self.rows[row["key"]] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
