"""From what the command line names to tables, with their roles."""

from collections.abc import Sequence
from dataclasses import replace

from instances import Table, TableError, read_table
from starmin.inputs.catalogue import load_instance
from starmin.inputs.roles import INSTANCE, Roles


def load_table(source: str, roles: Roles, other: Sequence[str] = ()) -> Table:
    """Return the table that a user names: a path, or ``instance:NAME``.

    Columns of ``other`` are quasi-identifiers only if the roles name them.
    """
    qi, sensitive = roles.qi, roles.sensitive or ()
    if not source.startswith(INSTANCE):
        sep, encoding = roles.form or (roles.sep, roles.encoding)
        table = read_table(source, qi, sensitive, roles.drop, sep, encoding)
    else:
        table = load_instance(source.removeprefix(INSTANCE)).drop(roles.drop)
        if roles.sensitive is None:
            sensitive = tuple(c for c in table.sensitive if c not in (qi or ()))
        default = tuple(c for c in table.qi if c not in sensitive)
        table = table.with_roles(default if qi is None else qi, sensitive)
    if qi is None and set(other) & set(table.qi):
        return table.with_roles([c for c in table.qi if c not in other], sensitive)
    return table


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
        source = load_table(original, Roles(sep=roles.sep, encoding=roles.encoding))
        if original.startswith(INSTANCE):
            qi, sensitive = roles.qi, roles.sensitive
            roles = replace(
                roles,
                qi=source.qi if qi is None else qi,
                sensitive=source.sensitive if sensitive is None else sensitive,
            )
    released = load_table(path, replace(roles, drop=()), other)
    for column in roles.drop:
        if column not in released.names + (source.names if source else ()):
            raise TableError(f"{path}: no column {column!r} to drop")
    released = released.drop([c for c in roles.drop if c in released.names])
    if source is None:
        return released, None
    source = source.drop([c for c in roles.drop if c in source.names])
    if set(released.qi + released.sensitive) <= set(source.names):
        source = source.with_roles(released.qi, released.sensitive)
    return released, source


def coded_columns(
    source: str, roles: Roles, other: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the columns of a table that may have a hierarchy."""
    table = load_table(source, roles, other)
    return table.qi + table.sensitive
