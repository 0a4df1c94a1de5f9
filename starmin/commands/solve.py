"""starmin solve: anonymize a table."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from starmin.commands.counting import counting
from starmin.defences.defences import Defences
from starmin.driver import Driver
from starmin.inputs import options
from starmin.inputs.defence_options import DefenceOptions
from starmin.inputs.earlier_releases import FirstRows
from starmin.inputs.first_options import first
from starmin.inputs.initial import read_initial
from starmin.inputs.nested_input import nested_problem, read_within
from starmin.inputs.notices import (
    tell_form,
    tell_rounding,
    warn_disclosure,
    warn_earlier_releases,
)
from starmin.inputs.objective_options import (
    check_symbol,
)
from starmin.inputs.option_groups import (
    BatchOptions,
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
    ungrouped,
    with_groups,
)
from starmin.inputs.recoding_options import expect_plain
from starmin.inputs.spec import Spec
from starmin.instances import Control, Limit, TableError
from starmin.instances.releases.coding import RecodingName as AnyRecoding
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.cores import limited_to
from starmin.outputs.as_published import as_published
from starmin.outputs.files import Outputs, row_order
from starmin.outputs.recodings import RECODINGS, companions
from starmin.outputs.streamed_output import expect_batches, publish_in_batches
from starmin.outputs.summary import Summary
from starmin.outputs.trajectory import Trajectory
from starmin.process import clock
from starmin.process.exit_codes import BUG
from starmin.process.say import say

FIRST = (
    *("qi", "sensitive", "drop", "k", "l", "recoding"),
    *("time_limit", "out", "certificate", "report"),
)
EXAMPLES = (
    "starmin solve instance:hospital --l 2 --out hospital.l2.csv",
    "starmin solve instance:murakami-uno --k 2 --json",
    "starmin solve instance:hospital --l 2 --report hospital.l2.html",
    "starmin solve instance:murakami-uno --k 2 --recoding generalization",
    "starmin solve instance:murakami-uno --k 2 --recoding nonhomogeneous",
)

Initial = Annotated[
    Path | None,
    typer.Option(
        metavar="RELEASE",
        help="A release of the table to start from.",
        rich_help_panel="Run",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="RELEASE",
        help="Where to write the release: .csv, .csv.gz or .parquet.",
        rich_help_panel="Output",
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where to write the group of each row.",
        rich_help_panel="Output",
    ),
]
RecodingName = Annotated[
    AnyRecoding,
    typer.Option(
        "--recoding",
        help="What is published of a group: stars; ranges and nodes of taxonomies; or "
        "its cells as they are, and its sensitive values in RELEASE.sa.csv.",
        rich_help_panel="Objective",
    ),
]
ObjectiveKind = Annotated[
    options.Kind | None,
    typer.Option(
        "--objective",
        help=f"{options.MINIMISE} [default: gcp for generalization, else stars]",
        rich_help_panel="Objective",
    ),
]
ResultOut = Annotated[
    Path | None,
    typer.Option(
        "--result",
        metavar="FILE",
        help="Where to write the JSON object of --json.",
        rich_help_panel="Output",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="Where to write a page on the release: what it hides, risks and is worth.",
        rich_help_panel="Output",
    ),
]
Shuffle = Annotated[
    bool,
    typer.Option(
        "--shuffle",
        help="Publish the rows in random order, which nobody can draw again.",
        rich_help_panel="Output",
    ),
]
ShuffleSeed = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**31 - 1,
        help="Of whatever is drawn to hide people: the orders of --shuffle and of "
        "RELEASE.sa.csv, the groups of anatomy. For tests alone: who knows the seed "
        "undoes the order. [default: the system's entropy]",
        rich_help_panel="Output",
        show_default=False,
    ),
]
Export = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where assignment_mip writes its model: .lp or .mps.",
        rich_help_panel="Output",
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where blocks keeps finished blocks, and near_pattern_annealing its "
        "release and prices; a run that was killed goes on from there.",
        rich_help_panel="Run",
    ),
]
BlockSize = Annotated[
    int | None,
    typer.Option(
        metavar="ROWS",
        min=2,
        help="Rows of a block of the method blocks. [default: 100000]",
        rich_help_panel="Run",
    ),
]
Suppress = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        min=0,
        max=1,
        help="How many of the rows the method full_domain may suppress. [default: 1]",
        rich_help_panel="Run",
    ),
]
Solver = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The solver of assignment_mip.",
        rich_help_panel="Run",
    ),
]


@first(*FIRST)
@with_groups
def solve(
    table: options.TableArg,
    *,
    columns: ColumnOptions,
    star: options.Star = "*",
    asked: RequirementOptions,
    recoding: RecodingName = "suppression",
    ranges: GeneralizationOptions,
    objective: ObjectiveKind = None,
    costs: CostOptions,
    defences: DefenceOptions,
    method: options.MethodName = "auto",
    time_limit: options.TimeLimit = None,
    gap: options.Gap = None,
    patience: options.Patience = None,
    seed: options.Seed = None,
    workers: options.Workers = None,
    initial: Initial = None,
    within: options.Within = None,
    solver: Solver = None,
    suppress: Suppress = None,
    checkpoint: Checkpoint = None,
    block_size: BlockSize = None,
    batches: BatchOptions,
    out: Out = None,
    groups: Groups = None,
    shuffle: Shuffle = False,
    shuffle_seed: ShuffleSeed = None,
    certificate: options.CertificateOut = None,
    result: ResultOut = None,
    report: Report = None,
    export: Export = None,
    trajectory: options.TrajectoryOut = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Anonymize a table with the fewest stars.

    Rows are put into groups that satisfy the requirement; where the rows of a group
    differ, a star is published, or a range or node that covers them (generalization);
    or else cells stay, and sensitive values are published by group (permutation). Or
    each row has stars of its own, such that there are k perfect matchings without a
    common pair between the rows of the table and the released ones: k equally plausible
    people for each row (nonhomogeneous, k alone). Says how many stars that takes, or
    what loss, and how little any release needs at least.
    """
    question = ungrouped(locals())  # what was asked, as the report tells it
    hidden = Defences.stated(defences, question["l"], shuffle_seed)
    posed = Spec.of(table, question | {"l": hidden.solved})
    read = posed.input(batches.stream, quiet)
    named, roles, files, coding = read.named, read.roles, read.files, read.coding
    beside = companions(coding, out)
    files_out = out, groups, certificate, result, export, report, trajectory
    outputs, seen = Outputs(*files_out, beside), Trajectory()
    if files is not None:
        expect_batches(outputs, recoding, initial=initial, within=within)
    sources = [table, *[str(each) for each in (initial, within) if each is not None]]
    outputs.check(*sources, in_batches=files is not None)
    check_symbol(star)
    cores = None if batches.dask else workers
    with limited_to(cores), counting(batches) as budget:
        problem, origin = read.open(budget)
    roles, files = replace(roles, beside=origin.beside), origin.files
    RECODINGS[recoding].expect(problem.table, coding)
    if within is not None:
        earlier = read_within(within, problem.table, named)
        problem = nested_problem(problem, earlier)
    hidden.expect(problem)
    if problem.rowwise and problem.objective.kind != "gcp":
        expect_plain(coding, problem.table)
    if groups is not None and problem.rowwise:
        raise TableError("--groups: a non-homogeneous release has no groups")
    if problem.requirement.space == MASK:
        for option, file in (("groups", groups), ("report", report)):
            if file is not None:
                raise TableError(
                    f"--{option}: a release by rules over combinations has none"
                )
    given: dict[str, Any] = {
        "seed": seed,
        "shuffle_seed": shuffle_seed,
        "workers": workers,
        "solver": solver,
        "suppress": suppress,
        "export": export,
        "checkpoint": checkpoint,
        "block_size": block_size,
    }
    if checkpoint is not None and checkpoint.exists() and not checkpoint.is_dir():
        raise TableError(f"--checkpoint: {checkpoint} is not a folder")
    if initial is not None:
        given["initial"] = read_initial(initial, problem, named)
    listeners = () if trajectory is None else (seen,)
    control = Control(listeners, gap, options.or_endless(patience))
    limits = method, time_limit, control
    with Driver(*limits, clock=clock.PROCESS, quiet=quiet) as driver:
        steps, summary = driver.steps, None
        cells = origin.cells(problem.table) * (1 if report is None else 2)
        with counting(batches) as budget:
            if budget.executor is not None and files is not None:
                given |= {"executor": budget.executor, "workers": budget.workers}
            found = driver.solve(problem, given, cells, hidden)
        outputs.write_trajectory(seen, found, problem, steps)
        with steps.step("the release"):
            published = as_published(problem, found)
            summary = Summary.of(problem, origin, published, out, shuffle_seed)
        if summary is None:
            outputs.save_groups(getattr(found.best, "groups", None), steps)
            return BUG
        if summary.release is not None:
            if files is None:
                order = row_order(problem.table.n, shuffle, shuffle_seed)
                saved = outputs.publish(summary.release, order, roles, steps)
            else:
                given_so = problem, files, found, outputs, roles, shuffle, shuffle_seed
                with limited_to(cores), counting(batches) as budget:
                    saved = publish_in_batches(*given_so, budget, steps)
            summary = replace(summary, out=saved)
            with steps.step("warnings"):
                warn_disclosure(summary.disclosure)
                if saved is not None and not shuffle:
                    if files is None:
                        both = problem.public, summary.published
                        first_rows = partial(FirstRows.of_table, *both)
                    else:
                        read_so = files, problem.table, roles
                        first_rows = partial(FirstRows.of_source, *read_so)
                    warn_earlier_releases(saved, first_rows, roles, within)
        with steps.step("warnings"):
            if found.limit is Limit.MEMORY:
                say(
                    "warning: memory ran short; this is the best release found until "
                    "then"
                )
            for line in driver.cautions(problem, given):
                say(f"warning: {line}")
            tell_rounding(problem.objective)
            tell_form(table, named, roles.form, quiet)
        if summary.release is not None:
            if certificate is not None:
                with steps.step("certificate"):
                    found = driver.certify(problem, found)
                    summary = summary.of_result(as_published(problem, found))
            outputs.certify(summary.result.certificate, steps)
            outputs.write_result(summary.as_json, steps)
            question["out"] = summary.out
            outputs.write_report(lambda: _page(summary, question), steps)
        with steps.step("the summary", passing=(OSError,)):
            summary.show(steps.wrote, as_json)
    return driver.code(no=found.reason is not None)


def _page(summary: Summary, question: dict[str, Any]) -> str:
    # They take a second to import.
    from starmin.commands.verify import verify
    from starmin.report.recheck import Question
    from starmin.report.release.release_page import release_page

    return release_page(summary, Question(solve, verify, question))
