"""The patterns that enough persons fit, as a list."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from starmin.instances import NotSupportedError, Objective, Persons, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.releases.objective import MOST_EXACT
from starmin.instances.scales.scale import Scale
from starmin.models.persons.person_items import Items

_MOST_NODES = 3_000  # of a column


@dataclass(frozen=True, eq=False)
class Listing:
    """Patterns: a node for each column, what a row pays, and the items that fit."""

    nodes: Ints  # P x d
    cost: Ints  # of a row in each pattern
    # pattern, item: the pairs of a pattern and an item that fits it, by pattern
    pattern: Ints
    item: Ints


@dataclass(frozen=True, eq=False)
class _Node:
    number: int
    fits: Bools  # which items
    lowest: bool  # whether it must be the lowest node of those who fit


def list_patterns(
    table: Table,
    asked: Persons,
    objective: Objective,
    items: Items,
    most: int,
    check: Callable[[], None] = lambda: None,
) -> Listing:
    """List the patterns that at least ``asked.least`` persons fit.

    Column after column a node is chosen. Where those who fit have a lower node in
    common than the one chosen the pattern is left out: with the lower node it has the
    same rows and costs no more. This is not done in columns that rows of a household
    share while others are their own: there a node must serve all of its rows.

    Raises NotSupportedError where there are more than ``most`` pairs of a pattern and
    an item, or a column has too many nodes. ``check`` is called now and then; it raises
    where the time is over.
    """
    if objective.whole(table) // max(1, table.n) > MOST_EXACT:
        raise NotSupportedError(
            "Expected losses of a row of at most 2^53 units, got more."
        )
    scales = objective.scales_of(table)
    shared = set() if asked.whole else set(asked.alike)
    columns = [
        list(_nodes(table, objective, items, j, column not in shared))
        for j, column in enumerate(table.qi)
    ]
    found: list[tuple[list[int], Ints]] = []
    pairs = 0

    def extend(begun: list[_Node], fits: Bools) -> None:
        nonlocal pairs
        if len(np.unique(items.unit[fits])) < asked.least:
            return
        for j, node in enumerate(begun):
            if node.lowest and _lower(node, items.places[fits, j], scales.scales[j]):
                return
        if len(begun) < table.d:
            check()
            for node in columns[len(begun)]:
                extend([*begun, node], fits & node.fits)
            return
        members = np.flatnonzero(fits)
        pairs += len(members)
        if pairs > most:
            raise NotSupportedError(
                f"Expected at most {most:,} pairs of a pattern and a person, got more."
            )
        found.append(([node.number for node in begun], members))

    extend([], np.ones(len(items), bool))
    nodes = np.array([numbers for numbers, _ in found], np.int64).reshape(-1, table.d)
    lengths = [len(members) for _, members in found]
    empty = [np.zeros(0, np.int64)]
    return Listing(
        nodes,
        _costs(table, objective, nodes),
        np.repeat(np.arange(len(found)), lengths),
        np.concatenate([members for _, members in found] or empty),
    )


def _nodes(
    table: Table, objective: Objective, items: Items, j: int, lowest: bool
) -> Iterator[_Node]:
    """Visit the nodes of a column that may be published and cover some items."""
    scale, column = objective.scales_of(table).scales[j], table.qi[j]
    places = np.unique(items.places[:, j])
    one, other = np.triu_indices(len(places))
    low, high = places[one], places[other]
    if objective.kept(table)[j]:
        low, high = places, places
    roofs = None if objective.scales is None else objective.scales.roofs.get(column)
    if roofs is not None:
        by_place = np.zeros(scale.size, np.int64)
        by_place[scale.positions[table.column(column)]] = roofs[table.column(column)]
        alike = by_place[low] == by_place[high]
        low, high = low[alike], high[alike]
    numbers = np.unique(scale.nodes(low, high))
    if len(numbers) > _MOST_NODES:
        raise NotSupportedError(
            f"Expected at most {_MOST_NODES:,} nodes of a column, got {len(numbers):,}."
        )
    begins, ends = scale.spans(numbers)
    for number, begin, end in zip(numbers, begins, ends, strict=True):
        fits = (items.places[:, j] >= begin) & (items.places[:, j] <= end)
        yield _Node(int(number), fits, lowest)


def _lower(node: _Node, places: Ints, scale: Scale) -> bool:
    """Check whether some places have a lower node in common than this one."""
    ends = np.array([places.min()]), np.array([places.max()])
    return int(scale.nodes(*ends)[0]) != node.number


def _costs(table: Table, objective: Objective, nodes: Ints) -> Ints:
    """Return what a row pays in each pattern."""
    if len(nodes) == 0:
        return np.zeros(0, np.int64)
    if not objective.once:
        return objective.node_costs(table, nodes)
    low, high = objective.scales_of(table).spans(nodes)
    return np.asarray((low != high).any(axis=1), np.int64)
