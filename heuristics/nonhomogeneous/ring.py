"""Rings of neighbours: the non-homogeneous generalization of Wong et al."""

import numpy as np

from heuristics.matchings.auction import Ints
from heuristics.nonhomogeneous.ring_order import nearest_order
from heuristics.nonhomogeneous.solution import release_of
from instances import (
    STARS,
    NonHomogeneous,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    expect_k,
)


def ring(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
    initial: Partition | None = None,
) -> Result[NonHomogeneous]:
    """Non-homogeneous k-anonymity by rings within small groups; no guarantee.

    The baseline that Murakami and Uno compare with. Columns are sorted by ascending
    cardinality and rows lexicographically; the rows are halved until groups have k to
    2k - 1 rows. The rows of a group are laid in a ring, each next to the nearest that
    is left, and row j is released so that it may stem from itself and from the k - 1
    rows before it in the ring.

    Which original is published as which record is then drawn at random among the
    matchings of the ring; the stars are the same.

    Parameters
    ----------
    table, requirement
        Any table; k-anonymity.
    objective
        Stars, weighted or not, or tuples; columns to be kept are.
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
    >>> from instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> ring(table, KAnonymity(2)).value
    4
    """
    k = expect_k(requirement)
    run = Run[NonHomogeneous](table, requirement, objective, display=display)
    if no := run.infeasible():
        return no
    cells = np.ascontiguousarray(table.codes[table.positions(table.qi)].T)
    order, starts = _halves(table, objective, k) if initial is None else _rings(initial)
    nearest_order(cells, objective.column_weights(table), order, starts)
    run.offer(release_of(table, _originals(order, starts, k)))
    return run.result()


def offer_rings(run: Run[NonHomogeneous]) -> None:
    """Give a run what it returns where time does not suffice for more."""
    table, objective = run.table, run.objective
    if run.remaining and (
        best := ring(table, run.requirement, objective=objective).best
    ):
        run.offer(best)
        return
    classes = Partition.coarsest(table, objective.keep).groups
    run.offer(NonHomogeneous.coarsest(table, expect_k(run.requirement), classes))


def _halves(table: Table, objective: Objective, k: int) -> tuple[Ints, Ints]:
    """Sorted rows, and where the groups begin into which they are halved."""
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


def _rings(partition: Partition) -> tuple[Ints, Ints]:
    """The rows by group, and where the groups begin."""
    order = np.argsort(partition.groups, kind="stable").astype(np.int32)
    ends = np.cumsum(partition.sizes)
    return order, np.append(0, ends).astype(np.int32)


def _originals(order: Ints, starts: Ints, k: int) -> Ints:
    """For each layer and record the row so many places before it in its ring."""
    sizes = np.diff(starts)
    size, start = np.repeat(sizes, sizes), np.repeat(starts[:-1], sizes)
    place = np.arange(len(order)) - start
    mates = np.empty((k - 1, len(order)), np.int32)
    for back in range(1, k):
        mates[back - 1, order] = order[start + (place - back) % size]
    return mates
