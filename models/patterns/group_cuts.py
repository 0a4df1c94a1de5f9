"""Cuts for the pattern formulation: how many groups a set of rows can fill."""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from instances.loops.compiled import compiled, inner
from models.patterns.pattern_program import PatternProgram
from models.patterns.patterns import Patterns
from models.solvers.program import INF, Floats, Rows

_MOST_TYPES = 60  # A set of types has no more.
_LEAST_VIOLATION = 0.01  # A cut that is violated by less is not added.
_ZERO = 1e-9  # A value of the relaxation up to this is zero.

Ints = npt.NDArray[np.int64]


class Support(NamedTuple):
    """The positive x of a fractional point, by type and by pattern (CSR).

    Attributes
    ----------
    type_starts, type_patterns, type_x
        The patterns of each type, and its copies in them.
    pattern_starts, pattern_types
        The types in each pattern.
    """

    type_starts: Ints
    type_patterns: Ints
    type_x: Floats
    pattern_starts: Ints
    pattern_types: Ints


class Marks(NamedTuple):
    """What is known while a set of types grows.

    Attributes
    ----------
    imports
        For each pattern its copies of types outside the set.
    near
        Types in the set, or that share a pattern with it.
    seen
        Patterns with types in the set.
    """

    imports: Floats
    near: npt.NDArray[np.bool_]
    seen: npt.NDArray[np.bool_]


class GroupCut(NamedTuple):
    """A group-count cut: the set T of row types and the set I of patterns."""

    types: Ints
    patterns: Ints


def group_cuts(program: PatternProgram, point: Floats) -> list[GroupCut]:
    r"""Find violated group-count cuts at a fractional point of the k-anonymity model.

    Let T be a set of row types with S rows in all, q = S div k and r = k - S mod k.
    Any set I of patterns then satisfies

    .. math::
        \sum_{p \in I} y_p \le q + \frac1r \sum_{p \in I} \sum_{t \notin T} x_{pt}.

    For if q + j of them are open, j >= 1, they hold k (q + j) rows, at most S of
    them from T: at least k j - S mod k = k (j - 1) + r >= j r are imported. (It is
    the mixed-integer rounding of the sum of the size rows of I and the assignment
    rows of T.) The relaxation likes to open a fraction of several patterns on rows
    that cannot fill them all; these cuts forbid it.

    For a given T the best I has the patterns with y_p > imports_p / r. T is grown
    from the types of each fractional pattern, one type at a time, always the one
    that leaves the largest violation.

    Parameters
    ----------
    program
        The pattern program of a k-anonymity problem.
    point
        A point of its relaxation.

    With l-diversity k stands for the larger of both: a pattern that is open has so many
    rows.

    Returns
    -------
    The cuts; ``cut_rows`` writes them over the columns of the program.
    """
    patterns = program.patterns
    x = point[: program.incidences]
    y = point[program.first_y : program.first_y + len(patterns)]
    return cuts_at(patterns, _least_size(program), x, y)


def cuts_at(
    patterns: Patterns, k: int, x: Floats, y: Floats, seeds: Ints | None = None
) -> list[GroupCut]:
    """Find violated group-count cuts at a fractional point, as above.

    Parameters
    ----------
    patterns, k
        The patterns, and the least size of a group.
    x, y
        By incidence and by pattern.
    seeds
        Patterns from whose types sets are grown; default: all that are fractional.
    """
    fractional = np.flatnonzero((y > 1e-6) & (y < 1 - 1e-6)) if seeds is None else seeds
    if len(fractional) == 0:
        return []
    sizes, members = _grow(
        k,
        patterns.counts,
        y,
        np.bincount(patterns.pattern, x, minlength=len(patterns)),
        _support(patterns, x),
        fractional.astype(np.int64),
    )
    sets = {tuple(sorted(members[i, :n])) for i, n in enumerate(sizes) if n > 0}
    return [
        _best_patterns(patterns, k, x, y, np.array(types)) for types in sorted(sets)
    ]


def cut_rows(program: PatternProgram, cuts: list[GroupCut]) -> Rows:
    """Write cuts as rows over the columns of a program.

    Examples
    --------
    >>> from instances import STARS, Table
    >>> from models.patterns.listing import closed_patterns
    >>> from models.patterns.pattern_program import pattern_program
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["2"]], qi=["a"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> program = pattern_program(patterns, table.row_types, k=2)
    >>> cut = GroupCut(np.array([0, 1]), np.array([0]))
    >>> rows = cut_rows(program, [cut])  # y[0] - x[0, 2] / 2 <= 1
    >>> rows.column.tolist(), rows.value.tolist(), rows.upper.tolist()
    ([3, 2], [1.0, -0.5], [1.0])
    """
    patterns, k = program.patterns, _least_size(program)
    row, column, value, upper = [], [], [], []
    for number, cut in enumerate(cuts):
        inside = np.zeros(len(patterns.counts), bool)
        inside[cut.types] = True
        chosen = np.zeros(len(patterns), bool)
        chosen[cut.patterns] = True
        total = int(patterns.counts[inside].sum())
        imported = np.flatnonzero(chosen[patterns.pattern] & ~inside[patterns.types])
        share = np.full(len(imported), -1 / (k - total % k))
        row.append(np.full(len(cut.patterns) + len(imported), number))
        column.append(np.concatenate([program.first_y + cut.patterns, imported]))
        value.append(np.concatenate([np.ones(len(cut.patterns)), share]))
        upper.append(float(total // k))
    return Rows(
        np.concatenate(row),
        np.concatenate(column),
        np.concatenate(value),
        np.full(len(cuts), -INF),
        np.array(upper),
    )


def _least_size(program: PatternProgram) -> int:
    return max(program.k, program.l)


def _support(patterns: Patterns, x: Floats) -> Support:
    positive = np.flatnonzero(x > _ZERO)
    of_type, of_pattern = patterns.types[positive], patterns.pattern[positive]
    by_type = np.argsort(of_type, kind="stable")
    types = np.arange(len(patterns.counts) + 1)
    return Support(
        np.searchsorted(of_type[by_type], types).astype(np.int64),
        of_pattern[by_type].astype(np.int64),
        x[positive][by_type],
        np.searchsorted(of_pattern, np.arange(len(patterns) + 1)).astype(np.int64),
        of_type.astype(np.int64),
    )


def _best_patterns(
    patterns: Patterns, k: int, x: Floats, y: Floats, types: Ints
) -> GroupCut:
    """Return the cut of a set of types with the patterns that violate it most."""
    inside = np.zeros(len(patterns.counts), bool)
    inside[types] = True
    member = inside[patterns.types]
    imports = np.bincount(patterns.pattern, x * ~member, minlength=len(patterns))
    touched = np.bincount(patterns.pattern, member, minlength=len(patterns)) > 0
    r = k - int(patterns.counts[inside].sum()) % k
    return GroupCut(types, np.flatnonzero(touched & (y > imports / r + _ZERO)))


@compiled
def _grow(
    k: int, counts: Ints, y: Floats, filled: Floats, support: Support, seeds: Ints
) -> tuple[Ints, Ints]:
    """Return for each seed pattern the set of types with the largest violation."""
    sizes = np.zeros(len(seeds), np.int64)
    members = np.zeros((len(seeds), _MOST_TYPES), np.int64)
    marks = Marks(
        filled.copy(), np.zeros(len(counts), np.bool_), np.zeros(len(y), np.bool_)
    )
    for i, seed in enumerate(seeds):
        first, last = support.pattern_starts[seed], support.pattern_starts[seed + 1]
        given = support.pattern_types[first : min(last, first + _MOST_TYPES)]
        candidates, touched = _as_list(given), _as_list(given[:0])
        marks.near[given] = True
        rows, size, best = 0, 0, _LEAST_VIOLATION
        while size < _MOST_TYPES and candidates:
            at = 0
            if size >= len(given):
                at = _best_candidate(
                    k, counts, y, marks, support, candidates, touched, rows
                )
            t = candidates.pop(at)
            members[i, size] = t
            size += 1
            rows += counts[t]
            _take(t, support, marks, candidates, touched)
            violation = _violation(k, y, marks.imports, touched, rows)
            if violation > best:
                best, sizes[i] = violation, size
        marks.near[:] = False
        for p in touched:
            marks.seen[p] = False
            marks.imports[p] = filled[p]
    return sizes, members


@inner
def _as_list(types: Ints) -> list[int]:
    return [numba.int64(t) for t in types]


@inner
def _take(
    t: int,
    support: Support,
    marks: Marks,
    candidates: list[int],
    touched: list[int],
) -> None:
    """Take a type into the set; types that share a pattern become candidates."""
    for e in range(support.type_starts[t], support.type_starts[t + 1]):
        p = support.type_patterns[e]
        marks.imports[p] -= support.type_x[e]
        if marks.seen[p]:
            continue
        marks.seen[p] = True
        touched.append(p)
        begin, end = support.pattern_starts[p], support.pattern_starts[p + 1]
        for other in support.pattern_types[begin:end]:
            if not marks.near[other]:
                marks.near[other] = True
                candidates.append(other)


@inner
def _violation(
    k: int, y: Floats, imports: Floats, touched: list[int], rows: int
) -> float:
    r = k - rows % k
    total = -float(rows // k)
    for p in touched:
        total += max(0.0, y[p] - imports[p] / r)
    return total


@inner
def _best_candidate(
    k: int,
    counts: Ints,
    y: Floats,
    marks: Marks,
    support: Support,
    candidates: list[int],
    touched: list[int],
    rows: int,
) -> int:
    """Return the place of the candidate that leaves the largest violation."""
    imports = marks.imports
    best, chosen = -np.inf, 0
    for at, t in enumerate(candidates):
        first, last = support.type_starts[t], support.type_starts[t + 1]
        r = k - (rows + counts[t]) % k
        for e in range(first, last):
            imports[support.type_patterns[e]] -= support.type_x[e]
        total = _violation(k, y, imports, touched, rows + counts[t])
        for e in range(first, last):
            p = support.type_patterns[e]
            if not marks.seen[p]:
                total += max(0.0, y[p] - imports[p] / r)
            imports[p] += support.type_x[e]
        if total > best:
            best, chosen = total, at
    return chosen
