"""Rows that stay with their type: the integer program behind ``tuple_ilp``."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from instances import BoolArray, IntArray, Limit, Run, group_by
from models.highs import INF, Floats, LinearSolver, MipSearch, Program, Rows

_DONORS = 500  # types that are tried first
_SLACK = 1e-6  # of a number that a solver returns for a whole one


@dataclass(frozen=True, eq=False)
class StayingProblem:
    """The rows of a table, or of one class of it, counted.

    Attributes
    ----------
    types, values, counts
        For each distinct row by QI and sensitive values: its row type by QI (0, 1, ..;
        all occur), its q sensitive values, its multiplicity.
    heights
        Types x q: how many rows of one value can stay at most.
    k, l
        What every group must satisfy; k = 1 where it asks for no size.
    """

    types: npt.NDArray[np.int32]
    values: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    heights: npt.NDArray[np.int64]
    k: int
    l: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    @property
    def most(self) -> npt.NDArray[np.int64]:
        """How many copies of each distinct row can stay at most."""
        lowest = self.heights.min(axis=1)
        return np.asarray(np.minimum(self.counts, lowest[self.types]))

    def select(self, distinct_rows: BoolArray | IntArray) -> "StayingProblem":
        """The problem of some of the distinct rows; their types are renumbered."""
        used, types = np.unique(self.types[distinct_rows], return_inverse=True)
        return replace(
            self,
            types=types.astype(np.int32),
            values=self.values[distinct_rows],
            counts=self.counts[distinct_rows],
            heights=self.heights[used],
        )


@dataclass(frozen=True, eq=False)
class Staying:
    """Copies that stay, how many rows must leave, and why the search stopped early."""

    copies: npt.NDArray[np.int64]
    bound: int
    limit: Limit | None


def stay(problem: StayingProblem, bound: int, run: Run, seed: int = 0) -> Staying:
    """Let as many rows stay as possible, where ``bound`` > 0 rows must leave.

    With one sensitive column a few types with surplus are tried first: they nearly
    always reach the bound. Then all types may give rows.
    """
    if problem.values.shape[1] == 1:
        found = _stay_but_for(problem, _donors(problem), bound, run, seed)
        if found is not None:
            return found
    return _stay(problem, bound, run, seed)


def _donors(problem: StayingProblem) -> BoolArray:
    """The types that can give most rows without a loss of height."""
    stays = np.bincount(problem.types, problem.most)
    surplus = stays - problem.l * problem.heights[:, 0]
    donors = np.zeros(len(surplus), bool)
    donors[np.argsort(-surplus, kind="stable")[:_DONORS]] = True
    return donors


def _stay_but_for(
    problem: StayingProblem, donors: BoolArray, bound: int, run: Run, seed: int
) -> Staying | None:
    """Of types that are no donors all rows stay that can: they are counted out.

    The result if it meets the bound; what is proven otherwise holds for no more than
    the restricted program, which may have no solution at all.
    """
    fixed = np.where(donors[problem.types], 0, problem.most)
    rest = replace(
        problem,
        counts=problem.counts - fixed,
        heights=problem.heights * donors[:, None],
    )
    if rest.n < bound:
        return None
    found = _stay(rest, bound, run, seed)
    if not found.copies.any() or rest.n - found.copies.sum() > bound:
        return None
    return Staying(found.copies + fixed, bound, None)


def _stay(problem: StayingProblem, bound: int, run: Run, seed: int) -> Staying:
    """Solve the program; its copies need not be whole numbers at first.

    If they come out fractional, the heights are fixed and a vertex is taken, which is
    integral with one sensitive column. Only if that fails too, all is integer.
    """
    able = problem.most > 0
    best = np.zeros(len(problem.counts), np.int64)
    if not able.any():
        return Staying(best, problem.n, None)
    program = staying_program(problem, able, bound)
    limit: Limit | None = None
    for all_integer in (False, True):
        if all_integer:
            program = replace(program, integer=np.ones(len(program.cost), bool))
        point, proven, limit = _search(program, run, seed)
        bound = max(bound, proven + problem.n)
        copies = None if point is None else _copies(program, point, run)
        if copies is not None and copies.sum() > best.sum():
            best[able] = copies
        if limit is not None or problem.n - best.sum() == bound:
            break
    return Staying(best, bound, limit)


def staying_program(problem: StayingProblem, able: BoolArray, bound: int) -> Program:
    """The program of ``tuple_ilp``; its first columns are the copies that stay.

    Its columns: copies of each distinct row marked in ``able``; heights of each type
    in each sensitive column; the height of the residue in each; with k > 1, whether
    anything stays of each type.
    """
    part = problem.select(able)
    at = _Columns(len(part.counts), *part.heights.shape)
    low = [_residue_height(problem, part, able, j) for j in range(at.q)]
    blocks = [b for j in range(at.q) for b in _diversity(problem, part, at, j, low[j])]
    leaving = problem.n - max(bound, problem.k)
    everyone = np.zeros(at.rows, np.int64)
    blocks.append(_block(1, -INF, leaving, (everyone, at.copies, 1)))
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


def _residue_height(
    problem: StayingProblem, part: StayingProblem, able: BoolArray, j: int
) -> int:
    """The residue has at least so many rows of one value of sensitive column j."""
    pairs = group_by(
        [part.types, part.values[:, j]],
        [len(part.heights), int(part.values[:, j].max()) + 1],
    )
    present = np.bincount(pairs.inverse, part.counts)
    stays = np.minimum(present, part.heights[part.types[pairs.first], j])
    leaving = np.bincount(
        np.concatenate([part.values[pairs.first, j], problem.values[~able, j]]),
        np.concatenate([present - stays, problem.counts[~able]]),
    )
    return int(leaving.max())


def _diversity(
    problem: StayingProblem, part: StayingProblem, at: _Columns, j: int, low: int
) -> Iterator[Rows]:
    """What stays of each type, and what leaves, is l-diverse in column j."""
    values = part.values[:, j]
    types = np.arange(at.types)
    pairs = group_by([part.types, values], [at.types, int(values.max()) + 1])
    of_pair = at.heights(j)[part.types[pairs.first]]
    each = np.arange(pairs.size)
    yield _block(
        pairs.size, -INF, 0, (pairs.inverse, at.copies, 1), (each, of_pair, -1)
    )
    yield _block(
        at.types, 0, INF, (part.types, at.copies, 1), (types, at.heights(j), -part.l)
    )
    # Rare values can leave altogether without exceeding the residue's least height.
    totals = np.bincount(problem.values[:, j], problem.counts)
    often = np.flatnonzero(totals > low)
    number = np.full(len(totals), -1)
    number[often] = np.arange(len(often))
    those = np.flatnonzero(number[values] >= 0)
    residue = np.repeat(at.residue(j), len(often))
    yield _block(
        len(often),
        totals[often],
        INF,
        (number[values[those]], those, 1),
        (np.arange(len(often)), residue, 1),
    )
    first = np.zeros(at.rows, np.int64)
    yield _block(
        1, -INF, problem.n, (first, at.copies, 1), (first[:1], at.residue(j), part.l)
    )


def _sizes(part: StayingProblem, at: _Columns) -> Iterator[Rows]:
    """At least k rows of a type stay, or none."""
    types = np.arange(at.types)
    yield _block(
        at.types, 0, INF, (part.types, at.copies, 1), (types, at.opens, -part.k)
    )
    for j in range(at.q):
        yield _block(
            at.types,
            -INF,
            0,
            (types, at.heights(j), 1),
            (types, at.opens, -part.heights[:, j]),
        )


def _block(
    size: int,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    *parts: tuple[IntArray, IntArray, npt.ArrayLike],
) -> Rows:
    return Rows(
        np.concatenate([row for row, _, _ in parts]),
        np.concatenate([column for _, column, _ in parts]),
        np.concatenate(
            [np.broadcast_to(value, row.shape) for row, _, value in parts], dtype=float
        ),
        np.broadcast_to(lower, size).astype(float),
        np.broadcast_to(upper, size).astype(float),
    )


def _search(
    program: Program, run: Run, seed: int
) -> tuple[Floats | None, int, Limit | None]:
    """The best point found, the bound proven (rounded up), why it stopped early."""
    search = MipSearch(program, run.remaining, seed=seed)
    limit = None
    try:
        while search.running:
            search.wait(0.1)
    except KeyboardInterrupt:
        search.stop()
        limit = Limit.INTERRUPTED
    points = list(search.solutions())
    end = search.end()
    bound = math.ceil(end - _SLACK) if math.isfinite(end) else -(2**62)
    point = points[-1] if points else None
    if point is not None and round(float(program.cost @ point)) == bound:
        return point, bound, None
    return point, bound, limit or Limit.TIME


def _copies(program: Program, point: Floats, run: Run) -> npt.NDArray[np.int64] | None:
    """The copies of a point as whole numbers; None where no vertex gives such."""
    count = int((program.cost < 0).sum())
    if not _is_whole(point[:count]):
        heights = np.where(program.integer, np.rint(point), program.lower)
        caps = np.where(program.integer, np.rint(point), program.upper)
        fixed = replace(program, lower=heights, upper=caps)
        vertex = LinearSolver(fixed).solve(run.remaining)
        if vertex is None or not _is_whole(vertex.x[:count]):
            return None
        point = vertex.x
    return np.rint(point[:count]).astype(np.int64)


def _is_whole(numbers: Floats) -> bool:
    return bool(np.abs(numbers - np.rint(numbers)).max(initial=0.0) < _SLACK)
