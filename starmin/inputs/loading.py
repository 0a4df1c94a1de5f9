"""Read the tables that the command line names, at once or in batches, in roles."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from starmin.extensions import load_instance
from starmin.inputs.hierarchy_options import CodedTable
from starmin.inputs.roles import INSTANCE, Roles
from starmin.instances import Beside, Coding, Read, Table, TableError, read_file
from starmin.instances.io.layout import Form
from starmin.instances.streams.count import Budget, count_rows
from starmin.instances.streams.source import Progress, Source, recoded, silent
from starmin.instances.tables.names import expect_columns
from starmin.instances.tables.table import as_sets, same_parts
from starmin.process.say import note, say_later

# From what the command line names to tables, with their roles.

_EVERY = 5.0  # seconds between two lines of progress


def load_table(source: str, roles: Roles, other: Sequence[str] = ()) -> Table:
    """Return the table that a user names, and say what was guessed of its file."""
    read = load_file(source, roles, other)
    say_later(*read.told)
    return read.table


def named_table(name: str) -> Table:
    """Return a further table that a user names: a path, or ``instance:NAME``.

    >>> named_table("instance:hospital").n
    10
    """
    return load_table(name, Roles())


def load_file(source: str, roles: Roles, other: Sequence[str] = ()) -> Read:
    """Return the table that a user names, with what stands beside its cells.

    ``source`` is a path, or ``instance:NAME``; ``roles`` say what its columns are for,
    and how it is read. Columns of ``other`` are quasi-identifiers only if the roles
    name them.
    """
    qi, sensitive = roles.qi, roles.sensitive or ()
    if not source.startswith(INSTANCE):
        form = roles.sep, roles.encoding, roles.sheet
        read = read_file(source, qi, sensitive, roles.drop, *form, roles.aside)
        table = read.table
    else:
        table = load_instance(source.removeprefix(INSTANCE)).drop(roles.drop)
        if roles.sensitive is None:
            sensitive = tuple(c for c in table.sensitive if c not in (qi or ()))
        default = tuple(c for c in table.qi if c not in sensitive)
        table = table.with_roles(default if qi is None else qi, sensitive)
        read = Read(table, Beside())
    if roles.sets:
        table = as_sets(table, roles.sets)
    _expect_aside(table, roles)
    other = (*other, *roles.aside)
    if qi is None and set(other) & set(table.qi):
        table = table.with_roles([c for c in table.qi if c not in other], sensitive)
    return replace(read, table=table)


def _expect_aside(table: Table, roles: Roles) -> None:
    """Raise TableError for a column that is to stay as it is, and cannot."""
    expect_columns(table.name, roles.aside, table.names, "to publish as it is")
    for column in roles.aside:
        if column in (*(roles.qi or ()), *(roles.sensitive or ())):
            raise TableError(
                f"{table.name}: column {column!r} is to be published as it is, and is "
                "named as a quasi-identifier or sensitive one"
            )


def load_release(
    path: str, original: str | None, roles: Roles, other: Sequence[str]
) -> tuple[Table, Table | None]:
    """Return a release and, if named, its original, under the same roles.

    The roles of an instance are those of its release, unless they are named. What
    ``--drop`` names is left out of the original, and of the release if it is there.
    ``other`` are columns that are neither QI nor sensitive, but are asked for.
    """
    source = None
    if original is not None:
        source = load_table(original, roles.reading)
        roles = replace(roles, sheet=None)  # that of the original
        if original.startswith(INSTANCE):
            qi, sensitive = roles.qi, roles.sensitive
            roles = replace(
                roles,
                qi=source.qi if qi is None else qi,
                sensitive=source.sensitive if sensitive is None else sensitive,
            )
    released = load_table(path, replace(roles, drop=()), other)
    there = released.names + (source.names if source else ())
    expect_columns(path, roles.drop, [*dict.fromkeys(there)], "to drop")
    released = released.drop([c for c in roles.drop if c in released.names])
    if source is None:
        return released, None
    source = source.drop([c for c in roles.drop if c in source.names])
    if set(released.qi + released.sensitive) <= set(source.names):
        source = source.with_roles(released.qi, released.sensitive)
    return released, source


def coded_table(source: str, roles: Roles, other: Sequence[str] = ()) -> CodedTable:
    """Return the table whose columns may have a hierarchy."""
    return CodedTable(load_file(source, roles, other).table)


def files_of(
    path: str, stream: bool, roles: Roles, quiet: bool = False
) -> Source | None:
    """Return the files of a table that is to be read in batches, or None.

    ``path`` is a folder, or a file that is asked to be read so: ``stream`` says whether
    ``--stream`` was given. The separator and the encoding are those of ``roles``;
    ``quiet`` says nothing of the progress.
    """
    if not stream and not Path(path).is_dir():
        return None
    said = silent if quiet else _said(path)
    found = Source.of(path, roles.sep, roles.encoding, said)
    say_later(*found.told)
    return found


def _said(name: str) -> Progress:
    """Return what says on stderr how much of an input was read, every few seconds."""
    last = time.perf_counter()

    def said(done: int, total: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last < _EVERY:
            return
        last = now
        share, now_mb, all_mb = done / max(1, total), done / 1e6, total / 1e6
        note(f"{name}: read {now_mb:,.0f} of {all_mb:,.0f} MB ({share:.0%})")

    return said


# Tables that are read in batches, as the command line names them.


def count_table(
    files: Source, roles: Roles, other: Sequence[str] = (), budget: Budget | None = None
) -> Table:
    """Return the counted table of files, under the roles that the options name.

    Raises TableError where what is asked needs whole rows, or a column is not there.
    """
    if other:
        raise TableError(
            f"{files.path}: column {other[0]!r} is asked for row by row; a table that "
            "is read in batches is counted by quasi-identifiers and sensitive values"
        )
    sensitive = roles.sensitive or ()
    files.expect((*(roles.qi or ()), *sensitive, *roles.drop, *roles.aside))
    named = {*sensitive, *roles.drop}
    qi = roles.qi
    if qi is None:
        qi = tuple(c for c in files.names if c not in (*named, *roles.aside))
    if not qi:
        raise TableError(f"{files.path}: no quasi-identifier column; name some")
    if both := set(qi) & set(roles.drop):
        raise TableError(
            f"{files.path}: column {min(both)!r} is dropped and a quasi-identifier"
        )
    return count_rows(files, qi, sensitive, budget)


def as_told(
    files: Source, table: Table, roles: Roles, coding: Coding, like: Table | None = None
) -> tuple[Source, Table]:
    """Return files and their counted table as sets and floors leave them.

    The table has the distinct rows of the files; ``roles`` say what separates the parts
    of sets, and ``coding`` has the floors. ``like`` is a table whose texts are taken of
    sets with the same parts. Raises TableError where a column of sets is not counted,
    or for a floor that cannot be.
    """
    for column in roles.sets:
        if column in files.names and column not in table.names:
            raise TableError(
                f"--sets: column {column!r} is no quasi-identifier, nor sensitive; "
                "in batches only these are read as sets"
            )
    coarse = coding.floored(as_sets(table, roles.sets, like=like))
    return recoded(files, table, coarse)


# Where a table came from, and what is to be known of it.


@dataclass(frozen=True)
class Origin:
    """Where a table came from, which only writing and reports need."""

    source: str  # as the user named it
    # what was recognised of its file; None: nothing, or not a text
    form: Form | None = None
    files: Source | None = None  # of a table that is read in batches
    # what stands beside its cells in its file
    beside: Beside = field(default_factory=Beside)

    def cells(self, table: Table) -> int:
        """Return how many cells of the table are written, at most."""
        names = table.names if self.files is None else self.files.names
        return table.n * len(names)


def expect_named_codes(table: Table, beside: Beside, coding: Coding) -> None:
    """Raise TableError where missing codes of a file would be numbers among others."""
    codes = beside.codes(table)
    left = {
        column: [code for code in codes[column] if code not in coding.missing]
        for column in codes
        if column in coding.numeric
    }
    named = list(dict.fromkeys(code for found in left.values() for code in found))
    if not named:
        return
    column = next(column for column, found in left.items() if found)
    values = {c: {*table.used().dictionary(c)} for c in coding.numeric}
    as_values = (c for c in values if {*named} & (values[c] - {*codes.get(c, ())}))
    other = next(as_values, None)
    mend = f"--missing {','.join(named)} names them"
    if other is not None:
        mend += f", but column {other!r} has one of them as a value: recode it first"
    raise TableError(
        f"{table.name}: column {column!r} has {left[column][0]}, which the file "
        f"declares to be missing, and would have it in its ranges; {mend}"
    )


def hints_of_sets(table: Table) -> Iterator[str]:
    """Say which columns look as if their cells were sets."""
    for column in (*table.qi, *table.sensitive):
        if (found := same_parts(table.dictionary(column))) is not None:
            one, other, sep = found
            yield (
                f"column {column!r} has the same parts in another order, as {one!r} "
                f"and {other!r}, which differ; --sets '{column}={sep}' reads cells as "
                "sets"
            )
