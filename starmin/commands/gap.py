"""starmin gap: methods x instances x requirements, and the gaps between them."""

import math
from collections.abc import Iterator
from contextlib import ExitStack
from functools import reduce
from operator import and_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Requirement,
    TableError,
    check_writable,
)
from starmin.auto.dispatch import AUTO
from starmin.gaps.files import with_gaps, write_csv, write_json, write_kept
from starmin.gaps.job import jobs
from starmin.gaps.screen import run, show
from starmin.gaps.standings import Row, Standing, read_kept, standings, to_keep
from starmin.gaps.store import Store
from starmin.gaps.sweep import dask_executor, local_executor
from starmin.inputs import options
from starmin.inputs.loading import say
from starmin.inputs.names import split, whole_numbers
from starmin.process.interrupts import INTERRUPTED
from starmin.registry.methods import find, supporting

EXAMPLES = (
    "starmin gap instance:hospital --k 2,3 --methods pattern_ilp,forest,own_pattern",
    "starmin gap instance:mortgages --k 5 --methods auto,mondrian --out gaps",
)

Tables = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE...",
        help="Files .csv, .csv.gz or .parquet, or instance:NAME.",
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
]
Numbers = Annotated[str | None, typer.Option(metavar="2,5,..", help="Values of k.")]
Diverse = Annotated[str | None, typer.Option(metavar="2,4,..", help="Values of l.")]
Seeds = Annotated[
    str, typer.Option(metavar="0,1,..", help="Seeds.", rich_help_panel="Run")
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
        "repeated), gaps.csv, gaps.json and best.json.",
        rich_help_panel="Output",
    ),
]


def gap(
    tables: Tables,
    qi: options.Qi = None,
    sensitive: options.Sensitive = None,
    drop: options.Drop = None,
    sep: options.Sep = ",",
    k: Numbers = None,
    l: Diverse = None,
    objective: options.ObjectiveKind = "stars",
    methods: Methods = None,
    seeds: Seeds = "0",
    time_limit: Limit = 60.0,
    memory: Memory = 0.0,
    workers: options.Workers = None,
    dask: Dask = None,
    out: Out = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Measure the gaps between methods, and between each of them and the best bound.

    Each run is a command in a process of its own; what it publishes is verified, and
    a run that crashes or does not end is a row like any other. With --out the sweep
    can be stopped at any time and goes on where it was.
    """
    asked = {"--k": _numbers(k, "--k"), "--l": _numbers(l, "--l")}
    asked = {option: values for option, values in asked.items() if values}
    if not asked:
        raise TableError("nothing is required; name --k or --l")
    roles = _roles(
        qi=qi, sensitive=sensitive, drop=drop, sep=None if sep == "," else sep
    )
    roles += () if objective == "stars" else ("--objective", objective)
    names = _methods(methods, asked, objective)
    planned = list(
        jobs(
            tables,
            asked,
            names,
            whole_numbers(seeds, "--seeds", least=0),
            roles,
            time_limit,
        )
    )
    if out is not None:
        _make(out)
    try:
        kept = read_kept(out / "best.json") if out else {}
        with ExitStack() as stack:
            store = _store(stack, out)
            executor = stack.enter_context(
                local_executor(workers) if dask is None else dask_executor(dask)
            )
            rows = run(planned, store, executor, math.ceil(memory * 2**30), quiet)
    except ValueError as error:
        raise TableError(str(error)) from error
    except KeyboardInterrupt:
        say("interrupted: finished runs are kept; the same command goes on from there")
        return INTERRUPTED
    found = standings(rows, kept)
    rows = with_gaps(rows, found)
    if out is not None:
        _write(out, rows, found, kept)
    show(rows, found, as_json)
    for line in dict.fromkeys(_warnings(rows)):
        say(line)
    wrong = _wrong(rows, found)
    for line in wrong:
        say(f"error: {line}")
    return int(bool(wrong))


def _numbers(text: str | None, option: str) -> tuple[str, ...]:
    """Parse the values of an option, each a whole number of at least 1."""
    return tuple(map(str, whole_numbers(text, option))) if text else ()


def _roles(**given: str | None) -> tuple[str, ...]:
    """Return the options of the columns, for the commands of the runs."""
    return tuple(
        word
        for name, value in given.items()
        if value is not None
        for word in (f"--{name}", value)
    )


def _methods(
    text: str | None, asked: dict[str, tuple[str, ...]], objective: options.Kind
) -> list[str]:
    """Choose the methods to run: those that are named, or all that take the problem."""
    if text is not None:
        names = list(dict.fromkeys(split(text, "--methods")))
        for name in names:
            if name != AUTO:
                find(name)
        return names
    parts: list[Requirement] = []
    if "--k" in asked:
        parts.append(KAnonymity(int(asked["--k"][0])))
    if "--l" in asked:
        parts.append(LDiversity(int(asked["--l"][0])))
    requirement = reduce(and_, parts)
    takers = supporting(requirement, Objective(objective), "heuristic", "bound")
    return [AUTO, *(method.name for method in takers)]


def _make(out: Path) -> None:
    """Make the folder of the outputs."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(f"--out: {out}: {error.strerror}") from error
    check_writable(out / "gaps.csv")


def _store(stack: ExitStack, out: Path | None) -> Store:
    folder = out or Path(stack.enter_context(TemporaryDirectory()))
    return Store(folder / "runs.jsonl")


def _write(
    out: Path, rows: list[Row], found: list[Standing], kept: dict[str, float]
) -> None:
    write_csv(out / "gaps.csv", rows)
    write_json(out / "gaps.json", rows, found)
    write_kept(out / "best.json", to_keep(found, kept))
    from starmin.report.gap_page import write_report  # it takes a second to import

    write_report(out, rows, found, _wrong(rows, found))


def _warnings(rows: list[Row]) -> Iterator[str]:
    """Collect what the runs say of columns that look like identifiers."""
    for row in rows:
        yield from (row.get("warnings") or "").splitlines()


def _wrong(rows: list[Row], found: list[Standing]) -> list[str]:
    """Find what cannot be: a bound above a value, a release that does not hold."""
    wrong = [each.contradiction for each in found if each.contradiction]
    return wrong + [
        f"{row['key']}: {row['why']}" for row in rows if row["outcome"] == "NOT VALID"
    ]
