"""Prices of the rows of whole classes, and the bound that they prove."""

from dataclasses import replace

import numpy as np

from starmin.instances import Certificate, Run
from starmin.instances.arrays import Floats, Ints
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.within import CLASS, Within
from starmin.instances.runs.work import spend
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.price_unit import exact_sum
from starmin.models.within.atoms import Atoms
from starmin.models.within.class_pricing import price_patterns
from starmin.models.within.listing import Listing

_PAIR = 0.01  # units of work of a pair of a pattern and a class

KIND = "within"
PARAMS = SubgradientParams(first_step=0.6)


class WithinPrices(SubgradientMethod):
    r"""The subgradient method for the pattern formulation of whole classes.

    A class with pattern p has at least K rows, and atom a has :math:`w_a` of them. With
    any prices :math:`\pi_a` of rows a release costs at least

    .. math::

        \sum_a w_a \pi_a + \sum_p \min(0, v_p), \qquad
        v_p = \min_S \sum_{a \in S} w_a (cost_p - \pi_a)

    over sets S of atoms that fit p and have K rows together: each class of a release is
    such a set, and no two classes are published as the same pattern.

    The run learns the bounds, and its time ends the search; its requirement is
    ``Within``. ``listing`` has the patterns that the atoms fit. A round may take
    ``share`` of the time that is left.
    """

    method = "within_prices"

    def __init__(
        self, run: Run, atoms: Atoms, listing: Listing, share: float = 1.0
    ) -> None:
        asked = of_kind(run.requirement, Within)
        assert asked is not None
        own = np.full(len(atoms), np.iinfo(np.int64).max)
        np.minimum.at(own, listing.atom, listing.cost[listing.pattern])
        star = max(1.0, float(listing.cost.max()) / run.table.d)
        params = replace(PARAMS, share=share)
        super().__init__(run, own, atoms.size, params.first_step * star, params)
        self.prices = self.unit.clipped(own * self.unit.per_cost)
        self.atoms, self.listing, self.least = atoms, listing, asked.least
        self._cost = listing.cost * self.unit.per_cost
        self._worth = np.zeros(len(listing.cost), np.int64)
        self._used = np.zeros(len(atoms), np.int32)
        self._cover = np.zeros(self.least + 1, np.int64)

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        self.unit.expect(prices)
        start, atom, size = self.listing.start, self.listing.atom, self.atoms.size
        given = start, atom, size, self._cost, prices, self.least
        spend(_PAIR * len(atom))
        price_patterns(*given, self._worth, self._used, self._cover)
        value = exact_sum(size * prices) + exact_sum(self._worth)
        return value, size * (1 - self._used)

    def _certificate(self, bound: int) -> Certificate:
        run = self.run
        data = {
            "denominator": self.unit.per_cost,
            "classes": run.table.column(CLASS).tolist(),
            "prices": self.prices.tolist(),
        }
        return Certificate.of(
            run.table, run.requirement, run.objective, KIND, bound, data
        )

    def reduced(self) -> Floats:
        """Return what each pair of a pattern and an atom costs beside its price."""
        listing = self.listing
        over = self._cost[listing.pattern] - self.prices[listing.atom]
        return np.asarray(self.atoms.size[listing.atom] * over, np.float64)
