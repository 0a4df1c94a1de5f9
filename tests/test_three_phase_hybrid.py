"""Tests that TP+ is never worse than TP, whatever regroups the residue."""

import pytest

from starmin.heuristics.approximation.three_phase import three_phase
from starmin.heuristics.approximation.three_phase_hybrid import three_phase_hybrid
from starmin.heuristics.orders.suppression import (
    hilbert_suppression,
    lexicographic_suppression,
)
from starmin.heuristics.recoding.anatomy import anatomy
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.heuristics.recoding.top_down import top_down
from starmin.instances import STARS, TUPLES, LDiversity
from starmin.instances.catalogue.generators import census, hard_residue
from tests.test_three_phase import random_table

INNER = [
    anatomy,
    hilbert_suppression,
    lexicographic_suppression,
    mondrian,
    top_down,
]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("objective", [STARS, TUPLES])
def test_never_worse_than_three_phase(inner, objective) -> None:  # type: ignore[no-untyped-def]
    for seed in range(25):
        l = 2 + seed % 3
        tables = [random_table(seed, 1 + 3 * seed, 3, l)]
        if l > 2:
            tables.append(hard_residue(l, 1 + seed % 5, 2 + seed % 2, seed=seed))
        for table in tables:
            plain = three_phase(table, LDiversity(l), objective=objective)
            hybrid = three_phase_hybrid(
                table, LDiversity(l), objective=objective, inner=inner
            )
            assert hybrid.reason == plain.reason
            assert hybrid.lower_bound == plain.lower_bound
            if plain.value is not None and hybrid.value is not None:
                assert hybrid.value <= plain.value == hybrid.stats["three_phase_value"]


def test_better_than_both_of_its_parts() -> None:
    table = census(20_000, seed=1)
    hybrid = three_phase_hybrid(table, LDiversity(3))
    hilbert = hilbert_suppression(table, LDiversity(3))
    assert hybrid.value is not None and hilbert.value is not None
    assert hybrid.value < hilbert.value
    assert hybrid.value < int(hybrid.stats["three_phase_value"])
