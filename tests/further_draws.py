"""What problems of ``fuzz_tables`` have beside plain tables: times, sets, floors, ids.

Columns are added to a table that was drawn, and options to a command.
"""

import random
from datetime import datetime, timedelta

from starmin.instances.tables.names import join_names
from tests.any_tables import AnyTable

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
