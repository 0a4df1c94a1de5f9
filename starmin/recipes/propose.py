"""A settings file proposed for a table: what its columns seem to be, and why."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from starmin.inputs.notices import person_columns
from starmin.instances import Table
from starmin.instances.scales.missing import MISSING
from starmin.recipes.propose_column import Proposal, is_free_text, propose_column
from starmin.recipes.recipe import COLUMNS
from starmin.recipes.text import recipe_text
from starmin.recipes.told import TABLE, Told
from starmin.verify.risk.candidates import Candidate, candidates

# By whose name nobody means how heavy a person is.
_WEIGHT = re.compile(
    r"^(w|wgt|[phf]_?(weight|wgt|wt)\w*|fnlwgt|"
    r"(sampl\w*|survey|design|person|case)[ _.-]?(weight|wgt|wt))$",
    re.IGNORECASE,
)
_ID = re.compile(
    r"(^|[_ .-])(id|nr|no|num|number|code|key|uuid|ssn)$|[a-z]I[Dd]$", re.I
)
_HOUSE = re.compile(r"house|^hh|family", re.I)
_STARS = "*", "#", "\N{WHITE STAR}", "\N{BLACK STAR}"


@dataclass(frozen=True)
class _Role:
    """A role, by the parameter that names it, and why."""

    name: str
    why: str


def propose(
    table: Table,
    source: str,
    k: int,
    named: Mapping[str, tuple[str, ...]],
    reading: Mapping[str, Any] | None = None,
) -> str:
    """Return a settings file for a table, with comments.

    ``starmin solve`` takes it as it is.

    Parameters
    ----------
    table
        With all of its columns.
    source
        How it is named.
    k
        What is asked.
    named
        Columns of which the role is known, by the parameters of roles.
    reading
        How the file is read, by parameter.

    Examples
    --------
    >>> rows = [[f"n{i}", str(20 + i // 2), "mf"[i % 2]] for i in range(60)]
    >>> table = Table.from_rows(["name", "age", "sex"], rows, ["name", "age", "sex"])
    >>> text = propose(table, "people.csv", 5, {"sensitive": ("sex",)})
    >>> [line for line in text.splitlines() if line.startswith(("name", "age", "sex"))]
    ['name = { role = "identifier" }', \
'age = { role = "quasi-identifier", kind = "numeric", round = 2 }', \
'sex = { role = "sensitive" }']
    """
    told: Told = {"k": k, "time_limit": 60.0, **(reading or {})}
    unknown = (*MISSING, *told.get("missing", ()))
    found = {each.name: each for each in candidates(table, table.names, unknown)}
    kinds = _kinds(table, unknown)
    roles = _roles(table, found, kinds, named)
    notes: dict[tuple[str, ...], str] = {}
    for column in table.names:
        role, kind = roles[column], kinds[column]
        told[role.name] = (*told.get(role.name, ()), column)
        why = [_figures(found[column], table.n), role.why]
        if role.name == "qi":
            why.append(kind.why)
            _tell(told, column, kind)
        sentences = (part[0].upper() + part[1:] for part in why if part)
        notes[COLUMNS, column] = ". ".join(sentences) + "."
    for one in ("weight", "person", "household"):
        if one in told:
            (told[one],) = told[one]
    if told.keys() & {"numeric", "hierarchy"}:
        told["recoding"] = "generalization"
    cells = {text for column in told.get("qi", ()) for text in table.dictionary(column)}
    told["star"] = next(star for star in _STARS if star not in cells)
    if told["star"] == _STARS[0]:
        del told["star"]
    told["out"] = Path(f"{TABLE}.public.csv")
    notes[(COLUMNS,)] = (
        "What is done with each column. A quasi-identifier may be known to others:\n"
        "it is hidden where it singles people out. An identifier is not published.\n"
        "Other roles: sensitive, unchanged, weight, person, household."
    )
    notes["requirement", "k"] = "Each person looks like k - 1 others at least."
    notes["run", "time-limit"] = "Seconds."
    notes["output", "out"] = f"{TABLE} stands for the name of the table."
    head = (
        f"Settings proposed by starmin {version('starmin')} for {source}: read what is "
        f"said of each column, then\nstarmin solve {source} --recipe THIS_FILE"
    )
    return recipe_text(told, table.names, Path(), head, notes)


def _kinds(table: Table, unknown: Collection[str | None]) -> dict[str, Proposal]:
    """Return what kind each column is; what stands for a gap does so in all of them."""
    kinds = {c: propose_column(table, c, unknown) for c in table.names}
    gaps = frozenset[str]().union(*(kind.missing for kind in kinds.values()))
    for column, kind in kinds.items():
        if "numeric" in kind.told and (gaps - kind.missing) & {
            *table.dictionary(column)
        }:
            return {c: propose_column(table, c, unknown, False) for c in table.names}
    return kinds


def _roles(
    table: Table,
    found: Mapping[str, Candidate],
    kinds: Mapping[str, Proposal],
    named: Mapping[str, tuple[str, ...]],
) -> dict[str, _Role]:
    """Return the role of each column, and why."""
    roles = {c: _Role(name, "") for name, columns in named.items() for c in columns}
    counted = next((n for n in ("person", "household") if named.get(n)), None)
    persons = sorted(person_columns(table), key=lambda each: -each[1])
    for column, many in persons:
        if column in roles:
            continue
        why = f"{many:,} ids, each in several rows"
        if counted is None:
            counted = "household" if _HOUSE.search(column) else "person"
            roles[column] = _Role(counted, f"{why}: these are counted, not rows")
        else:
            roles[column] = _Role("drop", why)
    for column in table.names:
        if column not in roles:
            roles[column] = _role(table, column, found[column], kinds[column])
            if roles[column].name == "weight":
                weights = [c for c, role in roles.items() if role.name == "weight"]
                if len(weights) > 1:
                    roles[column] = _Role("drop", "one more weight")
    if not any(role.name == "qi" for role in roles.values()):
        least = min(
            (c for c, role in roles.items() if role.name == "drop"),
            key=lambda c: found[c].distinct,
        )
        roles[least] = _Role("qi", "looks like an identifier, as all columns do")
    return roles


def _role(table: Table, column: str, seen: Candidate, kind: Proposal) -> _Role:
    ranged = "numeric" in kind.told
    if ranged and "date_format" not in kind.told and _WEIGHT.search(column):
        return _Role("weight", "a sampling weight, by its name: published as it is")
    if is_free_text(table, column):
        return _Role("drop", "free text")
    if seen.looks_like_id and (not ranged or _ID.search(column)):
        return _Role("drop", "a value of its own for nearly each row")
    return _Role("qi", f"{seen.follows[0]} tells its value" if seen.follows else "")


def _tell(told: Told, column: str, kind: Proposal) -> None:
    """Add what is proposed of a column."""
    for name, value in kind.told.items():
        if value is True:
            told[name] = (*told.get(name, ()), column)
        else:
            told.setdefault(name, {})[column] = value
    if kind.missing and kind.told:
        known = told.get("missing", ())
        told["missing"] = (*known, *sorted(kind.missing - {*known}))


def _figures(seen: Candidate, n: int) -> str:
    values = f"{seen.distinct:,} values"
    if seen.missing:
        values += f", {seen.missing:,} rows without one"
    if seen.pairs and not seen.looks_like_id:
        values += f"; {seen.pairs:.0%} of {n:,} rows are unique by it and one other"
    return values
