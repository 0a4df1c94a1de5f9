"""What all reductions are: an easier problem, and how its answers are lifted."""

from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from starmin.instances import Certificate, Partition, Problem, Result, Run
from starmin.instances.releases.objective import tuples_as_stars
from starmin.instances.requirements.missing_values import MissingValues
from starmin.instances.requirements.requirements import known_part, stricter_part
from starmin.instances.runs.certificate import describe_objective, describe_table


@dataclass(frozen=True, eq=False)
class Reduction:
    """A problem whose optimum bounds that of another one, or whose releases serve.

    Both may be reduced further, so that reductions compose.
    """

    source: Problem  # the problem that is asked
    problem: Problem  # the easier one
    # whether an optimum of the easier problem is one of the other one
    equal: bool = field(default=False, kw_only=True)

    @classmethod
    def of(cls, source: Problem) -> "Reduction | None":
        """Return the reduction of a problem; None where it is for another one."""
        raise NotImplementedError

    @property
    def rest(self) -> Problem | None:
        """A problem beside it, whose release ``lift`` takes in; None: there is none."""
        return None

    def start(self, release: Partition) -> Partition | None:
        """Return the release of the easier problem for one of the other problem."""
        return None

    def lift(
        self, release: Partition, rest: Partition | None = None
    ) -> Partition | None:
        """Return the release of the other problem for one of the easier problem.

        It may fail what is asked; None where nothing becomes of it.
        """
        return release

    def lift_bound(self, bound: int) -> int | None:
        """Return what a bound of the easier problem proves; None: nothing."""
        return bound

    def lift_proof(self, proof: Certificate) -> Certificate | None:
        """Return the certificate of that; None where no checker knows one."""
        return replace(
            proof,
            table=describe_table(self.source.table),
            requirement=self.source.requirement.as_json(),
            objective=describe_objective(self.source.objective),
        )

    def teach(self, run: Run, found: Result) -> None:
        """Have a run of the other problem take the bound that was found.

        What was accepted of the easier problem, or checks quickly, is a spare of this
        one: the best certificate may check too slowly.
        """
        if found.lower_bound is None or found.bound_method is None:
            return
        if (bound := self.lift_bound(found.lower_bound)) is None:
            return
        quick = [found.accepted] if found.accepted else found.spares
        lifted = map(self.lift_proof, quick)
        run.spares += [spare for spare in lifted if spare is not None]
        proof = found.certificate and self.lift_proof(found.certificate)
        run.raise_bound(bound, found.bound_method, proof)


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
        same = known == stricter_part(source.requirement)
        return cls(source, source.on(requirement=known), equal=same)

    def lift_proof(self, proof: Certificate) -> Certificate:
        """Return the certificate as it is: ``verify`` derives what it states."""
        return proof


class StricterPart(Reduction):
    """A usual requirement that implies what is asked: its releases serve here.

    It bounds nothing. All missing sensitive values are one.
    """

    @classmethod
    def of(cls, source: Problem) -> "StricterPart | None":
        """Return the reduction of a problem; None where nothing usual implies it.

        Examples
        --------
        >>> from starmin.instances import MaxShare, Table
        >>> table = Table.from_rows(["a", "s"], [["0", "x"]], ["a"], ["s"])
        >>> StricterPart.of(Problem(table, MaxShare(0.6))).problem.requirement
        LDiversity(l=2)
        """
        stricter = stricter_part(source.requirement)
        if stricter is None or stricter == known_part(source.requirement):
            return None
        parts = source.requirement.parts
        readings = [part.reading for part in parts if isinstance(part, MissingValues)]
        unknown = {None, *chain(*(reading.unknown for reading in readings))}
        table, codes = source.table, source.table.codes
        for column in table.sensitive if readings else ():
            texts = table.dictionary(column)
            missing = [code for code, text in enumerate(texts) if text in unknown]
            if len(missing) > 1:
                codes = codes.copy()
                row = codes[table.names.index(column)]
                row[np.isin(row, missing)] = missing[0]
        table = replace(table, codes=codes)
        return cls(source, source.on(table=table, requirement=stricter))

    def lift_bound(self, bound: int) -> None:
        """Return None: fewer releases are asked for."""


class TuplesAsStars(Reduction):
    """Stars of a table in which they are suppressed tuples; its releases are these."""

    @classmethod
    def of(cls, source: Problem) -> "TuplesAsStars | None":
        """Return the reduction of a problem; None where no tuples are counted.

        Nor is there one where columns are asked about that the table would not have.
        """
        if not source.objective.once or source.requirement.columns:
            return None
        table, stars = tuples_as_stars(source.table, source.objective)
        return cls(source, source.on(table=table, objective=stars), equal=True)
