"""Tests that records climb taxonomies no further than their originals ask."""

from itertools import permutations

import numpy as np
import pytest

from heuristics.nonhomogeneous.rematching import rematched
from heuristics.nonhomogeneous.taxonomies import climb
from heuristics.nonhomogeneous.two_phase import two_phases
from instances import NotSupportedError, Table
from instances.generators import uniform
from instances.taxonomy import Taxonomy

# Leaves of different depths, so that short paths wait.
TREE = Taxonomy.parse("{low{0,1,very{2,3}},4,high{5,6,7}}")


def ncp(values: set[str]) -> float:
    """The loss of the lowest node above some leaves, straight from the paths."""
    if len(values) == 1:
        return 0.0
    paths = {path[0]: path for path in TREE.paths}
    nodes = [n for n in paths[min(values)] if all(n in paths[v] for v in values)]
    below = sum(nodes[0] in path for path in paths.values())
    return (below - 1) / (len(paths) - 1)


def loss(table: Table, mates: np.ndarray) -> float:
    rows = table.rows()
    total = 0.0
    for j in range(table.n):
        sources = [rows[j], *(rows[i] for i in mates[:, j])]
        total += sum(ncp(set(cells)) for cells in zip(*sources, strict=True))
    return total / table.n / table.d


@pytest.mark.parametrize("solve", [rematched, two_phases])
@pytest.mark.parametrize("k", [2, 3])
def test_losses_are_those_of_the_paths_and_not_below_the_optimum(solve, k) -> None:
    for seed in range(8):
        table = uniform(5, d=2, alphabet=8, seed=seed)
        found = climb(table, k, {"q1": TREE, "q2": TREE}, solve)
        assert found.gcp == pytest.approx(loss(table, found.mates))
        shifts = [p for p in permutations(range(5)) if all(p[j] != j for j in range(5))]
        if k == 2:
            best = min(loss(table, np.array([p])) for p in shifts)
            assert best - 1e-9 <= found.gcp <= 1.4 * best


def test_trees_lose_less_than_stars() -> None:
    table = uniform(800, d=3, alphabet=8, seed=1)
    trees = dict.fromkeys(table.qi, TREE)
    stars, climbed = climb(table, 4, {}), climb(table, 4, trees)
    assert climbed.gcp < 0.8 * stars.gcp
    assert (np.sort(climbed.mates, axis=1) == np.arange(800)).all()
    assert climb(table, 4, trees, two_phases).gcp > climbed.gcp
    assert set(stars.nodes.ravel()) <= {*TREE.leaves, "*"}


def test_trees_must_hold_the_values() -> None:
    table = uniform(5, d=1, alphabet=8)
    with pytest.raises(NotSupportedError, match="among its leaves"):
        climb(table, 2, {"q1": Taxonomy.parse("{0,1}")})
    with pytest.raises(NotSupportedError, match="at least 9 rows"):
        climb(table, 9, {})
