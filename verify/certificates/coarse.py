"""Losses rounded down to whole units, for certificates that state such a unit."""

from collections.abc import Mapping
from dataclasses import replace
from math import lcm
from typing import Any

import numpy as np

from starmin.instances import Objective, Scales, Table
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.verify.certificates.untrusted import whole


class CoarseObjective:
    """An objective whose losses are whole units, and what it proves of the true one.

    What a node of a tree loses is rounded down. So are both ends of a range, which may
    then lose less than one unit too much; that much is taken off for each row.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> coarse = CoarseObjective(objective, table, 4)
    >>> coarse.objective.whole(table), coarse.proven(8)
    (12, 4)
    """

    def __init__(self, objective: Objective, table: Table, unit: int) -> None:
        scales = objective.scales_of(table)
        rounded = tuple(_rounded_down(scale, unit) for scale in scales.scales)
        self.objective = replace(objective, scales=Scales(scales.columns, rounded))
        # Of the true losses and of the coarse ones what all of a column costs.
        self.true = lcm(*scales.domains.tolist())
        self.coarse = lcm(*self.objective.scales_of(table).domains.tolist())
        self.taken_off = table.n * sum(
            objective.weights.get(column, 1)
            for column, scale in zip(scales.columns, scales.scales, strict=True)
            if isinstance(scale, NumericScale) and not scale.free
        )

    def proven(self, bound: int) -> int:
        """Return the bound on true losses that follows from one on the coarse ones."""
        units = bound - self.taken_off
        return max(0, -(-units * self.true // self.coarse))

    def needed(self, claim: int) -> int:
        """Return the least bound on coarse losses from which a claim follows.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
        >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
        >>> coarse = CoarseObjective(objective, table, 4)
        >>> [coarse.proven(coarse.needed(4) - less) for less in (0, 1)]
        [4, 3]
        """
        return (claim - 1) * self.coarse // self.true + 1 + self.taken_off


class StatedLosses:
    """The losses in the unit that the data of a certificate state, or in their own."""

    def __init__(
        self, data: Mapping[str, Any], table: Table, objective: Objective
    ) -> None:
        self.objective, self.coarse = objective, None
        if "unit" in data:
            unit = whole(data["unit"], "its unit", 1)
            self.coarse = CoarseObjective(objective, table, unit)
            self.objective = self.coarse.objective

    def proven(self, bound: int) -> int:
        """Return the bound on the true losses."""
        return bound if self.coarse is None else self.coarse.proven(bound)

    def needed(self, claim: int) -> int:
        """Return what is to be proven in the stated unit for a claim."""
        return claim if self.coarse is None else self.coarse.needed(claim)


def _rounded_down(scale: Scale, unit: int) -> Scale:
    domain = scale.domain
    if isinstance(scale, TaxonomyScale):
        lost = [loss * unit // domain for loss in map(int, scale.losses)]
        return replace(scale, losses=np.array(lost, np.int64), rule=None)
    if isinstance(scale, NumericScale):
        begins = [end * unit // domain for end in map(int, scale.lower)]
        ends = [end * unit // domain for end in map(int, scale.upper)]
        return replace(
            scale,
            lower=np.array(begins, np.int64),
            upper=np.array(ends, np.int64),
            least=scale.least * unit // domain,
            single=np.array(
                [loss * unit // domain for loss in map(int, scale.single)], np.int64
            ),
        )
    return scale
