"""Tests that the hierarchical distance is the earth mover's over a taxonomy."""

import numpy as np
import pytest
from scipy.optimize import linprog

from starmin.instances import GroupStats, Table, TableError, TCloseness
from starmin.instances.requirements.hierarchical_closeness import (
    HierarchicalCloseness,
)


def random_tree(rng: np.random.Generator, leaves: int) -> dict[str, list[str]]:
    """A ragged taxonomy: paths of lengths 1 to 3 to one root."""
    paths = [["root"], ["u", "root"], ["v", "root"], ["w", "u", "root"]]
    return {f"s{i}": paths[rng.integers(len(paths))] for i in range(leaves)}


def height(path: tuple[str, ...], tree: dict[str, list[str]]) -> int:
    """How far below a node, given by the nodes above and itself, a leaf can be."""
    return max(
        len(above) - len(path) + 1
        for above in tree.values()
        if tuple(above[len(above) - len(path) :]) == path
    )


def mover(p: np.ndarray, q: np.ndarray, tree: dict[str, list[str]]) -> float:
    """The earth mover's distance as a transportation problem."""
    labels = sorted(tree)
    root = height(("root",), tree)
    cost = np.zeros((len(labels), len(labels)))
    for i, one in enumerate(labels):
        for j, other in enumerate(labels):
            if i != j:
                pairs = zip(reversed(tree[one]), reversed(tree[other]), strict=False)
                common = [a for a, b in pairs if a == b]
                cost[i, j] = height(tuple(reversed(common)), tree) / root
    m = len(labels)
    rows = np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))
    answer = linprog(cost.ravel(), A_eq=np.vstack(rows), b_eq=np.append(p, q))
    return float(answer.fun)


@pytest.mark.parametrize("seed", range(20))
def test_distance_equals_a_transportation_problem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 5)
    values = np.append(np.arange(5), rng.integers(0, 5, 12))
    groups = np.append(np.zeros(5, int), rng.integers(0, 3, 12))
    groups[-3:] = range(3)
    table = Table.from_rows(
        "as", [("0", f"s{v}") for v in values], qi=["a"], sensitive=["s"]
    )
    stats = GroupStats.of(table, groups)
    closeness = HierarchicalCloseness.of(table, 0.2, {"s": tree})
    found = closeness.distances(stats)
    q = np.bincount(values, minlength=5) / len(values)
    for group in range(3):
        inside = values[groups == group]
        p = np.bincount(inside, minlength=5) / len(inside)
        assert found[group] == pytest.approx(mover(p, q, tree), abs=1e-7)
    assert (closeness.holds(stats) == (found <= 0.2)).all()


def test_a_taxonomy_of_one_level_gives_the_equal_distance() -> None:
    rng = np.random.default_rng(1)
    rows = [("0", f"s{v}") for v in rng.integers(0, 4, 30)]
    table = Table.from_rows("as", rows, qi=["a"], sensitive=["s"])
    stats = GroupStats.of(table, np.arange(30) % 4)
    flat = {f"s{v}": ["any", "any"] for v in range(4)}
    found = HierarchicalCloseness.of(table, 0.1, {"s": flat})
    equal = TCloseness.of(table, 0.1)
    assert found.holds(stats).tolist() == equal.holds(stats).tolist()
    assert found.distances(stats) == pytest.approx(equal.distances(stats))
    failing = np.flatnonzero(~found.holds(stats))
    assert "more than t = 0.1" in found.why_not(int(failing[0]), stats)


def test_values_without_a_place_are_refused() -> None:
    table = Table.from_rows("as", [("0", "x"), ("0", "y")], qi=["a"], sensitive=["s"])
    with pytest.raises(TableError, match=r"'y'.*no place"):
        HierarchicalCloseness.of(table, 0.3, {"s": {"x": ["any"]}})
    with pytest.raises(TableError, match="several roots"):
        HierarchicalCloseness.of(table, 0.3, {"s": {"x": ["any"], "y": ["all"]}})
    with pytest.raises(TableError, match="needs a sensitive column"):
        HierarchicalCloseness.of(table.with_roles(["a"]), 0.3, {})
