"""How far commands run over their time limits, for every method that takes a problem.

    python benchmarks/speed/limits.py TABLE --qi A,B [--k 5] [--l 4 --sensitive C]
        [--limits 1,5] [--out limits.csv] [--write docs/data/limits.csv]

Each command runs in a process of its own, from its start to its end. What is allowed is
a tenth of the limit and two seconds more; lines beyond that are marked. With ``--out``
each line is kept when it is measured, and what the file has is not measured again. On
the page stand, for each limit, how many commands there were, the longest and those that
were late.
"""

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from kept import write_rows

from starmin.gaps.fork_server import run_process
from starmin.instances import STARS, KAnonymity, LDiversity, Requirement
from starmin.registry import supporting

HEAD = "| method | recoding | asked | limit | seconds | over | |\n" + "|---" * 7 + "|"
_WAIT = 90.0  # seconds beyond the limit, after which a command is killed
Case = tuple[str, str, str, str]  # method, recoding, what is asked, limit


def allowed(limit: float) -> float:
    """Return the seconds that a command may take."""
    return 1.1 * limit + 2.0


def cases(given: argparse.Namespace) -> Iterator[tuple[Case, list[str]]]:
    """Yield each command, with its arguments."""
    asked: dict[str, tuple[Requirement, list[str]]] = {}
    if given.k:
        asked[f"k={given.k}"] = (KAnonymity(given.k), ["--k", str(given.k)])
    if given.l:
        words = ["--l", str(given.l), "--sensitive", given.sensitive]
        asked[f"l={given.l}"] = (LDiversity(given.l), words)
    for recoding in ("suppression", "nonhomogeneous"):
        for name, (requirement, words) in asked.items():
            kinds = ("exact", "heuristic", "bound")
            methods = supporting(requirement, STARS, *kinds, recoding=recoding)
            for method in methods:
                if given.method not in ("", method.name):
                    continue
                command = "bound" if method.kind == "bound" else "solve"
                line = [command, given.table, "--qi", given.qi, *words]
                line += ["--method", method.name, "--recoding", recoding, "--quiet"]
                for limit in given.limits.split(","):
                    case = method.name, recoding, name, limit
                    yield case, [*line, "--time-limit", limit]


def kept(path: Path | None) -> dict[Case, float]:
    """Read what was measured before."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(a, b, c, d): float(took) for a, b, c, d, took in csv.reader(file)}


def seconds(arguments: list[str], limit: float) -> float:
    """Return how long a command takes."""
    line = [sys.executable, "-m", "starmin", *arguments]
    return run_process(line, limit + _WAIT).seconds


def summary(took: Mapping[Case, float]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "| limit | commands | allowed | longest | by | late |"
    yield "|---" * 6 + "|"
    for limit in sorted({case[-1] for case in took}, key=float):
        here = {case: s for case, s in took.items() if case[-1] == limit}
        worst = max(here, key=lambda case: here[case])
        late = [
            f"{case[0]} ({case[2]}) {s:.1f}"
            for case, s in here.items()
            if s > allowed(float(limit))
        ]
        yield (
            f"| {limit} s | {len(here)} | {allowed(float(limit)):.1f} "
            f"| {here[worst]:.1f} | {worst[0]} | {', '.join(late) or 'none'} |"
        )


def main() -> None:
    """Run every method with every limit, and name the worst."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--qi", required=True)
    parser.add_argument("--k", type=int, default=5, help="0: not k-anonymity")
    parser.add_argument("--l", type=int, default=0, help="frequency l-diversity, too")
    parser.add_argument("--sensitive", default="", help="for --l")
    parser.add_argument("--limits", default="1,5,20")
    parser.add_argument("--method", default="", help="only this one")
    parser.add_argument("--out", type=Path, help="a file for the lines")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    given = parser.parse_args()
    before: dict[Case, float] = kept(given.out)
    measured: dict[Case, float] = {}
    print(HEAD)
    for case, arguments in cases(given):
        limit = float(case[-1])
        if (took := before.get(case)) is None:
            took = seconds(arguments, limit)
            if given.out:
                with given.out.open("a", newline="") as file:
                    csv.writer(file).writerow([*case, f"{took:.2f}"])
        measured[case] = took
        mark = "LATE" if took > allowed(limit) else ""
        shown = [*case, f"{took:.1f}", f"{took - limit:.1f}", mark]
        print(f"| {' | '.join(shown)} |", flush=True)
    lines = list(summary({**before, **measured}))
    print("", *lines, sep="\n")
    write_rows(given.write, lines)


if __name__ == "__main__":
    main()
