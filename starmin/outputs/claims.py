"""What is said of a bound: who says so, and what a certificate proves of it."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from starmin.instances import GeneralizedRelease, Problem, Result, Status
from starmin.instances.runs.result import is_near, to_tolerance, unproven
from starmin.instances.runs.run import LEAST
from starmin.registry import METHODS

_UNCHECKED = "for lack of time its certificate was not checked"


def is_certified(found: Result[Any]) -> bool:
    """Check whether a certificate that was accepted proves all of the lower bound.

    That no release costs less than 0 needs none.

    >>> is_certified(Result(None, 3, 3, 0.1)), is_certified(Result(None, 0, 0, 0.1))
    (False, True)
    """
    bound = found.lower_bound
    if bound is None:
        return False
    return bound <= 0 or (found.certified_bound or 0) >= bound


def whose_word(found: Result[Any], named: bool = True) -> str:
    """Say whose word the lower bound is where no certificate proves it.

    ``named``: of a method that is named; else only who speaks is said.

    >>> by_solver = Result(None, 3, 3, 0.1, bound_method="pattern_ilp")
    >>> whose_word(by_solver), whose_word(by_solver, named=False)
    ("the solver's word (HiGHS)", 'a solver (HiGHS)')
    >>> by_search = Result(None, 3, 3, 0.1, bound_method="forest")
    >>> whose_word(by_search), whose_word(by_search, named=False)
    ('the word of forest', 'the search')
    """
    method = METHODS.get(found.bound_method or "")
    if method is not None and method.solver:
        what = "the solver's word" if named else "a solver"
        return f"{what} ({method.solver})"
    if method is not None and method.package != "starmin":
        of = f"the word of {method.name} (package {method.package})"
        return of if named else f"the package {method.package}"
    return f"the word of {found.bound_method}" if named else "the search"


def plain_claim(found: Result[Any]) -> str:
    """Say what was proven of a result, and who says so, without a method.

    >>> plain_claim(Result(None, 3, 3, 0.1, bound_method="pattern_ilp"))
    'optimal, says a solver (HiGHS)'
    """
    return _settled(found) or f"{found.verdict}, says {whose_word(found, named=False)}"


def _settled(found: Result[Any]) -> str | None:
    """Return what is said where nobody's word is needed; None where it is."""
    if found.status is not Status.OPTIMAL or is_certified(found):
        return found.verdict
    if is_near(found.value, found.certified_bound, found.tolerance):
        return to_tolerance(found.tolerance)
    return None


def claim(found: Result[Any], shown: Callable[[int], str]) -> str:
    """Say what was proven of a result, and by whom where no certificate proves it.

    ``shown`` writes a bound.

    >>> claim(Result(None, 3, 3, 0.1, bound_method="pattern_ilp"), str)
    "optimal by the solver's word (HiGHS); no certificate"
    >>> claim(Result(None, 3, 2, 0.1, bound_method="pattern_ilp"), str)
    'feasible'
    >>> close = Result(None, 10**7 + 1, 10**7, 0.1, bound_method="lagrangian")
    >>> claim(replace(close, tolerance=1e-6), str)
    'proven (to 1e-6) by the word of lagrangian; no certificate'
    """
    if (settled := _settled(found)) is not None:
        return settled
    part = _UNCHECKED
    if found.certificate is None:
        part = "no certificate"
    elif found.certified_bound is not None:
        part = f"certified: at least {shown(found.certified_bound)}"
    return f"{found.verdict} by {whose_word(found)}; {part}"


def proven(found: Result[Any], shown: Callable[[int], str], named: bool = False) -> str:
    """Say what a certificate proves of the lower bound, and who says the rest.

    Parameters are those of ``claim``; ``named``: methods are named.

    >>> proven(Result(None, 3, 2, 0.1, bound_method="forest"), str)
    'so says the search, without a proof to check'
    """
    who = whose_word(found, named)
    says = who if named else f"so says {who}"
    if found.certificate is None:
        return "" if is_certified(found) else f"{says}, without a proof to check"
    if found.certified_bound is None:
        return "time was up before its proof was checked: starmin verify checks it"
    if is_certified(found):
        return "the certificate proves all of it"
    part = shown(found.certified_bound)
    rest = (
        f"the rest is {says}"
        if named
        else f"{whose_word(found, named=False)} says the rest"
    )
    return f"the certificate proves {part}, {rest}"


def shown_bound(problem: Problem, bound: int) -> str:
    """Write a bound; a share is rounded down, so that it remains one."""
    shown = problem.shown(bound)
    if isinstance(shown, float) and shown > 1:  # deleted rows may count so much
        return f"{math.floor(shown * 1e4) / 1e4:.4f} times all"
    if isinstance(shown, float):
        return f"{math.floor(shown * 1e6) / 1e4:.4f}%"
    return f"{shown:,}"


def as_published(problem: Problem, found: Result[Any]) -> Result[Any]:
    """Count the stars or tuples that generalization has in the end.

    Where groups are formed for stars and published by ranges and nodes, these are
    fewer than were counted, and what was proven of stars alone does not bound them.
    """
    if problem.coding.recoding != "generalization" or problem.published_as_counted:
        return found
    if found.best is None:
        return found
    table, objective = problem.table, problem.objective
    release = GeneralizedRelease(
        table, found.best, problem.coding.scales(table), problem.coding.star
    )
    costs = objective.row_costs(table, release.starred)
    value = int(found.best.sizes @ costs)
    found = replace(unproven(found), value=value)
    return found if value else replace(found, lower_bound=0, bound_method=LEAST)
