"""Renders the lines of the quality benchmark as a page."""

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quality_cases import CASES, OTHERS, Case

Row = dict[str, Any]
_GAPS = Path(__file__).parents[2] / "docs" / "gaps.md"


def render(rows: Sequence[Row], note: str) -> str:
    """The page: a note, a table for each problem and time limit, by requirement."""
    when = datetime.now(UTC).strftime("%B %Y")
    parts = [
        "# Quality of the heuristics\n",
        f"Measured in {when} on {os.cpu_count()} shared cores, Python "
        f"{platform.python_version()}, seed 0. These two commands run what is missing "
        "and remake this page:\n",
        "    python benchmarks/quality/quality.py DATA --out FOLDER --time-limit 10\n"
        "    python benchmarks/quality/quality.py DATA --out FOLDER "
        "--write docs/quality.md\n",
        "Every heuristic of the registry runs in a process of its own. Methods that "
        "search until they are stopped get the time limit; others take the time they "
        "need. A cell has the stars, the gap to the bound, and the seconds without "
        "reading and compiling. Every release was checked again from its cells. No "
        "release has fewer stars than the bound, which is the best one of all runs "
        "here and of [gaps](gaps.md). That page also has what `auto` reaches in "
        "minutes.\n",
        *([f"{note.strip()}\n"] if note else []),
        "ARX 3.9 (cell suppression, its iterative local recoding, best of many "
        "settings) is measured on the same rows. With five columns its releases for "
        "l = 2 and l = 4 are not l-diverse, because their starred rows fail: the "
        "tables have the stars of these releases made l-diverse by us.\n",
    ]
    missing = 0
    for name in dict.fromkeys(case.name for case, _ in CASES):
        title = next(case.title for case, _ in CASES if case.name == name)
        of_case = [row for row in rows if row["case"] == name]
        heuristics = [row for row in of_case if row["kind"] == "heuristic"]
        limits = sorted({float(row["limit"]) for row in heuristics})
        asked = [asked for case, asked in CASES if case.name == name]
        missing += sum(
            not any(r["requirement"] == a for r in heuristics) for a in asked
        )
        for limit in limits:
            parts.append(f"## {title}; {limit:g} s\n")
            runs = [row for row in heuristics if float(row["limit"]) == limit]
            parts.append("\n".join(_table(name, asked, of_case, runs)) + "\n")
            parts.extend(_others(runs))
    if missing:
        parts.append(f"Not measured yet: {missing} of the {len(CASES)} problems.\n")
    return "\n".join(parts)


def bounds_of_gaps(case: Case) -> dict[str, int]:
    """By requirement the best bound of a case that the page of gaps has."""
    columns = ", ".join(case.qi) if len(case.qi) < 6 else f"{len(case.qi)} columns"
    columns += "".join(f"; {column} sensitive" for column in case.sensitive)
    name = case.file.partition(".")[0]
    line = rf"^\| {name} \| {columns} \| (\w) (\d+) \|[^|]*\|[^|]*\| ([\d,]+) \|"
    best: dict[str, int] = {}
    for form, number, bound in re.findall(line, _GAPS.read_text(), re.M):
        asked = f"{form}={number}"
        best[asked] = max(int(bound.replace(",", "")), best.get(asked, 0))
    return best


def _table(
    name: str, all_asked: Sequence[str], of_case: Sequence[Row], runs: Sequence[Row]
) -> list[str]:
    shown = [a for a in all_asked if any(run["requirement"] == a for run in runs)]
    bounds = {
        asked: max(
            (
                int(row["bound"])
                for row in of_case
                if row["requirement"] == asked and row["bound"]
            ),
            default=0,
        )
        for asked in shown
    }
    case = next(case for case, _ in CASES if case.name == name)
    for asked, bound in bounds_of_gaps(case).items():
        bounds[asked] = max(bound, bounds.get(asked, 0))
    lines = ["| | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    proven = [f"{bounds[a]:,}" if bounds[a] else "-" for a in shown]
    lines.append("| bound | " + " | ".join(proven) + " |")
    methods = sorted(
        {run["method"] for run in runs}, key=lambda method: _rank(runs, method)
    )
    for method in methods:
        cells = []
        for asked in shown:
            found = [
                r for r in runs if (r["method"], r["requirement"]) == (method, asked)
            ]
            cells.append(_cell(found[0], bounds[asked]) if found else "-")
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    for tool in dict.fromkeys(t for a in shown for t in OTHERS.get((name, a), {})):
        cells = []
        for asked in shown:
            stars = OTHERS.get((name, asked), {}).get(tool)
            cells.append(f"{stars:,}{_gap(stars, bounds[asked])}" if stars else "-")
        lines.append(f"| {tool} | " + " | ".join(cells) + " |")
    return lines


def _rank(runs: Sequence[Row], method: str) -> tuple[int, float, str]:
    """The most results first, then the fewest stars, relative to the best."""
    ratios = []
    for run in runs:
        if run["method"] == method and run["stars"]:
            same = [r for r in runs if r["requirement"] == run["requirement"]]
            best = min(int(r["stars"]) for r in same if r["stars"])
            ratios.append(int(run["stars"]) / max(1, best))
    return -len(ratios), sum(ratios), method


def _cell(row: Row, bound: int) -> str:
    if not row["stars"]:
        return str(row["outcome"]).split(":")[0]
    stars = int(row["stars"])
    valid = "" if row["outcome"] == "ok" else " NOT VALID"
    return f"{stars:,}{_gap(stars, bound)}, {float(row['seconds']):.1f} s{valid}"


def _gap(stars: int, bound: int) -> str:
    return f" ({(stars - bound) / bound:.1%})" if bound else ""


def _others(runs: Sequence[Row]) -> list[str]:
    """In words, what did not end with a release."""
    return [
        f"- {run['method']}, {run['requirement']}: {run['outcome']}\n"
        for run in runs
        if run["outcome"] != "ok"
    ]
