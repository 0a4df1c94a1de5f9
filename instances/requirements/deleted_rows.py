"""Rows that may be deleted at a price, instead of starring them all."""

from dataclasses import dataclass
from fractions import Fraction
from re import fullmatch
from typing import Any

import numpy as np

from starmin.instances.arguments import Option
from starmin.instances.errors import TableError
from starmin.instances.requirements.diversity import LDiversity
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import Around, Core, Requirement, Stated
from starmin.instances.tables.table import Table

_MOST = 1_000_000  # so that what a program adds up stays exact
_MOST_TEXT = 40  # characters of a price
ROW = "row"  # the price that is what a row loses of which nothing is shown
DELETE_ROWS = Option(
    "delete_rows",
    str,
    "Rows may be deleted. A deleted row counts as PRICE stars, or, where losses are "
    "counted, as PRICE rows hidden whole; with 'row' as one row hidden whole.",
    metavar="row|PRICE",
)


@dataclass(frozen=True)
class DeletedRows(Around):
    """A requirement on the rows that are kept; the others are deleted at a price.

    A deleted row is in no group. So whatever is asked can be met.

    Parameters
    ----------
    inner
        k-anonymity, diversity by frequency, or both.
    price
        ``row``: what a row loses of which nothing is shown; or a number. Of stars it is
        a whole number of them, by their weights; of losses it is multiplied by what
        ``row`` stands for, and may be a fraction, as 2/3.

    Examples
    --------
    >>> asked = DeletedRows(KAnonymity(2), "3")
    >>> asked.as_json()
    {'k': 2, 'delete_rows': '3'}
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> asked.possible(table), DeletedRows(KAnonymity(3)).possible(table)
    (True, False)
    """

    name = "deleted rows"
    options = (DELETE_ROWS,)
    may_delete = True
    takes = KAnonymity, LDiversity
    refusal = (
        "--delete-rows: is for k-anonymity and diversity by frequency, not for {form}"
    )

    price: str = ROW

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.price != ROW and not 0 < number(self.price) <= _MOST:
            raise TableError(
                f"--delete-rows: expected a price above 0 and up to {_MOST:,}, or "
                f"'row', got {self.price!r}"
            )

    @classmethod
    def around(cls, asked: Requirement, stated: Stated, table: Table) -> Requirement:
        price = stated[DELETE_ROWS]
        if price is None or price is False:
            return asked
        return cls(asked, price_text(price))

    @property
    def core(self) -> Core:
        """What holds of the groups of kept rows."""
        return self.inner.core._replace(exact=False)

    def possible(self, table: Table) -> bool:
        """Check whether some rows of a table, at least, can be a group."""
        least, l = self.inner.core.size, self.inner.core.diversity
        if l == 1:
            return table.n >= least
        ways = []
        for column in table.sensitive:
            counts = np.bincount(table.column(column), table.counts)
            tops = range(1, int(counts.max()) + 1)
            ways.append(
                any(np.minimum(counts, h).sum() >= max(least, l * h) for h in tops)
            )
        return all(ways)

    def sentence(self, table: Table, recoding: str) -> str:
        told = self.inner.sentence(table, recoding)
        return f"{told} Some rows may have been left out."

    def as_json(self) -> dict[str, Any]:
        return self.inner.as_json() | {"delete_rows": self.price}


def price_text(price: object) -> str:
    """Return a price as it is stated: ``row`` or a number.

    >>> price_text(True), price_text(3), price_text(0.5), price_text(" 2.0 ")
    ('row', '3', '0.5', '2.0')
    """
    return ROW if price is True else str(price).strip()


def number(text: str) -> Fraction:
    """Return the number that a price states: 3, 0.5 or 2/3."""
    if (
        fullmatch(r"[0-9]+([.][0-9]+|/0*[1-9][0-9]*)?", text) is None
        or len(text) > _MOST_TEXT
    ):
        raise TableError(f"--delete-rows: expected a number or 'row', got {text!r}")
    return Fraction(text)
