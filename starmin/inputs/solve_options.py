"""The options of starmin solve, in groups; others are shared by several commands."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from starmin.inputs import option_groups, options
from starmin.inputs.declared import (
    DefenceOptions,
    FileName,
    Passing,
    of_objective,
    of_output,
    of_run,
    of_table,
)
from starmin.inputs.loading import load_table
from starmin.inputs.roles import Formula, Roles
from starmin.instances import TableError
from starmin.instances.releases.coding import RecodingName as AnyRecoding
from starmin.instances.requirements.population import Population

Out = Annotated[
    Path | None,
    of_output("RELEASE", f"Where to write the release: {options.WRITABLE}."),
]
Groups = Annotated[
    Path | None, of_output("FILE", "Where to write the group of each row.")
]
RecodingName = Annotated[
    AnyRecoding,
    of_objective(
        "--recoding",
        "What is published of a group: stars; ranges and categories of "
        "hierarchies; or its cells as they are, and its sensitive values in "
        "RELEASE.sa.csv.",
    ),
]
ObjectiveKind = Annotated[
    options.Kind | None,
    of_objective(
        "--objective",
        f"{options.MINIMISE} [default: gcp for generalization, else stars]",
    ),
]
Check = Annotated[
    str | None,
    of_output(
        "--check 'TARGET ~ A + B'",
        "For --report: train a model on the release, test it on the original, "
        "and show it beside one that was trained on the original.",
    ),
]
ReportPopulation = Annotated[
    str | None,
    of_output(
        "--report-population TABLE",
        "For --report: all people, in columns named alike: how well a journalist "
        "finds one of them, before and after.",
    ),
    FileName(),
]
Shuffle = Annotated[
    bool,
    of_output(
        "--shuffle", "Publish the rows in a random order that cannot be repeated."
    ),
]
ShuffleSeed = Annotated[
    int | None,
    of_output(
        "",
        "For tests alone: the seed of what is drawn to hide people, as the orders "
        "of --shuffle and of RELEASE.sa.csv. Whoever knows it undoes them. [default: "
        "none; the system draws]",
        min=0,
        max=2**31 - 1,
    ),
    Passing(),
]


@dataclass(frozen=True)
class PublishOptions:
    """How a release is published, and what is minimised."""

    star: options.Star = "*"
    earlier: Annotated[
        str | None,
        of_table(
            "--earlier TABLE",
            "The table of another month: it is said what differs in this one, as new "
            "values, missing columns, and shares of values.",
        ),
        FileName(),
    ] = None
    recoding: RecodingName = "suppression"
    objective: ObjectiveKind = None


@dataclass(frozen=True)
class SearchOptions:
    """What searches, and until when."""

    method: options.MethodName = "auto"
    time_limit: options.TimeLimit = None
    work_limit: Annotated[
        int | None,
        of_run(
            "--work-limit UNITS",
            "Instead of seconds: units of work, a million in about a second of one "
            "core. The same table, settings and version make the same release again.",
            min=1,
        ),
    ] = None
    gap: options.Gap = None
    patience: options.Patience = None
    seed: options.Seed = None
    workers: options.Workers = None
    initial: Annotated[
        Path | None, of_run("RELEASE", "A release of the table to start from.")
    ] = None
    within: options.Within = None
    replay: Annotated[
        Path | None,
        of_run(
            "--replay GROUPS",
            "Search nothing: publish the groups again that --groups kept of this "
            "table, checked and counted anew.",
        ),
    ] = None
    solver: Annotated[str | None, of_run("NAME", "The solver of assignment_mip.")] = (
        None
    )
    suppress: Annotated[
        float | None,
        of_run(
            "SHARE",
            "How many of the rows the method full_domain may suppress. [default: 1]",
            min=0,
            max=1,
        ),
    ] = None
    checkpoint: Annotated[
        Path | None,
        of_run(
            "FOLDER",
            "Where blocks keeps finished blocks, and near_pattern_annealing its "
            "release and prices; a run that was killed goes on from there.",
        ),
    ] = None
    block_size: Annotated[
        int | None,
        of_run(
            "ROWS", "Rows of a block of the method blocks. [default: 100000]", min=2
        ),
    ] = None


@dataclass(frozen=True)
class OutputOptions:
    """What is written."""

    out: Out = None
    groups: Groups = None
    shuffle: Shuffle = False
    shuffle_seed: ShuffleSeed = None
    certificate: options.CertificateOut = None
    result: Annotated[
        Path | None,
        of_output("--result FILE", "Where to write the JSON object of --json."),
    ] = None
    report: Annotated[
        Path | None,
        of_output(
            "FILE.html",
            "Where to write a page on the release: what it hides, risks and is worth.",
        ),
    ] = None
    report_public: Annotated[
        Path | None,
        of_output(
            "FILE.html",
            "Where to write a page on the release that may be published beside it: no "
            "value, no combination and no count below k of the original.",
        ),
        Passing(),  # nothing on the page says of which table it is
    ] = None
    mapping: Annotated[
        Path | None,
        of_output(
            "--mapping FILE.csv",
            "Where to write what each value became, by column, with counts of rows; "
            "it speaks of the original.",
        ),
        Passing(),
    ] = None
    check: Check = None
    report_population: ReportPopulation = None
    export: Annotated[
        Path | None,
        of_output("FILE", "Where assignment_mip writes its model: .lp or .mps."),
    ] = None
    trajectory: options.TrajectoryOut = None
    save_recipe: Annotated[
        Path | None,
        of_output(
            "--save-recipe FILE.toml",
            "Where to write what was asked as a settings file, for --recipe. "
            "[default: beside the report]",
        ),
        Passing(),
    ] = None
    overwrite: Annotated[
        bool,
        of_output(
            "--overwrite",
            "Replace files that --recipe names and that are of another table.",
        ),
        Passing(),
    ] = False

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


@dataclass(frozen=True, kw_only=True)
class SolveOptions:
    """The options of ``starmin solve``, in their groups."""

    recipe: options.RecipeFile = None
    columns: option_groups.ColumnOptions
    asked: option_groups.RequirementOptions
    shape: PublishOptions
    ranges: option_groups.GeneralizationOptions
    costs: option_groups.CostOptions
    defences: DefenceOptions
    how: SearchOptions
    batches: option_groups.BatchOptions
    files_out: OutputOptions
    progress: options.ProgressForm = "lines"
    as_json: options.Json = False
    quiet: options.Quiet = False


def expect_one_limit(how: SearchOptions) -> None:
    """Raise TableError where a clock ends a search that is to end by its work."""
    if how.work_limit is None:
        return
    for name, value in (("time-limit", how.time_limit), ("patience", how.patience)):
        if value is not None:
            raise TableError(
                f"--{name}: not beside --work-limit: what a clock ends is another "
                "release each time; name one of them"
            )
