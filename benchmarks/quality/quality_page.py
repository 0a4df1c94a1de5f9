"""Renders the lines of the quality benchmark as tables, one for each case."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kept import read_rows
from quality_cases import CASES, OTHERS, Case

Row = dict[str, Any]


def tables(rows: Sequence[Row]) -> Iterator[tuple[str, list[str]]]:
    """Yield each case with its table, by requirement; of the longest time limit."""
    for name in dict.fromkeys(case.name for case, _ in CASES):
        of_case = [row for row in rows if row["case"] == name]
        runs = [row for row in of_case if row["kind"] == "heuristic"]
        if runs:
            limit = max(float(row["limit"]) for row in runs)
            runs = [row for row in runs if float(row["limit"]) == limit]
            asked = [asked for case, asked in CASES if case.name == name]
            yield name, _table(name, asked, of_case, runs)


def bounds_of_gaps(case: Case) -> dict[str, int]:
    """By requirement the best bound of a case that the rows of gaps have."""
    columns = ", ".join(case.qi) if len(case.qi) < 6 else f"{len(case.qi)} columns"
    columns += "".join(f"; {column} sensitive" for column in case.sensitive)
    name = case.file.partition(".")[0]
    best: dict[str, int] = {}
    for row in read_rows("gaps"):
        found = re.fullmatch(r"([kl]) (\d+)", row["requirement"])
        if found and (row["table"], row["columns"]) == (name, columns):
            asked = f"{found[1]}={found[2]}"
            best[asked] = max(int(row["bound"]), best.get(asked, 0))
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
    lines = ["| method | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
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
