"""A hardness reduction as an object: build it, map solutions both ways, check it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from starmin.instances import STARS, Certificate, Partition, Requirement, Run, Table
from starmin.verify.exact import BeyondError

Source = TypeVar("Source")
Solution = TypeVar("Solution")


@dataclass(frozen=True, eq=False)
class Reduced:
    """What a reduction builds: a question about stars."""

    table: Table
    requirement: Requirement
    # the answer to the source question is "yes" if and only if some release has at most
    # so many stars
    threshold: int

    def stars(self, partition: Partition) -> int:
        """Count the stars of a release again, from its cells.

        Raises ValueError where it has another number of rows, or violates the
        requirement.
        """
        run = Run(self.table, self.requirement)
        run.offer(partition)
        return partition.value(self.table)

    def failures(
        self, expected: int, optimum: int | None, least: int | None
    ) -> Iterator[str]:
        """Check the threshold, and the least number of stars where it is proven."""
        if self.threshold != expected:
            yield f"threshold {self.threshold}, expected {expected}"
        if optimum is not None and optimum != least:
            yield f"least number of stars {optimum}, expected {least}"


@dataclass(frozen=True)
class Claim:
    """One step of a proof, tested on one instance; ``why_not`` is None if it holds."""

    name: str
    why_not: str | None = None


@dataclass(frozen=True)
class Verdict:
    """How far a proof was followed: the claims that held and the first that failed.

    >>> verdict = Verdict.of([Claim("rows"), Claim("base cost", "row 3 pays 0")])
    >>> verdict.holds, verdict.held, verdict.failed
    (False, ('rows',), Claim(name='base cost', why_not='row 3 pays 0'))
    """

    held: tuple[str, ...]
    failed: Claim | None = None

    @classmethod
    def of(cls, claims: Iterable[Claim]) -> "Verdict":
        """Follow ``claims`` to the first failure; later ones are not looked at."""
        held: list[str] = []
        for claim in claims:
            if claim.why_not is not None:
                return cls(tuple(held), claim)
            held.append(claim.name)
        return cls(tuple(held))

    @property
    def holds(self) -> bool:
        """Whether every claim held."""
        return self.failed is None


@dataclass(frozen=True, eq=False)
class Evidence(Generic[Solution]):
    """What the claims of a proof are tested with."""

    # an optimal solution of the source, or None where it has none
    solution: Solution | None
    releases: tuple[Partition, ...] = ()  # to be mapped back; feasible, good or bad
    # the least number of stars, where an exact method has proven it
    optimum: int | None = None


class Reduction(ABC, Generic[Source, Solution]):
    """A polynomial reduction from a source problem to star minimization."""

    @abstractmethod
    def apply(self, source: Source) -> Reduced:
        """Return the table, the requirement and the threshold for a source instance."""

    @abstractmethod
    def forward(self, source: Source, solution: Solution) -> Partition:
        """Return the release that a source solution gives: the only-if direction."""

    @abstractmethod
    def lift(self, source: Source, partition: Partition) -> Solution:
        """Return the source solution that a release gives: the if direction.

        Raises ValueError where the release violates the requirement.
        """

    @abstractmethod
    def size_bound(self, source: Source, bound: int) -> int:
        """Return a size that no solution of the source is better than.

        No release has fewer stars than ``bound``.
        """

    @abstractmethod
    def solve(self, source: Source) -> Solution | None:
        """Find an optimal source solution by a method that knows nothing of tables."""

    @abstractmethod
    def claims(
        self, source: Source, reduced: Reduced, evidence: Evidence[Any]
    ) -> Iterator[Claim]:
        """Return the claims of the proof in order, each tested when it is asked for."""

    def check(
        self,
        source: Source,
        reduced: Reduced | None = None,
        *,
        releases: Iterable[Partition] = (),
        optimum: int | None = None,
    ) -> Verdict:
        """Test every claim of the proof on one instance, up to the first that fails.

        ``reduced`` is what is said to be the table of the source; default: what
        ``apply`` builds. The ``releases`` are mapped back beside those that the check
        makes itself. ``optimum`` is the least number of stars, if an exact method has
        proven it: then the equivalence itself is tested too.
        """
        built = self.apply(source) if reduced is None else reduced
        evidence = Evidence(self.solve(source), tuple(releases), optimum)
        return Verdict.of(self.claims(source, built, evidence))


def first(failures: Iterable[str]) -> str | None:
    """Return the first of the failures that a claim lists lazily, or None.

    A release that the requirement refuses is a failure too.
    """
    try:
        return next(iter(failures), None)
    except ValueError as refused:
        return str(refused)


# The question of a reduction, answered by a release, or by a certificate.


@dataclass(frozen=True, eq=False)
class Decision(Generic[Solution]):
    """What a release and a certificate prove of the question of a reduction."""

    # the answer is yes if and only if some release has at most so many stars
    threshold: int
    # stars, solution: of the release, and what it is lifted to; None without one
    stars: int | None = None
    solution: Solution | None = None
    # no release has fewer stars, by the certificate; None without one
    bound: int | None = None

    @property
    def answer(self) -> bool | None:
        """The answer that is proven; None if neither is.

        A release at the threshold gives a solution, which proves "yes". A bound above
        it proves "no": a solution would give a release at the threshold.

        >>> Decision(36, stars=36).answer, Decision(36, bound=37).answer
        (True, False)
        >>> Decision(36, stars=37, bound=36).answer is None
        True
        """
        if self.stars is not None and self.stars <= self.threshold:
            return True
        if self.bound is not None and self.bound > self.threshold:
            return False
        return None


def decide(
    reduction: Reduction[Source, Solution],
    source: Source,
    release: Partition | None = None,
    certificate: Certificate | None = None,
) -> Decision[Solution]:
    """Answer a question by a release of its table, a certificate, or both.

    The table is built anew from the source, the stars of the release are counted again,
    and the bound of the certificate is recomputed, so that nothing is taken on trust.

    Release and certificate are of the table that the reduction builds. Raises
    ValueError where the release violates the requirement, or the certificate is
    refused, and BeyondError where the certificate can be neither accepted nor refused.

    >>> from starmin.instances import KAnonymity
    >>> from starmin.verify.reductions.edge_partition import EdgePartition
    >>> from starmin.verify.reductions.source_solvers import Graph
    >>> path = Graph.of("abcd", [("a", "b"), ("b", "c"), ("c", "d")])
    >>> table = EdgePartition().apply(path).table
    >>> data = {"denominator": 1, "prices": [4, 4, 4]}
    >>> proof = Certificate.of(table, KAnonymity(3), STARS, "prices", 12, data)
    >>> decision = decide(EdgePartition(), path, certificate=proof)
    >>> decision.threshold, decision.bound, decision.answer
    (9, 12, False)
    """
    reduced = reduction.apply(source)
    stars = solution = bound = None
    if release is not None:
        stars, solution = reduced.stars(release), reduction.lift(source, release)
    if certificate is not None:
        from starmin.verify.certificates.certificate_check import check_certificate

        check = check_certificate(
            certificate, reduced.table, reduced.requirement, STARS
        )
        if check.accepted is None:
            raise BeyondError(f"The certificate cannot be checked here: {check.why}.")
        if not check.accepted:
            raise ValueError(f"The certificate proves nothing: {check.why}.")
        bound = check.bound
    return Decision(reduced.threshold, stars, solution, bound)
