"""The defences that a user asks for, and how they change what a search found."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from starmin.inputs.declared import DECOYS, MARGIN, PAD, DefenceOptions, usage
from starmin.instances import Partition, Problem, Result, TableError
from starmin.instances.arguments import expect_kind, expect_number, expect_whole
from starmin.instances.releases.coding import GENERALIZATION, SUPPRESSION
from starmin.instances.requirements.missing_values import MissingValues
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import MASK, part_of
from starmin.instances.requirements.within import Within
from starmin.outputs.recodings import publish
from starmin.process.faults import InternalError, described


@dataclass(frozen=True)
class Defences:
    """What is hidden beyond what is asked; a search is not told of it.

    Raises TypeError or ValueError for a value that is none, and TableError for a margin
    without l.

    >>> from starmin.instances import KAnonymity, Table, Result
    >>> rows = [["f", "1"], ["m", "1"], ["f", "2"], ["f", "2"]]
    >>> table = Table.from_rows(["sex", "age"], rows, ["sex", "age"])
    >>> import numpy as np
    >>> found = Result(Partition(np.array([0, 0, 1, 1], np.int32)), 2, 2, 0.1)
    >>> after = Defences(pad=True).defend(Problem(table, KAnonymity(2)), found)
    >>> after.value, after.lower_bound, after.defences["pad"]["stars_before"]
    (4, 2, 2)
    """

    pad: bool = PAD.default  # hide more of classes that closure tells in full
    # how much larger the l is that is solved for than the one that is promised
    margin: int = MARGIN.default
    # the share of types with rows that are hidden without need, drawn in secret
    decoys: float = DECOYS.default
    promised: int | None = None  # the l that is promised; None: none is
    # of decoys, for tests alone; None: the system's generator for secrets
    seed: int | None = None
    python: bool = False  # whether errors name arguments, not options

    def __post_init__(self) -> None:
        expect_kind("pad", self.pad, bool)
        expect_whole("margin", self.margin, 0)
        expect_number("decoys", self.decoys)
        if not 0 <= self.decoys <= 1:
            raise ValueError(f"Expected decoys from 0 to 1, got {self.decoys!r}.")
        if self.margin and self.promised is None:
            raise TableError(f"{self._named('margin')} needs {self._named('l')}")

    @classmethod
    def stated(
        cls, options: DefenceOptions, l: int | None, seed: int | None
    ) -> "Defences":
        """Return what the command line states.

        ``l`` is what is promised; ``seed`` is of decoys, for tests alone. Raises
        TableError for a value that is none.
        """
        with usage():
            return cls(**vars(options), promised=l, seed=seed)

    def _named(self, name: str) -> str:
        return name if self.python else f"--{name}"

    @property
    def solved(self) -> int | None:
        """The l that is solved for; None: none is asked for."""
        return None if self.promised is None else self.promised + self.margin

    @property
    def later(self) -> bool:
        """Whether something is done after the search."""
        return bool(self.pad or self.decoys)

    def expect(self, problem: Problem) -> None:
        """Raise TableError where they are not for a problem.

        ``problem`` is what is to be solved, with the margin.
        """
        asked, coding = problem.requirement, problem.coding
        refused = {
            "is for suppression and generalization, whose rows are published by "
            "classes": coding.recoding not in (SUPPRESSION, GENERALIZATION),
            "is not for rows that may be deleted": asked.may_delete,
            "rules over combinations have no classes": asked.space == MASK,
            "needs rows that count, not persons": part_of(asked, Persons) is not None,
            "needs a table that is read as a whole": problem.table.counts is not None,
            "needs columns that are numeric or have taxonomies, not an Objective with "
            "scales": bool(problem.ranged - {*coding.numeric, *coding.trees}),
        }
        for name in ("pad", "decoys"):
            for why, holds in refused.items():
                if holds and getattr(self, name):
                    raise TableError(f"{self._named(name)}: {why}")
        if self.pad:
            from starmin.defences.pad import expect_room

            expect_room(problem, self._named("pad"))
        if not self.decoys:
            return
        for kind, option in (Within, "within"), (MissingValues, "missing-sensitive"):
            if part_of(asked, kind) is not None:
                other = option.replace("-", "_") if self.python else f"--{option}"
                raise TableError(
                    f"{self._named('decoys')}: rows are not dealt anew beside {other}"
                )
        if not any(part.of_sensitive for part in asked.parts):
            raise TableError(f"{self._named('decoys')} needs {self._named('l')}")

    def defend(self, problem: Problem, found: Result[Any]) -> Result[Any]:
        """Return a result with what is hidden in addition, its value recounted.

        ``problem`` is what was solved, with the margin. The bound and its certificate
        stay those of the problem without defences, which are right for it as well: what
        is published with them is one of its releases. Raises InternalError where they
        could not be made; its result is what was found.
        """
        told: dict[str, Any] = {}
        if self.margin:
            told["margin"] = {"promised": self.promised, "solved": self.solved}
        if self.later and isinstance(found.best, Partition):
            try:
                best = self._later(problem, found.best, told)
            except Exception as error:
                why = described(error)
                raise InternalError(f"no defences, as {why}", found) from error
            value = best.value(problem.table, problem.objective)
            found = replace(found, best=best, value=value)
        return replace(found, defences=told) if told else found

    def _later(
        self, problem: Problem, best: Partition, told: dict[str, Any]
    ) -> Partition:
        """Change the groups; add to what is told."""
        from starmin.defences.pad import pad  # it audits, which few ask for

        for name, defend in (("decoys", self._decoys), ("pad", pad)):
            if getattr(self, name):
                before = _hidden(problem, best)
                best, told[name] = defend(problem, best)
                after = _hidden(problem, best)
                told[name] |= {f"{unit}_before": n for unit, n in before.items()}
                told[name] |= {f"{unit}_after": n for unit, n in after.items()}
        why = best.violation(*problem.asked)
        if why is not None:
            raise ValueError(why)
        return best

    def _decoys(
        self, problem: Problem, best: Partition
    ) -> tuple[Partition, dict[str, Any]]:
        from starmin.defences.decoys import with_decoys

        seeded = self.seed is not None
        draws = random.Random(self.seed) if seeded else random.SystemRandom()
        after, told = with_decoys(problem, best, self.decoys, draws)
        return after, {"share": self.decoys, **told}


def _hidden(problem: Problem, best: Partition) -> Mapping[str, int | float]:
    """Return how much is hidden: stars, and the share of detail that is lost."""
    release = publish(problem.public, best, problem.coding)
    return {"stars": release.stars, "gcp": release.gcp}
