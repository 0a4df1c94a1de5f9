"""Whole prices of row types and of odd sets, and what they prove."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.arrays import Floats, Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.simplex_matching.group_costs import GroupCosts
from starmin.models.simplex_matching.pair_relaxation import Relaxation
from starmin.models.simplex_matching.pairs_and_triples import Groups, list_groups

# Dual values are fractions of small denominators: most are whole in units of 1/27720.
UNIT = 27_720


@dataclass(frozen=True, eq=False)
class Duals:
    """Prices of row types and of odd sets, in units of 1/27720."""

    prices: Ints  # for each row type
    sets: Any  # the sparse matrix of odd sets and types
    set_prices: Ints  # for each odd set, 0 or more

    @classmethod
    def of(cls, relaxation: Relaxation) -> Self:
        """Round the dual values of a relaxation; odd sets without a price are left."""
        prices, set_prices = _whole(relaxation.prices), _whole(relaxation.set_prices)
        used = np.flatnonzero(set_prices)
        return cls(prices, relaxation.sets[used], set_prices[used])

    @property
    def full_prices(self) -> Ints:
        """The price of each type with those of all odd sets that it is in."""
        return self.prices + np.asarray(self.sets.T @ self.set_prices, np.int64)

    def total(self, counts: Ints) -> int:
        """Return the bound that they prove if no group is paid more than it costs."""
        return int(self.prices @ counts) + int(self.set_prices.sum())

    def reduced_costs(self, groups: Groups) -> Ints:
        """Return what groups cost beyond what they are paid."""
        paid = (
            groups.incidence() @ self.prices + groups.odd(self.sets) @ self.set_prices
        )
        return np.asarray(groups.cost * UNIT - paid, np.int64)

    def list(self, run: Run, costs: GroupCosts, most: int) -> Groups | None:
        """List the groups with a reduced cost below ``most``; None if too many."""
        members = list_groups(
            costs, self.full_prices, UNIT, max(most, 0), run.check_time
        )
        if members is None:
            return None
        groups = Groups.of(costs, members, run.check_time)
        return groups.select(self.reduced_costs(groups) < most)

    def lowered(self, groups: Groups) -> "Duals":
        """Lower prices until none of these groups is paid more than it costs."""
        excess = np.maximum(-self.reduced_costs(groups), 0)
        prices = self.prices.copy()
        lower = np.zeros_like(prices)
        np.maximum.at(lower, groups.members[:, 0], excess)
        return Duals(prices - lower, self.sets, self.set_prices)

    def certificate(self, run: Run, types: RowTypes, bound: int) -> Certificate:
        """Return the certificate of a bound."""
        order = canonical_order(run.table, types)
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        starts, members = self.sets.indptr, number[self.sets.indices]
        sets = [sorted(members[a:b].tolist()) for a, b in pairwise(starts.tolist())]
        data: dict[str, Any] = {
            "denominator": UNIT,
            "prices": self.prices[order].tolist(),
            "sets": sets,
            "set_prices": self.set_prices.tolist(),
        }
        if types.sensitive.shape[1]:
            data["sensitive"] = run.table.sensitive[0]
        return Certificate.of(
            run.table, run.requirement, run.objective, "odd_sets", bound, data
        )


def _whole(values: Floats) -> Ints:
    return np.rint(values * UNIT).astype(np.int64)
