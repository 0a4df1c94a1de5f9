"""Certificates of lower bounds for non-homogeneous releases: prices of originals."""

from starmin.instances import Certificate, Objective, Requirement, Table
from starmin.instances.arrays import Ints
from starmin.instances.tables.canonical import canonical_order

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
    """Make the certificate.

    ``starmin.verify.certificates.certificate_check`` re-checks it. ``prices`` has one
    for each row type, in units of 1/``denominator``, as is the ``bound`` that they
    prove. For gcp ``least`` is what the prices leave to each row type at least, in the
    same unit.
    """
    order = canonical_order(table, table.row_types)
    data = {"denominator": denominator, "prices": prices[order].tolist()}
    if least is not None:
        data["least"] = least[order].tolist()
    return Certificate.of(table, requirement, objective, KIND, bound, data)
