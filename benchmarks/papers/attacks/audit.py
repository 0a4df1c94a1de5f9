"""What releases of Adult tell who knows how they were made.

    python benchmarks/papers/attacks/audit.py DATA --out FOLDER [--seconds 45]
        [--rows N]
        [--only WORD] [--write PATH]

DATA has ``adult.csv``, ``hierarchies`` and ``releases``. Releases are made by ``starmin
solve``, kept in FOLDER, and audited by ``starmin audit``; a line is printed for each
inference, with the processor time of the audit. ``--write docs/data/attacks.csv`` keeps
the lines beside those that are there: what ``--only`` leaves out stays.
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
from typing import Any

from kept import merge_rows

SEVEN = "sex,age,race,marital-status,education,native-country,workclass"
EIGHT = f"{SEVEN},occupation"
STARS = f"--qi {EIGHT} --drop salary-class"
DIVERSE = f"--qi {SEVEN} --drop salary-class --sensitive occupation"
PERMUTED = f"--qi {SEVEN},salary-class --sensitive occupation --recoding permutation"
ROWWISE = f"{STARS} --recoding nonhomogeneous"
CELLS = {"hidden": "hidden cells", "narrowed": "narrowed", "pinned": "pinned"}
PEOPLE = {"whole": "known in full", "certain": "certain", "above": "above 1/l"}
COLUMNS = CELLS | PEOPLE | {"false": "false", "contradictions": "contradictions"}
KEYS = "release", "attacker", "inference"
MORE = "misled", "sampled", "types", "right", "base", "counted", "naive_bayes"
MORE += ("hidden_by_class", "narrowed_by_class")
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
    title
        What a reader calls the release.
    """

    name: str
    problem: str
    made: str | None
    audited: str
    beside: str = ""
    title: str = ""

    @property
    def attacker(self) -> str:
        """What the attacker knows besides the release."""
        words = self.audited.replace("--model ", "model ").replace("--knows", "knows")
        return " ".join(
            [words, f"has {self.beside.replace('_', ', k = ')}" if self.beside else ""]
        ).strip()


def cases(data: Path) -> Iterator[Case]:
    """Yield all of them; a release is made before it is audited a second time."""
    trees = {column: _tree(data, column) for column in EIGHT.split(",")}
    nodes = " ".join(trees.values())
    ranges = " ".join(t for c, t in trees.items() if c != "age") + " --numeric age"
    optimal, coarse = "--model optimal", "--recoding generalization"
    for k in (2, 3, 5):
        asked = f"{STARS} --k {k}"
        yield Case(f"stars_{k}", asked, "", optimal, title=f"stars, k = {k}")
    asked, five = f"{STARS} --k 5", "stars, k = 5"
    for k in (2, 3):
        yield Case("stars_5", asked, None, "", f"stars_{k}", five)
    made, name = "--method hilbert_suppression", "hilbert_suppression, k = 5"
    yield Case("not_optimal_5", asked, made, optimal, title=name)
    yield Case("arx_5", asked, None, "--model stages", title="ARX 3.9, stars, k = 5")
    for k in (2, 5):
        asked = f"{STARS} --k {k} {coarse}"
        name = f"trees, k = {k}"
        yield Case(f"trees_{k}", f"{asked} {nodes}", "", "", title=name)
        name = f"ages as ranges, k = {k}"
        yield Case(f"ranges_{k}", f"{asked} {ranges}", "", "", title=name)
    asked = f"{STARS} --k 2 {coarse} {ranges} --round age=5"
    yield Case("rounded_2", asked, "", "", title="ages rounded to 5, k = 2")
    for l in (2, 3, 5):
        for knows in ("classes", "qi"):
            made = "" if knows == "classes" else None
            asked, attack = f"{DIVERSE} --l {l}", f"{optimal} --knows {knows}"
            yield Case(f"diverse_{l}", asked, made, attack, title=f"stars, l = {l}")
    attack, name = f"{optimal} --knows classes", "stars, l = 3 for l = 2"
    yield Case("diverse_3", f"{DIVERSE} --l 2", None, attack, title=name)
    for l in (2, 5):
        made, name = "--method anatomy", f"Anatomy, l = {l}"
        yield Case(f"anatomy_{l}", f"{PERMUTED} --l {l}", made, "", title=name)
    name = "non-homogeneous, k = 2"
    yield Case("matched_2", f"{ROWWISE} --k 2", "", "--knows qi", title=name)


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


def lines(case: Case, name: str, found: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Yield what an inference counts, by column; that in any order apart."""
    key = {"release": case.title, "attacker": case.attacker or "release alone"}
    any_order = found.get("any_order")
    kinds = {name: found}
    if any_order:
        kinds[f"{name}, any order"] = any_order
    for kind, counts in kinds.items():
        more = [
            f"{word.replace('_', ' ')} "
            + (f"{counts[word]:.1%}" if word in SHARES else f"{counts[word]}")
            for word in MORE
            if counts.get(word)
        ]
        yield (
            key
            | {"inference": kind.replace("_", " ")}
            | {column: f"{counts.get(word) or 0}" for word, column in COLUMNS.items()}
            | {"further": ", ".join(more)}
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of adult.csv")
    parser.add_argument("--out", type=Path, required=True, help="for releases")
    parser.add_argument("--seconds", type=int, default=45, help="of each search")
    parser.add_argument("--rows", type=int, help="of the table; default: all")
    parser.add_argument("--only", default="", help="a word in the release's name")
    parser.add_argument("--write", type=Path, help="a file that keeps the lines")
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
        print(f"{case.title}, {case.attacker} ({seconds:.0f} s)", flush=True)
        every = json.loads(answer)
        rows = [
            row
            for name, found in every.items()
            if found is not None
            for row in lines(case, name, found)
        ]
        for row in rows:
            counts = [f"{column} {text}" for column, text in row.items()]
            print(f"  {', '.join(counts[2:])}", flush=True)
        merge_rows(asked.write, rows, KEYS)


if __name__ == "__main__":
    main()
