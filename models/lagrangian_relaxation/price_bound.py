r"""Lower bounds from a price for each row type, and their certificates.

A price :math:`\lambda_t` on the condition that every copy of type t is released once
turns the pattern formulation into one small problem for each pattern p:

.. math::
    LB(\lambda) = \sum_t \lambda_t s_t + \sum_p \min(0, f_p), \qquad
    f_p = \min \sum_{t \sim p} (cost_p - \lambda_t) x_t

over integer :math:`0 \le x_t \le s_t` that make a group: at least k copies, and at
most h of each sensitive value among at least l h of them, for some h. ``LB`` is below
the optimum for any prices, for a release makes one choice for each pattern that it
uses, and their copies add up to ``s``; its maximum over the prices, the Lagrangian
dual, is the value of the linear relaxation or more. The inner minimum is the *pricing
problem* of p, its solution the *best choice*, ``f_p`` its value, and
:math:`cost_p - \lambda_t` the reduced cost of a copy.

For a given h the best choice is greedy, since the bounds on types, values and the
total are nested (a laminar family): in order of reduced cost take what is negative,
then the least of the others until there are enough. As a function of h its value is
convex: the constraints are totally unimodular, so it is a linear program's value,
convex in its right-hand sides and increasing in the least total ``max(k, l h)``, itself
convex in h. So the best h is found by bisection.
"""

import numpy as np

from starmin.instances import Certificate, Objective, Requirement, RowTypes, Table
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.tables.canonical import canonical_order
from starmin.models.lagrangian_relaxation.pattern_fills import (
    Choices,
    best_cap,
    choose,
    most_of_a_value,
)
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, PriceUnit, exact_sum


def mean_star_cost(table: Table, objective: Objective) -> float:
    """Return what a star costs on average over the columns, at least 1.

    Steps of prices are scaled by it. For ``gcp`` it is what it costs to publish nothing
    of a column.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "0"]], qi=["a", "b"])
    >>> mean_star_cost(table, Objective(weights={"b": 4}))
    2.5
    """
    domains = objective.scales_of(table).domains.tolist()
    whole = [u * full for u, full in zip(objective.units(table), domains, strict=True)]
    return max(1.0, float(sum(whole)) / table.d)


def price_step(table: Table, objective: Objective, prices: Ints) -> float:
    """Return what steps of prices are measured in, in the unit of the objective.

    It is the mean cost of a star or, for ``gcp``, the mean price, as the losses of
    single nodes differ too much.
    """
    if not objective.by_node:
        return mean_star_cost(table, objective)
    per_cost = PriceUnit.of(table, objective).per_cost
    return max(1.0, float(prices.mean()) / per_cost)


def pricing_values(
    patterns: Patterns,
    types: RowTypes,
    prices: Ints,
    k: int = 1,
    l: int = 1,
) -> Ints:
    """Solve the pricing problem of each pattern exactly.

    Returns ``f_p`` of each pattern, in units of ``PriceUnit`` as ``prices`` are, which
    are by type; INFEASIBLE where it can be no group. ``l`` applies to the first
    sensitive column. Exact integer arithmetic. Sorts the incidences once; O(incidences)
    for k alone, times the logarithm of the largest group for l.
    """
    unit = patterns.unit
    unit.expect(prices)
    reduced = patterns.cost[patterns.pattern] * unit.per_cost - prices[patterns.types]
    return reduced_values(patterns, types, reduced, k, l)


def reduced_values(
    patterns: Patterns, types: RowTypes, reduced: Ints, k: int = 1, l: int = 1
) -> Ints:
    """Solve the pricing problems for a reduced cost of each incidence; as above."""
    order = np.lexsort((reduced, patterns.pattern))
    members = patterns.types[order]
    values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
    found: Ints = _pricing_values(
        patterns.starts,
        Choices(
            reduced[order],
            patterns.counts[members],
            values[members].astype(np.int64),
            np.zeros(int(values.max()) + 1, np.int64),
        ),
        k,
        l,
    )
    return found


def price_bound(
    patterns: Patterns,
    types: RowTypes,
    prices: Ints,
    k: int = 1,
    l: int = 1,
) -> int:
    """Return ``LB`` of the prices, rounded up: no release costs less.

    Parameters
    ----------
    patterns, types
        The patterns and the distinct rows they are made of.
    prices
        One for each type, in units of ``PriceUnit``.
    k, l
        The requirement; l applies to the first sensitive column.
    """
    found = pricing_values(patterns, types, prices, k, l)
    total = int(prices @ patterns.counts) + exact_sum(np.minimum(found, 0))
    return patterns.unit.bound(total)


def price_certificate(
    table: Table,
    types: RowTypes,
    requirement: Requirement,
    objective: Objective,
    prices: Ints,
    bound: int,
) -> Certificate:
    """Return a certificate that ``certificate_check`` of ``starmin.verify`` accepts.

    ``prices``, by type of ``types`` and in units of ``PriceUnit``, prove ``bound``.
    """
    order = canonical_order(table, types)
    denominator = PriceUnit.of(table, objective).per_cost
    data = {"denominator": denominator, "prices": prices[order].tolist()}
    return Certificate.of(table, requirement, objective, "prices", bound, data)


@compiled
def _pricing_values(starts: Ints, choices: Choices, k: int, l: int) -> Ints:
    """Solve the pricing problem of each pattern."""
    found = np.empty(len(starts) - 1, np.int64)
    for p in range(len(found)):
        a, b = starts[p], starts[p + 1]
        if l == 1:
            found[p] = choose(choices, a, b, INFEASIBLE, k)[0]
        else:
            h = best_cap(choices, a, b, 1, most_of_a_value(choices, a, b), k, l)
            found[p] = choose(choices, a, b, h, max(k, l * h))[0]
    return found
