"""Tell a user what a table is before it is anonymized; find columns like identifiers.

These are of rows, or of persons who have several rows.
"""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import numpy as np

from starmin.inputs.earlier_releases import FirstRows, earlier_releases
from starmin.inputs.roles import Roles
from starmin.instances import Objective, Persons, Problem, Requirement, Table, as_number
from starmin.instances.io.atomic import is_stream
from starmin.instances.io.layout import NAMES, Form, usual_separator
from starmin.instances.requirements import id_columns
from starmin.instances.requirements.missing_values import MissingValues
from starmin.instances.requirements.requirement import part_of
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.grouping import codes_that_occur, first_rows
from starmin.instances.times.recognise import form_for
from starmin.instances.times.signs import told_years
from starmin.process.say import say
from starmin.verify.releases.disclosure import Disclosure

# Columns that look like identifiers, of rows or of persons who have several rows.

SIGN = "different values"  # by which the warning is known among others

_SHARE = 0.95  # of the rows have a value of their own
_MANY, _FEW = 20, 10  # rows from which this says something: always, for text
# What a column of ids is called: such a word alone, at an end, or with "id" beside it.
_ID = re.compile(r"(^|[_ .-])(id|ids|pid|uid|idnr|id_?no)$|^id[_ .-]|[a-z]I[Dd]$")
_WHO = re.compile(
    r"(^|[_ .-])(person|patient|subject|member|client|customer|user|participant|"
    r"respondent|student|pupil|employee|household|family|animal|child|mother)"
    r"(?P<number>[_ .-]?(id|nr|no|num|number|code|key))?$",
    re.IGNORECASE,
)
_REPEATS = 1.2  # rows that each value has on average, at least
_MANY_IDS = 10  # different values, from which a column is looked at whatever its name
_FEW_IDS, _SEVERAL = 3, 6  # values, and rows of each, for a name that may be a property
_LARGE = 200_000  # rows; in larger tables names alone are looked at
_CELLS = 4_000_000  # that are looked at together


def identifiers(table: Table, ranged: Collection[str] = ()) -> list[str]:
    """Return a warning for each quasi-identifier that no two rows can share.

    Such a column, as a name or a number of a person, ends as one of stars: it should be
    left out. Told are columns with at least 0.95 n different values in n >= 20 rows,
    and those of text (not of numbers alone, which in few rows differ by chance) with n
    values in n >= 10 rows.

    Columns ``ranged`` are published as ranges or nodes, which rows can share.

    Notes
    -----
    O(n) for a column with that many values in its dictionary; else none.

    >>> rows = [[chr(i), str(i % 2)] for i in range(97, 109)]
    >>> table = Table.from_rows(["name", "sex"], rows, qi=["name", "sex"])
    >>> [line.split(",")[0] for line in identifiers(table)]
    ["table: column 'name' has 12 different values in 12 rows"]
    """
    found = []
    for column in table.qi:
        least = _SHARE * table.n
        if table.n < _FEW or column in ranged or table.sizes([column])[0] < least:
            continue
        used = table.text_counts(column)
        if len(used) < least:
            continue
        if table.n < _MANY and all(as_number(text) is not None for text in used):
            continue
        found.append(
            f"{table.name}: column {column!r} has {len(used):,} {SIGN} in "
            f"{table.n:,} rows, as an identifier has: hardly any two rows can share "
            f"one; leave it out (--drop {column}) if it identifies people"
        )
    return found


def repeated_ids(table: Table, requirement: Requirement | None = None) -> list[str]:
    """Return a warning for each column that has ids of persons with several rows.

    Each row counts as a person otherwise, so that a person may hide among own rows.
    Told are columns whose values repeat and that are called like an id; and those of
    many values, each of which has one value of all other quasi-identifiers alone. The
    table has all columns that are read; where the requirement counts persons or
    households nothing is told.

    >>> rows = [["p1", "50"], ["p1", "50"], ["p2", "61"], ["p2", "61"]]
    >>> table = Table.from_rows(["pid", "age"], rows, qi=["age"])
    >>> [line.split(", ")[0] for line in repeated_ids(table)]
    ["table: column 'pid' has 2 different values in 4 rows"]
    """
    if part_of(requirement, Persons) is not None or table.counts is not None:
        return []
    return [
        f"{table.name}: column {column!r} has {many:,} different values in "
        f"{table.n:,} rows, each in several, as an id of persons has; rows are "
        f"counted, and a person may hide among own rows: --person {column} counts "
        "persons"
        for column, many in person_columns(table)
    ]


def person_columns(table: Table) -> Iterator[tuple[str, int]]:
    """Yield each column that looks like ids of persons, and how many ids it has."""
    counts = codes_that_occur(table.codes, table.sizes(table.names))
    values = dict(zip(table.names, counts.tolist(), strict=True))
    repeated = (counts >= 2) & (table.n >= _REPEATS * counts)
    wanted = [table.names[j] for j in np.flatnonzero(repeated).tolist()]
    wanted = [column for column in wanted if column not in table.sensitive]
    called = {c for c in wanted if _is_called_so(c, values[c], table.n)}
    varying = [c for c in table.qi if values[c] > 1]
    looked_at = [c for c in wanted if c not in called and values[c] >= _MANY_IDS]
    if table.n <= _LARGE:
        called |= _determining(table, looked_at, varying)
    yield from ((column, values[column]) for column in wanted if column in called)


def _is_called_so(column: str, many: int, rows: int) -> bool:
    """Check whether a column is called as ids of persons are."""
    called = _WHO.search(column)
    few = many < _MANY_IDS and (many < _FEW_IDS or rows > _SEVERAL * many)
    return bool(_ID.search(column) or (called and (called["number"] or not few)))


def _determining(table: Table, columns: list[str], others: list[str]) -> set[str]:
    """Return the columns each value of which has one value of two or more others."""
    left = [c for c in columns if len(others) - (c in others) > 1]
    step = max(1, _CELLS // table.n)
    for other in others:
        values, kept = table.column(other), list[str]()
        texts = table.dictionary(other)
        by_text = len(set(texts)) < len(texts)  # two codes may be of one text
        for at in range(0, len(left), step):
            some = left[at : at + step]
            first = first_rows(table.codes[table.positions(some)])
            same = (values[first] == values).all(axis=1)
            kept += [
                column
                for column, alike in zip(some, same.tolist(), strict=True)
                if alike
                or (by_text and id_columns.two_rows(table, column, other) is None)
            ]
        left = kept
    return {*left}


# What a user is told of a table before it is anonymized.


def tell_form(source: str, named: Roles, form: Form | None, quiet: bool) -> None:
    """Say how a file was read where nobody named it and it is not the usual way.

    ``named`` has the separator and the encoding that were named, if they were. ``form``
    says how it was read; None: not a text file.
    """
    if form is None or quiet:
        return
    other_sep = named.sep is None and form.sep != usual_separator(Path(source))
    if other_sep or (named.encoding is None and not form.encoding.startswith("utf-8")):
        cells = NAMES.get(form.sep, repr(form.sep))
        say(
            f"{source}: read as {form.encoding}, separated by {cells}; --separator and "
            "--encoding overrule"
        )


def warn_disclosure(
    found: Disclosure, rounds: bool = True, unchanged: Collection[str] = ()
) -> None:
    """Say what a release tells beyond its quasi-identifiers.

    These are columns that are published as they are, hidden cells that they tell, and
    ends of ranges. ``rounds`` says whether the command has ``--round``; columns of
    ``unchanged`` are published as they are on purpose.
    """
    if found.unchanged is not None and {*found.unchanged.columns} - {*unchanged}:
        say(
            f"warning: published as they are: {found.unchanged}; they may identify "
            "people (--drop leaves them out, --qi protects them)"
        )
    for each in found.named:
        say(
            f"warning: {each}: it is published as it is (--drop {each.by} leaves it "
            "out)"
        )
    if found.others:
        say(f"warning: {found.others}; the JSON of --json names them")
    if (ends := found.range_ends) is not None:
        how = f" (--round {ends.rounded} hides them)" if rounds else ""
        say(f"warning: {ends}{how}")


def warn_earlier_releases(
    out: Path,
    first_rows: Callable[[], FirstRows],
    roles: Roles,
    within: Path | None = None,
) -> None:
    """Say which files beside a release release the same rows in the same order.

    ``out`` is the release; ``first_rows`` returns the first rows of the table;
    ``roles`` have the form of the file. ``within`` is the release that it is nested
    within: both tell no more than that one.
    """
    if is_stream(out):
        return
    found = earlier_releases(out, first_rows, roles)
    if within is not None:
        found = [each for each in found if each.resolve() != within.resolve()]
    if found:
        others = "" if len(found) == 1 else f" (and {len(found) - 1} more)"
        say(
            f"warning: {found[0]}{others} releases the same rows in the same order: "
            f"whoever has it and {out.name} compares them row by row and sees what one "
            "of them hides; publish one of them, or shuffle each (--shuffle)"
        )


def read_so(problem: Problem) -> Iterator[str]:
    """Yield lines on what is read in one way of several, or on purpose left unread.

    These are years of two digits, missing values that stay values, and households that
    differ in what their rows are to show alike.
    """
    table, coding = problem.table, problem.coding
    if (asked := part_of(problem.requirement, Persons)) is not None:
        yield from _shown_alike(table, asked)
    for column, form in coding.forms.items():
        texts = [*filter(None, table.dictionary(column))]
        line = None if form_for(texts, form) is None else told_years(form, texts)
        if line:
            yield f"{table.name}: column {column!r}: {line} (--date-format)"
    named = [text for text in coding.missing if text not in MISSING and text]
    reads = coding.told or any(
        isinstance(part, MissingValues | Persons) or getattr(part, "hidden", ())
        for part in problem.requirement.parts
    )
    if named and not reads:
        yield (
            f"{table.name}: --missing {','.join(named)} has no effect: it is for "
            "ranges, hierarchies and ids; without them a missing cell is a value, and "
            "hidden as others"
        )


def _shown_alike(table: Table, asked: Persons) -> Iterator[str]:
    """Yield where a household differs in what all of its rows are to show alike."""
    for column in asked.alike:
        many = int(id_columns.mixed_ids(table, asked.column, column).sum())
        if many:
            told = id_columns.told_difference(table, asked.column, column)
            more = f" (and {many - 1:,} more)" if many > 1 else ""
            yield (
                f"{table.name}: household {told} of column {column!r}{more}: all of "
                "its rows show there what they have in common; rows of unknown "
                "households need an id each"
            )


def tell_rounding(objective: Objective) -> None:
    """Say which numbers are so fine that lengths of their ranges are rounded."""
    if objective.scales is None:
        return
    found = objective.scales
    for column, scale in found.items:
        if scale.layout.rounded:
            say(
                f"note: the numbers of {column} are too fine for whole units in 64 "
                "bits: what is lost is counted in 1/4,294,967,296 of a cell, and may "
                "be off by as much for each range; ranges themselves are exact"
            )
