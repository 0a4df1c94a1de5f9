"""Rings of neighbours: the non-homogeneous generalization of Wong et al.

From layers of matchings, of rings or others, comes a release.
"""

from dataclasses import dataclass

import numpy as np

from starmin.heuristics.nonhomogeneous import RING
from starmin.instances import (
    STARS,
    NonHomogeneous,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.tables.table_loops import by_key


def release_of(table: Table, mates: Int32s) -> NonHomogeneous:
    """Make the release of the identity and of layers, layers x n originals."""
    layers, n = mates.shape
    matchings = np.empty((layers + 1, n), np.int32)
    matchings[0] = np.arange(n)
    for layer in range(layers):
        matchings[layer + 1, mates[layer]] = matchings[0]
    return NonHomogeneous.from_matchings(table, matchings)


@dataclass(frozen=True)
class RingParams:
    """Constants that steer the search."""

    # rows of a large group among which the next one of a ring is looked for
    looked_at: int = 64


def ring(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
    initial: Partition | None = None,
    params: RingParams = RingParams(),
) -> Result[NonHomogeneous]:
    """Release rows non-homogeneously by rings within small groups; no guarantee.

    The baseline that Murakami and Uno compare with. Columns are sorted by ascending
    cardinality and rows lexicographically; the rows are halved until groups have k to
    2k - 1 rows. The rows of a group are laid in a ring, each next to the nearest that
    is left, and row j is released so that it may stem from itself and from the k - 1
    rows before it in the ring.

    Which original is published as which record is then drawn at random among the
    matchings of the ring; the stars are the same.

    Parameters
    ----------
    table, requirement, objective
        Any table; k-anonymity; stars, weighted or not, tuples or gcp; columns to be
        kept are. The nearest row is that which differs in the fewest columns.
    initial
        A partition to lay the rings in, in place of the sorted one; the release is
        never dearer than it.

    Raises
    ------
    NotSupportedError
        Another requirement.

    Notes
    -----
    O(n g d) after the partition, for groups of g rows.

    References
    ----------
    W. K. Wong, N. Mamoulis, D. W.-L. Cheung: Non-homogeneous generalization in privacy
    preserving data publishing, SIGMOD 2010.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> ring(table, KAnonymity(2)).value
    4
    """
    run = Run[NonHomogeneous](
        table, requirement, objective, display=display, method=RING
    )
    return run.carry_out(lambda: _offer_nearest(run, initial, params))


def _offer_nearest(
    run: Run[NonHomogeneous], initial: Partition | None, params: RingParams
) -> None:
    """Offer rings in which each row is next to the nearest that is left."""
    table, objective, k = run.table, run.objective, run.requirement.core.size
    cells = np.ascontiguousarray(table.codes[table.positions(table.qi)].T)
    order, starts = _halves(table, objective, k) if initial is None else _rings(initial)
    weights = objective.column_weights(table)
    nearest_order(cells, weights, order, starts, params.looked_at)
    run.offer(release_of(table, _originals(order, starts, k)))


def offer_rings(run: Run[NonHomogeneous]) -> None:
    """Give a run what it returns where time does not suffice for more."""
    if run.remaining:
        _offer_nearest(run, None, RingParams())
        return
    k = run.requirement.core.size
    classes = Partition.coarsest(run.table, run.objective).groups
    run.offer(NonHomogeneous.coarsest(run.table, k, classes))


def _halves(table: Table, objective: Objective, k: int) -> tuple[Int32s, Int32s]:
    """Return sorted rows, and where the groups begin into which they are halved."""
    columns = sorted(table.qi, key=lambda c: len(table.dictionary(c)))
    columns.sort(key=lambda c: c not in objective.keep)
    order = np.lexsort([table.column(c) for c in reversed(columns)]).astype(np.int32)
    starts = np.array([0, table.n])
    if objective.keep:
        kept = [table.column(c)[order] for c in objective.keep]
        changes = np.any([c[1:] != c[:-1] for c in kept], axis=0)
        starts = np.r_[0, np.flatnonzero(changes) + 1, table.n]
    while (large := np.diff(starts) >= 2 * k).any():
        middle = (starts[:-1] + starts[1:]) // 2
        starts = np.sort(np.append(starts, middle[large]))
    return order, starts.astype(np.int32)


def _rings(partition: Partition) -> tuple[Int32s, Int32s]:
    """Return the rows by group, and where the groups begin."""
    starts, order = by_key(partition.groups, partition.size)
    return order.astype(np.int32), starts.astype(np.int32)


def _originals(order: Int32s, starts: Int32s, k: int) -> Int32s:
    """Return for each layer and record the row so many places before it."""
    sizes = np.diff(starts)
    size, start = np.repeat(sizes, sizes), np.repeat(starts[:-1], sizes)
    place = np.arange(len(order)) - start
    mates = np.empty((k - 1, len(order)), np.int32)
    for back in range(1, k):
        mates[back - 1, order] = order[start + (place - back) % size]
    return mates


@compiled
def nearest_order(
    cells: Int32s, weights: Ints, order: Int32s, starts: Int32s, looked_at: int
) -> None:
    """Reorder the rows of each stretch, from its first row to the nearest in turn.

    ``order`` is changed in place; stretches begin at ``starts``, where n is the last.
    The nearest is looked for among ``looked_at`` rows at most.

    Examples
    --------
    >>> cells = np.array([[0, 0], [1, 1], [0, 1]], np.int32)
    >>> order = np.arange(3, dtype=np.int32)
    >>> starts = np.array([0, 3], np.int32)
    >>> nearest_order(cells, np.ones(2, np.int64), order, starts, 64)
    >>> order.tolist()
    [0, 2, 1]
    """
    for g in range(len(starts) - 1):
        for p in range(starts[g], starts[g + 1] - 1):
            best, nearest = np.int64(1) << 60, p + 1
            for q in range(p + 1, min(starts[g + 1], p + 1 + looked_at)):
                far = np.int64(0)
                for c in range(cells.shape[1]):
                    if cells[order[p], c] != cells[order[q], c]:
                        far += weights[c]
                if far < best:
                    best, nearest = far, q
            order[p + 1], order[nearest] = order[nearest], order[p + 1]
