"""What a release is worth: recomputed from what is published, not from the search."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import (
    IntArray,
    NonHomogeneous,
    Partition,
    Problem,
    Requirement,
    Table,
    TCloseness,
    group_by,
)
from starmin.instances.arrays import Floats
from starmin.instances.releases.ids import with_classes_of, with_ids_of
from starmin.instances.releases.permutation import GROUP, SENSITIVE_SUFFIX
from starmin.instances.requirements.closeness.t_closeness import Closeness
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import part_of
from starmin.outputs.recodings import Published
from starmin.report.release.columns.column_facts import ColumnFacts, column_facts
from starmin.verify.cells.cells import Cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.permutation_check import (
    check_permutation,
    join_permutation,
)
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from starmin.verify.utility import Fit, Spread, Truth, compare, spread_of

PAIRS = 200_000_000  # seconds; where cells are more, divergence is of a sample


@dataclass(frozen=True)
class PrivacyMeasures:
    """What holds of a release, by its cells alone."""

    check: ReleaseCheck | None  # by groups; None for a release without groups
    # how many disjoint matchings justify a release without groups; else None
    matchings: int | None
    # what became of the QI columns; None where they are published as they are
    columns: list[ColumnFacts] | None
    # rows of each class of rows that cannot be told apart; or, without groups, of each
    # row the number of its stars
    sizes: IntArray


@dataclass(frozen=True)
class Measures(PrivacyMeasures):
    """A release, measured beside its original."""

    fit: Fit  # how far it is from the original
    spread: Spread  # what it says of the rows
    released: Table  # as it is published, its rows in the order of the original
    # what its cells stand for, where they are not only values and stars
    cells: dict[str, Cells] | None = None
    groups: IntArray | None = None  # of a release by permutation, by row: its group

    def weighted(self, problem: Problem, weights: Floats) -> Spread:
        """Return what it says of people, by the weights of its rows.

        ``weights`` are by row how many people it stands for.
        """
        return _spread(problem, self.released, self.groups, weights)

    @classmethod
    def of(
        cls, problem: Problem, release: Published, best: Partition | NonHomogeneous
    ) -> "Measures":
        """Measure what is published for what a method found."""
        tables = release.tables()
        if SENSITIVE_SUFFIX in tables:
            return _of_permutation(problem, tables[""], tables[SENSITIVE_SUFFIX])
        return _of_cells(problem, tables[""], best)


def _of_permutation(problem: Problem, public: Table, sensitive: Table) -> Measures:
    joined = join_permutation(public, sensitive)
    check = check_permutation(joined, _with_closeness(problem), problem.table)
    groups = Partition.from_labels(joined.column(GROUP))
    spread = _spread(problem, joined, groups.groups)
    fit, found = _fit(problem, spread), groups.groups
    return Measures(check, None, None, groups.sizes, fit, spread, joined, groups=found)


def _of_cells(
    problem: Problem, released: Table, best: Partition | NonHomogeneous
) -> Measures:
    """Measure a release of one table: stars, ranges, nodes."""
    table, coding = problem.table, problem.coding
    cells: dict[str, Cells] | None = None
    if coding.recoding == "generalization" or coding.numeric or coding.trees:
        cells = read_cells(released, coding, table)
    columns = column_facts(table, released, coding.star, cells)
    spread = _spread(problem, released)
    fit = _fit(problem, spread)
    if isinstance(best, NonHomogeneous):
        stars = np.zeros(table.n, np.int64)
        for column in table.qi:
            is_star = [text == coding.star for text in released.dictionary(column)]
            stars += np.array(is_star, bool)[released.column(column)]
        matchings = _matchings(problem, best)
        return Measures(None, matchings, columns, stars, fit, spread, released, cells)
    public = released
    wanted = _with_closeness(problem)
    if (asked := part_of(problem.requirement, Persons)) is not None:
        released = with_ids_of(released, table, asked)
        table = with_ids_of(table, table, asked)
    released = with_classes_of(released, table)
    check = check_release(released, wanted, table, coding.star, cells)
    qi = [released.column(c) for c in released.qi]
    sizes = group_by(qi, [len(released.dictionary(c)) for c in released.qi]).counts
    return Measures(check, None, columns, sizes, fit, spread, public, cells)


def _matchings(problem: Problem, best: NonHomogeneous) -> int | None:
    """Count the matchings it carries if they are good: checked pair by pair."""
    if best.matchings is None:
        return None
    why = best.violation(problem.table, problem.requirement, problem.objective)
    return None if why else len(best.matchings)


def _with_closeness(problem: Problem) -> Requirement:
    """Add a t-closeness that always holds to what is asked: its t is measured."""
    asked = problem.requirement
    told = any(isinstance(part, Closeness) for part in asked.parts)
    if told or not problem.table.sensitive:
        return asked
    return asked & TCloseness.of(problem.table, 1.0)


def _spread(
    problem: Problem,
    released: Table,
    groups: IntArray | None = None,
    weights: Floats | None = None,
) -> Spread:
    table, coding = problem.table, problem.coding
    scales = coding.scales(table)
    return spread_of(released, table, scales, coding.star, groups, weights)


def _fit(problem: Problem, spread: Spread) -> Fit:
    table = problem.table
    truth = Truth.of(table, problem.coding.scales(table))
    return compare(spread, truth, pairs=PAIRS)
