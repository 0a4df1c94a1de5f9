"""Read the problem that a certificate states: row types, groups, what a row pays."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from re import fullmatch
from typing import Any

from starmin.verify.checker.columns import Cap, Given, Level, Line, chains
from starmin.verify.checker.reading import (
    STAR,
    UNITS,
    WITHIN,
    Chain,
    Content,
    Key,
    Node,
    RefusalError,
    Trees,
    by_person,
    entries,
    expect_persons,
    ids,
    listed_in,
    numbers,
    priced,
    required,
    rows_together,
    whole,
)

# Rows that may be deleted (section "Deleted rows").

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


def with_added_rows(given: Given) -> tuple[Given, int]:
    """Return a larger table with its certificate, and what the added rows cost."""
    certificate = given.certificate
    wanted, objective = certificate["requirement"], certificate["objective"]
    qi, data = certificate["table"]["qi"], certificate["data"]
    if set(wanted) != {"k", DELETED} or certificate["kind"] not in OF_ADDED:
        raise RefusalError("rows are added for k-anonymity alone, to groups")
    if objective["kind"] != "stars" or objective["keep"]:
        raise RefusalError("rows are added for stars, and no column is kept")
    if certificate["table"].get("floors"):
        raise RefusalError("rows are added to a table without floors")
    many = whole(data[ADDED], 2)
    if many != whole(wanted["k"], 2):
        raise RefusalError("its added rows are not k")
    if whole(certificate["table"]["n"], 0) != len(given.rows):
        raise RefusalError("it is for a table of another size")
    row = sum(whole(objective["weights"].get(column, 1), 0) for column in qi)
    if deletion_price(wanted[DELETED], row, False) != row:
        raise RefusalError("rows are added where a deleted row costs all of its stars")
    named = [column in set(qi) for column in given.header]
    added = [
        [f"\0added {place + 1}" if each else "" for each in named]
        for place in range(many)
    ]
    less = many * row
    larger = {
        **certificate,
        "table": {**certificate["table"], "n": len(given.rows) + many},
        "requirement": {"k": wanted["k"]},
        "bound": whole(certificate["bound"], None) + less,
        "data": {name: each for name, each in data.items() if name != ADDED},
    }
    return given._replace(rows=[*given.rows, *added], certificate=larger), less


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


# The problem that a certificate states: row types, groups, and what a row pays.

ROWWISE = ("nonhomogeneous_prices", "nonhomogeneous_tree")
OF_LINES = (
    *("boxes", "odd_sets", "group_prices", "nonhomogeneous_prices"),
    *("persons", "within"),
)


class Statement:
    """Row types in canonical order, and what a valid release is.

    ``types[t]`` are the values of type t, quasi-identifiers first, then (if l > 1) the
    sensitive ones; ``copies[t]`` is how many rows have them.
    """

    def __init__(
        self, given: Given, expect_time: Callable[[], None] = lambda: None
    ) -> None:
        self.expect_time = expect_time  # raises where no time is left
        # What all of a column costs truly, and as it is counted; what is taken off.
        self.rounded = 1, 1, 0
        header, certificate = given.header, given.certificate
        table, kind = entries(certificate, "table"), certificate["kind"]
        self.qi = table["qi"]
        wanted = entries(certificate, "requirement")
        self.within = wanted.get(WITHIN)  # the digest of classes
        self.deleted: list[Any] = []
        unit = next((unit for unit in UNITS if unit in wanted), None)
        if unit:
            sensitive = self.ask_of_ids(wanted, unit, kind)
        else:
            sensitive = self.ask_of_rows(wanted, certificate, table["sensitive"])
        data = entries(certificate, "data")
        self.ask_less(kind, "sensitive" not in data)
        objective = entries(certificate, "objective")
        self.of_losses = objective["kind"] == "gcp"
        shown = self.qi + (sensitive if self.diverse else [])
        given.expect_columns(shown)
        self.kept = [column in objective["keep"] for column in self.qi]
        self.floors = given.floors()
        rows = given.published(self.floors)
        if kind == "persons" and unit is None:
            raise RefusalError("its requirement counts no persons")
        of = wanted[unit] if unit and kind == "persons" else None
        self.count(header, rows, shown, of)
        given.expect_size()
        if self.n < self.least:
            raise RefusalError("the table has too few rows for any release")
        named = self.looked_at(data, sensitive)
        if objective["kind"] == "tuples":
            self.join_columns()
        # By column that is looked at, the sensitive value of each type.
        self.values: list[list[str]] = [
            [type_[len(self.qi) + sensitive.index(column)] for type_ in self.types]
            for column in named
        ]
        self.weights = [
            whole(objective["weights"].get(column, 1), 0) for column in self.qi
        ]
        self.charge(objective, given.trees, kind in OF_LINES)
        if "unit" in data:
            self.round_down(whole(data["unit"], 1), objective["scales"])
        if unit:
            lines = [dict(zip(header, row, strict=True)) for row in rows]
            expect_persons(wanted, unit, table, objective["keep"], lines)

    def ask_of_ids(self, wanted: Content, unit: str, kind: str) -> list[str]:
        """Set how many persons a group has; return the column of ids of types."""
        if wanted[unit] in self.qi:
            raise RefusalError("its requirement counts a quasi-identifier")
        least, *_ = ids(wanted, unit)
        if kind != "persons":
            self.k, self.l, self.distinct = 1, 1, least
            return [wanted[unit]]
        if not rows_together(wanted, self.qi):
            raise RefusalError("rows of a person may be published differently")
        self.k, self.l, self.distinct = least, 1, 1
        return []

    def ask_of_rows(
        self, wanted: Content, certificate: Content, sensitive: list[str]
    ) -> list[str]:
        """Set k, l and distinct values of a group; return the sensitive columns."""
        if DELETED in wanted:
            self.deleted = [wanted[DELETED]]  # what a deleted row costs
            expect_plain_prices(certificate)
        within = WITHIN in wanted
        if within != (certificate["kind"] == WITHIN):
            raise RefusalError("its kind is not for what its requirement asks")
        wanted = {
            key: each for key, each in wanted.items() if key not in (WITHIN, DELETED)
        }
        parts = listed_in(wanted["all_of"]) if set(wanted) == {"all_of"} else [wanted]
        bounds = [required(part) for part in parts]
        if not bounds:
            raise RefusalError("its requirement is empty")
        if not sensitive and any(max(each[1:]) > 1 for each in bounds):
            raise RefusalError("it is for diversity; the table has no sensitive column")
        if within:
            sensitive, bounds = [], [(max(map(max, bounds)), 1, 1)]
        self.k, self.l, self.distinct = (
            max(each) for each in zip(*bounds, strict=True)
        )
        return sensitive

    def ask_less(self, kind: str, of_rows: bool) -> None:
        """Leave out what a kind of proof does not use: that makes no bound higher."""
        if kind in ROWWISE and (self.l > 1 or self.distinct > 1):
            raise RefusalError("a proof of this kind is for k-anonymity only")
        if kind == "odd_sets" and of_rows and self.distinct == 1:
            # Groups of two rows or more are all that it needs.
            self.k, self.l = max(self.k, self.l), 1
        if kind == "boxes" and of_rows:
            self.k, self.l, self.distinct = max(self.k, self.l, self.distinct), 1, 1
        if self.distinct > 1 and kind in ("prices", "group_prices"):
            # Groups with so many values have so many rows: a bound for these holds.
            self.k, self.distinct = max(self.k, self.distinct), 1
        if self.distinct > 1 and kind not in ("tree", "boxes", "residue"):
            raise RefusalError("prices are not checked for distinct diversity")
        if self.distinct > 1:
            self.k = max(self.k, self.l, self.distinct)
        self.diverse = max(self.l, self.distinct) > 1
        self.least = max(self.k, self.l)
        if self.least < 2:
            raise RefusalError("it is for groups of fewer than two rows")

    def count(
        self, header: list[str], rows: list[list[str]], shown: list[str], of: str | None
    ) -> None:
        """Set the types, and how many rows, or persons by their ids, are of each."""
        places = [header.index(column) for column in shown]
        self.n = len(rows)
        self.shown = [tuple(row[j] for j in places) for row in rows]  # by row
        counts: Counter[Any] = Counter(self.shown)
        if of is not None:
            counts = by_person(rows, places, header.index(of))
        self.types: list[Any] = sorted(counts)
        self.copies = [counts[values] for values in self.types]

    def looked_at(self, data: Content, sensitive: list[str]) -> list[str]:
        """Return the sensitive columns that a proof looks at, all or some of them."""
        named = data.get("sensitive", sensitive[:1])
        named = named if isinstance(named, list) else [named]
        if "sensitive" in data and not (
            self.diverse and named and set(named) <= set(sensitive)
        ):
            raise RefusalError("its sensitive column is none of the table")
        return named if self.diverse else []

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
        self.price()
        roots = (max(c[0][1] for c in of_text.values()) for of_text in self.chains)
        row = sum(u * loss for u, loss in zip(self.units, roots, strict=True))
        self.most_loss = self.n * row  # of a release with the root of every column

    def price(self) -> None:
        """Set what a loss of 1 costs in each column, in a unit of all of them."""
        self.losses = [
            {text: dict(chain) for text, chain in of_text.items()}
            for of_text in self.chains
        ]
        # The root loses most; its loss counts as 1, whatever the column.
        domains = [
            max(1, *(c[0][1] for c in of_text.values())) for of_text in self.chains
        ]
        self.column = math.lcm(*domains)  # what all of a column of weight 1 costs
        self.units = [
            weight * (self.column // most)
            for weight, most in zip(self.weights, domains, strict=True)
        ]

    def round_down(self, unit: int, scales: Content) -> None:
        """Count losses in whole parts of a column, rounded down ("Kind prices")."""
        if self.deleted:
            raise RefusalError("prices have no unit where rows may be deleted")
        true, taken_off = self.column, 0
        for j, column in enumerate(self.qi):
            of_text, line = self.chains[j], self.lines[j]
            most = max(1, *(chain[0][1] for chain in of_text.values()))
            if line is not None:
                line.round_down(unit)
                taken_off += 0 if line.free else self.n * self.weights[j]
                self.chains[j] = {text: [(STAR, line.whole)] for text in of_text}
            elif column in scales:
                self.chains[j] = {
                    text: [(node, loss * unit // most) for node, loss in chain]
                    for text, chain in of_text.items()
                }
        self.price()
        self.rounded = true, self.column, taken_off

    def proven(self, bound: int) -> int:
        """Return what a bound on losses as they are counted says of the true ones."""
        true, counted, taken_off = self.rounded
        return max(0, -(-(bound - taken_off) * true // counted))

    def needed(self, claim: int) -> int:
        """Return the least bound on these from which a claim follows."""
        true, counted, taken_off = self.rounded
        return (claim - 1) * counted // true + 1 + taken_off

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

    def named_in(self, data: Content) -> list[Key]:
        """Return the patterns that data name, each by types that it covers."""
        every = range(len(self.types))
        return [
            self.cover(numbers(some, every)) for some in listed_in(data["patterns"])
        ]

    def priced_in(self, data: Content) -> tuple[int, list[int]]:
        """Return the denominator of a certificate's data, and a price for each type."""
        unit = whole(data["denominator"], 1)
        return unit, priced(data, len(self.types), "row types")

    def fitting(self, key: Key) -> tuple[int, list[int]]:
        """Return what a row pays that is published so, and the types that fit."""
        cost, members = 0, list(range(len(self.types)))
        for column, node in enumerate(key):
            losses = self.losses[column]
            members = [t for t in members if node in losses[self.types[t][column]]]
            cost += self.units[column] * losses[self.types[members[0]][column]][node]
        return cost, members
