"""What starmin solve does with a question: search, check, publish and write."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from starmin.commands.solve_request import Opened, SolveRequest
from starmin.driver import Driver
from starmin.inputs.tables.earlier_releases import FirstRows
from starmin.inputs.tables.kept_groups import replayed
from starmin.inputs.tables.notices import (
    tell_form,
    tell_rounding,
    warn_disclosure,
    warn_earlier_releases,
)
from starmin.instances import Limit, Result
from starmin.instances.releases.release import deleted_rows, kept_of
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.workers.cores import limited_to
from starmin.outputs.claims import as_published
from starmin.outputs.files import row_order
from starmin.outputs.recodings import Published
from starmin.outputs.summary import Summary
from starmin.outputs.trajectory import Trajectory
from starmin.process import clock
from starmin.process.exit_codes import BUG
from starmin.process.say import say
from starmin.process.steps import Steps
from starmin.recipes.of_run import recipe_of


def search_and_publish(command: Callable[..., int], request: SolveRequest) -> int:
    """Find a release, publish it and write what was asked for; return the exit code.

    Parameters
    ----------
    command
        Whose question it is: a report tells how to ask it again.
    request
        The question.
    """
    opened = request.opened()
    problem, outputs = opened.problem, opened.outputs
    how, files_out = request.how, request.files_out
    given = opened.arguments()
    seen = None if files_out.trajectory is None else Trajectory()
    control = request.control(*(() if seen is None else (seen,)))
    limits = how.method, how.time_limit, control
    with Driver(*limits, clock=clock.PROCESS, quiet=request.quiet) as driver:
        steps, summary = driver.steps, None
        found = _search(opened, driver, given)
        outputs.write_trajectory(seen, found, problem, steps)
        with steps.step("the release"):
            told = files_out.out, files_out.shuffle_seed
            published = as_published(problem, found)
            summary = Summary.of(problem, opened.origin, published, *told)
        if summary is None:
            outputs.save_groups(getattr(found.best, "groups", None), steps)
            return BUG
        if summary.release is not None:
            saved = _publish(opened, summary.release, found, steps)
            summary = replace(summary, out=saved)
            with steps.step("warnings"):
                _warn_of_release(opened, summary, found)
        with steps.step("warnings"):
            if found.limit is Limit.MEMORY:
                say(
                    "warning: memory ran short; this is the best release found until "
                    "then"
                )
            for line in driver.cautions(problem, given):
                say(f"warning: {line}")
            tell_rounding(problem.objective)
            tell_form(request.table, opened.named, opened.roles.form, request.quiet)
        if summary.release is not None:
            if files_out.certificate is not None:
                with steps.step("certificate"):
                    found = driver.certify(problem, found)
                    summary = summary.of_result(as_published(problem, found))
            outputs.certify(summary.result.certificate, steps)
            outputs.write_result(summary.as_json, steps)
            question = {**request.given, "out": summary.out}
            outputs.write_report(
                partial(_page, command, opened, summary, question), steps
            )
            saved_from = question, problem.table, request.table
            outputs.write_recipe(partial(recipe_of, *saved_from), steps)
        with steps.step("the summary", passing=(OSError,)):
            summary.show(steps.wrote, request.as_json)
    return driver.code(no=found.reason is not None)


def _search(opened: Opened, driver: Driver, given: dict[str, Any]) -> Result[Any]:
    """Search, here or with a cluster, which is added to the arguments; or replay."""
    request = opened.request
    with request.batches.budget() as budget:
        if budget.executor is not None and opened.files is not None:
            given |= {"executor": budget.executor, "workers": budget.workers}
        if request.how.replay is not None:
            return replayed(request.how.replay, opened.problem)
        return driver.solve(opened.problem, given, opened.cells, opened.hidden)


def _publish(
    opened: Opened, release: Published, found: Result[Any], steps: Steps
) -> Path | None:
    """Write the release, if it is asked for; return where it is."""
    request, problem, roles = opened.request, opened.problem, opened.roles
    shuffled = request.files_out.shuffle, request.files_out.shuffle_seed
    if opened.files is None:
        order = row_order(problem.table.n - deleted_rows(found.best), *shuffled)
        return opened.outputs.publish(release, order, roles, steps)
    from starmin.outputs.streamed_output import publish_in_batches

    given = problem, opened.files, found, opened.outputs, roles, *shuffled
    with limited_to(request.cores), request.batches.budget() as budget:
        return publish_in_batches(*given, budget, steps)


def _warn_of_release(opened: Opened, summary: Summary, found: Result[Any]) -> None:
    """Warn of what the release tells, alone and beside earlier ones."""
    request, problem, roles = opened.request, opened.problem, opened.roles
    warn_disclosure(summary.disclosure, unchanged=request.columns.kept)
    if summary.out is None or request.files_out.shuffle:
        return
    if opened.files is None:
        public = kept_of(problem.public, found.best)[0]
        first_rows = partial(FirstRows.of_table, public, summary.published)
    else:
        read_so = opened.files, problem.table, roles
        first_rows = partial(FirstRows.of_source, *read_so)
    warn_earlier_releases(summary.out, first_rows, roles, request.how.within)


def _page(
    command: Callable[..., int],
    opened: Opened,
    summary: Summary,
    question: dict[str, Any],
) -> str:
    # They take a second to import.
    from starmin.commands.verify import verify
    from starmin.report.recheck import Question
    from starmin.report.release.release_page import release_page
    from starmin.report.release.rules_of_release import rules_of_release

    asked = Question(command, verify, question)
    if summary.problem.requirement.space == MASK:
        return rules_of_release(summary, asked)
    return release_page(summary, asked, opened.people)
