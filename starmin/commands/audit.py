"""starmin audit: what a release tells an attacker who knows how it was made."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from starmin.auditing import question_of
from starmin.commands.verify import RangeStyleName, ReleaseOptions
from starmin.inputs import options
from starmin.inputs.declared import argument, of_attacker, of_output
from starmin.inputs.option_groups import with_groups
from starmin.instances import TableError
from starmin.instances.releases.coding import GENERALIZATION, PERMUTATION, SUPPRESSION
from starmin.outputs.recodings import CHECKS, Claim
from starmin.process.say import answer_in
from starmin.process.steps import write_file
from starmin.recipes.by_recipe import TAKEN, by_recipe
from starmin.report.audit_report import Compared, audit_lines, audit_page
from starmin.report.page import expect_page
from starmin.verify.audit.audit_release import Knows, Model
from starmin.verify.audit.audit_release import audit as inferred
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.exact import BeyondError
from starmin.verify.releases.mask_check import MaskCheck

EXAMPLES = (
    "starmin audit hospital.l2.csv --l 2 --original instance:hospital",
    "starmin audit k5.csv k2.csv --original people.csv --model optimal --json",
)


# What is not published is in no release; nor is said there what it is within.
@by_recipe(*TAKEN, beside={"original": ("drop",), "within": ("within",)})
@with_groups
def audit(
    releases: Annotated[
        list[str],
        argument("RELEASE..", "A release, as published, or several of one table."),
    ],
    *,
    recipe: options.RecipeFile = None,
    made: ReleaseOptions,
    original: Annotated[
        str | None,
        of_attacker(
            "TABLE",
            "The table they were made of: what is inferred is compared with it.",
        ),
    ] = None,
    model: Annotated[
        Model,
        of_attacker(
            "--model",
            "How the release was made: optimal, no single move of a row would hide "
            "less; stages, whole columns were made coarser level by level until it "
            "was enough, as ARX does; or unknown.",
        ),
    ] = "unknown",
    knows: Annotated[
        Knows,
        of_attacker(
            "--knows",
            "What is known beside the release: nothing; qi, the quasi-identifiers of "
            "all people; classes, whose row is in which class, too.",
        ),
    ] = "nothing",
    range_style: RangeStyleName = "auto",
    time_limit: Annotated[
        float | None,
        of_attacker(
            "--time-limit SECONDS",
            "Of each inference; default: none. Minimality looks at as many classes as "
            "it can, others are not counted if they take longer.",
            min=0,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        of_output(
            "--report FILE.html",
            "Write what is told as a page, one sentence for each inference.",
        ),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Infer what a release tells an attacker who knows how it was made.

    Counts hidden cells of which more is known than is published, and people who are
    linked or whose sensitive value is guessed too well, by each kind of reasoning; with
    the original, what of this is false. Of several releases the first is audited by
    itself, and all are compared.

    The first line is what hidden cells give away, since cells are hidden only where
    rows differ; `ends` is what the ends of ranges give away, since they are values of
    people. A cell is narrowed if fewer values are left than it shows, and pinned if one
    is left, though not of which row. Sound given the model: true wherever the release
    was made as --model says; statistical: likely.
    """
    if knows != "nothing" and original is None:
        raise TableError("--knows needs --original: the table of what is known")
    expect_page(report)
    path, recoding = releases[0], made.recoding
    coding = made.coding(path, original, range_style)
    if recoding is None:
        way = GENERALIZATION if coding.told else SUPPRESSION
        coding = replace(coding, recoding=way)
    wanted = original, made.columns.roles, made.asked.on(coding), coding
    claims = [Claim(each, *wanted) for each in releases]
    checked = [CHECKS[recoding or SUPPRESSION](claim) for claim in claims]
    first = checked[0]
    check = first.check
    if isinstance(check, MaskCheck):
        raise TableError(f"{path}: rules over combinations are not audited")
    core = None if first.requirement is None else first.requirement.core
    try:
        found = inferred(
            [each.released for each in checked],
            {}
            if recoding == PERMUTATION
            else read_cells(first.released, coding, first.original),
            question_of(coding, core, check, model, knows),
            first.original,
            [each.compared for each in checked],
            options.or_endless(time_limit),
        )
    except BeyondError as error:
        raise TableError(f"{path}: {error}") from None
    if report is not None:
        compared: Compared = "row by row"
        if first.compared is None:
            compared = "no original" if original is None else "other rows"
        write_file(report, audit_page(found, path, model, knows, compared).encode())
    answer_in(as_json, found.as_json(), audit_lines(found))
    return 0
