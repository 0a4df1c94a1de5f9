"""Tests that the state of annealing is what its copies say, and that undo restores it.

All that loops keep up to date is counted anew from the nodes; releases are rebuilt from
rows and checked by code that shares none with them.
"""

import numpy as np
import pytest

from starmin.heuristics.annealing import annealing_state as annealing_changes
from starmin.heuristics.annealing import pattern_moves, repair
from starmin.heuristics.annealing import repair as eligibility
from starmin.heuristics.annealing import start as reserve_loops
from starmin.heuristics.annealing.annealing_schedule import seed_moves
from starmin.heuristics.annealing.annealing_state import State, empty_state
from starmin.heuristics.annealing.dealt_rows import empty_nodes
from starmin.heuristics.annealing.pattern_moves import anneal_batches, settle
from starmin.heuristics.annealing.repair import BETTER, NEVER, SPARED
from starmin.heuristics.annealing.start import (
    deal_greedily,
    deal_loads,
    most_nodes,
    release_of,
)
from starmin.instances import STARS, Release, RowTypes, Table
from starmin.instances.catalogue.generators import clustered
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.verify.releases.release_check import check_release
from tests.support.interpreted import interpreted
from tests.support.small_problems import ask

take_back = interpreted(annealing_changes.take_back)
cheapest_open = interpreted(eligibility.cheapest_open)
lack, room, spare = map(
    interpreted,
    (annealing_changes.lack, annealing_changes.room, annealing_changes.spare),
)
anneal, open_pattern = map(
    interpreted, (pattern_moves.anneal, pattern_moves.open_pattern)
)
fill, refill, steal = map(interpreted, (repair.fill, repair.refill, repair.steal))
draw, reserves = map(interpreted, (reserve_loops.draw, reserve_loops.reserves))

BOUNDS = [(3, 1), (1, 2), (4, 2), (1, 3)]


def start(k: int, l: int, seed: int) -> tuple[Table, RowTypes, State]:
    """A greedy deal of some rows."""
    table = clustered(90, 4, 4, centres=6, sensitive=5, seed=seed)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, STARS, k, l)
    values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
    prices = np.random.default_rng(seed).uniform(0, table.d, len(types))
    state = empty_state(patterns, values, prices, k, l, most_nodes(patterns))
    deal_greedily(state, types.counts)
    seed_moves(seed)
    return table, types, state


def loads(state: State) -> dict[tuple[int, int], int]:
    """Copies by pattern and type, from the nodes in use."""
    used = np.flatnonzero(state.nodes.copies)
    keys = zip(state.nodes.group[used], state.nodes.type[used], strict=True)
    found = {(int(p), int(t)): int(state.nodes.copies[i]) for (p, t), i in zip(
        keys, used, strict=True
    )}  # fmt: skip
    assert len(found) == len(used)  # no pair has two nodes
    return found


def cost(state: State) -> int:
    return sum(
        copies * int(state.patterns.cost[p]) for (p, _), copies in loads(state).items()
    )


def kept(state: State) -> dict[str, object]:
    """All that an undo has to restore; nodes may have other numbers."""
    arrays = (state.held.load, state.held.tally, state.held.top, state.held.ties)
    return {"loads": loads(state), "arrays": [array.tolist() for array in arrays]}


def expect_consistent(state: State, types: RowTypes) -> None:
    """Every array that is kept up to date equals what the copies say."""
    count, m = len(state.patterns.cost), len(types)
    dense = np.zeros((count + 1, m), np.int64)
    for (p, t), copies in loads(state).items():
        dense[p, t] = copies
        assert (
            p == count
            or t
            in state.patterns.types[
                state.patterns.starts[p] : state.patterns.starts[p + 1]
            ]
        )
    assert (dense.sum(axis=0) == types.counts).all()
    assert (state.held.load == dense.sum(axis=1)).all()
    worth = (state.patterns.cost[:, None] - state.worth.price) * dense[:-1]
    assert np.allclose(state.held.excess[:-1], worth.sum(axis=1))
    if state.l > 1:
        tally = np.zeros_like(state.held.tally)
        np.add.at(tally.T, state.worth.value, dense.T)
        assert (state.held.tally[:-1] == tally[:-1]).all()
        top = tally[:-1].max(axis=1)
        assert (state.held.top[:-1] == top).all()
        ties = (tally[:-1] == top[:, None]).sum(axis=1) * (top > 0)
        assert (state.held.ties[:-1] == ties).all()
    expect_lists(state)


def expect_lists(state: State) -> None:
    """The lists of types and of patterns have the nodes in use, the rest is free."""
    used = set(np.flatnonzero(state.nodes.copies).tolist())
    for heads, following, owner in (
        (state.nodes.first_of_type, state.nodes.next_of_type, state.nodes.type),
        (state.nodes.first_of_group, state.nodes.next_of_group, state.nodes.group),
    ):
        listed = []
        for own, node in enumerate(heads):
            while node >= 0:
                assert owner[node] == own
                listed.append(int(node))
                node = following[node]
        assert sorted(listed) == sorted(used)
    for node in used:
        before = state.nodes.last_of_group[node]
        head = state.nodes.first_of_group[state.nodes.group[node]]
        assert head == node if before < 0 else state.nodes.next_of_group[before] == node
    free, node = [], state.nodes.free[0]
    while node >= 0:
        free.append(int(node))
        node = state.nodes.next_of_type[node]
    assert not used & set(free) and len(used) + len(free) == len(state.nodes.copies)


def expect_release(table: Table, types: RowTypes, state: State) -> None:
    """The groups satisfy the requirement and cost no more than the state says."""
    assert state.held.load[-1] == 0  # no orphans
    release = release_of(state, types)
    assert release.value(table) <= cost(state)
    check = check_release(Release(table, release).published, ask(state.k, state.l))
    assert check.holds


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_a_greedy_deal_is_a_release_and_can_be_dealt_again(k, l):
    for seed in range(8):
        table, types, state = start(k, l, seed)
        expect_consistent(state, types)
        expect_release(table, types, state)
        again = start(k, l, seed)[2]
        nodes = again.nodes
        held = again.held._make(map(np.zeros_like, again.held))
        empty = again._replace(
            held=held,
            nodes=empty_nodes(
                len(nodes.type), len(nodes.first_of_type), len(nodes.first_of_group)
            ),
        )
        dealt = loads(state)
        pairs = np.array(list(dealt), np.int64)
        copies = np.array(list(dealt.values()), np.int64)
        deal_loads(empty, pairs[:, 0], pairs[:, 1].astype(np.int32), copies)
        expect_consistent(empty, types)
        assert kept(empty) == kept(state)


@pytest.mark.parametrize("temperature", [0.05, 3.0])
@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_moves_keep_the_state_and_the_release(k, l, temperature):
    for seed in range(4):
        table, types, state = start(k, l, seed)
        before = cost(state)
        change = anneal(state, 10, temperature)
        assert cost(state) == before + change
        for _ in range(5):
            anneal_batches(state, 1, 40, temperature)
            expect_consistent(state, types)
            expect_release(table, types, state)
            before = cost(state)
            change = settle(state)
            assert change <= 0 and cost(state) == before + change
            expect_consistent(state, types)
            expect_release(table, types, state)


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_a_move_that_costs_too_much_leaves_no_trace(k, l):
    changed = 0
    for seed in range(4):
        table, types, state = start(k, l, seed)
        before = kept(state)
        for q in range(len(state.patterns.cost)):
            assert open_pattern(state, q, -np.inf, 1.0) == 0
            assert kept(state) == before
        expect_consistent(state, types)
        for q in range(len(state.patterns.cost)):
            was = cost(state)
            change = open_pattern(state, q, 1e6, 1.0)
            assert cost(state) == was + change
            changed += change != 0
        expect_consistent(state, types)
        expect_release(table, types, state)
    assert changed > 0


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_repairs_cost_what_they_say_and_are_taken_back(k, l):
    filled = stolen = 0
    for seed in range(4):
        _, types, state = start(k, l, seed)
        before = kept(state)
        for q in range(len(state.patterns.cost)):
            state.log.size[0], was = 0, cost(state)
            groups = [p for p in range(len(state.patterns.cost)) if lack(state, p) > 0]
            assert not groups
            change = fill(state, q, SPARED, np.inf)
            if change < NEVER:
                assert cost(state) == was + change
                # Only what others can spare: they are groups still.
                assert all(
                    lack(state, p) <= 0
                    for p in range(len(state.patterns.cost))
                    if p != q
                )
            take_back(state, 0)
            assert kept(state) == before
            change = refill(state, q, 5.0)
            if change < NEVER:
                assert change <= 5 and lack(state, q) <= 0
                assert cost(state) == was + change
                filled += state.log.size[0] > 0
            else:
                assert kept(state) == before
            take_back(state, 0)
            change = fill(state, q, BETTER, np.inf)
            if change < NEVER and lack(state, q) > 0:
                change += steal(state, q)
                assert cost(state) == was + change
                stolen += lack(state, q) <= 0
            take_back(state, 0)
            assert kept(state) == before
        expect_consistent(state, types)
    assert filled > 0 and (stolen > 0 or l > 1)


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_what_a_pattern_can_spare_and_take_is_tried(k, l):
    _, _, state = start(k, l, seed=9)

    def is_group(rows: np.ndarray) -> bool:
        return bool(rows.sum() >= k and l * rows.max() <= rows.sum())

    def of_values(p: int) -> np.ndarray:
        return (
            state.held.tally[p].copy() if l > 1 else state.held.load[p : p + 1].copy()
        )

    for p in np.flatnonzero(state.held.load[:-1]):
        rows = of_values(p)
        for v in range(len(rows)):
            given, taken = np.eye(len(rows), dtype=int)[v], 0
            while is_group(rows - (taken + 1) * given):
                taken += 1
            assert max(0, min(spare(state, p, v), rows[v])) == min(taken, rows[v])
            if l > 1:
                most = room(state, p, v)
                assert is_group(rows + most * given) or most == 0
                assert not is_group(rows + (most + 1) * given)
    for t in range(len(state.nodes.first_of_type)):
        fits = state.patterns.type_patterns[
            state.patterns.type_starts[t] : state.patterns.type_starts[t + 1]
        ]
        able = [
            int(p)
            for p in fits
            if state.held.load[p] > 0 and room(state, p, state.worth.value[t]) > 0
        ]
        found = cheapest_open(state, t, -1)
        assert found < 0 if not able else found in able
        if able:
            assert state.patterns.cost[found] == min(state.patterns.cost[able])


def test_reserves_say_whether_the_rows_left_can_be_diverse():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        l, values = int(rng.integers(2, 4)), rng.integers(0, 4, 6)
        left = rng.integers(0, 5, 6)
        reserve = reserves(left, values, l)
        size = np.bincount(values, left, values.max() + 1).astype(np.int64)
        assert (reserve == left.sum() - l * size).all()
        used = np.minimum(rng.integers(0, 3, len(size)), size)
        after = left.sum() - used.sum() - l * (size - used)
        was, none = reserve.copy(), np.zeros(len(size))
        if draw(reserve, used, int(used.sum()), l, none):
            assert (reserve == after).all()
            assert ((after >= 0) | (after >= was)).all()
        else:
            assert (reserve == was).all() and (after < 0).any()
