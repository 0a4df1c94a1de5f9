"""Tests that heuristics for non-homogeneous releases are as good as promised."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from starmin.heuristics.nonhomogeneous.blocks import blocks
from starmin.heuristics.nonhomogeneous.complete import complete
from starmin.heuristics.nonhomogeneous.cycles import (
    by_original,
    cancel_cycles,
    decompose,
)
from starmin.heuristics.nonhomogeneous.layers import (
    FINE,
    first_graph,
    masks_without,
    match_layer,
    star_problem,
    total,
    weigh_shared,
)
from starmin.heuristics.nonhomogeneous.near_edges import (
    EXACT,
    FREE,
    NEVER,
    Graph,
    assign,
)
from starmin.heuristics.nonhomogeneous.rematching import RematchingParams, rematching
from starmin.heuristics.nonhomogeneous.ring import ring
from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, two_phase
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    STARS,
    KAnonymity,
    Limit,
    NonHomogeneousRelease,
    Objective,
    Table,
)
from starmin.instances.catalogue.generators import census, normal, uniform
from starmin.models.nonhomogeneous.own_star_set import own_star_set
from starmin.models.nonhomogeneous.pair_matching import pair_matching
from starmin.verify.nonhomogeneous.check_nonhomogeneous import check_nonhomogeneous

TABLES = [census(800, "none", seed=1), normal(800, d=8, seed=1)]


@pytest.mark.parametrize(("table", "k"), [*zip(TABLES, (3, 7), strict=True)])
def test_each_is_ahead_of_the_last(table: Table, k: int) -> None:
    methods = (ring, two_phase, rematching)
    values = [method(table, KAnonymity(k)).value for method in methods]
    assert values[0] > 1.1 * values[1] > 1.1 * 1.05 * values[2]
    assert values[2] >= own_star_set(table, KAnonymity(k)).lower_bound


@pytest.mark.parametrize("table", TABLES, ids=["census", "normal"])
def test_layers_that_gather_on_few_stars_need_fewer(table: Table) -> None:
    apart = RematchingParams(share=0.0, share_per_layer=0.0)
    gathered = rematching(table, KAnonymity(7)).value
    assert 1.01 * gathered < rematching(table, KAnonymity(7), params=apart).value


def test_an_edge_pays_a_share_of_the_stars_that_few_others_need() -> None:
    weights = np.array([3, 1, 2, 5])
    problem = star_problem(
        uniform(30, d=4, alphabet=3, seed=6),
        Objective(weights={f"q{c + 1}": int(w) for c, w in enumerate(weights)}),
    )
    rng, shares = np.random.default_rng(6), np.array([0.0, 0.5, 0.25])
    mates = np.stack([np.roll(np.arange(30, dtype=np.int32), s) for s in (1, 2, 3, 4)])
    pairs = rng.integers(0, 30, (30, 6)).astype(np.int32)
    differs = problem.cells[:, None] != problem.cells[pairs]
    masks = (differs << np.arange(4)).sum(axis=2).astype(np.int32)
    graph = Graph(np.arange(0, 181, 6), pairs.ravel(), masks.ravel())
    rest = masks_without(problem.cells, mates, 2)
    found = weigh_shared(graph, problem, rest, mates, 2, shares).reshape(30, 6)
    others = mates[[0, 1, 3]]
    for j in range(30):
        needed = (problem.cells[others[:, j]] != problem.cells[j]).sum(axis=0)
        factor = np.where(needed == 0, 1.0, shares[np.minimum(needed, 2)])
        for e, i in enumerate(pairs[j]):
            paid = FINE * factor @ (weights * (problem.cells[i] != problem.cells[j]))
            assert found[j, e] == (NEVER if i in others[:, j] else paid)


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("table", TABLES, ids=["census", "normal"])
def test_cycles_to_the_end_gain_more_than_short_searches(table: Table, k: int) -> None:
    settings = (
        TwoPhaseParams(steps=0),
        TwoPhaseParams(),
        TwoPhaseParams(to_the_end=True),
        TwoPhaseParams(to_the_end=True, iterations=50),
    )
    found = [two_phase(table, KAnonymity(k), params=each) for each in settings]
    first, short, whole, early = (result.value for result in found)
    assert first > short > whole and first > early
    release = NonHomogeneousRelease(table, found[2].best)
    check = check_nonhomogeneous(release.published, table, KAnonymity(k))
    assert check.holds and check.consistent
    assert whole >= own_star_set(table, KAnonymity(k)).lower_bound


def test_own_stars_are_the_cheapest_that_leave_k_rows() -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        n, d, k = rng.integers(4, 12), int(rng.integers(1, 5)), int(rng.integers(2, 5))
        cells = rng.integers(0, 3, (n, d))
        names = [f"c{j}" for j in range(d)]
        table = Table.from_rows(names, cells.astype(str).tolist(), qi=names)
        weights = {name: int(rng.integers(1, 4)) for name in names}
        objective = Objective(weights=weights)
        least = 0
        for row in cells:
            costs = []
            for starred in product((False, True), repeat=d):
                kept = [j for j in range(d) if not starred[j]]
                if (cells[:, kept] == row[kept]).all(axis=1).sum() >= k:
                    costs.append(sum(weights[names[j]] for j in range(d) if starred[j]))
            least += min(costs) if costs else 0
        if n >= k:
            found = own_star_set(table, KAnonymity(k), objective=objective)
            assert found.lower_bound == least


def test_two_phases_are_nearly_optimal_for_pairs() -> None:
    table = census(1000, "none", seed=2)
    optimum = pair_matching(table, KAnonymity(2)).value
    assert optimum <= two_phase(table, KAnonymity(2)).value <= 1.01 * optimum
    assert optimum <= rematching(table, KAnonymity(2)).value <= 1.02 * optimum


@pytest.mark.parametrize("method", [two_phase, rematching, blocks])
def test_a_release_holds_by_the_flow_check(method) -> None:
    table = normal(2000, d=6, seed=3)
    objective = Objective(weights={"q2": 40, "q3": 7}, keep=("q1",))
    # Values of q1 that fewer than k rows have cannot be kept.
    counts = np.bincount(table.column("q1"))
    table = table.take(np.flatnonzero(counts[table.column("q1")] >= 4))
    result = method(table, KAnonymity(4), objective=objective)
    published = NonHomogeneousRelease(table, result.best).published
    check = check_nonhomogeneous(published, table, KAnonymity(4))
    assert check.holds and check.consistent
    assert not result.best.starred[:, 0].any()


def test_rows_of_large_types_are_free() -> None:
    table = uniform(2000, d=3, alphabet=4, seed=4)
    assert table.row_types.counts.min() >= 5
    for method in (two_phase, rematching):
        assert method(table, KAnonymity(5)).value == 0


def test_rings_are_never_dearer_than_their_partition() -> None:
    table = TABLES[0]
    partition = lexicographic_suppression(table, KAnonymity(6))
    result = ring(table, KAnonymity(6), initial=partition.best)
    assert result.value <= partition.value


@pytest.mark.parametrize("seed", range(20))
def test_auctions_find_the_least_weight(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    weight = rng.integers(0, 8, (n, n)).astype(np.int32)
    weight[np.diag_indices(n)] = NEVER
    weight[rng.random((n, n)) < 0.2] = NEVER
    start = np.arange(0, n * n + 1, n)
    original = np.tile(np.arange(n, dtype=np.int32), n)
    graph = Graph(start, original, original)
    mate = assign(graph, weight.ravel(), np.full(n, FREE, np.int32), EXACT, 1000)
    best = weight[linear_sum_assignment(weight)].sum()
    if best < NEVER:
        assert sorted(mate) == list(range(n))
        # Within a 16th for each row, and whole.
        assert best <= weight[np.arange(n), mate].sum() <= best + n / 16


@pytest.mark.parametrize("n", [9, 30, 200])
def test_matchings_are_completed_without_any_candidate(n: int) -> None:
    problem = star_problem(uniform(n, d=3, seed=n), STARS)
    mates = np.full((2, n), FREE, np.int32)
    for layer in range(2):
        rest = masks_without(problem.cells, mates, layer)
        complete(problem, rest, mates, layer)
    assert (np.sort(mates, axis=1) == np.arange(n)).all()
    assert (mates != np.arange(n)).all() and (mates[0] != mates[1]).all()


def test_cancelled_cycles_gain_what_they_say_and_leave_matchings() -> None:
    problem = star_problem(census(500, "none", seed=5), STARS)
    graph = first_graph(problem, 4, 20)
    mates = np.full((3, 500), FREE, np.int32)
    for layer in range(3):
        match_layer(problem, graph, mates, layer)
    before = total(problem.charges, masks_without(problem.cells, mates, -1))
    arrays = (problem.cells, problem.charges, by_original(graph), mates)
    gain = cancel_cycles(*arrays, 20, 3)
    after = total(problem.charges, masks_without(problem.cells, mates, -1))
    assert gain == before - after > 0
    mates = decompose(mates, np.random.default_rng(0))
    assert (np.sort(mates, axis=1) == np.arange(500)).all()
    assert total(problem.charges, masks_without(problem.cells, mates, -1)) == after


def test_blocks_are_found_again(tmp_path) -> None:
    table, calls = census(900, "none", seed=6), []

    def counted(block: Table, *arguments, **options):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(block.n)
        return two_phase(block, *arguments, **options)

    given = {"method": counted, "block_size": 200, "checkpoint": tmp_path, "workers": 1}
    stopped = blocks(table, KAnonymity(3), **given)
    assert stopped.limit is Limit.INTERRUPTED and stopped.best is not None
    calls[:] = [0] * 3
    resumed = blocks(table, KAnonymity(3), **given)
    assert resumed.stats == {"blocks": 5, "from_checkpoint": 2}
    assert calls == [0, 0, 0, 180, 180, 180]
    with ThreadPoolExecutor(1) as pool:
        fresh = blocks(
            table, KAnonymity(3), method=two_phase, block_size=200, executor=pool
        )
    assert fresh.value == resumed.value
    unsorted = blocks(
        table, KAnonymity(3), method=two_phase, block_size=200, sort=False
    )
    assert fresh.value < unsorted.value
    other = blocks(table, KAnonymity(4), **given)
    assert other.stats["from_checkpoint"] == 0


def test_damaged_blocks_are_solved_again(tmp_path) -> None:
    table = census(800, "none", seed=6)
    given = {"method": two_phase, "block_size": 200, "checkpoint": tmp_path}
    value = blocks(table, KAnonymity(3), workers=1, **given).value
    cut, flat, wide, twice = sorted(tmp_path.iterdir())
    cut.write_bytes(cut.read_bytes()[:50])
    np.save(flat, np.load(flat)[0])
    np.save(wide, np.load(wide).astype(np.int64))
    matchings = np.load(twice)
    matchings[1, 0] = matchings[1, 1]
    np.save(twice, matchings)
    again = blocks(table, KAnonymity(3), workers=1, **given)
    assert again.stats == {"blocks": 4, "from_checkpoint": 0} and again.value == value
    whole = blocks(table, KAnonymity(3), workers=1, **given)
    assert whole.stats == {"blocks": 4, "from_checkpoint": 4} and whole.value == value


@pytest.mark.parametrize("method", [two_phase, rematching])
def test_time_is_kept_and_rings_are_returned(method) -> None:
    table, requirement = normal(8000, d=10, seed=8), KAnonymity(8)
    result = method(table, requirement, time_limit=0.3)
    assert result.limit is Limit.TIME
    assert result.value <= ring(table, requirement).value


def test_blocks_without_time_are_rings() -> None:
    result = blocks(TABLES[0], KAnonymity(3), block_size=500, time_limit=0.0)
    assert result.limit is Limit.TIME and result.value is not None


@pytest.mark.slow
def test_a_cluster_finds_what_one_process_finds(tmp_path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs starmin[dask]")
    table = normal(2000, d=6, seed=7)
    given = {"method": two_phase, "block_size": 250}
    alone = blocks(table, KAnonymity(3), workers=1, **given)
    cluster = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
    )
    with cluster, distributed.Client(cluster) as client:
        given |= {"executor": client.get_executor(), "workers": 2}
        kept = tmp_path / "kept"
        first = blocks(table, KAnonymity(3), checkpoint=kept, **given)
        again = blocks(table, KAnonymity(3), checkpoint=kept, **given)
        late = blocks(table, KAnonymity(3), time_limit=0.0, **given)
    assert first.value == again.value == alone.value
    assert (first.stats["from_checkpoint"], again.stats["from_checkpoint"]) == (0, 8)
    assert late.limit is Limit.TIME and late.value > alone.value
