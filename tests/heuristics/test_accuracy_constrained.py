"""Tests that accuracy-constrained groups keep their bound, as a recount says."""

from fractions import Fraction

import numpy as np
import pytest

from starmin.heuristics.accuracy_constrained import adjust_privacy as growing_group
from starmin.heuristics.accuracy_constrained.accuracy_constrained import (
    AccuracyParams,
    accuracy_constrained,
    bounded_k,
)
from starmin.heuristics.accuracy_constrained.adjust_privacy import Space
from starmin.heuristics.accuracy_constrained.max_privacy import (
    largest_loss,
    privacy_of,
    unit_bound,
)
from starmin.heuristics.accuracy_constrained.presets import iterative_direct
from starmin.heuristics.accuracy_constrained.presets import k_dual as k_dual_method
from starmin.heuristics.accuracy_constrained.presets import l_dual as l_dual_method
from starmin.heuristics.orders.along_curves import hilbert_fast
from starmin.heuristics.orders.mappings import Lexicographic
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    NotSupportedError,
    Objective,
    Partition,
    Scales,
    Table,
    TableError,
)
from starmin.instances.catalogue.generators import census
from starmin.models.one_dimensional.boundaries import l_dual
from starmin.models.one_dimensional.k_total import k_dual
from tests.support.every_partition import every_labelling
from tests.support.interpreted import interpreted


def people(rng: np.random.Generator, d: int, n: int) -> tuple[Table, Objective]:
    numbers = rng.integers(0, 20, (n, d))
    values = rng.integers(0, 4, (n, 1))
    if rng.random() < 0.5:
        values = (numbers[:, :1] + rng.integers(0, 6, (n, 1))) // 5
    names = [f"q{j}" for j in range(d)]
    rows = np.concatenate([numbers, values], axis=1).astype(str).tolist()
    table = Table.from_rows([*names, "s"], rows, names, ["s"])
    return table, Objective("gcp", scales=Scales.of(table, names))


def methods():
    def direct(method):
        return lambda t, r, o: method(t, r, objective=o)

    yield lambda t, e, o: accuracy_constrained(t, e, objective=o)
    yield lambda t, e, o: accuracy_constrained(t, e, objective=o, by_loss=False)
    yield lambda t, e, o: accuracy_constrained(
        t, e, objective=o, mapping=Lexicographic()
    )
    yield lambda t, e, o: iterative_direct(t, e, direct(hilbert_fast), objective=o)
    yield lambda t, e, o: iterative_direct(
        t, e, direct(mondrian), objective=o, whole=False
    )


@pytest.mark.parametrize("method", list(methods()))
def test_the_bound_is_kept_and_the_optimum_not_passed(method) -> None:
    for seed in range(24):
        rng = np.random.default_rng(seed)
        table, objective = people(rng, 1 + seed % 3, int(rng.integers(2, 14)))
        share = [0.1, 0.3, 0.55, 1][seed % 4]
        found = method(table, share, objective)
        assert privacy_of(table, found.best) == found.privacy >= 1
        lost = largest_loss(table, found.best, objective)
        assert lost <= unit_bound(table, objective, share)
        assert found.largest_loss <= Fraction(str(share))
        if table.d == 1:
            assert found.privacy <= optimum(table, objective, share)


def optimum(table: Table, objective: Objective, share: float) -> Fraction:
    scale = objective.scales_of(table).scales[0]
    x = scale.layout.places[scale.positions[table.column("q0")]]
    order = np.argsort(x, kind="stable")
    bound = float(Fraction(str(share)) * scale.domain)
    best = l_dual(x[order], table.column("s")[order], bound)
    assert best is not None
    return best.l


def test_moving_rows_pays() -> None:
    rng = np.random.default_rng(3)
    table, objective = people(rng, 2, 3000)
    still = accuracy_constrained(table, 0.3, objective=objective, time_limit=0)
    found = accuracy_constrained(table, 0.3, objective=objective)
    assert found.stats["moved"] > 0 and found.privacy > still.privacy
    assert still.limit is not None and found.limit is None


def test_privacy_adjustment_of_the_paper() -> None:
    # As in Figure 18: E = 20, of 2 and 7/3 the smaller becomes 5/2.
    x = [11, 14, 17, 20, 23, 27, 30, 36, 38, 41, 44]
    table = Table.from_rows(
        ["x", "s"], list(zip(map(str, x), "aabbcacbbcd", strict=True)), ["x"], ["s"]
    )
    objective = Objective("gcp", scales=Scales.of(table, ["x"]))
    bound = 20 / (44 - 11)
    still = accuracy_constrained(table, bound, objective=objective, time_limit=0)
    found = accuracy_constrained(table, bound, objective=objective)
    assert (still.privacy, found.privacy) == (2, Fraction(5, 2))


def test_k_is_the_largest_in_one_dimension() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        table, objective = people(rng, 1, int(rng.integers(2, 40)))
        share = [0, 0.1, 0.3, 0.6, 1][seed % 5]
        scale = objective.scales_of(table).scales[0]
        x = np.sort(scale.layout.places[scale.positions[table.column("q0")]])
        best = k_dual(x, float(Fraction(str(share)) * scale.domain)).k
        found = bounded_k(table, share, objective=objective)
        assert found.privacy == found.best.sizes.min() == best


def test_it_makes_no_difference_to_have_a_look_at_the_clock_in_between() -> None:
    table = census(2000)
    numeric = ["age", "education", "birth_place"]
    gcp = Objective("gcp", scales=Scales.of(table, numeric))
    table = table.with_roles(table.qi, ["occupation"])
    once = accuracy_constrained(table, 0.5, objective=gcp)
    often = accuracy_constrained(
        table, 0.5, objective=gcp, params=AccuracyParams(rows=1)
    )
    assert once.best.groups.tolist() == often.best.groups.tolist()


def test_what_is_not_an_accuracy_constrained_problem_is_refused() -> None:
    table, objective = people(np.random.default_rng(0), 1, 5)
    with pytest.raises(TableError, match=r"from 0 to 1, got 1\.5"):
        accuracy_constrained(table, 1.5, objective=objective)
    with pytest.raises(NotSupportedError, match="one sensitive column, got 0"):
        accuracy_constrained(table.with_roles(["q0"]), 0.5, objective=objective)
    with pytest.raises(NotSupportedError, match="gcp or stars"):
        bounded_k(table, 0.5, objective=Objective("tuples"))


def test_exact_methods_of_one_column_agree_with_every_partition():
    """No code is shared with the programs: all partitions are tried."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table, objective = people(rng, 1, int(rng.integers(2, 8)))
        share = [0, 0.15, 0.3, 0.55, 1][seed % 5]
        bound = unit_bound(table, objective, share)
        bare = table.with_roles(table.qi)
        of_k, of_l = [], []
        for groups in every_labelling(table.n):
            partition = Partition.from_labels(np.array(groups))
            if largest_loss(table, partition, objective) <= bound:
                of_k.append(privacy_of(bare, partition))
                of_l.append(privacy_of(table, partition))
        found = k_dual_method(bare, share, objective=objective)
        assert found.privacy == max(of_k)
        assert largest_loss(bare, found.best, objective) <= bound
        found = l_dual_method(table, share, objective=objective)
        assert found.privacy == max(of_l)
        assert largest_loss(table, found.best, objective) <= bound


def test_exact_methods_refuse_what_they_are_not_for():
    rng = np.random.default_rng(3)
    table, objective = people(rng, 2, 8)
    for method in (k_dual_method, l_dual_method):
        with pytest.raises(NotSupportedError, match="one quasi-identifier, of numbers"):
            method(table, 0.5, objective=objective)
    table, objective = people(rng, 1, 9)
    for other in (
        Objective("gcp"),
        Objective("gcp", scales=Scales.of(table, ["q0"], steps={"q0": "5"})),
        Objective("gcp", keep=("q0",), scales=Scales.of(table, ["q0"])),
    ):
        with pytest.raises(NotSupportedError, match="one quasi-identifier, of numbers"):
            l_dual_method(table, 0.5, objective=other)


add, clear, empty_group, is_inside, loss_with, remove = map(
    interpreted,
    (
        growing_group.add,
        growing_group.clear,
        growing_group.empty_group,
        growing_group.is_inside,
        growing_group.loss_with,
        growing_group.remove,
    ),
)


def space_of(rng: np.random.Generator):
    rows = rng.integers(0, 8, (30, 3)).astype(str).tolist()
    table = Table.from_rows(["a", "b", "s"], rows, ["a", "b"], ["s"])
    objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    scales = objective.scales_of(table)
    sizes = np.array([scale.size for scale in scales.scales])
    values = table.column("s")
    weights = objective.range_prices(table)
    places = scales.row_positions(table)
    start = np.append(0, np.cumsum(sizes))
    return Space(places, values, start, scales.arrays, weights, 1.0), scales


@pytest.mark.parametrize("seed", range(20))
def test_a_group_is_what_a_recount_says(seed):
    rng = np.random.default_rng(seed)
    space, scales = space_of(rng)
    values = int(space.sensitive.max()) + 1
    group, members = empty_group(space.start, values), set()
    for step in range(80):
        row = int(rng.integers(30))
        if row in members and len(members) > 1:
            before = group.low.copy(), group.high.copy()
            members.remove(row)
            narrower = remove(space, group, row)
            same = np.array_equal(before, (group.low, group.high))
            assert narrower == (not same)
        elif row not in members:
            members.add(row)
            add(space, group, row)
        if step == 50:
            clear(space, group)
            members = {row}
            add(space, group, row)
        rows = sorted(members)
        places = space.places[rows]
        assert group.low.tolist() == places.min(axis=0).tolist()
        assert group.high.tolist() == places.max(axis=0).tolist()
        counts = np.bincount(space.sensitive[rows], minlength=values)
        assert group.counts.tolist() == counts.tolist()
        assert group.size[0] == len(rows) == group.held.sum() / 2
        other = int(rng.integers(30))
        wider = np.vstack([places, space.places[other]])
        low, high = wider.min(axis=0), wider.max(axis=0)
        extents = scales.extents(low[None], high[None])[0]
        assert loss_with(space, group, other) == pytest.approx(space.weights @ extents)
        inside = (low >= group.low).all() and (high <= group.high).all()
        assert is_inside(space, group, other) == inside
