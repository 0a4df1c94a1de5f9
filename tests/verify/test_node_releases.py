"""Tests that releases by rules over taxonomies are judged from their cells as they are
when they are made, and that files of them are verified from the command line."""

import random
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starmin.cli.app import main
from starmin.instances import (
    Coding,
    Combinations,
    Mask,
    NodeRelease,
    NotSupportedError,
    Objective,
    Scales,
    read_table,
)
from starmin.instances.scales.chains import chains_of
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.mask_check import check_mask
from tests.project.pages.test_docs import fenced
from tests.support.effort import seeds
from tests.support.small_rules import Problem, random_node_problem


def random_levels(rng: random.Random, problem: Problem) -> Mask:
    """Draw a level for each cell; none for those to be kept or missing."""
    table, objective = problem.table, problem.objective
    chains = chains_of(objective.scales_of(table))
    levels = np.array(
        [[rng.choice([0, 0, *range(c.levels)]) for c in chains] for _ in range(table.n)]
    )
    levels[:, objective.kept(table)] = 0
    for j, chain in enumerate(chains):
        missing = np.array([text == "3" for text in table.cells(table.qi[j])])
        levels[missing & (levels[:, j] < chain.levels - 1), j] = 0
    return Mask.of_levels(table, levels, chains)


@pytest.mark.parametrize("seed", seeds(33))
def test_a_release_is_judged_as_it_was_made(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_node_problem(rng)
    table, requirement, objective, trees = problem
    assert objective.scales is not None
    for _ in range(5):
        mask = random_levels(rng, problem)
        why = mask.violation(table, requirement, objective)
        release = NodeRelease(table, mask, objective.scales)
        published = release.published
        cells = read_cells(
            published, Coding("generalization", trees=trees, missing=()), table
        )
        check = check_mask(published, requirement, table, "*", cells)
        assert check.holds == (why is None), (why, published.rows(), check.rare)
        assert check.consistent and check.stars == release.stars
        if objective.weights or not objective.keep:
            loss = Objective("gcp", scales=Scales.of(table, (), trees, ()))
            assert check.gcp == pytest.approx(
                mask.value(table, loss) / loss.whole(table)
            )


def test_a_broken_rule_names_its_nodes() -> None:
    rng = random.Random(3)
    while True:
        problem = random_node_problem(rng, "shown")
        mask = random_levels(rng, problem)
        asked = Combinations(1, 4)
        why = mask.violation(problem.table, asked, problem.objective)
        if why is not None and "'p'" in why:
            break
    assert "is shown by" in why and "fewer than k = 4" in why


def test_the_lines_of_the_page_publish_and_check(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    *_, rows, cities, released = fenced("how_to/combinations.md", "text")
    Path("towns.csv").write_text(rows)
    Path("cities.csv").write_text(cities)

    def call(line: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", shlex.split(line.removeprefix("$ ")))
        return main(), capsys.readouterr().out

    solve, verify = fenced("how_to/combinations.md", "console")[-1].splitlines()
    code, said = call(solve)
    assert (
        code == 0
        and "40.0000% of the information; the certificate proves all of it" in said
    )
    assert Path("nodes.csv").read_text() == released
    code, said = call(verify)
    assert code == 0 and "accepted" in said
    code, said = call(verify.replace("--k 2", "--k 3"))
    assert code == 1 and "rows 6, 7: city='South', age='30-39': 2, fewer" in said
    check = "starmin check proof.json --original towns.csv --hierarchy city=cities.csv"
    code, said = call(check)
    assert code == 2 and "accepted" not in said  # the ranges of ages are to be named
    code, said = call(f"{check} --hierarchy age=ranges:5,10")
    assert code == 0 and "accepted" in said
    claimed = re.sub(r'"bound": *', r"\g<0>9", Path("proof.json").read_text())
    Path("proof.json").write_text(claimed)
    code, said = call(f"{check} --hierarchy age=ranges:5,10")
    assert code == 1 and "refused" in said
    refused = "city,age --recoding generalization --numeric age"
    asked = f"starmin solve towns.csv --qi {refused} --combinations 2 --k 2"
    with pytest.raises(NotSupportedError, match="ranges:5,10"):
        chains_of(Scales.of(read_table("towns.csv", ["city", "age"]), ["age"]))
    assert call(asked)[0] != 0
