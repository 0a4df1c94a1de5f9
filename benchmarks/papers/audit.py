"""What releases of Adult tell who knows how they were made.

    python benchmarks/papers/audit.py DATA --out FOLDER [--seconds 45] [--rows N]
        [--only WORD]

DATA has ``adult.csv``, ``hierarchies`` and ``releases``. Releases are made by ``starmin
solve``, kept in FOLDER, and audited by ``starmin audit``; a line is printed for each
inference, with the processor time of the audit.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SEVEN = "sex,age,race,marital-status,education,native-country,workclass"
EIGHT = f"{SEVEN},occupation"
STARS = f"--qi {EIGHT} --drop salary-class"
DIVERSE = f"--qi {SEVEN} --drop salary-class --sensitive occupation"
PERMUTED = f"--qi {SEVEN},salary-class --sensitive occupation --recoding permutation"
ROWWISE = f"{STARS} --recoding nonhomogeneous"
COUNTS = ("hidden", "narrowed", "pinned", "whole", "certain", "above", "false")
FURTHER = ("contradictions", "misled", "sampled", "types", "right", "base", "counted")
FURTHER += ("naive_bayes", "hidden_by_class", "narrowed_by_class")
SHARES = "right", "base", "naive_bayes"


@dataclass(frozen=True)
class Case:
    """A release, and how it is audited.

    Attributes
    ----------
    name
        Of the release and its file.
    problem
        Options that ``solve`` and ``audit`` have in common.
    made
        Those of ``solve`` alone; None: it is made by somebody else, or already.
    audited
        Those of ``audit`` alone.
    beside
        A further release, by name.
    """

    name: str
    problem: str
    made: str | None
    audited: str
    beside: str = ""


def cases(data: Path) -> Iterator[Case]:
    """Yield all of them; a release is made before it is audited a second time."""
    trees = {column: _tree(data, column) for column in EIGHT.split(",")}
    nodes = " ".join(trees.values())
    ranges = " ".join(t for c, t in trees.items() if c != "age") + " --numeric age"
    for k in (2, 3, 5):
        yield Case(f"stars_{k}", f"{STARS} --k {k}", "", "--model optimal")
    for k in (2, 3):
        yield Case("stars_5", f"{STARS} --k 5", None, "", f"stars_{k}")
    made = "--method hilbert_suppression"
    yield Case("not_optimal_5", f"{STARS} --k 5", made, "--model optimal")
    yield Case("arx_5", f"{STARS} --k 5", None, "--model stages")
    coarse = "--recoding generalization"
    for k in (2, 5):
        asked = f"{STARS} --k {k} {coarse}"
        yield Case(f"trees_{k}", f"{asked} {nodes}", "", "")
        yield Case(f"ranges_{k}", f"{asked} {ranges}", "", "")
    asked = f"{STARS} --k 2 {coarse} {ranges} --round age=5"
    yield Case("rounded_2", asked, "", "")
    for l in (2, 3, 5):
        for knows in ("classes", "qi"):
            made = "" if knows == "classes" else None
            attack = f"--model optimal --knows {knows}"
            yield Case(f"diverse_{l}", f"{DIVERSE} --l {l}", made, attack)
    attack = "--model optimal --knows classes"
    yield Case("diverse_3", f"{DIVERSE} --l 2", None, attack)  # a margin
    for l in (2, 5):
        made = "--method anatomy"
        yield Case(f"anatomy_{l}", f"{PERMUTED} --l {l}", made, "")
    yield Case("matched_2", f"{ROWWISE} --k 2", "", "--knows qi")


def _tree(data: Path, column: str) -> str:
    return f"--hierarchy {column}={data}/hierarchies/adult_hierarchy_{column}.csv"


def run(words: Sequence[str]) -> tuple[str, float]:
    """Return what a command prints, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    line = [sys.executable, "-m", "starmin", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return done.stdout, used


def told(name: str, found: dict[str, float | str | None]) -> str:
    """Return a line of what an inference counts, without what is 0."""
    parts = [f"{word} {found[word]:,}" for word in COUNTS if found.get(word)]
    for word in FURTHER:
        if value := found.get(word):
            text = f"{value:.1%}" if word in SHARES else f"{value:,}"
            parts.append(f"{word} {text}")
    if found.get("order"):
        parts.append(f"in any order {found.get('any_order')}")
    return f"  {name}: {', '.join(parts) or 'nothing'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of adult.csv")
    parser.add_argument("--out", type=Path, required=True, help="for releases")
    parser.add_argument("--seconds", type=int, default=45, help="of each search")
    parser.add_argument("--rows", type=int, help="of the table; default: all")
    parser.add_argument("--only", default="", help="a word in the release's name")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    table = asked.data / "adult.csv"
    if asked.rows:
        with table.open(newline="") as file:
            rows = list(csv.reader(file))[: asked.rows + 1]
        table = asked.out / "table.csv"
        with table.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    limit = f"--time-limit {asked.seconds} --quiet"
    for case in cases(asked.data):
        path = asked.out / f"{case.name}.csv"
        if case.name.startswith("arx"):
            if asked.rows:
                continue
            path = asked.data / "releases" / "arx_adult_k5.csv.gz"
        if asked.only not in case.name:
            continue
        if case.made is not None and not path.exists():
            words = f"{case.problem} {case.made} {limit} --out {path}"
            run(["solve", str(table), *words.split()])
        both = [str(path), *([f"{asked.out}/{case.beside}.csv"] if case.beside else [])]
        words = f"{case.problem} {case.audited} --original {table} --json --quiet"
        answer, seconds = run(["audit", *both, *words.split()])
        title = f"{case.name} {case.audited}{case.beside and f'with {case.beside}'}"
        print(f"{title.strip()} ({seconds:.0f} s)", flush=True)
        for name, found in json.loads(answer).items():
            if found is not None:
                print(told(name, found), flush=True)


if __name__ == "__main__":
    main()
