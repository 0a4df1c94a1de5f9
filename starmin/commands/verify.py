"""starmin verify: check a release, whoever made it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from starmin.commands.counting import counting
from starmin.inputs import options
from starmin.inputs.hierarchy_options import CodedTable
from starmin.inputs.loading import load_release
from starmin.inputs.option_groups import (
    BatchOptions,
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
    with_groups,
)
from starmin.inputs.recoding_options import read_loss
from starmin.inputs.roles import Roles
from starmin.inputs.streamed_input import files_of
from starmin.instances import (
    Certificate,
    Coding,
    Objective,
    TableError,
    check_writable,
    write_atomically,
)
from starmin.instances.extras import expect_extra
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION, SUPPRESSION
from starmin.instances.releases.coding import RecodingName as AnyRecoding
from starmin.instances.requirements.requirements import measures
from starmin.instances.runs.certificate import UnknownFormatError
from starmin.instances.runs.places import Places, places
from starmin.instances.scales.range_notation import RangeStyle
from starmin.instances.tables.plural import counted
from starmin.outputs.check_streams import check_in_batches
from starmin.outputs.recodings import RECODINGS, Checked, Claim, public_columns
from starmin.outputs.summary import show_lines
from starmin.process.display import show_leaves
from starmin.process.exit_codes import UNKNOWN
from starmin.process.say import answer
from starmin.recipes.by_recipe import by_recipe
from starmin.verify.certificates.certificate_check import (
    CertificateCheck,
    check_certificate,
)
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.disclosure import NOTHING, Disclosure
from starmin.verify.releases.release_check import ReleaseCheck
from starmin.verify.rules.mask_check import MaskCheck, RuleCheck
from starmin.verify.utility import Fit

EXAMPLES = (
    "starmin verify hospital.l2.csv --l 2 --original instance:hospital",
    "starmin verify hospital.l2.csv --qi age,gender,education --k 2 --json",
)
# Of a settings file, beside what it says of columns. Costs are those of a proof; what
# is not published is in no release.
TAKEN = "table", "requirement", "objective"
BESIDE = {
    "certificate": ("objective", "loss", "weights", "keep"),
    "original": ("drop",),
}

ReleaseArg = Annotated[
    str,
    typer.Argument(
        metavar="RELEASE",
        help="A file .csv, .csv.gz or .parquet.",
        show_default=False,
    ),
]
Original = Annotated[
    str | None,
    typer.Option(
        metavar="TABLE",
        help="The table it was made of: does every cell stand for the original's?",
        rich_help_panel="Claims",
    ),
]
RecodingName = Annotated[
    AnyRecoding | None,
    typer.Option(
        "--recoding",
        help="How it was published. [default: generalization if columns are --numeric "
        "or have a --hierarchy, else suppression]",
        rich_help_panel="Table",
    ),
]
CertificateIn = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="A proof of a lower bound on the original, to be checked.",
        rich_help_panel="Claims",
    ),
]
ObjectiveKind = Annotated[
    options.Kind | None,
    typer.Option(
        "--objective",
        help="What --certificate must be a bound on. [default: stars if there are "
        "--weights or --keep, else whatever it says, which is told]",
        rich_help_panel="Objective",
    ),
]
Utility = Annotated[
    bool,
    typer.Option(
        "--utility",
        help="Measure how far the release is from the original: divergence (kl).",
        rich_help_panel="Claims",
    ),
]

Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="Where to write a page on a release by rules over combinations: what is "
        "hidden, too rare, and counted by others.",
        rich_help_panel="Output",
    ),
]
RangeStyleName = Annotated[
    RangeStyle,
    typer.Option(
        "--range-style",
        help="How ranges of --numeric columns are written: ours [35-45]; arx [15, 20[ "
        "or >=90; pandas (19.9, 29.0]; sdcmicro (15,20] or 20-29; auto: any of them, "
        "where it can be read in one way only.",
        rich_help_panel="Table",
    ),
]

_ORDER = "the order differs, so rows cannot be compared; "
_REORDERED = (
    _ORDER + "each released row can stand for an original row of its own, of {n:,}"
)
_DEALT = (
    _ORDER + "as multisets, the quasi-identifiers and the sensitive values are those "
    "of the original"
)


@by_recipe(*TAKEN, beside=BESIDE)
@with_groups
def verify(
    release: ReleaseArg,
    *,
    recipe: options.RecipeFile = None,
    columns: ColumnOptions,
    star: options.Star = "*",
    asked: RequirementOptions,
    recoding: RecodingName = None,
    ranges: GeneralizationOptions,
    objective: ObjectiveKind = None,
    costs: CostOptions,
    original: Original = None,
    certificate: CertificateIn = None,
    utility: Utility = False,
    range_style: RangeStyleName = "auto",
    within: options.Within = None,
    batches: BatchOptions,
    report: Report = None,
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
    if certificate is not None and original is None:
        raise TableError("--certificate needs --original: the table it is about")
    if utility and original is None:
        raise TableError("--utility needs --original: the table it is compared with")
    roles = columns.roles
    coding = ranges.coding(
        recoding, star, lambda: _coded_table(release, original, roles, asked.columns)
    )
    coding = replace(coding, range_style=range_style)
    if costs.loss is not None and certificate is None:
        raise TableError("--loss needs --certificate: the proof that has to be of it")
    goal = None
    if (objective, costs.weights, costs.keep) != (None, None, None):
        if certificate is None:
            raise TableError(
                "--objective, --weights and --keep need --certificate: the proof that "
                "has to be about them"
            )
        goal = costs.objective(objective or "stars")
    wanted = asked.on(coding)
    if report is not None:
        expect_extra("report", "--report")
        check_writable(report)
    claim = Claim(release, original, roles, wanted, coding, within)
    proof, source = None, files_of(release, batches.stream, roles, quiet)
    if within is not None and (
        source is not None or coding.recoding in (NONHOMOGENEOUS, PERMUTATION)
    ):
        raise TableError("--within: is for releases with classes, read as a whole")
    if source is not None and utility:
        raise TableError("--utility: needs tables that are read as a whole")
    with counting(batches) as budget:
        if source is None:
            checked = RECODINGS[recoding or SUPPRESSION].check(claim)
        else:
            checked = check_in_batches(claim, source, budget, quiet)
        if certificate is not None:
            with (
                show_leaves(quiet) as told,
                places(budget.executor, budget.workers) as where,
            ):
                proof = _prove(
                    certificate, checked, coding, goal, costs.loss, told, where
                )
    check = checked.check
    if report is not None:
        _report(report, release, checked)
    fit = checked.utility(coding) if utility else None
    seen = _disclosed(checked, coding)
    if as_json:
        content = (
            check.as_json() | {"qi": list(_named(checked, coding))} | seen.as_json()
        )
        content |= {"kl": fit and fit.kl} if utility else {}
        answer(
            json.dumps(content | ({"certificate": proof.as_json()} if proof else {}))
        )
    else:
        files = [("tree", f"{column}: {path}") for column, path in coding.files.items()]
        order = _DEALT if recoding == "permutation" else _REORDERED
        truth = order.format(n=(checked.original or checked.released).n)
        lines = _lines(check, proof, truth, ", ".join(_named(checked, coding)))
        show_lines([*files, *lines, *seen.lines(), *_fit_lines(fit)])
    fine = check.holds is not False and check.consistent is not False
    if not fine or (proof is not None and proof.accepted is False):
        return 1
    return UNKNOWN if proof is not None and proof.accepted is None else 0


def _report(path: Path, source: str, checked: Checked) -> None:
    """Write the page on a release by rules over combinations."""
    # It takes a second to import.
    from starmin.report.page import title_of
    from starmin.report.rule_page import rule_page

    check, requirement = checked.check, checked.requirement
    if not isinstance(check, MaskCheck) or requirement is None:
        raise TableError("--report: is of releases by rules over combinations")
    lead = [
        "All rules hold."
        if check.holds
        else f"{counted(check.violations_total, 'combination')} should not be shown.",
        f"{counted(check.stars, 'cell')} are hidden.",
    ]
    title = f"Check of {title_of(source)}"
    page = rule_page(check, checked.released, requirement, title, lead)
    with write_atomically(path) as file:
        file.write(page.encode(errors="replace"))


def _named(checked: Checked, coding: Coding) -> tuple[str, ...]:
    """Return the quasi-identifiers that were named, or that are so by default."""
    released = checked.released
    return public_columns(released) if coding.recoding == PERMUTATION else released.qi


def _disclosed(checked: Checked, coding: Coding) -> Disclosure:
    """Return what is told beyond them, if rows are published whole."""
    if coding.recoding == PERMUTATION:
        return NOTHING
    return Disclosure.of(checked.compared, checked.released, *coding.ends)


def _coded_table(
    release: str, original: str | None, roles: Roles, other: tuple[str, ...]
) -> CodedTable:
    """Return the table whose columns may have a hierarchy, with their values."""
    released, source = load_release(release, original, roles, other)
    if source is None or (source.qi, source.sensitive) != (
        released.qi,
        released.sensitive,
    ):
        return CodedTable(released, released=True)
    return CodedTable(source)


def _prove(
    path: Path,
    checked: Checked,
    coding: Coding,
    goal: Objective | None,
    loss: str | None,
    told: Callable[[int, int], None] | None,
    where: Places,
) -> CertificateCheck:
    """Return the verdict on a certificate of the original."""
    assert checked.original is not None
    try:
        certificate = Certificate.read(path)
    except UnknownFormatError as unknown:
        return CertificateCheck(None, None, str(unknown))
    measured, original = read_loss(loss) or "ncp", coding.floored(checked.original)
    scales = coding.scales(original, measured) if coding.told else None
    if goal is not None and goal.kind == "gcp":
        goal = replace(goal, scales=scales)
    if goal is not None:
        goal.check(original)
    return check_certificate(
        certificate,
        original,
        checked.requirement,
        goal,
        coding.recoding if coding.recoding == NONHOMOGENEOUS else SUPPRESSION,
        scales,
        told,
        where,
    )


def _lines(
    check: ReleaseCheck | NonHomogeneousCheck | MaskCheck,
    proof: CertificateCheck | None,
    reordered: str,
    columns: str,
) -> list[tuple[str, str]]:
    """Write what was found for people, and what to say where the order differs."""
    claims = _claim_lines(check, proof, reordered)
    if isinstance(check, NonHomogeneousCheck):
        return _matched_lines(check, columns) + claims
    if isinstance(check, MaskCheck):
        return _mask_lines(check, columns) + claims
    failing = counted(check.violations_total, "class", "classes")
    lines = _held_lines(check.holds, f"no: {failing}", columns)
    lines.append(("k", f"{check.k} in {counted(check.groups, 'class', 'classes')}"))
    lines += _measured_lines(check)
    lines.append(("hidden", counted(check.stars, "cell")))
    lines.append(
        (
            "lost",
            f"{check.gcp:.2%} of the information (granularity {check.granularity:.4f})",
        )
    )
    lines += [("fails", _place(v.rows, v.why)) for v in check.violations]
    return lines + claims


def _measured_lines(check: ReleaseCheck) -> list[tuple[str, str]]:
    """Return what was measured beside the size of classes, by line."""
    lines: dict[str, list[str]] = {}
    for measure in measures():
        value = check.measures[measure.key]
        if value is not None and measure.key != "k":
            lines.setdefault(measure.line, []).append(measure.words.format(value))
    return [(line, ", ".join(words)) for line, words in lines.items()]


def _held_lines(holds: bool | None, no: str, columns: str) -> list[tuple[str, str]]:
    """Return whether what was asked holds, by which columns; nothing if nothing was."""
    return [] if holds is None else [("holds", f"yes, by {columns}" if holds else no)]


def _mask_lines(check: MaskCheck, columns: str) -> list[tuple[str, str]]:
    """Return what was found of rules over combinations, the rarest things in full."""
    content = check.as_json()
    failing = counted(check.violations_total, "rare combination")
    lines = [
        *_held_lines(check.holds, f"no: {failing}", columns),
        ("rules", counted(len(check.rules), "set of columns", "sets of columns")),
        *[("broken", _rule(rule)) for rule in check.rules if rule.rare],
        ("hidden", counted(check.stars, "cell")),
        *([("others", found)] if (found := _others(check)) else []),
    ]
    fails = [(each["rows"], each["why"]) for each in content["violations"]]
    return [*lines, *[("fails", _place(tuple(rows), why)) for rows, why in fails]]


def _others(check: MaskCheck) -> str:
    """Say what other tools would count, rules taken together."""
    words = {
        "mu_argus": "mu-Argus",
        "sdcmicro_alpha_1": "sdcMicro (alpha 1)",
        "sdcmicro_alpha_0": "sdcMicro (alpha 0)",
        "k_anonymity": "k-anonymity of each set",
        "persons": "persons with fewer than k compatible rows",
    }
    found = [
        f"{word} {count:,}"
        for key, word in words.items()
        if (count := check.others(key)) is not None
    ]
    if not found:
        return ""
    return f"rows that would count as violating a rule, summed: {', '.join(found)}"


def _rule(rule: RuleCheck) -> str:
    """Say of a broken rule what is too rare."""
    return (
        f"{' + '.join(rule.columns)}, k = {rule.k}: {rule.rare:,} of "
        f"{counted(rule.items, 'combination')} in {counted(rule.rare_rows, 'row')}, "
        f"the rarest {rule.least}"
    )


def _matched_lines(check: NonHomogeneousCheck, columns: str) -> list[tuple[str, str]]:
    weaker = check.weaker
    lines = [
        *_held_lines(check.holds, "no", columns),
        ("k", counted(check.k, "matching", "perfect matchings without a common pair")),
        (
            "weaker",
            f"(1,k): {weaker.one_k}; (k,1): {weaker.k_one}; (k,k): {weaker.k_k}; "
            f"global (1,k): {weaker.global_one_k}",
        ),
        ("hidden", counted(check.stars, "cell")),
        ("lost", f"{check.gcp:.2%} of the information"),
    ]
    return lines if check.why is None else [*lines, ("fails", check.why)]


def _claim_lines(
    check: ReleaseCheck | NonHomogeneousCheck | MaskCheck,
    proof: CertificateCheck | None,
    reordered: str,
) -> list[tuple[str, str]]:
    lines = []
    missing = _missing(check)
    if check.reordered:
        lines.append(("cells", reordered + missing))
    elif check.inconsistencies is not None:
        agrees = f"as in the original{missing}"
        lines.append(("cells", "differ" if check.inconsistencies else agrees))
        lines += [("differs", _place(i.rows, i.why)) for i in check.inconsistencies]
    if proof is not None:
        lines.append(("proof", _verdict(proof)))
    return lines


def _missing(check: ReleaseCheck | NonHomogeneousCheck | MaskCheck) -> str:
    """Say how many rows are missing, if some are."""
    missing = check.missing_rows if isinstance(check, ReleaseCheck) else 0
    if not missing:
        return ""
    return (
        f"; {counted(missing, 'row')} of it {'is' if missing == 1 else 'are'} missing"
    )


def _verdict(proof: CertificateCheck) -> str:
    if proof.accepted is None:
        return f"cannot be checked here: {proof.why}"
    if not proof.accepted:
        return f"refused: {proof.why}"
    return f"accepted: at least {_proven(proof)}"


def _proven(proof: CertificateCheck) -> str:
    """Return what no release costs less than, to be read by people."""
    if proof.share is None:
        return f"{proof.bound:,} {proof.objective} by suppression"
    return f"a loss of {proof.share:.2%} of the cells, objective {proof.objective}"


def _fit_lines(fit: Fit | None) -> list[tuple[str, str]]:
    if fit is None:
        return []
    sampled = "" if fit.asked == fit.cells else f", by {fit.asked:,} of them"
    return [
        ("kl", f"{fit.kl:.4f} nats from the original's {fit.cells:,} cells{sampled}")
    ]


def _place(rows: tuple[int, ...], why: str) -> str:
    if not rows:
        return why
    some = "row" if len(rows) == 1 else "rows"
    return f"{some} {', '.join(map(str, rows))}: {why}"
