"""What a user is told of a table before it is anonymized."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from starmin.inputs.roles import Roles
from starmin.inputs.tables.earlier_releases import FirstRows, earlier_releases
from starmin.instances import Objective, Persons, Problem, Table
from starmin.instances.io.atomic import is_stream
from starmin.instances.io.layout import NAMES, Form, usual_separator
from starmin.instances.requirements.id_columns import differing_ids, told_difference
from starmin.instances.requirements.missing_values import MissingValues
from starmin.instances.requirements.requirement import part_of
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.times.recognise import form_for
from starmin.instances.times.signs import told_years
from starmin.process.say import say
from starmin.verify.releases.disclosure import Disclosure


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
        many, _ = differing_ids(table, asked.column, column)
        if many:
            told = told_difference(table, asked.column, column)
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
    for column, scale in zip(found.columns, found.scales, strict=True):
        if isinstance(scale, NumericScale) and scale.rounded:
            say(
                f"note: the numbers of {column} are too fine for whole units in 64 "
                "bits: what is lost is counted in 1/4,294,967,296 of a cell, and may "
                "be off by as much for each range; ranges themselves are exact"
            )
