"""The registry of methods, gathered from the folders of their families.

The command line, the choice of a method, the table in the README and the agreement
tests all read it. A new method is one file, and one declaration in the ``__init__`` of
its folder; a new family is one line here.
"""

from importlib import import_module

from starmin.instances import NotSupportedError, Objective, Requirement
from starmin.instances.arguments import nearest
from starmin.instances.runs.method import CHEAPEST, Kind, Method

# Bounds come in the order in which `auto` tries them: the fast ones first.
FAMILIES = (
    "starmin.models.pattern_ilp",
    "starmin.models.tuples",
    "starmin.models.boxes",
    "starmin.models.matching",
    "starmin.models.pattern_variants",
    "starmin.heuristics.annealing",
    "starmin.heuristics.near_patterns",
    "starmin.heuristics.diving",
    "starmin.heuristics.large_neighbourhood",
    "starmin.heuristics.local_search",
    "starmin.heuristics.approximation",
    "starmin.heuristics.orders",
    "starmin.heuristics.recoding",
    "starmin.heuristics.ruin_and_recreate",
    "starmin.models.bounds",
    "starmin.models.distinct",
    "starmin.models.nonhomogeneous",
    "starmin.heuristics.nonhomogeneous",
    "starmin.models.rules",
    "starmin.heuristics.rules",
    "starmin.heuristics.accuracy_constrained",
)

_KINDS = ("exact", "heuristic", "bound")


def _place(method: Method) -> tuple[bool, int]:
    """Place methods of groups first; exact ones, then heuristics, then bounds."""
    return method.recodings == ("nonhomogeneous",), _KINDS.index(method.kind)


_EVERY: tuple[Method, ...] = tuple(
    sorted(
        (one for path in FAMILIES for one in import_module(path).METHODS), key=_place
    )
)


def of_family(family: str) -> dict[str, Method]:
    """Return the methods of a family, by name, in the order of lists of them."""
    return {method.name: method for method in _EVERY if method.family == family}


METHODS: dict[str, Method] = of_family(CHEAPEST)
LISTED: tuple[Method, ...] = tuple(m for m in _EVERY if m.family == CHEAPEST)
_ALIASES = {alias: method for method in LISTED for alias in method.aliases}


def add(method: Method) -> None:
    """Add a method of another package, after those that there are.

    Raises ValueError where its name is another method's, or it is not of the family of
    cheapest releases.
    """
    if method.family != CHEAPEST:
        raise ValueError(f"{method.name}: only the family {CHEAPEST!r} is open")
    known = METHODS.get(method.name) or _ALIASES.get(method.name)
    if known not in (None, method):
        raise ValueError(f"there is a method {method.name} already, {known.target}")
    METHODS[method.name] = method


def find(name: str, *kinds: Kind) -> Method:
    """Find the method called ``name``, of one of ``kinds`` where any are given.

    A name that a method had before finds it, too. Raises NotSupportedError where there
    is none; the message names the nearest, or those there are.

    >>> find("hilb").name
    'hilbert'
    """
    method = METHODS.get(name) or _ALIASES.get(name)
    if method is not None and (not kinds or method.kind in kinds):
        return method
    among = [m.name for m in METHODS.values() if not kinds or m.kind in kinds]
    wanted = f"one of the {' and '.join(kinds)} methods" if kinds else "a method"
    close = nearest(name, among) or f"; these are: {', '.join(among)}"
    raise NotSupportedError(f"Expected {wanted}, got {name!r}{close}.")


def of_any_family(name: str) -> Method:
    """Find the method called ``name``, of the accuracy-constrained problem too.

    Raises NotSupportedError where there is none.

    >>> of_any_family("k_dual").family
    'accuracy-constrained'
    """
    others = (one for one in _EVERY if one.family != CHEAPEST and one.name == name)
    return next(others, None) or find(name)


def supporting(
    requirement: Requirement,
    objective: Objective,
    *kinds: Kind,
    recoding: str = "suppression",
    own: bool = False,
) -> list[Method]:
    """Return the methods of ``kinds`` (where none are given: of any) for a problem.

    Those of other packages are left out where only our ``own`` are asked for.
    """
    return [
        method
        for method in METHODS.values()
        if (not kinds or method.kind in kinds)
        and not (own and method.package != "starmin")
        and method.supports(requirement, objective, recoding)
    ]
