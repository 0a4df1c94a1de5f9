"""The report of a check: what a release, whoever made it, hides, risks and is worth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from starmin.inputs.roles import Formula
from starmin.instances import Coding, KAnonymity, Problem, Requirement, Table
from starmin.instances.releases.coding import (
    GENERALIZATION,
    PERMUTATION,
    SUPPRESSION,
    RecodingName,
)
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.tables.names import counted
from starmin.outputs.recodings import Checked, public_columns
from starmin.report.headline import beside, percent, promise
from starmin.report.page import Cell, DataTable, heads, share
from starmin.report.release.figures import Figures
from starmin.report.release.layout import about, lay_out
from starmin.report.release.risk_left import risk_table
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.disclosure import Disclosure
from starmin.verify.releases.mask_check import MaskCheck
from starmin.verify.releases.release_check import ReleaseCheck
from starmin.verify.risk.people_covered import expect_people

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
        checked, figures = self.checked, self._figures
        verdict = "Nothing was asked; what holds is below."
        if (holds := checked.check.holds) is not None:
            verdict = f"What was asked {'holds' if holds else 'fails'}."
        matched = isinstance(checked.check, NonHomogeneousCheck)
        said = {} if checked.original is not None else {"secret": _OF_RELEASE}
        said |= {"risk_text": _MATCHED} if matched else {}
        findings = [[Cell(label), Cell(text)] for label, text in self.found]
        header, caption = heads("What|Found"), "What the check found"
        return lay_out(
            figures,
            self.seen,
            title=f"Check of {self.title}",
            about=about(checked.released.n, figures, self._asked),
            lead=" ".join(self._lead()),
            verdict=verdict,
            tiles=self._tiles(),
            risk=risk_table(figures, self._asked, holds is True),
            proof_title="The check",
            findings=DataTable("findings", caption, header, findings, sortable=False),
            commands=[("This command checks the release again:", self.command)],
            **said,
        )

    @property
    def _recoding(self) -> RecodingName:
        """How it is published, as it was named or as its columns say."""
        if self.coding.recoding is not None:
            return self.coding.recoding
        return GENERALIZATION if self.coding.ranged else SUPPRESSION

    @property
    def _coding(self) -> Coding:
        return replace(self.coding, recoding=self._recoding)

    @property
    def _asked(self) -> Requirement | None:
        """What is asked of the rows that are there."""
        asked = of_kind(self.checked.requirement, DeletedRows)
        return self.checked.requirement if asked is None else asked.inner

    @cached_property
    def _table(self) -> Table | None:
        """The original's rows that the release's stand for; None: not known."""
        return self.checked.beside(self._coding)

    @cached_property
    def _problem(self) -> Problem:
        released, table = self.checked.released, self._table
        if self._recoding == PERMUTATION:
            released = released.with_roles(public_columns(released), released.sensitive)
        there = released if table is None else table
        # Where nothing is asked, no line of the page tells this k.
        return Problem(there, self._asked or KAnonymity(2), coding=self._coding)

    @cached_property
    def _figures(self) -> Figures:
        compared, given = self._table is not None, (self.weight, self.people)
        found = self.checked, self._problem, compared
        return Figures.of_check(*found, *given, self.formula)

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
        told = "No cell is hidden"
        if check.stars:
            hidden = percent(check.stars / (table.n * table.d))
            told = f"{hidden} of the cells are hidden"
        assert not isinstance(check, MaskCheck)
        if self.coding.ranged:
            told += f"; {percent(check.gcp)} of the detail is lost"
        return f"{told}."

    def _tiles(self) -> list[tuple[str, str, str]]:
        check = self.checked.check
        assert isinstance(check, ReleaseCheck | NonHomogeneousCheck)
        alike = "rows that look alike, at least"
        if self._figures.apart:
            alike = "rows of a group, at least"
        if isinstance(check, NonHomogeneousCheck):
            alike = "plausible people for each row"
        tiles = [("k", f"{check.k:,}", alike)]
        if isinstance(check, ReleaseCheck):
            tiles.append(("Classes", f"{check.groups:,}", "of rows that look alike"))
        lost = share(check.gcp).text
        tiles.append(("Stars", f"{check.stars:,}", "hidden cells"))
        tiles.append(("Lost", lost, "of the information in the cells"))
        if self._figures.compared:
            kl = self._figures.fit.kl
            tiles.append(("KL", f"{kl:.3f}", "nats from the original"))
        return tiles
