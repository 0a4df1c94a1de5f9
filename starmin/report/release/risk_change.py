"""How well people are found before and after: the prosecutor's view and others'."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Floats
from starmin.instances.requirements.rules.population import Population
from starmin.report.page import NONE, Cell, DataTable, number, share
from starmin.verify.cells.cells import Cells
from starmin.verify.risk.individual_risk import individual_risk
from starmin.verify.risk.people_covered import population_risk
from starmin.verify.risk.rows_alike import ClassRisk, PopulationRisk


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

    Parameters
    ----------
    before
        In the original; None where there is none.
    after
        In the release; None where its rows have no classes.
    k
        How many rows may be a person's in a release without classes; None: not known.
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
