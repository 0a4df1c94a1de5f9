"""What rules over combinations ask, read from their statement as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from starmin.instances import Requirement, Table, TableError
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    check_mapping,
    parts_of,
    same,
    whole,
)
from starmin.verify.exact import BeyondError

RULES = "rules"  # the kind of certificate
_MOST_SETS = 100_000
_POSSIBLE = {
    "combinations",
    "rules",
    "semantics",
    "closed",
    "strata",
    "hidden",
    "linked",
    "population",
}


@dataclass(frozen=True)
class ColumnSet:
    """A set of columns, and how often what is shown of it must occur."""

    columns: tuple[str, ...]  # in the order of the quasi-identifiers
    k: int
    semantics: str
    strata: tuple[str, ...] = ()
    population: Table | None = None  # who is counted; None: the table itself


@dataclass(frozen=True)
class Family:
    """All sets of columns of which something is asked."""

    # parts of a set are in the list, too, where the rules are closed. Sets of one
    # requirement stand in the order of their sizes, then of their columns; k-anonymity,
    # a set of all columns, comes last
    sets: tuple[ColumnSet, ...]
    # sets of columns that are starred together, as they were named
    linked: tuple[tuple[str, ...], ...]
    hidden: frozenset[str | None]  # texts of cells that show nothing

    @property
    def joined(self) -> list[set[str]]:
        """The linked sets, of which those with a common column are one."""
        found = list[set[str]]()
        for names in self.linked:
            own = {*names}
            for other in [each for each in found if each & own]:
                found.remove(other)
                own |= other
            found.append(own)
        return found


def family_of(requirement: Requirement, qi: Sequence[str]) -> Family:
    """Return what a requirement asks of masks of these quasi-identifiers.

    Raises TableError where a column of strata is a quasi-identifier.
    """
    for part in requirement.parts:
        for column in part.strata if isinstance(part, CombinationRules) else ():
            if column in qi:
                raise TableError(
                    f"column {column!r} of strata is published as it is; take it out "
                    "of the quasi-identifiers"
                )
    populations = [
        part.population.table
        for part in requirement.parts
        if isinstance(part, CombinationRules) and part.population is not None
    ]
    return read_family(requirement.as_json(), qi, populations)


def read_family(
    stated: object, qi: Sequence[str], populations: Sequence[Table] = ()
) -> Family:
    """Read a requirement as JSON, refused where it is none over combinations.

    Anyone may have written what is ``stated``. The ``populations`` are those that the
    rules name, in their order.

    >>> stated = {"combinations": {"2": 3}, "semantics": "shown"}
    >>> [each.columns for each in read_family(stated, ["a", "b"]).sets]
    [('a',), ('b',), ('a', 'b')]
    """
    sets, groups = list[ColumnSet](), list[ColumnSet]()
    linked = list[tuple[str, ...]]()
    hidden, left = set[str | None](), list(populations)
    for part in parts_of(stated):
        asked = check_mapping(part, "its requirement")
        if "k" in asked:
            k = whole(asked["k"], "k of its requirement", 2)
            groups.append(ColumnSet(tuple(qi), k, "classes"))
            asked = {name: value for name, value in asked.items() if name != "k"}
            if not asked:
                continue
        check_keys(asked, "its requirement", {"semantics"}, _POSSIBLE)
        sets += _column_sets(asked, qi, _population(asked, left))
        linked += [_names(each, qi) for each in _listed(asked, "linked")]
        hidden.update(_texts(_listed(asked, "hidden")))
    # Strata are published: classes are of rows in one stratum.
    within = tuple(sorted({name for each in sets for name in each.strata}))
    groups = [replace(each, strata=within) for each in groups]
    return Family((*sets, *groups), tuple(linked), frozenset(hidden))


def _population(asked: Mapping[str, Any], left: list[Table]) -> Table | None:
    if "population" not in asked:
        return None
    if not left:
        raise RefusalError("it counts a population; name the table")
    table = left.pop(0)
    described = {"columns": list(table.names), "people": table.n}
    if not same(asked["population"], described):
        raise RefusalError(f"it is for another population than {table.name}")
    return table


def _column_sets(
    asked: Mapping[str, Any], qi: Sequence[str], population: Table | None
) -> list[ColumnSet]:
    semantics = asked["semantics"]
    if semantics not in ("source", "shown", "classes"):
        raise RefusalError("its semantics are neither source, shown nor classes")
    if population is not None and semantics != "source":
        raise RefusalError("a population is counted where semantics are source")
    closed = asked.get("closed", True)
    strata = tuple(_texts(_listed(asked, "strata")))
    if not isinstance(closed, bool) or any(s is None or s in qi for s in strata):
        raise RefusalError("its rules are closed or not, and strata no identifiers")
    needed: dict[tuple[str, ...], int] = {}
    for columns, k in _stated(asked, qi):
        for size in range(1 if closed else len(columns), len(columns) + 1):
            for some in combinations(columns, size):
                needed[some] = max(needed.get(some, 0), k)
        if len(needed) > _MOST_SETS:
            raise BeyondError(f"its rules are of more than {_MOST_SETS} sets")
    within = tuple(str(name) for name in strata)
    return [
        ColumnSet(columns, k, semantics, within, population)
        for columns, k in sorted(
            needed.items(),
            key=lambda rule: (len(rule[0]), [qi.index(column) for column in rule[0]]),
        )
    ]


def _stated(
    asked: Mapping[str, Any], qi: Sequence[str]
) -> list[tuple[tuple[str, ...], int]]:
    """Return the sets that are named, and those of the sizes that are named."""
    found = []
    sizes = check_mapping(asked.get("combinations", {}), "its combinations")
    for size, k in sizes.items():
        if not (isinstance(size, str) and size.isdecimal() and 0 < int(size) < 100):
            raise RefusalError("a size of its combinations is no number of columns")
        need = whole(k, "k of its combinations", 2)
        for count, some in enumerate(combinations(qi, min(int(size), len(qi)))):
            if count > _MOST_SETS:
                raise BeyondError(f"its rules are of more than {_MOST_SETS} sets")
            found.append((some, need))
    for rule in _listed(asked, "rules"):
        content = check_keys(rule, "a rule", {"columns", "k"})
        names = _names(content["columns"], qi)
        found.append((names, whole(content["k"], "k of a rule", 2)))
    if not found:
        raise RefusalError("its requirement has no rule")
    return found


def _listed(asked: Mapping[str, Any], name: str) -> list[Any]:
    value = asked.get(name, [])
    if not isinstance(value, list):
        raise RefusalError(f"{name} of its requirement is no list")
    return value


def _texts(values: list[Any]) -> list[str | None]:
    if not all(isinstance(value, str | None) for value in values):
        raise RefusalError("a text of its requirement is none")
    return values


def _names(value: object, qi: Sequence[str]) -> tuple[str, ...]:
    """Return columns in the order of the quasi-identifiers."""
    if not isinstance(value, list) or not value or not set(map(str, value)) <= set(qi):
        raise RefusalError("a column of its rules is no quasi-identifier")
    return tuple(column for column in qi if column in value)
