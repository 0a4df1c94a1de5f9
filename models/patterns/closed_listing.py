"""List all closed patterns of a table, and find what each row pays at least."""

import math
from collections.abc import Callable
from itertools import chain, combinations

import numpy as np

from starmin.instances import (
    NotSupportedError,
    Objective,
    Partition,
    RowTypes,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Ints
from starmin.models.patterns.patterns import Patterns, Sought, group_nodes, marked
from starmin.models.price_unit import PriceUnit

MAX_COLUMNS = 20


def closed_patterns(
    table: Table,
    types: RowTypes,
    objective: Objective,
    least_support: int = 1,
    least_values: int = 1,
    check: Callable[[], None] = lambda: None,
    most_incidences: float = math.inf,
) -> Patterns:
    """Return all closed patterns with enough support.

    Of the patterns with the same supporting set of types only the one with the fewest
    stars is listed: it is *closed*, no starred column being constant on its types. By
    the exchange argument no optimal release needs another one.

    ``types`` are by QI or by QI and sensitive values; the objective gives the cost of a
    pattern and the columns that must not be starred. ``least_support`` is k: patterns
    that fewer rows fit cannot be a group; ``least_values`` is l: patterns with fewer
    different values in some sensitive column cannot be l-diverse. ``check`` is called
    before each group-by; it may raise to end the enumeration. Raises NotSupportedError
    where more than 20 QI columns may be starred, which is 2^20 group-bys, or there are
    more than ``most_incidences`` pairs of a pattern and a row type, the most that the
    caller can use.

    Notes
    -----
    Each of the 2^d sets of kept columns splits the groups of a smaller set that have
    enough support, so the time is that of writing the pairs, in two threads: 3 million
    of them take 0.1 s.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> patterns.starred.tolist(), patterns.cost.tolist()
    ([[True, False]], [1])
    """
    sought = Sought(table, types, objective, least_support, least_values, check)
    if objective.by_node:
        from starmin.models.patterns.node_patterns import closed_node_patterns

        return closed_node_patterns(sought, most_incidences)
    from starmin.models.patterns.star_listing import StarGroups  # loads the compiler

    sets = star_sets(table, objective)
    parts = StarGroups(sought, most_incidences).of_all_sets()
    sizes, members = zip(*(parts[each.tobytes()] for each in sets), strict=True)
    masks = np.repeat(np.array(sets), [len(each) for each in sizes], axis=0)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    together = np.concatenate(members)
    cost = objective.row_costs(table, masks)
    nodes = np.where(masks, np.int32(-1), types.codes[together[starts[:-1]]])
    unit = PriceUnit.of(table, objective)
    return Patterns(nodes, cost, starts, together, types, unit)


def star_sets(
    table: Table, objective: Objective, most_columns: int = MAX_COLUMNS
) -> list[Bools]:
    """Return all sets of columns that may be starred, the smallest first.

    Raises NotSupportedError where more than ``most_columns`` columns may be starred.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"]], qi=["a", "b"])
    >>> [each.tolist() for each in star_sets(table, Objective(keep=["a"]))]
    [[False, False], [False, True]]
    """
    columns = np.flatnonzero(~objective.kept(table))
    if len(columns) > most_columns:
        raise NotSupportedError(
            f"Expected at most {most_columns} columns that may be starred, "
            f"got {len(columns)}."
        )
    sizes = range(len(columns) + 1)
    sets = chain.from_iterable(combinations(columns.tolist(), size) for size in sizes)
    return [marked(table.d, chosen) for chosen in sets]


# What each row pays at least: the cost of the cheapest pattern that can be a group.


def own_costs(run: Run, types: RowTypes, k: int, l: int) -> Ints:
    """Return for each type the cost of its cheapest pattern that can be a group.

    A release that the run holds makes the search among nodes shorter. The row types are
    by QI, or by QI and sensitive values; ``k`` and ``l`` are 1 where there is no such
    requirement. Raises TimeoutError where the time of the run was up.
    """
    table, objective = run.table, run.objective
    sought = Sought(table, types, objective, k, l, run.check_time)
    if not objective.by_node:
        return cheapest_pattern_costs(closed_patterns(*sought))
    from starmin.models.patterns.node_patterns import cheapest_node_patterns

    held = run.best or Partition.coarsest(table, objective)
    paid = objective.node_costs(table, group_nodes(table, objective, held))
    most = np.zeros(len(types), np.int64)
    np.maximum.at(most, held.of_rows(types.inverse), paid[held.groups])
    return cheapest_node_patterns(sought, most)


def cheapest_pattern_costs(patterns: Patterns) -> Ints:
    """Return for each type the cost of its cheapest pattern."""
    costs = np.full(len(patterns.counts), np.iinfo(np.int64).max)
    np.minimum.at(costs, patterns.types, patterns.cost[patterns.pattern])
    return costs
