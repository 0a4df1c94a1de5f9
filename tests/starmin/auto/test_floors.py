"""Tests that floors hold, and that what is published above them loses least.

Methods see 150 tables; ``FLOORS=500 pytest tests/starmin/auto/test_floors.py`` takes
more.

The oracle of ``tests.support.small_floors`` counts from the original cells and shares
no code with scales; certificates are checked by both checkers.
"""

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from starmin.auto.dispatch import call
from starmin.instances import (
    KAnonymity,
    NotSupportedError,
    Objective,
    Problem,
    Scales,
    Table,
    TableError,
    Taxonomy,
    write_table,
)
from starmin.instances.scales.floors import Floors
from starmin.registry import METHODS
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.small_floors import Oracle, random_floored, trees_of
from tests.support.small_problems import ask

TABLES = int(os.environ.get("FLOORS", "150"))
EXACT = "pattern_ilp", "branch_and_bound", "box_program"
OTHER = "lagrangian", "own_pattern", "mondrian", "full_domain", "ruin_and_recreate"
TREE = Taxonomy([("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*"), ("?", "*")])


@pytest.mark.parametrize("part", range(5))
def test_exact_methods_find_the_optimum_of_the_original(
    part: int, tmp_path: Path
) -> None:
    feasible, proofs = 0, Counter[tuple[str, object]]()
    for seed in range(part, TABLES, 5):
        kind = ("gcp", "gcp", "gcp", "stars", "tuples")[seed // 5 % 5]
        problem = random_floored(seed, kind)
        asked, goal = ask(problem.k, problem.l), problem.objective
        optimum = Oracle(problem).optimum()
        assert brute_force(problem.table, asked, goal).value == optimum, problem
        feasible += optimum is not None
        other = OTHER[seed // 15 % 5 :][: seed // 5 % 3 == 0]
        for name in (EXACT[seed // 5 % 3], *other):
            method = METHODS[name]
            if not method.supports(asked, goal, "generalization"):
                continue
            try:
                found = call(method, Problem(problem.table, asked, goal), {})
            except NotSupportedError:
                continue
            if optimum is None:
                assert found.reason, problem
                continue
            assert (found.lower_bound or 0) <= optimum, problem
            assert found.value is None or found.value >= optimum, problem
            if name in EXACT:
                assert found.value == found.lower_bound == optimum, problem
            if (proof := found.certificate) is None:
                continue
            for claim, holds in (proof.bound, True), (optimum + 1, False):
                stated = replace(proof, bound=claim)
                check = check_certificate(stated, problem.table, asked, goal)
                assert check.accepted is holds, (problem, check)
            proofs[proof.kind, _by_itself(problem, proof, tmp_path)] += 1
            lie = replace(proof, bound=optimum + 1)
            assert not _by_itself(problem, lie, tmp_path), problem
    assert feasible > TABLES / 5 * 0.4
    assert sum(n for (_, proven), n in proofs.items() if proven) > TABLES / 100, proofs
    assert not any(proven is False for _, proven in proofs), proofs


def _by_itself(problem, proof, folder: Path) -> bool | None:
    """What the checker says that needs Python alone, of the original table."""
    write_table(problem.original, folder / "table.csv")
    proof.write(folder / "proof.json")
    trees = []
    for column, tree in trees_of(problem.told).items():
        tree.write(folder / f"{column}.csv")
        trees.append(f"{column}={folder / column}.csv")
    files = str(folder / "table.csv"), str(folder / "proof.json")
    return checker.check(*files, *trees)[0]


def test_floors_are_stated_and_others_refused() -> None:
    rows = [["17", "a1"], ["93", "a2"], ["90", "b1"], ["40", "b1"]]
    table = Table.from_rows(["age", "z"], rows, qi=["age", "z"])
    told = {"min_levels": {"z": 1}, "top": {"age": "90"}}
    floored = Floors(**told).on(table, {"z": TREE})
    goal = Objective("gcp", scales=Scales.of(floored, ["age"], {"z": TREE}))
    found = call(METHODS["branch_and_bound"], Problem(floored, KAnonymity(2), goal), {})
    stated = found.certificate.table["floors"]
    assert stated["age"] == {"top": "90", "missing": []}
    assert stated["z"]["min_level"] == 1 and stated["z"]["missing"] == ["?"]
    for other in ({**told, "top": {"age": "91"}}, {"top": {"age": "90"}}, {}):
        again = Floors(**other).on(table, {"z": TREE})
        scales = Scales.of(again, ["age"], {"z": TREE})
        check = check_certificate(
            found.certificate, again, KAnonymity(2), None, scales=scales
        )
        assert check.accepted is False and "it is for a table with" in check.why


@pytest.mark.parametrize(
    ("cells", "told", "published"),
    [
        (["17", "90", "97"], {"top": {"q": "90"}}, ["17", "90+", "90+"]),
        (["17", "3", "4"], {"bottom": {"q": "4"}}, ["17", "<=4", "<=4"]),
        (["1,5", "2,5"], {"top": {"q": "2.5"}}, ["1,5", "2,5+"]),
        (["90+", "91", "5"], {"top": {"q": 90}}, ["90+", "90+", "5"]),
        (["-3", "?", None], {"bottom": {"q": "0"}}, ["<=0", "?", None]),
        (["1e2", "99.5"], {"top": {"q": "100.0"}}, ["100+", "99.5"]),
        (["a1", "b1", "?"], {"min_levels": {"q": 1}}, ["a", "b", "?"]),
        (["a1", "b1", None], {"min_levels": {"q": 1}}, ["a", "b", None]),
        (["a1", "b1"], {"min_levels": {"q": 0}}, ["a1", "b1"]),
    ],
)
def test_cells_become_coarse(cells, told, published) -> None:
    table = Table.from_rows(["q"], [[cell] for cell in cells], qi=["q"])
    trees = {"q": TREE} if "min_levels" in told else {}
    assert Floors(**told).on(table, trees).cells("q") == published


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"top": {"p": "9"}}, "column 'p' has a floor but is not a quasi"),
        ({"min_levels": {"q": 1}}, "'q' has a least level but has no hierarchy"),
        ({"min_levels": {"z": 2}}, "expected a least level below 2, that of the root"),
        ({"min_levels": {"w": 1}}, "'w1' has no node at level 1 but the root"),
        ({"top": {"t": "9"}}, "row 1, column 't': a top or a bottom is for numbers"),
        ({"top": {"z": "9"}}, "'z' has a top or a bottom and a hierarchy"),
        ({"top": {"q": "nine"}}, "expected a number for a top or a bottom"),
        ({"top": {"q": "inf"}}, "expected a number for a top or a bottom"),
        ({"top": {"q": "2024-05-31"}}, "dates have a least level of a hierarchy"),
        ({"bottom": {"q": "31.5.2024"}}, "dates have a least level of a hierarchy"),
        ({"top": {"q": 3}, "bottom": {"q": 3}}, "a top above the bottom, got 3 and 3"),
        ({"top": {"q": 3}, "bottom": {"q": "7"}}, "a top above the bottom"),
    ],
)
def test_impossible_floors_are_refused_in_a_line(told, why: str) -> None:
    names = ["q", "z", "t", "w"]
    table = Table.from_rows(names, [["1", "a1", "x", "w1"]], qi=names)
    trees = {"z": TREE, "w": Taxonomy.parse("{v{v1,v2},w1}")}
    with pytest.raises(TableError, match=why) as refused:
        Floors(**told).on(table, trees)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("end", "told", "mend"),
    [
        ("90+", {"top": {"q": "85"}}, "name it (--top q=90), or write 85+"),
        ("90+", {"top": {"q": "95"}}, "an end itself: name it (--top q=90)"),
        ("90+", {"bottom": {"q": "9"}}, "an end itself: name it (--top q=90)"),
        ("≥ 90", {"top": {"q": "90"}}, "write 90+, and name it (--top q=90)"),
        ("9,5+", {"top": {"q": "9"}}, "name it (--top q=9.5), or write 9+"),
        ("<15", {"bottom": {"q": "18"}}, "write <=15, and name it (--bottom q=15), or"),
        ("ninety", {"top": {"q": "90"}}, "if it is a missing value, name it"),
    ],
)
def test_a_cell_that_is_an_end_is_to_be_named(end, told, mend) -> None:
    table = Table.from_rows(["q"], [["30"], [end]], qi=["q"])
    with pytest.raises(TableError, match="row 2, column 'q'") as refused:
        Floors(**told).on(table)
    assert mend in str(refused.value)


def test_a_floor_above_the_highest_level_is_refused() -> None:
    paths = [(f"a{i}", f"b{i // 2}", f"c{i // 4}", "*") for i in range(8)]
    tree = Taxonomy(paths)
    table = Table.from_rows(["q"], [["a1"], ["a7"]], qi=["q"])
    floored = Floors({"q": 2}).on(table, {"q": tree})
    assert Scales.of(floored, (), {"q": tree}, max_levels={"q": 2})
    with pytest.raises(TableError, match="a highest level of at least 2, the least"):
        Scales.of(floored, (), {"q": tree}, max_levels={"q": 1})
