"""Prices to start from: those that a certificate of a like problem holds."""

import numpy as np

from starmin.instances import Certificate, RowTypes, Table
from starmin.instances.arrays import Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.price_unit import PriceUnit

_RATIO = 1.15  # between two multiples that are tried


def certified_prices(
    certificate: Certificate | None, table: Table, types: RowTypes, unit: PriceUnit
) -> Ints | None:
    """Return the prices that a certificate holds for row types of a table.

    In ``unit``, by type of ``types``; None where it has no price for each of them. The
    certificate is for the same table, perhaps for another requirement.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> data = {"denominator": 2, "prices": [2, 3]}
    >>> proof = Certificate.of(table, KAnonymity(2), STARS, "prices", 2, data)
    >>> unit = PriceUnit.of(table, STARS)
    >>> found = certified_prices(proof, table, table.row_types, unit)
    >>> (found / unit.per_cost).tolist()
    [1.0, 1.5]
    """
    if certificate is None or certificate.kind != "prices":
        return None
    data = certificate.data
    if len(data["prices"]) != len(types):
        return None
    prices = np.empty(len(types), np.int64)
    written = np.array(data["prices"], np.float64) / data["denominator"]
    prices[canonical_order(table, types)] = unit.whole(written)
    return prices


def scaled(prices: Ints, function: LagrangianFunction) -> Ints:
    """Return the multiple of prices whose bound is about the highest.

    Prices are in units of ``PriceUnit``. A row is worth less for a smaller k, and more
    for a larger one. The bound is concave along the multiples of prices, so that they
    are followed as long as it rises.
    """
    best, value = prices, function(prices)[0]
    for ratio in (1 / _RATIO, _RATIO):
        while True:
            tried = function.unit.clipped(np.rint(best * ratio))
            found = function(tried)[0]
            if found <= value:
                break
            best, value = tried, found
    return best
