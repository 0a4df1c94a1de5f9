"""What makes a proof one for releases that rows may be left out of."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from re import fullmatch
from typing import Any

import numpy as np

from starmin.instances import Objective, Table
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    listed,
    whole,
)

DELETED = "delete_rows"  # the entry of a requirement: what a deleted row costs
ADDED = "added_rows"  # the entry of data: the proof is of a table with more rows
OF_ADDED = ("prices", "tree", "odd_sets", "boxes", "group_prices")  # kinds of proof
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

    The ``data`` have prices, without cuts, a unit or a tree; ``price`` is as the
    requirement of the certificate states it. Raises RefusalError where it is another
    kind of proof, a price is above c, or c is none.
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


def with_added_rows(
    data: Mapping[str, Any], price: object, k: int, table: Table, objective: Objective
) -> tuple[Table, dict[str, Any], int]:
    """Return the larger table that a proof is of, the rest of its data, and their cost.

    k rows are added that differ from all others, and from each other, in each column.
    Where a deleted row costs what one costs that shows nothing, w, a release of the
    larger table costs k w more than one of the table: the rows that are together with
    added ones show nothing, and may as well be deleted; deleted rows and all added ones
    are a group of k or more.

    The ``data`` say how many rows are added; ``price`` is as the requirement of the
    certificate states it, and ``k`` what it asks for, and nothing else. Raises
    RefusalError where it is another objective, price or number of rows.
    """
    if objective.kind != "stars" or objective.keep or table.floors:
        raise RefusalError("rows are added for stars, without --keep and floors")
    row = price_of("row", table, objective)
    if price_of(price, table, objective) != row:
        raise RefusalError("rows are added where a deleted row costs all of its stars")
    if type(data[ADDED]) is not int or data[ADDED] != k:
        raise RefusalError(f"its added rows are not {k}")
    places, texts = np.arange(k), tuple(f"\0added {place + 1}" for place in range(k))
    codes, dictionaries = [], list(table.dictionaries)
    for at, column in enumerate(table.names):
        new = np.zeros(k, np.int64)
        if column in table.qi:
            new = len(dictionaries[at]) + places
            dictionaries[at] = (*dictionaries[at], *texts)
        codes.append(np.concatenate([table.codes[at], new.astype(table.codes.dtype)]))
    larger = replace(table, codes=np.array(codes), dictionaries=tuple(dictionaries))
    return larger, {name: data[name] for name in data if name != ADDED}, k * row


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
