"""An earlier release that a new one is to be nested within."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from starmin.inputs.roles import Roles
from starmin.instances import (
    Problem,
    Requirement,
    Table,
    TableError,
    group_by,
    read_table,
)
from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Int32s
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION, Coding
from starmin.instances.requirements.within import CLASS, nested_within

if TYPE_CHECKING:
    from starmin.verify.releases.release_check import ReleaseCheck

OPTION = "--within"


def read_within(path: Path, table: Table, roles: Roles) -> Table:
    """Return an earlier release of a table, with the same quasi-identifiers.

    The table is the original, or a release of it; ``roles`` say how files are read.
    Raises TableError where it cannot be read, or lacks a column.
    """
    return read_table(path, table.qi, sep=roles.sep, encoding=roles.encoding)


def nested_problem(problem: Problem, earlier: Table, what: str = OPTION) -> Problem:
    """Return the problem where classes are unions of those of an earlier release.

    Rows of ``earlier`` are in the order of the table; errors call the option or
    argument ``what``. Raises TableError where it is no release of this table, its rows
    are in another order, or the release that is asked for is one without classes.
    """
    table, recoding = problem.table, problem.coding.recoding
    if table.counts is not None:
        raise TableError(f"{what}: is for tables that are read as a whole")
    if recoding not in (None, SUPPRESSION, GENERALIZATION):
        raise TableError(
            f"{what}: is for --recoding suppression and generalization, not {recoding}"
        )
    if problem.coding.max_levels:
        raise TableError(f"{what}: is not for highest levels (--max-level)")
    classes = classes_within(earlier, problem.original, problem.coding, what)
    nested, asked = nested_within(table, problem.requirement, classes, earlier.name)
    return replace(problem, table=nested, requirement=asked)


def nested_in(problem: Problem, earlier: object) -> Problem:
    """Return what ``solve`` and ``bound`` ask, within a table of theirs if it is given.

    ``earlier`` is the argument ``within``; raises TypeError where it is no table.
    """
    if earlier is None:
        return problem
    expect_kind("within", earlier, Table)
    assert isinstance(earlier, Table)
    return nested_problem(problem, earlier.with_roles(problem.table.qi), "within")


def nested_claim(
    released: Table,
    original: Table | None,
    requirement: Requirement | None,
    earlier: Table,
    coding: Coding,
    what: str = OPTION,
) -> tuple[Table, Table | None, Requirement]:
    """Return a release, its original and what is asked, with classes to be united.

    ``earlier`` is the release whose classes are to be whole; ``coding`` says how both
    are coded. Errors call the option or argument ``what``.
    """
    if requirement is None:
        raise TableError(f"{what}: needs what classes have to satisfy, k or l")
    if original is None:
        _expect_size(earlier, released, what)
        classes = _classes(earlier)
    else:
        classes = classes_within(earlier, original, coding, what)
        if original.n != released.n:
            raise TableError(f"{what}: {released.name} lacks rows of the original")
        if _compared(released, original, coding).reordered:
            raise TableError(
                f"{what}: the rows of {released.name} are in another order than those "
                "of the original, so that it is not known in which classes they were; "
                "verify it before it is shuffled"
            )
    nested, asked = nested_within(released, requirement, classes, earlier.name)
    if original is not None:
        original = original.beside(nested, [CLASS])
    return nested, original, asked


def classes_within(
    earlier: Table, original: Table, coding: Coding, what: str
) -> Int32s:
    """Return the class of each row in an earlier release, which is checked.

    The original is the table before its floors.
    """
    _expect_size(earlier, original, what)
    both = _with_names_of(earlier, original), _with_names_of(original, earlier)
    # However it was recoded: by stars, or by what is told of the columns.
    check = _compared(*both, replace(coding, recoding=None))
    if check.inconsistencies:
        raise TableError(f"{what}: {earlier.name}: {check.inconsistencies[0].why}")
    if check.reordered:
        raise TableError(
            f"{what}: {earlier.name}: its rows are in another order than those of the "
            "table, so that it is not known which are alike; name it as it was before "
            "it was shuffled"
        )
    return _classes(earlier)


def _compared(released: Table, original: Table, coding: Coding) -> "ReleaseCheck":
    """Compare a release with its original, by cells alone."""
    from starmin.verify.cells.read_cells import read_cells
    from starmin.verify.releases.release_check import check_release

    cells = None
    if coding.recoding == GENERALIZATION or coding.told:
        cells = read_cells(released, coding, original)
    return check_release(released, None, original, coding.star, cells)


def _classes(earlier: Table) -> Int32s:
    columns = [earlier.column(column) for column in earlier.qi]
    return group_by(columns, earlier.qi_cardinalities).inverse


def _with_names_of(table: Table, other: Table) -> Table:
    """Return the columns that another table has as well, without sensitive roles."""
    only = [column for column in table.names if column not in other.names]
    return table.with_roles(table.qi).drop(only)


def _expect_size(earlier: Table, table: Table, what: str) -> None:
    if earlier.n != table.n:
        raise TableError(
            f"{what}: {earlier.name} has {earlier.n:,} rows, and {table.name} "
            f"{table.n:,}; expected a release of the same rows in the same order"
        )
