"""The items of a table: which row types have them and may show them, which are rare."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, Table, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.instances.scales.scale import Layout
from starmin.instances.tables.row_types import canonical_order
from starmin.verify.certificates.rule_family import ColumnSet, Family
from starmin.verify.exact import BeyondError, expect_time
from starmin.verify.texts import places_in

# What each row type may publish of a column, level by level, and what that costs.


class Ladder(NamedTuple):
    """A column: nodes and costs, types x levels.

    Level 0 is the value itself, the last one hides it. A value with fewer nodes above
    it than others has several levels.
    """

    nodes: Ints
    costs: Ints

    @property
    def last(self) -> int:
        """The level that hides."""
        return int(self.nodes.shape[1]) - 1


def ladders(
    table: Table, objective: Objective, codes: npt.NDArray[np.integer]
) -> list[Ladder]:
    """Return the levels of each column, for ``codes`` by type and column.

    Raises BeyondError where a column is published as any range, or not above some
    level, or its losses are too large to be added.
    """
    found = []
    units = objective.units(table)
    for j, scale in enumerate(objective.scales_of(table).scales):
        positions = scale.positions[codes[:, j]].astype(np.int64)
        layout = scale.layout
        if layout.is_line:
            raise BeyondError("rules are not checked for free ranges of numbers")
        if layout.tree is None:
            nodes = np.stack([positions, np.full_like(positions, scale.size)], axis=1)
            found.append(Ladder(nodes, np.full_like(nodes, [0, units[j]])))
            continue
        if layout.max_level is not None:
            raise BeyondError("rules are not checked for highest levels")
        if units[j] * scale.domain >= 1 << 55:
            raise BeyondError("its losses are too large to be added")
        nodes = _rising(layout)[:, positions].T
        found.append(Ladder(nodes, units[j] * layout.losses[nodes]))
    return found


def _rising(layout: Layout) -> Ints:
    """Return for each level the node that each position is below.

    Of nodes above the same values all but the lowest are left out, and nodes above all
    values but for the root.
    """
    falling, counts = layout.path, layout.last - layout.first + 1
    size, own = len(layout.places), list[list[int]]()
    for leaf in range(size):
        path = [leaf]
        for node in falling[1:, leaf][::-1].tolist():
            if counts[path[-1]] < counts[node] < size:
                path.append(node)
        own.append([*path, int(falling[0, leaf])])
    most = max(map(len, own))
    wide = [[path[0]] * (most - len(path)) + path for path in own]
    return np.array(wide, np.int64).T


MOST_TERMS = 2**28
_MOST_BITS = 60


@dataclass(frozen=True)
class Term:
    """A rule with the levels of its columns."""

    asked: ColumnSet  # the rule
    # by its columns: the level that is published, by classes just this, else this or a
    # lower one
    levels: tuple[int, ...]
    # touched, hidden: a row shows it that hides of the bits ``touched`` just those of
    # ``hidden``
    touched: int
    hidden: int


class Items:
    """Row types in canonical order, and the items that they have.

    What a row *hides* is given by bits: each column, in the order of the
    quasi-identifiers, has a bit for each of its levels but the first, and a row that
    publishes a level has those of this and all lower ones.

    Equal values of the table are merged. ``copies`` are the rows by type, ``ladders``
    the levels by column, and ``terms`` are all terms, as certificates number them. By
    type and term, ``item`` is the item that the type has, -1 for none, and ``may``
    whether a row of the type may show it. By item, ``need`` is how many rows must show
    it, ``rows`` how many have it or, for rules by source, are counted, and ``rare``
    whether no row can show it. ``absent`` says by type and column whether a cell shows
    nothing as it is.
    """

    def __init__(self, table: Table, family: Family, objective: Objective) -> None:
        self.qi = list(table.qi)
        strata = sorted({name for asked in family.sets for name in asked.strata})
        wide = table.with_roles([*table.qi, *strata])
        types = wide.row_types
        order = canonical_order(wide, types)
        self.copies = types.counts[order]
        codes = types.codes[order]
        self._cells = {c: codes[:, j] for j, c in enumerate(wide.qi)}
        self._table, self._family = table, family
        self.ladders = ladders(table, objective, codes[:, : len(self.qi)])
        lasts = [ladder.last for ladder in self.ladders]
        if sum(lasts) > _MOST_BITS:
            raise BeyondError(f"it is for more than {_MOST_BITS} columns or levels")
        self.offsets = np.cumsum([0, *lasts])[:-1].tolist()
        self.bits = [
            ((1 << last) - 1) << at
            for last, at in zip(lasts, self.offsets, strict=True)
        ]
        absent = list[Bools]()
        for c in self.qi:
            hidden = [text in family.hidden for text in table.dictionary(c)]
            absent.append(np.array(hidden, bool)[self._cells[c]])
        self.absent = np.stack(absent, axis=1)
        self.linked = self._closures()
        self.kept = self._closure(
            sum(self.bits[self.qi.index(column)] for column in objective.keep)
        )
        self.terms = self._terms()
        if len(self.terms) * len(self.copies) > MOST_TERMS:
            raise BeyondError("it has more row types and rules than can be checked")
        self.item = np.empty((len(self.copies), len(self.terms)), np.int32, order="F")
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

    def _terms(self) -> list[Term]:
        """Number the terms: a rule has one for each vector of levels of its columns."""
        found = list[Term]()
        for asked in self._family.sets:
            exact = asked.semantics == "classes"
            at = [self.qi.index(column) for column in asked.columns]
            choices = [range(self.ladders[j].last + exact) for j in reversed(at)]
            if len(found) + math.prod(map(len, choices)) > MOST_TERMS:
                raise BeyondError("its rules have too many sets of columns or levels")
            for turned in product(*choices):
                levels, touched, hidden = turned[::-1], 0, 0
                for j, level in zip(at, levels, strict=True):
                    low = ((1 << level) - 1) << self.offsets[j]
                    touched |= self.bits[j] if exact else self.bits[j] & ~low
                    hidden |= low if exact else 0
                found.append(Term(asked, levels, touched, hidden))
        return found

    def _closures(self) -> list[int]:
        """Return disjoint sets of columns that are hidden together, as bits."""
        joined: list[int] = []
        for linked in self._family.joined:
            places = [self.qi.index(column) for column in linked]
            if len(places) > 1 and any(self.ladders[j].last > 1 for j in places):
                raise BeyondError("linked columns are not checked with taxonomies")
            joined.append(sum(self.bits[j] for j in places))
        return joined

    def _closure(self, columns: int) -> int:
        """Return columns with those that are linked to them."""
        for linked in self.linked:
            if columns & linked:
                columns |= linked
        return columns

    def _count(self, term: Term) -> tuple[Ints, Ints]:
        """Return the item of each type in a term, and how often each item counts."""
        at = [self.qi.index(column) for column in term.asked.columns]
        shown = [
            (j, level)
            for j, level in zip(at, term.levels, strict=True)
            if level < self.ladders[j].last
        ]
        keys = [self._cells[name].astype(np.int64) for name in term.asked.strata]
        keys += [self.ladders[j].nodes[:, level] for j, level in shown]
        groups = group_by(keys or [np.zeros(len(self.copies), np.int64)])
        own, has = groups.inverse.astype(np.int64), np.ones(len(self.copies), bool)
        for j, _ in shown:
            has &= ~self.absent[:, j]
        counts = np.bincount(own[has], self.copies[has], groups.size)
        if term.asked.population is not None:
            if any(level for _, level in shown):
                raise BeyondError("people are counted by values, not by nodes")
            names = [self.qi[j] for j, _ in shown]
            counts = self._people(term.asked.population, names, groups.first)
        return np.where(has, own, -1), counts.astype(np.int64)

    def _people(self, people: Table, shown: Sequence[str], first: Ints) -> Ints:
        """Count the people that agree with each item, whose first types these are."""
        among = np.ones(people.codes.shape[1], bool)
        keys = [np.zeros(len(first) + len(among), np.int64)]
        for name in shown:
            texts = self._table.dictionary(name)
            theirs = places_in(people, name, texts)
            among &= theirs >= 0
            ours = self._cells[name][first]
            keys.append(np.concatenate([ours, np.maximum(theirs, 0)]))
        kinds = group_by(keys)
        items, each = np.split(kinds.inverse, [len(first)])
        weights = people.counts
        if weights is None:
            weights = np.ones(len(among), np.int64)
        # Exact: the sums are far below 2^53.
        sums = np.bincount(each[among], weights[among], minlength=kinds.size)
        return np.asarray(sums[items].astype(np.int64))

    def _find_rare(self) -> Bools:
        """Mark items that fewer than k rows may show, until no more are found."""
        demanding = [
            i for i, t in enumerate(self.terms) if t.asked.semantics != "source"
        ]
        shown = [
            self._closure(term.touched & ~term.hidden) | self.kept
            for term in self.terms
        ]
        # Terms that whoever hides none of their bits shows, whatever else it shows.
        whole = [i for i, term in enumerate(self.terms) if not term.hidden]
        while True:
            has = self.item >= 0
            rare = has & self.rare[self.item]
            may = has & ~rare
            for number, columns in enumerate(shown):
                among = [e for e in whole if not self.terms[e].touched & ~columns]
                may[:, number] &= ~rare[:, among].any(axis=1)
                if self.kept & self.terms[number].hidden:
                    may[:, number] = False
            rows = np.zeros(len(self.need), np.int64)
            for number in demanding:
                some = may[:, number]
                own = self.item[some, number]
                # Exact: the sums are far below 2^53.
                shown_by = np.bincount(own, self.copies[some], len(rows))
                rows += shown_by.astype(np.int64)
            asked = np.zeros(len(self.need), bool)
            for number in demanding:
                asked[self.item[has[:, number], number]] = True
            more = asked & ~self.rare & (rows < self.need)
            if not more.any():
                self.rows = np.where(asked, rows, self.rows)
                return may
            self.rare |= more
