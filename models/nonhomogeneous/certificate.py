"""Certificates of lower bounds for non-homogeneous releases: prices of originals."""

import numpy as np
import numpy.typing as npt

from instances import Certificate, Objective, Requirement, Table
from instances.tables.canonical import canonical_order

Ints = npt.NDArray[np.int64]

KIND = "nonhomogeneous_prices"


def price_certificate(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    prices: Ints,
    bound: int,
    denominator: int = 1,
    least: Ints | None = None,
) -> Certificate:
    """Make the certificate that ``verify.certificates.check`` re-checks.

    Parameters
    ----------
    prices
        One for each row type, in units of 1/denominator.
    bound, denominator
        What they prove, and the unit.
    least
        For gcp: what the prices leave to each row type at least, in the same unit.
    """
    order = canonical_order(table, table.row_types)
    data = {"denominator": denominator, "prices": prices[order].tolist()}
    if least is not None:
        data["least"] = least[order].tolist()
    return Certificate.of(table, requirement, objective, KIND, bound, data)
