"""Show what a sweep found of each problem: as standings, on the screen, in files."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from rich import progress
from rich.console import Console

from starmin.gaps import sweep_statistics as stats
from starmin.gaps.job import Job
from starmin.gaps.store import Row, Store, is_number
from starmin.gaps.sweep import sweep
from starmin.inputs.roles import INSTANCE
from starmin.instances.catalogue.known import best_known
from starmin.instances.runs.result import gap_of, gap_text, is_near
from starmin.outputs.files import as_lines, csv_text, write_text
from starmin.process.say import answer, note, number_text, say, show_table
from starmin.process.steps import Steps


@dataclass(frozen=True)
class Standing:
    """The state of one problem."""

    problem: str
    table: str
    asked: str
    # value, by: the least value of all runs, and the methods that reached it
    value: float | None
    by: tuple[str, ...]
    # bound, bound_by: the best bound, and the method that proved it
    bound: float | None
    bound_by: str | None
    # the best bound that a certificate proves, which was checked
    certified: float | None
    # the least value known before: of the catalogue or of earlier sweeps
    known: float | None
    # the largest gap that is called optimal: above 0 for losses
    tolerance: float = 0.0

    @property
    def best(self) -> float | None:
        """The least value there is."""
        values = [v for v in (self.value, self.known) if v is not None]
        return min(values, default=None)

    @property
    def contradiction(self) -> str | None:
        """What cannot be: a bound above a value."""
        if self.best is None or self.bound is None or self.bound <= self.best:
            return None
        return f"{self.problem}: bound {self.bound} above the value {self.best}"

    def settles(self, bound: float | None) -> bool:
        """Check whether no value is less by a bound, but for the tolerance."""
        return self.best == 0 or is_near(self.best, bound, self.tolerance)

    def gap(self, value: float | None) -> float | None:
        """Return the gap of a value to the best bound; None where it is not defined."""
        return gap_of(value, self.bound)


def standings(
    rows: Sequence[Row], kept: dict[str, float] | None = None
) -> list[Standing]:
    """Return one standing for each problem, in the order of the rows of a sweep.

    ``kept`` has the least values of earlier sweeps by problem.

    >>> row = {"problem": "t --k 2", "table": "t", "asked": "k 2", "outcome": "ok"}
    >>> rows = [
    ...     row | {"method": "a", "value": 12, "lower_bound": None},
    ...     row | {"method": "b", "value": None, "lower_bound": 10},
    ... ]
    >>> standing, = standings(rows)
    >>> standing.value, standing.bound, standing.gap(12)
    (12, 10, 0.2)
    """
    problems: dict[str, list[Row]] = {}
    for row in rows:
        problems.setdefault(row["problem"], []).append(row)
    return [_standing(each, kept or {}) for each in problems.values()]


def _standing(rows: list[Row], kept: dict[str, float]) -> Standing:
    good = [row for row in rows if row["outcome"] == "ok"]

    def told(key: str) -> list[Row]:
        return [row for row in good if row.get(key) is not None]

    value = min((row["value"] for row in told("value")), default=None)
    by = dict.fromkeys(r["method"] for r in told("value") if r["value"] == value)
    bounds, proven = told("lower_bound"), told("certified_bound")
    best: Row = max(bounds, key=lambda row: row["lower_bound"], default={})
    problem, table, asked = (rows[0][key] for key in ("problem", "table", "asked"))
    known = [kept[problem]] if problem in kept else []
    return Standing(
        *(problem, table, asked, value, tuple(by)),
        best.get("lower_bound"),
        best.get("bound_method") or best.get("method"),
        max((row["certified_bound"] for row in proven), default=None),
        min(known + _of_catalogue(rows[0]), default=None),
        max((row.get("tolerance") or 0.0 for row in good), default=0.0),
    )


def _of_catalogue(row: Row) -> list[float]:
    """Return the best known values, where columns and objective are the catalogue's."""
    table, words = row["table"], row.get("options", [])
    pairs = dict(zip(words[::2], words[1::2], strict=True))
    kind = pairs.pop("--objective", "stars")
    numbers = int(pairs.pop("--k", 1)), int(pairs.pop("--l", 1))
    if pairs or not table.startswith(INSTANCE):
        return []
    known = best_known(table.removeprefix(INSTANCE))
    plain = (k for k in known if (k.k, k.l) == numbers and not k.options)
    return [k.value for k in plain if k.kind == kind]


def read_kept(path: Path) -> dict[str, float]:
    """Read the least values of earlier sweeps; raise ValueError for another file."""
    if not path.exists():
        return {}
    try:
        kept = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict) or not all(map(is_number, kept.values())):
        raise ValueError(f"{path}: no values of gaps; name another --out")
    return kept


def to_keep(found: Sequence[Standing], kept: dict[str, float]) -> dict[str, float]:
    """Return the kept values, with what this sweep found better."""
    new = {each.problem: each.best for each in found if each.best is not None}
    return kept | new


# What a sweep tells on the screen: a bar or lines as it runs, then the table.

HEADER = ("table", "asked", "method", "value", "bound", "gap", "seconds", "outcome")


def run(
    planned: list[Job], store: Store, executor: Executor, memory: int, quiet: bool
) -> list[Row]:
    """Run the sweep, with a bar on a terminal and a line for each run elsewhere.

    Of the planned runs, those in the store are not repeated; it keeps the row of each.
    Each run may allocate ``memory`` bytes; 0: as many as there are. Nothing of the
    progress is shown where ``quiet``.
    """
    done = sum(store.has(job.key) for job in planned)
    console = Console(stderr=True)
    shown = console.is_terminal and not quiet
    with progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=console,
        disable=not shown,
    ) as bar:
        task = bar.add_task("runs", total=len(planned), completed=done)

        def tell(row: Row) -> None:
            bar.update(task, advance=1, description=row["method"])
            if not shown and not quiet:
                note("  ".join(_cells(row)))

        return sweep(planned, store, executor, memory, tell)


def _cells(row: Row) -> tuple[str, ...]:
    """Write a row as people read it."""
    why = f": {shorten(row['why'], 80, placeholder=' ..')}" if row.get("why") else ""
    return (
        *(row["table"], row["asked"], row["method"]),
        *(number_text(row.get(name)) for name in ("value", "lower_bound")),
        gap_text(row.get("gap")),
        f"{row['seconds']:.1f}" if "seconds" in row else "-",
        row["outcome"] + why,
    )


def show(rows: list[Row], found: list[Standing], as_json: bool) -> None:
    """Show the table, and of each problem the best."""
    if as_json:
        answer(json.dumps({"runs": rows, "problems": [vars(each) for each in found]}))
        return
    show_table(HEADER, [_cells(row) for row in rows])
    for each in found:
        best, bound = number_text(each.best), number_text(each.bound)
        best += " (known before)" if each.best != each.value else ""
        gap = gap_text(each.gap(each.best))
        say(f"{each.table}, {each.asked}: best {best}, bound {bound}, gap {gap}")


# The files of a sweep: gaps.csv, gaps.json and what is kept between sweeps.

COLUMNS = (
    *("table", "asked", "method", "kind", "seed", "time_limit", "outcome", "status"),
    *("limit", "value", "lower_bound", "certified_bound", "certificate_checked"),
    *("gap", "primal_integral", "gap_integral", "stars", "groups", "gcp", "n", "d"),
    *("seconds", "process_seconds", "mebibytes", "why"),
)


def with_gaps(rows: Sequence[Row], found: Sequence[Standing]) -> list[Row]:
    """Add to each row its gap against the best bound of its problem, and integrals.

    The gap over time is that to its own bound; a method without bounds has none.
    """
    of, told = {each.problem: each for each in found}, list[Row]()
    for row in rows:
        standing, limit = of[row["problem"]], row.get("time_limit", 0.0)
        gaps: Row = {"gap": standing.gap(row.get("value"))}
        points = row.get("trajectory", ()) if row["outcome"] == "ok" else ()
        if any(value is not None for _, value, _ in points):
            gaps["primal_integral"] = stats.primal_integral(
                points, standing.best, limit
            )
        if any(bound is not None for _, _, bound in points):
            gaps["gap_integral"] = stats.gap_integral(points, limit)
        told.append(row | gaps)
    return told


def write_files(
    out: Path,
    rows: Sequence[Row],
    found: Sequence[Standing],
    kept: dict[str, float],
    steps: Steps,
) -> tuple[list[stats.Aggregate], list[stats.Paired]]:
    """Write all but the page, which tells what is returned, too.

    One file that fails leaves the others. ``gaps.csv`` has a line for each run,
    ``summary.csv`` one for each problem and method, ``best.json`` the least values, for
    later sweeps to compare with.
    """

    def write(name: str, text: Callable[[], str]) -> None:
        write_text(out / name, text, steps, name)

    write("gaps.csv", lambda: csv_text(COLUMNS, rows))
    lines = stats.aggregates(rows)
    tests, told = stats.paired_tests(lines), [each.as_row() for each in lines]
    write("summary.csv", lambda: csv_text([*told[0]] if told else [], told))
    write("gaps.json", lambda: _json(rows, found, tests))
    write("best.json", lambda: as_lines(dict(sorted(to_keep(found, kept).items()))))
    return lines, tests


def _json(
    rows: Sequence[Row], found: Sequence[Standing], tests: Sequence[stats.Paired]
) -> str:
    """Write runs, problems and tests; every run with the command that repeats it."""
    problems = [
        vars(each) | {"best": each.best, "contradiction": each.contradiction}
        for each in found
    ]
    runs = [row | {"command": f"starmin {row['key']}"} for row in rows]
    compared = [vars(each) | {"verdict": each.verdict} for each in tests]
    return as_lines({"problems": problems, "runs": runs, "comparisons": compared})
