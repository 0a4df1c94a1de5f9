"""Answer the question of a reduction by a release, or by a certificate."""

from dataclasses import dataclass
from typing import Generic

from starmin.instances import STARS, Certificate, Partition
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.exact import BeyondError
from starmin.verify.reductions.base import Reduction, Solution, Source


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
        check = check_certificate(
            certificate, reduced.table, reduced.requirement, STARS
        )
        if check.accepted is None:
            raise BeyondError(f"The certificate cannot be checked here: {check.why}.")
        if not check.accepted:
            raise ValueError(f"The certificate proves nothing: {check.why}.")
        bound = check.bound
    return Decision(reduced.threshold, stars, solution, bound)
