"""How far commands run over their time limits, for every method that takes a problem.

    python benchmarks/speed/limits.py TABLE --qi A,B [--k 5] [--limits 1,5]

Each command runs in a process of its own, from its start to its end. What is allowed is
a tenth of the limit and two seconds more; lines beyond that are marked.
"""

import argparse
import sys

from instances import STARS, KAnonymity
from starmin.gaps.processes import run_process
from starmin.registry.methods import supporting

HEAD = "| method | recoding | limit | seconds | over | |\n" + "|---" * 6 + "|"
_WAIT = 90.0  # seconds beyond the limit, after which a command is killed


def allowed(limit: float) -> float:
    """Return the seconds that a command may take."""
    return 1.1 * limit + 2.0


def seconds(arguments: list[str], limit: float) -> float:
    """Return how long a command takes."""
    line = [sys.executable, "-m", "starmin", *arguments, "--quiet"]
    return run_process([*line, "--time-limit", f"{limit:g}"], limit + _WAIT).seconds


def main() -> None:
    """Run every method with every limit, and name the worst."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--qi", required=True)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--limits", default="1,5,20")
    parser.add_argument("--method", default="", help="only this one")
    given = parser.parse_args()
    print(HEAD)
    worst = 0.0
    for recoding in ("suppression", "nonhomogeneous"):
        methods = supporting(
            KAnonymity(given.k), STARS, "exact", "heuristic", "bound", recoding=recoding
        )
        for method in methods:
            if given.method not in ("", method.name):
                continue
            command = "bound" if method.kind == "bound" else "solve"
            asked = [command, given.table, "--qi", given.qi, "--k", str(given.k)]
            asked += ["--method", method.name, "--recoding", recoding]
            for limit in map(float, given.limits.split(",")):
                took = seconds(asked, limit)
                over = took - limit
                worst = max(worst, took - allowed(limit))
                mark = "LATE" if took > allowed(limit) else ""
                print(
                    f"| {method.name} | {recoding} | {limit:g} | {took:.1f} "
                    f"| {over:.1f} | {mark} |",
                    flush=True,
                )
    print(f"\nworst beyond what is allowed: {worst:.1f} s")


if __name__ == "__main__":
    main()
