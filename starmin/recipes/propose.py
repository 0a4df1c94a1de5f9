"""A settings file proposed for a table: what its columns seem to be, and why."""

import re
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances import Table
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.names import counted
from starmin.recipes.column_facts import Facts, column_facts, gaps_of, perhaps_gaps
from starmin.recipes.propose_column import (
    Proposal,
    are_dates,
    is_free_text,
    propose_column,
)
from starmin.recipes.recipe import COLUMNS
from starmin.recipes.role_guess import Guess, guess_roles
from starmin.recipes.role_words import HOUSEHOLD, ID, PERSON, QI, SENSITIVE, WEIGHT
from starmin.recipes.text import named_key, recipe_text
from starmin.recipes.told import TABLE, Told, keys

_MANY = 0.05  # of the rows stand alone by a column that others may know
COUNTED = PERSON, HOUSEHOLD
_STARS = "*", "#", "\N{WHITE STAR}", "\N{BLACK STAR}"


def propose(
    table: Table,
    source: str,
    k: int,
    named: Mapping[str, tuple[str, ...]],
    reading: Mapping[str, Any] | None = None,
) -> str:
    """Return a settings file for a table, with comments.

    ``starmin solve`` takes it as it is.

    The table has all of its columns, and ``source`` is how it is named. ``named`` are
    columns of which the role is known, by the parameters of roles, and ``reading`` is
    how the file is read, by parameter.

    >>> rows = [[f"n{i}", str(20 + i // 2), "mf"[i % 2]] for i in range(60)]
    >>> table = Table.from_rows(["name", "age", "sex"], rows, ["name", "age", "sex"])
    >>> text = propose(table, "people.csv", 5, {"sensitive": ("sex",)})
    >>> [line for line in text.splitlines() if line.startswith(("name", "age", "sex"))]
    ['name = { role = "identifier" }', \
'age = { role = "quasi-identifier", kind = "numeric", round = 2 }', \
'sex = { role = "sensitive" }']
    """
    told, notes = proposed(table, k, named, reading)
    head = (
        f"Settings proposed by starmin {version('starmin')} for {source}: read what is "
        f"said of each column, then\nstarmin solve {source} --recipe THIS_FILE"
    )
    return recipe_text(told, table.names, Path(), head, notes)


def proposed(
    table: Table,
    k: int,
    named: Mapping[str, tuple[str, ...]],
    reading: Mapping[str, Any] | None = None,
) -> tuple[Told, dict[tuple[str, ...], str]]:
    """Return what is proposed for a table, by parameter, and comments on it."""
    told: Told = {"k": k, "time_limit": 60.0, **(reading or {})}
    unknown = (*MISSING, *told.get("missing", ()))
    facts = column_facts(table, unknown)
    roles = propose_roles(table, named, facts)
    kinds = _kinds(table, unknown, facts, roles)
    gaps = frozenset(told.get("missing", ())).union(
        *(kinds[c].missing for c in table.names if roles[c].role == QI)
    )
    notes: dict[tuple[str, ...], str] = {}
    for column in table.names:
        guess, kind = roles[column], kinds[column]
        told[guess.role] = (*told.get(guess.role, ()), column)
        why = [guess.why, facts[column].figures]
        if guess.role == QI:
            why.append(kind.why)
            _tell(told, column, kind)
        elif guess.role == SENSITIVE and facts[column].alone > _MANY * table.n:
            why.append(
                "Who knows the value knows the row: if others may know it, it is"
            )
            why[-1] += " a quasi-identifier"
        found = kind.missing | gaps_of(facts[column].texts)
        if taken := found & gaps:
            why.append(f"{_listed(table, column, taken)} taken for no value")
        if perhaps := (found | perhaps_gaps(facts[column].texts)) - gaps:
            why.append(f"{_listed(table, column, perhaps)} may stand for no value")
        sentences = (_sentence(part, table.names) for part in why if part)
        notes[COLUMNS, column] = ". ".join(sentences) + "."
        if guess.second:
            word = keys()[guess.second].first_word
            notes[COLUMNS, column] += f'\n{named_key(column)} = {{ role = "{word}" }}'
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
        "A sensitive or unchanged column is published as it is. Other roles: weight,\n"
        "person, household. Below the reasons stands the next best guess."
    )
    notes["requirement", "k"] = (
        "Each person looks like k - 1 others at least.\n"
        + cost_words(table, told["qi"], k)
    )
    notes["table", "earlier"] = "The next table is compared with this one."
    notes["run", "time-limit"] = "Seconds."
    notes["output", "out"] = f"{TABLE} stands for the name of the table."
    return told, notes


def _kinds(
    table: Table,
    unknown: Collection[str | None],
    facts: Mapping[str, Facts],
    roles: Mapping[str, Guess],
) -> dict[str, Proposal]:
    """Return what kind each column is; what stands for a gap does so in all of them."""
    kinds = {
        c: propose_column(table, c, unknown)
        if roles[c].role == QI
        else Proposal(missing=gaps_of(facts[c].texts))
        for c in table.names
    }
    qi = [c for c in kinds if roles[c].role == QI]
    gaps = frozenset[str]().union(*(kinds[c].missing for c in qi))
    denied = frozenset[str]()
    for column, kind in kinds.items():
        if roles[column].role in (QI, SENSITIVE) and gaps - kind.missing:
            denied |= (gaps - kind.missing).intersection(table.dictionary(column))
    for column in qi if denied else ():
        if kinds[column].missing & denied:
            kinds[column] = propose_column(table, column, unknown, denied)
    return kinds


def propose_roles(
    table: Table,
    named: Mapping[str, tuple[str, ...]] | None = None,
    facts: Mapping[str, Facts] | None = None,
) -> dict[str, Guess]:
    """Return the role of each column, and why; those of ``named`` are known.

    >>> rows = [[str(20 + i), "mf"[i % 2], str(900 + 13 * i)] for i in range(20)]
    >>> names = ["age", "sex", "income"]
    >>> found = propose_roles(Table.from_rows(names, rows, names))
    >>> [(name, guess.role) for name, guess in found.items()]
    [('age', 'qi'), ('sex', 'qi'), ('income', 'sensitive')]
    """
    facts = facts or column_facts(table, MISSING)
    words = [c for c in table.names if not facts[c].numbers]
    free = {c: "dates" for c in words if are_dates(facts[c].texts)}
    free |= {c: "free text" for c in words if is_free_text(table, c)}
    roles = guess_roles(facts, free)
    said = named or {}
    known = {c: Guess(name, "") for name in said for c in said[name]}
    roles |= known
    counted = next((n for n in COUNTED if said.get(n)), None)
    for one in (WEIGHT, *COUNTED):
        asked = [c for c in roles if roles[c].role == one and c not in known]
        if one != WEIGHT and asked and counted is None:
            # Those of persons are in more rows of fewer columns that tell them.
            counted, first = one, max(asked, key=lambda c: facts[c].distinct)
            asked.remove(first)
        elif one == WEIGHT and asked and not said.get(WEIGHT):
            asked.remove(max(asked, key=lambda c: (facts[c].distinct, c[:1] in "pP")))
        for column in asked:
            what = "one more weight" if one == WEIGHT else "one more column of ids"
            roles[column] = Guess(ID, what, one)
    if not any(guess.role == QI for guess in roles.values()):
        free_ones = [c for c in roles if c not in known] or list(roles)
        ids = {
            c: (
                roles[c].why.startswith("its "),
                facts[c].looks_like_id,
                -facts[c].distinct,
            )
            for c in free_ones
        }
        least = min(free_ones, key=ids.__getitem__)
        why = f"{roles[least].why}, as all columns do; one has to be hidden"
        roles[least] = Guess(QI, why, roles[least].role)
    return roles


def _sentence(text: str, columns: Collection[str]) -> str:
    """Begin a sentence with a capital letter, unless it begins with a column's name."""
    if any(re.match(re.escape(c) + r"\b", text) for c in columns):
        return text
    return text[0].upper() + text[1:]


def _listed(table: Table, column: str, texts: Collection[str]) -> str:
    """Name values of a column, and in how many rows they are."""
    rows = table.text_counts(column).items()
    many = sum(number for text, number in rows if text in texts)
    return f"{counted(many, 'row')} with {' or '.join(sorted(texts))}"


def _tell(told: Told, column: str, kind: Proposal) -> None:
    """Add what is proposed of a column."""
    for name, value in kind.told.items():
        if value is True:
            told[name] = (*told.get(name, ()), column)
        else:
            told.setdefault(name, {})[column] = value
    if kind.missing:
        known = told.get("missing", ())
        told["missing"] = (*known, *sorted(kind.missing - {*known}))


# How many rows of a table change, and because of which columns: counts alone.

_MUCH = 0.5  # of the rows change, from which columns to leave out are named
_MOST_LEFT_OUT = 3
_CELLS = 10_000_000  # beyond, one column to leave out is looked for
_SEED = 76
_Keys = npt.NDArray[np.uint64]


def cost_words(table: Table, qi: Sequence[str], k: int) -> str:
    """Say how many rows change by all quasi-identifiers, and without the dearest ones.

    Rows are compared by sums of random numbers of 64 bits, one for each value, so that
    a column is left out by a subtraction: two of a million different rows are taken for
    one with a probability of 3e-8.

    >>> rows = [["f", str(i)] for i in range(6)]
    >>> table = Table.from_rows(["sex", "born"], rows, qi=["sex", "born"])
    >>> print(cost_words(table, ["sex", "born"], 2))
    By these 2 quasi-identifiers, as they stand, 6 of 6 rows look like
    no other, and change; without born 0.
    """
    rng = np.random.default_rng(_SEED)
    marks = {c: rng.integers(0, 2**64, len(table.dictionary(c)), np.uint64) for c in qi}
    keys = np.zeros(table.n, np.uint64)
    for column in qi:
        keys += marks[column][table.column(column)]
    below = _rows_below(keys, k)
    many = f"these {len(qi)} quasi-identifiers, as they stand"
    many = many if len(qi) > 1 else f"{qi[0]}, as it stands"
    others = "no other" if k == 2 else f"fewer than {k - 1:,} others"
    said = f"By {many}, {below:,} of {table.n:,} rows look like\n{others}, and change"
    left, gone = list(qi), list[str]()
    most = _MOST_LEFT_OUT if table.n * len(qi) <= _CELLS else 1
    while below > _MUCH * table.n and len(left) > 1 and len(gone) < most:
        without = {c: _rows_below(keys - marks[c][table.column(c)], k) for c in left}
        dearest = min(left, key=without.__getitem__)
        if without[dearest] >= below:
            break
        below = without[dearest]
        keys -= marks[dearest][table.column(dearest)]
        left.remove(dearest)
        gone.append(dearest)
        listed = " and ".join(filter(None, [", ".join(gone[:-1]), gone[-1]]))
        said += f"; without {listed} {below:,}"
    return f"{said}."


def _rows_below(keys: _Keys, k: int) -> int:
    """Count the rows that fewer than k - 1 others have the key of."""
    ordered = np.sort(keys)
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(keys)])
    return int(sizes[sizes < k].sum())
