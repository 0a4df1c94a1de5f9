"""A fractional point of the pattern formulation, and the group-count cuts it breaks."""

from typing import NamedTuple

import numba
import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.pattern_program.pattern_program import GroupCut, PatternProgram
from starmin.models.patterns.patterns import Patterns

_MOST_TYPES = 60  # A set of types has no more.
_IN_VAIN = 15  # A set grows by so many types without a larger violation.
_LEAST_VIOLATION = 0.01  # A cut that is violated by less is not added.
_ZERO = 1e-9  # A value of the relaxation up to this is zero.


class FractionalPoint(NamedTuple):
    """A point of the relaxation, ready for the search of cuts that it violates.

    For a given set T of types the best set of patterns of a cut
    (``starmin.models.pattern_program.pattern_program``) has those with y > imports / r.
    T is grown from the types of a fractional pattern, one type at a time, always the
    one that leaves the largest violation, in time linear in the positive x of the types
    at hand.
    """

    k: int  # the least size of a group
    counts: Ints
    y: Floats  # y, filled: of each pattern, and how many copies it has
    filled: Floats
    # type_starts, type_patterns, type_x: the positive x, by type: the patterns of each,
    # and its copies in them
    type_starts: Ints
    type_patterns: Ints
    type_x: Floats
    pattern_starts: Ints  # pattern_starts, pattern_types: the types in each pattern
    pattern_types: Ints

    @classmethod
    def of(cls, patterns: Patterns, k: int, x: Floats, y: Floats) -> "FractionalPoint":
        """Return the point with these copies by incidence."""
        positive = np.flatnonzero(x > _ZERO)
        of_type, of_pattern = patterns.types[positive], patterns.pattern[positive]
        by_type = np.argsort(of_type, kind="stable")
        types = np.arange(len(patterns.counts) + 1)
        filled = np.bincount(patterns.pattern, x, minlength=len(patterns))
        return cls(
            k,
            patterns.counts,
            y,
            filled.astype(np.float64, copy=False),
            np.searchsorted(of_type[by_type], types).astype(np.int64),
            of_pattern[by_type].astype(np.int64),
            x[positive][by_type],
            np.searchsorted(of_pattern, np.arange(len(patterns) + 1)).astype(np.int64),
            of_type.astype(np.int64),
        )

    def grow(self, seeds: Ints | None = None) -> list[Ints]:
        """Return sets of types with a violated cut.

        They are grown from the types of the patterns ``seeds``; default: all that are
        open by a part.
        """
        if seeds is None:
            seeds = np.flatnonzero((self.y > 1e-6) & (self.y < 1 - 1e-6))
        if len(seeds) == 0:
            return []
        sizes, members = _grow(self, seeds.astype(np.int64))
        sets = {tuple(sorted(members[i, :n])) for i, n in enumerate(sizes) if n > 0}
        return [np.array(each) for each in sorted(sets)]

    def cuts(self, sets: list[Ints]) -> list[GroupCut]:
        """Return the cut of each set of types that the point violates most."""
        if not sets:
            return []
        starts = np.cumsum([0, *map(len, sets)])
        ends, chosen = _most_violated(self, starts, np.concatenate(sets))
        parts = np.split(chosen, ends[:-1])
        return [GroupCut(*cut) for cut in zip(sets, parts, strict=True)]


def group_cuts(program: PatternProgram, point: Floats) -> list[GroupCut]:
    """Find violated group-count cuts at a fractional point of the k-anonymity model.

    ``point`` is one of the relaxation of the program, over whose columns
    ``starmin.models.pattern_program.pattern_program.cut_rows`` writes the cuts.
    """
    patterns = program.patterns
    x = point[: program.incidences]
    y = point[program.first_y : program.first_y + len(patterns)]
    found = FractionalPoint.of(patterns, program.least_size, x, y)
    return found.cuts(found.grow())


class Marks(NamedTuple):
    """What is known while a set of types grows."""

    imports: Floats  # for each pattern its copies of types outside the set
    near: Bools  # types in the set, or that share a pattern with it
    seen: Bools  # patterns with types in the set


@compiled
def _most_violated(
    point: FractionalPoint, starts: Ints, members: Ints
) -> tuple[Ints, Ints]:
    """Return for each set of types the patterns with y > imports / r, and ends."""
    k, counts, y, filled = point.k, point.counts, point.y, point.filled
    ends, chosen = np.zeros(len(starts) - 1, np.int64), [np.int64(0) for _ in range(0)]
    imports, seen = filled.copy(), np.zeros(len(y), np.bool_)
    for i in range(len(starts) - 1):
        inside, rows = members[starts[i] : starts[i + 1]], 0
        touched = [np.int64(0) for _ in range(0)]
        for t in inside:
            rows += counts[t]
            for e in range(point.type_starts[t], point.type_starts[t + 1]):
                p = point.type_patterns[e]
                if not seen[p]:
                    seen[p] = True
                    touched.append(p)
                imports[p] -= point.type_x[e]
        r = k - rows % k
        touched.sort()
        chosen.extend([p for p in touched if y[p] > imports[p] / r + _ZERO])
        for p in touched:
            imports[p], seen[p] = filled[p], False
        ends[i] = len(chosen)
    return ends, np.array(chosen, np.int64)


@compiled
def _grow(point: FractionalPoint, seeds: Ints) -> tuple[Ints, Ints]:
    """Return for each seed pattern the set of types with the largest violation."""
    k, counts, y, filled = point.k, point.counts, point.y, point.filled
    sizes = np.zeros(len(seeds), np.int64)
    members = np.zeros((len(seeds), _MOST_TYPES), np.int64)
    marks = Marks(
        filled.copy(), np.zeros(len(counts), np.bool_), np.zeros(len(y), np.bool_)
    )
    for i, seed in enumerate(seeds):
        first, last = point.pattern_starts[seed], point.pattern_starts[seed + 1]
        given = point.pattern_types[first : min(last, first + _MOST_TYPES)]
        candidates, touched = _as_list(given), _as_list(given[:0])
        marks.near[given] = True
        rows, size, best = 0, 0, _LEAST_VIOLATION
        while size < _MOST_TYPES and candidates:
            at = 0
            if size >= len(given):
                at = _best_candidate(point, marks, candidates, touched, rows)
            t = candidates.pop(at)
            members[i, size] = t
            size += 1
            rows += counts[t]
            _take(t, point, marks, candidates, touched)
            r = k - rows % k
            violation = _violation(r, y, marks.imports, touched) - rows // k
            if violation > best:
                best, sizes[i] = violation, size
            elif size > len(given) + _IN_VAIN and size > sizes[i] + _IN_VAIN:
                break
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
    point: FractionalPoint,
    marks: Marks,
    candidates: list[int],
    touched: list[int],
) -> None:
    """Take a type into the set; types that share a pattern become candidates."""
    for e in range(point.type_starts[t], point.type_starts[t + 1]):
        p = point.type_patterns[e]
        marks.imports[p] -= point.type_x[e]
        if marks.seen[p]:
            continue
        marks.seen[p] = True
        touched.append(p)
        begin, end = point.pattern_starts[p], point.pattern_starts[p + 1]
        for other in point.pattern_types[begin:end]:
            if not marks.near[other]:
                marks.near[other] = True
                candidates.append(other)


@inner
def _violation(r: int, y: Floats, imports: Floats, touched: list[int]) -> float:
    """Return by how much some patterns are open beyond their imports."""
    total = 0.0
    for p in touched:
        total += max(0.0, y[p] - imports[p] / r)
    return total


@inner
def _best_candidate(
    point: FractionalPoint,
    marks: Marks,
    candidates: list[int],
    touched: list[int],
    rows: int,
) -> int:
    """Return the place of the candidate that leaves the largest violation."""
    k, counts, y = point.k, point.counts, point.y
    imports, seen = marks.imports, marks.seen
    shares = np.full(k + 1, -1.0)  # by r: what the patterns seen exceed it by
    best, chosen = -np.inf, 0
    for at, t in enumerate(candidates):
        r = k - (rows + counts[t]) % k
        if shares[r] < 0:
            shares[r] = _violation(r, y, imports, touched)
        total = shares[r] - (rows + counts[t]) // k
        for e in range(point.type_starts[t], point.type_starts[t + 1]):
            p = point.type_patterns[e]
            total += max(0.0, y[p] - (imports[p] - point.type_x[e]) / r)
            if seen[p]:
                total -= max(0.0, y[p] - imports[p] / r)
        if total > best:
            best, chosen = total, at
    return chosen
