"""Losses in a coarser unit, where their own is too fine for 64 bits: a lower bound."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, lcm

from starmin.instances import Certificate, Objective, Run, Scales, Table
from starmin.instances.runs.result import Best
from starmin.models.price_unit import highest_loss, is_fine, most_of_row

_BITS = 8  # of prices behind the point
_MOST_FINE = 1 << 16  # parts of a unit of losses, for prices
_MOST_GROUP = 1 << 51  # that prices of its rows add up to: below all that is no group


@dataclass(frozen=True, eq=False)
class CoarseLosses:
    """The same losses as whole multiples of 1/unit of a column, rounded down.

    A node of a tree loses no more than before. So does a range of numbers but for less
    than one unit, since both of its ends are rounded down.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> coarse = CoarseLosses.of(objective, table, 4)
    >>> import numpy as np
    >>> nodes = objective.scales_of(table).nodes(np.array([[0]]), np.array([[1]]))
    >>> coarse.objective.node_costs(table, nodes), coarse.bound(8, table.n)
    (array([1]), 4)
    """

    objective: Objective  # with the coarse losses
    # what all of a column costs in it, where the column has weight 1; None: losses are
    # as they were
    unit: int | None
    # by how much coarse losses are above the true ones, less than this for a row
    excess: int
    # what a coarse unit is in units of the objective that was made coarser
    per_unit: Fraction
    # prices are whole multiples of 1/fine of a coarse unit: above 1 where losses are as
    # they were, since a star alone is a coarse price
    fine: int = 1

    @classmethod
    def of(
        cls, objective: Objective, table: Table, unit: int | None = None
    ) -> "CoarseLosses":
        """Make losses coarser, by default just enough for prices in 1/256 of them."""
        scales = objective.scales_of(table)
        weights = objective.column_weights(table)
        unit = unit or unit_within(table, objective, highest_loss(table.n, _BITS))
        coarse = tuple(
            scale.charged(partial(_rounded, scale.domain, unit))
            for scale in scales.scales
        )
        ranges = [scale.layout.by_length for scale in scales.scales]
        rounded = Scales(scales.columns, coarse)
        per_unit = Fraction(
            lcm(*scales.domains.tolist()), lcm(*rounded.domains.tolist())
        )
        made = replace(objective, scales=rounded)
        return cls(made, unit, int(weights[ranges].sum()), per_unit)

    @classmethod
    def of_groups(cls, objective: Objective, table: Table, k: int) -> "CoarseLosses":
        """Keep losses where sums over k rows fit 64 bits; else round down as little."""
        most = _MOST_GROUP // (k * (k + 1))  # no price is above what a group loses
        row = most_of_row(table, objective)
        if row <= most:
            fine = _power_below(min(most // row, _MOST_FINE))
            return cls(objective, None, 0, Fraction(1), fine)
        return cls.of(objective, table, unit_within(table, objective, most))

    def bound(self, proven: int, rows: int) -> int:
        """Return what a bound on the coarse losses of so many rows says of the true."""
        return self.priced(proven * self.fine, rows)

    def priced(self, total: int, rows: int) -> int:
        """Return what prices of so many rows with this sum prove of the true losses."""
        units = Fraction(total, self.fine) - rows * self.excess
        return max(0, ceil(units * self.per_unit))


class CoarseRun(Run[Best]):
    """A run on the same problem with coarser losses, for a run that learns from it.

    A release is offered to both, and counted in the unit of each. A bound on coarse
    losses says a little less of the true ones, and so does its certificate. The problem
    is gcp.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Partition
    >>> cells = [["0"], [str(10**14 - 1)], [str(10**14)]]
    >>> table = Table.from_rows(["a"], cells, qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> run = Run(table, KAnonymity(3), objective)
    >>> coarse = CoarseRun(run)
    >>> coarse.offer(Partition.single(table)), run.value == 3 * 10**14
    (True, True)
    >>> coarse.raise_bound(coarse.value, "by hand")
    >>> 0 < 1 - run.lower_bound / run.value < 1e-9
    True
    """

    def __init__(self, run: Run[Best], unit: int | None = None) -> None:
        self._true = run
        self._coarse = CoarseLosses.of(run.objective, run.table, unit)
        problem = run.table, run.requirement, self._coarse.objective
        super().__init__(*problem, run.remaining)
        self.stats = run.stats
        if run.best is not None:
            super().offer(run.best)

    def offer(self, release: Best) -> bool:
        """Offer a release to both; whether it costs less in coarse losses."""
        self._true.offer(release)
        return super().offer(release)

    def is_enough(self, bound: int) -> bool:
        """Check whether a bound is as high as it gets, or enough of the true losses."""
        true = self._coarse.bound(bound, self.table.n)
        return bound == self.value or self._true.is_enough(true)

    def hear(self) -> bool:
        """Take the best release of who searches beside; whether it costs less."""
        best = self._true.best if self._true.hear() else None
        return best is not None and self.offer(best)

    def raise_bound(
        self, bound: int, method: str, certificate: Certificate | None = None
    ) -> None:
        """Note a bound on coarse losses, and tell the run what it says of its own."""
        super().raise_bound(bound, method, certificate)
        true, coarse = self._true, self._coarse
        rows = true.table.n
        claim = None
        if certificate is not None:
            data = {**certificate.data, "unit": coarse.unit}
            proven = coarse.bound(certificate.bound, rows)
            claim = Certificate.of(*true.asked, certificate.kind, proven, data)
        true.raise_bound(coarse.bound(bound, rows), method, claim)


def run_with_prices(run: Run[Best]) -> Run[Best]:
    """Return a run whose costs have a unit of prices: the same, or a coarser one."""
    fine = run.objective.by_node and is_fine(run.objective, run.table)
    return CoarseRun(run) if fine else run


def unit_within(table: Table, objective: Objective, most: int) -> int:
    """Return the finest unit, a power of 2, in which a row loses so much at most."""
    weight = max(1, int(objective.column_weights(table).sum()))
    return _power_below(max(1, most // weight))


def _power_below(number: int) -> int:
    return 1 << number.bit_length() - 1


def _rounded(domain: int, unit: int, amount: int) -> int:
    """Return an amount in whole units, rounded down; all of the domain is ``unit``."""
    return amount * unit // domain
