"""starmin gap: methods x instances x requirements, and the gaps between them."""

import math
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from starmin.cli import limited
from starmin.gaps.job import (
    KNOWN_AS,
    Job,
    all_jobs,
    bounds_list,
    chosen_methods,
    chosen_privacy_methods,
    expect_bounded,
    known_jobs,
    privacy_jobs,
    whole_list,
)
from starmin.gaps.standings import (
    Standing,
    read_kept,
    run,
    show,
    standings,
    with_gaps,
    write_files,
)
from starmin.gaps.store import CRASH, Row, Store, joined_rows
from starmin.gaps.sweep import local_executor, release_rows, warm_up
from starmin.inputs import options
from starmin.inputs.by_column import Listed
from starmin.inputs.option_groups import (
    ColumnOptions,
    CostOptions,
    CountingOptions,
    GeneralizationOptions,
    ungrouped,
    with_groups,
)
from starmin.inputs.spec import Spec
from starmin.instances import TableError, check_writable
from starmin.instances.errors import lacking
from starmin.instances.io.atomic import expect_folder_name
from starmin.instances.releases.coding import RecodingName as AnyRecoding
from starmin.instances.requirements.requirements import Asked
from starmin.instances.runs.cores import usable_cores
from starmin.process.dask_workers import dask_executor
from starmin.process.faults import BUG, INTERRUPTED, NO
from starmin.process.say import say
from starmin.process.steps import Steps
from starmin.recipes.by_recipe import TAKEN, by_recipe

EXAMPLES = (
    "starmin gap instance:hospital --k 2,3 --methods pattern_ilp,forest,own_pattern",
    "starmin gap instance:mortgages --k 5 --methods auto,mondrian --out gaps",
    "starmin gap instance:hospital --max-loss 0.3,0.5",
    "starmin gap known:hospital.k --methods forest,mondrian",
)

Tables = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TABLE...",
        help=f"Files {options.READABLE}; instance:NAME; known:KIND for all problems of "
        "a kind whose optima are proven (stars, ranges, l, rules, non-homogeneous). "
        "None, where folders are joined alone.",
        show_default=False,
    ),
]
Methods = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,..",
        help="Methods and bounds of `starmin methods`, and auto; default: auto and "
        "every heuristic and bound that takes the problem.",
        rich_help_panel="Run",
    ),
    Listed(),
]
Numbers = Annotated[
    str | None, typer.Option(metavar="2,5,..", help="Values of k."), Listed()
]
Diverse = Annotated[
    str | None, typer.Option(metavar="2,4,..", help="Values of l."), Listed()
]
Losses = Annotated[
    str | None,
    typer.Option(
        "--max-loss",
        metavar="E,..",
        help="Instead of --k and --l: compare the methods of `starmin "
        "accuracy-constrained` under these bounds; values are 1 / privacy.",
    ),
    Listed(),
]
Seeds = Annotated[
    str, typer.Option(metavar="0,1,..", help="Seeds.", rich_help_panel="Run"), Listed()
]
Limit = Annotated[
    float,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="For each run.",
        min=0.1,
        rich_help_panel="Run",
    ),
]
Memory = Annotated[
    float,
    typer.Option(
        metavar="GIB",
        help="For each run; a run that needs more is a row that says so. 0: no limit.",
        min=0.0,
        rich_help_panel="Run",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How many runs at a time. [default: as many as have --workers cores each]",
        min=1,
        rich_help_panel="Run",
        show_default=False,
    ),
]
Cores = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        help="Cores of each run.",
        min=1,
        rich_help_panel="Run",
    ),
]
Join = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR",
        help="The --out folder of another sweep, whose runs are shown beside these; "
        "repeat for others.",
        rich_help_panel="Table",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="tcp://HOST:PORT",
        help="The scheduler of a Dask cluster to run on; its workers read the tables.",
        rich_help_panel="Run",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of report.html and its figures, runs.jsonl (finished runs are not "
        "repeated), gaps.csv, summary.csv, gaps.json and best.json.",
        rich_help_panel="Output",
    ),
]
Releases = Annotated[
    list[Path] | None,
    typer.Option(
        "--releases",
        metavar="FILE",
        help="A release of TABLE, whoever made it, to be recounted and shown beside "
        "ours; repeat for others.",
        rich_help_panel="Table",
    ),
]
RecodingName = Annotated[
    AnyRecoding,
    typer.Option(
        "--recoding",
        help="How groups are published, as for solve.",
        rich_help_panel="Objective",
    ),
]
ObjectiveKind = Annotated[
    options.Kind | None,
    typer.Option(
        "--objective",
        help="As for solve. [default: gcp for generalization, else stars]",
        rich_help_panel="Objective",
    ),
]


@by_recipe(*TAKEN)
@with_groups
def gap(
    tables: Tables = None,
    *,
    recipe: options.RecipeFile = None,
    columns: ColumnOptions,
    k: Numbers = None,
    l: Diverse = None,
    max_loss: Losses = None,
    counting: CountingOptions,
    recoding: RecodingName = "suppression",
    ranges: GeneralizationOptions,
    objective: ObjectiveKind = None,
    costs: CostOptions,
    releases: Releases = None,
    join: Join = None,
    methods: Methods = None,
    seeds: Seeds = "0",
    time_limit: Limit = 60.0,
    memory: Memory = 0.0,
    jobs: Jobs = None,
    workers: Cores = 1,
    dask: Dask = None,
    out: Out = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Measure the gaps between methods, and between each of them and the best bound.

    Each run is a command in a process of its own; what it publishes is verified, and
    a run that crashes or does not end is a row like any other. With --out the sweep
    can be stopped at any time and goes on where it was; runs that crashed are repeated.
    The exit code is 1 where a run crashed, a release does not hold, or a bound is above
    a value; it is 70 where no run did anything but crash.
    """
    question = ungrouped(locals())
    if memory and limited.resource is None:
        raise TableError("--memory: this system limits no process")
    if not tables and not join:
        raise TableError("nothing to run; name a TABLE, or folders by --join")
    before = joined_rows(join or ())
    planned, known = list[Job](), list[Row]()
    rest = whole_list(seeds, "--seeds"), time_limit, workers
    if tables and max_loss is not None:
        if k or l or releases:
            raise TableError("--max-loss: name it without --k, --l and --releases")
        spec = Spec.of(tables[0], question | {"k": None, "l": None})
        losses, names = bounds_list(max_loss), chosen_privacy_methods(methods, spec)
        planned = list(privacy_jobs(spec, tables, losses, names, *rest))
    elif known_words := [t.removeprefix(KNOWN_AS) for t in tables or () if _known(t)]:
        if k or l or releases or len(known_words) < len(tables or ()):
            raise TableError(
                "known:..: says what is asked; name it without other tables, --k, --l "
                "and --releases"
            )
        planned, known = known_jobs(known_words, methods, *rest)
    elif tables:
        given = {"k": whole_list(k, "--k", 1), "l": whole_list(l, "--l", 1)}
        numbers = {option: values for option, values in given.items() if values}
        if not numbers:
            raise TableError("nothing is required; name --k or --l, or --max-loss")
        spec = _spec(tables[0], question, numbers)
        ids = Asked(vars(counting)).ids
        if ids is not None and releases:
            raise TableError(f"--releases: rows are counted in them, not {ids[0]}s")
        names = chosen_methods(methods, spec)
        planned = list(all_jobs(spec, tables, numbers, names, *rest))
        expect_bounded(spec.input().coding, spec.goal)
    others = _releases(releases, planned)
    if out is not None:
        _make(out)
    try:
        kept = read_kept(out / "best.json") if out else {}
        with ExitStack() as stack:
            store = _store(stack, out)
            at_once = jobs or max(1, usable_cores() // workers)
            used = list({job.method: None for job in planned})
            executor = stack.enter_context(
                local_executor(at_once, used) if dask is None else dask_executor(dask)
            )
            if dask is None and not all(store.has(job.key) for job in planned):
                warm_up(used)
            rows = run(planned, store, executor, math.ceil(memory * 2**30), quiet)
    except ValueError as error:
        raise TableError(str(error)) from error
    except KeyboardInterrupt:
        say("interrupted: finished runs are kept; the same command goes on from there")
        return INTERRUPTED
    lost = _none_ended(rows)
    own = {row["key"] for row in rows}
    rows += [row for row in before if row["key"] not in own]
    rows += others + known
    found = standings(rows, kept)
    rows = with_gaps(rows, found)
    wrong = _wrong(rows, found)
    with Steps() as steps:
        if out is not None:
            _write(out, rows, found, wrong, kept, steps)
        with steps.step("the summary", passing=(OSError,)):
            show(rows, found, as_json)
        for line in dict.fromkeys(_warnings(rows)):
            say(line)
        for line in wrong:
            say(f"error: {line}")
    return BUG if lost or steps.failed else NO if wrong else 0


def _known(table: str) -> bool:
    return table.startswith(KNOWN_AS)


def _spec(
    table: str, question: dict[str, object], numbers: dict[str, list[int]]
) -> Spec:
    """Return the first problem of a sweep."""
    first = {option: values[0] for option, values in numbers.items()}
    spec = Spec.of(table, question | {"k": None, "l": None} | first)
    if spec.kind != "stars":  # which is what a bound is for, unless it is named
        spec = spec.but(objective=spec.kind)
    return spec


def _releases(paths: list[Path] | None, planned: list[Job]) -> list[Row]:
    """Return the rows of the releases that the user has, for each problem."""
    if not paths:
        return []
    problems = list({job.problem: job for job in planned}.values())
    if len({job.spec.table for job in problems}) > 1:
        raise TableError("--releases: expected one TABLE, that they are releases of")
    return [row for job in problems for row in release_rows(paths, job)]


def _make(out: Path) -> None:
    """Make the folder of the outputs."""
    expect_folder_name(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(f"--out: {out}: {error.strerror}") from error
    check_writable(out / "gaps.csv")


def _store(stack: ExitStack, out: Path | None) -> Store:
    folder = out or Path(stack.enter_context(TemporaryDirectory()))
    return Store(folder / "runs.jsonl")


def _write(
    out: Path,
    rows: list[Row],
    found: list[Standing],
    wrong: list[str],
    kept: dict[str, float],
    steps: Steps,
) -> None:
    """Write all files; one that fails leaves the others, and the finished runs."""
    lines, tests = write_files(out, rows, found, kept, steps)
    if why := lacking("report"):
        say(f"{out / 'report.html'} is not written: {why}")
        return
    with steps.step("report"):
        # It takes a second to import.
        from starmin.gaps.gap_page import write_report

        write_report(out, rows, found, wrong, lines, tests)


def _warnings(rows: list[Row]) -> Iterator[str]:
    """Collect what the runs say of columns that look like identifiers."""
    for row in rows:
        yield from (row.get("warnings") or "").splitlines()


def _wrong(rows: list[Row], found: list[Standing]) -> list[str]:
    """Find what cannot be: a bound above a value, a release that does not hold.

    Nor must a run crash; of many that do the first is named.
    """
    wrong = [each.contradiction for each in found if each.contradiction]
    wrong += [f"{row['key']}: {row['why']}" for row in _with(rows, "NOT VALID")]
    if crashed := _with(rows, CRASH):
        first = f"{crashed[0]['key']}: {crashed[0]['why']}"
        wrong.append(f"{len(crashed)} of {len(rows)} runs crashed; the first: {first}")
    return wrong


def _none_ended(rows: list[Row]) -> bool:
    """Check whether some runs crashed, and those that did not were refused at once."""
    crashed = _with(rows, CRASH)
    return bool(crashed) and len(crashed) + len(_with(rows, "refused")) == len(rows)


def _with(rows: list[Row], outcome: str) -> list[Row]:
    return [row for row in rows if row["outcome"] == outcome]
