r"""Lower bounds from a price for each row type, and their certificates.

A price :math:`\lambda_t` on the condition that every copy of type t is released once
turns the pattern formulation into one small problem for each pattern p:

.. math::
    LB(\lambda) = \sum_t \lambda_t s_t + \sum_p \min(0, f_p), \qquad
    f_p = \min \sum_{t \sim p} (cost_p - \lambda_t) x_t

over integer :math:`0 \le x_t \le s_t` that make a group: at least k copies, and at
most h of each sensitive value among at least l h of them, for some h. ``LB`` is below
the optimum for any prices, for a release is a choice of fills whose copies add up to
``s``; its maximum over the prices is the value of the linear relaxation (or more).

For a given h the cheapest fill is greedy, since the bounds on types, values and the
total are nested (a laminar family): in order of price take what is worth taking, then
the least bad until there are enough. As a function of h its value is convex: the
constraints are totally unimodular, so it is a linear program's value, convex in its
right-hand sides and increasing in the least total ``max(k, l h)``, itself convex in
h. So the best h is found by bisection.
"""

import numba
import numpy as np
import numpy.typing as npt

from instances import Certificate, Objective, Requirement, RowTypes, Table
from instances.tables.canonical import canonical_order
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]

_NEVER = np.int64(1) << 60


def integer_prices(prices: npt.NDArray[np.float64]) -> Ints:
    """Prices in units of 1/DENOMINATOR."""
    return np.rint(prices * DENOMINATOR).astype(np.int64)


def mean_star(table: Table, objective: Objective) -> float:
    """What a star costs on average over the columns, 1 at least, to scale steps by.

    For ``gcp``: what it costs to publish nothing of a column.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "0"]], qi=["a", "b"])
    >>> mean_star(table, Objective(weights={"b": 4}))
    2.5
    """
    domains = objective.scales_of(table).domains.tolist()
    whole = [u * full for u, full in zip(objective.units(table), domains, strict=True)]
    return max(1.0, float(sum(whole)) / table.d)


def price_unit(table: Table, objective: Objective, prices: Ints) -> float:
    """What to measure prices by: a star, or for ``gcp`` what a row pays on average.

    Losses of single nodes differ too much to go by them.
    """
    if objective.kind != "gcp":
        return mean_star(table, objective)
    return max(1.0, float(prices.mean()) / DENOMINATOR)


def best_fills(
    patterns: Patterns,
    types: RowTypes,
    prices: Ints,
    k: int = 1,
    l: int = 1,
) -> Ints:
    """``f_p`` of each pattern, in units of 1/DENOMINATOR.

    Parameters
    ----------
    patterns, types
        The patterns and the row types they are made of.
    prices
        One for each type, in units of 1/DENOMINATOR.
    k, l
        The requirement; l applies to the first sensitive column.

    Notes
    -----
    Exact integer arithmetic. Sorts the incidences once; O(incidences) for k alone,
    times the logarithm of the largest group for l.
    """
    reduced = patterns.cost[patterns.pattern] * DENOMINATOR - prices[patterns.types]
    order = np.lexsort((reduced, patterns.pattern))
    members = patterns.types[order]
    values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
    fills: Ints = _best_fills(
        patterns.starts,
        reduced[order],
        patterns.counts[members],
        values[members].astype(np.int64),
        int(values.max()) + 1,
        k,
        l,
    )
    return fills


def price_bound(
    patterns: Patterns,
    types: RowTypes,
    prices: Ints,
    k: int = 1,
    l: int = 1,
) -> int:
    """``LB`` of the prices, rounded up: no release costs less."""
    fills = best_fills(patterns, types, prices, k, l)
    total = int(prices @ patterns.counts) + int(np.minimum(fills, 0).sum())
    return -(-total // DENOMINATOR)


def price_certificate(
    table: Table,
    types: RowTypes,
    requirement: Requirement,
    objective: Objective,
    prices: Ints,
    bound: int,
) -> Certificate:
    """The certificate that ``verify.certificates.check`` re-checks without a solver."""
    order = canonical_order(table, types)
    data = {"denominator": DENOMINATOR, "prices": prices[order].tolist()}
    return Certificate.of(table, requirement, objective, "prices", bound, data)


@numba.njit(cache=True)
def _best_fills(
    starts: Ints,
    reduced: Ints,
    copies: Ints,
    values: Ints,
    distinct: int,
    k: int,
    l: int,
) -> Ints:
    count = len(starts) - 1
    fills = np.empty(count, np.int64)
    used = np.zeros(distinct, np.int64)
    for p in range(count):
        a, b = starts[p], starts[p + 1]
        if l == 1:
            fills[p] = _fill(reduced, copies, values, a, b, used, _NEVER, k)[0]
            continue
        low, high = np.int64(1), np.int64(0)
        for i in range(a, b):
            used[values[i]] += copies[i]
            high = max(high, used[values[i]])
        for i in range(a, b):
            used[values[i]] = 0
        # The smallest h from which on f no longer falls.
        while low < high:
            h = (low + high) // 2
            here, total = _fill(reduced, copies, values, a, b, used, h, max(k, l * h))
            if here == _NEVER:
                # Too few copies: of k for this h, or of l h since h is too large.
                if total < k and total >= l * h:
                    low = h + 1
                else:
                    high = h
                continue
            after = _fill(
                reduced, copies, values, a, b, used, h + 1, max(k, l * (h + 1))
            )[0]
            if after < here:
                low = h + 1
            else:
                high = h
        fills[p] = _fill(reduced, copies, values, a, b, used, low, max(k, l * low))[0]
    return fills


@numba.njit(cache=True)
def _fill(
    reduced: Ints,
    copies: Ints,
    values: Ints,
    a: int,
    b: int,
    used: Ints,
    h: int,
    need: int,
) -> tuple[int, int]:
    """The cheapest fill with at most h copies of a value and at least ``need``."""
    total, value = np.int64(0), np.int64(0)
    for i in range(a, b):
        take = min(copies[i], h - used[values[i]])
        if reduced[i] >= 0:
            if total >= need:
                break
            take = min(take, need - total)
        used[values[i]] += take
        total += take
        value += take * reduced[i]
    for i in range(a, b):
        used[values[i]] = 0
    return (int(value) if total >= need else int(_NEVER)), int(total)
