"""Groups near to a row: those of rows that it loses little with."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.clustering.cluster_groups import NONE, Groups
from starmin.heuristics.ruin_and_recreate.nearest_types import nearest_types
from starmin.heuristics.ruin_and_recreate.row_losses import Losses
from starmin.instances import Scales, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import inner


class Neighbours(NamedTuple):
    """Rows that lose little together."""

    types: Ints  # the type of each row
    # m x K: types that lose little with each type, the nearest first; -1 at the end
    near: Int32s
    first: Ints  # first, rows: the rows of type t are ``rows[first[t]:first[t + 1]]``
    rows: Ints


def neighbours_of(
    table: Table, scales: Scales, losses: Losses, count: int, rng: np.random.Generator
) -> Neighbours:
    """Return as many neighbours of each row type, and its rows.

    Examples
    --------
    >>> from starmin.heuristics.ruin_and_recreate.row_losses import losses_of
    >>> from starmin.instances import Objective
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> losses, rng = losses_of(table, objective), np.random.default_rng(0)
    >>> neighbours_of(table, objective.scales, losses, 1, rng).near.ravel().tolist()
    [1, 0, 1]
    """
    types = table.row_types
    near = nearest_types(losses, scales.positions(types.codes), count, rng)
    inverse = types.inverse.astype(np.int64)
    rows = np.argsort(inverse, kind="stable")
    first = np.searchsorted(inverse[rows], np.arange(len(types) + 1))
    return Neighbours(inverse, near, first.astype(np.int64), rows)


@inner
def near_group(
    s: Groups, n: Neighbours, row: int, locked: Bools, rng: np.random.Generator
) -> int:
    """Draw a row near to this one; return its group, NONE if the same or locked."""
    t = n.types[row]
    u = np.int64(n.near[t, np.int64(rng.random() * n.near.shape[1])])
    if u == NONE:
        u = t
    low, high = n.first[u], n.first[u + 1]
    g = s.group[n.rows[low + np.int64(rng.random() * (high - low))]]
    return NONE if g == s.group[row] or locked[g] else int(g)
