"""Rows that stay with their type: the integer program behind ``tuple_ilp``."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import IntArray, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.solvers.program import INF, Program, Rows


@dataclass(frozen=True, eq=False)
class CountedRows:
    """The rows of a table, or of one class of it, counted."""

    # types, values, counts: for each distinct row by QI and sensitive values: its row
    # type by QI (0, 1, ..; all occur), its q sensitive values, its multiplicity
    types: Int32s
    values: Int32s
    counts: Ints
    heights: Ints  # types x q: how many rows of one value can stay at most
    k: int  # k, l: what every group must satisfy; k = 1 where it asks for no size
    l: int

    @property
    def q(self) -> int:
        """Number of sensitive columns (k-anonymity alone: one without values)."""
        return int(self.heights.shape[1])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    @property
    def most(self) -> Ints:
        """How many copies of each distinct row can stay at most."""
        lowest = self.heights.min(axis=1)
        return np.asarray(np.minimum(self.counts, lowest[self.types]))

    def select(self, distinct_rows: Bools | IntArray) -> "CountedRows":
        """Return the problem of some distinct rows; their types are renumbered."""
        used, types = np.unique(self.types[distinct_rows], return_inverse=True)
        return replace(
            self,
            types=types.astype(np.int32),
            values=self.values[distinct_rows],
            counts=self.counts[distinct_rows],
            heights=self.heights[used],
        )


def tuple_program(problem: CountedRows, able: Bools, bound: int) -> Program:
    """Write the program of ``tuple_ilp``; its first columns are the copies that stay.

    Its columns: copies of each distinct row marked in ``able``; heights of each type
    in each sensitive column; the height of the residue in each; with k > 1, whether
    anything stays of each type.
    """
    part = problem.select(able)
    at = _Columns(len(part.counts), *part.heights.shape)
    low = residue_heights(problem)
    blocks = [b for j in range(at.q) for b in _diversity(problem, part, at, j, low[j])]
    leaving = problem.n - max(bound, problem.k)
    everyone = np.zeros(at.rows, np.int64)
    blocks.append(Rows.of(1, -INF, leaving, (everyone, at.copies, 1)))
    if problem.k > 1:
        blocks += list(_sizes(part, at))
    opens = np.ones(at.types if problem.k > 1 else 0)
    total = np.full(at.q, problem.n // problem.l)
    return Program(
        cost=np.concatenate([-np.ones(at.rows), np.zeros(at.size + len(opens))]),
        lower=np.concatenate(
            [np.zeros(at.rows + at.q * at.types), low, 0 * opens], dtype=float
        ),
        upper=np.concatenate(
            [part.most, part.heights.T.ravel(), total, opens], dtype=float
        ),
        integer=np.arange(at.rows + at.size + len(opens)) >= at.rows,
        rows=tuple(blocks),
    )


@dataclass(frozen=True)
class _Columns:
    """Where the columns of the program begin."""

    rows: int
    types: int
    q: int

    @property
    def size(self) -> int:
        """How many columns heights take."""
        return self.q * self.types + self.q

    @property
    def copies(self) -> IntArray:
        return np.arange(self.rows)

    def heights(self, j: int) -> IntArray:
        return self.rows + j * self.types + np.arange(self.types)

    def residue(self, j: int) -> IntArray:
        return np.array([self.rows + self.q * self.types + j])

    @property
    def opens(self) -> IntArray:
        return self.rows + self.size + np.arange(self.types)


def residue_heights(problem: CountedRows) -> list[int]:
    """Return the least height of the residue in each sensitive column."""
    heights = []
    for values, stays in zip(problem.values.T, problem.heights.T, strict=True):
        pairs = group_by(
            [problem.types, values], [len(problem.heights), int(values.max()) + 1]
        )
        present = np.bincount(pairs.inverse, problem.counts)
        most = stays[problem.types[pairs.first]]
        leaving = np.bincount(values[pairs.first], np.maximum(present - most, 0))
        heights.append(int(leaving.max()))
    return heights


def _diversity(
    problem: CountedRows, part: CountedRows, at: _Columns, j: int, low: int
) -> Iterator[Rows]:
    """Require l-diversity in column j of what stays of each type, and of the rest."""
    values = part.values[:, j]
    types = np.arange(at.types)
    pairs = group_by([part.types, values], [at.types, int(values.max()) + 1])
    of_pair = at.heights(j)[part.types[pairs.first]]
    each = np.arange(pairs.size)
    yield Rows.of(
        pairs.size, -INF, 0, (pairs.inverse, at.copies, 1), (each, of_pair, -1)
    )
    yield Rows.of(
        at.types, 0, INF, (part.types, at.copies, 1), (types, at.heights(j), -part.l)
    )
    # Rare values can leave altogether without exceeding the residue's least height.
    totals = np.bincount(problem.values[:, j], problem.counts)
    often = np.flatnonzero(totals > low)
    number = np.full(len(totals), -1)
    number[often] = np.arange(len(often))
    those = np.flatnonzero(number[values] >= 0)
    residue = np.repeat(at.residue(j), len(often))
    yield Rows.of(
        len(often),
        totals[often],
        INF,
        (number[values[those]], those, 1),
        (np.arange(len(often)), residue, 1),
    )
    first = np.zeros(at.rows, np.int64)
    yield Rows.of(
        1, -INF, problem.n, (first, at.copies, 1), (first[:1], at.residue(j), part.l)
    )


def _sizes(part: CountedRows, at: _Columns) -> Iterator[Rows]:
    """Require at least k rows of a type to stay, or none."""
    types = np.arange(at.types)
    yield Rows.of(
        at.types, 0, INF, (part.types, at.copies, 1), (types, at.opens, -part.k)
    )
    for j in range(at.q):
        yield Rows.of(
            at.types,
            -INF,
            0,
            (types, at.heights(j), 1),
            (types, at.opens, -part.heights[:, j]),
        )
