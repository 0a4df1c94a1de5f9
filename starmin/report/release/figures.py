"""The figures of a release, whoever made it: by its cells, and beside its original.

They are recomputed from what is published, not taken from the search.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from starmin.inputs.roles import Formula
from starmin.instances import (
    IntArray,
    NonHomogeneous,
    Partition,
    Problem,
    Requirement,
    Table,
    TCloseness,
    as_number,
)
from starmin.instances.arrays import Floats
from starmin.instances.io.beside import Labels
from starmin.instances.releases.coding import GENERALIZATION, PERMUTATION
from starmin.instances.releases.ids import with_classes_of, with_ids_of
from starmin.instances.releases.release import GROUP, SENSITIVE_SUFFIX
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import part_of
from starmin.instances.requirements.t_closeness import Closeness
from starmin.outputs.recodings import Checked
from starmin.outputs.summary import Summary
from starmin.report.release.column_facts import ColumnFacts, column_facts
from starmin.report.release.distributions import Distribution, distributions
from starmin.report.release.relations import Related
from starmin.verify.cells.cells import Cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.permutation_check import (
    check_permutation,
    join_permutation,
)
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from starmin.verify.risk.candidates import ClassRisk, PopulationRisk, population_risk
from starmin.verify.risk.table_risk import individual_risk
from starmin.verify.utility import Fit, Spread, Truth, compare, spread_of

_PAIRS = 200_000_000  # seconds; where cells are more, divergence is of a sample


def weights_of(table: Table, column: str | None) -> Floats | None:
    """Return how many people each row stands for; None where that is not known.

    >>> table = Table.from_rows(["w"], [["2"], ["0.5"]], qi=["w"])
    >>> weights_of(table, "w").tolist(), weights_of(table, "v")
    ([2.0, 0.5], None)
    """
    if column is None or column not in table.names:
        return None
    found = map(as_number, (text or "" for text in table.dictionary(column)))
    numbers = np.array([np.nan if each is None else float(each) for each in found])
    weights = numbers[table.column(column)]
    return weights if (weights > 0).all() and np.isfinite(weights).all() else None


@dataclass(frozen=True)
class Found:
    """How well people are found in a table by its quasi-identifiers."""

    classes: ClassRisk  # of rows that look alike
    # what a journalist finds, among a population or by sampling weights; None without
    # either
    people: PopulationRisk | None

    @classmethod
    def of(cls, table: Table, weights: Floats | None) -> "Found":
        """Measure a table; ``weights`` are by row how many people it stands for.

        >>> table = Table.from_rows(["a"], [["x"], ["x"], ["y"]], qi=["a"])
        >>> found = Found.of(table, np.array([30.0, 10.0, 100.0]))
        >>> found.classes.uniques, round(found.people.highest, 4)
        (1, 0.0465)
        """
        types = table.row_types
        if weights is None:
            return cls(ClassRisk(types.counts), None)
        people: Floats = np.bincount(types.inverse, weights, len(types)).astype(float)
        risks = individual_risk(types.counts, people)
        found = PopulationRisk(types.counts, risks, estimated=True)
        return cls(ClassRisk(types.counts), found)


@dataclass(frozen=True)
class Figures:
    """A release in figures; those beside its original are asked of compared ones."""

    # the original's rows that those of the release stand for, or, where these are not
    # known, the release; what is asked, and how it is published
    problem: Problem
    released: Table  # as published; compared ones in the order of the original
    check: ReleaseCheck | None  # by groups; None for a release without groups
    # how many disjoint matchings justify a release without groups; else None
    matchings: int | None
    original: Table | None  # in which people are found before; None: not known
    compared: bool = True
    # what the cells stand for, where they are not only values and stars
    cells: Mapping[str, Cells] | None = None
    weight: str | None = None  # the column of weights that was named
    # all people, among whom a journalist looks; None: not known
    people: Population | None = None
    formula: Formula | None = None  # what a model learns; None: nothing was named
    labels: Labels = field(default_factory=Labels)

    @classmethod
    def of_release(
        cls, summary: Summary, weight: str | None, people: Population | None
    ) -> "Figures":
        """Measure what is published for what a method found."""
        problem, best = summary.kept.problem, summary.kept.result.best
        assert summary.release is not None
        tables, coding = summary.release.tables(), problem.coding
        table, released = problem.table, tables[""]
        check, cells, matchings = None, None, None
        if SENSITIVE_SUFFIX in tables:
            released = join_permutation(released, tables[SENSITIVE_SUFFIX])
            check = check_permutation(released, _with_closeness(problem), table)
        else:
            if coding.recoding == GENERALIZATION or coding.numeric or coding.trees:
                cells = read_cells(released, coding, table)
            if isinstance(best, NonHomogeneous):
                asked = table, problem.requirement, problem.objective
                if best.matchings is not None and not best.violation(*asked):
                    matchings = len(best.matchings)  # checked pair by pair
            else:
                check = _recheck(problem, released, cells)
        found = problem, released, check, matchings, table, True, cells
        return cls(*found, weight, people, labels=summary.origin.beside.labels)

    @classmethod
    def of_check(
        cls,
        checked: Checked,
        problem: Problem,
        compared: bool,
        weight: str | None = None,
        people: Population | None = None,
        formula: Formula | None = None,
    ) -> "Figures":
        """Take what holds of a release that was checked, by groups or by rows."""
        released, original, coding = checked.released, checked.original, problem.coding
        check, matchings, cells = None, None, None
        apart = coding.recoding == PERMUTATION
        if isinstance(checked.check, NonHomogeneousCheck):
            matchings = checked.check.k
        else:
            assert isinstance(checked.check, ReleaseCheck)
            check = checked.check if apart else _with_t(checked.check, released)
        if compared:
            original = problem.table
            if coding.told and not apart:
                cells = read_cells(released, coding, original)
        else:  # a journalist is asked of what is compared alone
            people = None
            original = None if original is None else coding.floored(original)
        found = problem, released, check, matchings, original, compared, cells
        return cls(*found, weight, people, formula)

    @property
    def apart(self) -> bool:
        """Whether columns are published as they are, and sensitive ones apart."""
        return self.problem.coding.recoding == PERMUTATION

    @cached_property
    def _groups(self) -> Partition | None:
        """Of a release by permutation its groups."""
        if not self.apart:
            return None
        return Partition.from_labels(self.released.column(GROUP))

    @cached_property
    def sizes(self) -> IntArray:
        """Rows of each class; without groups, of each row the number of its stars."""
        released, stars = self.released, np.zeros(self.released.n, np.int64)
        if self._groups is not None:
            return self._groups.sizes
        if self.check is not None:
            return released.row_types.counts
        for column in released.qi:
            texts = released.dictionary(column)
            is_star = np.array([t == self.problem.coding.star for t in texts], bool)
            stars += is_star[released.column(column)]
        return stars

    @cached_property
    def facts(self) -> list[ColumnFacts] | None:
        """What became of the QI columns; None where they are published as they are."""
        if self.apart:
            return None
        star = self.problem.coding.star
        return column_facts(self.problem.table, self.released, star, self.cells)

    def _spread(self, weights: Floats | None = None) -> Spread:
        table, coding = self.problem.table, self.problem.coding
        groups = None if self._groups is None else self._groups.groups
        how = coding.scales(table), coding.star, groups, weights
        return spread_of(self.released, table, *how)

    @cached_property
    def spread(self) -> Spread:
        """What it says of the rows."""
        return self._spread()

    @cached_property
    def fit(self) -> Fit:
        """How far it is from the original."""
        table = self.problem.table
        truth = Truth.of(table, self.problem.coding.scales(table))
        return compare(self.spread, truth, pairs=_PAIRS)

    def _distributions(
        self, spread: Spread, weights: Floats | None
    ) -> list[Distribution]:
        table, coding = self.problem.table, self.problem.coding
        missing = [None, "", *coding.missing]
        return distributions(table, spread, coding.scales(table), missing, weights)

    @cached_property
    def columns(self) -> list[Distribution]:
        """How the values of the rows are distributed."""
        return self._distributions(self.spread, None)

    @cached_property
    def weights(self) -> Floats | None:
        """The weights of the rows of the original; None: each counts as one."""
        if weights_of(self.released, self.weight) is None:
            return None
        return weights_of(self.problem.table, self.weight)

    @cached_property
    def related(self) -> Related:
        """What columns tell of each other: of rows, or of people by the weights."""
        spread, columns, weights = self.spread, self.columns, self.weights
        if weights is not None:
            spread = self._spread(weights_of(self.released, self.weight))
            columns = self._distributions(spread, weights)
        table, coding = self.problem.table, self.problem.coding
        return Related(table, coding.scales(table), spread, columns, weights)

    @cached_property
    def before(self) -> Found | None:
        """Who is found in the original."""
        table = self.original
        return None if table is None else self._found(table, None, bool(table.floors))

    @cached_property
    def after(self) -> Found | None:
        """Who is found in the release; None where its rows have no classes."""
        if self.check is None:
            return None
        return self._found(self.released, self.problem.coding.star, True)

    def _found(self, table: Table, star: str | None, coarse: bool) -> Found:
        """Measure a table whose cells may be coarse; ``star``: of a release."""
        if self.people is None:
            return Found.of(table, weights_of(table, self.weight))
        cells = self._read if coarse else None
        found = population_risk(table, self.people, star, cells)
        return Found(ClassRisk(table.row_types.counts), found)

    @cached_property
    def _read(self) -> Mapping[str, Cells] | None:
        """What cells stand for, of columns with floors as well."""
        coding, table = self.problem.coding, self.problem.table
        return read_cells(self.released, coding, table) if coding.told else None


def _recheck(
    problem: Problem, released: Table, cells: Mapping[str, Cells] | None
) -> ReleaseCheck:
    """Recompute what holds of a release by groups."""
    table, wanted = problem.table, _with_closeness(problem)
    if (asked := part_of(problem.requirement, Persons)) is not None:
        released = with_ids_of(released, table, asked)
        table = with_ids_of(table, table, asked)
    released = with_classes_of(released, table)
    return check_release(released, wanted, table, problem.coding.star, cells)


def _with_t(check: ReleaseCheck, released: Table) -> ReleaseCheck:
    """Measure t, too, where it was not asked for."""
    if not released.sensitive or check.measures.get("t", 0) is not None:
        return check
    further = check_release(released, TCloseness.of(released, 1.0)).measures
    told = {key: further[key] for key, v in check.measures.items() if v is None}
    return replace(check, measures={**check.measures, **told})


def _with_closeness(problem: Problem) -> Requirement:
    """Add a t-closeness that always holds to what is asked: its t is measured."""
    asked = problem.requirement
    told = any(isinstance(part, Closeness) for part in asked.parts)
    if told or not problem.table.sensitive:
        return asked
    return asked & TCloseness.of(problem.table, 1.0)
