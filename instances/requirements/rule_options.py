"""How a user states rules over combinations: options, and files of rules."""

import csv
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from starmin.instances.errors import TableError
from starmin.instances.option import Option
from starmin.instances.requirements.stated import Stated

COMBINATIONS = Option(
    "combinations",
    str,
    "Every combination of so many columns at least K times: 3 (K of --k), 3:5, or "
    "1:20,2:10,3:3. Each row has stars of its own.",
    metavar="M[:K],..",
)
RULES = Option(
    "rules",
    str,
    "Own K of sets of columns: lines `age+sex,5` of a CSV file with the header "
    "`columns,k`, or [[rule]] of a TOML file with columns and k.",
    metavar="FILE",
)
STRATA = Option(
    "strata",
    str,
    "Columns, published as they are, within whose values rows are counted.",
    metavar="NAMES",
    is_column=True,
    several=True,
)
LINKED = Option(
    "linked",
    str,
    "Columns that are starred together: race,ethnicity; further sets after a `;`.",
    metavar="NAMES",
)
SEMANTICS = Option(
    "semantics",
    Literal["source", "shown", "classes"],
    "What K rows must do with what a row shows: have it in the original, show it, or "
    "be published alike. [default: shown]",
)
OPTIONS = (COMBINATIONS, RULES, STRATA, LINKED, SEMANTICS)


def is_bare(combinations: Any) -> bool:
    """Check whether combinations are sizes alone, whose k stands elsewhere.

    Examples
    --------
    >>> is_bare("3"), is_bare(3), is_bare("3:5"), is_bare({3: 5}), is_bare(None)
    (True, True, False, False, False)
    """
    if isinstance(combinations, str):
        return ":" not in combinations
    return isinstance(combinations, int)


def sizes_of(stated: Stated) -> dict[int, int] | None:
    """Return the k of each number of columns, None where none is stated.

    Examples
    --------
    >>> sizes_of(Stated({"combinations": "1:20,2:10"}))
    {1: 20, 2: 10}
    >>> sizes_of(Stated({"combinations": 3, "k": 5}))
    {3: 5}
    """
    given = stated[COMBINATIONS]
    if given is None:
        return None
    if isinstance(given, Mapping):
        return {int(size): k for size, k in given.items()}
    if is_bare(given):
        k = stated.values.get("k")
        if k is None:
            raise TableError(
                f"{stated.named(COMBINATIONS, str(given))} needs {stated.named('k')}, "
                f"or a k of its own: {given}:5"
            )
        return dict.fromkeys(_numbers(str(given), stated), k)
    pairs = [part.partition(":") for part in str(given).split(",")]
    sizes: dict[int, int] = {}
    for size, _, k in pairs:
        [m] = _numbers(size, stated)
        if m in sizes:
            raise TableError(f"{stated.named(COMBINATIONS)}: the size {m} twice")
        [sizes[m]] = _numbers(k, stated)
    return sizes


def _numbers(text: str, stated: Stated) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise TableError(
            f"{stated.named(COMBINATIONS)}: expected numbers of columns, or numbers "
            f"with a k, as in 1:20,2:10, got {str(stated[COMBINATIONS])!r}"
        )
    return [int(part) for part in parts]


def rules_of(stated: Stated) -> list[tuple[list[str], int]] | None:
    """Return sets of columns with their k, None where none are stated."""
    given = stated[RULES]
    if given is None:
        return None
    if not isinstance(given, str | Path):
        return [(list(columns), k) for columns, k in given]
    try:
        return read_rules(Path(given))
    except OSError as error:
        raise TableError(f"{given}: {error.strerror}") from None


def read_rules(path: Path) -> list[tuple[list[str], int]]:
    """Read a file of rules.

    mu-Argus calls a combination unsafe that occurs as often as its threshold or less:
    its threshold is k - 1.

    Raises
    ------
    TableError
        Names the line.
    """
    text = path.read_text(encoding="utf-8-sig")
    lines = _tables(text, path) if path.suffix == ".toml" else _lines(text, path)
    for where, columns, k in lines:
        named = isinstance(columns, list) and all(isinstance(c, str) for c in columns)
        if not named or not columns or type(k) is not int or k < 2:
            raise TableError(f"{path}, {where}: expected columns and a k of at least 2")
    return [(columns, k) for _, columns, k in lines]


def _tables(text: str, path: Path) -> list[tuple[str, Any, Any]]:
    """Return where each [[rule]] stands, its columns and its k."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TableError(f"{path}: {error}") from None
    listed = content.get("rule")
    of_tables = isinstance(listed, list) and all(isinstance(r, dict) for r in listed)
    if set(content) != {"rule"} or not of_tables:
        raise TableError(f"{path}: expected [[rule]] with columns and k")
    assert isinstance(listed, list)
    return [
        (f"rule {number}", rule.get("columns"), rule.get("k"))
        for number, rule in enumerate(listed, 1)
    ]


def _lines(text: str, path: Path) -> list[tuple[str, Any, Any]]:
    """Return which line each rule is, its columns and its k."""
    rows = list(csv.reader(text.splitlines()))
    if not rows or [cell.strip() for cell in rows[0]] != ["columns", "k"]:
        raise TableError(f"{path}: expected the header `columns,k`")
    lines = list[tuple[str, Any, Any]]()
    for number, row in enumerate(rows[1:], 2):
        if row:
            whole = len(row) == 2 and row[1].strip().isdecimal()
            columns = [name.strip() for name in row[0].split("+")]
            lines.append((f"line {number}", columns, int(row[1]) if whole else None))
    return lines


def details_of(stated: Stated) -> dict[str, Any]:
    """Return what rules have beside sets of columns, as arguments of their classes."""
    linked = stated[LINKED]
    if isinstance(linked, str):
        linked = [_names(part) for part in linked.split(";")]
    elif linked is not None and all(isinstance(each, str) for each in linked):
        linked = [linked]
    strata = stated[STRATA]
    if isinstance(strata, str):
        strata = _names(strata)
    details = {
        "semantics": stated[SEMANTICS] or "shown",
        "strata": tuple(strata or ()),
        "linked": tuple(map(tuple, linked or ())),
    }
    asked = stated.tells(COMBINATIONS) or stated.tells(RULES)
    for option in (STRATA, LINKED, SEMANTICS):
        if stated.tells(option) and not asked:
            raise TableError(
                f"{stated.named(option)} needs {stated.named(COMBINATIONS)} or "
                f"{stated.named(RULES)}"
            )
    return details


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]
