"""3-dimensional matching to 3-diversity, and l-dimensional matching to l-diversity."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from starmin.instances import LDiversity, Partition, Table
from starmin.verify.reductions.base import Claim, Evidence, Reduced, Reduction, first
from starmin.verify.reductions.source_solvers import (
    PointSet,
    is_matching,
    is_perfect_matching,
    maximum_matching,
    perfect_matching,
)

SENSITIVE = "sensitive"
Tested = Evidence[frozenset[int]]

# The properties of the table of a matching problem, each tested cell by cell.
#
# Each function lists its failures; none means that the property holds.


def construction(points: PointSet, reduced: Reduced) -> Iterator[str]:
    """Give row j 0 in column i iff v_j is a coordinate of p_i, else its own code."""
    table = reduced.table
    n, d = points.dimension * points.size, len(points.points)
    if (table.n, table.d) != (n, d):
        yield f"{table.n} rows by {table.d} columns, expected {n} by {d}"
        return
    codes = table.cells(table.sensitive[0])
    for i, column in enumerate(table.qi):
        for j, cell in enumerate(table.cells(column)):
            h, value = divmod(j, points.size)
            expected = "0" if points.points[i][h] == value else codes[j]
            if cell != expected:
                yield f"row {j + 1}, column {column}: {cell!r}, expected {expected!r}"


def sensitive_values(points: PointSet, reduced: Reduced, m: int) -> Iterator[str]:
    """Check that there are m sensitive values; rows of different domains share none."""
    codes = reduced.table.cells(reduced.table.sensitive[0])
    if len(set(codes)) != m:
        yield f"{len(set(codes))} sensitive values, expected {m}"
    owner: dict[str | None, int] = {}
    for j, code in enumerate(codes):
        h = j // points.size
        if owner.setdefault(code, h) != h:
            yield f"row {j + 1}: value {code!r} of domain {owner[code] + 1} too"


def property_1(points: PointSet, reduced: Reduced) -> Iterator[str]:
    """Check that l rows have 0 in a column: as many as the least l-diverse group."""
    l = reduced.requirement.core.diversity
    for column in reduced.table.qi:
        zeros = reduced.table.cells(column).count("0")
        if zeros != points.dimension or zeros != l:
            yield f"column {column}: {zeros} zeros, expected l = {l}"


def property_2(reduced: Reduced) -> Iterator[str]:
    """Check that rows that agree on a cell other than 0 have one sensitive value."""
    table = reduced.table
    values = table.column(table.sensitive[0])
    for column in table.qi:
        codes = table.column(column)
        for code, cell in enumerate(table.dictionary(column)):
            if cell != "0" and len(np.unique(values[codes == code])) > 1:
                yield f"column {column}: rows with {cell!r} differ in sensitive value"


def property_3(points: PointSet, reduced: Reduced) -> Iterator[str]:
    """Check that the l rows of a column are l-diverse, and columns differ in rows."""
    table = reduced.table
    values = table.column(table.sensitive[0])
    column_of: dict[tuple[int, ...], str] = {}
    for column in table.qi:
        cells = table.cells(column)
        rows = tuple(j for j, cell in enumerate(cells) if cell == "0")
        if len(set(values[list(rows)])) < points.dimension:
            yield f"column {column}: its rows share a sensitive value"
        if (other := column_of.setdefault(rows, column)) != column:
            yield f"columns {other} and {column} have 0 in the same rows"


@dataclass(frozen=True)
class DimensionalMatching(Reduction[PointSet, frozenset[int]]):
    r"""Reduces l-dimensional matching to star minimization under l-diversity.

    Among points p_1 .. p_d over l domains of N values there are N that share no
    coordinate if and only if the table has an l-diverse release with

    .. math:: l N (d - 1)

    stars; more precisely its least number of stars is :math:`l N d - l \nu`, where
    :math:`\nu` is the largest number of points that share no coordinate.

    The table has a row for each value v of a domain and a column for each point:
    the cell is 0 if v is a coordinate of the point, else the sensitive code u of the
    row. Rows of different domains have different codes. A column kept in a group
    cannot be constant at a code, which would be the sensitive value of all its rows;
    so it is 0, on just the l rows of one point: a group that is not all stars is
    *useful*, has l rows and keeps one column, and useful groups are points that share
    no coordinate. The other rows, as many of each domain, are l-diverse as one group.

    O(l N d). For l = 2 the source is bipartite matching and polynomial.

    X. Xiao, K. Yi, Y. Tao, The Hardness and Approximation Algorithms for L-Diversity,
    EDBT 2010, section 4.

    >>> points = PointSet.of(2, [(0, 0, 0), (1, 0, 1), (1, 1, 1)])
    >>> reduction = DimensionalMatching(m=4)
    >>> reduced = reduction.apply(points)
    >>> reduced.table.rows()[:3], reduced.threshold
    ([('0', '1', '1', '1'), ('2', '0', '0', '2'), ('0', '0', '3', '3')], 12)
    >>> release = reduction.forward(points, frozenset({0, 2}))
    >>> reduced.stars(release), sorted(reduction.lift(points, release))
    (12, [0, 2])
    >>> reduction.check(points).holds
    True
    """

    # number of sensitive values, l <= m <= l N; default l, the hardest case
    m: int | None = None

    def apply(self, source: PointSet) -> Reduced:
        l, n = source.dimension, source.size
        codes = sensitive_codes(l, n, l if self.m is None else self.m)
        rows = []
        for h in range(l):
            for value in range(n):
                code = str(codes[h * n + value])
                cells = ["0" if p[h] == value else code for p in source.points]
                rows.append((*cells, code))
        qi = [f"p{i}" for i in range(1, len(source.points) + 1)]
        name = f"{l}-dimensional-matching {source.name}"
        table = Table.from_rows([*qi, SENSITIVE], rows, qi, [SENSITIVE], name)
        return Reduced(table, LDiversity(l), l * n * (table.d - 1))

    def forward(self, source: PointSet, solution: frozenset[int]) -> Partition:
        """Return a group for each chosen point, and one for all other rows.

        Raises ValueError where two points of ``solution`` share a coordinate.
        """
        if not is_matching(source, solution):
            raise ValueError("Expected a matching, got points that share a coordinate.")
        labels = np.full(source.dimension * source.size, -1)
        for i in solution:
            labels[point_rows(source, i)] = i
        return Partition.from_labels(labels)

    def lift(self, source: PointSet, partition: Partition) -> frozenset[int]:
        """Return the points of the useful groups: a matching, for any release.

        A release of s stars gives (l N d - s) / l points.
        """
        reduced = self.apply(source)
        reduced.stars(partition)
        useful = ~partition.starred(reduced.table)
        return frozenset(map(int, np.flatnonzero(useful.any(axis=0))))

    def size_bound(self, source: PointSet, bound: int) -> int:
        """Return how many points share no coordinate at most."""
        l, d = source.dimension, len(source.points)
        return min(source.size, (l * source.size * d - bound) // l)

    def solve(self, source: PointSet) -> frozenset[int]:
        return maximum_matching(source)

    def claims(
        self, source: PointSet, reduced: Reduced, evidence: Tested
    ) -> Iterator[Claim]:
        values = source.dimension if self.m is None else self.m
        yield Claim("construction", first(construction(source, reduced)))
        yield Claim(
            "sensitive values", first(sensitive_values(source, reduced, values))
        )
        yield Claim("Property 1", first(property_1(source, reduced)))
        yield Claim("Property 2", first(property_2(reduced)))
        yield Claim("Property 3", first(property_3(source, reduced)))
        yield Claim("Property 4", first(_property_4(source, reduced, evidence)))
        yield Claim("Lemma, only if", first(self._only_if(source, reduced, evidence)))
        yield Claim("Lemma, if", first(self._if(source, reduced, evidence)))
        yield Claim("threshold", first(_threshold(source, reduced, evidence)))

    def _only_if(
        self, source: PointSet, reduced: Reduced, evidence: Tested
    ) -> Iterator[str]:
        largest = evidence.solution or frozenset()
        expected = _stars(source, len(largest))
        if (stars := reduced.stars(self.forward(source, largest))) != expected:
            yield f"{len(largest)} points give {stars} stars, expected {expected}"
        # The remaining rows of a smaller matching may happen to be useful, too.
        fewer = frozenset(sorted(largest)[1:])
        if reduced.stars(self.forward(source, fewer)) > _stars(source, len(fewer)):
            yield f"{len(fewer)} points give more than {_stars(source, len(fewer))}"

    def _if(
        self, source: PointSet, reduced: Reduced, evidence: Tested
    ) -> Iterator[str]:
        for release in (Partition.single(reduced.table), *evidence.releases):
            stars, chosen = reduced.stars(release), self.lift(source, release)
            if not is_matching(source, chosen):
                yield f"a release of {stars} stars gives points that share a coordinate"
            if stars != _stars(source, len(chosen)):
                yield f"a release of {stars} stars gives {len(chosen)} points"


def _property_4(source: PointSet, reduced: Reduced, evidence: Tested) -> Iterator[str]:
    least = source.dimension * source.size * (reduced.table.d - 1)
    for release in (Partition.single(reduced.table), *evidence.releases):
        if (stars := reduced.stars(release)) < least:
            yield f"a release of {stars} stars, fewer than {least}"


def _threshold(source: PointSet, reduced: Reduced, evidence: Tested) -> Iterator[str]:
    largest, asked = evidence.solution or frozenset(), _stars(source, source.size)
    if is_perfect_matching(source, largest) != (perfect_matching(source) is not None):
        yield "exact cover and CP-SAT disagree on the answer"
    least = _stars(source, len(largest))
    yield from reduced.failures(asked, evidence.optimum, least)


def sensitive_codes(l: int, n: int, m: int) -> list[int]:
    """Return the sensitive codes 1 .. m of the l n rows, domain by domain.

    Each domain takes as many codes of its own as it can while one is left for every
    later domain (the three cases of section 4, for any l); its remaining rows share
    its last code.

    Raises ValueError for fewer than l or more than l n codes.

    >>> sensitive_codes(3, 4, 8)
    [1, 2, 3, 4, 5, 6, 7, 7, 8, 8, 8, 8]
    """
    if not l <= m <= l * n:
        raise ValueError(f"Expected {l} <= m <= {l * n}, got m = {m}.")
    codes: list[int] = []
    used = 0
    for h in range(l):
        own = min(n, m - used - (l - 1 - h))
        codes += [used + min(value + 1, own) for value in range(n)]
        used += own
    return codes


def point_rows(points: PointSet, number: int) -> list[int]:
    """Return the rows of the l coordinates of a point."""
    return [h * points.size + v for h, v in enumerate(points.points[number])]


def _stars(points: PointSet, useful: int) -> int:
    """Return the stars of a release with so many useful groups."""
    return points.dimension * (points.size * len(points.points) - useful)
