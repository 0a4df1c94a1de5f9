"""What makes a proof one for releases that rows may be left out of."""

from collections.abc import Mapping
from fractions import Fraction
from re import fullmatch
from typing import Any

from starmin.instances import Objective, Table
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    listed,
    whole,
)

DELETED = "delete_rows"  # the entry of a requirement: what a deleted row costs
_MOST_TEXT = 40  # characters of a price


def expect_capped(
    kind: object,
    data: Mapping[str, Any],
    price: object,
    table: Table,
    objective: Objective,
) -> None:
    r"""Refuse a proof that says nothing of releases with deleted rows.

    Prices :math:`\lambda_t` of row types prove a bound on releases that keep all rows.
    If none is above c, what a deleted row costs, they prove it of all: its kept rows
    cost their prices and :math:`\sum_p \min(0, v_p)` at least, and each deleted row
    costs its price or more. So that is asked here, and the bound is recomputed as ever.

    Parameters
    ----------
    kind, data
        Of the certificate: prices, without cuts, a unit or a tree.
    price
        As its requirement states it.
    table, objective
        The problem.

    Raises
    ------
    RefusalError
        It is another kind of proof, a price is above c, or c is none.
    """
    if kind != "prices":
        raise RefusalError("where rows may be deleted only prices are known as proofs")
    if objective.once or objective.keep:
        raise RefusalError(
            "where rows may be deleted proofs are for stars and gcp, without --keep"
        )
    check_keys(data, "its data", {"denominator", "prices"}, {"sensitive"})
    cap = whole(data["denominator"], "its denominator", 1) * price_of(
        price, table, objective
    )
    for position, each in enumerate(listed(data["prices"], "its prices"), start=1):
        if type(each) is not int or each > cap:
            raise RefusalError(f"price {position} is above what a deleted row costs")


def price_of(price: object, table: Table, objective: Objective) -> int:
    """Return what a deleted row costs, as a requirement states it.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> [price_of(told, table, Objective()) for told in ("row", "3")]
    [2, 3]
    """
    row = objective.whole(table) // max(1, table.n)
    if price == "row":
        return row
    if not isinstance(price, str) or len(price) > _MOST_TEXT:
        raise RefusalError("the price of a deleted row is none")
    if fullmatch(r"[0-9]+([.][0-9]+|/0*[1-9][0-9]*)?", price) is None:
        raise RefusalError("the price of a deleted row is none")
    told = Fraction(price) * (row if objective.by_node else 1)
    if told.denominator != 1:
        raise RefusalError("the price of a deleted row is no whole number")
    return int(told)
