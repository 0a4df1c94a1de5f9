"""starmin frontier: what more privacy costs."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from starmin.auto.dispatch import AUTO
from starmin.commands.verify import verify
from starmin.driver import Driver
from starmin.frontiers.frontier_files import FrontierFiles
from starmin.frontiers.frontier_outcome import HEADER, Frontier, FrontierPoint
from starmin.frontiers.frontier_search import Point, points_of, search_frontier
from starmin.gaps.job import whole_list
from starmin.inputs import option_groups, options
from starmin.inputs.declared import Listed, of_output, of_run, option
from starmin.inputs.loading import Origin
from starmin.inputs.notices import tell_form, warn_disclosure
from starmin.inputs.option_groups import ungrouped, with_groups
from starmin.inputs.recoding_options import check_symbol
from starmin.inputs.solve_options import ObjectiveKind, RecodingName, Shuffle
from starmin.inputs.spec import Spec
from starmin.instances import Control, Result, TableError
from starmin.instances.runs.progress import savable
from starmin.outputs.claims import as_published
from starmin.outputs.files import Outputs
from starmin.outputs.recodings import expect_publishable
from starmin.outputs.summary import Summary
from starmin.process import clock
from starmin.process.clock import DEFAULT_HELP
from starmin.process.say import (
    Form,
    answer,
    number_text,
    say,
    show_lines,
    show_table,
    tell_json,
)
from starmin.process.steps import Steps
from starmin.recipes.by_recipe import TAKEN, by_recipe, expect_named
from starmin.report.page import NONE
from starmin.report.recheck import Question

EXAMPLES = (
    "starmin frontier instance:mortgages --k 2,3,5,10",
    "starmin frontier instance:hospital --l 2,3 --out frontier",
)


@by_recipe(*TAKEN)
@with_groups
def frontier(
    table: options.TableArg,
    *,
    recipe: options.RecipeFile = None,
    columns: option_groups.ColumnOptions,
    star: options.Star = "*",
    k: Annotated[
        str | None, option("--k 2,5,..", "Values of k.", "Requirements"), Listed()
    ] = None,
    l: Annotated[
        str | None, option("--l 2,4,..", "Values of l.", "Requirements"), Listed()
    ] = None,
    diverse: option_groups.DiversityOptions,
    recoding: RecodingName = "suppression",
    ranges: option_groups.GeneralizationOptions,
    objective: ObjectiveKind = None,
    costs: option_groups.CostOptions,
    method: options.MethodName = AUTO,
    time_limit: Annotated[
        float | None,
        of_run(
            "SECONDS",
            "Seconds for the whole command, all requirements together; " + DEFAULT_HELP,
            min=0,
        ),
    ] = None,
    gap: options.Gap = None,
    patience: options.Patience = None,
    seed: options.Seed = None,
    workers: options.Workers = None,
    out: Annotated[
        Path | None,
        of_output(
            "DIR",
            "Folder of report.html, frontier.svg, frontier.csv and frontier.json, and "
            "for each requirement of the release and its certificate.",
        ),
    ] = None,
    shuffle: Shuffle = False,
    progress: options.ProgressForm = "lines",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Show what more privacy costs: loss and proven bound for each requirement.

    Each value of k is combined with each value of l, and all share one time limit; each
    search begins with what the others found. With --out each release and its
    certificate are written, too, so that the requirement can be chosen afterwards.
    Publish one of them alone: two with rows in the same order show what either hides.
    --shuffle writes each in an order of its own.
    """
    question = ungrouped(locals())  # what was asked, as the page tells it
    check_symbol(star)
    ks = whole_list(k, "--k", least=1)
    ls = whole_list(l, "--l", least=1)
    if not (ks or ls):
        raise TableError("nothing is required; name --k or --l")
    most = {"k": max(ks, default=None), "l": max(ls, default=None)}
    read = Spec.of(table, question | most).input(quiet=quiet)
    problem, origin = read.open()
    if recipe is not None:
        expect_named(problem.table, recipe, read.roles.aside)
    roles = replace(read.roles, beside=origin.beside)
    expect_publishable(problem)
    points = points_of(problem, ks, ls, read.asked)
    files = None if out is None else FrontierFiles.make(out, roles, shuffle)
    given = {"seed": seed}
    control = Control((), gap, options.or_endless(patience))
    driver = Driver(method, time_limit, control, clock=clock.PROCESS, quiet=quiet)
    passes = 1 if files is None else len(points)  # counting and writing take time
    end = clock.elapsed() + driver.left(passes * problem.table.codes.size)
    with driver:
        steps = driver.steps

        def tell(point: Point, result: Result[Any]) -> None:
            with steps.step("progress"):
                _tell(point, result, quiet, progress)

        found = search_frontier(
            points,
            method,
            lambda: max(0.0, end - clock.elapsed()),
            given,
            workers=workers,
            control=driver.control,
            told=tell,
            failed=lambda point, error: steps.fail(f"{point.words}: {error}"),
        )
        driver.interrupts.defer()
        outcome = _outcome(found, origin, files, steps)
        with steps.step("warnings"):
            if files is not None:
                warn_disclosure(outcome.disclosure)
                if not shuffle and (line := outcome.order()):
                    say(f"warning: {line}")
            for line in driver.cautions(problem, given):
                say(f"warning: {line}")
            tell_form(table, read.named, roles.form, quiet)
        if files is not None:
            outcome = _certified(outcome, found, driver)
            checks: list[tuple[str, str]] = []
            with steps.step("report"):
                checks = _checks(outcome, files, question)
            files.write(outcome, checks, steps)
        if outcome.points:
            with steps.step("the summary", passing=(OSError,)):
                if as_json:
                    answer(json.dumps(outcome.as_json()))
                else:
                    show_table(HEADER, [each.cells() for each in outcome.points])
                    made = [each for each in steps.wrote if each[0] == "report"]
                    made = made or steps.wrote[-1:]
                    show_lines([("wrote", f"{what}: {path}") for what, path in made])
    return driver.code(no=all(each.summary.result.reason for each in outcome.points))


def _tell(point: Point, result: Result[Any], quiet: bool, form: Form) -> None:
    """Print a line on a point that is done."""
    result, shown = as_published(point.problem, result), point.problem.shown
    if form == "json":
        tell_json(
            {
                "seconds": round(clock.elapsed(), 3),
                "k": point.k,
                "l": point.l,
                "value": shown(result.value),
                "bound": shown(result.lower_bound),
                "gap": result.gap,
                "method": result.bound_method,
                "reason": result.reason,
            }
        )
        return
    if quiet:
        return
    if result.reason is not None:
        say(f"{point.words}: {result.reason}")
        return
    both = result.value, result.lower_bound
    value, bound = (number_text(shown(each), NONE) for each in both)
    say(
        f"{point.words}: {value} {point.problem.objective.kind}, no release below "
        f"{bound} (savable {savable(*both)}, {clock.elapsed():.1f} s)"
    )


def _outcome(
    found: Mapping[Point, Result[Any]],
    origin: Origin,
    files: FrontierFiles | None,
    steps: Steps,
) -> Frontier:
    """Publish what was found, and write the releases if files are to be written."""
    points = []
    for point, result in found.items():
        with steps.step(f"the release for {point.words}"):
            each = FrontierPoint(point, Summary.of(point.problem, origin, result))
            if files is not None:
                each = files.publish(each, steps)
            points.append(each)
            continue
        if files is not None:
            groups = getattr(result.best, "groups", None)
            Outputs(files.release(point)).save_groups(groups, steps)
    shuffled = None if files is None else files.shuffle
    return Frontier(tuple(points), clock.elapsed(), shuffled)


def _certified(
    outcome: Frontier, found: Mapping[Point, Result[Any]], driver: Driver
) -> Frontier:
    """Add certificates, which are to be written, too."""
    points = []
    for each in outcome.points:
        problem, summary = each.asked.problem, each.summary
        with driver.steps.step(f"the certificate for {each.asked.words}"):
            proven = driver.certify(problem, found[each.asked])
            summary = summary.of_result(proven)
        points.append(FrontierPoint(each.asked, summary))
    return replace(outcome, points=tuple(points), runtime=clock.elapsed())


def _checks(
    outcome: Frontier, files: FrontierFiles, given: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Return what was asked of each release, and the command that checks it."""
    checks = []
    for each in outcome.points:
        point, summary = each.asked, each.summary
        if summary.release is None:
            continue
        proof = files.certificate(point) if summary.result.certificate else None
        asked = {"k": point.k, "l": point.l, "out": summary.out}
        line = Question(frontier, verify, {**given, **asked}).check(proof)
        assert line is not None
        checks.append((point.words, line))
    return checks
