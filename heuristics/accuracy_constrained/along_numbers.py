"""The accuracy-constrained problem solved exactly, for one column of numbers."""

import time

import numpy as np

from starmin.heuristics.accuracy_constrained.accuracy_constrained import finish
from starmin.heuristics.accuracy_constrained.max_privacy import (
    MaxPrivacyResult,
    expect_accuracy_constrained,
    expect_group_losses,
    unit_bound,
)
from starmin.heuristics.cuts.preset import RowOrder
from starmin.heuristics.line.by_program import expect_few_boundaries, plain_numbers
from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.arrays import Ints
from starmin.models.one_dimensional import k_total as program_for_k
from starmin.models.one_dimensional import l_dual as program_for_l


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
    found = program_for_k.k_dual(values, _longest(table, max_loss, objective))
    best = order.consecutive(found.starts)
    return finish(table.with_roles(table.qi), best, objective, started, {})


def l_dual(table: Table, max_loss: float, *, objective: Objective) -> MaxPrivacyResult:
    """Find the most l-diversity under a bound, exactly, in one column of numbers.

    The table has one quasi-identifier, of numbers, none of them missing, and one
    sensitive column; few rows of few sensitive values. ``max_loss`` is the largest loss
    of a group, from 0 to 1; the objective is ``gcp`` by lengths of ranges, neither
    rounded nor of limited width. Raises NotSupportedError for other columns or losses,
    or more rows than the program ends for. The program is
    ``starmin.models.one_dimensional.l_dual``.

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
    found = program_for_l.l_dual(values.astype(np.float64), sensitive, longest)
    assert found is not None  # groups of equal numbers keep every bound
    best = order.partition(found.groups.astype(np.int32))
    return finish(table, best, objective, started, {})


def _numbers(table: Table, objective: Objective) -> tuple[RowOrder, Ints]:
    """Return the rows by their numbers, and these, or refuse."""
    numbers = plain_numbers(table, objective)
    if numbers is None:
        raise NotSupportedError(
            "Expected one quasi-identifier, of numbers none of which is missing, that "
            "loses the lengths of its ranges; other methods take any table."
        )
    order = RowOrder.of(table, [], numbers)
    return order, numbers[table.row_types.inverse[order.rows]]


def _longest(table: Table, max_loss: float, objective: Objective) -> float:
    """Return the longest range that a group may have, in units of its scale."""
    (unit,) = objective.units(table)
    allowed = unit_bound(table, objective, max_loss)
    return float(allowed // unit) if unit else float("inf")
