"""Read the releases that a user names beside a table.

They lie beside a new one, their rows in the same order; or a new one is to be nested
within them; or they are groups that were kept, to be published again.
"""

import csv
import gzip
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from starmin.inputs.roles import Roles
from starmin.instances import (
    NonHomogeneous,
    Partition,
    Problem,
    Requirement,
    Result,
    Run,
    Table,
    TableError,
    expect_k,
    read_table,
)
from starmin.instances.arrays import Int32s
from starmin.instances.io.at_once import format_of
from starmin.instances.io.format import Asked
from starmin.instances.io.layout import is_text, usual_separator
from starmin.instances.io.read import from_arrow
from starmin.instances.releases.coding import (
    GENERALIZATION,
    NONHOMOGENEOUS,
    SUPPRESSION,
    Coding,
)
from starmin.instances.releases.ids import with_classes_of
from starmin.instances.releases.release import GROUP
from starmin.instances.requirements.requirement import MASK
from starmin.instances.requirements.within import CLASS, nested_within
from starmin.instances.streams.source import Source

if TYPE_CHECKING:
    from starmin.verify.releases.release_check import ReleaseCheck


# Releases of a table that lie beside a new one, their rows in the same order.

_ROWS = 200  # that are compared
_FILES = 50  # that are looked at, the newest ones
_LEAST = 12  # equal cells
_BYTES = 1 << 25  # of a file that can only be read as a whole

Line = Sequence[str | None]


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a table, with what may stand in a release of them."""

    names: tuple[str, ...]  # of the columns of a release
    rows: Sequence[Line]  # their cells in the table, at most 200 rows
    # all values of each column that may be hidden
    values: Mapping[str, AbstractSet[str | None]]
    whole: bool  # whether the table has no further rows
    # columns with floors: their cells differ from the original's in any case
    floored: AbstractSet[str] = frozenset()

    @classmethod
    def of_table(cls, original: Table, published: Table) -> "FirstRows":
        """Take the rows of a table that is held in memory.

        ``published`` is what was published of it.
        """
        told = original if published.names == original.names else published
        first = told.take(np.arange(min(_ROWS, original.n)))
        values = {c: {*told.dictionary(c)} for c in original.qi}
        whole = told.n <= _ROWS
        return cls(told.names, first.rows(), values, whole, {*original.floors})

    @classmethod
    def of_source(cls, files: Source, counted: Table, roles: Roles) -> "FirstRows":
        """Read the rows of a table that is read in batches.

        ``counted`` are its quasi-identifiers, counted; ``roles`` have the columns that
        are left out.
        """
        names = tuple(name for name in files.names if name not in roles.drop)
        batch = next(iter(files.batches(names)), None)
        rows = [] if batch is None else _lines(pa.table(batch), files.path, _ROWS)[1:]
        values = {c: {*counted.dictionary(c)} for c in counted.qi}
        return cls(names, rows, values, whole=False)

    def released_in(self, head: Sequence[Line]) -> bool:
        """Check whether the head of a file is that of a release of these rows."""
        names, n = self.names, len(self.rows)
        if not head or tuple(head[0]) != names or len(head) <= n:
            return False
        if self.whole and len(head) - 1 > n:
            return False
        equal, hidden = 0, GROUP in names and GROUP not in self.values
        for line, row in zip(head[1:], self.rows, strict=False):
            if len(line) != len(row):
                return False
            for column, text, cell in zip(names, line, row, strict=True):
                if column in self.floored:
                    continue
                if (text or "") == (cell or ""):
                    equal += 1
                elif column in self.values and text not in self.values[column]:
                    hidden = True
                elif column in self.values or column != GROUP:
                    return False
        return hidden and equal >= _LEAST


def earlier_releases(
    out: Path, first_rows: Callable[[], FirstRows], roles: Roles
) -> list[Path]:
    """Find files in the folder of a release that release the same rows in order.

    Such a file, of any kind that can be read, or the first file of a folder, has the
    header of the new release. In its first rows all cells but those of
    quasi-identifiers are the original's, and each cell of a quasi-identifier is the
    original's or none of the values of its column: a star, a range, a node. Some cell
    is, so that copies of the original are not taken for releases; or the file has the
    numbers of groups, of a permutation.

    ``out`` is the release that was written, rows in the order of the original;
    ``first_rows`` is called where there are files to look at; ``roles`` have the
    separator and the encoding. Returns the newest first. At most 200 rows of at most 50
    files are read; spreadsheets above 32 MB are not.
    """
    found = [
        path
        for path in out.parent.iterdir()  # pipes wait for who writes to them
        if path.is_dir() or (path.is_file() and format_of(path) is not None)
        if not path.samefile(out)
    ]
    if not found:
        return []
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    first = first_rows()
    return [path for path in found[:_FILES] if first.released_in(_head(path, roles))]


def _head(path: Path, roles: Roles) -> Sequence[Line]:
    """Return the header and the first rows; nothing where it cannot be read so."""
    try:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if format_of(p) is not None)
            return _head(inside[0], roles) if inside and inside[0].is_file() else []
        if is_text(path):
            opened = gzip.open if path.suffix == ".gz" else open
            sep = usual_separator(path) if roles.sep is None else roles.sep
            encoding = roles.encoding or "utf-8"
            with opened(path, "rt", encoding=encoding, newline="") as file:
                return list(islice(csv.reader(file, delimiter=sep), _ROWS + 2))
        kind = format_of(path)
        if kind is None or (not kind.begins and path.stat().st_size > _BYTES):
            return []
        return _lines(kind.first(path, Asked(), _ROWS + 1).columns, path, _ROWS + 1)
    except (OSError, EOFError, UnicodeError, csv.Error, TableError):
        return []


def _lines(columns: pa.Table, path: Path, rows: int) -> Sequence[Line]:
    """Return the names and the first rows of an Arrow table, as text."""
    table = from_arrow(columns.slice(0, rows), None, (), (), str(path))
    return [table.names, *table.rows()]


# Groups that were kept, read to be published again.

METHOD = "replay"  # what results of kept groups name as their method


def replayed(path: Path, problem: Problem) -> Result:
    r"""Return kept groups as the release of a problem, checked and counted anew.

    ``path`` is a file that ``--groups`` wrote: for each row of the table its group.
    Raises TableError where it is no such file, is of another table, or violates what is
    asked now.

    >>> from tempfile import TemporaryDirectory
    >>> from starmin.instances import KAnonymity, Table
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["0"]], qi=["a"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "groups.csv")
    ...     _ = path.write_text("group\n1\n1\n1\n")
    ...     replayed(path, Problem(table, KAnonymity(2))).value
    3
    """
    table = problem.table
    if problem.rowwise or problem.requirement.space == MASK:
        raise TableError(f"--replay: {path}: a release of this kind has no groups")
    kept = read_table(path)
    if kept.names != ("group",):
        raise TableError(
            f"--replay: {path}: expected one column `group`, as --groups writes it, "
            f"got {', '.join(kept.names)}"
        )
    if kept.n != table.n:
        raise TableError(
            f"--replay: {path} has {kept.n:,} rows, {table.name} has {table.n:,}; "
            "groups are of one table, its rows in one order"
        )
    run = Run(table, problem.requirement, problem.objective)
    if (found := run.infeasible()) is None:
        release = Partition.from_labels(kept.column("group"))
        try:
            run.offer(release)
        except ValueError as error:
            why = str(error).removeprefix("Expected a valid release, but ")
            raise TableError(f"--replay: {path}: {why}") from None
        found = run.result()
    return replace(found, stats={**found.stats, "method": METHOD})


# An earlier release that a new one is to be nested within.


def read_within(path: Path, table: Table, roles: Roles) -> Table:
    """Return an earlier release of a table, with the same quasi-identifiers.

    The table is the original, or a release of it; ``roles`` say how files are read.
    Raises TableError where it cannot be read, or lacks a column.
    """
    return read_table(path, table.qi, sep=roles.sep, encoding=roles.encoding)


def nested_problem(problem: Problem, earlier: Table) -> Problem:
    """Return the problem where classes are unions of those of an earlier release.

    Rows of ``earlier`` are in the order of the table. Raises TableError where it is no
    release of this table, its rows are in another order, or the release that is asked
    for is one without classes.
    """
    table, recoding = problem.table, problem.coding.recoding
    if table.counts is not None:
        raise TableError("--within: is for tables that are read as a whole")
    if recoding not in (None, SUPPRESSION, GENERALIZATION):
        raise TableError(
            "--within: is for --recoding suppression and generalization, not "
            f"{recoding}"
        )
    if problem.coding.max_levels:
        raise TableError("--within: is not for highest levels (--max-level)")
    classes = classes_within(earlier, problem.original, problem.coding)
    nested, asked = nested_within(table, problem.requirement, classes, earlier.name)
    return replace(problem, table=nested, requirement=asked)


def nested_claim(
    released: Table,
    original: Table | None,
    requirement: Requirement | None,
    earlier: Table,
    coding: Coding,
) -> tuple[Table, Table | None, Requirement]:
    """Return a release, its original and what is asked, with classes to be united.

    ``earlier`` is the release whose classes are to be whole; ``coding`` says how both
    are coded.
    """
    if requirement is None:
        raise TableError("--within: needs what classes have to satisfy, k or l")
    if original is None:
        _expect_size(earlier, released)
        classes = earlier.grouped(earlier.qi).inverse
    else:
        classes = classes_within(earlier, original, coding)
        if original.n != released.n:
            raise TableError(f"--within: {released.name} lacks rows of the original")
        if _compared(released, original, coding).reordered:
            raise TableError(
                f"--within: the rows of {released.name} are in another order than "
                "those of the original, so that it is not known in which classes they "
                "were; verify it before it is shuffled"
            )
    nested, asked = nested_within(released, requirement, classes, earlier.name)
    if original is not None:
        original = original.beside(nested, [CLASS])
    return nested, original, asked


def classes_within(earlier: Table, original: Table, coding: Coding) -> Int32s:
    """Return the class of each row in an earlier release, which is checked.

    The original is the table before its floors.
    """
    _expect_size(earlier, original)
    both = _with_names_of(earlier, original), _with_names_of(original, earlier)
    # However it was recoded: by stars, or by what is told of the columns.
    check = _compared(*both, replace(coding, recoding=None))
    if check.inconsistencies:
        raise TableError(f"--within: {earlier.name}: {check.inconsistencies[0].why}")
    if check.reordered:
        raise TableError(
            f"--within: {earlier.name}: its rows are in another order than those of "
            "the table, so that it is not known which are alike; name it as it was "
            "before it was shuffled"
        )
    return earlier.grouped(earlier.qi).inverse


def _compared(released: Table, original: Table, coding: Coding) -> "ReleaseCheck":
    """Compare a release with its original, by cells alone."""
    from starmin.verify.cells.read_cells import read_cells
    from starmin.verify.releases.release_check import check_release

    cells = None
    if coding.recoding == GENERALIZATION or coding.told:
        cells = read_cells(released, coding, original)
    return check_release(released, None, original, coding.star, cells)


def _with_names_of(table: Table, other: Table) -> Table:
    """Return the columns that another table has as well, without sensitive roles."""
    only = [column for column in table.names if column not in other.names]
    return table.with_roles(table.qi).drop(only)


def _expect_size(earlier: Table, table: Table) -> None:
    if earlier.n != table.n:
        raise TableError(
            f"--within: {earlier.name} has {earlier.n:,} rows, and {table.name} "
            f"{table.n:,}; expected a release of the same rows in the same order"
        )


# A release to start from, read and checked.


def read_initial(
    path: Path, problem: Problem, roles: Roles
) -> Partition | NonHomogeneous:
    """Return the classes of a release as a partition of the table it was made of.

    It is read as one by generalization if that is what is to be published, else as one
    by suppression; or, if it is to be non-homogeneous, with its matchings. Raises
    TableError where it is not a release of this table, or it violates what is asked.
    """
    from starmin.verify.cells.read_cells import read_cells
    from starmin.verify.releases.release_check import check_release

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
    start = Partition(released.grouped(released.qi).inverse)
    if start.starred(table)[:, problem.objective.kept(table)].any():
        raise TableError(f"--initial: {path}: it stars a column of --keep")
    return start


def _read_matched(path: Path, problem: Problem, released: Table) -> NonHomogeneous:
    """Return a release with matchings that show that it satisfies what is asked."""
    from starmin.verify.cells.cells import find_inconsistencies
    from starmin.verify.cells.read_cells import read_cells
    from starmin.verify.nonhomogeneous.anonymity_graph import graph_of
    from starmin.verify.nonhomogeneous.matcher import Matcher

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
