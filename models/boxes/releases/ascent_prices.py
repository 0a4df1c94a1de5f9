"""Prices to begin with that prove a bound: those of dual ascent."""

from fractions import Fraction

import numpy as np

from starmin.instances import Certificate, Result, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.errors import NotSupportedError
from starmin.instances.tables.canonical import canonical_order
from starmin.models.bounds import DUAL_ASCENT
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.boxes.box_unit import BoxUnit
from starmin.models.patterns.coarse_losses import CoarseLosses

_KIND = "group_prices"


def ascent(run: Run, seconds: float) -> Result | None:
    """Return what dual ascent proves; None where it does not take the problem."""
    if not DUAL_ASCENT.supports(run.requirement, run.objective):
        return None
    problem = run.table, run.requirement
    try:
        return dual_ascent(*problem, objective=run.objective, time_limit=seconds)
    except NotSupportedError:
        return None


def prices_of(
    proof: Certificate | None, run: Run, types: RowTypes, unit: BoxUnit
) -> Ints | None:
    """Return the prices of a proof; no group is worth less but for rounding.

    They are in ``unit``, by type of ``types``; None where the proof is of another kind
    than that of dual ascent, or of other types. It need not hold: what its prices prove
    is computed again.
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
