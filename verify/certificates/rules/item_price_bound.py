"""The bound that prices of items prove, recomputed from the table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from starmin.instances import Objective, Table
from starmin.verify.beyond import expect_time
from starmin.verify.certificates.rules.family import Family
from starmin.verify.certificates.rules.items import Items
from starmin.verify.certificates.rules.least_row_costs import NONE, Minima
from starmin.verify.certificates.rules.priced_items import (
    expect_small,
    fills,
    read_prices,
)
from starmin.verify.certificates.rules.trees import gains
from starmin.verify.certificates.untrusted import RefusalError, check_keys, whole


def rule_bound(
    data: Mapping[str, Any],
    table: Table,
    family: Family,
    objective: Objective,
    claim: int,
) -> int:
    r"""Recompute what no mask costs less than.

    For any prices :math:`\pi_{ti}` of a row of type t that shows item i a mask costs at
    least

    .. math:: \sum_t s_t \min_S (c(S) + \sum_{i \in S} \pi_{ti}) - \sum_i \max(0, f_i),

    where :math:`f_i` is the most that prices of item i come to over at least k and at
    most :math:`s_t` rows of each type. The rows that show an item are none or such
    rows.

    The ``data`` have ``denominator``, ``prices`` and maybe ``trees``, as
    docs/reference/certificate.md has them. Trees add what ``gains`` says. Equal values
    of the table are merged; ``claim`` is the bound that is claimed. Raises RefusalError
    where the data are no prices.
    """
    check_keys(data, "its data", {"denominator", "prices"}, {"trees"})
    per_cost = whole(data["denominator"], "its denominator", 1)
    items = Items(table, family, objective)
    prices = read_prices(data["prices"], items)
    row = sum(int(ladder.costs.max(initial=0)) for ladder in items.ladders)
    row = (row + 1) * per_cost
    expect_small(items, prices, row)
    minima = Minima(objective, items, per_cost)
    total, plain = minima.of_the_rest(prices)
    for t in np.flatnonzero(~plain).tolist():
        expect_time()
        least = minima.of(t, prices.get(t, {}), set())
        if least == NONE:
            raise RefusalError("the table has no release at all")
        total += int(items.copies[t]) * least
    total -= sum(max(0, fill) for fill in fills(items, prices).values())
    if "trees" in data:
        total += gains(data["trees"], items, minima, prices, row)
    return -(-total // per_cost)
