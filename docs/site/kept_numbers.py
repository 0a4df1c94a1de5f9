"""Numbers of sentences, taken from kept rows.

A number is asked for by a table. ``data``, ``where``, ``less`` and ``equal`` say which
rows: those of a file, with these cells, where one column is less than another or equal
to it. ``take`` says which of their cells in ``column``: of the only row (as it is by
default), the least, the most; or how many rows there are. ``part`` is a pattern whose
group is taken of the cell, ``name`` another column, whose cell is taken instead.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kept_rows import Row, read_rows, shown

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def matching(rows: Sequence[Row], where: Mapping[str, Any]) -> list[Row]:
    """The rows whose cells are those that are asked for; of a list one of them."""

    def fits(row: Row) -> bool:
        return all(
            row[column] in (wanted if isinstance(wanted, list) else [wanted])
            for column, wanted in where.items()
        )

    return [row for row in rows if fits(row)]


def value(cell: str) -> float:
    """The first number of a cell."""
    found = NUMBER.search(cell)
    if found is None:
        raise ValueError(f"no number in {cell!r}")
    return float(found[0])


def number_of(asked: Mapping[str, Any]) -> str:
    """The number, as a sentence has it."""
    rows = matching(read_rows(asked["data"]), asked.get("where", {}))
    if "less" in asked:
        one, other = asked["less"]
        rows = [row for row in rows if value(row[one]) < value(row[other])]
    if "equal" in asked:
        one, other = asked["equal"]
        rows = [row for row in rows if value(row[one]) == value(row[other])]
    take = asked.get("take", "one")
    if take == "count":
        return f"{len(rows):,}"
    column = asked["column"]
    rows = [row for row in rows if NUMBER.search(row[column])]
    if take == "one" and len(rows) != 1:
        raise ValueError(f"{len(rows)} rows fit {dict(asked)}")
    pick = max if take == "most" else min
    row = pick(rows, key=lambda row: value(row[column]))
    cell = row[asked.get("name", column)]
    if "part" in asked:
        found = re.search(asked["part"], cell)
        if found is None:
            raise ValueError(f"no {asked['part']} in {cell!r}")
        cell = found[1]
    return shown(cell)
