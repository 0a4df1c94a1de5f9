"""The risk that a release leaves: k, l and t, as asked and as they hold."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import (
    IntArray,
    MissingValues,
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
from starmin.instances.releases.release import GROUP, SENSITIVE_SUFFIX
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import part_of
from starmin.instances.requirements.requirements import describe
from starmin.instances.requirements.requirements import measures as known_measures
from starmin.instances.requirements.t_closeness import Closeness
from starmin.instances.tables.names import some_of
from starmin.outputs.recodings import Published
from starmin.report.page import NONE, Cell, number, share
from starmin.report.release.column_facts import ColumnFacts, column_facts
from starmin.verify.cells.cells import Cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.disclosure import Disclosure
from starmin.verify.releases.permutation_check import (
    check_permutation,
    join_permutation,
)
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from starmin.verify.utility import Fit, Spread, Truth, compare, spread_of

# What a release is worth: recomputed from what is published, not from the search.

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


_WHY_MATCHED = "perfect matchings without a common pair: plausible people for each row"


def risk_text(problem: Problem, measures: PrivacyMeasures) -> str:
    """Say how the risk of a release was measured."""
    if measures.check is None:
        return (
            "The release has no groups. Its rows and those of the original have k "
            "perfect matchings without a common pair: k equally plausible people for "
            "each row. These matchings were checked pair by pair."
        )
    if measures.columns is None:
        return (
            "Recomputed from the published tables alone. Whoever knows a person's "
            "quasi-identifiers finds the row; what is protected is the sensitive value."
        )
    return (
        "Recomputed from the cells of the release alone. A class is all rows that are "
        "published alike; it may be of several groups."
    )


def still_learned(
    problem: Problem, measures: PrivacyMeasures, beside: Disclosure
) -> list[str]:
    """Say what a reader of the release may still learn of a person.

    ``beside`` is what is published beside the quasi-identifiers.
    """
    table, check = problem.table, measures.check
    lines = [_of_finding(table, measures)]
    if check is not None and check.l is not None:
        names = " or ".join(table.sensitive)
        lines += [
            f"Of a group, at most {_at_most(1 / check.l)} have the same {names}. "
            "Whoever knows only that a person is in the group guesses right no more "
            "often.",
            _of_minimality(measures.columns is None, names),
        ]
        if check.distinct_l == 1:
            lines.append(
                f"In some groups all rows have the same {names}: whoever finds such a "
                "group knows it."
            )
    elif table.sensitive:
        names = " and ".join(table.sensitive)
        lines.append(f"Nothing is promised of {names}, which is published as it is.")
    if beside.unchanged is not None:
        lines.append(
            f"Published unchanged: {beside.unchanged}. Whoever knows values there may "
            "find a person by them."
        )
    lines += [
        f"{each}: whoever sees the row knows these cells." for each in beside.named
    ]
    lines += [f"{beside.others}."] if beside.others else []
    if beside.range_ends is not None:
        lines.append(
            f"{beside.range_ends}. Rounded ranges tell no value for certain (--round "
            f"{beside.range_ends.rounded})."
        )
    return [
        *lines,
        "That a person is in the table is not hidden from someone who knows who was "
        "asked.",
        "Two releases of the same people can tell more together than each of them "
        "alone.",
    ]


def _of_minimality(apart: bool, names: str) -> str:
    """Say that more is learned by those who know more."""
    more = (
        "Whoever also knows the quasi-identifiers of the others of a group, and that "
        "as little as possible was hidden, may rule out more values, in some releases "
        "all but one."
    )
    if not apart:
        return more
    return (
        f"Whoever learns from the whole release which {names} goes with which "
        "quasi-identifiers guesses right more often, as these are published as they "
        "are."
    )


def _of_finding(table: Table, measures: PrivacyMeasures) -> str:
    """Say how far the row of a person can be found."""
    check, sizes = measures.check, measures.sizes
    columns = some_of(table.qi)
    if check is None:
        return (
            f"Whoever knows no more of a person than {columns} finds at least "
            f"{measures.matchings or 0:,} rows that may be that person's, and by these "
            "columns no way to rule any of them out."
        )
    if measures.columns is None:
        return (
            f"Whoever knows {columns} of a person finds the row, and the "
            f"group: at least {check.k:,} rows, {np.median(sizes):,.6g} in half of the "
            "groups or less. Which of the group's sensitive values belong to the row "
            "is hidden."
        )
    return (
        f"Whoever knows no more of a person than {columns} finds a group of at least "
        f"{check.k:,} rows and picks the right one with a probability of at most "
        f"{_at_most(1 / check.k)}."
    )


def _at_most(share: float) -> str:
    """Write a probability in percent, rounded up."""
    return f"{math.ceil(1000 * share - 1e-6) / 10:g} %"


def risk_rows(problem: Problem, measures: PrivacyMeasures) -> list[list[Cell]]:
    """Measure, asked, holds, meaning."""
    asked = describe(problem.requirement)
    check = measures.check
    if check is None:
        k = measures.matchings
        row = [Cell("k"), _wanted(asked, "k"), number(k), Cell(_WHY_MATCHED)]
        return [requirement_row(asked, k is not None), row]
    rows = [requirement_row(asked, check.holds is True)]
    parts = [
        part.inner if isinstance(part, MissingValues) else part
        for part in problem.requirement.parts
    ]
    for measure, kind in known_measures().items():
        if kind.of_sensitive and check.l is None:
            continue
        if measure.key == "l" and check.l:
            why = "the greatest share of a sensitive value in a group: 1/l"
            most = share(1 / check.l)
            rows.append([Cell("Largest share"), Cell(NONE), most, Cell(why)])
        of_kind = [part for part in parts if part.measure is measure]
        value, why = check.measures[measure.key], measure.meaning
        shown = _floored(value) if measure.more_is_better else number(value)
        wanted = _asked_of(of_kind) if of_kind else Cell(NONE)
        rows.append([Cell(measure.title), wanted, shown, Cell(why)])
        if measure.key == "k" and measures.columns is not None:
            why = "by the quasi-identifiers alone, at most: 1/k"
            risk = share(1 / check.k)
            rows.append([Cell("Risk to be found"), Cell(NONE), risk, Cell(why)])
    return rows


def requirement_row(asked: Mapping[str, Any], holds: bool) -> list[Cell]:
    """Write what was asked as a whole, and whether it holds.

    ``asked`` is as ``describe`` has it.
    """
    wanted = ", ".join(f"{name} {v}" for name, v in asked.items() if v is not None)
    word = Cell("yes", tone="good") if holds else Cell("no", tone="bad")
    return [Cell("Requirement"), Cell(NONE), word, Cell(wanted)]


def _asked_of(parts: Sequence[Requirement]) -> Cell:
    """Return what some parts of one kind ask for, each with its number."""
    each = [part.as_json()[part.options[0].name] for part in parts]
    return _wanted({"asked": each[0] if len(each) == 1 else max(each)}, "asked")


def _wanted(asked: Mapping[str, Any], name: str) -> Cell:
    value = asked.get(name)
    return number(value) if isinstance(value, int) else Cell(str(value or NONE))


def _floored(value: float | None) -> Cell:
    """Round down for display, so that no more is shown than there is."""
    if value is None or isinstance(value, int):
        return number(value)
    text = f"{math.floor(value * 10_000 + 1e-6) / 10_000:,.4f}"
    return Cell(text.rstrip("0").rstrip("."), value)
