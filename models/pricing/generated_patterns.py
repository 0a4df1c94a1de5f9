"""Patterns for searches in wide tables, where all of them are too many to list."""

import numpy as np

from starmin.instances import Objective, Partition, RowTypes, Run, Table
from starmin.instances.arrays import Ints, distinct
from starmin.models.lagrangian_relaxation.price_bound import price_step
from starmin.models.patterns.fitting import all_fitting
from starmin.models.patterns.group_nodes import group_nodes, numbers_of
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pricing import priced_patterns

_TRIES = 6
_FIRST_THRESHOLD = 2.0  # in mean prices
_FIRST_THRESHOLD_LOSSES = 0.5  # likewise, for losses under k-anonymity
_AMPLE, _ENOUGH = 4, 3  # times the incidences wanted, and a part of them


def generated_patterns(
    run: Run,
    types: RowTypes,
    prices: Ints,
    k: int,
    l: int,
    per_type: int,
    initial: Partition | None = None,
) -> Patterns:
    """Generate patterns whose best fills are worth little at good prices.

    Fills must be worth less than a threshold, which is doubled until there are
    enough.

    Parameters
    ----------
    run
        The problem and its clock.
    types, prices
        The distinct rows and their prices, in units of ``PriceUnit``.
    k, l
        The requirement; 1 where there is none.
    per_type
        Pairs wanted, by distinct row.
    initial
        A release whose patterns shall be among them.

    Returns
    -------
    Patterns
        And with them the coarsest pattern of each type.
    """
    table, objective = run.table, run.objective
    wanted = per_type * len(types)
    unit = PriceUnit.of(table, objective)
    star = price_step(table, objective, prices) * unit.per_cost
    found: Patterns | None = None
    few = objective.by_node and l == 1
    threshold = _FIRST_THRESHOLD_LOSSES if few else _FIRST_THRESHOLD
    factor = 2.0
    for _ in range(_TRIES):
        more = priced_patterns(
            table,
            types,
            objective,
            prices,
            k,
            l,
            threshold=int(threshold * star),
            by_sets=True,
            most_incidences=_AMPLE * wanted,
            check=run.check_time,
        )
        if more is None:
            factor = 0.25
        found = more or found
        if found is not None and (more is None or _ENOUGH * len(found.types) > wanted):
            break
        threshold *= factor
    always = Partition.coarsest(table, objective)
    patterns = patterns_of(table, types, objective, always)
    if initial is not None:
        patterns = union(patterns_of(table, types, objective, initial), patterns)
    return patterns if found is None else union(patterns, found)


def patterns_of(
    table: Table, types: RowTypes, objective: Objective, partition: Partition
) -> Patterns:
    """Return the patterns that the groups of a partition are published as, in full.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> one = patterns_of(table, table.row_types, STARS, Partition.single(table))
    >>> one.starred.tolist(), one.types.tolist()
    ([[True, True]], [0, 1, 2])
    """
    nodes = group_nodes(table, objective, partition)
    nodes = nodes[np.unique(numbers_of(nodes), return_index=True)[1]]
    scales = objective.scales_of(table)
    starts, members = all_fitting(scales.positions(types.codes), *scales.spans(nodes))
    cost = objective.node_costs(table, nodes)
    unit = PriceUnit.of(table, objective)
    return Patterns(nodes, cost, starts, members, types.counts, unit)


def union(some: Patterns, others: Patterns) -> Patterns:
    """Return all of ``some``, and of the others those that are not among them."""
    numbers = numbers_of(np.concatenate([some.nodes, others.nodes]))
    known, asked = np.split(numbers, [len(some)])
    new = others.select(~np.isin(asked, known))
    return Patterns(
        np.concatenate([some.nodes, new.nodes]),
        np.concatenate([some.cost, new.cost]),
        np.concatenate([some.starts, some.starts[-1] + new.starts[1:]]),
        np.concatenate([some.types, new.types]),
        some.counts,
        some.unit,
    )


def grown(some: Patterns, others: Patterns) -> Patterns:
    """Return all patterns of both; those in both have the members of either."""
    numbers = numbers_of(np.concatenate([some.nodes, others.nodes]))
    here, there = np.split(numbers, [len(some)])
    shared = some.select(np.isin(here, there))
    index = np.full(int(numbers.max()) + 1, -1, np.int64)
    index[there] = np.arange(len(others))
    m = len(some.counts)
    old = index[here[np.isin(here, there)]][shared.pattern] * m + shared.types
    pairs = distinct(others.pattern.astype(np.int64) * m + others.types, old)
    pattern, members = np.divmod(pairs, m)
    joined = Patterns(
        others.nodes,
        others.cost,
        np.searchsorted(pattern, np.arange(len(others) + 1)),
        members.astype(np.int32),
        some.counts,
        some.unit,
    )
    return union(joined, some)
