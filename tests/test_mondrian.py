"""Tests that Mondrian splits as defined and finds a release for every table."""

import numpy as np
import pytest

from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Scales,
    Table,
    Taxonomy,
    why_infeasible,
)
from tests.test_hilbert_suppression import random_table, requirements


@pytest.mark.parametrize("strict", [True, False])
def test_every_feasible_table_gets_a_release(strict: bool) -> None:
    for seed in range(16):
        table = random_table(seed)
        keep = ("q0",) if seed % 4 == 0 else ()
        objective = Objective(keep=keep)
        for requirement in requirements(table):
            order = "value" if seed % 2 else "frequency"
            result = mondrian(
                table, requirement, objective=objective, strict=strict, order=order
            )
            no = why_infeasible(table, requirement, keep)
            assert (result.best is None) == (no is not None)


def numbers(*columns: list[int]) -> Table:
    names = [f"q{j}" for j in range(len(columns))]
    rows = [list(map(str, row)) for row in zip(*columns, strict=True)]
    return Table.from_rows(names, rows, qi=names)


def sizes(table: Table, k: int, strict: bool) -> list[int]:
    best = mondrian(table, KAnonymity(k), strict=strict).best
    assert best is not None
    return sorted(best.sizes.tolist())


def test_relaxed_splits_medians_that_strict_keeps_together() -> None:
    table = numbers([1, 5, 5, 5, 5, 5, 5, 9])
    # Strict: every cut leaves 1 or 9 alone. Relaxed: 4 and 4, and again 2 and 2.
    assert sizes(table, 2, strict=True) == [8]
    assert sizes(table, 2, strict=False) == [2, 2, 2, 2]


def test_cuts_the_widest_column_first_and_the_next_if_it_must() -> None:
    table = numbers([1, 2, 3, 4], [1, 1, 1, 2])
    assert sizes(table, 2, strict=True) == [2, 2]
    # The widest column has one value only beyond each cut; the other can be cut.
    table = numbers([0, 0, 0, 100], [1, 2, 1, 2])
    best = mondrian(table, KAnonymity(2)).best
    assert best is not None and best.groups.tolist() == [0, 1, 0, 1]


def test_numbers_are_ordered_as_numbers() -> None:
    table = numbers([9, 10, 100, 11, 8, 7])
    best = mondrian(table, KAnonymity(3)).best
    assert best is not None
    assert np.flatnonzero(best.groups == best.groups[0]).tolist() == [0, 4, 5]


def test_diversity_stops_a_split() -> None:
    rows = [["1", "x"], ["2", "x"], ["3", "y"], ["4", "y"]]
    table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    best = mondrian(table, LDiversity(2)).best
    assert best is not None and best.size == 1


def test_for_gcp_the_column_that_loses_most_is_cut_and_trees_between_children() -> None:
    rows = [[a, b] for a in "1234" for b in ("0", "9")]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    tree = Taxonomy.parse("{low{1},high{2,3,4}}")
    scales = Scales.of(table, ["b"], {"a": tree})
    best = mondrian(
        table, KAnonymity(2), objective=Objective("gcp", scales=scales)
    ).best
    # Column a loses all, as b does: cut beside the child `low`, not at the median.
    assert best is not None and best.groups[:2].tolist() == [0, 0]
    weighted = Objective("gcp", {"b": 2}, scales=scales)
    best = mondrian(table, KAnonymity(4), objective=weighted).best
    assert best is not None and best.groups.tolist() == [0, 1] * 4
