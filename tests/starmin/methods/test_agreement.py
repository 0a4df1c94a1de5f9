"""Tests that every method of the registry agrees with brute force on small tables.

A method is tested from the moment it is registered. Each method sees 24 tables,
infeasible ones among them; ``AGREE=300 pytest tests/starmin/methods/test_agreement.py``
takes more.

``tests.fuzz_losses`` compares more problems.
"""

import os

import pytest

from starmin.instances.requirements.requirement import PARTITION
from starmin.models.pattern_ilp.column_generation import ColumnGenerationParams
from starmin.registry import METHODS
from starmin.testing.method_tests import ROWS, check_method
from tests.fuzz_losses import compare

TABLES = int(os.environ.get("AGREE", "24"))

# Rows of the tables that a method gets, where 10 take it too long.
MOST_ROWS = {"assignment_mip": 6, "pairwise_cp": 7}
# What steers a search on large tables goes on long after the optimum of a small one.
OPTIONS = {
    "large_neighbourhood": {"stagnation": 8},
    "column_generation": {"params": ColumnGenerationParams((1e-2,), steps=60)},
}


def names_of(*kinds: str) -> list[str]:
    """Those whose releases are partitions, published by suppression."""
    return [
        method.name
        for method in METHODS.values()
        if method.kind in kinds
        and "suppression" in method.recodings
        and method.space == PARTITION
    ]


@pytest.mark.parametrize("name", names_of("exact", "heuristic", "bound"))
def test_a_method_is_what_it_says(name):
    method = METHODS[name]
    rows, options = MOST_ROWS.get(name, ROWS), OPTIONS.get(name, {})
    check_method(method, tables=TABLES, rows=rows, options=options)


@pytest.mark.parametrize("seed", range(10))
def test_methods_agree_with_brute_force(seed):
    compare(seed, searches=seed % 20 == 0)
