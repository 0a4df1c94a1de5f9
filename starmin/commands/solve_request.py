"""What starmin solve is asked, and the problem that is made of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from starmin.defences.defences import Defences
from starmin.driver import Driver
from starmin.inputs import earlier_releases, notices, options
from starmin.inputs.declared import DEFENCES
from starmin.inputs.loading import Origin
from starmin.inputs.option_groups import ungrouped
from starmin.inputs.recoding_options import check_symbol
from starmin.inputs.roles import Roles
from starmin.inputs.solve_options import SolveOptions, expect_one_limit
from starmin.inputs.spec import Spec
from starmin.instances import Control, Limit, Problem, Result, TableError
from starmin.instances.io.atomic import expect_folder_name
from starmin.instances.releases.release import deleted_rows, kept_of
from starmin.instances.requirements.population import Population
from starmin.instances.requirements.requirement import MASK, Stated
from starmin.instances.runs.cores import limited_to
from starmin.instances.streams.source import Source
from starmin.outputs import files
from starmin.outputs.recodings import Published, companions, expect_publishable
from starmin.outputs.summary import Summary
from starmin.process import clock
from starmin.process.faults import BUG
from starmin.process.say import say, say_later
from starmin.process.steps import Steps
from starmin.recipes.by_recipe import expect_named, recipe_of
from starmin.recipes.changes import changes, earlier_table


@dataclass(frozen=True, kw_only=True)
class SolveRequest(SolveOptions):
    """What ``starmin solve`` is asked."""

    table: str

    @property
    def given(self) -> dict[str, Any]:
        """Each option by its own name, as a report tells how to ask it again."""
        return ungrouped({"table": self.table, **vars(self)})

    @property
    def cores(self) -> int | None:
        """How many cores may be used here; None: all, or a cluster does the work."""
        return None if self.batches.dask else self.how.workers

    def _tell_changes(self, problem: Problem, earlier: str, roles: Roles) -> None:
        """Say in which columns the table is another than one of another month."""
        before = earlier_table(self.table, earlier, roles)
        if isinstance(before, str):
            say_later(before)
        elif before is not None:
            table = problem.original
            other = before.drop([c for c in roles.drop if c in before.names])
            for line in changes(table, other, problem.coding.trees):
                say_later(f"beside {earlier}: {line}")

    def opened(self) -> "Opened":
        """Read the table, and check that the release can be found and written.

        Raises TableError: it cannot.
        """
        question, how, files_out = self.given, self.how, self.files_out
        recoding, groups = self.shape.recoding, files_out.groups
        hidden, least = None, question["l"]
        if Stated(vars(self.defences)).asks(DEFENCES):
            hidden = Defences.stated(self.defences, least, files_out.shuffle_seed)
            least = hidden.solved
        posed = Spec.of(self.table, question | {"l": least})
        read = posed.input(self.batches.stream, self.quiet)
        in_batches = read.files is not None
        beside = companions(read.coding, files_out.out)
        outputs = files.Outputs.of(files_out, beside, self.recipe)
        model, people = files_out.formula, files_out.people(self.columns.roles)
        others = {"initial": how.initial, "within": how.within, "replay": how.replay}
        if in_batches:
            from starmin.outputs.streamed_output import expect_batches

            expect_batches(outputs, recoding, **others)
        sources = [each for each in (*others.values(), self.recipe) if each is not None]
        outputs.check(self.table, *map(str, sources), in_batches=in_batches)
        check_symbol(self.shape.star)
        expect_one_limit(how)
        with limited_to(self.cores), self.batches.budget() as budget:
            problem, origin = read.open(budget)
        if self.recipe is not None:
            named = *read.roles.aside, *self.asked.columns
            expect_named(problem.table, self.recipe, named)
            if not files_out.overwrite:
                told = problem, self.table, read.roles
                files.expect_same_table(outputs, self.recipe, *told)
        if self.shape.earlier is not None and not in_batches:
            self._tell_changes(problem, self.shape.earlier, read.roles)
        expect_publishable(problem)
        if model is not None:
            model.expect(problem.public)
        if people is not None:
            from starmin.verify.risk.candidates import expect_people

            expect_people(people, problem.table)
        if how.within is not None:
            earlier = earlier_releases.read_within(
                how.within, problem.table, read.named
            )
            problem = earlier_releases.nested_problem(problem, earlier)
        if hidden is not None:
            hidden.expect(problem)
        if groups is not None and problem.rowwise:
            raise TableError("--groups: a non-homogeneous release has no groups")
        if problem.requirement.space == MASK and groups is not None:
            raise TableError("--groups: a release by rules over combinations has none")
        roles = replace(read.roles, beside=origin.beside)
        if files_out.out is not None and not in_batches and recoding != "permutation":
            roles.expect_fits(problem.public, files_out.out, problem.table.qi)
        return Opened(self, problem, origin, read.named, roles, outputs, hidden, people)


@dataclass(frozen=True)
class Opened:
    """A request whose table was read and whose files can be written."""

    request: SolveRequest
    problem: Problem
    origin: Origin
    named: Roles  # what the columns are for, as the options say it
    roles: Roles  # and as the table has it
    outputs: files.Outputs
    hidden: Defences | None  # what is hidden in addition; None: nothing
    people: Population | None  # those among whom a journalist looks, for the report

    @property
    def files(self) -> Source | None:
        """The files of a table that is read in batches."""
        return self.origin.files

    @property
    def cells(self) -> int:
        """How many cells are gone through after the search."""
        twice = self.request.files_out.report is not None
        return self.origin.cells(self.problem.table) * (2 if twice else 1)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the method, by name; None stands for its default."""
        how, files_out = self.request.how, self.request.files_out
        ours = {"method", "time_limit", "gap", "patience", "within", "replay"}
        given = {name: told for name, told in vars(how).items() if name not in ours}
        given |= {"shuffle_seed": files_out.shuffle_seed, "export": files_out.export}
        if how.checkpoint is not None:
            expect_folder_name(how.checkpoint)
        if how.initial is not None:
            given["initial"] = earlier_releases.read_initial(
                how.initial, self.problem, self.named
            )
        return given


# What starmin solve does with a question: search, check, publish and write.


def search_and_publish(command: Callable[..., int], request: SolveRequest) -> int:
    """Find a release, publish it and write what was asked for; return the exit code.

    A report tells how to ask ``command`` the question again.
    """
    opened = request.opened()
    problem, outputs = opened.problem, opened.outputs
    how, files_out = request.how, request.files_out
    given = opened.arguments()
    seen = None if files_out.trajectory is None else files.Trajectory()
    listeners = () if seen is None else (seen,)
    control = Control(listeners, how.gap, options.or_endless(how.patience))
    limits = how.method, how.time_limit, control
    with Driver(
        *limits, clock=clock.PROCESS, quiet=request.quiet, progress=request.progress
    ) as driver:
        steps, summary = driver.steps, None
        found = _search(opened, driver, given)
        outputs.write_trajectory(seen, found, problem, steps)
        with steps.step("the release"):
            where = files_out.out, files_out.shuffle_seed
            summary = Summary.of(problem, opened.origin, found, *where)
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
            notices.tell_rounding(problem.objective)
            notices.tell_form(
                request.table, opened.named, opened.roles.form, request.quiet
            )
        if summary.release is not None:
            if files_out.certificate is not None:
                with steps.step("certificate"):
                    found = driver.certify(problem, found)
                    summary = summary.of_result(found)
            outputs.certify(summary.result.certificate, steps)
            told, question = summary, {**request.given, "out": summary.out}
            original, settings = summary.kept.problem.original, outputs.recipe or Path()
            saved_from = question, problem.table, request.table, settings.parent
            outputs.write(
                steps,
                result=lambda: files.as_lines(told.as_json()),
                report=partial(_page, command, opened, told, question),
                report_public=partial(_public, told),
                mapping=lambda: files.mapping_text(original, told.published),
                recipe=partial(recipe_of, *saved_from),
            )
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
            return earlier_releases.replayed(request.how.replay, opened.problem)
        return driver.solve(opened.problem, given, opened.cells, opened.hidden)


def _publish(
    opened: Opened, release: Published, found: Result[Any], steps: Steps
) -> Path | None:
    """Write the release, if it is asked for; return where it is."""
    request, problem, roles = opened.request, opened.problem, opened.roles
    shuffled = request.files_out.shuffle, request.files_out.shuffle_seed
    if opened.files is None:
        order = files.row_order(problem.table.n - deleted_rows(found.best), *shuffled)
        return opened.outputs.publish(release, order, roles, steps)
    from starmin.outputs.streamed_output import publish_in_batches

    given = problem, opened.files, found, opened.outputs, roles, *shuffled
    with limited_to(request.cores), request.batches.budget() as budget:
        return publish_in_batches(*given, budget, steps)


def _warn_of_release(opened: Opened, summary: Summary, found: Result[Any]) -> None:
    """Warn of what the release tells, alone and beside earlier ones."""
    request, problem, roles = opened.request, opened.problem, opened.roles
    notices.warn_disclosure(summary.disclosure, unchanged=request.columns.kept)
    if summary.out is None or request.files_out.shuffle:
        return
    if opened.files is None:
        public = kept_of(problem.public, found.best)[0]
        first_rows = partial(
            earlier_releases.FirstRows.of_table, public, summary.published
        )
    else:
        read_so = opened.files, problem.table, roles
        first_rows = partial(earlier_releases.FirstRows.of_source, *read_so)
    notices.warn_earlier_releases(summary.out, first_rows, roles, request.how.within)


def _public(summary: Summary) -> str:
    from starmin.report.release.public_page import public_page

    return public_page(summary)


def _page(
    command: Callable[..., int],
    opened: Opened,
    summary: Summary,
    question: dict[str, Any],
) -> str:
    # They take a second to import.
    from starmin.commands.verify import verify
    from starmin.report.recheck import Question
    from starmin.report.release.release_page import release_page, rules_of_release

    asked = Question(command, verify, question)
    if summary.problem.requirement.space == MASK:
        return rules_of_release(summary, asked)
    return release_page(summary, asked, opened.people)
