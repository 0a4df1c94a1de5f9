"""What all reductions are: an easier problem, and how its answers are lifted."""

from dataclasses import dataclass, replace

from starmin.instances import Certificate, Partition, Problem, Result, Run
from starmin.instances.requirements.requirements import known_part
from starmin.instances.runs.certificate import describe_table


@dataclass(frozen=True, eq=False)
class Reduction:
    """A problem whose optimum bounds that of another one.

    Both may be reduced further, so that reductions compose.
    """

    source: Problem  # the problem that is asked
    problem: Problem  # the easier one

    def lift(self, release: Partition) -> Partition:
        """Return the release of the other problem for one of the easier problem.

        It may fail what is asked.
        """
        return release

    def lift_bound(self, bound: int) -> int:
        """Return what a bound of the easier problem proves of the other one."""
        return bound

    def lift_proof(self, proof: Certificate) -> Certificate | None:
        """Return the certificate of that; None where no checker knows one."""
        return replace(
            proof,
            table=describe_table(self.source.table),
            requirement=self.source.requirement.as_json(),
        )

    def teach(self, run: Run, found: Result) -> None:
        """Have a run of the other problem take the bound that was found.

        What was accepted of the easier problem, or checks quickly, is a spare of this
        one: the best certificate may check too slowly.
        """
        if found.lower_bound is None or found.bound_method is None:
            return
        quick = [found.accepted] if found.accepted else found.spares
        lifted = map(self.lift_proof, quick)
        run.spares += [spare for spare in lifted if spare is not None]
        proof = found.certificate and self.lift_proof(found.certificate)
        run.raise_bound(self.lift_bound(found.lower_bound), found.bound_method, proof)


class KnownPart(Reduction):
    """What follows from a requirement that no bound knows, of the same table."""

    @classmethod
    def of(cls, source: Problem) -> "KnownPart | None":
        """Return the reduction of a problem; None where nothing that is known follows.

        Examples
        --------
        >>> from starmin.instances import KAnonymity, MaxShare, Table
        >>> rows = [["0", "x"], ["1", "y"]]
        >>> table = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"])
        >>> KnownPart.of(Problem(table, MaxShare(0.6))).problem.requirement
        DistinctDiversity(l=2)
        >>> KnownPart.of(Problem(table, KAnonymity(2)))
        """
        known = known_part(source.requirement)
        if known is None:
            return None
        return cls(source, source.on(requirement=known))

    def lift_proof(self, proof: Certificate) -> Certificate:
        """Return the certificate as it is: ``verify`` derives what it states."""
        return proof
