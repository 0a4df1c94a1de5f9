"""Tests that orders of rows are those named, and groups along them are right."""

from collections import Counter
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from starmin.heuristics.orders.along_order import (
    bisect,
    cheapest_cuts,
    join_groups,
    l_groups_by_frontier,
)
from starmin.heuristics.orders.hilbert_curve import _keys, hilbert_keys, hilbert_order
from starmin.heuristics.orders.preset import RowOrder
from starmin.heuristics.orders.suppression import (
    hilbert_suppression,
    lexicographic_suppression,
)
from starmin.instances import (
    DistinctDiversity,
    EntropyDiversity,
    GroupStats,
    KAnonymity,
    LDiversity,
    MaxShare,
    Objective,
    PerRowK,
    RecursiveDiversity,
    Requirement,
    Table,
    TCloseness,
    why_infeasible,
)
from tests.support.effort import seeds


@pytest.mark.parametrize(
    ("d", "bits"), [(1, 5), (2, 1), (2, 5), (3, 3), (4, 2), (5, 2), (10, 1)]
)
@pytest.mark.parametrize("by_table", [True, False])
def test_the_curve_visits_all_cells_in_unit_steps(
    d: int, bits: int, by_table: bool
) -> None:
    cells = np.array(list(product(range(1 << bits), repeat=d)))
    keys = hilbert_keys(cells, bits) if by_table else _keys(cells, bits, 1)[0]
    places = keys[:, 0].astype(int)
    assert sorted(places) == list(range(1 << (d * bits)))
    steps = np.diff(cells[np.argsort(places)], axis=0)
    assert (abs(steps).sum(axis=1) == 1).all()


@pytest.mark.parametrize(("d", "bits"), [(2, 40), (3, 50), (20, 7)])
def test_keys_of_several_words_count_on(d: int, bits: int) -> None:
    # The curve runs through a corner of the grid without leaving it.
    axes = min(d, 3)
    cells = np.zeros((8**axes, d), np.int64)
    cells[:, :axes] = list(product(range(8), repeat=axes))
    if d > axes:
        cells = np.unique(cells // 4, axis=0)
    keys = hilbert_keys(cells, bits)
    left_over = d * bits - 64 * (keys.shape[1] - 1)
    places = []
    for words in keys.tolist():
        place = 0
        for word in words[:-1]:
            place = place << 64 | word
        places.append(place << left_over | words[-1])
    order = hilbert_order(cells, bits)
    assert order.tolist() == sorted(range(len(cells)), key=places.__getitem__)
    if d == axes:
        assert max(places) - min(places) == len(cells) - 1
        assert (abs(np.diff(cells[order], axis=0)).sum(axis=1) == 1).all()


def test_coordinates_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="from 0 to 3"):
        hilbert_keys(np.array([[4, 0]]), bits=2)
    with pytest.raises(ValueError, match="bits <= 62"):
        hilbert_keys(np.array([[4, 0]]), bits=63)


def price(group: npt.NDArray[np.int32], prices: list[int], once: bool) -> int | None:
    starred = [p for j, p in enumerate(prices) if len(set(group[:, j])) > 1]
    if any(p < 0 for p in starred):
        return None
    return len(group) * (max(starred, default=0) if once else sum(starred))


def cheapest(
    codes: npt.NDArray[np.int32], prices: list[int], once: bool, k: int
) -> int:
    """The optimum by trying every length of the last group."""
    if len(codes) == 0:
        return 0
    best = 10**6
    for j in range(len(codes) - k + 1):
        cost = price(codes[j:], prices, once)
        if cost is not None:
            best = min(best, cheapest(codes[:j], prices, once, k) + cost)
    return best


@pytest.mark.parametrize("once", [False, True])
def test_cuts_are_the_cheapest_of_all(once: bool) -> None:
    for seed in range(24):
        rng = np.random.default_rng(seed)
        n, d, k = int(rng.integers(4, 13)), int(rng.integers(1, 4)), 2 + seed % 3
        codes = rng.integers(0, 3, (n, d)).astype(np.int32)
        prices = rng.integers(0, 4, d).tolist()

        cuts = cheapest_cuts(codes, np.array(prices), once, k, 1)
        parts = np.split(codes, cuts[1:])
        assert min(map(len, parts)) >= k
        paid = [price(part, prices, once) or 0 for part in parts]
        assert sum(paid) == cheapest(codes, prices, once, k)


def test_frontier_groups_take_each_value_once() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        l, values = int(rng.integers(2, 6)), int(rng.integers(2, 12))
        sensitive = rng.integers(0, values, int(rng.integers(2, 60))).astype(np.int32)
        top = max(Counter(sensitive.tolist()).values())
        if l * top > len(sensitive):
            # Just eligible: the hardest case for the look-ahead.
            spare = values + np.arange(l * top - len(sensitive), dtype=np.int32)
            sensitive = np.append(sensitive, rng.permutation(spare)).astype(np.int32)
        groups = l_groups_by_frontier(sensitive, l)
        assert set(groups.tolist()) == set(range(groups.max() + 1))
        for group in range(groups.max() + 1):
            members = Counter(sensitive[groups == group].tolist())
            assert members.total() >= l
            assert max(members.values()) == 1
        joined = join_groups(groups, 7)
        sizes = np.bincount(joined)
        assert sizes.min() >= min(7, len(sensitive))


def random_table(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    values = int(rng.integers(1, 7))
    rows = [
        [
            *map(str, rng.integers(0, 4, d)),
            str(rng.integers(values)),
            str(rng.integers(1, 4)),
        ]
        for _ in range(n)
    ]
    qi = [f"q{j}" for j in range(d)]
    return Table.from_rows([*qi, "s", "k"], rows, qi=qi, sensitive=["s"])


def requirements(table: Table) -> list[Requirement]:
    """One of each form, as other test files use them, too."""
    return [
        KAnonymity(2),
        KAnonymity(5),
        LDiversity(2),
        LDiversity(3) & KAnonymity(4),
        DistinctDiversity(2),
        EntropyDiversity(2),
        RecursiveDiversity(2, 2),
        KAnonymity(3) & MaxShare(0.7),
        TCloseness.of(table, 0.4),
        TCloseness.of(table, 0.2, "ordered"),
        PerRowK.of(table, "k"),
    ]


@pytest.mark.parametrize("method", [hilbert_suppression, lexicographic_suppression])
def test_every_feasible_table_gets_a_release(method) -> None:  # type: ignore[no-untyped-def]
    for seed in range(8):
        table = random_table(seed)
        keep = ("q0",) if seed % 4 == 0 else ()
        weights = {"q0": 3} if seed % 4 == 1 else {}
        for kind in ("stars", "tuples"):
            objective = Objective(kind, {} if kind == "tuples" else weights, keep)
            for requirement in requirements(table):
                result = method(table, requirement, objective=objective)
                no = why_infeasible(table, requirement, objective)
                assert (result.best is None) == (no is not None)


def test_lexicographic_beats_hilbert_on_uneven_columns() -> None:
    from starmin.instances.catalogue.generators import census

    table = census(5000)
    for requirement in (KAnonymity(5), LDiversity(3)):
        hilbert = hilbert_suppression(table, requirement).value
        sorted_ = lexicographic_suppression(table, requirement).value
        assert hilbert is not None and sorted_ is not None
        assert sorted_ < hilbert < table.n * table.d


def any_table(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, [2, 3, 4], (int(rng.integers(4, 40)), 3)).astype(str)
    return Table.from_rows(["a", "b", "s"], rows.tolist(), ["a", "b"], ["s"])


@pytest.mark.parametrize("seed", seeds(15))
def test_rows_are_sorted_by_class_place_and_turn(seed):
    table = any_table(seed)
    types = table.row_types
    place = np.random.default_rng(seed).permutation(len(types))
    order = RowOrder.of(table, [table.column("a")], place)
    seen: dict[tuple[int, int], int] = {}
    turn = np.empty(table.n, int)
    for row in range(table.n):
        key = int(types.inverse[row]), int(table.column("s")[row])
        turn[row] = seen[key] = seen.get(key, -1) + 1
    keys = [
        (table.column("a")[row], place[types.inverse[row]], turn[row])
        for row in order.rows
    ]
    assert keys == sorted(keys)
    for stretch in order.stretches():
        assert len(set(table.column("a")[order.rows[stretch]])) == 1
    assert len(order.starts) == len(set(table.column("a")))
    whole = order.by_stretch(lambda part: np.zeros(part.stop - part.start, np.int32))
    assert whole.groups.tolist() == order.consecutive(order.starts).groups.tolist()


def cuts_of(
    table: Table, rows: np.ndarray, low: int, high: int, requirement: Requirement
) -> list[int]:
    """Where the stretches begin, cut in two by the rule one after the other."""
    for share in (0.5, 0.375, 0.625, 0.25, 0.75, 0.125, 0.875):
        cut = low + int((high - low) * share)
        if low < cut < high:
            side = (np.arange(low, high) >= cut).astype(np.int32)
            stats = GroupStats.of(table, side, rows[low:high])
            if requirement.holds(stats).all():
                first = cuts_of(table, rows, low, cut, requirement)
                return first + cuts_of(table, rows, cut, high, requirement)
    return [low]


@pytest.mark.parametrize("requirement", [KAnonymity(2), LDiversity(2)])
def test_stretches_are_cut_as_long_as_both_parts_hold(requirement):
    many = 0
    for seed in range(60):
        table = any_table(seed)
        order = RowOrder.of(table, (), np.arange(len(table.row_types)))
        found = bisect(table, order.rows, order.starts, requirement)
        assert found.tolist() == cuts_of(table, order.rows, 0, table.n, requirement)
        many += len(found) > 2
    assert many > 20
