"""Programs whose columns and rows have names, as files that solvers read and write."""

import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import highspy
import numpy as np

from starmin.instances import (
    NonHomogeneous,
    NotSupportedError,
    Partition,
    Table,
    TableError,
    write_atomically,
)
from starmin.instances.arrays import Floats
from starmin.instances.io.atomic import expect_file
from starmin.models.solvers.linear_solver import load
from starmin.models.solvers.program import INF, Program, Rows

# Read solutions that solvers write.

_QUOTED = re.compile(r'name="([^"]*)"[^>]*?\bvalue="([^"]*)"')
_HEAD = re.compile(r"\s*Index\s.*\bPrimal\b")  # of tables of HiGHS, names last
_DUALS = re.compile(r"# Dual solution values|# Basis")
_STATUS = ("*", "B", "NL", "NU", "NF", "NS")  # in tables of GLPK, before the value


def read_solution(path: Path, columns: Collection[str]) -> dict[str, float]:
    """Return the value of each column that a solution names.

    It reads whatever has a name and, after it, a number in one line: the files of
    HiGHS, CBC, SCIP, Gurobi and GLPK, plain lines ``name value``; the elements
    ``<variable name=".." value=".."/>`` of CPLEX; and tables of HiGHS in which values
    stand below ``Primal``. Columns that are not named are 0. TableError where it cannot
    be read, names no column, or has something else than a number behind one.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "x.sol")
    >>> _ = file.write_text("Optimal - objective value 4\\n  0 x_0  1  4\\n")
    >>> read_solution(file, ["x_0", "x_1"])
    {'x_0': 1.0}
    """
    expect_file(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise TableError(f"{path}: cannot be read ({why})") from None
    known, values = set(columns), dict[str, float]()
    end, waiting = 0, ""  # where values end in a table; a name that had a line alone
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if values and _DUALS.match(line):
            break  # of HiGHS: the same names again, with other numbers
        if head := _HEAD.match(line):
            end = head.end()
            continue
        if found := _QUOTED.search(line):
            words = list(found.groups())
        if waiting:
            name, behind, waiting = waiting, words, ""
        else:
            among = words if end else words[:3]
            at = next((j for j, word in enumerate(among) if word in known), None)
            if at is None:
                continue
            name, behind = words[at], words[at + 1 :]
            if end and not behind:
                behind = re.findall(r"\S+$", line[:end])
            elif not behind and words[:at] and words[0].isdigit():
                waiting = name
                continue
        if behind and behind[0] in _STATUS:
            behind = behind[1:]
        try:
            values[name] = float(behind[0])
        except (IndexError, ValueError):
            raise TableError(
                f"{path}: line {number}: expected a number behind {name}"
            ) from None
    if not values:
        raise TableError(
            f"{path}: no line names a column of the model, such as {min(known)}: the "
            "solver found no solution, or that of another model"
        )
    return values


_WHOLE = 1 << 53  # From here on floats skip whole numbers.
Found = Partition | NonHomogeneous


@dataclass(frozen=True, eq=False)
class NamedModel:
    """A program to minimise, with names."""

    title: str  # what it is, in a line
    program: Program  # all of its numbers are whole
    # columns, rows: their names: letters, digits and underscores
    columns: Sequence[str]
    rows: Sequence[str]
    legend: Sequence[str]  # what the names stand for, a line each
    # turns the values of all columns into a release, which is to be recounted
    release: Callable[[Floats], Found]

    def point(self, values: Mapping[str, float]) -> Floats:
        """Return the values of all columns; those that are not named are 0."""
        return np.array([values.get(name, 0.0) for name in self.columns])


@dataclass
class ModelBuilder:
    """Writes a program column by column and row by row, for models of small tables.

    Examples
    --------
    >>> model = ModelBuilder()
    >>> x, y = model.column("x", cost=1), model.column("y", cost=2, upper=5)
    >>> model.row("cover", {x: 1, y: 1}, least=3)
    >>> program = model.program()
    >>> program.cost.tolist(), program.upper.tolist(), model.rows
    ([1.0, 2.0], [1.0, 5.0], ['cover'])
    """

    columns: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    _cost: list[float] = field(default_factory=list)
    _upper: list[float] = field(default_factory=list)
    _terms: list[Mapping[int, float]] = field(default_factory=list)
    _sides: list[tuple[float, float]] = field(default_factory=list)

    def column(self, name: str, cost: int = 0, upper: float = 1.0) -> int:
        """Add a column of whole numbers; return its number."""
        self.columns.append(name)
        self._cost.append(as_float(cost))
        self._upper.append(upper)
        return len(self.columns) - 1

    def row(
        self,
        name: str,
        terms: Mapping[int, float],
        least: float = -INF,
        most: float = INF,
    ) -> None:
        """Add a row: the sum of some columns, each times a number, and its limits."""
        self.rows.append(name)
        self._terms.append(terms)
        self._sides.append((least, most))

    def program(self) -> Program:
        """Return the program."""
        sizes = [len(terms) for terms in self._terms]
        sides = np.array(self._sides, dtype=float).reshape(-1, 2)
        block = Rows(
            np.repeat(np.arange(len(sizes)), sizes),
            np.array([c for terms in self._terms for c in terms], np.int64),
            np.array([v for terms in self._terms for v in terms.values()], float),
            sides[:, 0],
            sides[:, 1],
        )
        return Program(
            np.array(self._cost),
            np.zeros(len(self._cost)),
            np.array(self._upper),
            np.ones(len(self.columns), bool),
            (block,),
        )

    def named(
        self, title: str, legend: Sequence[str], release: Callable[[Floats], Found]
    ) -> NamedModel:
        """Return the program with its names."""
        program = self.program()
        return NamedModel(title, program, self.columns, self.rows, legend, release)


def partition_model(
    title: str,
    legend: Sequence[str],
    groups: Iterable[tuple[str, tuple[int, ...], int]],
    n: int,
) -> NamedModel:
    """Write set partitioning: each row is in one of the chosen groups.

    ``groups`` has the name of each, its rows, and what these pay together; ``n`` is the
    number of rows.
    """
    model, members = ModelBuilder(), list[tuple[int, ...]]()
    of_row: list[dict[int, int]] = [{} for _ in range(n)]
    for name, rows, cost in groups:
        column = model.column(name, cost)
        members.append(rows)
        for row in rows:
            of_row[row][column] = 1
    for row, terms in enumerate(of_row):
        model.row(f"row_{row}", terms, least=1, most=1)

    def release(point: Floats) -> Partition:
        labels = np.zeros(n, np.int64)
        for column in np.flatnonzero(point > 0.5).tolist():
            labels[list(members[column])] = column
        return Partition.from_labels(labels)

    return model.named(title, legend, release)


def as_float(cost: int) -> float:
    """Return a cost as a solver reads it, which must be exact.

    Raises NotSupportedError where it is too large.
    """
    if not -_WHOLE < cost < _WHOLE:
        raise NotSupportedError(
            f"a cost of {cost:,} has more digits than solvers read; round the numbers"
        )
    return float(cost)


def type_lines(table: Table) -> Iterable[str]:
    """Say for each row type what its rows are and how many there are."""
    types = table.row_types
    first = {t: row for row, t in reversed(list(enumerate(types.inverse.tolist())))}
    for t, count in enumerate(types.counts.tolist()):
        cells = ", ".join(
            f"{c}={table.dictionary(c)[int(table.column(c)[first[t]])] or ''}"
            for c in table.qi
        )
        yield f"t{t}: {count} rows with {cells}"


# Write models as LP or MPS.

_REMARKS = {".lp": "\\", ".mps": "*"}
_SECTIONS = {b"bin": b"binary", b"gen": b"general", b"semi": b"semi"}
_BOUNDS = {b" UI": b" UP", b" LI": b" LO"}


def write_model(model: NamedModel, path: Path) -> None:
    """Write a model, its title and legend as remarks, as a whole or not at all.

    The file is ``.lp`` (of CPLEX, which nearly all solvers read) or ``.mps`` (free
    format); TableError where it ends otherwise, or cannot be written.
    """
    if path.suffix not in _REMARKS:
        raise TableError(f"{path}: expected a file .lp or .mps")
    highs = load(model.program, integer=True)
    lp = highs.getLp()
    lp.col_names_, lp.row_names_ = list(model.columns), list(model.rows)
    lp.model_name_ = "starmin"
    highs.passModel(lp)
    mark = _REMARKS[path.suffix]
    remarks = [model.title, *model.legend]
    with tempfile.TemporaryDirectory() as folder, write_atomically(path) as file:
        draft = Path(folder, f"draft{path.suffix}")
        if highs.writeModel(str(draft)) == highspy.HighsStatus.kError:
            raise TableError(f"{path}: the model cannot be written so")
        for line in remarks:
            file.write(f"{mark} {_plain(line)}\n".encode())
        file.writelines(_in_common_words(draft.read_bytes().splitlines(keepends=True)))


def _in_common_words(lines: list[bytes]) -> Iterator[bytes]:
    """Yield what HiGHS writes with words that all solvers know.

    CBC takes a section ``bin`` or an empty one for a column, and pulp knows no bounds
    of whole numbers; between INTORG and INTEND all bounds are.
    """
    for line, after in pairwise([*lines, b"end"]):
        section, head = _SECTIONS.get(line.rstrip()), line[:3]
        if section is None:
            yield _BOUNDS.get(head, head) + line[3:]
        elif after.rstrip() != b"end" and after.rstrip() not in _SECTIONS:
            yield section + b"\n"


def _plain(line: str) -> str:
    """Return a line of ASCII: some solvers read no other, not even in a remark."""
    return " ".join(line.encode("ascii", "backslashreplace").decode().split())
