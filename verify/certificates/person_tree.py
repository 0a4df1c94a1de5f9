"""The bound of a tree of prices where all rows of a person are published alike."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import Scales, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.releases.objective import tuples_as_stars
from starmin.instances.tables.grouping import group_by
from starmin.verify.certificates.kinds import Asked
from starmin.verify.certificates.patterns.node_tree import cover
from starmin.verify.certificates.untrusted import (
    ENDLESS,
    RefusalError,
    check_keys,
    check_mapping,
    listed,
    numbers,
    walked,
    whole,
)
from starmin.verify.certificates.within import nodes_between
from starmin.verify.exact import BeyondError, expect_time

PERSONS = "persons"  # the kind of certificate
_MOST_PAIRS = 1_000_000  # of a pattern and a type of persons
_MOST_NODES = 3_000  # of a column


@dataclass(frozen=True, eq=False)
class PersonTypes:
    """Persons with the same values and as many rows."""

    places: Ints  # m x d: where their values stand on the scales of the columns
    # rows, persons: by type: how many rows each of them has, and how many they are
    rows: list[int]
    persons: list[int]

    @classmethod
    def of(cls, table: Table, column: str, scales: Scales) -> "PersonTypes":
        """Return the types in canonical order: by their texts, then by their rows.

        Raises RefusalError where rows of a person differ.
        """
        ids = group_by([table.column(column)], [len(table.dictionary(column))])
        codes = np.array([table.column(name) for name in table.qi]).T
        first = codes[ids.first]
        if (codes != first[ids.inverse]).any():
            raise RefusalError("rows of a person differ, and cannot be alike")
        texts = [table.dictionary(name) for name in table.qi]
        named: dict[tuple[Any, ...], list[int]] = {}
        for who, (row, many) in enumerate(zip(first, ids.counts, strict=True)):
            key = tuple(texts[j][code] or "" for j, code in enumerate(row))
            named.setdefault((*key, int(many)), []).append(who)
        order = sorted(named)
        some = ids.first[[named[key][0] for key in order]]
        places = scales.row_positions(table)[some]
        many = [key[-1] for key in order]
        return cls(places.astype(np.int64), many, [len(named[key]) for key in order])


@dataclass(frozen=True, eq=False)
class _Pattern:
    """A vector of nodes: what a row pays, and the types that fit."""

    nodes: tuple[int, ...]
    cost: int
    members: list[int]


def person_tree_bound(asked: Asked, least: int) -> int:
    r"""Recompute what no release with all rows of a person alike goes below.

    A group with pattern p has at least K persons, and each of type t has :math:`w_t`
    rows in it. So with any prices :math:`\pi` of persons a release costs at least

    .. math::
        \sum_t m_t \pi_t + \sum_p \min(0, v_p), \qquad
        v_p = \min_S \sum_{t \in S} (w_t cost_p - \pi_t)

    over sets S of at least K of the :math:`m_t` persons of each type t that fit p. A
    pattern need not be looked at where too few persons fit, or where all who fit have a
    lower node in common: no group has it. A split says that nobody is published as a
    pattern, so that its term is 0, or that somebody is, so that it is v.

    The data have ``denominator``, ``patterns`` (named by types) and ``nodes``, each
    before its children: ``prices`` at a leaf, else ``split``. The ids are the sensitive
    column of the table, ``least`` is K, and the objective says what a row pays. Raises
    RefusalError where the data are no tree, and BeyondError where there are too many
    patterns.
    """
    data = asked.data
    check_keys(data, "its data", {"denominator", "patterns", "nodes"})
    unit = whole(data["denominator"], "its denominator", 1)
    if asked.objective.once:
        table, objective = tuples_as_stars(asked.table, asked.objective)
        asked = asked._replace(table=table, objective=objective)
    scales = asked.objective.scales_of(asked.table)
    types = PersonTypes.of(asked.table, asked.table.sensitive[0], scales)
    patterns = list(_patterns(types, asked, least))
    place = {pattern.nodes: p for p, pattern in enumerate(patterns)}
    named = []
    for stated in listed(data["patterns"], "its patterns"):
        members = numbers(stated, "a type of a pattern", range(len(types.rows)))
        if not members:
            raise RefusalError("a pattern has no type")
        at = place.get(tuple(cover(scales, types.places[members]).tolist()))
        if at is None:
            raise RefusalError("it names a pattern that too few persons fit")
        named.append(at)
    bounds, none = [], frozenset[int]()
    ahead = [(none, none)]
    for (closed, opened), node in walked(ahead, listed(data["nodes"], "its nodes")):
        content = check_mapping(node, "a node")
        if set(content) == {"split"}:
            p = named[numbers([content["split"]], "a split", range(len(named)))[0]]
            ahead += [(closed, opened | {p}), (closed | {p}, opened)]
            continue
        check_keys(content, "a node", {"prices"})
        prices = listed(content["prices"], "its prices")
        if len(prices) != len(types.rows):
            count = len(types.rows)
            raise RefusalError(f"its prices are not a list of {count} numbers")
        prices = [whole(price, "a price", -ENDLESS, ENDLESS) for price in prices]
        if closed & opened:
            continue
        total = sum(p * m for p, m in zip(prices, types.persons, strict=True))
        for p, pattern in enumerate(patterns):
            if p not in closed:
                worth = _worth(types, pattern, prices, unit, least)
                total += worth if p in opened else min(0, worth)
        bounds.append(total)
    return max(0, -(-min(bounds) // unit))


def _worth(
    types: PersonTypes, pattern: _Pattern, prices: list[int], unit: int, least: int
) -> int:
    """Return what the cheapest persons are worth who can be published as a pattern."""
    worth, left, each = 0, least, unit * pattern.cost
    priced = [(each * types.rows[t] - prices[t], t) for t in pattern.members]
    for loss, t in sorted(priced):
        if loss >= 0 and left <= 0:
            break
        some = types.persons[t] if loss < 0 else min(left, types.persons[t])
        worth, left = worth + loss * some, left - some
    return worth


def _patterns(types: PersonTypes, asked: Asked, least: int) -> Iterator[_Pattern]:
    """Visit the patterns that groups may have, column after column."""
    persons, pairs = np.array(types.persons, np.int64), 0
    table, objective = asked.table, asked.objective
    scales, places = objective.scales_of(table), types.places
    columns = list[list[tuple[int, Bools]]]()
    for own, scale, kept in zip(
        places.T, scales.scales, objective.kept(table).tolist(), strict=True
    ):
        nodes = nodes_between(own, scale, kept, _MOST_NODES)
        ends = zip(nodes.tolist(), *scale.spans(nodes), strict=True)
        columns.append([(n, (own >= a) & (own <= b)) for n, a, b in ends])
    waiting: list[tuple[tuple[int, ...], Ints]]
    waiting = [((), np.arange(len(types.rows)))]
    while waiting:
        expect_time()
        begun, members = waiting.pop()
        if persons[members].sum() < least:
            continue
        if tuple(cover(scales, places[members, : len(begun)]).tolist()) != begun:
            continue
        pairs += len(members)
        if pairs > _MOST_PAIRS:
            raise BeyondError("patterns and persons are too many to check")
        if len(begun) == table.d:
            cost = int(objective.node_costs(table, np.array([begun]))[0])
            yield _Pattern(begun, cost, members.tolist())
            continue
        for node, fits in columns[len(begun)]:
            waiting.append(((*begun, node), members[fits[members]]))
