"""Tests that mappings keep near what is near, and that groups along them are right."""

import doctest
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest

from starmin.heuristics.orders import METHODS as ORDERS
from starmin.heuristics.orders import along_curves as along_mapping
from starmin.heuristics.orders.along_curves import (
    hilbert,
    hilbert_fast,
    l_groups_by_extent,
)
from starmin.heuristics.orders.along_order import join_groups
from starmin.heuristics.orders.l_groups_by_ncp import l_groups_by_ncp
from starmin.heuristics.orders.mappings import (
    Gray,
    Hilbert,
    IDistance,
    Lexicographic,
    Points,
)
from starmin.instances import (
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.catalogue.generators import census
from starmin.models.one_dimensional import k_total
from starmin.models.one_dimensional.k_total import k_ncp

MAPPINGS = [Hilbert(), Hilbert(bits=40), IDistance(centres=5), Lexicographic(), Gray()]


NAMED = {one.name: one for one in ORDERS}
PRESETS = [one for one in ORDERS if not one.name.endswith("suppression")]


@pytest.mark.parametrize("method", PRESETS, ids=lambda method: method.name)
def test_the_example_of_a_preset_is_what_it_does(method) -> None:
    function = method.load()
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    names = {method.name: function}
    runner.run(parser.get_doctest(function.__doc__, names, method.name, None, 0))
    assert runner.summarize(verbose=False).failed == 0 and runner.tries == 5
    assert len(PRESETS) == 12 and max(map(len, function.__doc__.split("\n"))) <= 88


def grid(*sizes: int) -> Points:
    places = np.array(list(product(*map(range, sizes))), np.int32)
    units = places / np.maximum(1, np.array(sizes) - 1)
    return Points(places, sizes, units, np.ones(len(places), np.int64))


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_every_point_is_on_the_line_once_and_in_order(mapping) -> None:
    for points in (grid(4, 3, 7), grid(1), grid(5)):
        order, values = mapping(points, 3)
        assert sorted(order.tolist()) == list(range(len(points.places)))
        assert (np.diff(values) >= 0).all()
        assert mapping(points, 3).order.tolist() == order.tolist()


@pytest.mark.parametrize("sizes", [(2, 3), (3, 3, 4), (2, 2, 2, 5), (6,)])
def test_gray_order_goes_in_unit_steps(sizes: tuple[int, ...]) -> None:
    points = grid(*sizes)
    places = points.places[Gray()(points, 0).order]
    assert (abs(np.diff(places, axis=0)).sum(axis=1) == 1).all()


def test_hilbert_goes_in_unit_steps_where_axes_are_alike() -> None:
    points = grid(8, 8)
    places = points.places[Hilbert()(points, 0).order]
    assert (abs(np.diff(places, axis=0)).sum(axis=1) == 1).all()


def test_idistance_puts_clusters_together() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[0.1, 0.1], [0.9, 0.1], [0.5, 0.9]])
    cluster = rng.integers(0, 3, 400)
    units = centres[cluster] + rng.normal(0, 0.01, (400, 2))
    points = Points(np.zeros((400, 2), np.int32), (1, 1), units, np.ones(400, int))
    order = IDistance(centres=3, rounds=50)(points, 1).order
    # Three stretches; k-means may have split a cluster, but joins none.
    assert sum(a != b for a, b in pairwise(cluster[order].tolist())) <= 3


def lone_table(rng: np.random.Generator) -> tuple[Table, Objective]:
    """A few rows with a numeric, a taxonomy and a flat column."""
    n = int(rng.integers(4, 13))
    rows = np.stack(
        [rng.integers(0, 30, n), rng.choice([1, 2, 5, 7], n), rng.integers(0, 3, n)]
    ).T.astype(str)
    table = Table.from_rows(["p", "q", "r"], rows.tolist(), ["p", "q", "r"])
    tree = Taxonomy.parse("{x{1,2},5,7}")
    weights = {"p": int(rng.integers(1, 4))}
    keep = ("r",) if rng.random() < 0.2 else ()
    scales = Scales.of(table, ["p"], {"q": tree})
    return table, Objective("gcp", weights, keep, scales)


def cost(table: Table, objective: Objective, rows: list[int]) -> float:
    part = np.array(rows)
    low = objective.scales.row_positions(table)[part].min(axis=0, keepdims=True)
    high = objective.scales.row_positions(table)[part].max(axis=0, keepdims=True)
    if "r" in objective.keep and low[0, 2] != high[0, 2]:
        return np.inf
    return objective.range_costs(table, np.array([len(rows)]), low, high)


def test_true_loss_is_least_among_consecutive_groups() -> None:
    for seed in range(80):
        table, objective = lone_table(np.random.default_rng(seed))
        k, n = 1 + seed % 4, table.n
        places = objective.scales.row_positions(table)
        prices = objective.range_prices(table)
        if objective.keep:
            order = np.argsort(places[:, 2], kind="stable")
            table = table.take(order)
            places = places[order]
        best = [0.0] + [np.inf] * n
        for i in range(1, n + 1):
            best[i] = min(
                (
                    best[j] + cost(table, objective, list(range(j, i)))
                    for j in range(i - k + 1)
                ),
                default=np.inf,
            )
        if np.isinf(best[n]):
            continue
        starts = k_ncp(places, objective.scales.arrays, prices, k, 1)
        ends = [*starts[1:].tolist(), n]
        groups = [list(range(a, b)) for a, b in zip(starts.tolist(), ends, strict=True)]
        assert min(map(len, groups)) >= k
        assert sum(cost(table, objective, group) for group in groups) == best[n]


def just_eligible(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Sensitive values that allow l, often by no row to spare."""
    l, values = int(rng.integers(2, 6)), int(rng.integers(2, 12))
    sensitive = rng.integers(0, values, int(rng.integers(2, 60)))
    if rng.random() < 0.5:
        sensitive = np.sort(sensitive)
    lacking = l * max(Counter(sensitive.tolist()).values()) - len(sensitive)
    if lacking > 0:
        spare = values + np.arange(lacking)
        sensitive = np.append(sensitive, spare)
    return sensitive.astype(np.int32), l


def test_diverse_groups_have_different_values() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        sensitive, l = just_eligible(rng)
        n = len(sensitive)
        x = np.sort(rng.random(n))
        table, objective = lone_table(rng)
        places = objective.scales.row_positions(table)[rng.integers(0, table.n, n)]
        prices = np.abs(objective.range_prices(table))
        arrays = objective.scales.arrays
        for groups in (
            l_groups_by_extent(sensitive, x, l, False),
            l_groups_by_extent(sensitive, x, l, True),
            l_groups_by_ncp(sensitive, places, arrays, prices, l, l, 10**9),
            l_groups_by_ncp(sensitive, places, arrays, prices, l, 4 * l, 10**9),
        ):
            assert set(groups.tolist()) == set(range(groups.max() + 1))
            for group in range(groups.max() + 1):
                members = sensitive[groups == group].tolist()
                assert len(members) >= l
                assert len(set(members)) == len(members)
            k = int(rng.integers(1, 12))
            assert np.bincount(join_groups(groups, k)).min() >= min(k, n)


def test_the_look_ahead_of_the_paper() -> None:
    # Figure 14: r4 is nearer to the first group than to those it would be with.
    sensitive = np.array([0, 2, 3, 1, 0, 2, 3], np.int32)
    x = np.array([1.0, 2, 3, 4, 20, 21, 22])
    assert l_groups_by_extent(sensitive, x, 3, False).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert l_groups_by_extent(sensitive, x, 3, True).tolist() == [0, 0, 0, 0, 1, 1, 1]


def test_true_losses_pay() -> None:
    table = census(3000)
    gcp = Objective("gcp", scales=Scales.of(table, ["age", "education"]))
    for requirement in (KAnonymity(5), LDiversity(3)):
        fast = hilbert_fast(table, requirement, objective=gcp).value
        true = hilbert(table, requirement, objective=gcp).value
        assert fast is not None and true is not None and true < fast


def test_tuples_are_refused() -> None:
    table = census(50)
    with pytest.raises(NotSupportedError, match="stars or gcp"):
        hilbert(table, KAnonymity(2), objective=Objective("tuples"))


def test_groups_that_take_too_many_looks_are_those_by_extents(monkeypatch) -> None:
    """One value is frequent, the others are all different: groups would grow."""
    rows = [[str(i % 7), str(i % 5), "a" if i % 2 else f"v{i}"] for i in range(60)]
    table = Table.from_rows(["x", "y", "s"], rows, qi=["x", "y"], sensitive=["s"])
    objective = Objective("gcp", scales=Scales.of(table, ["x", "y"]))
    offered, honest = [], along_mapping.l_groups_by_ncp

    def watched(*given):
        offered.append(honest(*given))
        return offered[-1]

    monkeypatch.setattr(along_mapping, "l_groups_by_ncp", watched)
    monkeypatch.setattr(along_mapping, "_WORK_BY_ROW", 0)
    values = []
    for work in 10_000_000, 10:
        monkeypatch.setattr(along_mapping, "_WORK", work)
        run = NAMED["gray_order"].load()(table, LDiversity(2), objective=objective)
        assert run.best.violation(table, LDiversity(2), objective) is None
        values.append(run.value)
    assert [len(groups) for groups in offered] == [60, 60, 0, 0]
    assert values[0] <= values[1]


@pytest.mark.parametrize("method", ["gray_order", "lexicographic_suppression"])
def test_many_rows_are_cut_at_multiples(method: str, monkeypatch) -> None:
    search, table = NAMED[method].load(), census(300, seed=1, sensitive="none")
    for k in 40, 149, 150, 151, 299, 300:
        asked = KAnonymity(k)
        best = search(table, asked)
        for coarse in 20, 4, 1:  # shares of k: steps up to k + 1
            monkeypatch.setattr(k_total, "_MOST_SUMS", 1)
            monkeypatch.setattr(k_total, "_COARSE", coarse)
            cut = search(table, asked)
            assert cut.best.violation(table, asked) is None
            assert best.value <= cut.value <= table.n * table.d
        monkeypatch.undo()
