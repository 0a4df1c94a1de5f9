"""What the runs of the corpus say: shares proven, gaps, and the worst cases.

    python benchmarks/corpus/page.py FOLDER [--worst 20] [--kind ranges]

reads what ``run.py`` keeps in FOLDER, and prints for each kind of problem and limit

- how many problems there are, and how many are proven by a certificate;
- the gap to the certified bound: median, 90 % quantile, the greatest;
- on how many there is no certified bound;
- on how many ``auto`` is worse than the best of the other methods that were run with
  the same limit, by more than 0.5, 5 and 50 %;
- the primal integral of ``auto``: the mean over time of how far its release is above
  the best known, in per cent, at most 100;

then the worst problems, by gap, with what is known of each.
"""

import argparse
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from run import lines_of

Line = dict[str, Any]
HEAD = (
    "| kind | limit | problems | proven | gap: median, 90 %, most | no bound | "
    "worse by 0.5 / 5 / 50 % | primal integral | faults |\n" + "|---" * 9 + "|"
)


def main() -> None:
    """Print the table and the worst problems."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--kind", help="of the worst problems; default: all")
    asked = parser.parse_args()
    lines = list(lines_of(asked.folder / "runs.jsonl"))
    known = json.loads((asked.folder / "best.json").read_text("utf-8"))
    print("\n".join([HEAD, *rows(lines, known)]))
    print("\n".join(worst(lines, known, asked.worst, asked.kind)))


def rows(lines: Sequence[Line], known: Line) -> Iterator[str]:
    """Render a line of the table for each kind and limit."""
    by: dict[tuple[str, float], list[Line]] = defaultdict(list)
    for line in lines:
        by[line["problem"].split("/")[0], line["limit"]].append(line)
    for (kind, limit), some in sorted(by.items()):
        own = [line for line in some if line["method"] == "auto"]
        solved = [line for line in own if line.get("value") is not None]
        gaps = sorted(gap(line) for line in solved)
        proven = sum(line["value"] == line["certified"] for line in solved)
        unbounded = sum(line["certified"] is None for line in solved)
        behind = [_behind(line, some) for line in solved]
        worse = " / ".join(
            str(sum(each > share for each in behind)) for share in (0.005, 0.05, 0.5)
        )
        integral = statistics.fmean(
            [primal_integral(line, known) for line in solved] or [math.nan]
        )
        faults = sum("fault" in line for line in some)
        yield (
            f"| {kind} | {limit:g} s | {len(own)} | {proven} | {_at(gaps, 0.5)}, "
            f"{_at(gaps, 0.9)}, {_at(gaps, 1.0)} | {unbounded} | {worse} | "
            f"{integral:.2f} | {faults} |"
        )


def gap(line: Line) -> float:
    """Return how far a value is above its certified bound; infinite without one."""
    value, bound = line["value"], line["certified"]
    if value == bound or value == 0:
        return 0.0
    return math.inf if not bound else value / bound - 1


def _behind(line: Line, lines: Sequence[Line]) -> float:
    """Return by how much a run of ``auto`` is worse than the best other method."""
    others = [
        other["value"]
        for other in lines
        if other["problem"] == line["problem"] and other["method"] != "auto"
        if other.get("value") is not None and "fault" not in other
    ]
    if not others or line["value"] <= (best := min(others)):
        return 0.0
    return line["value"] / best - 1 if best else math.inf


def primal_integral(line: Line, known: Line) -> float:
    """Return the mean gap to the best known value over a run, in per cent."""
    best, whole = known[line["problem"]]["value"], max(line["limit"], 1e-9)
    before, at, total = 100.0, 0.0, 0.0
    for seconds, value, _ in line["history"]:
        until = min(seconds, whole)
        total += before * (until - at)
        at = until
        if value is not None:
            before = 100 * (1 - best / value) if value else 0.0
    return (total + before * (whole - at)) / whole


def worst(
    lines: Sequence[Line], known: Line, count: int, kind: str | None
) -> Iterator[str]:
    """Render the problems with the greatest gaps."""
    some = [
        line
        for line in lines
        if line["method"] == "auto" and line.get("value") is not None
        if kind is None or line["problem"].startswith(f"{kind}/")
    ]
    some.sort(key=gap, reverse=True)
    yield "\n| problem | table | rows x columns | value | certified | best known | by |"
    yield "|---" * 7 + "|"
    for line in some[:count]:
        best = known[line["problem"]]
        yield (
            f"| {line['problem']}, {line['limit']:g} s | {line['table']} | "
            f"{line['rows']} x {len(line['asked']['qi'])} | {line['value']:.6g} | "
            f"{line['certified'] or 0:.6g} | {best['value']:.6g} / "
            f"{best['bound'] or 0:.6g} | {best['value_by']} |"
        )


def _at(sorted_values: Sequence[float], share: float) -> str:
    """Return a quantile as a percentage."""
    if not sorted_values:
        return "-"
    place = math.ceil(share * len(sorted_values)) - 1
    value = sorted_values[max(0, place)]
    return "none" if math.isinf(value) else f"{100 * value:.2f}"


if __name__ == "__main__":
    main()
