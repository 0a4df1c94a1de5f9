"""The reports of a release, just made or checked: what it hides, risks and is worth."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starmin.inputs.roles import Formula
from starmin.instances import Coding, KAnonymity, Limit, Problem, Status
from starmin.instances.releases.coding import GENERALIZATION, PERMUTATION, SUPPRESSION
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import of_kind
from starmin.outputs.claims import is_certified, whose_word
from starmin.outputs.recodings import Checked, public_columns
from starmin.outputs.summary import Summary
from starmin.report.audit_report import SECONDS, what_it_tells
from starmin.report.headline import beside, cost, percent, promise
from starmin.report.page import NONE, DataTable, share, title_of
from starmin.report.recheck import Question
from starmin.report.release.figures import Figures
from starmin.report.release.layout import about, lay_out, risk_table
from starmin.report.release.verdict import verdict
from starmin.report.rule_page import rule_page
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.disclosure import Disclosure
from starmin.verify.releases.mask_check import MaskCheck, check_mask
from starmin.verify.releases.release_check import ReleaseCheck
from starmin.verify.risk.candidates import expect_people


def release_page(
    summary: Summary, question: Question, people: Population | None = None
) -> str:
    """Write the page of a release, as text of HTML; a journalist looks among people."""
    problem, formula = summary.kept.problem, question.given.get("check")
    limit, seconds = question.seconds, SECONDS
    if limit is not None:  # the page belongs to the time of all
        seconds = min(SECONDS, 0.05 * limit)
    figures = Figures.of_release(summary, question.given.get("weight"), people)
    if formula:
        figures = replace(figures, formula=Formula.parse(formula))
    check, whole = figures.check, summary.problem
    holds = figures.matchings is not None if check is None else check.holds is True
    return lay_out(
        figures,
        summary.disclosure,
        about=about(whole.table.n, figures, whole.requirement),
        inferred=what_it_tells(problem, summary.published, seconds),
        tiles=_tiles(summary, figures.fit.kl),
        risk=risk_table(figures, problem.requirement, holds),
        **_of_both(summary, question),
    )


def _of_both(summary: Summary, question: Question) -> dict[str, Any]:
    """Return what is said of groups and of rules alike."""
    proof, proven = question.given["certificate"], summary.result.certificate
    return {
        "title": f"Release of {title_of(summary.origin.source)}",
        "lead": " ".join(lead_lines(summary)),
        "sheet": verdict(summary),
        "proof": _proof(summary),
        "question": question,
        "again": question.again(),
        "recheck": question.check(proof if proven else None),
        "repeats": question.repeats and summary.result.limit in (None, Limit.WORK),
    }


def lead_lines(summary: Summary) -> list[str]:
    """Say what the release promises, and what that costs."""
    problem, found = summary.problem, summary.result
    goal, recoding = problem.objective, problem.coding.recoding or SUPPRESSION
    whole = max(1, goal.whole(problem.table))
    least = None if found.lower_bound is None else found.lower_bound / whole
    told = promise(problem.requirement, problem.table, recoding)
    told += beside(summary.disclosure)
    exact = found.value == found.lower_bound
    told.append(cost(goal, recoding, (found.value or 0) / whole, least, exact))
    if problem.requirement.may_delete:
        told.append(
            f"Deleted: {summary.told_deleted}. That is part of the cost; all that "
            "follows is of the rows that are kept."
        )
    if found.status is Status.OPTIMAL and summary.claim != "optimal":
        told.append(f"This is {summary.claim}.")
    return told


def _tiles(summary: Summary, kl: float) -> list[tuple[str, str, str]]:
    found, release = summary.result, summary.release
    assert release is not None
    groups, alike = NONE, "none"
    if summary.groups is not None:
        groups, alike = f"{summary.groups:,}", "rows that look alike"
    if summary.classes != summary.groups:
        alike = f"in {summary.classes:,} classes of rows that look alike"
    bound = NONE
    if found.lower_bound is not None:
        bound = _shown(summary, found.lower_bound, least=True)
    unit = _unit(summary)
    stars = "" if unit == "stars" else f"; {release.stars:,} stars"
    where = f"in {release.suppressed_tuples:,} of {summary.problem.table.n:,} rows"
    if release.stars:
        unit += f"{stars}, {where}"
    return [
        ("Value", _shown(summary, found.value), unit),
        ("Lower bound", bound, found.bound_method or ""),
        ("Gap", share(found.gap).text, summary.claim),
        ("Groups", groups, alike),
        ("Lost", share(release.gcp).text, "of the information in the cells"),
        ("KL", f"{kl:.3f}", "nats from the original"),
    ]


def _proof(summary: Summary) -> dict[str, Any]:
    """Return what was found and what is proven, in the words of people."""
    found = summary.result
    bounds = {"bound": found.lower_bound, "part": found.certified_bound}
    return {
        **{name: _shown(summary, n, least=True) for name, n in bounds.items()},
        "summary": summary,
        "value": _shown(summary, found.value),
        "unit": _unit(summary),
        "word": whose_word(found),
        "certified": is_certified(found),
    }


def _unit(summary: Summary) -> str:
    goal = summary.problem.objective
    return "by the weights" if goal.weights else goal.declared.unit


def _shown(summary: Summary, value: int | None, least: bool = False) -> str:
    """Write a cost, or a bound that is rounded down, so that it stays one."""
    shown = summary.problem.shown(value)
    if shown is None:
        return "unknown"
    if not isinstance(shown, float):
        return f"{shown:,}"
    return f"{math.floor(shown * 1e6 + 1e-9) / 1e4 if least else 100 * shown:.4f} %"


def rules_of_release(summary: Summary, question: Question) -> str:
    """Write the page of a result that has a release, as text of HTML."""
    problem = summary.problem
    released, coding = summary.published, problem.coding
    original = problem.original
    cells = read_cells(released, coding, original) if coding.told else None
    asked = problem.requirement, original, coding.star, cells, problem.table
    check, said = check_mask(released, *asked), _of_both(summary, question)
    return rule_page(check, released, problem.requirement, **said)


# The report of a check, whoever made the release.


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
        cost=None if figures.apart else _cost_of_check(checked, coding),
        checked=checked,
        tiles=_tiles_of_check(checked, figures),
        risk=risk_table(figures, asked, holds is True),
        findings=DataTable.of("findings", caption, "What|Found", found, sortable=False),
        recheck=command,
        original=checked.original is not None,
    )


def _cost_of_check(checked: Checked, coding: Coding) -> str:
    check, table, told = checked.check, checked.released, "No cell is hidden"
    if check.stars:
        hidden = percent(check.stars / (table.n * table.d))
        told = f"{hidden} of the cells are hidden"
    assert not isinstance(check, MaskCheck)
    if coding.ranged:
        told += f"; {percent(check.gcp)} of the detail is lost"
    return f"{told}."


def _tiles_of_check(checked: Checked, figures: Figures) -> list[tuple[str, str, str]]:
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
