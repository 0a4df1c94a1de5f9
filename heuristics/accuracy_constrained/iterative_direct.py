"""Binary search for the most privacy with a direct method (IPCSD in the paper)."""

import math
import time
from collections.abc import Callable, Iterator
from fractions import Fraction

from starmin.heuristics.accuracy_constrained.accuracy_constrained import finish
from starmin.heuristics.accuracy_constrained.max_privacy import (
    MaxPrivacyResult,
    carry_out,
    expect_accuracy_constrained,
    largest_loss,
    privacy_of,
    unit_bound,
)
from starmin.instances import (
    STARS,
    LDiversity,
    MaxShare,
    Objective,
    Partition,
    Requirement,
    Result,
    Table,
)
from starmin.instances.runs.time_used import pass_on

Direct = Callable[[Table, Requirement, Objective], Result]

_DIGITS = 9  # Digits of a share that is not 1 / l for a whole l.


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
    """Find much privacy under a bound on the loss of groups, by binary search over l.

    No guarantee: no method of the direct problem minimises the largest loss of a
    group, so that a larger l may succeed where a smaller one failed.

    The search begins with groups of equal rows, which lose nothing, and with the
    largest l that the table allows.

    Parameters
    ----------
    table
        One sensitive column.
    max_loss
        The largest weighted mean NCP of a group, from 0 to 1.
    objective
        Weights, scales and columns to be kept; ``gcp`` or stars.
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
    >>> from starmin.heuristics.recoding.mondrian import mondrian
    >>> from starmin.instances.scales.scales import Scales
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
    privacy, stats = privacy_of(table, best), {"tried": 0}

    def search() -> Iterator[None]:
        nonlocal best, privacy
        low, high = privacy, privacy_of(table, Partition.single(table))
        failed = False
        while (l := _between(low, high, whole, failed, threshold)) is not None:
            yield
            stats["tried"] += 1
            result = direct(table, _asked(l), objective)
            pass_on(result)
            found = result.best
            if found is None or largest_loss(table, found, objective) > bound:
                high, failed = l, True
                continue
            reached = privacy_of(table, found)
            low = max(l, reached)
            if reached > privacy:
                best, privacy = found, reached

    limit = carry_out(search(), started, time_limit)
    return finish(table, best, objective, started, stats, limit)


def _between(
    low: Fraction, high: Fraction, whole: bool, failed: bool, threshold: float
) -> Fraction | None:
    """Return the next l to try, above ``low``; below ``high`` if that failed."""
    if not whole:
        return (low + high) / 2 if high - low > threshold else None
    most = math.ceil(high) - 1 if failed else math.floor(high)
    least = math.floor(low) + 1
    return Fraction((least + most + 1) // 2) if least <= most else None


def _asked(l: Fraction) -> Requirement:
    """Return the requirement that asks for l, which need not be whole."""
    if l.denominator == 1 and l > 1:
        return LDiversity(int(l))
    # Decimals that are not below 1/l.
    return MaxShare(math.ceil(10**_DIGITS / l) / 10**_DIGITS)
