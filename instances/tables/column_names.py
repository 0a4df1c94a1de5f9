"""Names of columns: those of a file, and those that are asked for and are not there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from starmin.instances.arguments import nearest
from starmin.instances.errors import TableError
from starmin.instances.tables.plural import listed

_TOLD = 20  # columns that are named, of more


def expect_columns(
    name: str, asked: Iterable[str], there: Sequence[str], purpose: str = ""
) -> None:
    """Raise TableError where columns are not there, with all of them and the mend.

    ``name`` is what to call the table, and ``there`` are its columns; one may be
    ``asked`` for twice. ``purpose`` is what they were asked for, if that helps.

    Examples
    --------
    >>> expect_columns("may.csv", ["age", "sex", "zipp"], ["age", "zip"])
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: may.csv: no columns 'sex', 'zipp' (nearest: \
'zip'); its columns: age, zip; rename columns there, or ask for others
    """
    known = frozenset(there)
    absent = [column for column in dict.fromkeys(asked) if column not in known]
    if not absent:
        return
    told = [f"{column!r}{nearest(column, there)}" for column in absent[:_TOLD]]
    more = f", .. ({len(absent):,} in all)" if len(absent) > _TOLD else ""
    raise TableError(
        f"{name}: no column{'s' * (len(absent) > 1)} {', '.join(told)}{more}"
        f"{purpose and f' {purpose}'}; its columns: {listed(there)}; "
        f"rename {'a column' if len(absent) == 1 else 'columns'} there, or ask for "
        f"{'another' if len(absent) == 1 else 'others'}"
    )


# What pandas calls a first column without a name, as it and R write one.
UNNAMED = "Unnamed: 0"


def named(path: Path, names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the names of columns, and lines that say which one was given.

    The first of several columns may be without a name: R and pandas write the names of
    rows so. Raises TableError where another name is empty, two are equal, or one holds
    a NUL byte.

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
