"""Rows that may be deleted (section "Deleted rows")."""

from fractions import Fraction
from re import fullmatch
from typing import Any

from starmin.verify.checker.reading import whole
from starmin.verify.checker.words import Content, RefusalError

DELETED = "delete_rows"  # says what a deleted row costs
ADDED = "added_rows"  # the proof is of a table with so many more rows
OF_ADDED = ("prices", "tree", "odd_sets", "boxes", "group_prices")
LONGEST = 40  # characters of a price


def expect_plain_prices(certificate: Content) -> None:
    """Refuse a proof that says nothing of releases with deleted rows."""
    objective = certificate["objective"]
    if certificate["kind"] != "prices" or "cuts" in certificate["data"]:
        raise RefusalError("where rows may be deleted only prices are known as proofs")
    if objective["kind"] == "tuples" or objective["keep"]:
        raise RefusalError("rows are deleted for stars and gcp, and no column is kept")


def with_added_rows(
    header: list[str], rows: list[list[str]], certificate: Content
) -> tuple[list[list[str]], Content, int]:
    """Return a larger table, its certificate, and what the added rows cost."""
    wanted, objective = certificate["requirement"], certificate["objective"]
    qi, data, kind = (
        certificate["table"]["qi"],
        certificate["data"],
        certificate["kind"],
    )
    if set(wanted) != {"k", DELETED} or kind not in OF_ADDED:
        raise RefusalError("rows are added for k-anonymity alone, to groups")
    if objective["kind"] != "stars" or objective["keep"]:
        raise RefusalError("rows are added for stars, and no column is kept")
    if certificate["table"].get("floors"):
        raise RefusalError("rows are added to a table without floors")
    many = whole(data[ADDED], 2)
    if many != whole(wanted["k"], 2):
        raise RefusalError("its added rows are not k")
    if whole(certificate["table"]["n"], 0) != len(rows):
        raise RefusalError("it is for a table of another size")
    row = sum(whole(objective["weights"].get(column, 1), 0) for column in qi)
    if deletion_price(wanted[DELETED], row, False) != row:
        raise RefusalError("rows are added where a deleted row costs all of its stars")
    named = set(qi)
    added = [
        [f"\0added {place + 1}" if column in named else "" for column in header]
        for place in range(many)
    ]
    less = many * row
    larger = {
        **certificate,
        "table": {**certificate["table"], "n": len(rows) + many},
        "requirement": {"k": wanted["k"]},
        "bound": whole(certificate["bound"], None) + less,
        "data": {name: each for name, each in data.items() if name != ADDED},
    }
    return [*rows, *added], larger, less


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
