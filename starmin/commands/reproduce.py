"""starmin reproduce: a table or figure of a paper, or an experiment, by one command."""

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from starmin.auto.choice import solve_by
from starmin.extensions import load_instance
from starmin.inputs import options
from starmin.inputs.declared import argument, option
from starmin.inputs.spec import Spec
from starmin.instances import TableError
from starmin.instances.arguments import nearest
from starmin.process.say import answer, note, show_lines, show_table
from starmin.registry import find

EXAMPLES = (
    "starmin reproduce --list",
    'starmin reproduce "Murakami, Uno: Table 5"',
    'starmin reproduce "Murakami, Uno: Table 8" --rows 500',
    "starmin reproduce --all --list",
)
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"  # of a clone

_SECONDS = 60.0  # for a cell
_SAFE = "PYTHONSAFEPATH"


# Tables and figures of papers, with the papers' own numbers.


@dataclass(frozen=True)
class Shown:
    """A table or figure of a paper: rows are values of one option, columns methods."""

    name: str  # the paper's authors, and what they call it
    shows: str
    instance: str  # ``{n}`` is replaced by the number of rows
    rows: int  # of the paper's table
    varied: str  # the option, or ``d``: how many columns
    values: Sequence[int]
    methods: Mapping[str, str]  # by the names that the paper has for them
    # the numbers of the paper, by method; none: it is a drawing without numbers
    paper: Mapping[str, Sequence[float]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: int = 0  # quasi-identifiers, the first of them; 0: all
    share: bool = False  # values are shares of all cells
    usual: int = 100_000  # rows, at most, where none are named
    why: str = ""  # what of it is otherwise than in the paper, in any case

    def n(self, rows: int | None) -> int:
        """Return how many rows are solved."""
        if "{n}" not in self.instance:
            return self.rows
        return rows or min(self.rows, self.usual)

    def lacks(self, n: int) -> str:
        """Say what is otherwise than in the paper; nothing where it is complete."""
        fewer = f"{n:,} of {self.rows:,} rows" if n < self.rows else ""
        return "; ".join(filter(None, (fewer, self.why)))

    def status(self, n: int) -> str:
        """Say whether it is complete."""
        return f"part: {self.lacks(n)}" if self.lacks(n) else "complete"


def _shown() -> Iterator[Shown]:
    text = files("starmin.commands").joinpath("papers.toml").read_text("utf-8")
    for paper, common in tomllib.loads(text).items():
        for name, own in common.pop("tables").items():
            yield Shown(f"{paper}: {name}", **{**common, **own})


SHOWN = tuple(_shown())


# The scripts of a clone.


@dataclass(frozen=True)
class Experiment:
    """A script of a clone, as ``benchmarks/experiments.toml`` declares it."""

    name: str
    script: str
    minutes: int
    arguments: str = ""
    quick: str | None = None
    needs: Sequence[str] = ()
    page: str = ""

    def command(
        self, data: Path | None, out: Path, quick: bool, pages: bool
    ) -> list[str]:
        """Return the command line."""
        words = (self.quick or "") if quick else self.arguments
        line = [sys.executable, str(BENCHMARKS / f"{self.script}.py")]
        paths = {"data": data or "", "all": out, "out": out / self.name}
        line += [word.format(**paths) for word in words.split()]
        if pages and self.page:
            line += ["--write", str(BENCHMARKS.parent / self.page)]
        return line

    def lacks(self, data: Path | None, quick: bool) -> str:
        """Say why it is passed over; nothing where it can run."""
        if quick and self.quick is None:
            return "it has no small version"
        if data is None:
            needed = ", ".join(self.needs)
            return f"it needs --data, with {needed}" if needed else ""
        absent = [str(data / file) for file in self.needs if not (data / file).exists()]
        return f"no {', '.join(absent)}" if absent else ""


def experiments() -> list[Experiment]:
    """Read what there is; raise TableError outside a clone."""
    try:
        text = (BENCHMARKS / "experiments.toml").read_text("utf-8")
    except OSError:
        raise TableError(
            "experiments are scripts of a clone of the repository, in benchmarks/, and "
            "not installed; `starmin reproduce --list` has what is made without them"
        ) from None
    return [Experiment(name, **each) for name, each in tomllib.loads(text).items()]


def reproduce(
    name: Annotated[
        str | None,
        argument(
            "[NAME]",
            "A table as in the paper, or an experiment; --list names the tables, "
            "--all --list the experiments.",
        ),
    ] = None,
    every: Annotated[
        bool,
        option(
            "--all", "Every experiment of a clone, but for those that are done in DIR."
        ),
    ] = False,
    listed: Annotated[
        bool, option("--list", "Say what there is, and what of it is here.")
    ] = False,
    rows: Annotated[
        int | None,
        option(
            "N", "Of the generated table; default: as many as take minutes.", min=100
        ),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "DIR",
            "Folder of what experiments write: NAME.log, and NAME.done at the end.",
        ),
    ] = None,
    data: Annotated[
        Path | None, option("DIR", "Folder of the tables that some experiments need.")
    ] = None,
    quick: Annotated[
        bool, option("--quick", "Small versions of experiments, in DIR/quick.")
    ] = False,
    pages: Annotated[
        bool, option("--pages", "Let experiments renew the rows of the docs.")
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Make a table or figure of a paper again, beside the paper's own numbers.

    Its data are in the package or generated, so nothing has to be fetched. The last
    lines say whether it is complete, or what is otherwise than in the paper. In a clone
    of the repository, --all runs every experiment behind the page on the papers, which
    takes days, and goes on where it was stopped; those that need files name them.
    """
    if (name is None) != (every or listed):
        raise TableError("name a table as in the paper, --list, or --all")
    if listed:
        _show_all(every, rows, as_json)
        return 0
    shown = _find(str(name)) if name else None
    if not isinstance(shown, Shown):
        if rows is not None:
            raise TableError("--rows is for tables of papers; experiments have --quick")
        if out is None:
            raise TableError("name --out, the folder of what experiments write")
        if data is not None and not data.is_dir():
            raise TableError(f"{data}: no such folder")
        chosen = [shown] if shown else experiments()
        where = out / "quick" if quick else out  # what is small there is not done here
        where.mkdir(parents=True, exist_ok=True)
        return _run_all(chosen, data, where, quick, pages, as_json)
    if out or data or quick or pages:
        raise TableError("--out, --data, --quick and --pages are for experiments")
    n, started = shown.n(rows), time.perf_counter()
    found = list(_measured(shown, n, quiet))
    seconds = time.perf_counter() - started
    if as_json:
        told = {"name": shown.name, "shows": shown.shows, "status": shown.status(n)}
        answer(json.dumps(told | {"seconds": round(seconds, 1), "rows": found}))
        return 0
    columns = tuple(found[0])
    cells = [tuple(_cell(row[head], shown.share) for head in columns) for row in found]
    show_table(columns, cells)
    counts = "share of all cells that are hidden" if shown.share else "cells hidden"
    show_lines(
        [
            ("shows", f"{shown.shows}: {counts}"),
            ("status", shown.status(n)),
            ("seconds", f"{seconds:.1f}"),
        ]
    )
    return 0


def _show_all(every: bool, rows: int | None, as_json: bool) -> None:
    """List the experiments, or the tables."""
    made: list[dict[str, str]] = [
        {"name": each.name, "shows": each.shows, "status": each.status(each.n(rows))}
        for each in SHOWN
    ]
    if every:
        made = [
            {
                "name": each.name,
                "script": f"benchmarks/{each.script}.py",
                "minutes": str(each.minutes),
                "needs": ", ".join(each.needs),
            }
            for each in experiments()
        ]
    if as_json:
        answer(json.dumps(made))
    else:
        show_table(tuple(made[0]), [tuple(each.values()) for each in made])


def _find(name: str) -> Shown | Experiment:
    """Find a table by its name, whatever its capitals; raise TableError for none."""
    known: dict[str, Shown | Experiment] = {
        " ".join(each.name.lower().split()): each for each in SHOWN
    }
    asked = " ".join(name.lower().split())
    if asked not in known and (BENCHMARKS / "experiments.toml").exists():
        known |= {each.name: each for each in experiments()}
    if asked not in known:
        raise TableError(
            f"no table {name!r}{nearest(asked, known)}; `starmin reproduce --list` has "
            "all that take minutes, `--all --list` the experiments of a clone"
        )
    return known[asked]


def _run_all(
    chosen: Sequence[Experiment],
    data: Path | None,
    out: Path,
    quick: bool,
    pages: bool,
    as_json: bool,
) -> int:
    """Run what is not done, and return 1 if one of them failed."""
    ended: dict[str, str] = {}
    for each in chosen:
        done = out / f"{each.name}.done"
        if done.exists():
            told = "done before"
        elif lacks := each.lacks(data, quick):
            told = f"passed over: {lacks}"
        else:
            told = _run(each.command(data, out, quick, pages), done)
        ended[each.name] = told
        if not as_json:
            answer(f"{each.name:34} {told}", now=True)
    if as_json:
        answer(json.dumps(ended))
    return int(any(told.startswith("failed") for told in ended.values()))


def _run(line: list[str], done: Path) -> str:
    """Run one, and return how it ended: by ``done`` it is not repeated."""
    started, log = time.perf_counter(), done.with_suffix(".log")
    # Scripts import what lies beside them, which commands of ours do not.
    env = {name: value for name, value in os.environ.items() if name != _SAFE}
    with log.open("ab") as file:
        code = subprocess.run(line, stdout=file, stderr=file, env=env).returncode
    if code:
        return f"failed ({code}); see {log}"
    done.write_text(" ".join(line) + "\n", "utf-8")
    return f"{time.perf_counter() - started:.0f} s"


def _measured(shown: Shown, n: int, quiet: bool) -> Iterator[dict[str, Any]]:
    """Solve the problems of a table, and yield its rows."""
    name = shown.instance.format(n=n)
    table = load_instance(name)
    for at, value in enumerate(shown.values):
        row: dict[str, Any] = {shown.varied: value}
        asked = dict(shown.options)
        columns = value if shown.varied == "d" else shown.columns
        asked |= {} if shown.varied == "d" else {shown.varied: value}
        asked |= {"qi": ",".join(table.qi[:columns])} if columns else {}
        problem = Spec.of(f"instance:{name}", asked).input().open()[0]
        for head, method in shown.methods.items():
            timed = "time_limit" in find(method).options()
            limits = {"time_limit": _SECONDS} if timed else {}
            found = solve_by(method, problem, limits)
            if shown.share and found.value is not None:
                row[head] = found.value / (problem.table.n * problem.table.d)
            else:
                row[head] = found.value
            if shown.paper:
                row[f"{head}, paper"] = shown.paper[head][at]
        if not quiet:
            note(f"{shown.varied} = {value}: done")
        yield row


def _cell(value: Any, share: bool) -> str:
    if isinstance(value, float) and share:
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
