"""What the registry says of a method."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from instances import (
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    MaxShare,
    Objective,
    PerRowK,
    RecursiveDiversity,
    Requirement,
    Result,
    TCloseness,
)
from instances.requirements.hierarchical_closeness import HierarchicalCloseness

Kind = Literal["exact", "heuristic", "bound"]

# Groups can be published in any of these ways.
GROUP_RECODINGS = ("suppression", "generalization", "permutation")

FORMS: dict[type[Requirement], str] = {
    KAnonymity: "k",
    LDiversity: "l",
    DistinctDiversity: "distinct",
    EntropyDiversity: "entropy",
    RecursiveDiversity: "recursive",
    MaxShare: "alpha",
    TCloseness: "t",
    HierarchicalCloseness: "t",
    PerRowK: "k-column",
}


@dataclass(frozen=True)
class Method:
    """One method; its function has the name of its file and is imported when called.

    Attributes
    ----------
    target
        The module; its last part is the name of the method and of the function.
    kind
        ``exact`` (proves its value optimal when it finishes), ``heuristic``, or
        ``bound`` (no release, a lower bound with its certificate).
    requirements
        The forms it takes: ``k``, ``l``, ``k+l``, ..; ``any`` for all of them.
    objectives
        Those it optimises (of a heuristic: those its guarantee is for).
    guarantee
        What is proven of its value.
    reach
        Sizes that finish.
    source
        Where it is from.
    recodings
        How what it finds is published: ``suppression``, ``nonhomogeneous``, ..
    tiny
        The largest number of rows that its tests give it.
    """

    target: str
    kind: Kind
    requirements: tuple[str, ...]
    objectives: tuple[str, ...]
    guarantee: str
    reach: str
    source: str
    recodings: tuple[str, ...] = GROUP_RECODINGS
    tiny: int = 11

    @property
    def name(self) -> str:
        """What users call it."""
        return self.target.rpartition(".")[2]

    def load(self) -> Callable[..., Result[Any]]:
        """Import its function."""
        function: Callable[..., Result[Any]] = getattr(
            import_module(self.target), self.name
        )
        return function

    def options(self) -> frozenset[str]:
        """The keyword arguments its function takes."""
        parameters = inspect.signature(self.load()).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)

    def supports(
        self,
        requirement: Requirement,
        objective: Objective,
        recoding: str = "suppression",
    ) -> bool:
        """Whether it takes this requirement and this objective, published so.

        Examples
        --------
        >>> method = Method("models.x", "exact", ("k",), ("tuples",), "", "", "")
        >>> method.supports(KAnonymity(2), Objective("stars"))
        False
        """
        return (
            ("any" in self.requirements or form(requirement) in self.requirements)
            and objective.kind in self.objectives
            and recoding in self.recodings
        )


def form(requirement: Requirement) -> str:
    """The form of a requirement, whatever its numbers.

    Examples
    --------
    >>> form(LDiversity(2) & KAnonymity(5))
    'k+l'
    """
    forms = {FORMS.get(type(part), type(part).__name__) for part in requirement.parts}
    return "+".join(sorted(forms))
