"""Linear and mixed-integer programs as arrays, and what solvers' bounds prove."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances import IntArray, Run, group_by
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.releases.objective import MOST_EXACT

# What a solver's bound, a float, proves of costs that are whole numbers.

# The room that a solver of floats is given, absolute and as a share of its bound.
_ABSOLUTE, _RELATIVE = 1e-6, 1e-9
_NEAR = 2.0**-50  # The share by which a large whole number is off as a float, at most.


def whole_bound(bound: float) -> int:
    """Return a whole number that a minimum is not below, by a solver's finite bound.

    The bound is rounded up, with room for what solvers leave: 1e-6 for their
    tolerances where costs are moderate, and a billionth of the bound for its sums,
    which keep some ten of sixteen digits. So a bound beyond a billion proves less than
    itself.

    Examples
    --------
    >>> whole_bound(2.0000004), whole_bound(2.1), whole_bound(52464671855.3)
    (2, 3, 52464671803)
    """
    return math.ceil(bound - max(_ABSOLUTE, _RELATIVE * abs(bound)))


def integer_bound(bound: float) -> int:
    """Return a whole number that a minimum is not below, by a bound of CP-SAT.

    CP-SAT computes in whole numbers and tells its bound, a finite one, as a float.

    Examples
    --------
    >>> integer_bound(3.0), integer_bound(float(2**60)) <= 2**60
    (3, True)
    """
    if abs(bound) < MOST_EXACT:
        return round(bound)
    return math.floor(bound - _NEAR * abs(bound))


def note_bound(run: Run[Any], bound: float, method: str) -> None:
    """Let a run learn what a solver proved, but no more than its best value.

    More is never proven where releases no better than the best one were left out.
    Infinity says that there is no other release than the best one; minus infinity says
    nothing. ``method`` is named for the bound.
    """
    value = run.value
    if math.isfinite(bound):
        proven = whole_bound(bound)
        run.raise_bound(proven if value is None else min(proven, value), method)
    elif bound > 0 and value is not None:
        run.raise_bound(value, method)


INF = float("inf")
_ROUNDING = 1e-6  # A point that breaks a row by less than this holds.


# Numbers of rows in their block, or of columns in the program.
Numbers: TypeAlias = npt.NDArray[np.integer]
# In which rows which columns stand, and times what.
Term: TypeAlias = tuple[Numbers, Numbers, npt.ArrayLike]


@dataclass(frozen=True, eq=False)
class Rows:
    """A block of constraints ``lower <= A x <= upper``, A as triplets.

    Row numbers start at 0 in each block; ``stack`` moves them.
    """

    row: Numbers
    column: Numbers
    value: Floats
    lower: Floats
    upper: Floats

    @classmethod
    def of(
        cls, many: int, lower: npt.ArrayLike, upper: npt.ArrayLike, *terms: Term
    ) -> "Rows":
        """Write so many constraints as sums of terms, between their sides.

        Examples
        --------
        >>> each, y = np.arange(2), np.array([6, 7])  # x3 + x4 <= 2 y6, x5 <= 3 y7
        >>> rows = Rows.of(2, -INF, 0, ([0, 0, 1], [3, 4, 5], 1), (each, y, [-2, -3]))
        >>> rows.column.tolist(), rows.value.tolist()
        ([3, 4, 5, 6, 7], [1.0, 1.0, 1.0, -2.0, -3.0])
        """
        values = [np.broadcast_to(value, len(row)) for row, _, value in terms]
        return cls(
            np.concatenate([row for row, _, _ in terms]),
            np.concatenate([column for _, column, _ in terms]),
            np.concatenate(values, dtype=float),
            np.broadcast_to(lower, many).astype(float),
            np.broadcast_to(upper, many).astype(float),
        )

    def plus(self, *terms: Term) -> "Rows":
        """Return the same constraints with further terms."""
        own = self.row, self.column, self.value
        return Rows.of(len(self.lower), self.lower, self.upper, own, *terms)


def linked(x: Numbers, y: Numbers, most: npt.ArrayLike = 1) -> Rows:
    """Return ``x <= most * y``, each for itself."""
    each = np.arange(len(x))
    return Rows.of(len(x), -INF, 0, (each, x, 1), (each, y, -np.asarray(most)))


def supported(y: Numbers, of: Numbers, x: Numbers) -> Rows:
    """Return that each y is at most the sum of the x that are of it."""
    return Rows.of(len(y), 0, INF, (of, x, 1), (np.arange(len(y)), y, -1))


def capped(h: Numbers, of: Numbers, x: Numbers, each: npt.ArrayLike = 1) -> Rows:
    """Return that the x of an h, each as often as told, sum to this h at most."""
    return Rows.of(len(h), -INF, 0, (of, x, each), (np.arange(len(h)), h, -1))


def at_least(
    of: Numbers, x: Numbers, y: Numbers, least: float, each: npt.ArrayLike = 1
) -> Rows:
    """Return that the x of a y, each as often as told, sum to ``least`` times y."""
    return Rows.of(len(y), 0, INF, (of, x, each), (np.arange(len(y)), y, -least))


def stack(blocks: Sequence[Rows], columns: int) -> tuple[Any, Floats, Floats]:
    """Stack blocks one below the other: return a CSC matrix and its row bounds."""
    from scipy import sparse  # a quarter of a second to import

    offsets = np.cumsum([0] + [len(block.lower) for block in blocks])
    rows = [b.row + offset for b, offset in zip(blocks, offsets[:-1], strict=True)]
    matrix = sparse.csc_array(
        (
            np.concatenate([block.value for block in blocks]),
            (np.concatenate(rows), np.concatenate([b.column for b in blocks])),
        ),
        shape=(offsets[-1], columns),
    )
    lower = np.concatenate([block.lower for block in blocks])
    upper = np.concatenate([block.upper for block in blocks])
    return matrix, lower, upper


@dataclass(frozen=True, eq=False)
class Program:
    """A program: minimise ``cost @ x`` over ``lower <= x <= upper`` and the rows."""

    # cost, lower, upper, integer: by column: its cost, its bounds, and whether it must
    # be a whole number
    cost: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    rows: tuple[Rows, ...]  # blocks of constraints

    def holds(self, point: Floats) -> bool:
        """Return whether a point satisfies all bounds and rows, up to rounding."""
        if not _within(point, self.lower, self.upper):
            return False
        for block in self.rows:
            terms = block.value * point[block.column]
            sums = np.bincount(block.row, terms, minlength=len(block.lower))
            if not _within(sums, block.lower, block.upper):
                return False
        return True

    def fix(self, columns: Bools, point: Floats) -> "Program":
        """Return the program with all other columns fixed as at a feasible point.

        Rows that lose all their columns go too: they hold at the point.
        """
        new = np.cumsum(columns) - 1
        blocks = []
        for block in self.rows:
            entries = columns[block.column]
            fixed = np.where(entries, 0.0, block.value * point[block.column])
            given = np.bincount(block.row, fixed, minlength=len(block.lower))
            used, row = np.unique(block.row[entries], return_inverse=True)
            blocks.append(
                Rows(
                    row,
                    new[block.column[entries]],
                    block.value[entries],
                    (block.lower - given)[used],
                    (block.upper - given)[used],
                )
            )
        return Program(
            self.cost[columns],
            self.lower[columns],
            self.upper[columns],
            self.integer[columns],
            tuple(blocks),
        )


class Columns:
    """The columns of a program, added block by block to those of another one."""

    def __init__(self, begun: Program | None = None) -> None:
        self._blocks: list[tuple[Any, ...]] = []
        self.size = 0
        if begun is not None:
            self._blocks.append((begun.cost, begun.lower, begun.upper, begun.integer))
            self.size = len(begun.cost)

    def add(
        self,
        many: int,
        cost: npt.ArrayLike = 0,
        upper: npt.ArrayLike = 1,
        *,
        lower: npt.ArrayLike = 0,
        integer: npt.ArrayLike = True,
    ) -> Ints:
        """Add so many columns, and return their numbers."""
        told = cost, lower, upper, integer
        self._blocks.append(tuple(np.broadcast_to(one, many) for one in told))
        self.size += many
        return np.arange(self.size - many, self.size)

    def program(self, rows: Iterable[Rows]) -> Program:
        """Return the program of these columns with some rows."""
        columns = zip(*self._blocks, strict=True)
        cost, lower, upper, integer = (np.concatenate(c).astype(float) for c in columns)
        return Program(cost, lower, upper, integer > 0, tuple(rows))


class Pairs(NamedTuple):
    """Pairs of a pattern and a value, or a person, that occurs there."""

    entry: Numbers  # the columns ``x`` that have some
    number: Numbers  # the pair of each of these
    pattern: Numbers  # that of each pair


class PatternColumns(Columns):
    """The columns and rows of a program that deals something to patterns.

    Its first columns, ``x``, say how many copies of an item are published as a pattern
    that it fits, whatever is dealt: rows, persons, whole classes. All copies are dealt.

    Examples
    --------
    >>> pattern, item = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> made = PatternColumns(pattern, item, np.array([3, 5]), np.array([2, 2]), 2)
    >>> y = made.add(made.count)
    >>> made.rows += [made.enough(y, 2), made.only(y)]
    >>> program = made.program()
    >>> program.cost.tolist(), program.upper.tolist()
    ([3.0, 5.0, 5.0, 0.0, 0.0], [2.0, 2.0, 2.0, 1.0, 1.0])
    >>> [program.holds(np.array(point)) for point in ([0, 2, 2, 0, 1], [1, 1, 2, 1, 1])]
    [True, False]
    """

    def __init__(
        self,
        pattern: Numbers,
        item: Numbers,
        cost: npt.NDArray[np.number],
        dealt: Floats | Ints,
        most: npt.ArrayLike = 1,
        weight: npt.ArrayLike = 1,
        integer: npt.ArrayLike = True,
    ) -> None:
        """Begin with ``x``, by the pairs of a pattern and an item that fits it.

        ``cost`` is of a row by pattern, ``dealt`` the copies of each item; ``most`` and
        ``weight`` are by pair: copies at most, and the rows of a copy.
        """
        super().__init__()
        self.pattern, self.count, self.most = pattern, len(cost), most
        paid = cost[pattern] * np.asarray(weight)
        self.x = self.add(len(pattern), paid, most, integer=integer)
        self.rows = [Rows.of(len(dealt), dealt, dealt, (item, self.x, 1))]

    def program(self, rows: Iterable[Rows] = ()) -> Program:
        """Return the program, with further rows."""
        return super().program([*self.rows, *rows])

    def pairs(self, values: IntArray, entry: Numbers | None = None) -> Pairs:
        """Return the pairs with the values of some ``x``, one of each; None: of all."""
        pattern = self.pattern if entry is None else self.pattern[entry]
        found = group_by([pattern, values])
        entry = self.x if entry is None else entry
        return Pairs(entry, found.inverse, pattern[found.first])

    def only(self, y: Numbers) -> Rows:
        """Return that nothing is dealt to patterns that are not open."""
        return linked(self.x, y[self.pattern], self.most)

    def enough(self, y: Numbers, least: int, each: npt.ArrayLike = 1) -> Rows:
        """Return that patterns have ``least`` times y copies, each as often as told."""
        return at_least(self.pattern, self.x, y, least, each)

    def frequent(
        self, h: Numbers, pairs: Pairs, l: int, each: npt.ArrayLike = 1
    ) -> list[Rows]:
        """Return that of l h copies of a pattern at most h have the same value."""
        most = capped(h[pairs.pattern], pairs.number, pairs.entry)
        return [self.enough(h, l, each), most]

    def different(self, w: Numbers, pairs: Pairs, y: Numbers, least: int) -> list[Rows]:
        """Return that an open pattern has so many pairs that are there, w."""
        return [
            supported(w, pairs.number, pairs.entry),
            linked(w, y[pairs.pattern]),
            at_least(pairs.pattern, w, y, least),
        ]


def _within(values: npt.NDArray[np.number], lower: Floats, upper: Floats) -> bool:
    return bool(((values >= lower - _ROUNDING) & (values <= upper + _ROUNDING)).all())
