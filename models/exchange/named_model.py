"""Programs whose columns and rows have names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from starmin.instances import NonHomogeneous, NotSupportedError, Partition, Table
from starmin.instances.arrays import Floats
from starmin.models.solvers.program import INF, Program, Rows

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
    _lower: list[float] = field(default_factory=list)
    _upper: list[float] = field(default_factory=list)
    _terms: list[Mapping[int, float]] = field(default_factory=list)
    _sides: list[tuple[float, float]] = field(default_factory=list)

    def column(
        self, name: str, cost: int = 0, lower: float = 0.0, upper: float = 1.0
    ) -> int:
        """Add a column of whole numbers; return its number."""
        self.columns.append(name)
        self._cost.append(as_float(cost))
        self._lower.append(lower)
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
            np.array(self._lower),
            np.array(self._upper),
            np.ones(len(self.columns), bool),
            (block,),
        )


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

    named = model.columns, model.rows
    return NamedModel(title, model.program(), *named, legend, release)


def as_float(cost: int) -> float:
    """Return a cost as a solver reads it, which must be exact.

    Raises NotSupportedError where it is too large.
    """
    if not -_WHOLE < cost < _WHOLE:
        raise NotSupportedError(
            f"a cost of {cost:,} has more digits than solvers read; round the numbers"
        )
    return float(cost)


def type_lines(table: Table, letter: str = "t") -> Iterable[str]:
    """Say for each row type what its rows are and how many there are."""
    types = table.row_types
    first = {t: row for row, t in reversed(list(enumerate(types.inverse.tolist())))}
    for t, count in enumerate(types.counts.tolist()):
        cells = ", ".join(
            f"{c}={table.dictionary(c)[int(table.column(c)[first[t]])] or ''}"
            for c in table.qi
        )
        yield f"{letter}{t}: {count} rows with {cells}"
