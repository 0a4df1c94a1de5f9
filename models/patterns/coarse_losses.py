"""Losses in a coarser unit, where their own is too fine for 64 bits: a lower bound."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm

import numpy as np
import numpy.typing as npt

from instances import Certificate, Objective, Run, Scales, Table
from instances.scales.numeric_scale import NumericScale
from instances.scales.scale import Scale
from instances.scales.taxonomy_scale import TaxonomyScale
from models.patterns.patterns import MOST_LOSS

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CoarseLosses:
    """The same losses as whole multiples of 1/unit of a column, rounded down.

    A node of a tree loses no more than before. So does a range of numbers but for less
    than one unit, since both of its ends are rounded down.

    Attributes
    ----------
    objective
        With the coarse losses.
    unit
        What all of a column costs in it, where the column has weight 1.
    excess
        By how much coarse losses are above the true ones, less than this for a row.
    per_unit
        What a coarse unit is in units of the objective that was made coarser.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> coarse = CoarseLosses.of(objective, table, 4)
    >>> nodes = objective.scales_of(table).nodes(np.array([[0]]), np.array([[1]]))
    >>> coarse.objective.node_costs(table, nodes), coarse.bound(8, table.n)
    (array([1]), 4)
    """

    objective: Objective
    unit: int
    excess: int
    per_unit: Fraction

    @classmethod
    def of(
        cls, objective: Objective, table: Table, unit: int | None = None
    ) -> "CoarseLosses":
        """Make losses coarser, by default just enough for the methods with bounds."""
        scales = objective.scales_of(table)
        weights = objective.column_weights(table)
        if unit is None:
            most = MOST_LOSS // max(1, table.n * int(weights.sum()))
            unit = 1 << max(0, most.bit_length() - 1)
        coarse = tuple(_coarse(scale, unit) for scale in scales.scales)
        ranges = [isinstance(s, NumericScale) and not s.free for s in scales.scales]
        rounded = Scales(scales.columns, coarse)
        # Flat columns alone have 1 for a unit, whatever was asked for.
        per_unit = Fraction(
            lcm(*scales.domains.tolist()), lcm(*rounded.domains.tolist())
        )
        made = replace(objective, scales=rounded)
        return cls(made, unit, int(weights[ranges].sum()), per_unit)

    def bound(self, proven: int, rows: int) -> int:
        """Return what a bound on the coarse losses of so many rows says of the true."""
        return max(0, ceil((proven - rows * self.excess) * self.per_unit))


def prove_coarsely(
    run: Run, coarse: CoarseLosses, prove: Callable[[Run], None]
) -> None:
    """Prove a bound for coarse losses, and what it says of those of a run.

    Parameters
    ----------
    run
        The problem; it learns the bound and its certificate.
    coarse
        Its losses made coarser.
    prove
        Raises the bound of a run for these; it may raise TimeoutError.
    """
    problem = run.table, run.requirement
    part = Run(*problem, coarse.objective, run.remaining)
    try:
        prove(part)
    finally:
        run.stats |= part.stats
        if (proof := part.certificate) is not None and part.bound_method is not None:
            bound = coarse.bound(proof.bound, run.table.n)
            data = {**proof.data, "unit": coarse.unit}
            claim = Certificate.of(*problem, run.objective, proof.kind, bound, data)
            run.raise_bound(bound, part.bound_method, claim)


def _coarse(scale: Scale, unit: int) -> Scale:
    """Return a scale whose losses are in whole units, rounded down."""
    if isinstance(scale, TaxonomyScale):
        lost = _rounded(scale.losses, scale.domain, unit)
        return replace(scale, losses=lost, rule=None)
    if isinstance(scale, NumericScale):
        lower, upper = (
            _rounded(ends, scale.domain, unit) for ends in (scale.lower, scale.upper)
        )
        least = scale.least * unit // scale.domain
        return replace(scale, lower=lower, upper=upper, least=least)
    return scale


def _rounded(amounts: Ints, domain: int, unit: int) -> Ints:
    """Return amounts as whole units, rounded down; all of the domain is ``unit``."""
    return np.array([amount * unit // domain for amount in amounts.tolist()], np.int64)
