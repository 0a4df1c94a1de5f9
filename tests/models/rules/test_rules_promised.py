"""All that is promised of rules over combinations, on random tables against all masks.

    python -m tests.models.rules.test_rules_promised 1000

Each table has at most 15 cells, and rules of any semantics or among people; some have
weights, strata, linked and kept columns, missing cells that count as hidden, open
rules, k-anonymity, or rules that count something else. The optimum of ``rule_ilp`` is
that of brute force, every bound is at most that, every release holds, every certificate
is accepted by both checkers, and edited ones are refused if they claim too much.
"""

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from starmin.heuristics.rules.office_greedy import office_greedy
from starmin.heuristics.rules.rule_search import rule_search
from starmin.instances import (
    Certificate,
    KAnonymity,
    Mask,
    Objective,
    Requirement,
    Result,
    Table,
)
from starmin.models.rules.rule_bounds import hitting_sets, rule_prices
from starmin.models.rules.rule_ilp import rule_ilp
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.mask_check import check_mask
from tests.models.rules.test_rule_certificates import answer, edited, populations_of
from tests.support.effort import seeds
from tests.support.small_rules import least_by_rules, linked_problem, random_problem
from tests.verify.test_rules import published

Draw = Callable[[random.Random], tuple[Table, Requirement, Objective]]


def hunt(seed: int, folder: Path, draw: Draw = random_problem) -> Counter[str]:
    """Check all that is promised of one problem; return what it has, and was done."""
    rng = random.Random(seed)
    problem = table, requirement, objective = draw(rng)
    seen = Counter(ingredients(requirement, objective))
    best = least_by_rules(*problem)
    for method in (rule_ilp, hitting_sets, rule_prices, rule_search, office_greedy):
        found = method(table, requirement, objective=objective)
        assert (found.reason is None) == (best is not None), (seed, method)
        if best is None:
            seen["without any release"] += method is rule_ilp
            continue
        if method is rule_ilp:
            assert found.value == found.lower_bound == best, seed
        if found.lower_bound is not None:
            assert found.lower_bound <= best, (seed, method)
        if found.best is not None:
            assert found.value is not None and found.value >= best, (seed, method)
            check = check_mask(published(table, found.best), requirement, table)
            assert check.holds and check.consistent, (seed, method)
            seen["releases checked"] += 1
        if found.certificate is not None:
            seen += proven(rng, problem, found, best, folder)
    return seen


def proven(
    rng: random.Random,
    problem: tuple[Table, Requirement, Objective],
    found: Result[Mask],
    best: int | None,
    folder: Path,
) -> Counter[str]:
    """Let both checkers judge a certificate, and edited ones."""
    table, requirement, objective = problem
    assert found.certificate is not None and best is not None
    content = json.loads(json.dumps(vars(found.certificate), default=dict))
    too_much = content | {"bound": best + 1}
    seen: Counter[str] = Counter()
    for other in (content, too_much, *(edited(rng, content) for _ in range(3))):
        check = check_certificate(Certificate(**other), table, requirement, objective)
        alone, _ = answer(table, other, folder, populations_of(requirement))
        if other["objective"] == content["objective"]:
            assert alone == check.accepted, other
        if other is content:
            assert check.accepted and content["bound"] <= best, check.why
            seen["certificates accepted"] += 1
        elif check.accepted:
            assert other["bound"] <= best, other
        else:
            seen["edited ones refused"] += 1
        assert other is not too_much or not check.accepted
    return seen


def ingredients(requirement: Requirement, objective: Objective) -> Iterator[str]:
    """Name what a problem has."""
    parts = list(requirement.parts)
    rules = [part for part in parts if not isinstance(part, KAnonymity)]
    for part in rules[:1]:
        yield "population" if part.population is not None else part.semantics
        yield from (n for n in ("strata", "linked", "hidden") if getattr(part, n))
        yield from ["open"] * (not part.closed)
    yield from ["with other rules"] * (len(rules) > 1)
    yield from ["with k-anonymity"] * (len(rules) < len(parts))
    yield from (n for n in ("weights", "keep") if getattr(objective, n))
    yield from ["tuples"] * objective.once


@pytest.mark.parametrize("seed", seeds(10))
def test_a_missing_cell_of_linked_columns_costs_nothing(
    seed: int, tmp_path: Path
) -> None:
    hunt(seed, tmp_path, linked_problem)


@pytest.mark.parametrize("seed", seeds(12))
def test_all_that_is_promised_holds(seed: int, tmp_path: Path) -> None:
    hunt(seed, tmp_path)


if (
    __name__ == "__main__"
):  # python -m tests.models.rules.test_rules_promised 1000: a longer hunt
    total, began = Counter[str](), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        for number in range(int(sys.argv[1])):
            total += hunt(20_000 + number, Path(name))
    for what, often in sorted(total.items()):
        print(f"{what:24}{often:8,}")
    print(f"{'processor seconds':24}{time.process_time() - began:8.0f}")
