"""From what the command line names to tables, with their roles."""

from collections.abc import Sequence
from dataclasses import replace

from starmin.inputs.hierarchy_options import CodedTable
from starmin.inputs.roles import INSTANCE, Roles
from starmin.inputs.tables.all_instances import load_instance
from starmin.instances import Beside, Read, Table, TableError, read_file
from starmin.instances.tables.columns_asked import expect_columns
from starmin.instances.tables.sets import as_sets
from starmin.process.say import say_later


def load_table(source: str, roles: Roles, other: Sequence[str] = ()) -> Table:
    """Return the table that a user names, and say what was guessed of its file."""
    read = load_file(source, roles, other)
    for line in read.told:
        say_later(line)
    return read.table


def named_table(name: str) -> Table:
    """Return a further table that a user names: a path, or ``instance:NAME``.

    Examples
    --------
    >>> named_table("instance:hospital").n
    10
    """
    return load_table(name, Roles())


def load_file(source: str, roles: Roles, other: Sequence[str] = ()) -> Read:
    """Return the table that a user names, with what stands beside its cells.

    Parameters
    ----------
    source
        A path, or ``instance:NAME``.
    roles
        What its columns are for, and how it is read.
    other
        Columns that are quasi-identifiers only if the roles name them.
    """
    qi, sensitive = roles.qi, roles.sensitive or ()
    if not source.startswith(INSTANCE):
        sep, encoding = roles.form or (roles.sep, roles.encoding)
        form = sep, encoding, roles.sheet
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

    Parameters
    ----------
    path, original
        Of the release, and of its original or None.
    roles
        What the columns are for.
    other
        Columns that are neither QI nor sensitive, but are asked for.
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
