"""What a report says of an original and its release, side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from starmin.inputs.roles import Formula
from starmin.instances import Coding, Table
from starmin.instances.arrays import Floats
from starmin.instances.requirements.population import Population
from starmin.instances.tables.names import counted, some_of
from starmin.report.page import NONE, Cell, DataTable, number, share
from starmin.report.release.column_facts import ColumnFacts, column_words
from starmin.report.release.distributions import Distribution, distributions, weights_of
from starmin.report.release.downstream import Downstream, downstream
from starmin.report.release.relations import (
    MOST_COLUMNS,
    CrossCell,
    Pair,
    cross_table,
    relations,
    worth_table,
)
from starmin.verify.cells.cells import Cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.risk.candidates import ClassRisk, PopulationRisk, population_risk
from starmin.verify.risk.table_risk import individual_risk
from starmin.verify.utility import Spread

# Pairs of columns, and cells of two-way tables, as tables of a page.

_SHOWN = 10  # pairs


def pair_table(pairs: Sequence[Pair]) -> DataTable:
    """Write the most changed pairs.

    ``pairs`` has the most changed first.
    """
    header = (("Columns", False), ("Measure", False), ("Before", True), ("After", True))
    rows = [
        [
            Cell(" and ".join(pair.names)),
            Cell(pair.measure),
            number(pair.before, 3),
            Cell("not told") if pair.after is None else number(pair.after, 3),
        ]
        for pair in pairs[:_SHOWN]
    ]
    return DataTable("relations", "Pairs of columns", header, rows, sortable=False)


def cell_table(cells: Sequence[CrossCell]) -> DataTable:
    """Write the most changed cells of two-way tables.

    ``cells`` has the most changed first.
    """
    header = (("Cell", False), ("Before", True), ("After", True))
    rows = [[Cell(c.where), share(c.before), share(c.after)] for c in cells]
    return DataTable(
        "worst-cells", "Cells of two-way tables", header, rows, sortable=False
    )


def relations_text(columns: int, pairs: int) -> str:
    """Say which pairs are shown.

    ``columns`` is how many quasi-identifiers there are, and ``pairs`` how many pairs
    were measured.
    """
    most = which = ""
    if columns > MOST_COLUMNS:
        most = f" among the first {MOST_COLUMNS} quasi-identifiers"
    if pairs > _SHOWN:
        which = f", of {pairs:,} pairs the {_SHOWN} most changed"
    return (
        f"How much two columns tell of each other{most}{which}. Of numbers that is "
        "their correlation, from -1 to 1; of other values Cramér's V, from 0 (nothing) "
        "to 1 (all)."
    )


# How well people are found before and after: the prosecutor's view and others'.


@dataclass(frozen=True)
class Found:
    """How well people are found in a table by its quasi-identifiers."""

    classes: ClassRisk  # of rows that look alike
    # what a journalist finds, among a population or by sampling weights; None without
    # either
    people: PopulationRisk | None

    @classmethod
    def of(cls, table: Table, weights: Floats | None) -> "Found":
        """Measure a table, an original or a release.

        ``weights`` are by row how many people it stands for; None: not known.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["x"], ["x"], ["y"]], qi=["a"])
        >>> found = Found.of(table, np.array([30.0, 10.0, 100.0]))
        >>> found.classes.uniques, round(found.people.highest, 4)
        (1, 0.0465)
        """
        types = table.row_types
        if weights is None:
            return cls(ClassRisk(types.counts), None)
        people = np.zeros(len(types))
        np.add.at(people, types.inverse, weights)
        risks = individual_risk(types.counts, people)
        return cls(
            ClassRisk(types.counts), PopulationRisk(types.counts, risks, estimated=True)
        )

    @classmethod
    def among(
        cls,
        table: Table,
        people: Population,
        star: str | None = None,
        cells: Mapping[str, Cells] | None = None,
    ) -> "Found":
        """Measure a table, an original or a release, among all people.

        Among the columns of ``people`` are its quasi-identifiers, in the words of the
        original. ``star`` is, of a release, the symbol of a suppressed cell; None: an
        original. ``cells`` says what the cells stand for; by default a value stands for
        itself, a star for all.
        """
        found = population_risk(table, people, star, cells)
        return cls(ClassRisk(table.row_types.counts), found)


def risk_change(before: Found | None, after: Found | None, k: int | None) -> DataTable:
    """Compare who is found, line by line.

    ``before`` is of the original, None where there is none; ``after`` is of the
    release, None where its rows have no classes. ``k`` is how many rows may be a
    person's in a release without classes; None: not known.
    """
    found, most = (before, after), _each((before, after), _highest)
    if after is None and k:
        most[1] = share(1 / k)
    alone = "found for certain by who knows the quasi-identifiers"
    alike = "they look alike to who knows the quasi-identifiers"
    knows = "knows that a person is in the table, and takes a row that looks so"
    linked = "rows expected to be linked right, where each one is linked"
    guess = "does not know who is in the table; by the sampling weights"
    if any(each and each.people and not each.people.estimated for each in found):
        guess = "knows the population, but not who of it is in the table"
    lines = [
        ("Rows like no other", _each(found, _uniques), alone),
        ("Rows in the smallest class", _each(found, _smallest), alike),
        ("Prosecutor, at most", most, knows),
        ("Prosecutor, on average", _each(found, _average), "the same of all rows"),
        ("Marketer", _each(found, _expected), linked),
    ]
    if any(each is not None and each.people is not None for each in found):
        mean = _each(found, _people_average)
        lines.append(("Journalist, at most", _each(found, _people_most), guess))
        lines.append(("Journalist, on average", mean, "the same of all rows"))
    return DataTable(
        "risk-change",
        "How well a person is found by the quasi-identifiers",
        (("Who", False), ("Before", True), ("After", True), ("Meaning", False)),
        [[Cell(name), *cells, Cell(meaning)] for name, cells, meaning in lines],
        sortable=False,
    )


def _each(
    tables: Sequence[Found | None], figure: Callable[[Found], Cell]
) -> list[Cell]:
    return [Cell(NONE) if each is None else figure(each) for each in tables]


def _uniques(found: Found) -> Cell:
    return number(found.classes.uniques)


def _smallest(found: Found) -> Cell:
    return number(found.classes.smallest)


def _highest(found: Found) -> Cell:
    return share(1 / found.classes.smallest)


def _average(found: Found) -> Cell:
    return share(found.classes.average)


def _expected(found: Found) -> Cell:
    return number(len(found.classes.sizes))


def _people_most(found: Found) -> Cell:
    return share(None if found.people is None else found.people.highest)


def _people_average(found: Found) -> Cell:
    if found.people is None:
        return Cell(NONE)
    return share(found.people.expected / found.classes.rows)


_MODEL = (
    "A model, linear least squares, predicts {target} from {features}. It is trained "
    "on every second row, of the original or of the release, and tested on the other "
    "rows as they are in the original: so much is lost to who learns from the release. "
    "A cell that may be several values counts as their mean. {measure}"
)
_MEASURES = {
    "accuracy": "Accuracy is the share of rows whose value is found.",
    "R²": "R² is 1 for a model that is always right, 0 for one that knows the mean.",
}


@dataclass(frozen=True)
class BeforeAfter:
    """An original and its release, with the same rows in the same order."""

    table: Table
    released: Table
    coding: Coding  # how the release is published
    spread: Spread  # what the release says of the rows
    # the same of people, by the weights of the rows; None without weights
    by_weight: Spread | None
    # facts, cells: what became of its columns, and what its cells stand for; None where
    # columns are published as they are
    facts: Sequence[ColumnFacts] | None
    cells: Mapping[str, Cells] | None
    classes: bool = True  # whether rows that are published alike are a class
    weight: str | None = None  # the column of weights that was named
    # all people, among whom a journalist looks; None: not known
    people: Population | None = None

    @cached_property
    def columns(self) -> list[Distribution]:
        """How the values of the rows are distributed."""
        return distributions(
            self.table, self.spread, self.coding.scales(self.table), self._missing
        )

    @property
    def _missing(self) -> Sequence[str | None]:
        return [None, "", *self.coding.missing]

    @cached_property
    def weights(self) -> Floats | None:
        """The weights of the rows; None: each row counts as one."""
        if self.by_weight is None:
            return None
        return weights_of(self.table, self.weight)

    def parts(self, k: int | None, formula: Formula | None) -> dict[str, Any]:
        """Return what the template shows.

        ``k`` is how many rows may be a person's, in a release without classes.
        ``formula`` says what a model learns; None: nothing was asked.
        """
        table, coding, weights = self.table, self.coding, self.weights
        spread, columns = self.spread, self.columns
        if self.by_weight is not None:
            spread, scales = self.by_weight, coding.scales(table)
            columns = distributions(table, spread, scales, self._missing, weights)
        pairs, cells = relations(table, coding, spread, columns, weights)
        return {
            "risk_change": self._risk(k),
            "risk_note": self._risk_note(),
            "words": self._words(),
            "worth": worth_table(columns),
            "weighted": self._weighted(),
            "cross": cross_table(table, coding, spread, columns, weights),
            "relations": pair_table(pairs) if pairs else None,
            "relations_text": relations_text(len(columns), len(pairs)),
            "worst_cells": cell_table(cells) if cells else None,
            **self._model(formula),
        }

    def _risk(self, k: int | None) -> DataTable | None:
        if self.facts is None:
            return None  # who is found is found as before
        return risk_change(self._before, self._after, k)

    @cached_property
    def _before(self) -> Found:
        """Who is found in the original."""
        if self.people is None:
            return Found.of(self.table, weights_of(self.table, self.weight))
        cells = self._read if self.table.floors else None
        return Found.among(self.table, self.people, cells=cells)

    @cached_property
    def _read(self) -> Mapping[str, Cells] | None:
        """What cells stand for, of columns with floors as well."""
        if not self.coding.told:
            return None
        return read_cells(self.released, self.coding, self.table)

    @cached_property
    def _after(self) -> Found | None:
        """Who is found in the release; None where its rows have no classes."""
        if not self.classes:
            return None
        if self.people is None:
            return Found.of(self.released, weights_of(self.released, self.weight))
        star = self.coding.star
        return Found.among(self.released, self.people, star, self._read)

    def _risk_note(self) -> str:
        lines = []
        if self.table.floors:
            lines.append(
                f"Before is counted from the table with the floors of "
                f"{some_of([*self.table.floors])} applied, which were asked for."
            )
        if self.people is not None and self.facts is not None:
            lines.append(self._among())
        return " ".join(lines)

    def _among(self) -> str:
        """Say among whom a journalist looks, and whether all rows are of them."""
        assert self.people is not None
        told = (
            f"The population is {self.people.table.name}, "
            f"{counted(self.people.size, 'person', 'people')}; each counts in every "
            "class whose cells may be theirs."
        )
        found = self._before.people
        if found is not None and found.fewer:
            told += (
                f" {counted(found.fewer, 'row')} of the original "
                f"{'looks' if found.fewer == 1 else 'look'} like fewer people of it "
                "than there are rows, so it does not hold everybody."
            )
        return told

    def _words(self) -> list[str]:
        return [
            column_words(each, self.released, self.coding.star, self.cells)
            for each in self.facts or ()
        ]

    def _weighted(self) -> str:
        if self.weight is None:
            return ""
        if self.weights is None:
            return (
                f"The weights of {self.weight} are not all numbers above 0 in table "
                "and release, so each row counts as one."
            )
        return f"Rows count by their weights, the column {self.weight}."

    def _model(self, formula: Formula | None) -> dict[str, Any]:
        if formula is None:
            return {"model": None, "model_text": ""}
        found = downstream(formula, self.table, self.released, self.coding)
        text = _MODEL.format(
            target=formula.target,
            features=some_of(formula.features),
            measure=_MEASURES[found.measure],
        )
        return {"model": _model_table(found), "model_text": text}


def _model_table(found: Downstream) -> DataTable:
    """Write how well the models predict."""
    rows = [
        ("nothing but the distribution", found.nothing),
        ("the original", found.original),
        ("the release", found.release),
    ]
    ratio = found.measure != "accuracy"
    return DataTable(
        "model",
        "A model that was trained on original and release",
        (("Trained on", False), (found.measure, True)),
        [
            [
                Cell(name),
                Cell(NONE)
                if value is None
                else number(value, 3)
                if ratio
                else share(value),
            ]
            for name, value in rows
        ],
        sortable=False,
    )
