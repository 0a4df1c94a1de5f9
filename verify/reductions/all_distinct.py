"""k-anonymity to l-diversity with a sensitive value of its own in every row."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from starmin.instances import (
    KAnonymity,
    LDiversity,
    Partition,
    Requirement,
    Table,
    expect_parts,
    why_infeasible,
)
from starmin.verify.brute_force import brute_force
from starmin.verify.reductions.base import Claim, Evidence, Reduced, Reduction, first

SENSITIVE = "sensitive"
Tested = Evidence[Partition]


def _by_brute_force(table: Table, requirement: Requirement) -> Partition | None:
    return brute_force(table, requirement).best


@dataclass(frozen=True)
class AllDistinct(Reduction[Reduced, Partition]):
    r"""Reduces k-anonymity to k-diversity: every row gets its own sensitive value.

    A group of rows with different sensitive values is k-diverse if and only if
    :math:`1 \le |G| / k`, that is, has k rows. So the two tables have the same
    releases, with the same stars, and the same threshold.

    The source is a k-anonymity question, such as another reduction builds: composed,
    they show k-diversity hard, but with as many sensitive values as rows.

    O(n d).

    X. Xiao, K. Yi, Y. Tao, The Hardness and Approximation Algorithms for L-Diversity,
    EDBT 2010, section 1.2.

    >>> rows = [["0", "x"], ["0", "y"], ["1", "y"]]
    >>> source = Reduced(Table.from_rows("ab", rows, "ab"), KAnonymity(3), 6)
    >>> reduction = AllDistinct()
    >>> reduced = reduction.apply(source)
    >>> reduced.table.rows()[0], reduced.requirement, reduced.threshold
    (('0', 'x', '1'), LDiversity(l=3), 6)
    >>> reduction.check(source).holds
    True
    """

    # finds a release with the fewest stars, None where there is none. Default: brute
    # force, for at most 12 rows; a check of larger sources needs an exact method
    solver: Callable[[Table, Requirement], Partition | None] = _by_brute_force

    def apply(self, source: Reduced) -> Reduced:
        old = source.table
        expect_parts(source.requirement, KAnonymity)
        rows = [
            (*row, str(number)) for number, row in enumerate(_qi_rows(old), start=1)
        ]
        column = SENSITIVE
        while column in old.qi:
            column += "'"
        table = Table.from_rows(
            [*old.qi, column], rows, old.qi, [column], f"all-distinct {old.name}"
        )
        k = source.requirement.core.size
        return Reduced(table, LDiversity(k), source.threshold)

    def forward(self, source: Reduced, solution: Partition) -> Partition:
        """Return the groups unchanged."""
        source.stars(solution)
        return solution

    def lift(self, source: Reduced, partition: Partition) -> Partition:
        """Return the groups unchanged."""
        self.apply(source).stars(partition)
        return partition

    def size_bound(self, source: Reduced, bound: int) -> int:
        """Return the bound: the stars of both tables are the same."""
        return bound

    def solve(self, source: Reduced) -> Partition | None:
        """Return a release with the fewest stars, or None where there is none."""
        return self.solver(source.table, source.requirement)

    def claims(
        self, source: Reduced, reduced: Reduced, evidence: Tested
    ) -> Iterator[Claim]:
        yield Claim("construction", first(_construction(source, reduced)))
        yield Claim("same groups", first(_same_groups(source, reduced)))
        yield Claim("same stars", first(_same_stars(source, reduced, evidence)))
        solution = evidence.solution
        least = None if solution is None else source.stars(solution)
        found = reduced.failures(source.threshold, evidence.optimum, least)
        yield Claim("threshold", first(found))


def _qi_rows(table: Table) -> list[tuple[str | None, ...]]:
    return list(zip(*(table.cells(column) for column in table.qi), strict=True))


def _construction(source: Reduced, reduced: Reduced) -> Iterator[str]:
    table = reduced.table
    if _qi_rows(table) != _qi_rows(source.table):
        yield "the quasi-identifiers differ"
    if len(set(table.cells(table.sensitive[0]))) < table.n:
        yield "two rows share a sensitive value"
    k, l = source.requirement.core.size, reduced.requirement.core.diversity
    if k != l:
        yield f"l = {l}, expected k = {k}"


def _same_groups(source: Reduced, reduced: Reduced) -> Iterator[str]:
    """Check that the first rows are allowed as one group before if and only if after.

    Their number is all that matters: no two sensitive values are equal.
    """
    for size in range(1, source.table.n + 1):
        rows = np.arange(size)
        before = why_infeasible(source.table.take(rows), source.requirement)
        after = why_infeasible(reduced.table.take(rows), reduced.requirement)
        if (before is None) != (after is None):
            said = [why or "a group" for why in (before, after)]
            yield f"{size} rows: {said[0]} before, {said[1]} after"


def _same_stars(source: Reduced, reduced: Reduced, evidence: Tested) -> Iterator[str]:
    releases = list(evidence.releases)
    if evidence.solution is not None:
        releases.append(evidence.solution)
    for release in releases:
        before, after = source.stars(release), reduced.stars(release)
        if before != after:
            yield f"{before} stars before, {after} after"
