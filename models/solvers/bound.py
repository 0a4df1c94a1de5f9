"""What a solver's bound, a float, proves of costs that are whole numbers."""

import math
from typing import Any

from instances import Run

_ABSOLUTE, _RELATIVE = 1e-6, 1e-9


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


def note_bound(run: Run[Any], bound: float, method: str, unit: int = 1) -> None:
    """Note what a solver proved in multiples of ``unit``: no more than the best value.

    That is what it means where releases no better than the best one were left out; an
    infinite bound says that there is no other. One of minus infinity says nothing.
    """
    value = run.value
    if math.isfinite(bound):
        proven = unit * whole_bound(bound)
        run.raise_bound(proven if value is None else min(proven, value), method)
    elif bound > 0 and value is not None:
        run.raise_bound(value, method)
