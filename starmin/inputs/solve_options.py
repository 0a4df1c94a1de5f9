"""The options of starmin solve, in groups; others are shared by several commands."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from starmin.inputs import options
from starmin.inputs.by_column import FileName, Passing
from starmin.inputs.declared import DefenceOptions
from starmin.inputs.loading import load_table
from starmin.inputs.option_groups import (
    BatchOptions,
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
)
from starmin.inputs.roles import Formula, Roles
from starmin.instances import TableError
from starmin.instances.releases.coding import RecodingName as AnyRecoding
from starmin.instances.requirements.population import Population

Initial = Annotated[
    Path | None,
    typer.Option(
        metavar="RELEASE",
        help="A release of the table to start from.",
        rich_help_panel="Run",
    ),
]
Replay = Annotated[
    Path | None,
    typer.Option(
        "--replay",
        metavar="GROUPS",
        help="Search nothing: publish the groups again that --groups kept of this "
        "table, checked and counted anew.",
        rich_help_panel="Run",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="RELEASE",
        help=f"Where to write the release: {options.WRITABLE}.",
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
        help="What is published of a group: stars; ranges and categories of "
        "hierarchies; or its cells as they are, and its sensitive values in "
        "RELEASE.sa.csv.",
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
ReportPublic = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="Where to write a page on the release that may be published beside it: "
        "no value, no combination and no count below k of the original.",
        rich_help_panel="Output",
    ),
    Passing(),  # nothing on the page says of which table it is
]
MappingOut = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE.csv",
        help="Where to write what each value became, by column, with counts of rows; "
        "it speaks of the original.",
        rich_help_panel="Output",
    ),
    Passing(),
]
Check = Annotated[
    str | None,
    typer.Option(
        "--check",
        metavar="'TARGET ~ A + B'",
        help="For --report: train a model on the release, test it on the original, "
        "and show it beside one that was trained on the original.",
        rich_help_panel="Output",
    ),
]
ReportPopulation = Annotated[
    str | None,
    typer.Option(
        "--report-population",
        metavar="TABLE",
        help="For --report: all people, in columns named alike: how well a journalist "
        "finds one of them, before and after.",
        rich_help_panel="Output",
    ),
    FileName(),
]
Shuffle = Annotated[
    bool,
    typer.Option(
        "--shuffle",
        help="Publish the rows in a random order that cannot be repeated.",
        rich_help_panel="Output",
    ),
]
ShuffleSeed = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**31 - 1,
        help="For tests alone: the seed of what is drawn to hide people, as the orders "
        "of --shuffle and of RELEASE.sa.csv. Whoever knows it undoes them. [default: "
        "none; the system draws]",
        rich_help_panel="Output",
        show_default=False,
    ),
    Passing(),
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
        metavar="NAME", help="The solver of assignment_mip.", rich_help_panel="Run"
    ),
]

Earlier = Annotated[
    str | None,
    typer.Option(
        "--earlier",
        metavar="TABLE",
        help="The table of another month: it is said what differs in this one, as new "
        "values, missing columns, and shares of values.",
        rich_help_panel="Table",
        show_default=False,
    ),
    FileName(),
]
SaveRecipe = Annotated[
    Path | None,
    typer.Option(
        "--save-recipe",
        metavar="FILE.toml",
        help="Where to write what was asked as a settings file, for --recipe. "
        "[default: beside the report]",
        rich_help_panel="Output",
        show_default=False,
    ),
    Passing(),
]


Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace files that --recipe names and that are of another table.",
        rich_help_panel="Output",
    ),
    Passing(),
]


@dataclass(frozen=True)
class PublishOptions:
    """How a release is published, and what is minimised."""

    star: options.Star = "*"
    earlier: Earlier = None
    recoding: RecodingName = "suppression"
    objective: ObjectiveKind = None


@dataclass(frozen=True)
class SearchOptions:
    """What searches, and until when."""

    method: options.MethodName = "auto"
    time_limit: options.TimeLimit = None
    work_limit: options.WorkLimit = None
    gap: options.Gap = None
    patience: options.Patience = None
    seed: options.Seed = None
    workers: options.Workers = None
    initial: Initial = None
    within: options.Within = None
    replay: Replay = None
    solver: Solver = None
    suppress: Suppress = None
    checkpoint: Checkpoint = None
    block_size: BlockSize = None


@dataclass(frozen=True)
class OutputOptions:
    """What is written."""

    out: Out = None
    groups: Groups = None
    shuffle: Shuffle = False
    shuffle_seed: ShuffleSeed = None
    certificate: options.CertificateOut = None
    result: ResultOut = None
    report: Report = None
    report_public: ReportPublic = None
    mapping: MappingOut = None
    check: Check = None
    report_population: ReportPopulation = None
    export: Export = None
    trajectory: options.TrajectoryOut = None
    save_recipe: SaveRecipe = None
    overwrite: Overwrite = False

    @property
    def formula(self) -> Formula | None:
        """What a model is to learn for the report."""
        if self.check is None:
            return None
        if self.report is None:
            raise TableError("--check needs --report: the page that shows it")
        return Formula.parse(self.check)

    def people(self, roles: Roles) -> Population | None:
        """Read the people among whom a journalist looks, for the report.

        ``roles`` say how tables are read.
        """
        if self.report_population is None:
            return None
        if self.report is None:
            raise TableError("--report-population needs --report: the page it is for")
        reading = replace(roles.reading, sets={})
        return Population(load_table(self.report_population, reading))


SOLVE_GROUPS = (
    ColumnOptions,
    RequirementOptions,
    PublishOptions,
    GeneralizationOptions,
    CostOptions,
    DefenceOptions,
    SearchOptions,
    BatchOptions,
    OutputOptions,
)


def expect_one_limit(how: SearchOptions) -> None:
    """Raise TableError where a clock ends a search that is to end by its work."""
    if how.work_limit is None:
        return
    for option, value in (("time-limit", how.time_limit), ("patience", how.patience)):
        if value is not None:
            raise TableError(
                f"--{option}: not beside --work-limit: what a clock ends is another "
                "release each time; name one of them"
            )
