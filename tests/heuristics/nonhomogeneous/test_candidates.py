"""Tests that candidate edges, costs of masks and wishes are those of brute force."""

from itertools import combinations, permutations

import numpy as np
import pytest

from starmin.heuristics.nonhomogeneous.layers import small_classes
from starmin.heuristics.nonhomogeneous.mask_prices import (
    find_groups,
    find_prices,
    range_problem,
)
from starmin.heuristics.nonhomogeneous.near_edges import (
    cost,
    difference,
    gather_edges,
    near_edges,
    star_charges,
)
from starmin.heuristics.nonhomogeneous.ring import nearest_order
from starmin.instances import Objective, Scales, Table, Taxonomy


def random_cells(seed: int, n: int = 25) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 3, (n, 4)).astype(np.int32)


@pytest.mark.parametrize("seed", range(10))
def test_all_pairs_that_differ_in_a_mask_are_found(seed):
    cells = random_cells(seed)
    masks = np.array([0, 1, 2, 5, 7], np.int32)
    record, original, mask = near_edges(cells, masks, 10**6, 10**6, seed)
    found = list(zip(record.tolist(), original.tolist(), mask.tolist(), strict=True))
    pairs = permutations(range(len(cells)), 2)
    differ = {(j, i): difference(cells, j, i) for j, i in pairs}
    wanted = {(*pair, mask) for pair, mask in differ.items() if mask in masks.tolist()}
    assert set(found) == wanted
    graph = gather_edges(len(cells), record, original, mask)
    assert len(graph.original) == len(wanted)
    own = np.repeat(np.arange(len(cells)), np.diff(graph.start))
    kept = zip(own.tolist(), graph.original.tolist(), graph.mask.tolist(), strict=True)
    assert set(kept) == wanted


def test_small_classes_have_all_pairs():
    classes = np.array([0, 1, 0, 2, 1, 0, 2, 2, 2], np.int32)
    record, original = small_classes(classes, 3)
    found = set(zip(record.tolist(), original.tolist(), strict=True))
    assert found == {*permutations([0, 2, 5], 2), *permutations([1, 4], 2)}
    assert len(record) == len(found)


@pytest.mark.parametrize("d", [1, 12, 13, 31])
def test_a_mask_costs_the_weights_of_its_columns(d):
    rng = np.random.default_rng(d)
    weights = rng.integers(0, 9, d)
    charges = star_charges(weights, 4)
    for _ in range(50):
        starred = rng.random(d) < 0.5
        mask = int(sum(1 << c for c in np.flatnonzero(starred)))
        assert cost(charges, 3, mask) == weights[starred].sum()


def test_the_layers_of_a_taxonomy_cost_what_its_nodes_lose():
    tree = Taxonomy.parse("{x{a,b},y{c,z{d,e}}}")
    table = Table.from_rows(["q"], [[x] for x in "abcde"], qi=["q"])
    objective = Objective("gcp", scales=Scales.of(table, (), {"q": tree}))
    problem = range_problem(table, objective)
    leaves = {"ab": 2, "cd": 3, "ce": 3, "de": 2}
    for i, j in combinations(range(5), 2):
        paid = cost(problem.charges, i, difference(problem.cells, i, j))
        lost = leaves.get("abcde"[i] + "abcde"[j], 5)
        assert paid == round(problem.unit * lost / 5)


@pytest.mark.parametrize("seed", range(10))
def test_each_record_wants_what_is_cheapest_at_the_prices(seed):
    cells, k = random_cells(seed, 20), 3
    weights = np.array([1, 2, 1, 3])
    charges = star_charges(weights, len(cells))
    every = sorted(range(16), key=lambda mask: cost(charges, 0, mask))
    masks = np.array(every, np.int32)
    groups = find_groups(cells, charges, masks, k, 1000, seed)
    price, wish = find_prices(groups, len(cells), k, 6, 3, seed)
    for j in range(len(cells)):
        offers = {}
        for mask in every:
            alike = [
                i for i in range(20) if not difference(cells, i, j) & ~mask and i != j
            ]
            if len(alike) >= k - 1:
                cheap = np.sort(price[alike])[: k - 1].sum()
                offers[mask] = cost(charges, j, mask) + cheap
        wanted = int(groups.mask[wish[j]])
        assert offers[wanted] == pytest.approx(min(offers.values()), abs=1e-4)
        members = groups.member[groups.start[wish[j]] : groups.start[wish[j] + 1]]
        assert j in members.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_a_ring_goes_on_to_the_nearest_row_that_is_left(seed):
    cells, weights = random_cells(seed, 12), np.array([1, 2, 4, 8])
    order = np.random.default_rng(seed).permutation(12).astype(np.int32)
    begun = order.copy()
    starts = np.array([0, 5, 12], np.int32)
    nearest_order(cells, weights, order, starts, 100)
    for low, high in ((0, 5), (5, 12)):
        assert order[low] == begun[low]
        assert sorted(order[low:high]) == sorted(begun[low:high])
        for p in range(low, high - 1):
            far = (cells[order[p]] != cells[order[p + 1 : high]]) @ weights
            assert far[0] == far.min()
