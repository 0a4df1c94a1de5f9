"""Tables that are read in batches, as the command line names them."""

from collections.abc import Sequence

from starmin.inputs.roles import Roles
from starmin.instances import Coding, Table, TableError
from starmin.instances.streams.count import Budget, count_rows
from starmin.instances.streams.source import Source, recoded
from starmin.instances.tables.table import as_sets


def count_table(
    files: Source,
    roles: Roles,
    other: Sequence[str] = (),
    budget: Budget | None = None,
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
