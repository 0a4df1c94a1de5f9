"""Features that meet, asked of every door and held to one oracle.

    python -m tests.fuzz_tables --pairs --seconds 1800 [--seed S]
    python -m tests.fuzz_tables --triples --seconds 1800
    python -m tests.fuzz_tables --pairs --case SEED

draws two or three features and a table of up to seven rows, or of twenty to forty. The
commands ``solve``, ``bound``, ``verify`` and ``check``, ``anonymize``,
``starmin.solve`` and a settings file are asked the same. A fault is

- an answer that is not the oracle's, which tries every release of a small table;
- a release that is not true, does not hold, or costs something else when recounted;
- a release of anyone that ``verify`` judges otherwise than the oracle;
- a certificate that is refused, or an edited one that claims more than the optimum and
  is not, or of which the two checkers think differently;
- doors that differ, and what one refuses in a line and another takes, or searches for.
"""

import contextlib
import itertools
import json
import math
import os
import random
import shlex
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pandas

from starmin import Table, anonymize, solve
from starmin.instances.runs.run import Run
from starmin.registry import METHODS
from tests.support.fuzz_other_proofs import tampered
from tests.support.fuzzing import starmin
from tests.support.oracle import Oracle
from tests.support.pair_problems import (
    BY_SOLVE_ALONE,
    FEATURES,
    OF_COSTS,
    Problem,
    draw,
    drawn_release,
    keywords,
    words,
    write_files,
)

Meeting = tuple[str, ...]

_LIMIT = 20.0
_LATER = {"pad", "decoys"}  # what is done after a search
_BUT_BATCHES = BY_SOLVE_ALONE - {"stream"}
# Of what is refused, as no method does it: releases of anyone may be checked.
_NO_METHOD = "taxonomies", "highest level", "in batches", "does not take", "minimise"
_NO_METHOD += "objective", "least width"
_NEAR = {"rel_tol": 1e-9, "abs_tol": 1e-9}


class Trial:
    """One problem at all doors; ``faults`` are what is wrong."""

    def __init__(self, seed: int, features: Meeting, large: bool, shown: bool) -> None:
        self.rng, self.large, self.shown = random.Random(seed), large, shown
        rows = self.rng.randint(20, 40) if large else None
        self.problem = draw(self.rng, features, rows)
        self.asked = self.problem.asked
        self.oracle = Oracle(self.problem.names, self.problem.rows, self.asked)
        self.faults: list[str] = []
        self.refusal, self.searched, self.optimal = "", 0, False

    @cached_property
    def best(self) -> Fraction | None:
        """The optimum of a small table."""
        return self.oracle.optimum()

    def run(self) -> None:
        """Ask all doors, in the working folder."""
        write_files(self.problem)
        if self.shown:
            print(Path("t.csv").read_text(), Path("asked.toml").read_text(), sep="\n")
        files = ["--out", "r.csv", "--certificate", "c.json"]
        told = [*words(self.problem), *files, "--save-recipe", "saved.toml"]
        code, found = self._ask("solve", "t.csv", *told)
        if code == 2:
            self.refusal = found
            self._expect_refused()
        elif found:
            self._expect_solved(found)

    def _expect_solved(self, found: Any) -> None:
        feasible = found["status"] != "infeasible"
        self._expect(found, "solve")
        self.optimal = found["status"] == "optimal"
        if feasible:
            frame = pandas.read_csv("r.csv", dtype=str, keep_default_na=False)
            self._recount("r.csv", frame, found["value"])
        for recipe in filter(os.path.exists, ("asked.toml", "saved.toml")):
            told = ["--recipe", recipe, "--out", "again.csv"]
            code, again = self._ask("solve", "t.csv", *told)
            self._same(f"--recipe {recipe}", found, again, code)
        self._bound()
        self._by_a_method()
        if feasible:
            self._verify(found)
        self._judge()
        if "stream" not in self.asked:
            self._python(found)

    # Commands.

    def _ask(self, *line: str) -> tuple[int, Any]:
        """Run a command: its exit code, and its JSON, or why it refuses."""
        rest = [] if line[0] == "check" else ["--json", "--quiet"]
        if line[0] in ("solve", "bound"):
            rest += ["--time-limit", f"{_LIMIT:g}"]
        told, true = shlex.join([*line, *rest]), Run.carry_out

        def counted(run: Run[Any], *given: Any, **more: Any) -> Any:
            self.searched += 1
            return true(run, *given, **more)

        self.searched = 0
        try:
            with patch.object(Run, "carry_out", counted):
                code, out, said = starmin(*line, *rest)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self._fault(told, *traceback.format_exception(error)[-6:])
            return 70, {}
        if self.shown:
            print(
                f"starmin {told}\n   {code} {(out or said).strip()[:500]}", flush=True
            )
        if code == 2:
            return 2, said.strip()
        return code, out if line[0] == "check" else json.loads(out)

    def _expect(self, found: Any, door: str) -> None:
        """Compare an answer with the oracle: status, value and bounds."""
        if self.large or not found:
            return
        none = found["status"] == "infeasible"
        if door == "bound" and "delete-rows" in self.asked:
            none = none or self.best is None  # it costs least to delete all
        if none != (self.best is None):
            self._fault(door, f"{found['status']}; the optimum is {self.best}")
        if none or self.best is None:
            return
        best = float(self.best)
        for key in ("lower_bound", "certified_bound"):
            if found[key] is not None and not _at_most(found[key], best):
                self._fault(door, f"{key} {found[key]} above the optimum {self.best}")
        value = found["value"]
        if value is None:
            return
        if not _at_most(best, value):
            self._fault(door, f"value {value} below the optimum {self.best}")
        if found["status"] == "optimal" and not _at_most(value, best):
            self._fault(door, f"{value} is called optimal, {self.best} is")

    def _same(self, door: str, found: Any, other: Any, code: int) -> None:
        """Compare the answer of another door with the first one."""
        if code == 2:
            self._fault(door, f"refuses: {other}")
        if code == 2 or not other:
            return
        keys = ["requirement", "recoding", "objective"]
        both = {found["status"], other["status"]}
        if len(both) > 1 and "infeasible" in both:
            keys.append("status")
        if both == {"optimal"} and "decoys" not in self.asked:
            keys += ["value", "lower_bound"]
        for key in keys:
            if found[key] != other[key]:
                self._fault(door, f"{key} {other[key]}, not {found[key]}")
        self._expect(other, door)

    def _bound(self) -> None:
        """Bound it; stars that are counted of ranges and categories have none."""
        if self._uncounted:
            return
        told = words(self._promised(bound=True), _BUT_BATCHES | {"recoding"})
        code, found = self._ask("bound", "t.csv", *told, "--certificate", "b.json")
        if code == 2 and "No bound takes" not in found:
            self._fault("bound", f"refuses: {found}")
        if code != 2:
            self._expect(found, "bound")
            self._check("b.json", found)

    @property
    def _uncounted(self) -> bool:
        ranged = self.asked["recoding"] == "generalization"
        return ranged and self.asked["objective"] != "gcp"

    def _promised(self, bound: bool = False) -> Problem:
        """Return the problem with the l that is solved for."""
        asked = dict(self.asked)
        if more := asked.get("margin", 0):
            asked["l"] += more
        if bound:  # it has no recoding, and so no objective that is usual for one
            asked.pop("by default", None)
        return self.problem._replace(asked=asked)

    def _by_a_method(self) -> None:
        """Ask one method that takes the problem, of a few that are drawn."""
        if self.large or self._uncounted:
            return
        names = [name for name, each in METHODS.items() if each.kind != "bound"]
        for name in self.rng.sample(names, 4):
            code, found = self._ask(
                "solve", "t.csv", *words(self.problem), "--method", name
            )
            if code != 2:
                self._expect(found, name)
                exact = METHODS[name].kind == "exact" and self.oracle.ids is None
                proven = found.get("limit") or found["status"] != "feasible"
                if exact and not (proven or self._later):
                    self._fault(name, "exact, and no optimum")
                break

    @property
    def _later(self) -> bool:
        return bool(_LATER & {*self.asked})

    # Releases.

    def _recount(self, door: str, frame: pandas.DataFrame, value: float) -> None:
        """Compare a release with the table, cell by cell, and count it again."""
        oracle, asked = self.oracle, self.asked
        cells = frame[oracle.qi].astype(str).to_numpy().tolist()
        for j, column in enumerate(oracle.columns):
            for text in {row[j] for row in cells} - {*column.covered}:
                self._fault(door, f"{text!r} in {column.name} is nothing to publish")
                return
        at = self._rows_of(frame, cells)
        if at is None:
            self._fault(door, "the rows are not those of the table")
            return
        cost = float(oracle.cost(cells))
        if not math.isclose(cost, value, **_NEAR):
            self._fault(door, f"costs {cost}, said {value}")
        if "shuffle" in asked and self._by_place:
            return  # not known whose rows they are
        order = sorted(range(len(at)), key=at.__getitem__)
        if not oracle.holds([cells[i] for i in order], sorted(at)):
            self._fault(door, "does not hold")
        if not oracle.keeps(cells, at) and not self._later:
            self._fault(door, "hides what is kept")

    @property
    def _by_place(self) -> bool:
        """Whether it matters in which place of the table a row is."""
        return self.oracle.ids is not None or "within" in self.asked

    def _rows_of(
        self, frame: pandas.DataFrame, cells: list[list[str]]
    ) -> list[int] | None:
        """Return the row of the table that each released one stands for."""
        oracle, names = self.oracle, self.problem.names
        others = [c for c in frame.columns if c not in oracle.qi and c != "id"]
        beside = frame[others].astype(str).to_numpy().tolist()
        same = [names.index(column) for column in others]

        def fits(i: int, r: int) -> bool:
            told = [self.problem.rows[r][j] for j in same]
            return told == beside[i] and oracle.true(cells[i], r)

        if "shuffle" not in self.asked:
            at, rows = list[int](), iter(range(oracle.n))
            for i in range(len(cells)):
                at.append(next((r for r in rows if fits(i, r)), oracle.n))
            whole = len(cells) == oracle.n or "delete-rows" in self.asked
            return at if whole and oracle.n not in at else None
        taken: dict[int, int] = {}

        def place(i: int, tried: set[int]) -> bool:
            for r in range(oracle.n):
                if r not in tried and fits(i, r):
                    tried.add(r)
                    if r not in taken or place(taken[r], tried):
                        taken[r] = i
                        return True
            return False

        placed = all(place(i, set()) for i in range(len(cells)))
        return sorted(taken, key=taken.__getitem__) if placed else None

    def _verify(self, found: Any) -> None:
        """Have the release and its certificate checked, told as options and a file."""
        proof = Path("c.json").exists()
        costly = proof or {"delete-rows", "weights"} <= {*self.asked}
        without = _BUT_BATCHES if costly else _BUT_BATCHES | OF_COSTS
        doors = [words(self._promised(), without)]
        if "margin" not in self.asked:
            doors.append(["--recipe", "asked.toml"])
        for told in doors:
            claims = ["--certificate", "c.json"] if proof else []
            line = ["verify", "r.csv", "--original", "t.csv", *told, *claims]
            code, check = self._ask(*line)
            if code == 2:
                if not ("shuffle" in self.asked and "another order" in check):
                    self._fault("verify", f"refuses: {check}")
                continue
            if not check or ("shuffle" in self.asked and self._by_place):
                continue  # the order may be that of the table to all appearances
            accepted = not proof or check["certificate"]["accepted"]
            agrees = check["consistent"] or check["reordered"]
            if code or not (check["holds"] and agrees and accepted):
                self._fault(" ".join(line), json.dumps(check)[-900:])
            if not {*_LATER, "delete-rows", "stream", "shuffle"} & {*self.asked}:
                for key in ("range_ends", "undone", "unchanged"):
                    if found[key] != check[key]:
                        self._fault(key, f"solve {found[key]}, verify {check[key]}")
        self._check("c.json", found, doors[0])

    def _check(self, proof: str, found: Any, told: Sequence[str] = ()) -> None:
        """Have both checkers judge a certificate, and two that are edited."""
        if not Path(proof).exists():
            return
        trees = [f"{c}=tree_{c}.csv" for c in self.asked.get("hierarchy", ())]
        given = [word for tree in trees for word in ("--hierarchy", tree)]
        line = ["--original", "t.csv", *given]
        if (code := self._ask("check", proof, *line)[0]) not in (0, 3):
            self._fault(f"check {proof}", f"exit code {code}")
        if self.large or self.best is None:
            return
        content = json.loads(Path(proof).read_text())
        claim, share = content["bound"], found["certified_bound"]
        optimum = round(self.best * (Fraction(claim) / Fraction(share) if share else 0))
        lies = [{**content, "bound": max(optimum, claim) + 1}]
        lies += [tampered(self.rng, content)] if told else []
        for lie in lies:
            Path("lie.json").write_text(json.dumps(lie))
            code, said = self._ask("check", "lie.json", *line)
            if code == 0 and lie["bound"] > max(optimum, claim):
                self._fault(f"check {proof}", f"takes {lie}: {said}")
            if not told:
                continue
            claims = ["r.csv", "--original", "t.csv", "--certificate", "lie.json"]
            other, check = self._ask("verify", *claims, *told)
            if other == 2 and "another order" in check:
                continue
            accepted = other != 2 and check and check["certificate"]["accepted"]
            if accepted is not None and code in (0, 1) and accepted != (code == 0):
                self._fault("checkers differ", f"{code}, {check}: {lie}")

    def _judge(self) -> None:
        """Have ``verify`` judge two releases of anyone; some have a cell that lies."""
        if {"delete-rows", "stream"} & {*self.asked} or self.large:
            return
        asked = {**self.asked, "margin": 0}
        oracle = Oracle(self.problem.names, self.problem.rows, asked)
        told = words(self.problem, BY_SOLVE_ALONE | OF_COSTS)
        every, qi = range(oracle.n), {c: j for j, c in enumerate(oracle.qi)}
        names = [
            c for c in self.problem.names if c != "id" or "pseudonym" in self.asked
        ]
        for coarse in (True, False):
            release = drawn_release(self.rng, oracle, coarse)
            if release is None:
                continue
            if self.rng.random() < 0.3:
                r, j = self.rng.choice(every), self.rng.randrange(len(qi))
                release[r][j] = self.rng.choice([*oracle.columns[j].covered])
            true = all(map(oracle.true, release, every))
            rows = [
                [
                    release[r][qi[c]]
                    if c in qi
                    else self.problem.rows[r][self.problem.names.index(c)]
                    for c in names
                ]
                for r in every
            ]
            Path("any.csv").write_text("\n".join(map(",".join, [names, *rows])) + "\n")
            code, check = self._ask("verify", "any.csv", "--original", "t.csv", *told)
            if code == 2:
                if true and not self.refusal:
                    self._fault("verify", f"refuses {rows}: {check}")
            elif check and not check["reordered"]:
                if true != check["consistent"]:
                    self._fault("verify", f"consistent is not {true}: {rows}")
                elif true and oracle.holds(release, every) != check["holds"]:
                    self._fault("verify", f"holds {check['holds']}: {rows}")

    # Python.

    def _calls(self) -> dict[str, Callable[[], Any]]:
        """Return the doors of Python."""
        names, rows = self.problem.names, self.problem.rows
        frame = pandas.DataFrame(rows, columns=names)
        table = Table.from_rows(
            names, rows, self.asked["qi"], self.asked.get("sensitive", [])
        )
        told = keywords(self.problem)
        how: dict[str, Any] = {"time_limit": _LIMIT, "display": False}
        return {
            "anonymize": lambda: anonymize(frame, **told, **how),
            "starmin.solve": lambda: solve(table, recipe="asked.toml", **how),
        }

    def _python(self, found: Any) -> None:
        for door, call in self._calls().items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = call()
                    check = made.verify() if door == "anonymize" and made.best else None
            except Exception as error:
                self._fault(door, *traceback.format_exception(error)[-3:])
                continue
            status, gcp = str(getattr(made.status, "value", made.status)), made.value
            both = {status, found["status"]}
            if len(both) > 1 and "infeasible" in both:
                self._fault(door, f"{status}, not {found['status']}")
            same = math.isclose(gcp or 0, found["value"] or 0, **_NEAR)
            if both == {"optimal"} and not same and "decoys" not in self.asked:
                self._fault(door, f"{gcp}, not {found['value']}")
            if check is not None:
                cells = made.frame.astype(object).where(made.frame.notna(), "")
                self._recount(door, cells, made.value)
                if not check.holds:
                    self._fault(door, f"its verify: {check}")

    # Refusals.

    def _expect_refused(self) -> None:
        """Expect every door to refuse what ``solve`` refuses, before a search."""
        if self.searched:
            self._fault("solve", f"searched before it refused: {self.refusal}")
        first, lines = self.refusal, []
        by_file = not {"person", "household"} <= {*self.asked}  # one role a column
        if by_file:
            lines.append(["solve", "t.csv", "--recipe", "asked.toml"])
        bounded = not self._uncounted and self._refused_without(_BUT_BATCHES)
        if bounded and not any("in batches" in why for why in (first, self.refusal)):
            told = words(self._promised(bound=True), _BUT_BATCHES | {"recoding"})
            lines.append(["bound", "t.csv", *told])
        for line in lines:
            if self._ask(*line)[0] != 2:
                self._fault(" ".join(line), f"takes what solve refuses: {first}")
            elif self.searched:
                self._fault(" ".join(line), "searched before it refused")
        if self._refused_without(BY_SOLVE_ALONE | OF_COSTS):
            told = words(self.problem, BY_SOLVE_ALONE | OF_COSTS)
            for original in [], ["--original", "t.csv"]:
                taken = self._ask("verify", "t.csv", *original, *told)[0] != 2
                if taken and not any(sign in self.refusal for sign in _NO_METHOD):
                    self._fault("verify", f"takes what solve refuses: {self.refusal}")
            self._judge()
        for door, call in self._calls().items() if "stream" not in self.asked else ():
            if door == "starmin.solve" and not by_file:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call()
            except (ValueError, TypeError, NotImplementedError) as error:
                if "\n" in str(error):
                    self._fault(door, f"refuses in several lines: {error}")
            except Exception as error:
                self._fault(door, *traceback.format_exception(error)[-3:])
            else:
                self._fault(door, f"takes what solve refuses: {first}")

    def _refused_without(self, options: set[str]) -> bool:
        """Return whether ``solve`` refuses it without some options, too."""
        if options & {*self.asked}:
            code, said = self._ask("solve", "t.csv", *words(self.problem, options))
            if code != 2:
                return False
            self.refusal = said
        return True

    def _fault(self, door: str, *why: str) -> None:
        self.faults.append(f"{door}: {''.join(why)}")


def _at_most(one: float, other: float) -> bool:
    return one <= other or math.isclose(one, other, **_NEAR)


def trials(
    many: int, seeds: Iterator[int], seconds: float, shown: bool = False
) -> tuple[Counter[str], dict[Meeting, str], set[Meeting], list[str]]:
    """Run problem after problem: counts, what was refused and covered, and faults."""
    every = list(itertools.combinations(FEATURES, many))
    counts, faults, end = Counter[str](), list[str](), time.monotonic() + seconds
    refused, covered = dict[Meeting, str](), set[Meeting]()
    for seed in seeds:
        if time.monotonic() > end:
            break
        features, large = every[seed * 97 % len(every)], seed % 7 == 6
        trial = Trial(seed, features, large, shown)
        with TemporaryDirectory(prefix="fuzz_pairs.") as at, contextlib.chdir(at):
            trial.run()
        counts["problems"] += 1
        if trial.refusal:
            refused[features] = trial.refusal.removeprefix("starmin: ")
        else:
            covered.add(features)
        counts["refused" if trial.refusal else "solved"] += 1
        counts["proven optimal"] += trial.optimal
        for fault in trial.faults:
            option = {2: "--pairs", 3: "--triples"}[many]
            line = f"python -m tests.fuzz_tables {option} --case {seed}"
            faults.append(f"{line}  # {' + '.join(features)}\n{fault}")
            if shown or seconds > 60:
                print(f"\n{faults[-1]}", flush=True)
    return counts, refused, covered, faults


def told_of(refused: Mapping[Meeting, str], covered: set[Meeting]) -> str:
    """Return which features were covered together, and which are refused."""
    lines = [f"{' + '.join(features)}: covered" for features in sorted(covered)]
    lines += [
        f"{' + '.join(features)}: {why}"
        for features, why in sorted(refused.items())
        if features not in covered
    ]
    never = len(lines) - len(covered)
    return "\n".join([*lines, f"{len(covered)} covered, {never} refused"])
