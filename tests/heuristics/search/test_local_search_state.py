"""Tests that the state of local search is what its copies say, and undo restores it.

All that loops keep up to date is counted anew from the nodes; releases are rebuilt from
rows and checked by code that shares none with them.
"""

from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from starmin.heuristics.annealing import annealing_state
from starmin.heuristics.annealing import dealt_rows as nodes
from starmin.heuristics.annealing.annealing_state import undo
from starmin.heuristics.annealing.dealt_rows import loads_of
from starmin.heuristics.local_search import local_moves as openings
from starmin.heuristics.local_search import pattern_index
from starmin.heuristics.local_search.local_moves import NEVER, propose
from starmin.heuristics.local_search.local_search import members, undo_failing
from starmin.heuristics.local_search.local_search_state import (
    GROUPS,
    MASKS,
    State,
    empty_state,
)
from starmin.heuristics.local_search.pattern_index import deal, tidy
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    STARS,
    TUPLES,
    DistinctDiversity,
    EntropyDiversity,
    GroupStats,
    Objective,
    Partition,
    Release,
    Requirement,
    RowTypes,
    Table,
    group_by,
)
from starmin.instances.catalogue.generators import clustered
from starmin.verify.releases.release_check import check_release
from tests.support.interpreted import interpreted
from tests.support.small_problems import ask


def pattern_key(state: State, t: int, mask: int) -> int:
    """The key of a pattern, of which 64 bits are kept."""
    key = int(mask) * pattern_index._ODD
    for j, code in enumerate(state.types.codes[t]):
        if not mask >> j & 1:
            key += int(state.types.salt[state.types.places[j] + code])
    key = (key + 2**63) % 2**64 - 2**63
    return key ^ (key >> 29)


def loop(inner: Dispatcher) -> Any:
    return interpreted(inner, {pattern_index.pattern_key: pattern_key})


lack, room = loop(annealing_state.lack), loop(annealing_state.room)
copies_at = loop(nodes.copies_at)
take_back = loop(annealing_state.take_back)
dissolve, open_group = map(loop, (openings.dissolve, openings.open_group))
cheapest_open, cost_of = map(loop, (pattern_index.cheapest_open, pattern_index.cost_of))
find, fits = map(loop, (pattern_index.find, pattern_index.fits))
group_at, join = map(loop, (pattern_index.group_at, pattern_index.join))

BOUNDS = [(3, 1), (1, 2), (4, 2), (1, 3)]
OBJECTIVES = [STARS, TUPLES, Objective(weights={"q1": 3}, keep=("q2",))]


def start(
    k: int,
    l: int,
    seed: int,
    objective: Objective = STARS,
    requirement: Requirement | None = None,
) -> tuple[Table, RowTypes, State]:
    """Some rows as ``lexicographic_suppression`` groups them."""
    begin, method = None, lexicographic_suppression
    while begin is None:  # with a kept column some tables have no release
        table = clustered(120, 4, 3, centres=6, sensitive=9, seed=seed)
        begin = method(table, requirement or ask(k, l), objective=objective).best
        seed += 100
    types = table.sensitive_types
    values = types.sensitive[:, 0]
    rng = np.random.default_rng(seed)
    state = empty_state(table, types, values, objective, (k, l), 200, rng)
    pairs = group_by([begin.groups, types.inverse], [begin.size, len(types)])
    first = pairs.first
    cost = deal(state, begin.groups[first], types.inverse[first], pairs.counts)
    assert cost == begin.value(table, objective)
    return table, types, state


def loads(state: State) -> dict[tuple[int, int], int]:
    """Copies by group and type."""
    groups, types, copies = (part.tolist() for part in loads_of(state.nodes))
    found = dict(zip(zip(groups, types, strict=True), copies, strict=True))
    assert len(found) == len(copies)  # no pair has two nodes
    return found


def cost(state: State) -> int:
    return sum(
        copies * int(state.patterns.cost[g]) for (g, _), copies in loads(state).items()
    )


def kept(state: State) -> list[object]:
    """All that an undo has to restore; nodes may have other numbers."""
    arrays = (state.held.load, state.held.top, state.held.tally)
    return [loads(state), *(array.tolist() for array in arrays)]


def expect_consistent(state: State, types: RowTypes) -> None:
    """Every array that is kept up to date equals what the copies say."""
    dense = np.zeros((len(state.held.load), len(types)), np.int64)
    for (g, t), copies in loads(state).items():
        dense[g, t] = copies
        assert fits(state, t, g) and copies_at(state.nodes, t, g) == copies
        # Where its pattern leads, be it opened now or before.
        assert find(state, t, state.patterns.mask[g]) == g
    assert (dense.sum(axis=0) == types.counts).all()
    assert (state.held.load == dense.sum(axis=1)).all()
    if state.l > 1:
        tally = np.zeros_like(state.held.tally)
        np.add.at(tally.T, state.worth.value, dense.T)
        assert (state.held.tally == tally).all()
        assert (state.held.top == tally.max(axis=1)).all()
    for g in np.flatnonzero(state.held.load):
        starred = [
            bool(state.patterns.mask[g] >> j & 1)
            for j in range(len(state.types.weights))
        ]
        weight = (
            any(starred) if state.types.once else int(state.types.weights @ starred)
        )
        assert (
            state.patterns.cost[g] == cost_of(state, state.patterns.mask[g]) == weight
        )
    masks = state.patterns.masks[: state.patterns.heads[MASKS]]
    prices = [cost_of(state, mask) for mask in masks]
    assert prices == sorted(prices) and len(set(masks.tolist())) == len(masks)
    assert set(state.patterns.mask[state.held.load > 0].tolist()) <= set(masks.tolist())
    free = state.patterns.free[: state.patterns.heads[GROUPS]].tolist()
    assert not set(free) & set(np.flatnonzero(state.held.load).tolist())
    expect_lists(state)


def expect_lists(state: State) -> None:
    """The lists of types and of groups have the nodes in use, the rest is free."""
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
    free, node = [], state.nodes.free[0]
    while node >= 0:
        free.append(int(node))
        node = state.nodes.next_of_type[node]
    assert not used & set(free) and len(used) + len(free) == len(state.nodes.copies)


def release_of(state: State, types: RowTypes) -> Partition:
    return Partition.from_loads(types, *loads_of(state.nodes))


def expect_release(table: Table, types: RowTypes, state: State) -> None:
    """The groups satisfy the requirement, and no column that is kept has a star."""
    release = release_of(state, types)
    published = Release(table, release).published
    assert check_release(published, ask(state.k, state.l), table).holds
    starred = release.starred(table).any(axis=0)
    assert not sum(1 << j for j in np.flatnonzero(starred)) & ~state.types.starrable


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_moves_keep_the_state_and_the_release(k, l, objective):
    gained = 0
    for seed in range(3):
        table, types, state = start(k, l, seed, objective)
        rng = np.random.default_rng(seed)
        for temperature in (2.0, 0.3, 0.0, 0.0):
            begin, was = kept(state), cost(state)
            starts = propose(state, 50, temperature, table.n, False, rng)
            assert temperature > 0 or cost(state) <= was
            expect_consistent(state, types)
            expect_release(table, types, state)
            if temperature == 0.3:  # all of them, then on from where they began
                take_back(state, starts[0] if len(starts) else 0)
                assert kept(state) == begin
                expect_consistent(state, types)
            before = cost(state)
            value = tidy(state)
            assert value == cost(state) <= before
            assert value == release_of(state, types).value(table, objective)
            expect_consistent(state, types)
            expect_release(table, types, state)
            gained += was - value
    assert gained > 0


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_each_change_costs_what_it_says_and_is_taken_back(k, l):
    opened = dissolved = 0
    for seed in range(3):
        table, types, state = start(k, l, seed)
        rng = np.random.default_rng(seed)
        before, was = kept(state), cost(state)
        for t in range(0, len(types), 3):
            g = state.nodes.group[state.nodes.first_of_type[t]]
            change = dissolve(state, g)
            if change < NEVER:
                assert cost(state) == was + change and state.held.load[g] == 0
                assert all(lack(state, h) <= 0 for h in range(len(state.held.load)))
                dissolved += 1
            take_back(state, 0)
            assert kept(state) == before
            other = int(rng.integers(len(types)))
            h = group_at(state, t, join(state, t, other))
            change = open_group(state, h, 1e6, table.n, rng)
            if change < NEVER:
                assert cost(state) == was + change
                assert all(lack(state, g) <= 0 for g in range(len(state.held.load)))
                opened += 1
            take_back(state, 0)
            assert kept(state) == before
        expect_consistent(state, types)
    assert opened > 0 and dissolved > 0


@pytest.mark.parametrize("requirement", [DistinctDiversity(3), EntropyDiversity(2)])
def test_moves_that_fail_any_requirement_are_undone_and_no_others(requirement):
    kept_moves = undone = 0
    for seed in range(12):
        table, types, state = start(1, 1, seed, requirement=requirement)
        rng = np.random.default_rng(seed)
        starts = propose(state, 40, 1.0, 3, True, rng)
        ends = [*starts[1:].tolist(), int(state.log.size[0])]
        touched = [
            {*state.log.sources[a:b].tolist(), *state.log.targets[a:b].tolist()}
            for a, b in zip(starts, ends, strict=True)
        ]
        assert sum(map(len, touched)) == len(set().union(*touched))
        fails = []
        for move, groups in enumerate(touched):
            if not all(holds(table, types, state, g, requirement) for g in groups):
                fails.append(move)
        after = loads(state)
        undo_failing(state, starts, table, types, requirement)
        changed = {g for (g, _), _ in after.items() ^ loads(state).items()}
        assert changed <= set().union(set(), *(touched[move] for move in fails))
        expect_consistent(state, types)
        release = release_of(state, types)
        assert requirement.holds(GroupStats.of(table, release.groups)).all()
        undone += len(fails)
        kept_moves += len(touched) - len(fails)
    assert kept_moves > 0 and undone > 0


def holds(
    table: Table, types: RowTypes, state: State, g: int, requirement: Requirement
) -> bool:
    """Whether the rows of one group satisfy a requirement by themselves."""
    _, type_, copies = members(state, np.array([g]))
    assert copies.sum() == state.held.load[g]
    if len(type_) == 0:
        return True
    first = np.unique(types.inverse, return_index=True)[1]
    rows = np.repeat(first[type_], copies)
    stats = GroupStats.of(table.take(rows), np.zeros(len(rows), np.int64))
    return bool(requirement.holds(stats).all())


def test_one_move_of_several_is_undone_by_itself():
    for seed in range(6):
        state = start(3, 1, seed)[2]
        before = loads(state)
        rng = np.random.default_rng(seed)
        starts = propose(state, 40, 5.0, 3, True, rng)
        ends = [*starts[1:].tolist(), int(state.log.size[0])]
        for a, b in rng.permutation(list(zip(starts.tolist(), ends, strict=True))):
            undo(state, a, b)
            expect_lists(state)
        assert loads(state) == before


@pytest.mark.parametrize(("k", "l"), BOUNDS)
def test_the_index_finds_what_is_there(k, l):
    table, types, state = start(k, l, 5)
    cells = types.codes
    for t in range(len(types)):
        u = (7 * t + 3) % len(types)
        mask = join(state, t, u)
        differing = np.flatnonzero(cells[t] != cells[u])
        assert mask == sum(1 << int(j) for j in differing)
        open_ = [
            g
            for g in np.flatnonzero(state.held.load)
            if fits(state, t, g) and room(state, g, state.worth.value[t]) > 0
        ]
        found = cheapest_open(state, t, -1)
        assert found < 0 if not open_ else found in open_
        if open_:
            assert state.patterns.cost[found] == min(state.patterns.cost[open_])
        g = group_at(state, t, mask)
        assert find(state, t, mask) == g == find(state, u, mask)
        assert fits(state, t, g) and fits(state, u, g)
    # A group that was made and has got no rows is free again.
    tidy(state)
    assert state.patterns.heads[GROUPS] == np.count_nonzero(state.held.load == 0)
    expect_consistent(state, types)
    assert (np.bincount(types.inverse) == types.counts).all()
    assert table.n == state.held.load.sum()
