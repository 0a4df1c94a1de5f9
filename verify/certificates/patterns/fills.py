"""What the rows of types are worth where they fill a pattern, and which may."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.tables.grouping import COMPILED_FROM
from starmin.verify.certificates.patterns.batches import AnyBatch
from starmin.verify.certificates.patterns.heads import (
    enough_values,
    in_sets,
    leaves_out_types,
)
from starmin.verify.certificates.patterns.pricing_problems import PricingProblems


@dataclass(frozen=True, eq=False)
class Fills:
    """Prices of row types, and what a requirement asks of the rows of a pattern."""

    prices: Ints  # prices, counts: of each type, by falling price
    counts: Ints
    values: Int32s  # q x m: the sensitive values of the types, by column
    k: int
    l: int
    sensitive: int  # which sensitive column's diversity counts

    @property
    def least(self) -> int:
        """Copies that each fill has at least."""
        return max(self.k, self.l)

    def worth(self, batch: AnyBatch) -> Ints:
        """Return what the best fill of each set costs beyond its prices."""
        values = self.values[self.sensitive][batch.members] if self.l > 1 else None
        return self._problems(batch).least(self.k, self.l, values)

    def prune(self, batch: AnyBatch, slack: int) -> AnyBatch:
        """Drop types in no fill worth less than ``slack``, then sets without one."""
        batch = self._fitting(batch, slack)
        if self.l == 1 or len(batch.lengths) == 0:
            return batch
        values = self.values[self.sensitive]
        batch = batch.select(in_sets(batch, self.prices, values, self.k, self.l, slack))
        return self._fitting(batch, slack) if len(batch.lengths) else batch

    def _fitting(self, batch: AnyBatch, slack: int) -> AnyBatch:
        """Drop the types in no such fill, whatever their sensitive values.

        Those that stay are the first ones of their set, as the others cost more.
        """
        if len(batch.members) >= COMPILED_FROM:
            from starmin.verify.certificates.patterns.set_loops import fitting_lengths

            priced = batch.cost, self.prices, self.counts
            kept = fitting_lengths(
                batch.members, batch.lengths, *priced, self.least, slack
            )
            return batch.first(kept)
        reduced = self._reduced(batch)
        copies = self.counts[batch.members]
        gain = -np.add.reduceat(np.minimum(reduced, 0) * copies, batch.starts)
        batch = batch.select(reduced < gain[batch.set_of] + slack)
        if len(batch.lengths) == 0:
            return batch
        problems = self._problems(batch)
        good = problems.least_cost(self.least) < slack
        return batch.keep(good & (problems.support >= self.least))

    def diverse(self, batch: AnyBatch) -> Bools:
        """Return which sets have enough values in each sensitive column."""
        if self.l == 1:
            return np.ones(len(batch.lengths), np.bool_)
        return enough_values(batch, self.values, self.l)

    def settled(
        self, batch: AnyBatch, slack: int, prune: Callable[[AnyBatch], AnyBatch]
    ) -> AnyBatch:
        """Prune patterns until nothing changes, where single types may be left out."""
        if not leaves_out_types(self.k, self.l, slack):
            return batch
        while True:
            left = prune(batch)
            if len(left.members) in (0, len(batch.members)):
                return left
            batch = left

    def _problems(self, batch: AnyBatch) -> PricingProblems:
        copies = self.counts[batch.members]
        return PricingProblems(self._reduced(batch), copies, batch.lengths)

    def _reduced(self, batch: AnyBatch) -> Ints:
        """Return what a row of each member costs beyond its price."""
        return np.asarray(batch.cost[batch.set_of] - self.prices[batch.members])
