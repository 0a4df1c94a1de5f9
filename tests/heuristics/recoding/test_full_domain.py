"""Tests that full-domain methods find the best of all nodes, and TDS ends in time."""

import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from starmin.heuristics.recoding.full_domain import full_domain
from starmin.heuristics.recoding.levels import column_levels, incognito
from starmin.heuristics.recoding.top_down_specialization import top_down_specialization
from starmin.instances import (
    GroupStats,
    KAnonymity,
    LDiversity,
    Limit,
    MaxShare,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Scales,
    Table,
    Taxonomy,
    why_infeasible,
)
from starmin.verify.utility.penalty import Penalty

TREE = Taxonomy.parse("{x{1,y{2,3}},5,z{7,8}}")


def draw(rng: random.Random, most: int = 12) -> tuple[Table, Objective]:
    """A table with a column of numbers, one with a tree and a flat one, for GCP."""
    n = rng.randint(4, most)
    rows = [
        [rng.choice("123578") for _ in range(3)] + [rng.choice("ab")] for _ in range(n)
    ]
    for row in rows if rng.random() < 0.3 else ():
        row[0] = rng.choice([row[0], "?", ""])
    table = Table.from_rows(["p", "q", "r", "s"], rows, ["p", "q", "r"], ["s"])
    scales = Scales.of(table, ["p"], {"q": TREE})
    keep = ("r",) if rng.random() < 0.2 else ()
    return table, Objective("gcp", {"p": rng.randint(0, 2)}, keep, scales)


def ask(rng: random.Random) -> Requirement:
    k, l = KAnonymity(rng.randint(2, 4)), LDiversity(2)
    return rng.choice([k, l, k & l, MaxShare(0.6)])


def labels(table: Table, keep: bool) -> list[list[dict[str | None, object]]]:
    """For each column its levels, each as what the values become; by definition."""
    cells = set(table.cells("p"))
    numbers = sorted(int(value or "") for value in cells - {"", "?"})
    bits = len(bin(len(numbers) - 1)) - 2 if len(numbers) > 1 else 0
    p: list[dict[str | None, object]] = [
        {"": "", "?": "?"} | {str(x): at >> i for at, x in enumerate(numbers)}
        for i in range(bits + 1)
    ]
    if cells & {"", "?"} and len(cells) > 1:
        p.append(dict.fromkeys(cells, "*"))
    q = [  # TREE, its leaves at depths 1 to 3
        {v: v for v in "123578"},
        {"1": "1", "2": "y", "3": "y", "5": "5", "7": "7", "8": "8"},
        {"1": "x", "2": "x", "3": "x", "5": "5", "7": "z", "8": "z"},
        dict.fromkeys("123578", "*"),
    ]
    r: list[dict[str | None, object]] = [
        {v: v for v in "123578"},
        dict.fromkeys("123578", "*"),
    ]
    r = r[: 1 if keep or len(set(table.cells("r"))) == 1 else 2]
    return [p, list(q), r]  # type: ignore[list-item]


@pytest.mark.parametrize("part", range(2))
def test_incognito_is_the_best_of_all_nodes(part: int) -> None:
    rng = random.Random(part)
    solved = 0
    for _ in range(80):
        table, objective = draw(rng)
        requirement = ask(rng)
        result = incognito(table, requirement, objective=objective)
        if why_infeasible(table, requirement, objective):
            assert result.best is None
            continue
        rows = [row[:3] for row in table.rows()]
        penalty, costs = Penalty(table, objective), []
        for node in product(*labels(table, bool(objective.keep))):
            groups: dict[tuple[object, ...], list[int]] = {}
            for i, row in enumerate(rows):
                key = tuple(level[v] for level, v in zip(node, row, strict=True))
                groups.setdefault(key, []).append(i)
            number = np.empty(table.n, np.int32)
            for g, members in enumerate(groups.values()):
                number[members] = g
            if requirement.holds(GroupStats.of(table, number)).all():
                each = ([rows[i] for i in members] for members in groups.values())
                costs.append(sum(map(penalty.of, each)))
        assert result.value == min(costs)
        solved += 1
    assert solved > 20


def test_specialization_leaves_no_step_that_could_be_taken() -> None:
    rng = random.Random(9)
    for _ in range(80):
        table, objective = draw(rng, 20)
        requirement = ask(rng)
        result = top_down_specialization(table, requirement, objective=objective)
        if result.best is None:
            assert why_infeasible(table, requirement, objective)
            continue
        groups = result.best.groups
        # Column r is published as a whole or not at all.
        r = table.column("r")
        mixed = any(len(set(r[groups == g])) > 1 for g in range(result.best.size))
        if mixed:
            finer = Partition.from_labels(groups * 6 + r)
            assert finer.violation(table, requirement) is not None


def test_specialization_goes_down_the_tree_while_it_may() -> None:
    def groups(values: str, k: int) -> list[int]:
        table = Table.from_rows(["q"], list(values), ["q"])
        objective = Objective("gcp", scales=Scales.of(table, (), {"q": TREE}))
        best = top_down_specialization(table, KAnonymity(k), objective=objective).best
        assert best is not None
        return best.by_first_rows().groups.tolist()

    # To x, 5 and z, then x to 1 and y and z to 7 and 8; 2 and 3 are too few.
    assert groups("1123557788", 2) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    # A single 1: x stays as it is.
    assert groups("123557788", 2) == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert groups("1123557788", 3) == [0] * 10


def test_limits_are_kept_and_levels_are_nested() -> None:
    rng = random.Random(1)
    for _ in range(20):
        table, objective = draw(rng, 30)
        for solve in (incognito, top_down_specialization):
            result = solve(table, KAnonymity(2), objective=objective, time_limit=0)
            if result.best is not None:
                assert result.limit is Limit.TIME
        for column, levels in zip(
            table.qi, column_levels(table, objective), strict=True
        ):
            rows = [level[table.column(column)] for level in levels]
            for fine, coarse in pairwise(rows):
                pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
                assert len(pairs) == len(set(fine.tolist()))


def level_loss(
    table: Table, column: str, level: dict[str | None, object]
) -> dict[str | None, Fraction]:
    """What each value loses at a level, as a share of all, by definition."""
    cells = set(table.cells(column))
    if column == "q":
        below = Counter(node for path in TREE.paths for node in path)
        leaves = {v: below[str(level[v])] for v in cells}
        return {v: Fraction(many if many > 1 else 0, 6) for v, many in leaves.items()}
    found = {}
    for value in cells:
        same = {v for v in cells if level[v] == level[value]}
        if column == "r" or same & {"", "?"}:
            found[value] = Fraction(len(same) > 1)
            continue
        domain = [int(v or "") for v in cells - {"", "?"}]
        numbers = [int(v or "") for v in same]
        width = max(domain) - min(domain) or 1
        found[value] = Fraction(max(numbers) - min(numbers), width)
    return found


@pytest.mark.parametrize("part", range(3))
def test_full_domain_is_the_best_of_all_nodes(part: int) -> None:
    rng = random.Random(100 + part)
    solved = suppressing = 0
    for _ in range(80):
        table, objective = draw(rng, 16)
        requirement = ask(rng)
        share = rng.choice([1.0, 0.5, 0.25, 0.0])
        result = full_domain(table, requirement, objective=objective, suppress=share)
        if why_infeasible(table, requirement, objective):
            assert result.best is None
            continue
        costs = [
            cost
            for node in product(*labels(table, bool(objective.keep)))
            if (cost := node_cost(table, requirement, objective, node, share))
            is not None
        ]
        whole = objective.whole(table)
        weights = [objective.weights.get(column, 1) for column in table.qi]
        least = min(costs) * whole / (table.n * sum(weights) or 1)
        assert result.stats["level_value"] == least
        assert result.value is not None and result.value <= least
        assert result.best is not None
        assert not result.best.violation(table, requirement, objective)
        suppressing += result.stats["suppressed"] > 0
        solved += 1
    assert solved > 20 and suppressing > 5


def node_cost(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    node: tuple[dict[str | None, object], ...],
    share: float,
) -> Fraction | None:
    """What the rows lose at a node, its failing classes suppressed, by definition."""
    rows = [row[:3] for row in table.rows()]
    classes: dict[tuple[object, ...], list[int]] = {}
    for i, row in enumerate(rows):
        key = tuple(level[v] for level, v in zip(node, row, strict=True))
        classes.setdefault(key, []).append(i)

    def holds(members: list[int]) -> bool:
        stats = GroupStats.of(
            table, np.zeros(len(members), np.int32), np.array(members)
        )
        return bool(requirement.holds(stats).all())

    fails = [i for members in classes.values() if not holds(members) for i in members]
    rest: dict[str | None, list[int]] = {}
    for i in fails:
        rest.setdefault(rows[i][2] if objective.keep else None, []).append(i)
    if len(fails) > share * table.n or not all(map(holds, rest.values())):
        return None
    lost = Fraction(0)
    for j, column in enumerate(table.qi):
        weight = objective.weights.get(column, 1)
        losses = level_loss(table, column, node[j])
        whole = Fraction(column not in objective.keep)
        for i in range(table.n):
            lost += weight * (whole if i in fails else losses[rows[i][j]])
    return lost


def test_levels_that_no_release_has_are_refused():
    """Leaves that are not as deep wait for a level that must not be published."""
    tree = Taxonomy.parse("{six{four{a{1,5}},five{three{b{2},c{7,9}}}}}")
    rows = [[each] for each in "915272"]
    table = Table.from_rows(["n"], rows, qi=["n"])
    scales = Scales.of(table, [], {"n": tree}, max_levels={"n": 1})
    losses = Objective("gcp", scales=scales)
    asked = table, KAnonymity(2), losses
    assert Partition.coarsest(table, losses).violation(*asked) is None
    with pytest.raises(NotSupportedError, match="no release"):
        incognito(table, KAnonymity(2), objective=losses)
