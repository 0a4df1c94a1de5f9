"""Read the rules over combinations that a user states: options, and files of rules."""

import csv
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from starmin.instances.arguments import Option
from starmin.instances.errors import TableError
from starmin.instances.io.atomic import expect_file
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import Stated
from starmin.instances.tables.names import split_names
from starmin.instances.tables.table import Table

# Files of rules over combinations, and the people that rules may count.

INSTANCE = "instance:"
_ENTRIES = {"columns", "k", "population", "count"}


class StatedRule(NamedTuple):
    """Columns with their k, and a population of their own, by file and column."""

    columns: list[str]
    k: int
    population: tuple[str, str | None] | None = None


# Rules, and whether missing cells count as hidden already.
RuleFile = tuple[list[StatedRule], bool]


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
        if people is not None and not people.startswith(INSTANCE):
            people = str(path.parent / people)  # named from the folder of the file
        own = None if people is None else (people, count)
        found.append(StatedRule(columns, k, own))
    return found, hides


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


# How a user states rules over combinations: options, and files of rules.

COMBINATIONS = Option(
    "combinations",
    str,
    "Each combination of values of M columns that is published occurs at least K "
    "times: 3 (with the K of --k), 3:5, or 1:20,2:10,3:3. Stars are chosen row by row.",
    metavar="M[:K],..",
    joined=",",
)
RULES = Option(
    "rules",
    str,
    "A K of its own for each set of columns: lines `age+sex,5` of a CSV file with the "
    "header `columns,k`, or entries `rule` of a TOML file with columns, k, and maybe "
    "population. K is the threshold of mu-Argus plus 1.",
    metavar="FILE",
    is_file=True,
)
STRATA = Option(
    "strata",
    str,
    "Count the rows of each value of these columns by themselves; the columns are "
    "published as they are.",
    metavar="NAMES",
    is_column=True,
    several=True,
)
LINKED = Option(
    "linked",
    str,
    "Columns that are starred together: race,ethnicity; further sets after a `;`.",
    metavar="NAMES",
    joined=";",
)
SEMANTICS = Option(
    "semantics",
    Literal["source", "shown", "classes"],
    "How K rows are counted. source: K rows of the original have the values that a row "
    "shows; shown: K published rows show them; classes: K published rows look alike. "
    "[default: shown]",
)
POPULATION = Option(
    "population",
    str,
    "A table of all people, in columns named alike: each published row must fit at "
    "least K of them (k-map).",
    metavar="TABLE",
    is_file=True,
)
POPULATION_COUNT = Option(
    "population_count",
    str,
    "The column of --population that says how many people a line stands for.",
    metavar="NAME",
    needs="population",
)
MISSING_HIDDEN = Option(
    "missing_hidden",
    bool,
    "Missing cells (empty, ?, or named by --missing) count as hidden already: they "
    "show nothing.",
    False,
)
OPTIONS = (
    COMBINATIONS,
    RULES,
    STRATA,
    LINKED,
    MISSING_HIDDEN,
    SEMANTICS,
    POPULATION,
    POPULATION_COUNT,
)


def is_bare(combinations: Any) -> bool:
    """Check whether combinations are sizes alone, whose k stands elsewhere.

    >>> is_bare("3"), is_bare(3), is_bare("3:5"), is_bare({3: 5}), is_bare(None)
    (True, True, False, False, False)
    """
    if isinstance(combinations, str):
        return ":" not in combinations
    return isinstance(combinations, int)


def sizes_of(stated: Stated) -> dict[int, int] | None:
    """Return the k of each number of columns, None where none is stated.

    >>> sizes_of(Stated({"combinations": "1:20,2:10"}))
    {1: 20, 2: 10}
    >>> sizes_of(Stated({"combinations": 3, "k": 5}))
    {3: 5}
    """
    given = stated[COMBINATIONS]
    if given is None:
        return None
    if isinstance(given, Mapping):
        if len(numbers := {int(size): k for size, k in given.items()}) < len(given):
            raise TableError(f"{stated.named(COMBINATIONS)}: a size twice in {given}")
        return numbers
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


def rules_of(stated: Stated) -> RuleFile | None:
    """Return sets of columns with their k, None where none are stated."""
    given = stated[RULES]
    if given is None:
        return None
    if not isinstance(given, str | Path):
        return [StatedRule(list(columns), k) for columns, k in given], False
    try:
        return read_rules(Path(given))
    except OSError as error:
        raise TableError(f"{given}: {error.strerror}") from None


def details_of(stated: Stated, missing_hidden: bool = False) -> dict[str, Any]:
    """Return what rules have beside sets of columns, as arguments of their classes.

    ``missing_hidden`` says whether a file of rules says that missing cells count as
    hidden.
    """
    linked = stated[LINKED]
    if isinstance(linked, str):
        linked = [
            split_names(part, stated.named(LINKED), True) for part in linked.split(";")
        ]
    elif linked is not None and all(isinstance(each, str) for each in linked):
        linked = [linked]
    strata = stated[STRATA]
    if isinstance(strata, str):
        strata = split_names(strata, stated.named(STRATA), True)
    people = stated[POPULATION]
    hides = stated[MISSING_HIDDEN] or missing_hidden
    details = {
        "semantics": stated[SEMANTICS] or ("shown" if people is None else "source"),
        "strata": tuple(strata or ()),
        "linked": tuple((c,) if isinstance(c, str) else tuple(c) for c in linked or ()),
        "hidden": stated.missing if hides else (),
    }
    asked = stated.tells(COMBINATIONS) or stated.tells(RULES)
    for option in (STRATA, LINKED, MISSING_HIDDEN, SEMANTICS, POPULATION):
        if stated.tells(option) and not asked:
            raise TableError(
                f"{stated.named(option)} needs {stated.named(COMBINATIONS)} or "
                f"{stated.named(RULES)}"
            )
    if hides and details["semantics"] == "classes":
        raise TableError(
            f"{stated.named(MISSING_HIDDEN)}: {stated.named(SEMANTICS, 'classes')} "
            "counts missing cells as values"
        )
    if people is not None:
        own = people, stated[POPULATION_COUNT], stated.read
        details["population"] = read_population(*own)
    return details
