"""The cheapest group of each row type, found among the types that are near it."""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.models.cheapest_groups.diversity import NO_DIVERSITY, Diversity
from starmin.models.cheapest_groups.group_search import search_groups
from starmin.models.cheapest_groups.near_types import NO_GROUP, GroupSearch
from starmin.models.cheapest_groups.scan import scan_of

_COMPARED = 50_000_000  # cells of types between two checks
_MOST_PLACES = 1 << 24  # of a type in a list of each depth of a search
_MOST_WORK = 5_000  # types looked at for one of them


def cheapest_group_costs(
    table: Table,
    types: RowTypes,
    objective: Objective,
    k: int,
    check: Callable[[], None] = lambda: None,
    diversity: Diversity = NO_DIVERSITY,
    fine: int = 1,
) -> Iterator[Ints]:
    """Visit lower bounds on what the cheapest group of each type costs.

    Vectors of nodes are not looked at. A group of k rows that contains a row costs each
    of them no less than the row pays with any one of the others alone. So only types
    near to it can be in its cheapest group; where there are many columns these are few.

    Each array has by type what a row pays at least, 0 for types not looked at yet, in
    1/``fine`` of the unit of the objective, which is stars or gcp. ``check`` is called
    now and then; it may raise to end the search.

    Notes
    -----
    O(m^2 d) and more. Credit card data, 30,000 types by 24 columns, k = 5: a minute
    or two. Groups that take too long to find are left at what they cost at least.

    Examples
    --------
    >>> from starmin.instances import Scales
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> *_, costs = cheapest_group_costs(table, table.row_types, objective, 2)
    >>> costs.tolist()
    [1, 1, 7]
    """
    order, search = group_search(table, types, objective, k, diversity, fine)
    ceiling = fine * (objective.whole(table) // table.n) + 1
    found = np.zeros(len(types), np.int64)
    for costs in costs_in_order(search, ceiling, check):
        found[order] = costs
        yield found


def costs_in_order(
    search: GroupSearch, ceiling: int, check: Callable[[], None]
) -> Iterator[Ints]:
    """Visit these bounds in the order of a search.

    The room of the search is used. No group costs a row as much as ``ceiling``;
    ``check`` is called now and then, and may raise to end the search.
    """
    m, d = search.positions.shape
    found, part = np.zeros(m, np.int64), np.full(m, ceiling)
    # Each type is compared with all others, and with some again and again.
    step = max(1, -(-m * d * (m + _MOST_WORK) // _COMPARED))
    for begin in range(min(step, m)):
        check()
        search_groups(search, begin, step, part, _MOST_WORK)
        found[begin::step] = part[begin::step]
        yield found


def has_room(types: RowTypes, k: int) -> bool:
    """Return whether a search among these types for k rows fits the memory."""
    return k * len(types) <= _MOST_PLACES


def group_search(
    table: Table,
    types: RowTypes,
    objective: Objective,
    k: int,
    diversity: Diversity = NO_DIVERSITY,
    fine: int = 1,
) -> tuple[npt.NDArray[np.intp], GroupSearch]:
    """Return the types in some order, and what a search among them knows.

    What groups cost is in 1/fine of the unit of the objective, stars or gcp.
    """
    scales = objective.scales_of(table)
    positions = scales.positions(types.codes)
    units = np.array(objective.units(table), np.int64) * fine
    arrays = scales.arrays
    amount = arrays.amount.copy()
    for j, scale in enumerate(scales.scales):
        if isinstance(scale, TaxonomyScale):
            barred = arrays.start[j] + np.flatnonzero(~scale.allowed)
            amount[barred] = NO_GROUP // max(1, int(units[j]))
    units[objective.kept(table)] = -1
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(positions), (2, 1000))
    low, high = np.sort(positions[pairs], axis=0)
    paid = scales.extents(low, high).mean(axis=0) * np.array(objective.units(table))
    columns = np.argsort(-paid, kind="stable")  # so that most is paid early
    of = positions[:, columns]
    classes = [_classes(scales.scales[j], positions[:, j]) for j in columns]
    order = np.lexsort(classes[::-1])
    rows = np.ascontiguousarray(of[order])
    row = fine * (objective.whole(table) // table.n)
    scan = scan_of(scales, rows, columns, units[columns], max(1, row))
    m, d = rows.shape
    values = diversity.values(types)[order]
    # Of each position how many types come before it, and all of them at the end.
    begins = [np.cumsum([0, *np.bincount(column)]) for column in rows.T]
    return order, GroupSearch(
        positions=rows,
        scan=scan,
        counts=types.counts[order],
        arrays=arrays._replace(
            kind=arrays.kind[columns], start=arrays.start[columns], amount=amount
        ),
        units=units[columns],
        k=k,
        values=values,
        most=diversity.most(k),
        used=np.zeros(values.max(initial=0) + 1, np.int64),
        met=np.zeros(values.max(initial=0) + 1, np.int64),
        low=np.zeros((k + 1, d), np.int32),
        high=np.zeros((k + 1, d), np.int32),
        lists=np.zeros((k, m), np.int32),
        costs=np.zeros((k, m), np.int64),
        sizes=np.zeros(k, np.int64),
        next=np.zeros(k, np.int64),
        sorted=np.argsort(rows, axis=0, kind="stable").T.astype(np.int32),
        begins=np.concatenate(begins),
        columns=np.cumsum([0, *map(len, begins)]),
        noted=np.full(1, -1),
    )


def _classes(scale: Scale, positions: Int32s) -> Int32s:
    """Return the class of each position: of a tree the node above the leaf."""
    if isinstance(scale, TaxonomyScale):
        return scale.taxonomy.parents[positions].astype(np.int32)
    return positions
