"""What starmin solve is asked, and the problem that is made of it."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from starmin.defences.defences import Defences
from starmin.inputs import options
from starmin.inputs.defence_options import DEFENCES, DefenceOptions
from starmin.inputs.option_groups import (
    BatchOptions,
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
    ungrouped,
)
from starmin.inputs.recoding_options import check_symbol, expect_plain
from starmin.inputs.roles import Roles
from starmin.inputs.solve_options import (
    OutputOptions,
    PublishOptions,
    SearchOptions,
    expect_one_limit,
)
from starmin.inputs.spec import Spec
from starmin.inputs.tables.nested_input import nested_problem, read_within
from starmin.inputs.tables.origin import Origin
from starmin.instances import Control, Problem, TableError
from starmin.instances.io.atomic import expect_folder_name
from starmin.instances.requirements.requirement import MASK
from starmin.instances.requirements.rules.population import Population
from starmin.instances.requirements.stated import Stated
from starmin.instances.runs.progress import Listener
from starmin.instances.runs.workers.cores import limited_to
from starmin.instances.streams.source import Source
from starmin.outputs.earlier_outputs import expect_same_table
from starmin.outputs.files import Outputs
from starmin.outputs.recodings import RECODINGS, companions
from starmin.recipes.by_recipe import expect_named


@dataclass(frozen=True, kw_only=True)
class SolveRequest:
    """The options of ``starmin solve``, in its groups.

    Attributes
    ----------
    table, recipe, columns, asked, ranges, costs, defences, batches
        The question: a table, what is required of its release, and what it may cost.
    shape, files_out, as_json, quiet
        How the release is published, what is written, and where.
    how
        What searches, and until when.
    """

    table: str
    recipe: Path | None
    columns: ColumnOptions
    asked: RequirementOptions
    shape: PublishOptions
    ranges: GeneralizationOptions
    costs: CostOptions
    defences: DefenceOptions
    how: SearchOptions
    batches: BatchOptions
    files_out: OutputOptions
    as_json: bool
    quiet: bool

    @property
    def given(self) -> dict[str, Any]:
        """Each option by its own name, as a report tells how to ask it again."""
        return ungrouped({f.name: getattr(self, f.name) for f in fields(self)})

    @property
    def cores(self) -> int | None:
        """How many cores may be used here; None: all, or a cluster does the work."""
        return None if self.batches.dask else self.how.workers

    def control(self, *listeners: Listener) -> Control:
        """Return what ends the search early, and who is told of it."""
        return Control(listeners, self.how.gap, options.or_endless(self.how.patience))

    def opened(self) -> "Opened":
        """Read the table, and check that the release can be found and written.

        Raises
        ------
        TableError
            It cannot.
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
        outputs = Outputs.of(files_out, beside, self.recipe)
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
                expect_same_table(outputs, self.recipe, *told)
        RECODINGS[recoding].expect(problem.table, read.coding)
        if model is not None:
            model.expect(problem.public)
        if people is not None:
            from starmin.verify.risk.people_covered import expect_people

            expect_people(people, problem.table)
        if how.within is not None:
            earlier = read_within(how.within, problem.table, read.named)
            problem = nested_problem(problem, earlier)
        if hidden is not None:
            hidden.expect(problem)
        if problem.rowwise and problem.objective.kind != "gcp":
            expect_plain(read.coding, problem.table)
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
    """A request whose table was read and whose files can be written.

    Attributes
    ----------
    request, problem, origin
        What was asked, as a problem, and where its table came from.
    named, roles
        What the columns are for, as the options say it, and as the table has it.
    outputs
        The files to be written.
    hidden
        What is hidden in addition; None: nothing.
    people
        Those among whom a journalist looks, for the report.
    """

    request: SolveRequest
    problem: Problem
    origin: Origin
    named: Roles
    roles: Roles
    outputs: Outputs
    hidden: Defences | None
    people: Population | None

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
        kept = how.checkpoint
        if kept is not None:
            expect_folder_name(kept)
        if how.initial is not None:
            from starmin.inputs.tables.initial import read_initial

            given["initial"] = read_initial(how.initial, self.problem, self.named)
        return given
