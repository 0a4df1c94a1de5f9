"""The report of a release that was just made by rules over combinations."""

from starmin.instances.releases.coding import GENERALIZATION
from starmin.outputs.summary import Summary
from starmin.report.page import title_of
from starmin.report.recheck import Question
from starmin.report.release.release_page import (
    command_lines,
    lead_lines,
    proof_lines,
)
from starmin.report.rule_page import rule_page
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.rules.mask_check import check_mask


def rules_of_release(summary: Summary, question: Question) -> str:
    """Write the page, as text of HTML.

    Parameters
    ----------
    summary
        Of a result that has a release.
    question
        What was asked.
    """
    problem, release = summary.problem, summary.release
    assert release is not None
    released, coding = release.tables()[""], problem.coding
    original, cells = problem.original, None
    if coding.recoding == GENERALIZATION or coding.told:
        cells = read_cells(released, coding, original)
    asked = problem.requirement, original, coding.star, cells, problem.table
    check = check_mask(released, *asked)
    return rule_page(
        check,
        released,
        problem.requirement,
        f"Release of {title_of(summary.origin.source)}",
        lead_lines(summary),
        proof_lines(summary),
        command_lines(summary, question),
    )
