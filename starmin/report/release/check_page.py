"""The report of a check: what a release, whoever made it, hides, risks and is worth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from starmin.inputs.roles import Formula
from starmin.instances import (
    Coding,
    IntArray,
    KAnonymity,
    Partition,
    Problem,
    Requirement,
    Table,
    TCloseness,
    group_by,
)
from starmin.instances.releases.coding import (
    GENERALIZATION,
    NONHOMOGENEOUS,
    PERMUTATION,
    SUPPRESSION,
    RecodingName,
)
from starmin.instances.releases.release import GROUP
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.requirements import describe
from starmin.instances.tables.names import counted
from starmin.outputs.recodings import Checked, public_columns
from starmin.report.headline import beside, percent, promise
from starmin.report.page import NONE, Cell, DataTable, render, share
from starmin.report.release.before_after import Found, risk_change
from starmin.report.release.column_facts import column_facts
from starmin.report.release.distributions import weights_of
from starmin.report.release.release_figures import (
    group_sizes,
    level_bars,
    node_tables,
    published_levels,
    stars_of_rows,
)
from starmin.report.release.release_page import (
    about,
    compared_parts,
    risk_table,
    size_table,
)
from starmin.report.release.risk_left import (
    PAIRS,
    Measures,
    PrivacyMeasures,
    requirement_row,
    risk_rows,
    risk_text,
    still_learned,
)
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.disclosure import Disclosure
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from starmin.verify.risk.candidates import expect_people
from starmin.verify.utility import Truth, compare, spread_of

# A release of anybody, measured for its report: by itself, and by its original.


def privacy(checked: Checked, problem: Problem) -> PrivacyMeasures:
    """Return what holds of a release that was checked.

    It is one by groups, or by rows; ``problem`` has the original, or the release
    itself, and how it is published.
    """
    check, released = checked.check, checked.released
    if isinstance(check, NonHomogeneousCheck):
        stars = _stars(released, problem.coding.star)
        return PrivacyMeasures(None, check.k, [], stars)
    assert isinstance(check, ReleaseCheck)
    if problem.coding.recoding == PERMUTATION:
        sizes = Partition.from_labels(released.column(GROUP)).sizes
        return PrivacyMeasures(check, None, None, sizes)
    codes = [released.column(column) for column in released.qi]
    cards = [len(released.dictionary(column)) for column in released.qi]
    sizes = group_by(codes, cards).counts
    if released.sensitive and "t" in check.measures and check.measures["t"] is None:
        further = check_release(released, TCloseness.of(released, 1.0)).measures
        told = {key: further[key] for key, v in check.measures.items() if v is None}
        check = replace(check, measures={**check.measures, **told})
    return PrivacyMeasures(check, None, [], sizes)


def measured(known: PrivacyMeasures, released: Table, problem: Problem) -> Measures:
    """Measure a release beside the rows of its original that it stands for.

    ``known`` is what holds of the release, whose rows are in the order of the original;
    ``problem`` has the original, and how the release is published.
    """
    table, coding = problem.table, problem.coding
    cells, columns, groups = None, None, None
    if coding.recoding == PERMUTATION:
        groups = Partition.from_labels(released.column(GROUP)).groups
    else:
        if coding.told:
            cells = read_cells(released, coding, table)
        columns = column_facts(table, released, coding.star, cells)
    scales = coding.scales(table)
    spread = spread_of(released, table, scales, coding.star, groups)
    fit = compare(spread, Truth.of(table, scales), pairs=PAIRS)
    found = known.check, known.matchings, columns, known.sizes, fit, spread, released
    return Measures(*found, cells, groups)


def _stars(released: Table, star: str) -> IntArray:
    """Count the stars of each row."""
    stars = np.zeros(released.n, np.int64)
    for column in released.qi:
        is_star = [text == star for text in released.dictionary(column)]
        stars += np.array(is_star, bool)[released.column(column)]
    return stars


_SECRET = (
    "This page speaks of the original table, of values that the release hides. It is "
    "for whoever holds that table; do not publish it with the release."
)
_OF_RELEASE = (
    "This page tells where the release is weak. It is for whoever publishes it."
)
_NO_ORIGINAL = (
    "No original was named, so what was done to its columns, and what the release is "
    "worth beside it, is not known."
)
_APART = (
    "Its rows cannot be laid beside those of the original one by one, so what was done "
    "to each column, and what the release is worth, is not shown."
)
_MATCHED = (
    "The release has no groups. Its rows and those of the original have k perfect "
    "matchings without a common pair, counted by a flow: k equally plausible people "
    "for each row."
)


@dataclass(frozen=True)
class CheckReport:
    """All that a page on a check tells."""

    checked: Checked  # what was found
    coding: Coding  # how the release is published
    seen: Disclosure  # what is published beside the quasi-identifiers
    found: Sequence[tuple[str, str]]  # the lines that the command shows: label and text
    title: str  # title, command: what was checked, and the line that does it again
    command: str
    weight: str | None = None  # a column of weights; None: none was named
    formula: Formula | None = None  # what a model learns; None: nothing was named
    # among whom a journalist looks; None: nobody was named
    people: Population | None = None

    def page(self) -> str:
        """Write the page, as text of HTML.

        Raises TableError for a column that the population lacks.
        """
        if self.people is not None:
            expect_people(self.people, self._problem.table)
        measures = self._measures
        matched = isinstance(self.checked.check, NonHomogeneousCheck)
        figure = stars_of_rows if matched else group_sizes
        return render(
            "release.html",
            title=f"Check of {self.title}",
            version=version("starmin"),
            about=self._about,
            lead=" ".join(self._lead()),
            learned=still_learned(self._problem, measures, self.seen),
            inferred=[],
            sheet=None,
            secret=_OF_RELEASE if self.checked.original is None else _SECRET,
            verdict=self._verdict(),
            tiles=self._tiles(),
            risk_text=_MATCHED if matched else risk_text(self._problem, measures),
            risk=risk_table(self._risk_rows()),
            figure=figure(measures.sizes),
            sizes=size_table(measures),
            proof_title="The check",
            findings=DataTable(
                "findings",
                "What the check found",
                (("What", False), ("Found", False)),
                [[Cell(label), Cell(text)] for label, text in self.found],
                sortable=False,
            ),
            proof=[],
            commands=[("This command checks the release again:", self.command)],
            **(self._compared() if isinstance(measures, Measures) else self._alone()),
        )

    @property
    def _recoding(self) -> RecodingName:
        """How it is published, as it was named or as its columns say."""
        if self.coding.recoding is not None:
            return self.coding.recoding
        return GENERALIZATION if self.coding.ranged else SUPPRESSION

    @property
    def _asked(self) -> Requirement | None:
        """What is asked of the rows that are there."""
        asked = of_kind(self.checked.requirement, DeletedRows)
        return self.checked.requirement if asked is None else asked.inner

    @cached_property
    def _table(self) -> Table | None:
        """The original's rows that the release's stand for; None: not known."""
        table, released = self.checked.compared, self.checked.released
        if table is None:
            return None
        if self._recoding == PERMUTATION:
            table = table.with_roles(public_columns(released), released.sensitive)
        return self.coding.floored(table)

    @cached_property
    def _problem(self) -> Problem:
        released, table = self.checked.released, self._table
        if self._recoding == PERMUTATION:
            released = released.with_roles(public_columns(released), released.sensitive)
        coding = replace(self.coding, recoding=self._recoding)
        there = released if table is None else table
        # Where nothing is asked, no line of the page tells this k.
        return Problem(there, self._asked or KAnonymity(2), coding=coding)

    @cached_property
    def _measures(self) -> PrivacyMeasures:
        known = privacy(self.checked, self._problem)
        if self._table is None:
            return known
        return measured(known, self.checked.released, self._problem)

    @property
    def _about(self) -> str:
        rows = counted(self.checked.released.n, "row")
        return f"{rows}, {about(self._problem.table, self._asked, self._recoding)}"

    def _lead(self) -> list[str]:
        """Say what holds, what that costs, and what is not true."""
        check, table = self.checked.check, self._problem.table
        lines = []
        if self._asked is not None and check.holds:
            lines += promise(self._asked, table, self._recoding)
        elif self._asked is not None:
            lines.append("The release does not keep what was asked of it.")
        lines += beside(self.seen)
        if self._recoding != PERMUTATION:
            lines.append(self._cost())
        missing = check.missing_rows if isinstance(check, ReleaseCheck) else None
        if missing:
            are = "is" if missing == 1 else "are"
            lines.append(
                f"{counted(missing, 'row')} of the original {are} not in it; all that "
                "follows is of the rows that are there."
            )
        if check.consistent is False:
            lines.append("Some of its cells are not true of the original.")
        if self._table is None:
            lines.append(_NO_ORIGINAL if self.checked.original is None else _APART)
        return lines

    def _cost(self) -> str:
        check, table = self.checked.check, self.checked.released
        hidden = percent(check.stars / (table.n * table.d))
        told = (
            f"{hidden} of the cells are hidden" if check.stars else "No cell is hidden"
        )
        if not isinstance(check, ReleaseCheck | NonHomogeneousCheck):
            return f"{told}."
        if not self.coding.ranged:
            return f"{told}."
        return f"{told}; {percent(check.gcp)} of the detail is lost."

    def _verdict(self) -> str:
        check = self.checked.check
        if check.holds is None:
            return "Nothing was asked; what holds is below."
        return "What was asked holds." if check.holds else "What was asked fails."

    def _tiles(self) -> list[tuple[str, str, str]]:
        check, measures = self.checked.check, self._measures
        assert isinstance(check, ReleaseCheck | NonHomogeneousCheck)
        alike = "rows that look alike, at least"
        if self._recoding == PERMUTATION:
            alike = "rows of a group, at least"
        if isinstance(check, NonHomogeneousCheck):
            alike = "plausible people for each row"
        tiles = [("k", f"{check.k:,}", alike)]
        if isinstance(check, ReleaseCheck):
            tiles.append(("Classes", f"{check.groups:,}", "of rows that look alike"))
        tiles.append(("Stars", f"{check.stars:,}", "hidden cells"))
        lost = share(check.gcp).text
        tiles.append(("Lost", lost, "of the information in the cells"))
        if isinstance(measures, Measures):
            tiles.append(("KL", f"{measures.fit.kl:.3f}", "nats from the original"))
        return tiles

    def _risk_rows(self) -> list[list[Cell]]:
        rows = risk_rows(self._problem, self._measures)
        if self._asked is None:
            return [[name, Cell(NONE), *rest] for name, _, *rest in rows[1:]]
        if self._measures.check is None:
            holds = self.checked.check.holds is True
            rows[0] = requirement_row(describe(self._asked), holds)
        return rows

    def _compared(self) -> dict[str, Any]:
        """Return the parts that lay the release beside the original."""
        measures, problem = self._measures, self._problem
        assert isinstance(measures, Measures)
        recoding, given = self._recoding, (self.weight, self.people, self.formula)
        levels = published_levels(measures.released, problem.coding)
        ranged = recoding == GENERALIZATION
        return {
            **compared_parts(problem, measures, recoding, *given),
            "levels": level_bars(levels) if ranged else None,
            "nodes": node_tables(levels) if ranged else [],
        }

    def _alone(self) -> dict[str, Any]:
        """Return what is said of who is found where there is nothing to compare."""
        released, check = self.checked.released, self.checked.check
        original, before, after = self.checked.original, None, None
        if original is not None:
            original = self.coding.floored(original)
            before = Found.of(original, weights_of(original, self.weight))
        if isinstance(check, ReleaseCheck) and self._recoding != PERMUTATION:
            after = Found.of(released, weights_of(released, self.weight))
        matched = check.k if isinstance(check, NonHomogeneousCheck) else None
        change = None
        if self._recoding in (SUPPRESSION, GENERALIZATION, NONHOMOGENEOUS):
            change = risk_change(before, after, matched)
        unknown = {"lost_text": "", "worth": None, "utility": None}
        return {"risk_change": change, "risk_note": "", **unknown}
