"""What a sweep tells on the screen: a bar or lines as it runs, then the table."""

import json
from concurrent.futures import Executor
from textwrap import shorten

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

from starmin.gaps.job import Job
from starmin.gaps.standings import Row, Standing
from starmin.gaps.store import Store
from starmin.gaps.sweep import sweep
from starmin.process.say import answer, note, say, show_table

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
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    shown = console.is_terminal and not quiet
    with Progress(*columns, console=console, disable=not shown) as progress:
        task = progress.add_task("runs", total=len(planned), completed=done)

        def tell(row: Row) -> None:
            progress.update(task, advance=1, description=row["method"])
            if not shown and not quiet:
                note("  ".join(_cells(row)))

        return sweep(planned, store, executor, memory, tell)


def _cells(row: Row) -> tuple[str, ...]:
    """Write a row as people read it."""
    gap = row.get("gap")
    why = f": {shorten(row['why'], 80, placeholder=' ..')}" if row.get("why") else ""
    return (
        row["table"],
        row["asked"],
        row["method"],
        _shown(row.get("value")),
        _shown(row.get("lower_bound")),
        "-" if gap is None else f"{gap:.2%}",
        f"{row['seconds']:.1f}" if "seconds" in row else "-",
        row["outcome"] + why,
    )


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6f}"


def show(rows: list[Row], found: list[Standing], as_json: bool) -> None:
    """Show the table, and of each problem the best."""
    if as_json:
        answer(json.dumps({"runs": rows, "problems": [vars(each) for each in found]}))
        return
    show_table(HEADER, [_cells(row) for row in rows])
    for each in found:
        gap = each.gap(each.best)
        say(
            f"{each.table}, {each.asked}: best {_shown(each.best)}"
            f"{' (known before)' if each.best != each.value else ''}, "
            f"bound {_shown(each.bound)}, gap {'-' if gap is None else f'{gap:.2%}'}"
        )
