"""Rows of finished runs, one JSON object a line, that survive a kill."""

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starmin.instances import TableError

Row = dict[str, Any]

CRASH = "crash"  # the outcome of a run that ended by itself and said nothing
_NUMBERS = (
    *("value", "lower_bound", "certified_bound", "gap", "stars", "groups", "gcp"),
    *("n", "d", "seconds", "process_seconds", "mebibytes", "runtime"),
)
_WORDS = ("status", "claim", "limit", "bound_method", "why", "reason", "warnings")


class Store:
    """A file of rows; what a killed run wrote by halves is cut off.

    The file need not be there. Raises ValueError where a line in the middle is no row:
    it is another file, or was edited.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder, "rows.jsonl"))
    ...     store.append({"key": "a", "outcome": "ok", "value": 3})
    ...     Store(Path(folder, "rows.jsonl")).rows
    {'a': {'key': 'a', 'outcome': 'ok', 'value': 3}}
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
                row = _checked(json.loads(line))
                self.rows[row["key"]] = row
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{path}: line {number} is not a row of gaps; name another --out"
                ) from error
        if len(whole) < len(content):
            os.truncate(path, len(whole))

    def has(self, key: str) -> bool:
        """Check for the row of a run that did not crash."""
        return key in self.rows and self.rows[key]["outcome"] != CRASH

    def append(self, row: Row) -> None:
        """Add a row; it is on the disk when this returns."""
        self.rows[row["key"]] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())


def joined_rows(folders: Iterable[Path]) -> list[Row]:
    """Read the runs of other sweeps, each once; raise TableError for other folders."""
    rows: dict[str, Row] = {}
    for folder in folders:
        path = folder / "runs.jsonl"
        if not path.is_file():
            raise TableError(f"--join: {folder} has no runs.jsonl; name a gap --out")
        try:
            rows = rows | Store(path).rows
        except ValueError as error:
            raise TableError(f"--join: {error}") from error
    return list(rows.values())


def _checked(row: Any) -> Row:
    """Return the row if what is read from it is of its type; else raise ValueError."""
    if not isinstance(row, dict) or not all(
        isinstance(row.get(name), str) for name in ("key", "outcome")
    ):
        raise ValueError("Expected an object with key and outcome.")
    for name in _WORDS:
        if not isinstance(row.get(name, ""), str | None):
            raise ValueError(f"Expected text, got {name} = {row[name]!r}.")
    for name in _NUMBERS:
        number = row.get(name, 0)
        if number is not None and not is_number(number):
            raise ValueError(f"Expected a number, got {name} = {number!r}.")
    if not _is_trajectory(row.get("trajectory", [])):
        raise ValueError("Expected a trajectory of seconds, value and bound.")
    return row


def _is_trajectory(found: object) -> bool:
    return isinstance(found, list) and all(
        isinstance(point, list)
        and len(point) == 3
        and is_number(point[0])
        and all(number is None or is_number(number) for number in point[1:])
        for point in found
    )


def is_number(found: object) -> bool:
    """Check whether a value is a finite number, and not true or false."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return False
    return isinstance(found, int) or math.isfinite(found)
