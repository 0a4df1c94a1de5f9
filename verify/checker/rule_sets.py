"""Read what rules over combinations ask, and the people whom they count."""

from collections import Counter
from itertools import combinations
from typing import Any, NamedTuple

from starmin.verify.checker.reading import (
    BeyondError,
    Content,
    RefusalError,
    Values,
    entries,
    listed_in,
    whole,
)

# The people among whom a combination has to be frequent, as a table or counts.


class People:
    """A table of a population; ``count`` names its column of how many people."""

    def __init__(
        self, header: list[str], rows: list[list[str]], count: str | None
    ) -> None:
        if count is not None and count not in header:
            raise ValueError(f"the population has no column {count!r}")
        self.columns = [column for column in header if column != count]
        self._places = {column: header.index(column) for column in self.columns}
        self._rows = Counter[Values]()
        for row in rows:
            number = "1" if count is None else row[header.index(count)]
            if not (number.isascii() and number.isdigit()):
                raise ValueError(f"{number!r} is no number of people")
            self._rows[tuple(row)] += int(number)

    def expect(self, stated: object) -> None:
        """Refuse another population than the one that is stated."""
        own = {"columns": self.columns, "people": sum(self._rows.values())}
        if stated != own:
            raise RefusalError("it is for another population")

    def counted(self, columns: list[str]) -> Counter[Values]:
        """Count the people of each combination of values of some columns."""
        if not set(columns) <= set(self._places):
            raise RefusalError("a column of its rules is none of the population")
        places, found = [self._places[column] for column in columns], Counter[Values]()
        for row, number in self._rows.items():
            found[tuple(row[place] for place in places)] += number
        return found


# What rules over combinations ask, as a certificate states it.

SEMANTICS = ("source", "shown", "classes")
RULE_ENTRIES = {
    "k",
    "combinations",
    "rules",
    "semantics",
    "closed",
    "strata",
    "hidden",
    "linked",
    "population",
}
MOST_RULES = 100_000


class RuleSet(NamedTuple):
    """Columns, by place among the quasi-identifiers, and what is asked of them."""

    columns: tuple[int, ...]
    k: int
    semantics: str
    strata: tuple[str, ...]
    part: int  # the requirement that it is of
    people: People | None = None  # who is counted; None: the rows


class RuleFamily(NamedTuple):
    """All rules in the order of their numbers, and what holds for all of them."""

    rules: list[RuleSet]
    linked: list[set[int]]
    hidden: set[str]


def rule_family(wanted: Content, qi: list[str], people: list[People]) -> RuleFamily:
    """Read the rules of a requirement; k-anonymity comes last.

    Populations are named in the order of the parts that count them.
    """
    parts = [wanted]
    if "all_of" in wanted:
        if set(wanted) != {"all_of"}:
            raise RefusalError("its requirement has an entry of unknown name")
        parts = listed_in(wanted["all_of"])
    rules, groups = list[RuleSet](), list[RuleSet]()
    linked, hidden, left = list[set[int]](), set[str](), list(people)
    for number, part in enumerate(parts):
        if not part or not set(part) <= RULE_ENTRIES:
            raise RefusalError("its requirement has an entry of unknown name")
        if "k" in part:
            k, every = whole(part["k"], 2), tuple(range(len(qi)))
            groups.append(RuleSet(every, k, "classes", (), number))
        if set(part) == {"k"}:
            continue
        rules += rules_of_part(part, qi, number, population_of(part, left))
        for names in listed_in(part.get("linked", [])):
            join_linked(linked, set(rule_columns(names, qi)))
        for text in listed_in(part.get("hidden", [])):
            if not isinstance(text, str | None):
                raise RefusalError("a text of its requirement is none")
            if text is not None:  # of typed tables; a text file has none
                hidden.add(text)
    # Strata are published: classes are of rows in one stratum.
    within = tuple(sorted({name for rule in rules for name in rule.strata}))
    groups = [rule._replace(strata=within) for rule in groups]
    if not rules + groups:
        raise RefusalError("its requirement is empty")
    return RuleFamily(rules + groups, linked, hidden)


def population_of(part: Content, left: list[People]) -> People | None:
    """Take the population of one requirement from those that are left."""
    if "population" not in part:
        return None
    if part["semantics"] != "source" or part.get("strata"):
        raise RefusalError("a population is counted by source, and without strata")
    if not left:
        raise BeyondError("its rules count a population, whose file is not named")
    left[0].expect(part["population"])
    return left.pop(0)


def rules_of_part(
    part: Content, qi: list[str], number: int, people: People | None
) -> list[RuleSet]:
    """Close the sets that one requirement names under subsets."""
    semantics, closed = part["semantics"], part.get("closed", True)
    strata = tuple(listed_in(part.get("strata", [])))
    if semantics not in SEMANTICS or not isinstance(closed, bool):
        raise RefusalError("its semantics are neither source, shown nor classes")
    if any(not isinstance(name, str) or name in qi for name in strata):
        raise RefusalError("a column of strata is a quasi-identifier")
    asked: dict[tuple[int, ...], int] = {}
    for columns, k in stated_sets(part, qi):
        for size in range(1 if closed else len(columns), len(columns) + 1):
            for some in combinations(columns, size):
                asked[some] = max(k, asked.get(some, 0))
        if len(asked) > MOST_RULES:
            raise BeyondError("its rules are too many")
    ordered = sorted(asked, key=lambda columns: (len(columns), columns))
    return [
        RuleSet(some, asked[some], semantics, strata, number, people)
        for some in ordered
    ]


def stated_sets(part: Content, qi: list[str]) -> list[tuple[tuple[int, ...], int]]:
    """Return the sets of columns that are named, and those of the sizes named."""
    found = list[tuple[tuple[int, ...], int]]()
    sizes = entries({"combinations": {}, **part}, "combinations")
    for size, k in sizes.items():
        if not (size.isdecimal() and 0 < int(size) < 100):
            raise RefusalError("a size of its combinations is no number of columns")
        most = min(int(size), len(qi))
        for some in combinations(range(len(qi)), most):
            found.append((some, whole(k, 2)))
            if len(found) > MOST_RULES:
                raise BeyondError("its rules are too many")
    for rule in listed_in(part.get("rules", [])):
        if set(rule) != {"columns", "k"}:
            raise RefusalError("a rule has other entries than columns and k")
        found.append((rule_columns(rule["columns"], qi), whole(rule["k"], 2)))
    return found


def rule_columns(names: Any, qi: list[str]) -> tuple[int, ...]:
    """Return the places of columns, in order."""
    if not listed_in(names) or not set(names) <= set(qi):
        raise RefusalError("a column of its rules is no quasi-identifier")
    return tuple(sorted({qi.index(name) for name in names}))


def join_linked(linked: list[set[int]], columns: set[int]) -> None:
    """Add columns that are hidden together; sets with a common one become one."""
    for other in [each for each in linked if each & columns]:
        linked.remove(other)
        columns |= other
    linked.append(columns)
