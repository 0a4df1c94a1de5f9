"""The items of a table: which row types have them and may show them, which are rare."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Objective, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.verify.beyond import BeyondError, expect_time
from starmin.verify.certificates.rules.family import ColumnSet, Family

MOST_TERMS = 2**28
_MOST_COLUMNS = 60


@dataclass(frozen=True)
class Term:
    """A rule with, for classes, a set of hidden columns.

    Attributes
    ----------
    asked
        The rule.
    columns, hidden
        Its columns and the hidden ones among them, as bits.
    """

    asked: ColumnSet
    columns: int
    hidden: int

    @property
    def by_classes(self) -> bool:
        """Whether exactly these columns have to be hidden."""
        return self.asked.semantics == "classes"


class Items:
    """Row types in canonical order, and the items that they have.

    A row *hides* a set of columns, given by bits in the order of the quasi-identifiers.

    Parameters
    ----------
    table, family, objective
        The problem; equal values of the table are merged.

    Attributes
    ----------
    copies
        By type: its rows.
    terms
        All terms, as certificates number them.
    item
        Types x terms: the item that a type has, -1 for none.
    need, rows
        By item: how many rows must show it, and how many have it or, for rules by
        source, are counted.
    rare
        By item: whether no row can show it.
    may
        Types x terms: whether a row of the type may show the item.
    """

    def __init__(self, table: Table, family: Family, objective: Objective) -> None:
        self.qi = list(table.qi)
        if len(self.qi) > _MOST_COLUMNS:
            raise BeyondError(f"it is for more than {_MOST_COLUMNS} columns")
        strata = sorted({name for asked in family.sets for name in asked.strata})
        wide = table.with_roles([*table.qi, *strata])
        types = wide.row_types
        order = canonical_order(wide, types)
        self.copies = types.counts[order]
        codes = types.codes[order]
        self._cells = {c: codes[:, j] for j, c in enumerate(wide.qi)}
        self._table, self._family = table, family
        self.linked = _closures(family, self.qi)
        self.kept = self._closure(_bits(objective.keep, self.qi))
        self.terms = _terms(family, self.qi)
        if len(self.terms) * len(self.copies) > MOST_TERMS:
            raise BeyondError("it has more row types and rules than can be checked")
        self.item = np.full((len(self.copies), len(self.terms)), -1, np.int64)
        need, rows = list[Ints](), list[Ints]()
        total = 0
        for number, term in enumerate(self.terms):
            expect_time()
            own, counts = self._count(term)
            self.item[:, number] = np.where(own < 0, -1, own + total)
            need.append(np.full(len(counts), term.asked.k))
            rows.append(counts)
            total += len(counts)
        self.need, self.rows = np.concatenate(need), np.concatenate(rows)
        self.rare = self.rows < self.need
        self.may = self._find_rare()

    def _closure(self, columns: int) -> int:
        """Return columns with those that are linked to them."""
        for linked in self.linked:
            if columns & linked:
                columns |= linked
        return columns

    def _count(self, term: Term) -> tuple[Ints, Ints]:
        """Return the item of each type in a term, and how often each item counts."""
        shown = [c for c in self.qi if term.columns >> self.qi.index(c) & 1]
        shown = [c for c in shown if not term.hidden >> self.qi.index(c) & 1]
        own = np.zeros(len(self.copies), np.int64)
        has = np.ones(len(self.copies), bool)
        for name in (*term.asked.strata, *shown):
            cells = self._cells[name].astype(np.int64)
            _, own = np.unique(
                own * (int(cells.max()) + 1) + cells, return_inverse=True
            )
            if name in shown:
                texts = self._table.dictionary(name)
                absent = np.array([text in self._family.hidden for text in texts])
                has &= ~absent[cells]
        counts = np.bincount(own[has], self.copies[has], int(own.max()) + 1)
        if term.asked.population is not None:
            counts = self._people(term.asked.population, shown, own)
        elif term.asked.semantics == "source":
            counts = np.bincount(own, self.copies, int(own.max()) + 1)
        return np.where(has, own, -1), counts.astype(np.int64)

    def _people(self, people: Table, shown: Sequence[str], own: Ints) -> Ints:
        """Count the people that agree with each item."""
        places: dict[tuple[str | None, ...], int] = {}
        _, first = np.unique(own, return_index=True)
        texts = [self._table.dictionary(name) for name in shown]
        for item, t in enumerate(first.tolist()):
            cells = zip(texts, shown, strict=True)
            places[tuple(d[self._cells[name][t]] for d, name in cells)] = item
        counts = np.zeros(len(first), np.int64)
        weights = people.counts
        if weights is None:
            weights = np.ones(people.codes.shape[1], np.int64)
        columns = [people.cells(name) for name in shown]
        for row, weight in zip(
            zip(*columns, strict=True), weights.tolist(), strict=True
        ):
            if row in places:
                counts[places[row]] += weight
        return counts

    @cached_property
    def whole(self) -> list[int]:
        """Terms that whoever shows all of their columns shows, and maybe others."""
        return [i for i, term in enumerate(self.terms) if not term.hidden]

    def _find_rare(self) -> Bools:
        """Mark items that fewer than k rows may show, until no more are found."""
        demanding = [t.asked.semantics != "source" for t in self.terms]
        shown = [
            self._closure(term.columns & ~term.hidden) | self.kept
            for term in self.terms
        ]
        while True:
            has = self.item >= 0
            rare = has & self.rare[self.item]
            may = has & ~rare
            for number, columns in enumerate(shown):
                among = [e for e in self.whole if not self.terms[e].columns & ~columns]
                may[:, number] &= ~rare[:, among].any(axis=1)
                if self.kept & self.terms[number].hidden:
                    may[:, number] = False
            rows = np.zeros(len(self.need), np.int64)
            for number in np.flatnonzero(demanding).tolist():
                some = may[:, number]
                np.add.at(rows, self.item[some, number], self.copies[some])
            asked = np.zeros(len(self.need), bool)
            asked[np.unique(self.item[:, demanding])] = True
            more = asked & ~self.rare & (rows < self.need)
            if not more.any():
                self.rows = np.where(asked, rows, self.rows)
                return may
            self.rare |= more


def _terms(family: Family, qi: Sequence[str]) -> list[Term]:
    """Number the terms: a rule by classes has one for each set of hidden columns."""
    found = []
    for asked in family.sets:
        columns = _bits(asked.columns, qi)
        states = [0]
        if asked.semantics == "classes":
            places = [qi.index(column) for column in asked.columns]
            states = [
                sum((state >> i & 1) << j for i, j in enumerate(places))
                for state in range(1 << len(places))
            ]
        found += [Term(asked, columns, hidden) for hidden in states]
        if len(found) > MOST_TERMS:
            raise BeyondError("its rules have too many sets of columns")
    return found


def _bits(columns: Sequence[str], qi: Sequence[str]) -> int:
    return sum(1 << qi.index(column) for column in columns)


def _closures(family: Family, qi: Sequence[str]) -> list[int]:
    """Return disjoint sets of columns that are hidden together."""
    joined: list[int] = []
    for linked in family.linked:
        own = _bits(linked, qi)
        for other in [each for each in joined if each & own]:
            joined.remove(other)
            own |= other
        joined.append(own)
    return joined
