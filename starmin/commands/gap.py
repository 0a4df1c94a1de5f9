"""starmin gap: methods x instances x requirements, and the gaps between them."""

import math
from contextlib import ExitStack
from itertools import chain, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from starmin.cli import limited
from starmin.gaps import standings
from starmin.gaps.job import (
    KNOWN_AS,
    Job,
    PrivacyJob,
    all_jobs,
    bounds_list,
    chosen_methods,
    chosen_privacy_methods,
    expect_bounded,
    known_jobs,
    whole_list,
)
from starmin.gaps.standings import Standing
from starmin.gaps.store import CRASH, Row, Store, joined_rows
from starmin.gaps.sweep import local_executor, release_rows, warm_up
from starmin.inputs import option_groups, options
from starmin.inputs.declared import (
    Listed,
    argument,
    of_objective,
    of_output,
    of_run,
    of_table,
    option,
)
from starmin.inputs.option_groups import ungrouped, with_groups
from starmin.inputs.spec import Spec
from starmin.instances import TableError, check_writable
from starmin.instances.errors import lacking
from starmin.instances.io.atomic import make_folder
from starmin.instances.releases.coding import RecodingName as AnyRecoding
from starmin.instances.requirements.requirements import Asked
from starmin.instances.runs.cores import usable_cores
from starmin.process.dask_workers import dask_workers
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


@by_recipe(*TAKEN)
@with_groups
def gap(
    tables: Annotated[
        list[str] | None,
        argument(
            "TABLE...",
            f"Files {options.READABLE}; instance:NAME; known:KIND for all problems of "
            "a kind whose optima are proven (stars, ranges, l, rules, "
            "non-homogeneous). None, where folders are joined alone.",
        ),
    ] = None,
    *,
    recipe: options.RecipeFile = None,
    columns: option_groups.ColumnOptions,
    k: Annotated[str | None, option("2,5,..", "Values of k."), Listed()] = None,
    l: Annotated[str | None, option("2,4,..", "Values of l."), Listed()] = None,
    max_loss: Annotated[
        str | None,
        option(
            "--max-loss E,..",
            "Instead of --k and --l: compare the methods of `starmin "
            "accuracy-constrained` under these bounds; values are 1 / privacy.",
        ),
        Listed(),
    ] = None,
    counting: option_groups.CountingOptions,
    recoding: Annotated[
        AnyRecoding,
        of_objective("--recoding", "How groups are published, as for solve."),
    ] = "suppression",
    ranges: option_groups.GeneralizationOptions,
    objective: Annotated[
        options.Kind | None,
        of_objective(
            "--objective", "As for solve. [default: gcp for generalization, else stars]"
        ),
    ] = None,
    costs: option_groups.CostOptions,
    releases: Annotated[
        list[Path] | None,
        of_table(
            "--releases FILE",
            "A release of TABLE, whoever made it, to be recounted and shown beside "
            "ours; repeat for others.",
        ),
    ] = None,
    join: Annotated[
        list[Path] | None,
        of_table(
            "DIR",
            "The --out folder of another sweep, whose runs are shown beside these; "
            "repeat for others.",
        ),
    ] = None,
    methods: Annotated[
        str | None,
        of_run(
            "A,B,..",
            "Methods and bounds of `starmin methods`, and auto; default: auto and "
            "every heuristic and bound that takes the problem.",
        ),
        Listed(),
    ] = None,
    seeds: Annotated[str, of_run("0,1,..", "Seeds."), Listed()] = "0",
    time_limit: Annotated[
        float, of_run("--time-limit SECONDS", "For each run.", min=0.1)
    ] = 60.0,
    memory: Annotated[
        float,
        of_run(
            "GIB",
            "For each run; a run that needs more is a row that says so. 0: no limit.",
            min=0.0,
        ),
    ] = 0.0,
    jobs: Annotated[
        int | None,
        of_run(
            "N",
            "How many runs at a time. [default: as many as have --workers cores each]",
            min=1,
        ),
    ] = None,
    workers: Annotated[int, of_run("--workers N", "Cores of each run.", min=1)] = 1,
    dask: Annotated[
        str | None,
        of_run(
            "tcp://HOST:PORT",
            "The scheduler of a Dask cluster to run on; its workers read the tables.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        of_output(
            "DIR",
            "Folder of report.html and its figures, runs.jsonl (finished runs are not "
            "repeated), gaps.csv, summary.csv, gaps.json and best.json.",
        ),
    ] = None,
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
    drawn = whole_list(seeds, "--seeds")
    limits: dict[str, Any] = {"time_limit": time_limit, "workers": workers}
    if tables and max_loss is not None:
        if k or l or releases:
            raise TableError("--max-loss: name it without --k, --l and --releases")
        spec = Spec.of(tables[0], question | {"k": None, "l": None})
        losses, names = bounds_list(max_loss), chosen_privacy_methods(methods, spec)
        firsts = [PrivacyJob(spec, "", max_loss=loss, **limits) for loss in losses]
        planned = list(all_jobs(firsts, tables, names, drawn))
    elif tables and any(table.startswith(KNOWN_AS) for table in tables):
        named = [t.removeprefix(KNOWN_AS) for t in tables if t.startswith(KNOWN_AS)]
        if k or l or releases or len(named) < len(tables):
            raise TableError(
                "known:..: says what is asked; name it without other tables, --k, --l "
                "and --releases"
            )
        planned, known = known_jobs(named, methods, drawn, **limits)
    elif tables:
        given = {"k": whole_list(k, "--k", 1), "l": whole_list(l, "--l", 1)}
        numbers = {option: values for option, values in given.items() if values}
        if not numbers:
            raise TableError("nothing is required; name --k or --l, or --max-loss")
        first = {option: values[0] for option, values in numbers.items()}
        spec = Spec.of(tables[0], question | {"k": None, "l": None} | first)
        if spec.kind != "stars":  # which is what a bound is for, unless it is named
            spec = spec.but(objective=spec.kind)
        ids = Asked(vars(counting)).ids
        if ids is not None and releases:
            raise TableError(f"--releases: rows are counted in them, not {ids[0]}s")
        names = chosen_methods(methods, spec)
        each = (dict(zip(numbers, v, strict=True)) for v in product(*numbers.values()))
        problems = [Job(spec.but(**asked), "", **limits) for asked in each]
        planned = list(all_jobs(problems, tables, names, drawn))
        expect_bounded(spec.input().coding, spec.goal)
    others = _releases(releases, planned)
    if out is not None:
        make_folder(out, "--out")
        check_writable(out / "gaps.csv")
    try:
        kept = standings.read_kept(out / "best.json") if out else {}
        with ExitStack() as stack:
            folder = out or Path(stack.enter_context(TemporaryDirectory()))
            store = Store(folder / "runs.jsonl")
            at_once = jobs or max(1, usable_cores() // workers)
            used = list({job.method: None for job in planned})
            if dask is not None:
                executor, _ = stack.enter_context(dask_workers(dask))
            else:
                executor = stack.enter_context(local_executor(at_once, used))
                if not all(store.has(job.key) for job in planned):
                    warm_up(used)
            rows = standings.run(
                planned, store, executor, math.ceil(memory * 2**30), quiet
            )
    except ValueError as error:
        raise TableError(str(error)) from error
    except KeyboardInterrupt:
        say("interrupted: finished runs are kept; the same command goes on from there")
        return INTERRUPTED
    crashed = _with(rows, CRASH)  # and those that did not were refused at once
    lost = bool(crashed) and len(crashed) + len(_with(rows, "refused")) == len(rows)
    own = {row["key"] for row in rows}
    rows += [row for row in before if row["key"] not in own]
    rows += others + known
    found = standings.standings(rows, kept)
    rows = standings.with_gaps(rows, found)
    wrong = _wrong(rows, found)
    with Steps() as steps:
        if out is not None:
            _write(out, rows, found, wrong, kept, steps)
        with steps.step("the summary", passing=(OSError,)):
            standings.show(rows, found, as_json)
        cautions = ((row.get("warnings") or "").splitlines() for row in rows)
        for line in dict.fromkeys(chain.from_iterable(cautions)):
            say(line)
        for line in wrong:
            say(f"error: {line}")
    return BUG if lost or steps.failed else NO if wrong else 0


def _releases(paths: list[Path] | None, planned: list[Job]) -> list[Row]:
    """Return the rows of the releases that the user has, for each problem."""
    if not paths:
        return []
    problems = list({job.problem: job for job in planned}.values())
    if len({job.spec.table for job in problems}) > 1:
        raise TableError("--releases: expected one TABLE, that they are releases of")
    return [row for job in problems for row in release_rows(paths, job)]


def _write(
    out: Path,
    rows: list[Row],
    found: list[Standing],
    wrong: list[str],
    kept: dict[str, float],
    steps: Steps,
) -> None:
    """Write all files; one that fails leaves the others, and the finished runs."""
    lines, tests = standings.write_files(out, rows, found, kept, steps)
    if why := lacking("report"):
        say(f"{out / 'report.html'} is not written: {why}")
        return
    with steps.step("report"):
        # It takes a second to import.
        from starmin.gaps.gap_page import write_report

        write_report(out, rows, found, wrong, lines, tests)


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


def _with(rows: list[Row], outcome: str) -> list[Row]:
    return [row for row in rows if row["outcome"] == outcome]
