"""The names of the columns of a file: a first one without a name gets one."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from starmin.instances.errors import TableError

# What pandas calls a first column without a name, as it and R write one.
UNNAMED = "Unnamed: 0"


def named(path: Path, names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the names of columns, and lines that say which one was given.

    The first of several columns may be without a name: R and pandas write the names
    of rows so.

    Raises
    ------
    TableError
        Another name is empty, two are equal, or one holds a NUL byte.

    Examples
    --------
    >>> named(Path("a.csv"), ["", "age"])[0]
    ['Unnamed: 0', 'age']
    """
    found, lines = list(names), tuple[str, ...]()
    if len(found) > 1 and not found[0] and UNNAMED not in found:
        found[0] = UNNAMED
        lines = (unnamed_line(path),)
    count = Counter(found)
    for place, name in enumerate(found, start=1):
        if not name:
            raise TableError(f"{path}: column {place} has an empty name; name it")
        if "\0" in name:
            raise TableError(
                f"{path}: the name of column {place} holds a NUL byte; remove it"
            )
        if count[name] > 1:
            raise TableError(f"{path}: two columns are named {name!r}; rename one")
    return found, lines


def unnamed_line(path: Path) -> str:
    """Say what the first column is called."""
    return (
        f"{path}: the first column has no name and is called {UNNAMED!r}; "
        f"--drop '{UNNAMED}' leaves it out"
    )
