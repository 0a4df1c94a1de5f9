"""IPCSD: the accuracy-constrained problem by binary search with a direct method."""

import math
import time
from collections.abc import Callable
from fractions import Fraction

from heuristics.accuracy_constrained.accuracy_constrained import finish
from heuristics.accuracy_constrained.problem import (
    MaxPrivacyResult,
    expect_accuracy_constrained,
    largest_loss,
    privacy_of,
    unit_bound,
)
from instances import (
    STARS,
    LDiversity,
    Limit,
    MaxShare,
    Objective,
    Partition,
    Requirement,
    Result,
    Table,
)

Direct = Callable[[Table, Requirement, Objective], Result]

_DIGITS = 9


def iterative_direct(
    table: Table,
    max_loss: float,
    direct: Direct,
    *,
    objective: Objective = STARS,
    whole: bool = True,
    threshold: float = 0.01,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Finds much privacy under a bound on the loss of groups, by binary search over l.

    No guarantee: no method of the direct problem minimises the largest loss of a
    group, so that a larger l may succeed where a smaller one failed.

    The search begins with groups of equal rows, which lose nothing, and with the
    largest l that the table allows.

    Parameters
    ----------
    table, max_loss, objective
        As of ``accuracy_constrained``.
    direct
        A method for l-diversity; where l need not be whole, for ``MaxShare``.
    whole
        Search whole l only.
    threshold
        Where l need not be whole: end when it is known up to this.
    time_limit
        Seconds after which no further l is tried; nor is it after an interrupt.

    See Also
    --------
    accuracy_constrained : made for this problem.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 1 (Figure 3).

    Examples
    --------
    >>> from heuristics.recoding.mondrian import mondrian
    >>> from instances.scales.scales import Scales
    >>> x = ["0", "1", "2", "10", "11", "12"]
    >>> table = Table.from_rows(["x", "s"], list(zip(x, "aabbba")), ["x"], ["s"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> def direct(table, requirement, objective):
    ...     return mondrian(table, requirement, objective=objective)
    >>> iterative_direct(table, 0.2, direct, objective=gcp, whole=False).privacy
    Fraction(3, 2)
    """
    started = time.perf_counter()
    expect_accuracy_constrained(table, objective)
    bound = unit_bound(table, objective, max_loss)
    best = Partition(table.row_types.inverse)
    privacy, tried = privacy_of(table, best), 0
    low, high = privacy, privacy_of(table, Partition.single(table))
    failed, limit = False, None
    try:
        while (l := _between(low, high, whole, failed, threshold)) is not None:
            if time.perf_counter() - started > time_limit:
                limit = Limit.TIME
                break
            tried += 1
            found = direct(table, _asked(l), objective).best
            if found is None or largest_loss(table, found, objective) > bound:
                high, failed = l, True
                continue
            reached = privacy_of(table, found)
            low = max(l, reached)
            if reached > privacy:
                best, privacy = found, reached
    except KeyboardInterrupt:
        limit = Limit.INTERRUPTED
    return finish(table, best, objective, started, {"tried": tried}, limit)


def _between(
    low: Fraction, high: Fraction, whole: bool, failed: bool, threshold: float
) -> Fraction | None:
    """The next l to try, above ``low``, which holds; below ``high`` if that failed."""
    if not whole:
        return (low + high) / 2 if high - low > threshold else None
    most = math.ceil(high) - 1 if failed else math.floor(high)
    least = math.floor(low) + 1
    return Fraction((least + most + 1) // 2) if least <= most else None


def _asked(l: Fraction) -> Requirement:
    if l.denominator == 1 and l > 1:
        return LDiversity(int(l))
    # Decimals that are not below 1/l.
    return MaxShare(math.ceil(10**_DIGITS / l) / 10**_DIGITS)
