"""The rules of statistical offices: no rare combination of values is shown."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import and_
from typing import Any, Literal, get_args

from starmin.instances.arguments import (
    expect_choice,
    expect_kind,
    expect_names,
    expect_whole,
)
from starmin.instances.arrays import Bools
from starmin.instances.errors import TableError
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import MASK, Requirement, Stated
from starmin.instances.requirements.rule_options import (
    OPTIONS,
    RULES,
    details_of,
    read_population,
    rules_of,
    sizes_of,
)
from starmin.instances.tables.names import counted, number_word
from starmin.instances.tables.table import Table

Semantics = Literal["source", "shown", "classes"]
ColumnsWithK = tuple[tuple[str, ...], int]
Sizes = int | Mapping[int, int] | tuple[tuple[int, int], ...]
_NO_GROUPS = (
    "Expected counts of what rows show: rules over combinations ask nothing of groups."
)


@dataclass(frozen=True)
class CombinationRules(Requirement):
    """What all rules over combinations of columns have in common.

    A *rule* is a set of columns with a number k. Each row is published with stars of
    its own, so it *shows* some of its cells. What the rule asks depends on the
    semantics. ``source``: what a row shows of the columns occurs at least k times in
    the original; with a population, at least k times there (k-map). ``shown``: a
    combination of values of the columns that some row shows is shown by at least k
    rows. ``classes``: at least k rows are published with the same cells in the columns,
    a star being a value; for the set of all columns this is k-anonymity.

    Rules are closed under subsets: what is asked of a set of columns is asked of each
    part of it, so that one star in a row is no way out.
    """

    name = "rules"

    semantics: Semantics = field(default="shown", kw_only=True)
    # whether parts of the column sets are rules, too; an open rule has a hole: a row
    # with one star in its columns satisfies it
    closed: bool = field(default=True, kw_only=True)
    # columns, published as they are, whose values separate the table: rows count among
    # those of their own stratum alone
    strata: tuple[str, ...] = field(default=(), kw_only=True)
    # sets of columns that are starred together
    linked: tuple[tuple[str, ...], ...] = field(default=(), kw_only=True)
    # texts of cells that are missing, and so show nothing; None is an empty cell of a
    # typed table
    hidden: tuple[str | None, ...] = field(default=(), kw_only=True)
    # for ``source``: who is counted; None: the rows of the original
    population: Population | None = field(default=None, kw_only=True, repr=False)

    @property
    def space(self) -> str:
        return MASK

    def __post_init__(self) -> None:
        expect_choice("semantics", self.semantics, get_args(Semantics))
        expect_kind("closed", self.closed, bool)
        expect_kind("population", self.population, (Population, type(None)))
        self._set("strata", expect_names("strata", self.strata))
        linked = tuple(expect_names("linked", each) for each in self.linked)
        self._set("linked", linked)
        self._set("hidden", tuple(self.hidden))
        if self.population is not None and self.semantics != "source":
            raise ValueError(
                f"Expected semantics='source' with a population, got {self.semantics}."
            )
        if self.population is not None and self.strata:
            raise ValueError("Expected a population or strata, got both.")
        if self.semantics == "classes" and self.hidden:
            raise ValueError(
                "Expected no hidden texts for classes: a missing cell is a value there."
            )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @abstractmethod
    def stated(self, qi: Sequence[str]) -> list[ColumnsWithK]:
        """Return column sets of these quasi-identifiers, each with its k."""

    def family(self, qi: Sequence[str]) -> list[ColumnsWithK]:
        """Return all column sets that something is asked of, small ones first.

        The k of a set is the largest one of the sets that contain it.
        """
        asked: dict[tuple[str, ...], int] = {}
        for columns, k in self.stated(qi):
            own = tuple(column for column in qi if column in columns)
            sizes = range(1, len(own) + 1) if self.closed else [len(own)]
            for size in sizes:
                for part in combinations(own, size):
                    asked[part] = max(k, asked.get(part, 0))
        place = {column: j for j, column in enumerate(qi)}
        return sorted(
            asked.items(), key=lambda rule: (len(rule[0]), [place[c] for c in rule[0]])
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that it reads besides quasi-identifiers."""
        return self.strata

    def sentence(self, table: Table, recoding: str) -> str:
        ks = sorted({k for _, k in self.stated(table.qi)})
        few = " or ".join(map(number_word, ks))
        where = {
            "source": "is that of fewer than {} rows of the original",
            "shown": "is shown by fewer than {} rows",
            "classes": "is published of fewer than {} rows",
        }[self.semantics]
        if self.population is not None:
            where = "is that of fewer than {} people of the population"
        what = "No combination of values that a row shows, and that there is a rule for"
        more = " Missing cells count as hidden." if self.hidden else ""
        if self.strata:
            more += f" Rows count among those of their {' and '.join(self.strata)}."
        return f"{what}, {where.format(few)}.{more}"

    def holds(self, stats: GroupStats) -> Bools:
        raise TypeError(_NO_GROUPS)

    def why_not(self, group: int, stats: GroupStats) -> str:
        raise TypeError(_NO_GROUPS)

    def why_rare(self, label: str, count: int, k: int) -> str:
        """Say why a combination is rare that so many rows show, fewer than k."""
        rows = counted(count, "row")
        if self.population is not None:
            by = f"is of {counted(count, 'person', 'people')} of the population"
        elif self.semantics == "source":
            by = f"is in {rows} of the original"
        elif self.semantics == "shown":
            by = f"is shown by {rows}"
        else:
            by = f"is published of {rows}"
        return f"{label} {by}, fewer than k = {k}"

    def as_json(self) -> dict[str, Any]:
        content = self._as_stated() | {"semantics": self.semantics}
        if not self.closed:
            content["closed"] = False
        for name in ("strata", "hidden"):
            if value := getattr(self, name):
                content[name] = list(value)
        if self.linked:
            content["linked"] = [list(each) for each in self.linked]
        if self.population is not None:
            content["population"] = self.population.as_json()
        return content

    @abstractmethod
    def _as_stated(self) -> dict[str, Any]:
        """Return the column sets and their k as JSON."""


@dataclass(frozen=True)
class Rules(CombinationRules):
    """Rules over named sets of columns: pairs of column names and a k.

    Examples
    --------
    >>> rules = Rules([(["age", "sex"], 3), (["age"], 10)])
    >>> rules.family(["age", "sex", "zip"])
    [(('age',), 10), (('sex',), 3), (('age', 'sex'), 3)]
    """

    options = (RULES, *(option for option in OPTIONS if option is not RULES))

    rules: Sequence[tuple[Sequence[str], int]]

    def __post_init__(self) -> None:
        super().__post_init__()
        rules = []
        for columns, k in self.rules:
            names = expect_names("columns of a rule", columns)
            if not names or len(set(names)) < len(names):
                raise ValueError(
                    f"Expected different columns in a rule, got {list(names)}."
                )
            rules.append((names, expect_whole("k", k, 2)))
        if not rules:
            raise ValueError("Expected at least one rule, got none.")
        self._set("rules", tuple(rules))

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> Requirement | None:
        read = rules_of(stated)
        if read is None:
            details_of(stated)  # an error where it is told of no rules
            return None
        rules, hides = read
        details = details_of(stated, hides)
        parts = list[Requirement]()
        for people in dict.fromkeys(rule.population for rule in rules):
            own = [(columns, k) for columns, k, of in rules if of == people]
            among = details
            if people is not None:
                among = {
                    "semantics": "source",
                    "linked": details["linked"],
                    "hidden": details["hidden"],
                    "population": read_population(*people, stated.read),
                }
            asked = cls(own, **among)
            asked.stated(table.qi)  # an error where a column is none of these
            parts.append(asked)
        return reduce(and_, parts)

    def stated(self, qi: Sequence[str]) -> list[ColumnsWithK]:
        """Return the rules; a column that is no quasi-identifier is an error."""
        for columns, _ in self.rules:
            for column in columns:
                if column not in qi:
                    raise TableError(
                        f"rule {'+'.join(columns)}: {column!r} is no quasi-identifier; "
                        f"these are: {', '.join(qi)}"
                    )
        return [(tuple(columns), k) for columns, k in self.rules]

    def _as_stated(self) -> dict[str, Any]:
        return {"rules": [{"columns": list(c), "k": k} for c, k in self.rules]}


@dataclass(frozen=True)
class Combinations(CombinationRules):
    """Every combination of so many columns occurs often enough.

    ``sizes`` is the number of columns, beside one ``k``, or a mapping from numbers of
    columns to k.

    Examples
    --------
    >>> Combinations(2, 5) == Combinations({2: 5})
    True
    >>> Combinations({1: 20, 2: 10}).family(["age", "sex"])
    [(('age',), 20), (('sex',), 20), (('age', 'sex'), 10)]
    """

    options = OPTIONS

    sizes: Sizes
    k: int | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("sizes", _pairs(self.sizes, self.k))
        self._set("k", None)

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "Combinations | None":
        sizes = sizes_of(stated)
        return None if sizes is None else cls(sizes, **details_of(stated))

    def stated(self, qi: Sequence[str]) -> list[ColumnsWithK]:
        """Return the sets of these sizes; of all columns where there are fewer."""
        return [
            (columns, k)
            for size, k in _pairs(self.sizes)
            for columns in combinations(qi, min(size, len(qi)))
        ]

    def _as_stated(self) -> dict[str, Any]:
        return {"combinations": {str(size): k for size, k in _pairs(self.sizes)}}


def _pairs(sizes: Sizes, k: int | None = None) -> tuple[tuple[int, int], ...]:
    """Return sizes, each with its k, in order and checked."""
    if isinstance(sizes, int) and k is None:
        raise ValueError(f"Expected a k for combinations of {sizes} columns, got none.")
    if not isinstance(sizes, int) and k is not None:
        raise ValueError("Expected a k for each size or one k, got both.")
    each = {sizes: k} if isinstance(sizes, int) else dict(sizes)
    if not each:
        raise ValueError("Expected at least one size, got none.")
    return tuple(
        sorted(
            (expect_whole("number of columns", m, 1), expect_whole("k", k, 2))
            for m, k in each.items()
        )
    )
