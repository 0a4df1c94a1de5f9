"""Covers of the rows by patterns: from a list of all, or found as they grow dearer."""

import numpy as np

from starmin.heuristics.approximation.pattern_cover_loops import (
    Cover,
    choose,
    empty_cover,
)
from starmin.instances import NotSupportedError, Run
from starmin.instances.arrays import Ints
from starmin.models.patterns.node_patterns import node_patterns_in_unit
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import MOST_ROWS, PriceUnit

_FIRST_SHARE = 0.1  # of the types have a cheaper pattern than the first price
_STEP, _LEAST_STEP = 1.3, 1.0005  # of one price to the next one
_MOST_INCIDENCES = 8_000_000  # of the patterns that are listed at a time


def cover_of(patterns: Patterns, k: int) -> list[dict[int, int]]:
    """Find a cover by sets of rows of one pattern, as row types with copies."""
    return _sets(_choose(empty_cover(patterns.counts), patterns, k, np.inf))


def cover_by_prices(run: Run, own: Ints, k: int) -> list[dict[int, int]]:
    r"""Find the same cover without a list of all patterns, for losses.

    If r rows that are not yet covered fit a pattern p of k rows or more then it offers
    to cover them for :math:`cost_p \max(k, r) / r` a row. That is less than a price
    :math:`\lambda` if and only if

    .. math::

        \min_x \sum_t (cost_p - \lambda u_t) x_t
              = cost_p \max(k, r) - \lambda r < 0,

    where u is 1 for uncovered types and 0 for others: the best choice of k rows or more
    is worth something at these prices. So the walk that prices patterns finds all
    offers below a price. Prices rise; offers below the last one are gone, as they only
    grow.

    ``own`` is what each type pays at least: the cost of its cheapest pattern. Raises
    NotSupportedError where too many patterns make about the same offer, and
    TimeoutError when the time of the run is up.
    """
    table, objective, types = run.table, run.objective, run.table.row_types
    cover, found = empty_cover(types.counts), []
    price, step = int(np.quantile(own, _FIRST_SHARE)) + 1, _STEP
    # A single row that is left pays for k of them.
    low, unit = 0, PriceUnit.of(table, objective, max(MOST_ROWS, 2 * k))
    while (open_ := cover.left > 0).any():
        run.check_time()
        price = max(price, int(own[open_].min()) + 1)
        patterns = node_patterns_in_unit(
            table,
            types,
            objective,
            np.where(open_, price * unit.per_cost, 0),
            k,
            unit,
            most_incidences=_MOST_INCIDENCES,
            check=run.check_time,
        )
        if patterns is None:
            step = 1 + (step - 1) / 2
            if step < _LEAST_STEP or price <= low + 1:
                raise NotSupportedError(
                    f"Expected at most {_MOST_INCIDENCES:,} pairs of a pattern and a "
                    "row type at a time, got more; ruin_and_recreate takes them."
                )
            price = low + max(1, (price - low) // 2)
            continue
        if len(patterns):
            found.append(_choose(cover, patterns, k, float(price)))
        low, price = price, int(price * step) + 1
    return _sets(np.concatenate(found, axis=1))


def _choose(cover: Cover, patterns: Patterns, k: int, most: float) -> Ints:
    """Choose the sets that are cheap enough: their numbers, the types, the copies."""
    listed = patterns.cost, patterns.starts, patterns.types, patterns.counts
    sets, _, types, copies = choose(cover, *listed, k, most)
    return np.stack([sets, types, copies])


def _sets(chosen: Ints) -> list[dict[int, int]]:
    """Return the sets as row types with copies."""
    starts = np.flatnonzero(np.diff(chosen[0], prepend=-1))
    types, copies = (np.split(entries, starts[1:]) for entries in chosen[1:])
    return [
        dict(zip(members.tolist(), many.tolist(), strict=True))
        for members, many in zip(types, copies, strict=True)
    ]
