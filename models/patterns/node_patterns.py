"""Find the patterns over nodes that matter at given prices, and who fits them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.patterns import node_arrays as na
from starmin.models.patterns.node_arrays import NodeWalk, doubled, node_walk, walk_order
from starmin.models.patterns.node_walk import start, walk_on
from starmin.models.patterns.patterns import (
    MOST_INCIDENCES,
    Patterns,
    Sought,
    TooManyPairsError,
)
from starmin.models.price_unit import ANY_COST, PriceUnit

# Which row types fit vectors of nodes: compiled loops.


def all_fitting(positions: Int32s, low: Int32s, high: Int32s) -> tuple[Ints, Int32s]:
    """Return the types within each box of positions, one box after the other.

    ``positions`` is m x d, of the types; ``low`` and ``high`` are g x d, the ends of
    the boxes. Before the types come g + 1 numbers: where those of each box begin. Of
    each box only the types are looked at that are within its narrowest side.

    Examples
    --------
    >>> positions = np.array([[0, 0], [1, 0], [1, 1]], np.int32)
    >>> low, high = np.array([[1, 0]], np.int32), np.array([[1, 1]], np.int32)
    >>> [array.tolist() for array in all_fitting(positions, low, high)]
    [[0, 2], [1, 2]]
    """
    m, d = positions.shape
    order = np.empty((d, m), np.int32)
    begins, ends = np.empty(low.shape, np.int64), np.empty(low.shape, np.int64)
    for j in range(d):
        order[j] = np.argsort(positions[:, j], kind="stable")
        ranked = positions[order[j], j]
        begins[:, j] = np.searchsorted(ranked, low[:, j], "left")
        ends[:, j] = np.searchsorted(ranked, high[:, j], "right")
    narrowest = (ends - begins).argmin(axis=1)
    at = np.arange(len(low)), narrowest
    looked_at = order, narrowest, begins[at], ends[at]
    starts = np.zeros(len(low) + 1, np.int64)
    _fit(positions, low, high, *looked_at, starts, np.empty(0, np.int32))
    types = np.empty(starts[-1], np.int32)
    _fit(positions, low, high, *looked_at, starts, types)
    return starts, types


@compiled
def _fit(
    positions: Int32s,
    low: Int32s,
    high: Int32s,
    order: Int32s,
    side: Ints,
    begins: Ints,
    ends: Ints,
    starts: Ints,
    types: Int32s,
) -> None:
    """Count the types of each box; note them where there is room."""
    found = 0
    for g in range(len(low)):
        starts[g] = found
        for i in range(begins[g], ends[g]):
            t = order[side[g], i]
            inside = True
            for j in range(positions.shape[1]):
                code = positions[t, j]
                if code < low[g, j] or code > high[g, j]:
                    inside = False
                    break
            if inside:
                if len(types):
                    types[found] = t
                found += 1
    starts[len(low)] = found


_WORK_AT_A_TIME = 1_000_000  # members looked at between two checks


def priced_node_patterns(
    sought: Sought,
    prices: Ints,
    *,
    threshold: int = 0,
    by_sets: bool = False,
    most_incidences: int = MOST_INCIDENCES,
) -> Patterns | None:
    r"""Return the vectors of nodes whose best fill is worth less than a threshold.

    As ``starmin.models.pricing.pricing`` for stars, over the nodes of taxonomies,
    ranges of numbers and stars alike. Column after column a node is chosen, from the
    root down: a set S of types that fit the nodes chosen so far, which lose c, is cut
    down to those below a node v of the next column. What lies below v in this column
    and in all that follow has a subset of them for members and loses c or more. So the
    rules of fill and members hold with c, and all the more with c and the loss of v
    once v is chosen; that of stars reads: where the members left have a smaller node in
    common than the one chosen, the pattern counts as 0, for the closed one is another.
    Ranges are narrowed from below and then from above, so that each is met once, and
    only those that begin and end at members.

    For l-diversity members are those of cheap row sets, too
    (``starmin.models.patterns.descent``). ``by_sets`` is for a search, where l >
    1 and the threshold is above 0: members are only those of row sets worth less than
    the threshold, which some fills worth less have others beside.

    Notes
    -----
    Other parameters, result and use are as for
    ``starmin.models.pricing.pricing.priced_patterns``.

    Adult, 18,109 types by 8 columns with trees of 6,480 vectors of levels: one to two
    seconds at good prices.

    Examples
    --------
    >>> from starmin.instances import Objective, Scales, Table
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> prices = np.full(3, 3 * PriceUnit.of(table, objective).per_cost)
    >>> sought = Sought(table, table.row_types, objective, k=2)
    >>> found = priced_node_patterns(sought, prices)
    >>> found.cost.tolist(), found.types.tolist()
    ([1], [0, 1])
    """
    k, l, unit = sought.k, sought.l, PriceUnit.of(sought.table, sought.objective)
    unit.expect(prices)
    return _found(
        *(sought, prices, unit, most_incidences),
        by_sets=l > 1 and k <= l and (by_sets or threshold == 0),
        threshold=min(threshold, ANY_COST // 2),
    )


def node_patterns_in_unit(
    sought: Sought, prices: Ints, unit: PriceUnit, most_incidences: int
) -> Patterns | None:
    """Return, for k alone, those whose best fill is negative at prices of a unit."""
    unit.expect(prices)
    return _found(sought, prices, unit, most_incidences)


def node_patterns_within(
    sought: Sought, most: Ints, most_incidences: int
) -> Patterns | None:
    """List the closed vectors of nodes that cost no member more than it may.

    ``most`` has for each type what a pattern may cost that it is a member of. A vector
    is closed if its members have no smaller nodes in common. Returns None where there
    are more than ``most_incidences`` pairs of a pattern and a row type, the most that
    the caller can use.
    """
    unit = PriceUnit.of(sought.table, sought.objective)
    return _found(sought, most * unit.per_cost, unit, most_incidences, mode=na.WITHIN)


def matched_node_patterns(
    sought: Sought, prices: Ints, least: Ints
) -> tuple[Patterns | None, Ints]:
    """Find the vectors of nodes that leave some released row less than is known.

    A released row that is published as a pattern pays its cost and earns the prices of
    k - 1 other rows that fit it, the dearest ones. Below a set of types that fit the
    nodes chosen so far, no row can earn more than from this set, nor pay less than the
    nodes chosen so far cost.

    ``prices`` are of originals, by type, in units of ``PriceUnit``; ``least`` has for
    each type what a released row is left at least, as far as is known, in the same
    unit: costs less earnings. k is at least 2, and nothing else is asked for.

    Returns the patterns, with those types to which they leave less and some that these
    earn: None where there are more than ``MOST_INCIDENCES`` pairs of a pattern and a
    row type. And what is left to each type at least.

    Examples
    --------
    >>> from starmin.instances import Objective, Scales, Table
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> whole = PriceUnit.of(table, objective).per_cost
    >>> prices = np.array([0, 0, 3]) * whole
    >>> sought = Sought(table, table.row_types, objective, k=2)
    >>> found, least = matched_node_patterns(sought, prices, 9 * whole + prices)
    >>> least // whole
    array([1, 1, 7])
    """
    order = np.argsort(-prices, kind="stable")
    unit = PriceUnit.of(sought.table, sought.objective)
    unit.expect(prices)
    lowered, true = least[order], np.empty_like(least)
    given = sought, prices, unit, MOST_INCIDENCES
    found = _found(*given, mode=na.MATCHED, least=lowered)
    true[order] = lowered
    return found, true


def _found(
    sought: Sought, prices: Ints, unit: PriceUnit, most_incidences: int, **how: Any
) -> Patterns | None:
    """Return what a walk finds by falling prices, its fields being set as said."""
    table, types, objective = sought[:3]
    order = np.argsort(-prices, kind="stable")
    walk = node_walk(sought, prices, order, unit)
    done = _run(walk._replace(**how), most_incidences, sought.check)
    if done is None:
        return None
    found = int(done.state[na.PATTERNS])
    starts = np.append(done.starts[:found], done.state[na.INCIDENCES])
    nodes = np.empty((found, table.d), np.int32)
    scales = objective.scales_of(table).scales
    for at, column in enumerate(walk_order(table)):
        lows, highs = done.lows[:found, at], done.highs[:found, at]
        size = scales[column].size
        if scales[column].layout.is_line:
            nodes[:, column] = scales[column].nodes(lows, highs)
        else:
            nodes[:, column] = np.where(lows < size, lows, size - 1 - lows)
    return Patterns(
        nodes,
        done.cost[:found] // unit.per_cost,
        starts,
        order[done.types[: starts[-1]]].astype(np.int32),
        types,
        unit,
    )


def closed_node_patterns(sought: Sought, most_incidences: float) -> Patterns:
    """Return all closed vectors of nodes with enough support.

    They are those whose fills are worth something where every row is worth more than it
    can cost. Errors are as for
    ``starmin.models.patterns.closed_listing.closed_patterns``.
    """
    table, types, objective = sought[:3]
    whole = objective.whole(table) // table.n + 1
    most = int(min(most_incidences, MOST_INCIDENCES))
    prices = np.full(len(types), whole * PriceUnit.of(table, objective).per_cost)
    found = priced_node_patterns(sought, prices, most_incidences=most)
    if found is None or len(found.types) > most:
        raise TooManyPairsError(
            f"Expected at most {most:,} pairs of a pattern and a row type, got more; "
            "large_neighbourhood takes them."
        )
    return found


def cheapest_node_patterns(sought: Sought, most: Ints) -> Ints:
    """Return the cost of the cheapest pattern of each type that can be a group.

    ``most`` has for each type the cost of some pattern that can be one.
    """
    unit = PriceUnit.of(sought.table, sought.objective)
    order = np.arange(len(sought.types))
    walk = node_walk(sought, most * unit.per_cost, order, unit)
    done = _run(walk._replace(mode=na.CHEAPEST), MOST_INCIDENCES, sought.check)
    assert done is not None
    return done.prices // unit.per_cost


def _run(
    walk: NodeWalk, most_incidences: int, check: Callable[[], None]
) -> NodeWalk | None:
    """Walk to the end, with more room where it is used up; None beyond the most."""
    start(walk)
    while walk.state[na.LEVEL] >= 0:
        check()
        walk.state[na.WORK] = _WORK_AT_A_TIME
        walk_on(walk)
        if walk.state[na.FULL] == na.NO_ROOM_FOUND:
            if walk.state[na.INCIDENCES] >= most_incidences:
                return None
            walk = doubled(walk, "types", "starts", "cost", "lows", "highs")
        elif walk.state[na.FULL] == na.NO_ROOM_MEMBERS:
            walk = doubled(walk, "members")
        walk.state[na.FULL] = 0
    return walk
