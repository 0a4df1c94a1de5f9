"""Rows that benchmarks keep in docs/data, and the stamp of each file.

A benchmark prints its table as Markdown; ``write_rows`` keeps the cells as CSV, numbers
without commas. ``stamps.json`` says when, with which version and on what each file was
measured. Pages of results are made of both by ``results_pages.py``.
"""

import csv
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
STAMPS = DATA / "stamps.json"
WORDLESS = re.compile(
    r"(?:[-+\d.,()%|\s]|\bs\b|\bto\b|\.\.)*\d(?:[-+\d.,()%|\s]|\bs\b)*"
)
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

Row = dict[str, str]


def plain(cell: str) -> str:
    """A cell as it is kept: numbers without commas."""
    cell = cell.strip()
    return THOUSANDS.sub("", cell) if WORDLESS.fullmatch(cell) else cell


def shown(cell: str) -> str:
    """A kept cell as a page has it: numbers with commas."""
    if not WORDLESS.fullmatch(cell):
        return cell
    return re.sub(r"(?<![\d.])\d{4,}", lambda found: f"{int(found[0]):,}", cell)


def cells_of(line: str) -> list[str]:
    """The cells of a line of Markdown."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def write_rows(path: Path | None, lines: Sequence[str]) -> None:
    """Keep a table of Markdown as CSV, and stamp it; other lines are passed over."""
    if path is None:
        return
    every = "\n".join(lines).splitlines()
    head, _, *rows = (cells_of(line) for line in every if line.startswith("|"))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows([plain(cell) for cell in row] for row in rows)
    if path.parent.resolve() == DATA:
        stamp(path.stem)


def merge_rows(path: Path | None, rows: Iterable[Row], keys: Sequence[str]) -> None:
    """Keep rows by column beside those that are there, and stamp them.

    Parameters
    ----------
    path
        A CSV file; None: nothing is kept.
    rows
        A cell of ``-`` was not measured: it stays as it is kept.
    keys
        The columns that say which row it is.
    """
    if path is None:
        return
    there = read_rows(path.stem, path.parent) if path.exists() else []
    kept = {tuple(row[key] for key in keys): row for row in there}
    for row in rows:
        new = {column: plain(cell) for column, cell in row.items()}
        old = kept.setdefault(tuple(new[key] for key in keys), new)
        old.update({c: cell for c, cell in new.items() if cell != "-"})
    with path.open("w", encoding="utf-8", newline="") as file:
        columns = list(next(iter(kept.values())))
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept.values())
    if path.parent.resolve() == DATA:
        stamp(path.stem)


def stamp(name: str) -> None:
    """Write down that the rows of a file are measured here and now."""
    stamps = json.loads(STAMPS.read_text("utf-8"))
    stamps[name] = {
        "version": version("starmin"),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
    }
    STAMPS.write_text(json.dumps(stamps, indent=1, sort_keys=True) + "\n", "utf-8")


def read_rows(name: str, data: Path = DATA) -> list[Row]:
    """The rows that are kept under a name, by column."""
    with (data / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def markdown(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table."""
    head = [*rows[0]]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return lines + [f"| {' | '.join(row.values())} |" for row in rows]


def remake(folder: Path, *scripts: tuple[str, ...]) -> None:
    """Call scripts of the site that show rows, if they are kept where it reads."""
    if folder.resolve() == DATA.resolve():
        for script, *words in scripts:
            subprocess.run(
                [sys.executable, Path(__file__).parent / script, *words], check=True
            )
