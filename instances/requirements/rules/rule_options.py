"""How a user states rules over combinations: options, and files of rules."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from starmin.instances.errors import TableError
from starmin.instances.option import Option
from starmin.instances.requirements.rules.rule_file import (
    RuleFile,
    StatedRule,
    read_population,
    read_rules,
)
from starmin.instances.requirements.stated import Stated
from starmin.instances.tables.name_lists import split_names

COMBINATIONS = Option(
    "combinations",
    str,
    "Every combination of so many columns at least K times: 3 (K of --k), 3:5, or "
    "1:20,2:10,3:3. Each row has stars of its own.",
    metavar="M[:K],..",
    joined=",",
)
RULES = Option(
    "rules",
    str,
    "Own K of sets of columns: lines `age+sex,5` of a CSV file with the header "
    "`columns,k`, or entries `rule` of a TOML file with columns, k, and maybe "
    "population. K is the threshold of mu-Argus plus 1.",
    metavar="FILE",
    is_file=True,
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
    joined=";",
)
SEMANTICS = Option(
    "semantics",
    Literal["source", "shown", "classes"],
    "What K rows must do with what a row shows: have it in the original, show it, or "
    "be published alike. [default: shown]",
)
POPULATION = Option(
    "population",
    str,
    "People among whom what a row shows has to fit K (k-map), in columns named alike.",
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
        return RuleFile([StatedRule(list(columns), k) for columns, k in given])
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
        "linked": tuple(map(tuple, linked or ())),
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
