"""Files of rules over combinations, and the people that rules may count."""

import csv
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import expect_file
from starmin.instances.requirements.rules.population import Population
from starmin.instances.tables.table import Table

INSTANCE = "instance:"
_ENTRIES = {"columns", "k", "population", "count"}


class StatedRule(NamedTuple):
    """Columns with their k, and a population of their own, by file and column."""

    columns: list[str]
    k: int
    population: tuple[str, str | None] | None = None


class RuleFile(NamedTuple):
    """Rules, and whether missing cells count as hidden already."""

    rules: list[StatedRule]
    missing_hidden: bool = False


def read_rules(path: Path) -> RuleFile:
    """Read a file of rules.

    mu-Argus calls a combination unsafe that occurs as often as its threshold or less:
    its threshold is k - 1. Raises TableError, which names the line.
    """
    expect_file(path)
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".toml":
        lines, hides = _tables(text, path)
    else:
        lines, hides = _lines(text, path), False
    found = []
    for where, rule in lines:
        columns, k = rule.get("columns"), rule.get("k")
        named = isinstance(columns, list) and all(isinstance(c, str) for c in columns)
        if not named or not columns or type(k) is not int or k < 2:
            raise TableError(f"{path}, {where}: expected columns and a k of at least 2")
        people, count = rule.get("population"), rule.get("count")
        if not isinstance(people, str | None) or not isinstance(count, str | None):
            raise TableError(
                f"{path}, {where}: population names a file, and count a column of it"
            )
        unknown = sorted(set(rule) - _ENTRIES)
        if count is not None and people is None:
            unknown.append("count")
        if unknown:
            raise TableError(
                f"{path}, {where}: {unknown[0]!r} is not expected; a rule has columns, "
                "k, and maybe population with count"
            )
        own = None if people is None else (_beside(path, people), count)
        found.append(StatedRule(columns, k, own))
    return RuleFile(found, hides)


def _beside(path: Path, people: str) -> str:
    """Return the name of a table that a file names from its own folder."""
    return people if people.startswith(INSTANCE) else str(path.parent / people)


def _tables(text: str, path: Path) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
    """Return where each [[rule]] stands, and what it says; what missing cells are."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TableError(f"{path}: {error}") from None
    listed = content.get("rule")
    of_tables = isinstance(listed, list) and all(isinstance(r, dict) for r in listed)
    hides = content.pop("missing_hidden", False)
    if set(content) != {"rule"} or not of_tables:
        raise TableError(f"{path}: expected [[rule]] with columns and k")
    if not isinstance(hides, bool):
        raise TableError(f"{path}: missing_hidden: expected true or false")
    assert isinstance(listed, list)
    return [(f"rule {number}", rule) for number, rule in enumerate(listed, 1)], hides


def _lines(text: str, path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return which line each rule is, and what it says."""
    rows = list(csv.reader(text.splitlines()))
    if not rows or [cell.strip() for cell in rows[0]] != ["columns", "k"]:
        raise TableError(f"{path}: expected the header `columns,k`")
    lines = list[tuple[str, dict[str, Any]]]()
    for number, row in enumerate(rows[1:], 2):
        if row:
            whole = len(row) == 2 and row[1].strip().isdecimal()
            columns = [name.strip() for name in row[0].split("+")]
            rule = {"columns": columns, "k": int(row[1]) if whole else None}
            lines.append((f"line {number}", rule))
    return lines


def read_population(
    source: Any, count: str | None, read: Callable[[str], Table] | None = None
) -> Population:
    """Return the people of a table that is named, of a table or a population.

    ``count`` is the column of how many a row stands for; ``read`` reads a table by its
    name, None: of a file. Raises TableError where it cannot be read, or has no such
    column of counts.
    """
    if isinstance(source, Population):
        return source
    if isinstance(source, str | Path):
        from starmin.instances.io.read import read_table

        source = (read or read_table)(str(source))
    return Population.of(source, count)
