"""Hunts certificates that are accepted though their claim is false.

``python -m tests.fuzz_certificates --seconds 600`` runs for ten minutes and prints how
many certificates of each kind were tried and how many false ones a checker accepted;
``tests/verify/certificates/test_fuzz_certificate.py`` runs a short form. Every claim is
compared with the optimum by brute force of the problem that the certificate states.

Random numbers hardly ever make a sum wrap to where it helps a liar. So prices are
solved for: if all rows have the price P and every pattern takes all its rows, the
bound of prices is ``C - P (N - n)``, N incidences of rows and patterns costing C. The
P of ``C - P (N - n) + j 2^w = truth + 1`` makes a checker that adds up in w bits say
what the liar claims.
"""

import argparse
import copy
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, get_args

import numpy as np

from starmin.instances import (
    Certificate,
    Objective,
    Requirement,
    Scales,
    Table,
    Taxonomy,
    least_diversity,
)
from starmin.instances.arrays import Int32s
from starmin.instances.releases.objective import MOST_WEIGHT
from starmin.instances.requirements.within import CLASS, Within, nested_within
from starmin.instances.scales.node_losses import Rule
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import (
    CertificateCheck,
    check_certificate,
)
from tests.support.one_file_checker import by_standard_library
from tests.support.rowwise import rowwise_optimum as brute_force_rows
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)

PRICES, RESIDUE, ROWS = "prices", "residue", "nonhomogeneous_prices"
LOSSES = "losses"  # certificates of prices, of groups or not, for gcp
GROUP = "group_prices"
WITHIN = "within"
WIDTHS = (31, 32, 52, 53, 62, 63, 64)
POWERS = (0, 1, 16, 31, 32, 33, 52, 53, 59, 60, 61, 62, 63, 64, 65, 128)
CUBE = [
    [*corner] for corner in ("000", "001", "010", "011", "100", "101", "110", "111")
]


TREE = [("a", "x", "*"), ("b", "x", "*"), ("1", "y", "*"), ("0", "y", "*")]


def extreme(rng: random.Random, parts: int) -> int:
    """A number at a power of two, or at a part of one."""
    divisor = rng.choice([1, 1, 2, 3, rng.randint(1, parts)])
    number = 2 ** rng.choice(POWERS) // divisor + rng.randint(-2, 2)
    return rng.choice([1, 1, 1, -1]) * number


def random_scales(rng: random.Random, table: Table) -> Scales:
    """Numbers with what is missing in them, trees, and flat columns."""
    how = {column: rng.choice(["numeric", "tree", "flat"]) for column in table.qi}
    trees = {
        column: Taxonomy([*TREE, *((value, "*") for value in others)])
        for column, kind in how.items()
        if kind == "tree"
        for others in [
            {str(v or "") for v in table.dictionary(column)} - {p[0] for p in TREE}
        ]
    }
    numeric = [column for column, kind in how.items() if kind == "numeric"]
    missing = [None, *"abc"]  # all that is no digit
    return Scales.of(table, numeric, trees, missing, rng.choice(get_args(Rule)))


@dataclass(eq=False)
class Target:
    """A small problem and the optimum that no accepted claim may exceed."""

    kind: str
    table: Table
    requirement: Requirement
    objective: Objective

    @classmethod
    def draw(cls, rng: random.Random) -> "Target":
        kind = rng.choice([PRICES, PRICES, PRICES, RESIDUE, ROWS, LOSSES, WITHIN])
        k, l = random_bounds(rng)
        if kind == ROWS or rng.random() < 0.2:
            # Many patterns for few rows: what makes their sum wrap.
            d = rng.choice([2, 3])
            corners = sorted({tuple(row[:d]) for row in CUBE})
            rows = rng.sample(corners, rng.randint(min(5, 2**d), 2**d))
            rows = [
                [*row, rng.choice("pq")] for row in rows[: 5 if kind == ROWS else 8]
            ]
            names = "uvw"[:d]
            table = Table.from_rows([*names, "s"], rows, names, ["s"])
        else:
            table = random_table(rng, least=4, most=8)
        if kind == ROWS:
            k, l = rng.choice([2, 2, 3]), 1
        if kind == WITHIN and rng.random() < 0.7:
            k, l = rng.choice([2, 3]), 1  # so that there is a release
        if l == 1 and rng.random() < 0.7:
            table = table.with_roles(table.qi)
        goal = "tuples" if kind == RESIDUE else "stars"
        objective = random_objective(rng, table, goal)
        requirement = ask(k, l)
        if kind == WITHIN:
            table, requirement = nested_within(table, requirement, labels(rng, table))
        if kind == LOSSES or (kind == WITHIN and rng.random() < 0.4):
            kept, weights = objective.keep, objective.weights
            objective = Objective("gcp", weights, kept, random_scales(rng, table))
        elif kind != RESIDUE and rng.random() < 0.1:
            objective = Objective(weights={table.qi[0]: MOST_WEIGHT})
        return cls(kind, table, requirement, objective)

    @cached_property
    def optimum(self) -> int | None:
        return self.truth(self.requirement, self.objective)

    def truth(self, requirement: Requirement, objective: Objective) -> int | None:
        """The least cost of a release; None if there is none."""
        if self.kind == ROWS:
            return brute_force_rows(self.table, requirement, objective)
        return brute_force(self.table, requirement, objective).value

    @cached_property
    def incidences(self) -> tuple[int, int]:
        """N rows in the patterns that two rows or more may share, and their cost C."""
        qi = self.table.qi
        rows = list(zip(*map(self.table.cells, qi), strict=True))
        united = self.kind == WITHIN
        atoms = self.table.column(CLASS).tolist() if united else range(len(rows))
        total = cost = 0
        free = [j for j, name in enumerate(qi) if name not in self.objective.keep]
        for size in range(len(free) + 1):
            for starred in combinations(free, size):
                price = sum(self.objective.weights.get(qi[j], 1) for j in starred)
                shown = [j for j in range(len(qi)) if j not in starred]
                classes: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
                wholes: dict[int, list[tuple[Any, ...]]] = {}
                for row, atom in zip(rows, atoms, strict=True):
                    wholes.setdefault(atom, []).append(row)
                for some in wholes.values():
                    values = {tuple(row[j] for j in shown) for row in some}
                    if len(values) == 1:
                        classes.setdefault(values.pop(), []).extend(some)
                for members in classes.values():
                    if len(members) > 1 and all(
                        len({row[j] for row in members}) > 1 for j in starred
                    ):
                        total += len(members)
                        cost += len(members) * price
        return total, cost

    def content(self, rng: random.Random) -> dict[str, Any]:
        """A certificate of this problem that claims more than the truth."""
        assert self.optimum is not None
        claim = self.optimum + rng.choice([1, 1, 1, 2, 7])
        if rng.random() < 0.1:
            claim = max(claim, abs(extreme(rng, 3)), rng.choice([0, 10**19]))
        data = {} if self.kind == RESIDUE else self.prices(rng, claim)
        requirement = self.requirement
        if isinstance(requirement, Within):
            data.pop("sensitive", None)
            classes = self.table.column(CLASS)
            if rng.random() < 0.2:  # those of another problem, and its digest
                classes = labels(rng, self.table)
                named = nested_within(without(self.table), requirement.inner, classes)
                classes, requirement = named[0].column(CLASS), named[1]
            data["classes"] = classes.tolist()
        kind = rng.choice([PRICES, GROUP]) if self.kind == LOSSES else self.kind
        if kind == GROUP:
            data.pop("sensitive", None)
        l = least_diversity(self.requirement)
        if kind == PRICES and l == 1 and rng.random() < 0.4:
            data |= self.cuts(rng, data["denominator"])
        if self.kind == LOSSES and rng.random() < 0.5:
            data["unit"] = rng.choice([1, 2, 7, 64, 2**20, 2**61, abs(extreme(rng, 3))])
        found = Certificate.of(
            self.table, requirement, self.objective, kind, claim, data
        )
        return copy.deepcopy(dict(vars(found)))

    def cuts(self, rng: random.Random, unit: int) -> dict[str, Any]:
        """Patterns and group-count cuts, of multipliers small or extreme."""
        m = len(self.table.row_types)

        def some(count: int) -> list[int]:
            return sorted(rng.sample(range(count), rng.randint(1, count)))

        def cut() -> list[Any]:
            multiplier = rng.choice([rng.randint(0, unit), abs(extreme(rng, m))])
            return [some(m), some(len(patterns)), multiplier]

        patterns = [some(m) for _ in range(rng.randint(1, 4))]
        cuts = [cut() for _ in range(rng.randint(0, 3))]
        return {"patterns": patterns, "cuts": cuts}

    def prices(self, rng: random.Random, claim: int) -> dict[str, Any]:
        diverse = least_diversity(self.requirement) > 1
        types = self.table.sensitive_types if diverse else self.table.row_types
        m, n = len(types), self.table.n
        if self.kind == WITHIN:
            m = len(set(self.table.cells(CLASS)))
        total, cost = self.incidences
        unit = rng.choice([1, 1, 1, 1, 2, 3, 64, 2**16, abs(extreme(rng, n)) or 1])
        way = rng.randrange(5)
        if way <= 1:  # solved, and perhaps nudged
            slope = rng.choice([total - n, total, total + n, n, len(types)]) or 1
            wrap = rng.randint(1, 6) << rng.choice(WIDTHS)
            price = (unit * cost + wrap - unit * claim) // slope
            prices = [price] * m
            if way:
                prices = [p + rng.choice([0, 0, 1, -1]) for p in prices]
        elif way == 2:
            prices = [extreme(rng, total + 1)] * m
        elif way == 3:
            prices = [extreme(rng, total + 1) for _ in range(m)]
        else:
            near = [rng.randint(-unit, 4 * unit) for _ in range(m)]
            prices = [rng.choice([p, p, extreme(rng, total + 1)]) for p in near]
        data: dict[str, Any] = {"denominator": unit, "prices": prices}
        if diverse and rng.random() < 0.5:
            data["sensitive"] = rng.choice(self.table.sensitive)
        return data


def spoil(rng: random.Random, content: dict[str, Any]) -> None:
    """Put another value in some place of a certificate."""
    path: list[Any] = [rng.choice(["requirement", "objective", "data", "kind"])]
    at: Any = content
    while True:
        inner = at[path[-1]]
        if isinstance(inner, dict) and inner and rng.random() < 0.9:
            step: Any = rng.choice(list(inner))
        elif isinstance(inner, list) and inner and rng.random() < 0.9:
            step = rng.randrange(len(inner))
        else:
            break
        at = inner
        path.append(step)
    names = ["k", "l", "sensitive", "u", "s", *content["table"]["qi"]]
    at[path[-1]] = rng.choice(
        [
            extreme(rng, 9),
            rng.randint(-1, 9),
            rng.choice([None, True, 1.5, "1", [], {}, float("nan"), 1e308, 10**5000]),
            rng.choice([PRICES, RESIDUE, ROWS, WITHIN, "stars", "tuples"]),
            {rng.choice(names): rng.choice([rng.randint(0, 5), extreme(rng, 3)])},
            [rng.choice(names)],
        ]
    )


def labels(rng: random.Random, table: Table) -> Int32s:
    """A class for each row, by which another release is nested."""
    many = rng.randint(2, table.n)
    return np.array([rng.randrange(many) for _ in range(table.n)], np.int32)


def without(table: Table) -> Table:
    """The table without classes."""
    return table.drop([CLASS]) if CLASS in table.names else table


def stated(table: Table, content: dict[str, Any]) -> tuple[Table, Requirement]:
    """The requirement of an accepted certificate, and its table."""
    asked = content["requirement"]
    plain, inner = without(table), ask(asked.get("k", 1), asked.get("l", 1))
    if WITHIN not in asked:
        return plain, inner
    return nested_within(plain, inner, np.array(content["data"]["classes"], np.int32))


def lies(rng: random.Random, target: Target, count: int) -> Iterator[dict[str, Any]]:
    for _ in range(count):
        content = target.content(rng)
        if rng.random() < 0.25:
            for _ in range(rng.randint(1, 2)):
                spoil(rng, content)
        yield content


def is_false(
    target: Target, content: dict[str, Any], check: CertificateCheck, alone: int | None
) -> bool:
    """Whether what was accepted, or said to be proven, exceeds the truth.

    ``alone`` is what the checker of one file proves.
    """
    if check.bound is None:
        assert not check.accepted and check.why and "\n" not in check.why
    if check.objective is None or check.bound is alone is None:
        return False
    kind = LOSSES if check.objective.kind == "gcp" else content["kind"]
    problem = Target(kind, *stated(target.table, content), check.objective)
    optimum = problem.optimum
    proven = max(check.bound or 0, alone or 0, content["bound"] * bool(check.accepted))
    return optimum is not None and proven > optimum


def hunt(seed: int, count: int) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Try some certificates on one random problem: how many by kind, and false ones."""
    rng = random.Random(seed)
    tried, found = Counter[str](), list[dict[str, Any]]()
    target = Target.draw(rng)
    if target.optimum is None:
        return tried, found
    for content in lies(rng, target, count):
        named = rng.random() < 0.5  # what is asked for, or whatever it states
        check = check_certificate(
            Certificate(**content),
            without(target.table),
            target.requirement if named else None,
            target.objective if named else None,
            "nonhomogeneous" if target.kind == ROWS else "suppression",
            target.objective.scales,
        )
        scales = target.objective.scales
        alone = by_standard_library(without(target.table), content, scales)
        tried[target.kind] += 1
        if is_false(target, content, check, alone):
            found.append(content)
    return tried, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    tried, problems, false = Counter[str](), 0, 0
    end = time.monotonic() + arguments.seconds
    while time.monotonic() < end:
        runs, found = hunt(arguments.seed + problems, 60)
        tried, problems, false = tried + runs, problems + 1, false + len(found)
        for content in found:
            print(f"false, seed {arguments.seed + problems - 1}: {content}")
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in sorted(tried.items()))
    print(f"{tried.total():,} certificates on {problems:,} problems: {kinds}")
    print(f"false acceptances: {false}")
    return int(false > 0)


if __name__ == "__main__":
    raise SystemExit(main())
