"""The declaration of a method: what it solves, and with what guarantee.

A declaration stands once, beside its method, in the folder of its family; the
dispatcher, the command line, the README and the tests read it.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from starmin.instances.errors import NotSupportedError
from starmin.instances.releases.coding import GROUP_RECODINGS
from starmin.instances.releases.objective import Objective
from starmin.instances.requirements.requirement import PARTITION, Requirement

Kind = Literal["exact", "heuristic", "bound"]

# Forms of requirements: diversity by frequency, by different values, and both.
DIVERSE = "k", "l", "k+l", "distinct", "distinct+k", "distinct+l", "distinct+k+l"

# Families of methods: the cheapest release under a requirement, or the most privacy
# under a bound on what each group loses.
CHEAPEST = "cheapest"
ACCURACY_CONSTRAINED = "accuracy-constrained"


@dataclass(frozen=True)
class Need:
    """What a method needs of the time, as it knows before it begins."""

    # of what: ``pairs`` of a row type and a pattern, ``couples`` of row types,
    # ``types`` of rows, ``rows``, ``cells`` of types, or ``comparisons`` of the cells
    # of two; or rows that a ``group`` has at least
    unit: str
    a_second: float = math.inf  # how many of them it can do in a second
    # with more of them it is of no use, or of too much memory, whatever the time
    most: float = math.inf
    # whether it is of no use without so much time; else others come before it
    must: bool = True

    def seconds(self, amount: float) -> float:
        """Return how long so many of them take; infinite for too many.

        >>> Need("rows", a_second=10, most=100).seconds(50)
        5.0
        """
        return math.inf if amount > self.most else amount / self.a_second


@dataclass(frozen=True)
class Method:
    """One method; its function has the name of its file and is imported when called.

    Attributes
    ----------
    target
        The module; its last part is the name of the method and of the function. Or
        ``module:function``.
    kind
        ``exact`` (proves its value optimal when it finishes), ``heuristic``, or
        ``bound`` (no release, a lower bound with its certificate).
    requirements
        The forms it takes: ``k``, ``l``, ``k+l``, ..; ``any`` for all of them.
    objectives
        Those it optimises (of a heuristic: those its guarantee is for).
    guarantee, reach, source
        What is proven of its value, which sizes finish, and where it is from.
    recodings
        How what it finds is published: ``suppression``, ``nonhomogeneous``, ..
    aliases
        Names that it had before, and still answers to.
    counted
        Whether it takes counted tables, which hold distinct rows alone.
    space
        What it finds: groups, or a mask with stars by row.
    solver
        Whose word its bounds are where no certificate proves them; empty: its own.
    family, called
        What it is asked; methods of another family have names of their own. Its name,
        where that is not the function's.
    needs
        What it needs of the time; ``auto`` asks it only where there is as much.
    pauses
        Whether its search goes on after a pause as if there had been none. Others plan
        all they do by their time limit.
    """

    target: str
    kind: Kind
    requirements: tuple[str, ...]
    objectives: tuple[str, ...]
    guarantee: str
    reach: str
    source: str
    recodings: tuple[str, ...] = GROUP_RECODINGS
    aliases: tuple[str, ...] = ()
    counted: bool = False
    space: str = PARTITION
    solver: str = ""
    family: str = CHEAPEST
    called: str = ""
    needs: tuple[Need, ...] = ()
    pauses: bool = False

    @property
    def name(self) -> str:
        """What users call it."""
        return self.called or self.target.rpartition(":")[2].rpartition(".")[2]

    @property
    def module(self) -> str:
        """Where its function is."""
        return self.target.partition(":")[0]

    @property
    def package(self) -> str:
        """The package that it is from; another than ``starmin`` may declare it, too."""
        return self.module.partition(".")[0]

    def load(self) -> Callable[..., Any]:
        """Import its function."""
        name = self.target.rpartition(":")[2].rpartition(".")[2]
        function: Callable[..., Any] = getattr(import_module(self.module), name)
        return function

    def options(self) -> frozenset[str]:
        """Return the keyword arguments its function takes."""
        parameters = inspect.signature(self.load()).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)

    def supports(
        self,
        requirement: Requirement,
        objective: Objective,
        recoding: str = "suppression",
    ) -> bool:
        """Check whether it takes this requirement and objective, published so.

        Examples
        --------
        >>> from starmin.instances import KAnonymity
        >>> method = Method("starmin.x", "exact", ("k",), ("tuples",), "", "", "")
        >>> method.supports(KAnonymity(2), Objective("stars"))
        False
        """
        return (
            self._takes(requirement)
            and objective.kind in self.objectives
            and recoding in self.recodings
        )

    def _takes(self, requirement: Requirement) -> bool:
        """Check whether it takes the form of a requirement."""
        forms = self.requirements
        return requirement.space == self.space and (
            ("any" in forms and requirement.of_rows) or requirement.form in forms
        )

    def expect(self, requirement: Requirement, objective: Objective) -> None:
        """Raise NotSupportedError where it does not take this problem.

        Its recoding is not asked: whoever calls a method takes what it finds.

        Examples
        --------
        >>> from starmin.instances import LDiversity
        >>> method = Method("starmin.x", "exact", ("k",), ("stars",), "", "", "")
        >>> method.expect(LDiversity(2), Objective("stars"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        starmin.instances.errors.NotSupportedError: x takes requirements of the ...
        """
        if not self._takes(requirement):
            takes = ", ".join(self.requirements)
            raise NotSupportedError(
                f"{self.name} takes requirements of the form {takes}; "
                f"got {requirement.form}."
            )
        if objective.kind not in self.objectives:
            takes = " or ".join(self.objectives)
            raise NotSupportedError(
                f"{self.name} takes the objective {takes}; got {objective.kind}."
            )
