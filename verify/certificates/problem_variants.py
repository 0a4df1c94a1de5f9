"""Say which usual problem proves what where rows may be deleted, values are missing, or
persons count.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from re import fullmatch
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Objective, Table, group_by
from starmin.instances.requirements.id_columns import two_rows
from starmin.instances.scales.missing import MISSING
from starmin.verify.certificates.asked import Asked
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    check_mapping,
    least_of,
    listed,
    texts_in,
    whole,
)

# What makes a proof one for releases that rows may be left out of.

DELETED = "delete_rows"  # the entry of a requirement: what a deleted row costs
ADDED = "added_rows"  # the entry of data: the proof is of a table with more rows
OF_ADDED = ("prices", "tree", "odd_sets", "boxes", "group_prices")  # kinds of proof
_MOST_TEXT = 40  # characters of a price


def expect_capped(kind: object, asked: Asked, price: object) -> None:
    r"""Refuse a proof that says nothing of releases with deleted rows.

    Prices :math:`\lambda_t` of row types prove a bound on releases that keep all rows.
    If none is above c, what a deleted row costs, they prove it of all: its kept rows
    cost their prices and :math:`\sum_p \min(0, v_p)` at least, and each deleted row
    costs its price or more. So that is asked here, and the bound is recomputed as ever.

    The ``data`` have prices, without cuts, a unit or a tree; ``price`` is as the
    requirement of the certificate states it. Raises RefusalError where it is another
    kind of proof, a price is above c, or c is none.
    """
    data, objective = asked.data, asked.objective
    if kind != "prices":
        raise RefusalError("where rows may be deleted only prices are known as proofs")
    if objective.once or objective.keep:
        raise RefusalError(
            "where rows may be deleted proofs are for stars and gcp, without --keep"
        )
    check_keys(data, "its data", {"denominator", "prices"}, {"sensitive"})
    cap = whole(data["denominator"], "its denominator", 1)
    cap *= price_of(price, asked.table, objective)
    for position, each in enumerate(listed(data["prices"], "its prices"), start=1):
        if type(each) is not int or each > cap:
            raise RefusalError(f"price {position} is above what a deleted row costs")


def with_added_rows(asked: Asked, price: object) -> tuple[Asked, int]:
    """Return what is asked of the larger table that a proof is of, and what rows cost.

    k rows are added that differ from all others, and from each other, in each column.
    Where a deleted row costs what one costs that shows nothing, w, a release of the
    larger table costs k w more than one of the table: the rows that are together with
    added ones show nothing, and may as well be deleted; deleted rows and all added ones
    are a group of k or more.

    The data say how many rows are added; ``price`` is as the requirement of the
    certificate states it, which asks for k, and nothing else. Raises RefusalError where
    it is another objective, price or number of rows.
    """
    data, table, k, objective = asked.data, asked.table, asked.k, asked.objective
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
    rest = {name: data[name] for name in data if name != ADDED}
    claim = asked.claim + k * row
    return asked._replace(data=rest, table=larger, claim=claim), k * row


def price_of(price: object, table: Table, objective: Objective) -> int:
    """Return what a deleted row costs, as a requirement states it.

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


# What is proven of diversity with missing sensitive values: by which usual problem.

KEYS = {"missing_sensitive", "missing"}


class Meaning(NamedTuple):
    """What a requirement states of missing sensitive values."""

    counted: bool  # whether each may be any value; else it counts for nobody
    unknown: frozenset[str | None]  # the texts that stand for one


def read_meaning(part: Mapping[str, Any]) -> Meaning:
    """Read what a part of a requirement states of missing values; refuse nonsense."""
    meaning, unknown = part.get("missing_sensitive"), part.get("missing", [*MISSING])
    if meaning not in ("any", "none") or "l" not in part:
        raise RefusalError("its requirement reads missing values in no known way")
    texts = texts_in(unknown, "missing values of its requirement")
    return Meaning(meaning == "any", frozenset({None, *texts}))


def usual_problem(asked: Asked, meaning: Meaning) -> Asked:
    """Return a usual problem whose bounds hold for one with missing values.

    If any value may be meant, missing values may be one of their own: the table as it
    is. If they count for nobody and k is at least what diversity asks, each becomes a
    value that no other row has. A group that is allowed has k rows then, of each
    value no larger a share than before, and as many values. If k is less, a
    group has rows without a known value, which are left out, or more than k others: the
    rows with a known value in that column where most have one, and diversity there.
    """
    if meaning.counted:
        return asked
    table, missing = asked.table, {}
    for column in table.sensitive:
        lost = [text in meaning.unknown for text in table.dictionary(column)]
        missing[column] = np.array(lost)[table.column(column)]
    if asked.k >= max(asked.l, asked.distinct):
        if table.counts is not None:
            raise RefusalError("missing values of a counted table are not told apart")
        told = {}
        for column, where in missing.items():
            codes, texts = table.column(column).copy(), table.dictionary(column)
            fresh = tuple(f"\0{i}" for i in range(int(where.sum())))
            codes[where] = len(texts) + np.arange(len(fresh))
            told[column] = codes, (*texts, *fresh)
        return asked._replace(table=table.recoded(told))
    column = min(table.sensitive, key=lambda each: int(missing[each].sum()))
    rows = np.flatnonzero(~missing[column])
    if len(rows) == 0:
        raise RefusalError("no sensitive value is known")
    return asked._replace(table=table.with_roles(table.qi, (column,)).take(rows), k=1)


# What is proven where persons count: groups with enough different ids.

UNITS = ("person", "household")
NO_RELEASE = "persons of the table are too few or too much alike for any release"
_ASKED = {"k", "l", "alpha"}
_MORE = {"diversity", "c"}
_FORMS = ("distinct", "entropy", "recursive")


class Counted(NamedTuple):
    """What a requirement states that counts ids."""

    column: str  # of the ids
    least: int  # how many of them every group has at least
    together: bool  # whether all rows of each are published alike
    # the greatest share of them in a group that may have one sensitive value
    share: Fraction
    values: int  # how many sensitive values every group has at least
    # quasi-identifiers in which all rows of an id are published alike
    alike: tuple[str, ...] = ()


def read_counted(stated: object, table: Table) -> Counted:
    """Read a requirement that counts ids; refuse it where it is none.

    A group with P persons is required to have k of them; or each value for at most
    P / l or alpha P of them, hence at least l or 1 / alpha persons, as somebody has a
    value; or l different values, and l persons. Entropy and recursive diversity imply l
    values where each person has one. So each group has as many different ids, whether
    rows of a person may be parted or not.
    """
    content = check_mapping(stated, "its requirement")
    units = [unit for unit in UNITS if unit in content]
    if len(units) > 1:
        raise RefusalError("its requirement counts persons and households")
    needed = {units[0], *(["all_of"] if "all_of" in content else [])}
    further = set() if "all_of" in content else _ASKED | _MORE
    check_keys(content, "its requirement", needed, {"pseudonym", "alike", *further})
    column = content[units[0]]
    if not isinstance(column, str) or column not in table.names:
        raise RefusalError("its requirement counts ids of a column that is not there")
    parts = content.get("all_of", [content])
    if not isinstance(parts, list) or not parts:
        raise RefusalError("its requirement is empty")
    asked = [_asked(part, units[0]) for part in parts]
    least, shares, values = zip(*asked, strict=True)
    alike = content.get("alike", [])
    if not isinstance(alike, list | tuple) or not all(c in table.qi for c in alike):
        raise RefusalError("the columns that are alike are no quasi-identifiers")
    together = content.get("pseudonym") is True or set(alike) == set(table.qi)
    told = max(least), together, min(shares), max(values), tuple(alike)
    return Counted(column, *told)


def _asked(part: object, unit: str) -> tuple[int, Fraction, int]:
    """Return what a part asks of every group: persons, a share of them, values."""
    known = _ASKED | _MORE | {unit, "pseudonym", "alike"}
    content = check_keys(part, "its requirement", possible=known)
    if not _ASKED & set(content):
        raise RefusalError("its requirement is empty")
    if content.get("diversity", "distinct") not in _FORMS:
        raise RefusalError("its diversity is of no known form")
    k, l = least_of(content, "k"), least_of(content, "l")
    share, by_values = Fraction(1), "diversity" in content
    if "alpha" in content:
        told = content["alpha"]
        if type(told) not in (int, float) or not 0 < told <= 1:
            raise RefusalError("its share is not above 0 and at most 1")
        share = Fraction(str(told))
    least = max(k, l, math.ceil(1 / share))
    return (least, share, l) if by_values else (least, min(share, Fraction(1, l)), 1)


def expect_release(asked: Asked, counted: Counted) -> None:
    """Refuse a table that fails as a whole, or whose rows do that may share a class.

    A person has several rows, so that groups of a table may satisfy what the table does
    not: it is asked beside, of the rows as well that agree on what is to be kept.
    """
    table, objective = asked.table, asked.objective
    ids, apart = table.column(counted.column), objective.apart(table)
    among = objective.apart(table, counted.alike)
    if any(two_rows(table, counted.column, of_row) for of_row in among):
        raise RefusalError("rows of one id differ too much for any release")
    classes = [np.zeros(table.n, np.int32)]
    if apart:
        classes.append(group_by(apart).inverse)
    for groups in classes:
        many = int(groups.max()) + 1
        of_ids = group_by([groups, ids])
        persons = np.bincount(groups[of_ids.first], minlength=many)
        if persons.min() < counted.least:
            raise RefusalError(NO_RELEASE)
        for cells in map(table.column, table.sensitive):
            each = group_by([groups, cells, ids]).first
            pairs = group_by([groups[each], cells[each]])
            of_group = groups[each][pairs.first]
            values = np.bincount(of_group, minlength=many)
            most = np.zeros(many, np.int64)
            np.maximum.at(most, of_group, pairs.counts)
            fits = zip(most.tolist(), persons.tolist(), strict=True)
            few = (values < counted.values).any()
            if few or any(top > counted.share * all_ for top, all_ in fits):
                raise RefusalError(NO_RELEASE)


def of_ids(asked: Asked, counted: Counted) -> Asked:
    """Return the problem with ids in the place of sensitive values."""
    table = asked.table
    if counted.column in table.qi:
        raise RefusalError("its requirement counts a quasi-identifier")
    return asked._replace(table=table.with_roles(table.qi, (counted.column,)))
