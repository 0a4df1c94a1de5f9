"""Methods of the accuracy-constrained problem, as its command calls them.

A binary search with a direct method (IPCSD in the paper) is one of them, and exact
ones for one column of numbers are.
"""

import math
import time
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from starmin.heuristics.accuracy_constrained.accuracy_constrained import (
    accuracy_constrained,
    bounded_k,
    finish,
)
from starmin.heuristics.accuracy_constrained.max_privacy import (
    MaxPrivacyResult,
    carry_out,
    expect_accuracy_constrained,
    expect_group_losses,
    largest_loss,
    privacy_of,
    unit_bound,
)
from starmin.heuristics.orders.line_programs import by_number, expect_few_boundaries
from starmin.heuristics.orders.preset import RowOrder
from starmin.instances import (
    STARS,
    LDiversity,
    MaxShare,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.instances.runs.checkpoint import pass_on
from starmin.models.one_dimensional import boundaries, k_total


def k_dual(table: Table, max_loss: float, *, objective: Objective) -> MaxPrivacyResult:
    """Find the largest k under a bound on extents, exactly, in one column of numbers.

    The table has one quasi-identifier, of numbers, none of them missing; ``max_loss``
    is the largest loss of a group, from 0 to 1; the objective is ``gcp`` by lengths of
    ranges, neither rounded nor of limited width. Raises NotSupportedError for other
    columns or other losses. The program is ``starmin.models.one_dimensional.k_total``.

    Examples
    --------
    >>> from starmin.instances.scales.scales import Scales
    >>> x = ["0", "1", "5", "6", "7"]
    >>> table = Table.from_rows(["x"], [[v] for v in x], ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> k_dual(table, 0.3, objective=gcp).privacy
    Fraction(2, 1)
    """
    started = time.perf_counter()
    expect_group_losses(table, objective)
    order, values = _numbers(table, objective)
    found = k_total.k_dual(values, _longest(table, max_loss, objective))
    best = order.consecutive(found.starts)
    return finish(table.with_roles(table.qi), best, objective, started, {})


def l_dual(table: Table, max_loss: float, *, objective: Objective) -> MaxPrivacyResult:
    """Find the most l-diversity under a bound, exactly, in one column of numbers.

    The table has one quasi-identifier, of numbers, none of them missing, and one
    sensitive column; few rows of few sensitive values. ``max_loss`` is the largest loss
    of a group, from 0 to 1; the objective is ``gcp`` by lengths of ranges, neither
    rounded nor of limited width. Raises NotSupportedError for other columns or losses,
    or more rows than the program ends for. The program is
    ``starmin.models.one_dimensional.boundaries``.

    Examples
    --------
    >>> from starmin.instances.scales.scales import Scales
    >>> x = ["0", "1", "2", "10", "11", "12"]
    >>> table = Table.from_rows(["x", "s"], list(zip(x, "aabbba")), ["x"], ["s"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> l_dual(table, 0.2, objective=gcp).privacy
    Fraction(3, 2)
    """
    started = time.perf_counter()
    expect_accuracy_constrained(table, objective)
    expect_few_boundaries(table)
    order, values = _numbers(table, objective)
    sensitive = table.column(table.sensitive[0])[order.rows]
    longest = _longest(table, max_loss, objective)
    found = boundaries.l_dual(values.astype(np.float64), sensitive, longest)
    assert found is not None  # groups of equal numbers keep every bound
    best = order.partition(found.groups.astype(np.int32))
    return finish(table, best, objective, started, {})


def _numbers(table: Table, objective: Objective) -> tuple[RowOrder, Ints]:
    """Return the rows by their numbers, and these, or refuse."""
    if (found := by_number(table, objective)) is None:
        raise NotSupportedError(
            "Expected one quasi-identifier, of numbers none of which is missing, that "
            "loses the lengths of its ranges; other methods take any table."
        )
    return found


def _longest(table: Table, max_loss: float, objective: Objective) -> float:
    """Return the longest range that a group may have, in units of its scale."""
    (unit,) = objective.units(table)
    allowed = unit_bound(table, objective, max_loss)
    return float(allowed // unit) if unit else float("inf")


Direct = Callable[[Table, Requirement, Objective], Result]

_THRESHOLD = 0.01  # up to which l is to be known that need not be whole
_DIGITS = 9  # Digits of a share that is not 1 / l for a whole l.


def iterative_direct(
    table: Table,
    max_loss: float,
    direct: Direct,
    *,
    objective: Objective = STARS,
    whole: bool = True,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Find much privacy under a bound on the loss of groups, by binary search over l.

    No guarantee: no method of the direct problem minimises the largest loss of a
    group, so that a larger l may succeed where a smaller one failed.

    The search begins with groups of equal rows, which lose nothing, and with the
    largest l that the table allows.

    Of ``table``, ``max_loss``, ``objective`` see ``accuracy_constrained``. ``direct``
    is a method for l-diversity, and for ``MaxShare`` where l need not be ``whole``; the
    search ends when l is known up to 0.01 then. After ``time_limit`` seconds,
    or an interrupt, no further l is tried.

    Ghinita et al. 2009, section 1 (Figure 3); ``accuracy_constrained`` is made for this
    problem.

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
        while (l := _between(low, high, whole, failed)) is not None:
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
    low: Fraction, high: Fraction, whole: bool, failed: bool
) -> Fraction | None:
    """Return the next l to try, above ``low``; below ``high`` if that failed."""
    if not whole:
        return (low + high) / 2 if high - low > _THRESHOLD else None
    most = math.ceil(high) - 1 if failed else math.floor(high)
    least = math.floor(low) + 1
    return Fraction((least + most + 1) // 2) if least <= most else None


def _asked(l: Fraction) -> Requirement:
    """Return the requirement that asks for l, which need not be whole."""
    if l.denominator == 1 and l > 1:
        return LDiversity(int(l))
    # Decimals that are not below 1/l.
    return MaxShare(math.ceil(10**_DIGITS / l) / 10**_DIGITS)


def ac(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Grow groups along the Hilbert curve, by what they lose; see the function."""
    return accuracy_constrained(
        table, max_loss, objective=objective, seed=seed, time_limit=time_limit
    )


def ac_line(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Grow groups along the Hilbert curve, by places on it."""
    return accuracy_constrained(
        table,
        max_loss,
        objective=objective,
        by_loss=False,
        seed=seed,
        time_limit=time_limit,
    )


def ipcsd_1d(
    table: Table,
    max_loss: float,
    *,
    objective: Objective,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Ask ``hilbert_fast`` for more and more privacy, by bisection."""
    from starmin.heuristics.orders.along_curves import hilbert_fast

    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return hilbert_fast(table, asked, objective=objective, seed=seed)

    return iterative_direct(
        table, max_loss, direct, objective=objective, time_limit=time_limit
    )


def ipcsd_mondrian(
    table: Table, max_loss: float, *, objective: Objective, time_limit: float = math.inf
) -> MaxPrivacyResult:
    """Ask ``mondrian`` for more and more privacy, by bisection."""
    from starmin.heuristics.recoding.mondrian import mondrian

    def direct(table: Table, asked: Requirement, objective: Objective) -> Result:
        return mondrian(table, asked, objective=objective)

    return iterative_direct(
        table, max_loss, direct, objective=objective, whole=False, time_limit=time_limit
    )


def k(
    table: Table, max_loss: float, *, objective: Objective, seed: int = 0
) -> MaxPrivacyResult:
    """Find the largest k along a line, where no column is sensitive."""
    return bounded_k(table, max_loss, objective=objective, seed=seed)
