"""The report of a sweep: report.html and its figures as files."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from starmin.gaps.comparisons import Runs, comparisons
from starmin.gaps.standings import Standing
from starmin.gaps.store import Row
from starmin.gaps.sweep_statistics import Aggregate, Paired
from starmin.instances.runs.result import to_tolerance
from starmin.process.say import number_text
from starmin.process.steps import write_file
from starmin.report import drawing
from starmin.report.drawing import FAINT, INK, LIGHT, SERIES, WIDTH, Drawing
from starmin.report.page import NONE, Cell, DataTable, number, render, share

MOST = 12  # problems with a figure
_BARS = 24  # of a figure
_number = partial(number_text, unknown="unknown", digits=4)


def value_bars(rows: Sequence[Row], found: Sequence[Standing]) -> list[Drawing]:
    """Draw bars for each of the first problems that have a value."""
    shown = [each for each in found if each.value is not None][:MOST]
    with drawing.style():
        return [
            _bars(i, each, [r for r in rows if r["problem"] == each.problem])
            for i, each in enumerate(shown, 1)
        ]


def _bars(place: int, problem: Standing, rows: Sequence[Row]) -> Drawing:
    bars = _least(rows, "value", min)[:_BARS]
    bounds = _least(rows, "lower_bound", max, kind="bound")[::-1]
    every = [*bars, *bounds]
    count, names = len(every), [name for name, _ in every]
    figure, (axes,) = drawing.new_figure(0.75 + 0.24 * count)
    bound = problem.bound or 0
    most = max(value for _, value in every)
    for y, (_, value) in enumerate(bars):
        axes.barh(y, min(value, bound), color=LIGHT, height=0.62)
        axes.barh(y, max(value - bound, 0), left=bound, color=SERIES[0], height=0.62)
        _note(axes, y, max(value, bound), _told(problem, value))
    for y, (_, value) in enumerate(bounds, len(bars)):
        axes.barh(y, value, facecolor="none", edgecolor=FAINT, height=0.62)
        _note(axes, y, max(value, bound), _number(value))
    if problem.bound is not None:
        axes.axvline(bound, color=INK, linewidth=1)
    axes.set_yticks(range(count), [drawing.label(name) for name in names])
    # How much wider than its longest bar a panel is, for the notes to fit.
    inches = WIDTH - 0.3 - 0.068 * max(len(drawing.label(name)) for name in names)
    room = inches / (inches - 0.15 - 0.062 * len(_told(problem, most)))
    axes.set(xlim=(0, (most or 1) * room), ylim=(count - 0.4, -0.6))
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(left=False, bottom=False, labelbottom=False)
    return Drawing.of(
        f"values-{place}",
        f"{problem.table}, {problem.asked}",
        _summary(problem),
        f"Bars of the values of {len(bars)} methods and {len(bounds)} lower bounds on "
        f"{problem.table}, {problem.asked}. {_summary(problem)}",
        figure,
    )


def _note(axes: Axes, y: float, x: float, text: str) -> None:
    """Write a text right of the end of a bar."""
    how: Any = {"textcoords": "offset points", "va": "center", "fontsize": 8.5}
    axes.annotate(text, (x, y), xytext=(4, 0), **how)


def _least(
    rows: Sequence[Row], what: str, choose: Any, kind: str = ""
) -> list[tuple[str, float]]:
    """Return the methods with the best they reached, over seeds; the least first."""
    best: dict[str, float] = {}
    for row in rows:
        value = row.get(what)
        if row["outcome"] == "ok" and value is not None and kind in ("", row["kind"]):
            best[row["method"]] = choose(value, best.get(row["method"], value))
    return sorted(best.items(), key=lambda pair: pair[1])


def _summary(problem: Standing) -> str:
    best, bound = _number(problem.best), _number(problem.bound)
    gap = problem.gap(problem.best)
    told = "" if gap is None else f", gap {share(gap).text}"
    return f"Best {best}, bound {bound}{told}."


def _told(problem: Standing, value: float) -> str:
    gap = problem.gap(value)
    return _number(value) if gap is None else f"{_number(value)} ({share(gap).text})"


_FINE = ("ok", "infeasible", "refused")


def write_report(
    folder: Path,
    rows: Sequence[Row],
    found: Sequence[Standing],
    wrong: Sequence[str],
    lines: Sequence[Aggregate] = (),
    tests: Sequence[Paired] = (),
) -> None:
    """Write ``report.html`` and ``figures/*.png, *.svg, *.pdf`` into a folder.

    The folder is that of the sweep, and is there. Each of ``rows`` has its gap;
    ``found`` are the standings of the problems, and ``wrong`` is what cannot be and was
    found nevertheless. ``lines`` has a line for each problem and method, over its
    seeds; ``tests`` are pairs of methods.
    """
    runs = Runs.of(rows, {each.problem: each.best for each in found})
    compared, values = comparisons(runs), value_bars(rows, found)
    (folder / "figures").mkdir(exist_ok=True)
    skipped = sum(each.value is not None for each in found) - len(values)
    omitted = f"The first {MOST} problems; {skipped} more are in the table above."
    most = max((each.tolerance for each in found), default=0.0)
    page = render(
        "gap.html",
        title="Gaps between methods",
        many=len({row["method"] for row in rows}),
        of=len(found),
        proven=_proven(found),
        solved=sum(each.settles(each.bound) for each in found),
        losses=to_tolerance(most) if most else "",
        tiles=_tiles(rows, found),
        alarms=wrong,
        problems=_problems(found),
        methods=_methods(rows, runs),
        aggregates=_aggregates(lines),
        tests=_tests(tests),
        comparisons=compared,
        values=values,
        omitted=omitted if skipped else "",
        runs=_runs(rows),
    )
    files = {"report.html": page.encode(errors="replace")}
    for each in (*compared, *values):
        files |= {f"figures/{name}": file for name, file in each.files().items()}
    for name, content in files.items():
        write_file(folder / name, content)


def _proven(found: Sequence[Standing]) -> int:
    """Count the problems whose best value a certificate proves optimal."""
    return sum(each.settles(each.certified) for each in found)


def _tiles(
    rows: Sequence[Row], found: Sequence[Standing]
) -> list[tuple[str, str, str]]:
    gaps = [gap for each in found if (gap := each.gap(each.best)) is not None]
    failed = sum(row["outcome"] not in ("ok", "infeasible") for row in rows)
    hours = sum(row.get("seconds", 0.0) for row in rows) / 3600
    return [
        ("Runs", f"{len(rows):,}", f"{failed:,} without a result"),
        ("Proven optimal", f"{_proven(found)} of {len(found)}", "problems"),
        ("Median gap", share(_median(gaps)).text, "of the best values"),
        ("Greatest gap", share(max(gaps, default=None)).text, "of the best values"),
        ("Time", f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.1f} min", "in all"),
    ]


def _problems(found: Sequence[Standing]) -> DataTable:
    header = "Table|Asked|#Best value|#Best bound|%Gap|Found by|Bound by|#Known before"
    rows = [
        (
            *(each.table, each.asked, each.best, each.bound, each.gap(each.best)),
            ", ".join(each.by) if each.value == each.best else "known before",
            *(each.bound_by or NONE, each.known),
        )
        for each in found
    ]
    return DataTable.of("problems", "The state of each problem", header, rows)


def _methods(rows: Sequence[Row], runs: Runs) -> DataTable:
    header = (
        "Method|Kind|#Runs|#No result|#Best|%Median gap|%Greatest gap|"
        "#1Median seconds|%Mean gap over time|#Greatest MiB"
    )
    bounds = dict.fromkeys(row["method"] for row in rows if row["kind"] == "bound")
    lines = [
        _method([row for row in rows if row["method"] == name], runs)
        for name in (*runs.ranking(), *bounds)
    ]
    return DataTable.of("methods", "Methods, the best first", header, lines)


def _method(own: Sequence[Row], runs: Runs) -> list[Any]:
    gaps = [r["gap"] for r in own if r["outcome"] == "ok" and r.get("gap") is not None]
    seconds = [row["seconds"] for row in own if "seconds" in row]
    integrals = [r["primal_integral"] for r in own if "primal_integral" in r]
    failed = sum(row["outcome"] not in ("ok", "infeasible") for row in own)
    broken = failed > sum(row["outcome"] == "refused" for row in own)
    bound = own[0]["kind"] == "bound"
    return [
        *(own[0]["method"], own[0]["kind"], len(own)),
        Cell(f"{failed:,}", failed, tone="bad" if broken else ""),
        None if bound else sum(runs.ratio(row) == 1 for row in own),
        *(_median(gaps), max(gaps, default=None), _median(seconds)),
        sum(integrals) / len(integrals) if integrals else None,
        max(row.get("mebibytes") or 0 for row in own) or None,
    ]


def _aggregates(lines: Sequence[Aggregate]) -> DataTable:
    header = (
        "Table|Asked|Method|#Runs|#Failed|#Value|first to third quartile|"
        "%Gap|#1Seconds|%Gap over time"
    )
    rows = []
    for each in lines:
        middle = {k: spread and spread.median for k, spread in each.spreads.items()}
        between = NONE
        if (spread := each.spreads["value"]) is not None:
            between = f"{number(spread.low).text} to {number(spread.high).text}"
        about = each.table, each.asked, each.method, each.runs, each.failed
        others = (middle[name] for name in ("gap", "seconds", "primal_integral"))
        rows.append((*about, middle["value"], between, *others))
    return DataTable.of("aggregates", "Each problem and method", header, rows)


def _tests(tests: Sequence[Paired]) -> DataTable:
    header = "First|Second|#First better|#Equal|#Second better|#Median ratio|#p|Verdict"
    rows = [(*vars(each).values(), each.verdict) for each in tests]
    return DataTable.of("tests", "Pairs of methods", header, rows)


def _runs(rows: Sequence[Row]) -> DataTable:
    header = (
        "Table|Asked|Method|#Seed|#Value|#Own bound|%Gap|#1Seconds|#MiB|Outcome|Why"
    )
    shown = "table", "asked", "method", "seed", "value", "lower_bound", "gap", "seconds"
    lines = [
        (
            *map(row.get, (*shown, "mebibytes")),
            Cell(row["outcome"], tone="" if row["outcome"] in _FINE else "bad"),
            row.get("why") or row.get("reason") or "",
        )
        for row in rows
    ]
    return DataTable.of("runs", "All runs", header, lines, filtered=True)


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
