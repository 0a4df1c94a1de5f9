"""Rows that may be deleted (section "Deleted rows")."""

from fractions import Fraction
from re import fullmatch
from typing import Any

from starmin.verify.checker.words import Content, RefusalError

DELETED = "delete_rows"  # says what a deleted row costs
LONGEST = 40  # characters of a price


def expect_plain_prices(certificate: Content) -> None:
    """Refuse a proof that says nothing of releases with deleted rows."""
    objective = certificate["objective"]
    if certificate["kind"] != "prices" or "cuts" in certificate["data"]:
        raise RefusalError("where rows may be deleted only prices are known as proofs")
    if objective["kind"] == "tuples" or objective["keep"]:
        raise RefusalError("rows are deleted for stars and gcp, and no column is kept")


def deletion_price(told: Any, row: int, of_losses: bool) -> int:
    """Return what a deleted row costs; ``row`` is what it loses that shows nothing."""
    if told == "row":
        return row
    if not isinstance(told, str) or len(told) > LONGEST:
        raise RefusalError("the price of a deleted row is none")
    if fullmatch(r"[0-9]+([.][0-9]+|/0*[1-9][0-9]*)?", told) is None:
        raise RefusalError("the price of a deleted row is none")
    price = Fraction(told) * (row if of_losses else 1)
    if price.denominator != 1:
        raise RefusalError("the price of a deleted row is no whole number")
    return price.numerator
