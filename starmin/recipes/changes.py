"""What is otherwise in the table of a new month than in an earlier one."""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from starmin.inputs.loading import load_file
from starmin.inputs.roles import INSTANCE, Roles
from starmin.instances import Table, TableError, as_number
from starmin.instances.tables.names import counted

_SHOWN = 3  # new values that are named
_ROWS = 4  # of a value, on average, in a column of categories
_CODES = 12  # different numbers: with no more they are codes
_SHIFT = 0.05  # of the rows: less is not worth a line
_SURE = 1.63  # Kolmogorov: the same distribution differs more in one of 100 tables


def earlier_table(source: str, earlier: str, roles: Roles) -> Table | str | None:
    """Return the table to compare with, or why there is none; None: it is the same."""
    if earlier == source:
        return None
    if not earlier.startswith(INSTANCE):
        path = Path(earlier)
        if not path.exists():
            return f"{earlier} is not there any more: nothing is compared with it"
        if Path(source).exists() and path.samefile(source):
            return None
    try:
        return load_file(earlier, roles.reading).table
    except TableError as error:
        return f"nothing is compared with an earlier table: {error}"


def changes(table: Table, earlier: Table, known: Collection[str] = ()) -> list[str]:
    """Return what is otherwise than in an earlier table, a line for each column.

    ``known`` are columns with a hierarchy, whose new values are known or refused.

    >>> june = Table.from_rows(["town"], [["A"], ["B"]] * 200, ["town"])
    >>> july = Table.from_rows(["town"], [["A"], ["A"], ["B"], ["C"]] * 100, ["town"])
    >>> for line in changes(july, june):
    ...     print(line)
    column 'town': new values: 'C' (100 rows)
    column 'town': 'B' has 25 % of the rows, had 50 %
    """
    lacking = [c for c in earlier.names if c not in table.names]
    lines = [f"no column {c!r}, which was there" for c in lacking]
    for column in table.names:
        if column in earlier.names:
            lines += _of_column(column, table, earlier, column in known)
    return lines


def _of_column(column: str, now: Table, old: Table, known: bool) -> Iterator[str]:
    new, before = blank_counts(now, column), blank_counts(old, column)
    numbers = {v: as_number(v) for v in {*new, *before} if v}
    numeric = {v: x for v, x in numbers.items() if x is not None}
    as_numbers = len(before) > _CODES and len(numeric) == len(numbers)
    if not as_numbers and old.n >= _ROWS * len(before):
        if not known and (added := [v for v in new if v not in before]):
            added.sort(key=lambda value: -new[value])
            shown = added[:_SHOWN]
            told = ", ".join(f"{v!r} ({counted(new[v], 'row')})" for v in shown)
            more = f" and {len(added) - _SHOWN:,} others" if added[_SHOWN:] else ""
            yield f"column {column!r}: new values: {told}{more}"
        values = [*before, *(v for v in new if v not in before)]
        what, cumulated = "{!r} has", False
    elif not as_numbers:
        return
    else:
        values = sorted(numeric, key=lambda value: numeric[value])
        what, cumulated = "values up to {} have", True
    if column not in now.qi or not values:
        return
    here, there = (_shares(each, values, cumulated) for each in (new, before))
    apart = np.abs(here - there)
    least = _SHIFT + _SURE * (1 / now.n + 1 / old.n) ** 0.5
    # A new value is told above; where all moves a little nothing does.
    apart[[value not in before for value in values]] *= cumulated
    at = int(apart.argmax())
    if apart[at] > least:
        yield (
            f"column {column!r}: {what.format(values[at])} {here[at]:.0%} of the "
            f"rows, had {there[at]:.0%}"
        ).replace("%", " %")


def blank_counts(table: Table, column: str) -> Counter[str]:
    """Count the texts of a column; a missing one is an empty cell."""
    found = Counter[str]()
    for text, many in table.text_counts(column).items():
        found[text or ""] += many
    return found


def _shares(
    counts: dict[str, int], values: list[str], cumulated: bool
) -> npt.NDArray[np.float64]:
    found = np.array([counts.get(value, 0) for value in values], np.float64)
    found /= max(1.0, found.sum())
    return found.cumsum() if cumulated else found
