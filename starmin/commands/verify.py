"""starmin verify: check a release, whoever made it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from starmin.inputs import option_groups, options
from starmin.inputs.declared import argument, of_objective, of_output, of_table, option
from starmin.inputs.hierarchy_options import CodedTable
from starmin.inputs.loading import files_of, load_release
from starmin.inputs.option_groups import ungrouped, with_groups
from starmin.inputs.recoding_options import read_loss
from starmin.inputs.solve_options import Check, OutputOptions, ReportPopulation
from starmin.inputs.spec import default_objective
from starmin.instances import STARS, Certificate, Coding, Objective, TableError
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION, SUPPRESSION
from starmin.instances.releases.coding import RecodingName as AnyRecoding
from starmin.instances.requirements.population import Population
from starmin.instances.runs.certificate import UnknownFormatError
from starmin.instances.runs.places import Places, places
from starmin.instances.scales.range_notation import RangeStyle
from starmin.instances.tables.names import counted
from starmin.outputs.check_lines import DEALT, REORDERED, check_lines, fit_lines
from starmin.outputs.original_checks import value_of
from starmin.outputs.recodings import CHECKS, Checked, Claim, public_columns
from starmin.process.faults import UNKNOWN
from starmin.process.say import answer_in, number_text, show_leaves
from starmin.process.steps import write_file
from starmin.recipes.by_recipe import TAKEN, by_recipe
from starmin.report.page import expect_page
from starmin.verify.certificates import certificate_check
from starmin.verify.releases.disclosure import NOTHING, Disclosure
from starmin.verify.releases.mask_check import MaskCheck

EXAMPLES = (
    "starmin verify hospital.l2.csv --l 2 --original instance:hospital",
    "starmin verify hospital.l2.csv --qi age,gender,education --k 2 --json",
)
# Of a settings file: costs are those of a proof; what is not published is in no
# release.
BESIDE = {
    "certificate": ("objective", "loss", "weights", "keep"),
    "original": ("drop",),
}

# Of the line on the page that checks again: what makes the page, and how it is shown.
_NOT_TOLD = (
    *("release", "report", "check", "report_population"),
    *("recipe", "as_json", "quiet"),
)

_claims = partial(option, panel="Claims")

RangeStyleName = Annotated[
    RangeStyle,
    of_table(
        "--range-style",
        "How ranges of --numeric columns are written: ours [35-45]; arx [15, 20[ "
        "or >=90; pandas (19.9, 29.0]; sdcmicro (15,20] or 20-29; auto: any of them, "
        "where it can be read in one way only.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """What the columns of a release are for, how it was made, and what is asked."""

    columns: option_groups.ColumnOptions
    star: options.Star = "*"
    asked: option_groups.RequirementOptions
    recoding: Annotated[
        AnyRecoding | None,
        of_table(
            "--recoding",
            "How it was published. [default: generalization if columns are --numeric "
            "or have a --hierarchy, else suppression]",
        ),
    ] = None
    ranges: option_groups.GeneralizationOptions

    def coding(self, release: str, original: str | None, style: RangeStyle) -> Coding:
        """Return how it is coded; its hierarchies are of values of the original."""

        def coded() -> CodedTable:
            roles, other = self.columns.roles, self.asked.columns
            released, source = load_release(release, original, roles, other)
            named = released.qi, released.sensitive
            if source is None or (source.qi, source.sensitive) != named:
                return CodedTable(released, released=True)
            return CodedTable(source)

        coding = self.ranges.coding(self.recoding, self.star, coded)
        return replace(coding, range_style=style)


@by_recipe(*TAKEN, beside=BESIDE)
@with_groups
def verify(
    release: Annotated[
        str, argument("RELEASE", f"A release: a file {options.READABLE}.")
    ],
    *,
    recipe: options.RecipeFile = None,
    made: ReleaseOptions,
    objective: Annotated[
        options.Kind | None,
        of_objective(
            "--objective",
            "Which loss the proof of --certificate has to be about. [default: as for "
            "solve if there are --weights or --keep, else whatever it says, which is "
            "told]",
        ),
    ] = None,
    costs: option_groups.CostOptions,
    original: Annotated[
        str | None,
        _claims(
            "TABLE", "The table it was made of: check that no published cell is false."
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        _claims(
            "--certificate FILE",
            "A proof of a lower bound on the original, to be checked.",
        ),
    ] = None,
    utility: Annotated[
        bool,
        _claims(
            "--utility",
            "Measure how far the release is from the original: divergence (kl).",
        ),
    ] = False,
    range_style: RangeStyleName = "auto",
    within: options.Within = None,
    batches: option_groups.BatchOptions,
    report: Annotated[
        Path | None,
        of_output(
            "FILE.html",
            "Where to write a page on the release: what holds, and, with the "
            "original, what it hides, risks and is worth; by rules: what is too rare.",
        ),
    ] = None,
    check: Check = None,
    report_population: ReportPopulation = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Check a release, whoever made it, from its cells alone.

    Says which k and l hold, which classes fail what is asked, and, with the
    original, whether the release tells the truth. A certificate proves a bound on
    one objective: --objective, --weights and --keep say which one it has to be. A
    settings file (--recipe) says all this as it said it to solve. Exit
    code 1: the answer is no; 3: all else is right, but the certificate is of a kind or
    format that cannot be checked here.
    """
    question = ungrouped(locals())  # what was asked, as the report tells it
    if certificate is not None and original is None:
        raise TableError("--certificate needs --original: the table it is about")
    if utility and original is None:
        raise TableError("--utility needs --original: the table it is compared with")
    columns, asked, recoding = made.columns, made.asked, made.recoding
    roles, coding = columns.roles, made.coding(release, original, range_style)
    if vars(costs)["loss"] is not None and certificate is None:
        raise TableError("--loss needs --certificate: the proof that has to be of it")
    goal = None
    if (objective, vars(costs)["weights"], vars(costs)["keep"]) != (None, None, None):
        if certificate is None and vars(asked)["delete_rows"] is None:
            raise TableError(
                "--objective, --weights and --keep need --certificate: the proof that "
                "has to be about them"
            )
        usual = default_objective(recoding, coding.ranged)
        goal = costs.objective(objective or usual)
    wanted = asked.on(coding)
    shown = OutputOptions(
        report=report, check=check, report_population=report_population
    )
    model, people = shown.formula, shown.people(roles)
    expect_page(report)
    claim = Claim(release, original, roles, wanted, coding, within)
    proof, source = None, files_of(release, batches.stream, roles, quiet)
    if within is not None and (
        source is not None or coding.recoding in (NONHOMOGENEOUS, PERMUTATION)
    ):
        raise TableError("--within: is for releases with classes, read as a whole")
    for name, whole in (("utility", utility), ("report", report)):
        if source is not None and whole:
            raise TableError(f"--{name}: needs tables that are read as a whole")
    with batches.budget() as budget:
        if source is None:
            checked = CHECKS[recoding or SUPPRESSION](claim)
        else:
            from starmin.outputs.streamed_output import check_in_batches

            checked = check_in_batches(claim, source, budget, quiet)
        if certificate is not None:
            with (
                show_leaves(quiet) as leaves,
                places(budget.executor, budget.workers) as where,
            ):
                told = checked, coding, goal, vars(costs)["loss"]
                proof = _prove(certificate, *told, leaves, where)
    found = checked.check
    fit = checked.utility(coding) if utility else None
    seen = NOTHING
    if coding.recoding != PERMUTATION:  # rows are published whole
        seen = Disclosure.of(checked.compared, checked.released, coding)
    holding, value = checked.requirement, None
    if holding is not None and holding.may_delete and found.consistent is not False:
        rows = checked.released, holding, checked.original
        value = value_of(*rows, goal or STARS, coding)
    files = [("tree", f"{column}: {path}") for column, path in coding.files.items()]
    order = DEALT if recoding == "permutation" else REORDERED
    truth = order.format(n=(checked.original or checked.released).n)
    lines = check_lines(found, proof, truth, ", ".join(_named(checked, coding)))
    if value is not None:
        lines.append(("value", f"{number_text(value)}, deleted rows counted"))
    lines = [*files, *lines, *seen.lines(), *fit_lines(fit)]
    if report is not None:
        given = question | {"weight": columns.weight, "check": model}
        page = _page(checked, coding, seen, lines, given, people)
        write_file(report, page.encode(errors="replace"))
    content = found.as_json() | {"qi": [*_named(checked, coding)]} | seen.as_json()
    content |= {"kl": fit and fit.kl} if utility else {}
    content |= {} if value is None else {"value": value}
    content |= {"certificate": proof.as_json()} if proof else {}
    answer_in(as_json, content, lines)
    fine = found.holds is not False and found.consistent is not False
    if not fine or (proof is not None and proof.accepted is False):
        return 1
    return UNKNOWN if proof is not None and proof.accepted is None else 0


def _page(
    checked: Checked,
    coding: Coding,
    seen: Disclosure,
    lines: Sequence[tuple[str, str]],
    given: Mapping[str, Any],
    people: Population | None,
) -> str:
    """Return the page on a check."""
    # It takes a second to import.
    from starmin.report.page import title_of
    from starmin.report.recheck import command_line
    from starmin.report.release.release_page import check_page
    from starmin.report.rule_page import rule_page

    found, requirement, title = checked.check, checked.requirement, given["release"]
    if isinstance(found, MaskCheck):
        assert requirement is not None
        lead = [
            "All rules hold."
            if found.holds
            else f"{counted(found.violations_total, 'combination')} should not be "
            "shown.",
            f"{counted(found.stars, 'cell')} are hidden.",
        ]
        title = f"Check of {title_of(title)}"
        said = {"title": title, "lead": " ".join(lead)}
        return rule_page(found, checked.released, requirement, **said)
    model = given["check"]
    if model is not None:
        model.expect(checked.released)
    line = command_line(verify, given, title, leave_out=_NOT_TOLD)
    told = lines, title_of(title), line, given["weight"], model, people
    return check_page(checked, coding, seen, *told)


def _named(checked: Checked, coding: Coding) -> tuple[str, ...]:
    """Return the quasi-identifiers that were named, or that are so by default."""
    released = checked.released
    return public_columns(released) if coding.recoding == PERMUTATION else released.qi


def _prove(
    path: Path,
    checked: Checked,
    coding: Coding,
    goal: Objective | None,
    loss: str | None,
    told: Callable[[int, int], None] | None,
    where: Places,
) -> certificate_check.CertificateCheck:
    """Return the verdict on a certificate of the original."""
    assert checked.original is not None
    try:
        certificate = Certificate.read(path)
    except UnknownFormatError as unknown:
        return certificate_check.CertificateCheck(None, None, str(unknown))
    measured, original = read_loss(loss) or "ncp", coding.floored(checked.original)
    scales = coding.scales(original, measured) if coding.told else None
    if goal is not None and goal.kind == "gcp":
        goal = replace(goal, scales=scales)
    if goal is not None:
        goal.check(original)
    return certificate_check.check_certificate(
        certificate,
        original,
        checked.requirement,
        goal,
        coding.recoding if coding.recoding == NONHOMOGENEOUS else SUPPRESSION,
        scales,
        told,
        where,
    )
