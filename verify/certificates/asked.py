"""What a certificate asks, with the prices and the unit of losses that it states."""

from collections.abc import Mapping
from dataclasses import replace
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Objective, RowTypes, Scales, Table
from starmin.instances.arrays import Ints
from starmin.instances.releases.objective import tuples_as_stars
from starmin.instances.runs.places import Places
from starmin.instances.scales.scale import Scale
from starmin.instances.tables.row_types import canonical_order
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.untrusted import LARGEST, RefusalError, whole
from starmin.verify.exact import Told

# Losses rounded down to whole units, for certificates that state such a unit.


class StatedLosses:
    """The losses in the unit that data state, or in their own, and what they prove.

    What a node of a tree loses is rounded down to whole units. So are both ends of a
    range, which may then lose less than one unit too much; that much is taken off for
    each row.

    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["3"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> stated = StatedLosses({"unit": 4}, table, objective)
    >>> stated.objective.whole(table), stated.proven(8)
    (12, 4)
    >>> [stated.proven(stated.needed(4) - less) for less in (0, 1)]
    [4, 3]
    """

    def __init__(
        self, data: Mapping[str, Any], table: Table, objective: Objective
    ) -> None:
        self.objective, self.is_coarse = objective, "unit" in data
        # Of the true losses and of the coarse ones what all of a column costs.
        self.true = self.coarse = 1
        self.taken_off = 0
        if not self.is_coarse:
            return
        unit, scales = whole(data["unit"], "its unit", 1), objective.scales_of(table)

        def rounded(scale: Scale) -> Scale:
            domain = scale.domain
            return scale.charged(lambda loss: loss * unit // domain)

        coarse = Scales(scales.columns, tuple(map(rounded, scales.scales)))
        self.objective = replace(objective, scales=coarse)
        self.true = lcm(*scales.domains.tolist())
        self.coarse = lcm(*self.objective.scales_of(table).domains.tolist())
        self.taken_off = table.n * sum(
            objective.weights.get(column, 1)
            for column, scale in zip(scales.columns, scales.scales, strict=True)
            if scale.layout.by_length
        )

    def proven(self, bound: int) -> int:
        """Return the bound on true losses that follows from one on the stated ones."""
        if not self.is_coarse:
            return bound
        units = bound - self.taken_off
        return max(0, -(-units * self.true // self.coarse))

    def needed(self, claim: int) -> int:
        """Return the least bound on stated losses from which a claim follows."""
        return (claim - 1) * self.coarse // self.true + 1 + self.taken_off


class Asked(NamedTuple):
    """The data of a certificate, and the usual problem whose bound they are to prove.

    Of k, l and the number of distinct values 1 is for what is not required.
    """

    data: Mapping[str, Any]
    table: Table
    k: int
    l: int
    distinct: int
    objective: Objective
    claim: int
    told: Told | None
    where: Places | None

    def by_stars(self) -> "Asked":
        """Return the same as one of stars, where suppressed tuples are counted."""
        if not self.objective.once:
            return self
        table, objective = tuples_as_stars(self.table, self.objective)
        return self._replace(table=table, objective=objective)

    def named(self) -> tuple[int, ...]:
        """Return the places of the sensitive columns that the data name, if any."""
        if "sensitive" not in self.data:
            return ()
        named, known = self.data["sensitive"], self.table.sensitive
        named = named if isinstance(named, list) else [named]
        if (
            max(self.l, self.distinct) == 1
            or not named
            or any(column not in known for column in named)
        ):
            raise RefusalError("the sensitive column in its data is none")
        return tuple(map(known.index, named))

    def priced(self) -> tuple[PricedTypes, StatedLosses]:
        """Return the problem with the prices of its row types, in the stated unit."""
        data, table = self.data, self.table
        denominator = whole(data["denominator"], "its denominator", 1)
        diverse = max(self.l, self.distinct) > 1
        types = table.sensitive_types if diverse else table.row_types
        prices = read_prices(data["prices"], table, types)
        columns = self.named() or (0,)
        k = max(self.k, self.l, self.distinct) if self.distinct > 1 else self.k
        stated = StatedLosses(data, table, self.objective)
        given = table, types, stated.objective, k, self.l, prices, denominator
        return PricedTypes(*given, columns, self.distinct), stated


def read_prices(written: object, table: Table, types: RowTypes) -> Ints:
    """Return the prices in the order of the types, refused if they are none."""
    prices = np.empty(len(types), np.int64)
    written = listed_prices(written, len(types), LARGEST)
    prices[canonical_order(table, types)] = written
    return prices


def listed_prices(written: object, count: int, beyond: int) -> list[int]:
    """Return prices as they are written, refused if they are none."""
    if not isinstance(written, list) or len(written) != count:
        raise RefusalError(f"its prices are not a list of {count} numbers")
    return [
        whole(price, f"price {position}", -beyond, beyond)
        for position, price in enumerate(written, start=1)
    ]
