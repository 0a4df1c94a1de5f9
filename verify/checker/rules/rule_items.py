"""The combinations of values that row types have: their items, counted."""

from collections import Counter
from typing import NamedTuple

from starmin.verify.checker.reading import entries, whole
from starmin.verify.checker.rules.rule_sets import RuleFamily, RuleSet
from starmin.verify.checker.words import BeyondError, Content, RefusalError

MOST_ITEMS = 2**25  # types times terms


class Term(NamedTuple):
    """A rule with, for classes, the set of its columns that are hidden.

    ``touched`` and ``off`` are units (sets of columns that are hidden together) as
    bits: those of the rule, and those that are hidden.
    """

    rule: RuleSet
    touched: int
    off: int


class RuleItems:
    """Row types in canonical order, what each may show, and how often that counts.

    ``units[u]`` are columns that are hidden together, ``costs[u]`` what that costs;
    those in ``fixed`` are never hidden. ``terms`` holds by number the terms that count:
    those that no row can have, and those that larger sets imply, are left out.
    ``item[e][t]`` is what type t shows of term e, -1 for nothing.
    """

    def __init__(
        self,
        header: list[str],
        rows: list[list[str]],
        certificate: Content,
        family: RuleFamily,
        named: set[int],
    ) -> None:
        self.qi = entries(certificate, "table")["qi"]
        objective = entries(certificate, "objective")
        strata = sorted({name for rule in family.rules for name in rule.strata})
        shown = [*self.qi, *strata]
        if not set(shown) <= set(header) or len(set(self.qi)) < len(self.qi):
            raise RefusalError("it is for a table with other columns")
        if not {*objective["weights"], *objective["keep"]} <= set(self.qi):
            raise RefusalError(
                "its objective names a column that is no quasi-identifier"
            )
        places = [header.index(name) for name in shown]
        counts = Counter(tuple(row[j] for j in places) for row in rows)
        types = sorted(counts)
        self.copies = [counts[values] for values in types]
        self._cells = dict(zip(shown, zip(*types, strict=True), strict=True))
        self._hidden = family.hidden
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
        """Set the units, what they cost, and which of them are never hidden."""
        joined = {j for columns in family.linked for j in columns}
        alone = [{j} for j in range(len(self.qi)) if j not in joined]
        self.units = [*alone, *family.linked]
        weight = [whole(objective["weights"].get(c, 1), 0) for c in self.qi]
        self.costs = [sum(weight[j] for j in unit) for unit in self.units]
        kept = {self.qi.index(column) for column in objective["keep"]}
        self.fixed = sum(1 << u for u, unit in enumerate(self.units) if unit & kept)

    def _list_terms(self, family: RuleFamily, named: set[int]) -> dict[int, Term]:
        terms, number = dict[int, Term](), 0
        for rule in family.rules:
            implied = rule.semantics == "classes" and any(
                other.part == rule.part
                and other.semantics == "classes"
                and other.k >= rule.k
                and set(rule.columns) < set(other.columns)
                for other in family.rules
            )
            states = 1 << len(rule.columns) if rule.semantics == "classes" else 1
            for state in range(states):
                off = {j for i, j in enumerate(rule.columns) if state >> i & 1}
                if not implied or number in named:
                    term = self._term(rule, off)
                    if term is not None:
                        terms[number] = term
                number += 1
        self.numbers = number
        return terms

    def _term(self, rule: RuleSet, off: set[int]) -> Term | None:
        """Return a term, or None where no row can hide just these columns."""
        touched, hidden = 0, 0
        for u, unit in enumerate(self.units):
            if own := unit & set(rule.columns):
                touched |= 1 << u
                if own <= off:
                    hidden |= 1 << u
                elif own & off:
                    return None
        return None if hidden & self.fixed else Term(rule, touched, hidden)

    def _number(self, number: int, term: Term) -> None:
        """Number what types show of a term, and count it."""
        off = {
            j for u, unit in enumerate(self.units) if term.off >> u & 1 for j in unit
        }
        names = [self.qi[j] for j in term.rule.columns if j not in off]
        keys = [self._cells[name] for name in (*term.rule.strata, *names)]
        known: dict[tuple[str, ...], int] = {}
        first, own = len(self.need), list[int]()
        each = zip(*keys, strict=True) if keys else ((),) * len(self.copies)
        strata = len(term.rule.strata)
        for key, copies in zip(each, self.copies, strict=True):
            if self._hidden and not self._hidden.isdisjoint(key[strata:]):
                own.append(-1)
                continue
            place = known.setdefault(key, first + len(known))
            if place == len(self.need):
                self.need.append(term.rule.k)
                self._term_of.append(number)
                self.count.append(0)
            self.count[place] += copies
            own.append(place)
        self.item[number] = own

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
        shown = term.touched & ~term.off | self.fixed
        return [
            e
            for e, other in self.terms.items()
            if other is not term and not other.off and not other.touched & ~shown
        ]

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
