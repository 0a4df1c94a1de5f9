"""What prices prove under distinct l-diversity, as a tree without a split."""

from typing import NamedTuple

import numpy as np

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.distinct.distinct_reduction import Reduction
from starmin.models.lagrangian_relaxation.pattern_fills import Heights, fill_values
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, PriceUnit, exact_sum

_LARGEST = 2**61  # Whoever re-checks it computes in 64 bits.


class _Groups(NamedTuple):
    """The patterns of all types and what makes a valid group of their rows."""

    patterns: Patterns
    k: int
    l: int
    distinct: int
    sensitive: Int32s


def prove_by_prices(
    run: Run, reduction: Reduction, duals: Floats, method: str = "pattern_ilp"
) -> None:
    r"""Tell a run the bound that prices of the placed types prove, with certificate.

    The types that are not placed have the price 0. For any prices

    .. math::

        \sum_t \lambda_t s_t + \sum_p \min(0, v_p)

    is a lower bound, v_p being the least reduced cost of a valid group of rows that fit
    the pattern p. With several sensitive columns the largest v_p of a column counts.

    ``duals`` has a price for each placed type, as the relaxation has them; ``method``
    is who is said to have proven it.

    Notes
    -----
    Integers only, so that no rounding of the solver enters it. A sort of the
    incidences.
    """
    types, patterns = reduction.types, reduction.patterns
    unit = patterns.unit
    prices = _of_all(reduction, unit.whole(duals))
    least = max(reduction.k, reduction.distinct)
    l = run.requirement.core.diversity
    groups = _Groups(patterns, least, l, reduction.distinct, types.sensitive)
    reduced = patterns.cost[patterns.pattern] * unit.per_cost - prices[patterns.types]
    values = fill_values(groups, reduced, Heights.free(len(patterns)))
    values = np.where(values >= INFEASIBLE, 0, np.minimum(values, 0))
    total = int(prices @ types.counts) + exact_sum(values)
    bound = max(0, unit.bound(total))
    proof = price_tree(run, types, prices, bound)
    if proof is not None:
        run.raise_bound(bound, method, proof)


def placed_price_tree(
    run: Run, reduction: Reduction, prices: Ints, bound: int
) -> Certificate | None:
    """Return the certificate of prices of the placed types; the others have 0.

    A row whose price is 0 adds the whole cost of its pattern, as a row that is borrowed
    does; so the prices prove of all types no less than they prove of the reduction.
    They are in units of ``PriceUnit``, and ``bound`` is what they prove of the
    reduction.
    """
    return price_tree(run, reduction.types, _of_all(reduction, prices), bound)


def price_tree(
    run: Run, types: RowTypes, prices: Ints, bound: int
) -> Certificate | None:
    """Return a certificate that has one leaf; None if its numbers are too large.

    Parameters
    ----------
    run
        The problem.
    types
        All distinct rows.
    prices
        Of them, in units of ``PriceUnit``.
    bound
        What they prove.
    """
    n, whole = run.table.n, run.objective.whole(run.table)
    per_cost = PriceUnit.of(run.table, run.objective).per_cost
    highest = max(map(abs, prices.tolist()))
    if 4 * (highest * n + per_cost * (whole + n)) >= _LARGEST:
        return None
    ordered = prices[canonical_order(run.table, types)]
    priced = np.flatnonzero(ordered)
    changes = np.stack([priced, ordered[priced]], axis=1)
    data = {
        "denominator": per_cost,
        "prices": ordered.tolist(),
        "patterns": [],
        "cuts": [],
        "nodes": [{"prices": changes.ravel().tolist()}],
        "sensitive": list(run.table.sensitive),
    }
    return Certificate.of(
        run.table, run.requirement, run.objective, "tree", bound, data
    )


def _of_all(reduction: Reduction, placed: Ints) -> Ints:
    """Return prices of all types, 0 where they are not placed."""
    prices = np.zeros(len(reduction.types), np.int64)
    prices[reduction.placed] = placed
    return prices
