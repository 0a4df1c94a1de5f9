"""A release to start from, read and checked."""

from pathlib import Path

from starmin.inputs.roles import Roles
from starmin.instances import (
    NonHomogeneous,
    Partition,
    Problem,
    Table,
    TableError,
    expect_k,
    group_by,
    read_table,
)
from starmin.instances.releases.coding import NONHOMOGENEOUS
from starmin.instances.releases.ids import with_classes_of
from starmin.verify.cells.cells import find_inconsistencies
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.anonymity_graph import graph_of
from starmin.verify.nonhomogeneous.matcher import Matcher
from starmin.verify.releases.release_check import check_release


def read_initial(
    path: Path, problem: Problem, roles: Roles
) -> Partition | NonHomogeneous:
    """Return the classes of a release as a partition of the table it was made of.

    It is read as one by generalization if that is what is to be published, else as one
    by suppression; or, if it is to be non-homogeneous, with its matchings. Raises
    TableError where it is not a release of this table, or it violates what is asked.
    """
    table, coding = problem.table, problem.coding
    released = read_table(
        path, table.qi, table.sensitive, sep=roles.sep, encoding=roles.encoding
    )
    if coding.recoding == NONHOMOGENEOUS:
        return _read_matched(path, problem, released)
    cells, original = None, table
    if coding.recoding == "generalization":
        original = problem.original  # hierarchies are of cells before their floors
        cells = read_cells(released, coding, original)
    classed = with_classes_of(released, original)
    check = check_release(classed, problem.requirement, original, coding.star, cells)
    if check.inconsistencies:
        difference = check.inconsistencies[0]
        rows = ", ".join(map(str, difference.rows))
        where = f" (rows {rows})" if rows else ""
        raise TableError(f"--initial: {path}: {difference.why}{where}")
    if not check.holds:
        violation = check.violations[0]
        raise TableError(f"--initial: {path}: class {violation.group}: {violation.why}")
    if released.n != table.n:
        raise TableError(
            f"--initial: {path}: expected a row for each of the {table.n} of the "
            f"table, got {released.n}"
        )
    columns = [released.column(c) for c in released.qi]
    start = Partition(group_by(columns, released.qi_cardinalities).inverse)
    if start.starred(table)[:, problem.objective.kept(table)].any():
        raise TableError(f"--initial: {path}: it stars a column of --keep")
    return start


def _read_matched(path: Path, problem: Problem, released: Table) -> NonHomogeneous:
    """Return a release with matchings that show that it satisfies what is asked."""
    table, star = problem.table, problem.coding.star
    original = table
    k = expect_k(problem.requirement)
    cells = None
    if problem.coding.told:
        original = problem.original
        cells = read_cells(released, problem.coding, original)
    if differences := find_inconsistencies(released, original, star, cells):
        raise TableError(f"--initial: {path}: {differences[0].why}")
    matcher = Matcher(graph_of(released, original, star, cells))
    if (matchings := matcher.matchings(k)) is None:
        raise TableError(f"--initial: {path}: fewer than k = {k} matchings")
    start = NonHomogeneous.from_matchings(table, matchings)
    if why := start.violation(table, problem.requirement, problem.objective):
        raise TableError(f"--initial: {path}: {why}")
    return start
