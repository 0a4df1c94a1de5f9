"""What prices and multipliers of group-count cuts prove, and its certificate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances import Certificate, Run
from starmin.instances.arrays import Int32s, Ints, distinct
from starmin.instances.tables.canonical import canonical_order
from starmin.models.lagrangian_relaxation.price_bound import reduced_values
from starmin.models.pattern_program.group_cuts import GroupCut
from starmin.models.patterns.fitting import all_fitting
from starmin.models.patterns.group_nodes import numbers_of
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, exact_sum
from starmin.models.pricing.cut_terms import CutTerms

_MOST = 2**60  # sums stay below this


@dataclass(frozen=True, eq=False)
class StatedCuts:
    """Cuts by patterns that have all types that fit."""

    patterns: Patterns  # those of the cuts
    cuts: list[GroupCut]  # with patterns by their number among these

    @classmethod
    def of(cls, run: Run, listed: Patterns, cuts: Sequence[GroupCut]) -> "StatedCuts":
        """Look up all types for cuts by a list that may lack some."""
        none = np.zeros(0, np.int64)
        chosen = distinct(none, *(cut.patterns for cut in cuts))
        nodes, scales = listed.nodes[chosen], run.objective.scales_of(run.table)
        types = run.table.row_types
        positions = scales.positions(types.codes)
        starts, members = all_fitting(positions, *scales.spans(nodes))
        cost = listed.cost[chosen]
        held = Patterns(nodes, cost, starts, members, types.counts, listed.unit)
        return cls(
            held,
            [GroupCut(c.types, np.searchsorted(chosen, c.patterns)) for c in cuts],
        )


def cut_bound(
    run: Run, k: int, found: Patterns, prices: Ints, stated: StatedCuts, by: Ints
) -> int | None:
    """Return what prices and multipliers prove, in units of ``PriceUnit``.

    None where sums might not fit 64 bits.

    Parameters
    ----------
    run, k
        The problem.
    found
        The patterns that are worth something at the prices.
    prices, by
        In units of ``PriceUnit``; multipliers are of cuts times r.
    stated
        The cuts.
    """
    table, types, held = run.table, run.table.row_types, stated.patterns
    highest = int(np.abs(prices).max()) + int(by.sum())
    unit = found.unit
    whole = run.objective.whole(table) * unit.per_cost
    if highest * (table.n + k) + whole >= _MOST:
        return None
    terms = CutTerms.of(held, stated.cuts, k)
    total: int = int(prices @ types.counts) - sum((by * terms.r * terms.q).tolist())
    cheaper, opening = terms.charges(held, by)
    reduced = held.cost[held.pattern] * unit.per_cost - prices[held.types] - cheaper
    if len(held):
        worth = reduced_values(held, types, reduced, k)
        worth = np.where(worth >= INFEASIBLE, 0, worth + opening)
        total += exact_sum(np.minimum(worth, 0))
    numbers = numbers_of(np.concatenate([found.nodes, held.nodes]))
    here, there = np.split(numbers, [len(found)])
    others = found.select(~np.isin(here, there))
    if len(others):
        own = others.cost[others.pattern] * unit.per_cost - prices[others.types]
        total += exact_sum(np.minimum(reduced_values(others, types, own, k), 0))
    return total


def cut_certificate(
    run: Run, prices: Ints, bound: int, stated: StatedCuts, by: Ints
) -> Certificate:
    """Return a certificate that ``certificate_check`` of ``starmin.verify`` accepts.

    ``prices`` and the multipliers ``by``, which are of cuts times r, are in units of
    ``PriceUnit``; ``bound`` is what they prove.
    """
    table, objective, patterns = run.table, run.objective, stated.patterns
    types = table.row_types
    order = canonical_order(table, types)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    positions = objective.scales_of(table).positions(types.codes)
    data = {
        "denominator": stated.patterns.unit.per_cost,
        "prices": prices[order].tolist(),
        "patterns": [
            _cover(positions, patterns.types[first:last], rank)
            for first, last in zip(patterns.starts, patterns.starts[1:], strict=False)
        ],
        "cuts": [
            [sorted(rank[cut.types].tolist()), cut.patterns.tolist(), multiplier]
            for cut, multiplier in zip(stated.cuts, by.tolist(), strict=True)
        ],
    }
    return Certificate.of(table, run.requirement, objective, "prices", bound, data)


def _cover(
    positions: npt.NDArray[np.integer], members: Int32s, rank: Ints
) -> list[int]:
    """Return types whose smallest common pattern is the one of these members.

    Those with the least and the greatest position in each column.
    """
    own = positions[members]
    chosen = {*own.argmin(axis=0).tolist(), *own.argmax(axis=0).tolist()}
    return sorted(rank[members[sorted(chosen)]].tolist())
