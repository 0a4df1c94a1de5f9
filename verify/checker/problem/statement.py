"""The problem that a certificate states: row types, groups, and what a row pays."""

import math
from collections import Counter
from typing import Any

from starmin.verify.checker.problem.asked_of_groups import (
    UNITS,
    WITHIN,
    expect_alike,
    expect_release,
    ids,
    required,
    rows_together,
)
from starmin.verify.checker.problem.column_floors import Cap, Level, floor_of
from starmin.verify.checker.problem.deletion import (
    DELETED,
    deletion_price,
    expect_plain_prices,
)
from starmin.verify.checker.problem.hierarchies import chains
from starmin.verify.checker.problem.lines import Line
from starmin.verify.checker.reading import entries, listed_in, whole
from starmin.verify.checker.words import (
    STAR,
    Chain,
    Content,
    Key,
    Node,
    RefusalError,
    Trees,
)

ROWWISE = ("nonhomogeneous_prices", "nonhomogeneous_tree")
OF_LINES = ("boxes", "odd_sets", "group_prices", "nonhomogeneous_prices")


class Statement:
    """Row types in canonical order, and what a valid release is.

    ``types[t]`` are the values of type t, quasi-identifiers first, then (if l > 1) the
    sensitive ones; ``copies[t]`` is how many rows have them.
    """

    def __init__(
        self,
        header: list[str],
        rows: list[list[str]],
        certificate: Content,
        trees: Trees | None = None,
    ) -> None:
        table = entries(certificate, "table")
        self.qi, sensitive = table["qi"], table["sensitive"]
        wanted = entries(certificate, "requirement")
        self.within = wanted.get(WITHIN)  # the digest of classes
        self.deleted: list[Any] = []
        if unit := next((unit for unit in UNITS if unit in wanted), None):
            if wanted[unit] in self.qi:
                raise RefusalError("its requirement counts a quasi-identifier")
            counted = ids(wanted, unit)
            sensitive, bounds = [wanted[unit]], [(1, 1, counted[0])]
            if certificate["kind"] == "persons":
                if not rows_together(wanted, self.qi):
                    raise RefusalError("rows of a person may be published differently")
                sensitive, bounds = [], [(counted[0], 1, 1)]
        else:
            if DELETED in wanted:
                self.deleted = [wanted[DELETED]]  # what a deleted row costs
                expect_plain_prices(certificate)
            within = WITHIN in wanted
            if within != (certificate["kind"] == WITHIN):
                raise RefusalError("its kind is not for what its requirement asks")
            wanted = {
                key: each
                for key, each in wanted.items()
                if key not in (WITHIN, DELETED)
            }
            parts = (
                listed_in(wanted["all_of"]) if set(wanted) == {"all_of"} else [wanted]
            )
            bounds = [required(part) for part in parts]
            if within and bounds:
                sensitive, bounds = [], [(max(map(max, bounds)), 1, 1)]
        if not bounds:
            raise RefusalError("its requirement is empty")
        self.k, self.l, self.distinct = (
            max(each) for each in zip(*bounds, strict=True)
        )
        data, kind = entries(certificate, "data"), certificate["kind"]
        self.expect_kind(kind)
        of_rows = "sensitive" not in data
        if kind == "odd_sets" and of_rows and self.distinct == 1:
            # Groups of two rows or more are all that it needs.
            self.k, self.l = max(self.k, self.l), 1
        if kind == "boxes" and of_rows:
            # What is left out of the requirement makes the bound no higher.
            self.k, self.l, self.distinct = max(self.k, self.l, self.distinct), 1, 1
        if self.distinct > 1 and kind in ("prices", "group_prices"):
            # Groups with so many values have so many rows: a bound for these holds.
            self.k, self.distinct = max(self.k, self.distinct), 1
        if self.distinct > 1 and kind not in ("tree", "boxes"):
            raise RefusalError("prices are not checked for distinct diversity")
        if self.distinct > 1:
            self.k = max(self.k, self.l, self.distinct)
        self.diverse = max(self.l, self.distinct) > 1
        self.least = max(self.k, self.l)
        if self.least < 2:
            raise RefusalError("it is for groups of fewer than two rows")
        objective = entries(certificate, "objective")
        self.of_losses = objective["kind"] == "gcp"
        shown = self.qi + (sensitive if self.diverse else [])
        if not set(shown) <= set(header) or len(set(shown)) < len(shown):
            raise RefusalError("it is for a table with other columns")
        named = [*objective["weights"], *objective["keep"]]
        if not set(named) <= set(self.qi):
            raise RefusalError(
                "its objective names a column that is no quasi-identifier"
            )
        self.kept = [column in objective["keep"] for column in self.qi]
        self.floors = {
            column: floor_of(column, stated, header, rows, trees or {})
            for column, stated in entries({"floors": {}, **table}, "floors").items()
        }
        rows = [
            [
                self.floors[column].text(cell) if column in self.floors else cell
                for column, cell in zip(header, row, strict=True)
            ]
            for row in rows
        ]
        places = [header.index(column) for column in shown]
        self.n = len(rows)
        self.shown = [tuple(row[j] for j in places) for row in rows]  # by row
        counts: Counter[Any] = Counter(self.shown)
        if certificate["kind"] == "persons":
            if unit is None:
                raise RefusalError("its requirement counts no persons")
            counts = by_person(rows, places, header.index(wanted[unit]))
        self.types: list[Any] = sorted(counts)
        self.copies = [counts[values] for values in self.types]
        if (whole(table["n"], 0), whole(table["d"], 0)) != (self.n, len(self.qi)):
            raise RefusalError("it is for a table of another size")
        if self.n < self.least:
            raise RefusalError("the table has too few rows for any release")
        named = data.get("sensitive", sensitive[:1])
        named = named if isinstance(named, list) else [named]
        if "sensitive" in data and not (
            self.diverse and named and set(named) <= set(sensitive)
        ):
            raise RefusalError("its sensitive column is none of the table")
        if objective["kind"] == "tuples":
            self.join_columns()
        # By column that is looked at, the sensitive value of each type.
        self.values: list[list[str]] = [
            [type_[len(self.qi) + sensitive.index(column)] for type_ in self.types]
            for column in (named if self.diverse else [])
        ]
        self.charge(objective, trees or {}, kind in OF_LINES)
        if unit:
            lines = [dict(zip(header, row, strict=True)) for row in rows]
            kept = objective["keep"]
            expect_alike(wanted, wanted[unit], table["qi"], kept, lines)
            columns = [[row[c] for row in lines] for c in table["sensitive"] or ()]
            apart = [[row[c] for c in kept] for row in lines]
            expect_release(
                counted, [row[wanted[unit]] for row in lines], columns, apart
            )

    def expect_kind(self, kind: str) -> None:
        """Refuse a requirement for which there are no proofs of a kind."""
        if kind in ROWWISE and (self.l > 1 or self.distinct > 1):
            raise RefusalError("a proof of this kind is for k-anonymity only")

    def rows_of(self, t: int) -> int:
        """Return how many rows each person of a type has (section "Kind persons")."""
        return int(self.types[t][-1])

    def join_columns(self) -> None:
        """Make one value of each row (section "Tuples"), beside the kept columns."""
        d, kept = len(self.qi), [j for j, kept in enumerate(self.kept) if kept]
        self.types = [
            (repr(row[:d]), *(row[j] for j in kept), *row[d:]) for row in self.types
        ]
        self.qi = ["", *(self.qi[j] for j in kept)]
        self.kept = [False] + [True] * len(kept)

    def charge(self, objective: Content, trees: Trees, of_lines: bool) -> None:
        """Set the nodes above each value, and what a row pays for each of them."""
        scales = objective["scales"] if objective["kind"] == "gcp" else {}
        if objective["kind"] not in ("stars", "tuples", "gcp"):
            raise RefusalError("its objective is neither stars, tuples nor gcp")
        self.chains: list[dict[str, Chain]] = []
        self.lines: list[Line | None] = []
        for j, column in enumerate(self.qi):
            texts = {type_[j] for type_ in self.types}
            floor = self.floors.get(column)
            numeric = column in scales and scales[column].get("scale") == "numeric"
            self.lines.append(None)
            if numeric and of_lines:
                cap = floor if isinstance(floor, Cap) else None
                self.lines[-1] = line = Line(texts, scales[column], cap)
                self.chains.append({text: [(STAR, line.whole)] for text in texts})
            elif column in scales:
                level = floor if isinstance(floor, Level) else None
                paths = trees.get(column)
                self.chains.append(chains(texts, scales[column], paths, level))
            else:
                self.chains.append({text: [(STAR, 1), (text, 0)] for text in texts})
        self.losses = [
            {text: dict(chain) for text, chain in of_text.items()}
            for of_text in self.chains
        ]
        # The root loses most; its loss counts as 1, whatever the column.
        domains = [
            max(1, *(c[0][1] for c in of_text.values())) for of_text in self.chains
        ]
        self.units = [
            whole(objective["weights"].get(column, 1), 0) * (math.lcm(*domains) // most)
            for column, most in zip(self.qi, domains, strict=True)
        ]

    @property
    def most_loss(self) -> int:
        """What a release loses that publishes the root of every column."""
        roots = (max(c[0][1] for c in of_text.values()) for of_text in self.chains)
        row = sum(u * loss for u, loss in zip(self.units, roots, strict=True))
        return self.n * row

    def expect_capped(self, unit: int, prices: list[int]) -> None:
        """Refuse prices above what a deleted row costs, where rows may be deleted."""
        row = self.most_loss // self.n
        for told in self.deleted:
            cap = unit * deletion_price(told, row, self.of_losses)
            if any(price > cap for price in prices):
                raise RefusalError("a price is above what a deleted row costs")

    def lowest(self, column: int, members: list[int]) -> Node:
        """Return the lowest node that all values of some types are below."""
        texts = {self.types[t][column] for t in members}
        levels = zip(*(self.chains[column][text] for text in texts), strict=False)
        common: list[Node] = [a[0][0] for a in levels if len(set(a)) == 1]
        return common[-1]

    def cover(self, types: list[int]) -> Key:
        """Return the smallest pattern that these types fit."""
        if not types:
            raise RefusalError("a pattern has no row type")
        return tuple(self.lowest(column, types) for column in range(len(self.qi)))

    def fitting(self, key: Key) -> tuple[int, list[int]]:
        """Return what a row pays that is published so, and the types that fit."""
        cost, members = 0, list(range(len(self.types)))
        for column, node in enumerate(key):
            losses = self.losses[column]
            members = [t for t in members if node in losses[self.types[t][column]]]
            cost += self.units[column] * losses[self.types[members[0]][column]][node]
        return cost, members


def by_person(rows: list[list[str]], places: list[int], of: int) -> Counter[Any]:
    """Count persons by their values and the number of their rows.

    The values stand at ``places`` of each row, the ids at ``of``.
    """
    values: dict[str, tuple[str, ...]] = {}
    many = Counter(row[of] for row in rows)
    for row in rows:
        seen = tuple(row[j] for j in places)
        if values.setdefault(row[of], seen) != seen:
            raise RefusalError("rows of a person differ, and cannot be alike")
    return Counter((*seen, many[who]) for who, seen in values.items())
