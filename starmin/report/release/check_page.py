"""The report of a check: what a release, whoever made it, hides, risks and is worth."""

from collections.abc import Sequence
from dataclasses import replace

from starmin.inputs.roles import Formula
from starmin.instances import Coding, KAnonymity, Problem
from starmin.instances.releases.coding import GENERALIZATION, PERMUTATION, SUPPRESSION
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import of_kind
from starmin.outputs.recodings import Checked, public_columns
from starmin.report.headline import beside, percent, promise
from starmin.report.page import DataTable, share
from starmin.report.release.figures import Figures
from starmin.report.release.layout import about, lay_out
from starmin.report.release.risk_left import risk_table
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.disclosure import Disclosure
from starmin.verify.releases.mask_check import MaskCheck
from starmin.verify.releases.release_check import ReleaseCheck
from starmin.verify.risk.candidates import expect_people


def check_page(
    checked: Checked,
    coding: Coding,
    seen: Disclosure,
    found: Sequence[tuple[str, str]],
    title: str,
    command: str,
    weight: str | None = None,
    formula: Formula | None = None,
    people: Population | None = None,
) -> str:
    """Write the page, as text of HTML.

    ``seen`` is what is published beside the quasi-identifiers, ``found`` are the lines
    that the command shows, and ``command`` is the line that checks again. ``weight`` is
    a column of weights, ``formula`` what a model learns, and among ``people`` a
    journalist looks. Raises TableError for a column that the population lacks.
    """
    usual = GENERALIZATION if coding.ranged else SUPPRESSION
    coding = replace(coding, recoding=coding.recoding or usual)
    released, asked = checked.released, checked.requirement
    if (deletable := of_kind(asked, DeletedRows)) is not None:
        asked = deletable.inner  # of the rows that are there
    there = table = checked.beside(coding)
    if there is None:
        there = released
        if coding.recoding == PERMUTATION:
            there = released.with_roles(public_columns(released), released.sensitive)
    # Where nothing is asked, no line of the page tells this k.
    problem = Problem(there, asked or KAnonymity(2), coding=coding)
    if people is not None:
        expect_people(people, there)
    compared, given = table is not None, (weight, people, formula)
    figures = Figures.of_check(checked, problem, compared, *given)
    kept, holds = list[str](), checked.check.holds
    if asked is not None and holds:
        kept = promise(asked, there, problem.coding.recoding or SUPPRESSION)
    caption = "What the check found"
    return lay_out(
        figures,
        seen,
        title=f"Check of {title}",
        about=about(released.n, figures, asked),
        lead=" ".join((*kept, *beside(seen))),
        cost=None if figures.apart else _cost(checked, coding),
        checked=checked,
        tiles=_tiles(checked, figures),
        risk=risk_table(figures, asked, holds is True),
        findings=DataTable.of("findings", caption, "What|Found", found, sortable=False),
        check=command,
        original=checked.original is not None,
    )


def _cost(checked: Checked, coding: Coding) -> str:
    check, table, told = checked.check, checked.released, "No cell is hidden"
    if check.stars:
        hidden = percent(check.stars / (table.n * table.d))
        told = f"{hidden} of the cells are hidden"
    assert not isinstance(check, MaskCheck)
    if coding.ranged:
        told += f"; {percent(check.gcp)} of the detail is lost"
    return f"{told}."


def _tiles(checked: Checked, figures: Figures) -> list[tuple[str, str, str]]:
    check = checked.check
    assert isinstance(check, ReleaseCheck | NonHomogeneousCheck)
    alike = "rows of a group" if figures.apart else "rows that look alike"
    tiles = [("k", f"{check.k:,}", f"{alike}, at least")]
    if isinstance(check, ReleaseCheck):
        tiles.append(("Classes", f"{check.groups:,}", "of rows that look alike"))
    else:
        tiles = [("k", f"{check.k:,}", "plausible people for each row")]
    lost = share(check.gcp).text
    tiles.append(("Stars", f"{check.stars:,}", "hidden cells"))
    tiles.append(("Lost", lost, "of the information in the cells"))
    if figures.compared:
        tiles.append(("KL", f"{figures.fit.kl:.3f}", "nats from the original"))
    return tiles
