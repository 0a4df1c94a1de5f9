"""Count the combinations that row types have, at each level of their values."""

import math
from collections import Counter
from itertools import product
from typing import NamedTuple

from starmin.verify.checker.columns import Given, chains
from starmin.verify.checker.reading import (
    STAR,
    BeyondError,
    Chain,
    Content,
    Node,
    RefusalError,
    entries,
    whole,
)
from starmin.verify.checker.rule_sets import RuleFamily, RuleSet

# What values are published as at each level, and what that costs.


def levels_of(given: Given, texts: dict[str, set[str]]) -> list[dict[str, Chain]]:
    """Return by quasi-identifier and value the nodes and what they cost.

    That is level by level: first the value itself, last what shows nothing. ``texts``
    are the values of each column.
    """
    objective, table = given.certificate["objective"], given.certificate["table"]
    weights = [whole(objective["weights"].get(c, 1), 0) for c in texts]
    scales = entries(objective, "scales") if objective["kind"] == "gcp" else {}
    if not set(scales) <= set(texts):
        raise RefusalError("its scales name a column that is no quasi-identifier")
    if set(scales) & set(table.get("floors", ())):
        raise BeyondError("a column of its rules has a hierarchy and a floor")
    levels = [
        rising(values, scales[column], given.trees.get(column))
        if column in scales
        else {text: [(text, 0), (STAR, 1)] for text in values}
        for column, values in texts.items()
    ]
    domains = [max(1, *(path[-1][1] for path in of.values())) for of in levels]
    common = math.lcm(*domains) if scales else 1
    units = [weight * (common // d) for weight, d in zip(weights, domains, strict=True)]
    return [
        {
            text: [(node, unit * loss) for node, loss in path]
            for text, path in of.items()
        }
        for unit, of in zip(units, levels, strict=True)
    ]


def rising(
    texts: set[str], scale: Content, paths: list[list[str]] | None
) -> dict[str, Chain]:
    """Return the nodes above values from below, as many for each.

    Of nodes above the same values all but the lowest are left out, and nodes above all
    values but for the root. A value with fewer nodes has its first levels by itself.
    """
    every = texts | {path[0] for path in paths or []}
    falling = chains(every, scale, paths)
    below = Counter(node for chain in falling.values() for node, _ in chain)
    found: dict[str, Chain] = {}
    for text, chain in falling.items():
        path = [chain[-1]]
        for node, loss in chain[-2::-1]:
            if below[path[-1][0]] < below[node] < len(every):
                path.append((node, loss))
        found[text] = [*path, chain[0]]
    most = max(map(len, found.values()))
    return {
        text: (most - len(path)) * path[:1] + path
        for text, path in found.items()
        if text in texts
    }


# The combinations of values that row types have: their items, counted.

MOST_ITEMS = 2**25  # types times terms


class Term(NamedTuple):
    """A rule with a level for each of its columns, or by unit.

    A unit is a set of columns that are hidden together. By classes, if ``exact``, a row
    shows the term that publishes just these levels, else one that publishes these or
    lower ones.
    """

    rule: RuleSet
    levels: tuple[int, ...]
    by_unit: dict[int, int]
    exact: bool


class RuleItems:
    """Row types in canonical order, what each may show, and how often that counts.

    ``units[u]`` are columns that are hidden together; those in ``fixed`` are never
    hidden. ``terms`` holds by number the terms that count: those that no row can have,
    and those that larger sets imply, are left out. ``item[e][t]`` is what type t shows
    of term e, -1 for nothing.
    """

    def __init__(
        self, given: Given, family: RuleFamily, named: set[int], unit: int
    ) -> None:
        self.qi: list[str] = given.certificate["table"]["qi"]
        objective = given.certificate["objective"]
        # What of prices is a cost of 1, and whether a row pays for all stars once.
        self.unit, self.once = unit, objective["kind"] == "tuples"
        strata = sorted({name for rule in family.rules for name in rule.strata})
        shown = [*self.qi, *strata]
        given.expect_columns(shown)
        places = [given.header.index(name) for name in shown]
        counts = Counter(tuple(row[j] for j in places) for row in given.rows)
        types = sorted(counts)
        self.copies = [counts[values] for values in types]
        self._cells = dict(zip(shown, zip(*types, strict=True), strict=True))
        self._hidden = family.hidden
        texts = {column: set(self._cells[column]) for column in self.qi}
        self.nodes = levels_of(given, texts)
        # By column, and by unit, the level that shows nothing.
        self.tops = [len(next(iter(of.values()), [0, 0])) - 1 for of in self.nodes]
        self._find_units(family, objective)
        self.terms = self._list_terms(family, named)
        if len(self.terms) * len(types) > MOST_ITEMS:
            raise BeyondError("it has too many row types and rules")
        self.item: dict[int, list[int]] = {}
        self.need, self.count = list[int](), list[int]()
        self._term_of = list[int]()  # by item
        for number, term in self.terms.items():
            self._number(number, term)
        self.rare = [c < k for c, k in zip(self.count, self.need, strict=True)]
        self._find_rare()

    def _find_units(self, family: RuleFamily, objective: Content) -> None:
        """Set the units, how many levels they have, and which are never hidden."""
        joined = {j for columns in family.linked for j in columns}
        alone = [{j} for j in range(len(self.qi)) if j not in joined]
        self.units = [*alone, *family.linked]
        self.last = [max(self.tops[j] for j in unit) for unit in self.units]
        if any(
            len(unit) > 1 and last > 1
            for unit, last in zip(self.units, self.last, strict=True)
        ):
            raise BeyondError("linked columns have hierarchies")
        kept = {self.qi.index(column) for column in objective["keep"]}
        self.fixed = {u for u, unit in enumerate(self.units) if unit & kept}

    def cost(self, t: int, u: int, level: int) -> int:
        """Return what a row of a type pays in a unit at a level.

        A missing cell needs no star where cells that are linked to it have one.
        """
        paid, linked = 0, len(self.units[u]) > 1
        for j in self.units[u]:
            text = self._cells[self.qi[j]][t]
            if not (linked and level and text in self._hidden):
                paid += self.nodes[j][text][level][1]
        return paid

    def _list_terms(self, family: RuleFamily, named: set[int]) -> dict[int, Term]:
        terms, number = dict[int, Term](), 0
        for rule in family.rules:
            exact = rule.semantics == "classes"
            implied = exact and any(
                other.part == rule.part
                and other.semantics == "classes"
                and other.k >= rule.k
                and set(rule.columns) < set(other.columns)
                for other in family.rules
            )
            choices = [range(self.tops[j] + exact) for j in reversed(rule.columns)]
            for turned in product(*choices):
                if not implied or number in named:
                    term = self._term(rule, turned[::-1], exact)
                    if term is not None:
                        terms[number] = term
                number += 1
                if number > MOST_ITEMS:
                    raise BeyondError("it has too many rules and levels")
        self.numbers = number
        return terms

    def _term(self, rule: RuleSet, levels: tuple[int, ...], exact: bool) -> Term | None:
        """Return a term, or None where no row can publish just these levels."""
        by_unit: dict[int, int] = {}
        for j, level in zip(rule.columns, levels, strict=True):
            u = next(u for u, unit in enumerate(self.units) if j in unit)
            if by_unit.setdefault(u, level) != level or (level and u in self.fixed):
                return None
        return Term(rule, levels, by_unit, exact)

    def _number(self, number: int, term: Term) -> None:
        """Number what types show of a term, and count it."""
        keys: list[tuple[Node, ...]] = [self._cells[name] for name in term.rule.strata]
        absent = [False] * len(self.copies)
        for j, level in zip(term.rule.columns, term.levels, strict=True):
            if level == self.tops[j]:
                continue
            cells, nodes = self._cells[self.qi[j]], self.nodes[j]
            keys.append(tuple(nodes[text][level][0] for text in cells))
            if self._hidden:
                pairs = zip(absent, cells, strict=True)
                absent = [no or text in self._hidden for no, text in pairs]
        known: dict[tuple[Node, ...], int] = {}
        first, own = len(self.need), list[int]()
        people = self._people(term)
        each = zip(*keys, strict=True) if keys else ((),) * len(self.copies)
        for key, copies, no in zip(each, self.copies, absent, strict=True):
            if no:
                own.append(-1)
                continue
            place = known.setdefault(key, first + len(known))
            if place == len(self.need):
                self.need.append(term.rule.k)
                self._term_of.append(number)
                # Texts: without a hierarchy, a node is the value.
                self.count.append(people[key] if people else 0)
            if people is None:
                self.count[place] += copies
            own.append(place)
        self.item[number] = own

    def _people(self, term: Term) -> Counter[tuple[Node, ...]] | None:
        """Count the people of what rows show of a term; None: rows count."""
        if term.rule.people is None:
            return None
        names = list[str]()
        for j, level in zip(term.rule.columns, term.levels, strict=True):
            if level and level < self.tops[j]:
                raise BeyondError("people are counted by values, not by nodes")
            if not level:
                names.append(self.qi[j])
        return Counter(term.rule.people.counted(names))

    def _find_rare(self) -> None:
        """Mark items that too few rows may show, until no more are found."""
        smaller = {e: self._parts(term) for e, term in self.terms.items()}
        demanding = [e for e in self.terms if self.terms[e].rule.semantics != "source"]
        while True:
            shows = [0] * len(self.need)
            for e in demanding:
                parts = [self.item[p] for p in smaller[e]]
                for t, i in enumerate(self.item[e]):
                    if i < 0 or self.rare[i]:
                        continue
                    if not any(p[t] >= 0 and self.rare[p[t]] for p in parts):
                        shows[i] += self.copies[t]
            more = {
                i
                for e in demanding
                for i in self.item[e]
                if i >= 0 and not self.rare[i] and shows[i] < self.need[i]
            }
            for i in more:
                self.rare[i] = True
            if not more:
                self.shows, self.parts = shows, smaller
                return

    def _parts(self, term: Term) -> list[int]:
        """Return the terms that whoever shows this one shows, too."""
        surely = dict.fromkeys(self.fixed, 0) | term.by_unit

        def within(other: Term) -> bool:
            return all(
                u in surely and surely[u] <= level for u, level in other.by_unit.items()
            )

        # Who shows more shows a term, too, that is not by classes, or hides nothing.
        least = {e: o for e, o in self.terms.items() if not (o.exact and any(o.levels))}
        return [e for e, o in least.items() if o is not term and within(o)]

    def may_show(self, t: int, e: int) -> bool:
        """Return whether a row of a type may show what it has of a term."""
        own = self.item[e][t]
        parts = (self.item[p][t] for p in self.parts[e])
        rare = any(i >= 0 and self.rare[i] for i in parts)
        return own >= 0 and not self.rare[own] and not rare

    def showing(self, i: int) -> list[tuple[int, int]]:
        """Return the term of an item with each type that may show it."""
        e = self._term_of[i]
        types = [t for t, own in enumerate(self.item[e]) if own == i]
        return [(e, t) for t in types if self.may_show(t, e)]
