"""What starmin solve does with a question: search, check, publish and write."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from starmin.commands.counting import counting
from starmin.defences.defences import Defences
from starmin.driver import Driver
from starmin.inputs import options
from starmin.inputs.defence_options import DefenceOptions
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
)
from starmin.inputs.recoding_options import expect_plain
from starmin.inputs.solve_options import (
    OutputOptions,
    PublishOptions,
    SearchOptions,
    expect_one_limit,
)
from starmin.inputs.spec import Spec
from starmin.inputs.tables.earlier_releases import FirstRows
from starmin.inputs.tables.kept_groups import replayed
from starmin.inputs.tables.nested_input import nested_problem, read_within
from starmin.inputs.tables.notices import (
    tell_form,
    tell_rounding,
    warn_disclosure,
    warn_earlier_releases,
)
from starmin.instances import Control, Limit, TableError
from starmin.instances.releases.partial_partition import deleted_rows, kept_of
from starmin.instances.requirements.requirement import MASK
from starmin.instances.requirements.rules.population import Population
from starmin.instances.runs.cores import limited_to
from starmin.outputs.as_published import as_published
from starmin.outputs.files import Outputs, row_order
from starmin.outputs.recodings import RECODINGS, companions
from starmin.outputs.summary import Summary
from starmin.outputs.trajectory import Trajectory
from starmin.process import clock
from starmin.process.exit_codes import BUG
from starmin.process.say import say
from starmin.recipes.by_recipe import expect_named
from starmin.recipes.of_run import recipe_of


def search_and_publish(
    command: Callable[..., int],
    table: options.TableArg,
    *,
    recipe: options.RecipeFile = None,
    columns: ColumnOptions,
    asked: RequirementOptions,
    shape: PublishOptions,
    ranges: GeneralizationOptions,
    costs: CostOptions,
    defences: DefenceOptions,
    how: SearchOptions,
    batches: BatchOptions,
    files_out: OutputOptions,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Find a release, publish it and write what was asked for; return the exit code.

    Parameters
    ----------
    command
        Whose question it is: a report tells how to ask it again.
    table, recipe, columns, asked, shape, ranges, costs, defences, how, batches
        The question, as ``starmin solve`` takes it.
    files_out, as_json, quiet
        What is written, and where.
    """
    # What was asked, as the report tells it.
    question = ungrouped({k: v for k, v in locals().items() if k != "command"})
    hidden = Defences.stated(defences, question["l"], files_out.shuffle_seed)
    posed = Spec.of(table, question | {"l": hidden.solved})
    read = posed.input(batches.stream, quiet)
    named, roles, files, coding = read.named, read.roles, read.files, read.coding
    recoding, groups, report = shape.recoding, files_out.groups, files_out.report
    within = how.within
    outputs = Outputs.of(files_out, companions(coding, files_out.out), recipe)
    seen, model = Trajectory(), files_out.formula
    people = files_out.people(columns.roles)
    if files is not None:
        from starmin.outputs.streamed_output import expect_batches

        searched = {"initial": how.initial, "within": within, "replay": how.replay}
        expect_batches(outputs, recoding, **searched)
    others = how.initial, within, how.replay, recipe
    sources = [table, *[str(each) for each in others if each is not None]]
    outputs.check(*sources, in_batches=files is not None)
    check_symbol(shape.star)
    expect_one_limit(how)
    cores = None if batches.dask else how.workers
    with limited_to(cores), counting(batches) as budget:
        problem, origin = read.open(budget)
    if recipe is not None:
        expect_named(problem.table, recipe, (*roles.aside, *asked.columns))
    roles, files = replace(roles, beside=origin.beside), origin.files
    RECODINGS[recoding].expect(problem.table, coding)
    if model is not None:
        model.expect(problem.public)
    if people is not None:
        from starmin.verify.risk.people_covered import expect_people

        expect_people(people, problem.table)
    if within is not None:
        earlier = read_within(within, problem.table, named)
        problem = nested_problem(problem, earlier)
    hidden.expect(problem)
    if problem.rowwise and problem.objective.kind != "gcp":
        expect_plain(coding, problem.table)
    if groups is not None and problem.rowwise:
        raise TableError("--groups: a non-homogeneous release has no groups")
    if problem.requirement.space == MASK and groups is not None:
        raise TableError("--groups: a release by rules over combinations has none")
    given: dict[str, Any] = {
        "seed": how.seed,
        "shuffle_seed": files_out.shuffle_seed,
        "workers": how.workers,
        "work_limit": how.work_limit,
        "solver": how.solver,
        "suppress": how.suppress,
        "export": files_out.export,
        "checkpoint": how.checkpoint,
        "block_size": how.block_size,
    }
    checkpoint, out, certificate = how.checkpoint, files_out.out, files_out.certificate
    shuffle, shuffle_seed = files_out.shuffle, files_out.shuffle_seed
    if checkpoint is not None and checkpoint.exists() and not checkpoint.is_dir():
        raise TableError(f"--checkpoint: {checkpoint} is not a folder")
    if how.initial is not None:
        from starmin.inputs.tables.initial import read_initial

        given["initial"] = read_initial(how.initial, problem, named)
    listeners = () if files_out.trajectory is None else (seen,)
    control = Control(listeners, how.gap, options.or_endless(how.patience))
    limits = how.method, how.time_limit, control
    with Driver(*limits, clock=clock.PROCESS, quiet=quiet) as driver:
        steps, summary = driver.steps, None
        cells = origin.cells(problem.table) * (1 if report is None else 2)
        with counting(batches) as budget:
            if budget.executor is not None and files is not None:
                given |= {"executor": budget.executor, "workers": budget.workers}
            if how.replay is None:
                found = driver.solve(problem, given, cells, hidden)
            else:
                found = replayed(how.replay, problem)
        outputs.write_trajectory(seen, found, problem, steps)
        with steps.step("the release"):
            published = as_published(problem, found)
            summary = Summary.of(problem, origin, published, out, shuffle_seed)
        if summary is None:
            outputs.save_groups(getattr(found.best, "groups", None), steps)
            return BUG
        if summary.release is not None:
            if files is None:
                rows = problem.table.n - deleted_rows(found.best)
                order = row_order(rows, shuffle, shuffle_seed)
                saved = outputs.publish(summary.release, order, roles, steps)
            else:
                from starmin.outputs.streamed_output import publish_in_batches

                given_so = problem, files, found, outputs, roles, shuffle, shuffle_seed
                with limited_to(cores), counting(batches) as budget:
                    saved = publish_in_batches(*given_so, budget, steps)
            summary = replace(summary, out=saved)
            with steps.step("warnings"):
                warn_disclosure(summary.disclosure, unchanged=columns.kept)
                if saved is not None and not shuffle:
                    if files is None:
                        public = kept_of(problem.public, found.best)[0]
                        both = public, summary.published
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
            outputs.write_report(
                lambda: _page(command, summary, question, people), steps
            )
            saved_from = question, problem.table, table
            outputs.write_recipe(partial(recipe_of, *saved_from), steps)
        with steps.step("the summary", passing=(OSError,)):
            summary.show(steps.wrote, as_json)
    return driver.code(no=found.reason is not None)


def _page(
    command: Callable[..., int],
    summary: Summary,
    question: dict[str, Any],
    people: Population | None,
) -> str:
    # They take a second to import.
    from starmin.commands.verify import verify
    from starmin.report.recheck import Question
    from starmin.report.release.release_page import release_page
    from starmin.report.release.rules_of_release import rules_of_release

    asked = Question(command, verify, question)
    if summary.problem.requirement.space == MASK:
        return rules_of_release(summary, asked)
    return release_page(summary, asked, people)
