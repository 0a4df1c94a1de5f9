"""Prices to begin with: those of a release, and those of dual ascent."""

from fractions import Fraction

import numpy as np

from starmin.instances import Certificate, Partition, Result, RowTypes, Run
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.errors import NotSupportedError
from starmin.instances.tables.row_types import canonical_order
from starmin.models.bounds import DUAL_ASCENT
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.boxes.master.exact import BoxUnit
from starmin.models.boxes.master.master import Duals, Relaxation
from starmin.models.boxes.walk.box_data import DISTINCT, PLAIN, BoxData
from starmin.models.boxes.walk.search import BoxPool, Groups
from starmin.models.boxes.walk.walk_bounds import close
from starmin.models.patterns.coarse_losses import CoarseLosses

# Prices to begin with that prove a bound: those of dual ascent.

_KIND = "group_prices"


def ascent(run: Run, seconds: float) -> Result | None:
    """Return what dual ascent proves; None where it does not take the problem."""
    if not DUAL_ASCENT.supports(run.requirement, run.objective):
        return None
    problem = run.table, run.requirement
    try:
        return dual_ascent(
            *problem, objective=run.objective, time_limit=seconds, initial=run.best
        )
    except NotSupportedError:
        return None


def prices_of(
    proof: Certificate | None, run: Run, types: RowTypes, unit: BoxUnit
) -> Ints | None:
    """Return the prices of a proof in ``unit``, by type; no group is worth less.

    None where the proof is of another kind than that of dual ascent, or of other types.
    It need not hold: what its prices prove is computed again.
    """
    if proof is None or proof.kind != _KIND or len(types) != len(proof.data["prices"]):
        return None
    scale = Fraction(unit.per_cost, proof.data["denominator"])
    if "unit" in proof.data:
        coarse = CoarseLosses.of(run.objective, run.table, proof.data["unit"])
        scale *= coarse.per_unit
    prices = np.zeros(len(types), np.int64)
    prices[canonical_order(run.table, types)] = [
        unit.coarse(price * scale.numerator // scale.denominator)
        for price in proof.data["prices"]
    ]
    return prices


# Groups of a release, and prices to begin with.

_START_BOXES = 1_000
_LAST_RISE = 40  # doublings of a price from a millionth of what a row can lose


def groups_of(
    pool: BoxPool, types: RowTypes, partition: Partition, uncut: bool = False
) -> Groups:
    """Return the groups of a release, split into pieces where they are large.

    Their boxes join the pool.
    """
    pieces = [
        piece
        for rows in partition.members()
        for piece in _pieces(pool.data, np.sort(types.inverse[rows]), uncut)
    ]
    counted = [np.unique(piece, return_counts=True) for piece in pieces]
    boxes = boxes_around(pool, [members for members, _ in counted])
    starts = np.cumsum([0, *(len(members) for members, _ in counted)])
    members = np.concatenate([members for members, _ in counted]).astype(np.int32)
    copies = np.concatenate([copies for _, copies in counted]).astype(np.int64)
    return Groups(boxes, starts.astype(np.int64), members, copies)


def _pieces(data: BoxData, rows: Int32s, uncut: bool) -> list[Int32s]:
    """Split a group, given by the types of its rows, into smallest ones."""
    if uncut:
        return [rows]
    if data.kind == PLAIN:
        return np.array_split(rows, max(1, len(rows) // data.least))
    if data.kind == DISTINCT:
        return [rows]
    # Dealt in turn by sensitive value, no pile has a value twice.
    piles = len(rows) // data.share
    dealt = rows[np.argsort(data.value[rows], kind="stable")]
    pieces = piles // -(-data.least // data.share)
    joined = np.arange(len(dealt)) % piles % pieces if pieces else 0 * dealt
    return [np.sort(dealt[joined == i]) for i in range(max(1, pieces))]


def boxes_around(pool: BoxPool, groups: list[Int32s]) -> Ints:
    """Return the places in the pool of the smallest boxes of some groups."""
    d = len(pool.data.size)
    ends = np.zeros((2, len(groups), d), np.int32)
    for members, low, high in zip(groups, *ends, strict=True):
        if not close(pool.data, members.astype(np.int32), low, high):
            raise ValueError("Expected groups that may be published.")
    return pool.add(*ends)


def release_prices(relaxation: Relaxation, groups: Groups) -> Duals:
    """Price each row at what it pays in a release."""
    data, pool = relaxation.data, relaxation.pool
    cost = np.repeat(pool.cost[groups.box], np.diff(groups.starts))
    paid = np.bincount(groups.types, cost * groups.copies, minlength=len(data.counts))
    prices = (paid / data.counts).astype(np.int64)
    return Duals(prices, np.zeros(len(relaxation.sets), np.int64))


def raise_prices(relaxation: Relaxation) -> Duals:
    """Return prices at which each type is in some box that is worth less than 0.

    They are doubled where it is in none. The boxes join the pool.
    """
    data, pool = relaxation.data, relaxation.pool
    none = np.zeros(len(relaxation.sets), np.int64)
    prices = np.full(len(data.counts), max(1, relaxation.whole >> 20), np.int64)
    for _ in range(_LAST_RISE):
        found = relaxation.find(Duals(prices, none), 0, _START_BOXES)
        pool.add(found.lows, found.highs)
        covered = pool.members()[relaxation.pool.worth(prices) < 0].any(axis=0)
        if covered.all():
            break
        prices = np.where(covered, prices, 2 * prices)
    return Duals(prices, none)
