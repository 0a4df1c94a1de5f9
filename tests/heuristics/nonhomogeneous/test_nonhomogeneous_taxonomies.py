"""Tests that non-homogeneous releases generalize no further than originals ask."""

from itertools import permutations

import numpy as np
import pytest

from starmin.heuristics.nonhomogeneous.blocks import blocks
from starmin.heuristics.nonhomogeneous.mask_prices import pose
from starmin.heuristics.nonhomogeneous.near_edges import cost
from starmin.heuristics.nonhomogeneous.rematching import rematching
from starmin.heuristics.nonhomogeneous.two_phase import two_phase
from starmin.instances import (
    Coding,
    KAnonymity,
    NonHomogeneousRanges,
    NonHomogeneousRelease,
    NotSupportedError,
    Objective,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.catalogue.generators import uniform
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.anonymity_graph import AnonymityGraph, CoverGraph
from starmin.verify.nonhomogeneous.check_nonhomogeneous import check_nonhomogeneous

# Leaves of different depths, so that short paths wait.
TREE = Taxonomy.parse("{low{0,1,very{2,3}},4,high{5,6,7}}")


def ncp(values: set[str], numeric: bool) -> float:
    """The loss of a cell that covers values, straight from numbers or paths."""
    if numeric:
        return (int(max(values)) - int(min(values))) / 7
    if len(values) == 1:
        return 0.0
    paths = {path[0]: path for path in TREE.paths}
    nodes = [n for n in paths[min(values)] if all(n in paths[v] for v in values)]
    return sum(nodes[0] in path for path in paths.values()) / len(paths)


def loss(table: Table, matchings: np.ndarray, numeric: bool) -> float:
    rows, total = table.rows(), 0.0
    for j in range(table.n):
        sources = [
            rows[j],
            *(rows[i] for i in np.flatnonzero(matchings == j) % table.n),
        ]
        total += sum(ncp(set(cells), numeric) for cells in zip(*sources, strict=True))
    return total / table.n / table.d


def goal(table: Table, numeric: bool) -> Objective:
    if numeric:
        return Objective("gcp", scales=Scales.of(table, table.qi))
    trees = dict.fromkeys(table.qi, TREE)
    return Objective("gcp", scales=Scales.of(table, (), trees))


@pytest.mark.parametrize("method", [rematching, two_phase])
@pytest.mark.parametrize("numeric", [False, True])
def test_losses_are_those_of_the_paths_and_near_the_optimum(method, numeric) -> None:
    for seed in range(4):
        table = uniform(5, d=2, alphabet=8, seed=seed)
        if numeric:  # so that the domain is 0 to 7
            table = Table.from_rows(
                table.qi, [*table.rows(), ("0", "7"), ("7", "0")], table.qi
            )
        objective = goal(table, numeric)
        result = method(table, KAnonymity(2), objective=objective)
        value = objective.shown(table, result.value)
        assert value == pytest.approx(loss(table, result.best.matchings, numeric))
        every = range(table.n)
        shifts = [p for p in permutations(every) if all(p[j] != j for j in every)]
        best = min(loss(table, np.array([every, p]), numeric) for p in shifts)
        assert best - 1e-9 <= value <= 1.5 * best


def test_trees_lose_less_than_stars_and_plans_less_than_two_phases() -> None:
    table = uniform(800, d=3, alphabet=8, seed=1)
    climbing, flat = goal(table, False), Objective("gcp")
    stars, ours, theirs = (
        goal.shown(table, method(table, KAnonymity(4), objective=goal).value)
        for method, goal in (
            (rematching, flat),
            (rematching, climbing),
            (two_phase, climbing),
        )
    )
    assert ours < 0.85 * stars and ours < theirs


def test_a_path_may_name_a_node_repeatedly() -> None:
    # As files of levels do where leaves lie at different depths.
    longest = max(map(len, TREE.paths))
    paths = [(p[0], p[1], *[p[1]] * (longest - len(p)), *p[2:]) for p in TREE.paths]
    table, same = uniform(200, d=2, alphabet=8, seed=5), Taxonomy(paths)
    trees = dict.fromkeys(table.qi, same)
    padded = pose(table, Objective("gcp", scales=Scales.of(table, (), trees)))
    plain = pose(table, goal(table, False))
    assert len(set(map(len, TREE.paths))) > 1 == len(set(map(len, paths)))
    assert (padded.cells == plain.cells).all() and (padded.masks == plain.masks).all()
    for mask in plain.masks.tolist():
        assert cost(padded.charges, 7, mask) == cost(plain.charges, 7, mask)


def test_what_is_published_is_verified_from_its_cells() -> None:
    table = uniform(900, d=3, alphabet=8, seed=2)
    trees = {"q1": TREE, "q3": TREE}
    objective = Objective("gcp", keep=("q3",), scales=Scales.of(table, ["q2"], trees))
    result = blocks(table, KAnonymity(3), objective=objective, block_size=300)
    release = NonHomogeneousRanges(table, result.best, objective.scales)
    cells = read_cells(
        release.published, Coding("generalization", numeric=("q2",), trees=trees)
    )
    check = check_nonhomogeneous(release.published, table, KAnonymity(3), cells=cells)
    assert check.holds and check.consistent and not release.shown.starred[:, 2].any()
    assert check.gcp == pytest.approx(release.gcp)
    assert release.gcp == pytest.approx(objective.shown(table, result.value))
    # An edge is a pair whose cells are covered, one by one.
    graph = CoverGraph.of_cells(release.published.take(np.arange(60)), table, cells)
    one, other = (types.rows() for types in (table, release.published))
    pairs = sum(
        all(cells[c].covers(r, v) for c, r, v in zip(table.qi, row, own, strict=True))
        for row in other[:60]
        for own in one
    )
    assert graph.degrees[1] @ graph.released.counts == pairs


def test_stars_have_the_same_graph_either_way() -> None:
    table = uniform(300, d=4, alphabet=3, seed=3)
    best = rematching(table, KAnonymity(5)).best
    released = NonHomogeneousRelease(table, best).published
    graph = AnonymityGraph.of(released, table)
    covers = CoverGraph.of_cells(
        released, table, read_cells(released, Coding("generalization"))
    )
    for one, other in zip(graph.degrees, covers.degrees, strict=True):
        assert sorted(one) == sorted(other)
    assert len(graph.edges[0]) == len(covers.edges[0])


def test_trees_are_not_too_deep() -> None:
    deep = "0"
    for i in range(1, 40):
        deep = f"n{i}{{{deep},{i}}}"
    table = uniform(50, d=1, alphabet=8)
    tree = Taxonomy.parse("{" + deep + "}")
    objective = Objective("gcp", scales=Scales.of(table, (), {"q1": tree}))
    with pytest.raises(NotSupportedError, match="31 steps"):
        rematching(table, KAnonymity(2), objective=objective)
