"""What a solver's bound, a float, proves of costs that are whole numbers."""

import math
from typing import Any

from starmin.instances import Run
from starmin.instances.releases.objective import MOST_EXACT

# The room that a solver of floats is given, absolute and as a share of its bound.
_ABSOLUTE, _RELATIVE = 1e-6, 1e-9
_NEAR = 2.0**-50  # The share by which a large whole number is off as a float, at most.


def whole_bound(bound: float) -> int:
    """Return a whole number that a minimum is not below, by a solver's finite bound.

    The bound is rounded up, with room for what solvers leave: 1e-6 for their
    tolerances where costs are moderate, and a billionth of the bound for its sums,
    which keep some ten of sixteen digits. So a bound beyond a billion proves less than
    itself.

    Examples
    --------
    >>> whole_bound(2.0000004), whole_bound(2.1), whole_bound(52464671855.3)
    (2, 3, 52464671803)
    """
    return math.ceil(bound - max(_ABSOLUTE, _RELATIVE * abs(bound)))


def integer_bound(bound: float) -> int:
    """Return a whole number that a minimum is not below, by a bound of CP-SAT.

    CP-SAT computes in whole numbers and tells its bound, a finite one, as a float.

    Examples
    --------
    >>> integer_bound(3.0), integer_bound(float(2**60)) <= 2**60
    (3, True)
    """
    if abs(bound) < MOST_EXACT:
        return round(bound)
    return math.floor(bound - _NEAR * abs(bound))


def note_bound(run: Run[Any], bound: float, method: str, unit: int = 1) -> None:
    """Let a run learn what a solver proved, but no more than its best value.

    More is never proven where releases no better than the best one were left out.
    ``bound`` is in multiples of ``unit``, what the solver counts as 1. Infinity says
    that there is no other release than the best one; minus infinity says nothing.
    ``method`` is named for the bound.
    """
    value = run.value
    if math.isfinite(bound):
        proven = unit * whole_bound(bound)
        run.raise_bound(proven if value is None else min(proven, value), method)
    elif bound > 0 and value is not None:
        run.raise_bound(value, method)
