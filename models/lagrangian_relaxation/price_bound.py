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

from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Certificate, Objective, Problem, RowTypes, Run, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.tables.row_types import canonical_order
from starmin.models.lagrangian_relaxation.pattern_fills import (
    GroupConditions,
    Heights,
    fill_values,
)
from starmin.models.lagrangian_relaxation.pricing_distinct import (
    PricingData,
    Workspace,
    add,
    heapify,
    list_candidates,
    pricing_data,
    scan_members,
    sift_down,
    workspace,
)
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, NO_PRICE, PriceUnit, exact_sum

# Lagrangian fixing: a lower bound on the releases that use an incidence.

# What it costs to force a copy into a pattern, for k-anonymity: a compiled loop.


@compiled
def forced_values_k(
    data: PricingData, prices: Ints, workspace: Workspace, forced: Ints
) -> tuple[int, int, float]:
    """Write ``f_p^t - min(0, f_p)`` of each incidence; return the sum of the minima.

    The sum is as ``PriceUnit.total`` takes it, ``prices`` are by type. ``forced`` is
    written, beside the members: at least ``INFEASIBLE`` less the minimum where no group
    is large enough. The best choice has all copies of negative reduced cost, and the
    cheapest others where those are fewer than k; a copy that is forced into it replaces
    the dearest one where there are no more than k.
    """
    low, high, about = 0, 0, 0.0
    for p in range(len(data.cost)):
        a, b = data.starts[p], data.starts[p + 1]
        members, cost = data.members[a:b], data.cost[p]
        value, copies, _ = scan_members(members, cost, data.counts, prices)
        dearest = 0
        if copies < data.k:
            size = list_candidates(
                members, cost, prices, 0, INFEASIBLE, workspace.keys, workspace.items
            )
            paid, dearest = _pay(workspace, size, data.counts, data.k - copies)
            value = value + paid if paid < INFEASIBLE else INFEASIBLE
        gain = min(0, value)
        about += gain
        low, high = add(low, high, gain)
        for i in range(a, b):
            reduced = cost - prices[data.members[i]]
            extra = max(0, reduced - dearest) if value < INFEASIBLE else 0
            forced[i] = value + extra - gain
    return low, high, about


@inner
def _pay(workspace: Workspace, size: int, counts: Ints, need: int) -> tuple[int, int]:
    """Return what the ``need`` cheapest copies in the heap cost, and the dearest."""
    keys, items = workspace.keys, workspace.items
    heapify(keys, items, size)
    paid, dearest = 0, 0
    while need > 0:
        if size == 0:
            return INFEASIBLE, 0
        dearest = keys[0]
        take = min(need, counts[items[0]])
        paid += take * dearest
        need -= take
        size -= 1
        keys[0], items[0] = keys[size], items[size]
        sift_down(keys, items, 0, size)
    return paid, dearest


def lagrangian_fixing(patterns: Patterns, prices: Ints, k: int = 1, l: int = 1) -> Ints:
    r"""Bound from below the releases with x[p, t] >= 1, for each pair (p, t).

    Where pattern p is used for a copy of t, its part of the price bound is not
    :math:`\min(0, f_p)` but the value

    .. math::
        LB(\lambda) - \min(0, f_p(\lambda)) + f_p^t(\lambda), \qquad
        f_p^t = \min_h \big(f_p(h) + e_t(h)\big),

    with h the most copies of a sensitive value and :math:`e_t(h) \ge 0` what it costs
    to force one copy of t into the best choice for h:

    - nothing where t is in it;
    - where h copies of the value of t are: t replaces the one of them that has the
      highest reduced cost;
    - else t is added, or replaces the copy of the highest reduced cost of all, if there
      are no more copies than there must be and that cost is positive.

    One exchange is enough since the choices for one h are, but for their least total,
    the independent sets of a laminar matroid. For k-anonymity alone there is one h
    only, infinite. As :math:`e_t \ge 0` and f is convex, h goes up from 1 until f rises
    and is by itself no better than what all members have.

    ``prices`` are by type, and l applies to the first sensitive column. Returns for
    each pair, in units of ``PriceUnit`` like the prices, a number that no release that
    uses it costs less than; INFEASIBLE beyond the bound where none uses it at all.

    Notes
    -----
    For l-diversity it sorts the members of each pattern, and passes over them for each
    h that is tried, of which there are few.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> rows = [["0", "x"], ["0", "x"], ["1", "x"], ["1", "x"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> patterns.cost[patterns.pattern].tolist()
    [0, 0, 1, 1]
    >>> prices = np.zeros(2, np.int64)
    >>> least = lagrangian_fixing(patterns, prices, k=2)
    >>> (least / patterns.unit.per_cost).tolist()
    [0.0, 0.0, 2.0, 2.0]
    """
    patterns.unit.expect(prices)
    forced = np.empty(len(patterns.types), np.int64)
    data = pricing_data(patterns, k, l)
    if l == 1:
        gains = forced_values_k(data, prices, workspace(data), forced)
    else:
        gains = _forced_values(data, prices, forced)
    bound = int(prices @ patterns.counts) + patterns.unit.total(gains)
    # Below that it says nothing of any incidence, whatever is added.
    return np.asarray(max(bound, NO_PRICE) + forced)


class _Members(NamedTuple):
    """The members of one pattern in order of reduced cost, and room for counts."""

    reduced: Ints  # reduced, members: reduced costs, and the types
    members: Int32s
    counts: Ints  # counts, values: of each type its copies and its sensitive value
    values: Int32s
    used: Ints  # of each value the copies taken; all zero before and after a call
    highest: Ints  # of each value the highest reduced cost that was taken


@compiled
def _forced_values(
    data: PricingData, prices: Ints, forced: Ints
) -> tuple[int, int, float]:
    """Write ``f_p^t - min(0, f_p)`` to ``forced``; return the sum of the minima."""
    low, high, about = 0, 0, 0.0
    k, l = data.k, data.l
    distinct = data.values.max() + 1
    used, highest = np.zeros(distinct, np.int64), np.zeros(distinct, np.int64)
    for p in range(len(data.cost)):
        a, b = data.starts[p], data.starts[p + 1]
        reduced = data.cost[p] - prices[data.members[a:b]]
        order = np.argsort(reduced)
        members = data.members[a:b][order]
        pattern = _Members(
            reduced[order], members, data.counts, data.values, used, highest
        )
        best = np.full(b - a, INFEASIBLE)
        least = _force_over_caps(pattern, k, l, best)
        gain = min(0, least)
        about += gain
        low, high = add(low, high, gain)
        for i in range(b - a):
            forced[a + order[i]] = best[i] - gain
    return low, high, about


@inner
def _force_over_caps(pattern: _Members, k: int, l: int, best: Ints) -> int:
    """Find the best over all h, for f and for each member; return the least f."""
    counts, values, used = pattern.counts, pattern.values, pattern.used
    support, least, frequency = 0, INFEASIBLE, 0
    for t in pattern.members:
        support += counts[t]
        used[values[t]] += counts[t]
        frequency = max(frequency, used[values[t]])
    for t in pattern.members:
        used[values[t]] = 0
    for h in range(1, min(frequency, support // l) + 1):
        here = _force_at_cap(pattern, h, max(k, l * h), best)
        rising = here > least
        least = min(least, here)
        # f is convex: from here on it rises, and what is forced costs no less than f.
        if rising and here >= best.max():
            break
    return least


@inner
def _force_at_cap(pattern: _Members, h: int, need: int, best: Ints) -> int:
    """Return f at this h; lower ``best`` to it plus what each member costs to force."""
    reduced, members, counts = pattern.reduced, pattern.members, pattern.counts
    values, used, highest = pattern.values, pattern.used, pattern.highest
    total, value, top, end = 0, 0, 0, len(members)
    for i in range(len(members)):
        if reduced[i] >= 0 and total >= need:
            end = i
            break
        t = members[i]
        take = min(counts[t], h - used[values[t]])
        if reduced[i] >= 0:
            take = min(take, need - total)
        if take > 0:
            used[values[t]] += take
            total += take
            value += take * reduced[i]
            highest[values[t]] = top = reduced[i]
    if total >= need:
        exchanged = max(top, 0) if total == need else 0
        for i in range(len(members)):
            v = values[members[i]]
            instead = highest[v] if used[v] >= h else exchanged
            best[i] = min(best[i], value + max(0, reduced[i] - instead))
    for i in range(end):
        used[values[members[i]]] = 0
    return value if total >= need else INFEASIBLE


def mean_star_cost(table: Table, objective: Objective) -> float:
    """Return what a star costs on average over the columns, at least 1.

    For ``gcp`` it is what it costs to publish nothing of a column.

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


def pricing_values(patterns: Patterns, prices: Ints, k: int = 1, l: int = 1) -> Ints:
    """Solve the pricing problem of each pattern exactly.

    Returns ``f_p`` of each pattern, in units of ``PriceUnit`` as ``prices`` are, which
    are by type; INFEASIBLE where it can be no group. ``l`` applies to the first
    sensitive column. O(incidences) after a sort for k alone, times the logarithm of the
    largest group for l.
    """
    unit = patterns.unit
    unit.expect(prices)
    reduced = patterns.cost[patterns.pattern] * unit.per_cost - prices[patterns.types]
    return reduced_values(patterns, reduced, k, l)


def reduced_values(patterns: Patterns, reduced: Ints, k: int = 1, l: int = 1) -> Ints:
    """Solve the pricing problems for a reduced cost of each incidence; as above."""
    groups = GroupConditions(patterns, k, l, 1, patterns.row_types.sensitive[:, :1])
    return fill_values(groups, reduced, Heights.free(len(patterns)))


def price_bound(patterns: Patterns, prices: Ints, k: int = 1, l: int = 1) -> int:
    """Return ``LB`` of the prices, rounded up: no release costs less.

    Parameters
    ----------
    patterns, prices, k, l
        Prices are by type, in units of ``PriceUnit``; l applies to the first sensitive
        column.
    """
    found = pricing_values(patterns, prices, k, l)
    total = int(prices @ patterns.counts) + exact_sum(np.minimum(found, 0))
    return patterns.unit.bound(total)


def price_certificate(
    problem: Run[Any] | Problem, types: RowTypes, prices: Ints, bound: int
) -> Certificate:
    """Return a certificate that ``certificate_check`` of ``starmin.verify`` accepts.

    ``prices``, by type of ``types`` and in units of ``PriceUnit``, prove ``bound``.
    """
    order = canonical_order(problem.table, types)
    denominator = PriceUnit.of(problem.table, problem.objective).per_cost
    data = {"denominator": denominator, "prices": prices[order].tolist()}
    return Certificate.of(*problem.asked, "prices", bound, data)


def note_prices(
    run: Run[Any], types: RowTypes, prices: Ints, bound: int, method: str
) -> None:
    """Tell a run a bound that prices prove, with its certificate, as of a method."""
    run.raise_bound(bound, method, price_certificate(run, types, prices, bound))
