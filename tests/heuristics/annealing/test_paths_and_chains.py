"""Moves along paths and chains: releases stay releases, and undo leaves no trace."""

from dataclasses import replace

import numpy as np
import pytest

from starmin.heuristics.annealing.annealing_schedule import seed_moves
from starmin.heuristics.annealing.annealing_state import empty_state
from starmin.heuristics.annealing.chain_moves import move_along_chains
from starmin.heuristics.annealing.left_over import empty_labels as empty_chains
from starmin.heuristics.annealing.path_moves import empty_labels, move_along_paths
from starmin.heuristics.annealing.pattern_annealing import Annealer
from starmin.heuristics.annealing.start import deal_greedily, most_nodes, release_of
from starmin.heuristics.large_neighbourhood.ejection_insertion import empty_search
from starmin.heuristics.large_neighbourhood.ejection_moves import (
    ChainOperator,
    exchange_along_chains,
)
from starmin.heuristics.large_neighbourhood.ejection_state import (
    COST,
    USED,
    WAITING,
    State,
    state_of_loads,
)
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.instances import STARS, KAnonymity, LDiversity, Objective, Release, Run
from starmin.instances.catalogue.generators import clustered
from starmin.models.matching.general_factor import general_factor
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.pattern_program.pattern_program import loads_of, partition_of_loads
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing.pool_sources import PatternPool, pattern_pool
from starmin.verify.releases.release_check import check_release

PAIRS = KAnonymity(2)


@pytest.mark.parametrize("weights", [(1, 1, 1, 1), (3, 1, 0, 2)])
def test_nearly_all_small_tables_are_solved(weights: tuple[int, ...]) -> None:
    excess = []
    for seed in range(6):
        table = clustered(48, 4, 5, centres=5, seed=seed)
        objective = Objective("stars", dict(zip(table.qi, weights, strict=True)))
        run = Run(table, PAIRS, objective)
        annealer = Annealer(run, pattern_pool(run), seed)
        for heat in np.linspace(1.0, 0.0, 20):
            annealer.propose(heat)
        release = annealer.release()
        check = check_release(Release(table, release).published, PAIRS, table)
        assert check.holds and check.consistent
        value = release.value(table, objective)
        assert value <= annealer.cost
        optimum = general_factor(table, PAIRS, objective=objective).value
        excess.append(value - optimum)
    assert min(excess) == 0 and max(excess) <= 1 and excess.count(0) >= 4


@pytest.mark.parametrize("temperature", [0.0, 2.0])
@pytest.mark.parametrize(
    ("k", "labels", "move"),
    [
        (2, empty_labels, move_along_paths),
        (2, empty_chains, move_along_chains),
        (3, empty_chains, move_along_chains),
        (4, empty_chains, move_along_chains),
    ],
)
def test_any_prices_and_temperature_keep_a_release(k, labels, move, temperature):
    lower = 0
    for seed in range(20):
        table = clustered(60, 4, 4, centres=6, seed=seed)
        types = table.row_types
        rng = np.random.default_rng(seed)
        patterns = _shuffled(closed_patterns(table, types, Objective(), k, 1), rng)
        prices = rng.uniform(0, table.d, len(types))
        values = np.zeros(len(types), np.int32)
        state = empty_state(patterns, values, prices, k, 1, most_nodes(patterns))
        deal_greedily(state, types.counts)
        before = int(state.held.load[:-1] @ state.patterns.cost)
        seed_moves(seed)
        move(state, labels(state), 300, temperature, 1.0)
        after = int(state.held.load[:-1] @ state.patterns.cost)
        assert temperature > 0 or after <= before
        lower += after < before
        load = state.held.load[:-1]
        assert ((load == 0) | (load >= k)).all() and state.held.load[-1] == 0
        worth = np.zeros(len(state.patterns.cost))
        for node in np.flatnonzero(state.nodes.copies):
            p, t = state.nodes.group[node], state.nodes.type[node]
            assert (
                t
                in state.patterns.types[
                    state.patterns.starts[p] : state.patterns.starts[p + 1]
                ]
            )
            worth[p] += state.nodes.copies[node] * (
                state.patterns.cost[p] - state.worth.price[t]
            )
        assert np.allclose(state.held.excess[:-1], worth)
        release = release_of(state, types)
        assert release.value(table) <= after
        published = Release(table, release).published
        assert check_release(published, KAnonymity(k), table).holds
    assert temperature > 0 or lower > 10


def _shuffled(patterns: Patterns, rng: np.random.Generator) -> Patterns:
    """Return the patterns, with the types of each in any order."""
    order = np.lexsort((rng.random(len(patterns.types)), patterns.pattern))
    return replace(patterns, types=patterns.types[order])


DENOMINATOR = 1 << MOST_BITS  # of small tables


def _start(rows: int, k: int, l: int, seed: int) -> tuple[Run, PatternPool, State]:
    """A release cut along sorted rows."""
    table = clustered(rows, 5, 4, centres=6, sensitive=6, seed=seed)
    run = Run(
        table, KAnonymity(k) & LDiversity(l) if k > 1 else LDiversity(l), STARS, 60.0
    )
    offer_sorted(run)
    assert run.best is not None
    pool = pattern_pool(run, initial=run.best)
    loads = loads_of(table, STARS, pool.patterns, run.best)
    assert loads is not None
    values, prices = pool.types.sensitive[:, 0], pool.prices / DENOMINATOR
    return run, pool, state_of_loads(pool.patterns, values, prices, k, l, loads)


def _check(state: State, pool: PatternPool) -> None:
    """Everything that the state keeps, counted anew from the copies by incidence."""
    patterns, copies = pool.patterns, state.copies
    assert state.heads[WAITING] == 0 and not state.waits.any()
    dealt = np.bincount(patterns.types, copies, minlength=len(pool.types))
    assert (copies >= 0).all() and (dealt == pool.types.counts).all()
    tally = np.zeros_like(state.tally)
    np.add.at(tally, (patterns.pattern, state.value[patterns.types]), copies)
    assert (state.tally == tally).all() and (state.size == tally.sum(axis=1)).all()
    assert state.heads[COST] == copies @ patterns.cost[patterns.pattern]
    least = np.maximum(state.k, state.l * state.blocks) * (state.blocks > 0)
    assert (state.size >= least).all() and (tally.max(axis=1) <= state.blocks).all()
    for order, places in (
        (state.by_value, state.place_by_value),
        (state.by_type, state.place_by_type),
    ):
        assert (order[places] == np.arange(len(order))).all()
    # Incidences with copies come first in every list.
    for p in range(len(patterns)):
        for v in range(tally.shape[1]):
            a, b = state.segments[p, v], state.segments[p, v + 1]
            used = copies[state.by_value[a:b]] > 0
            assert (state.value[state.type[state.by_value[a:b]]] == v).all()
            assert used.sum() == state.used_by_value[p, v] == used[: used.sum()].sum()
    for t in range(len(pool.types)):
        used = copies[state.by_type[state.starts[t] : state.starts[t + 1]]] > 0
        assert used.sum() == state.used_by_type[t] == used[: used.sum()].sum()


@pytest.mark.parametrize(("k", "l"), [(1, 4), (5, 2)])
@pytest.mark.parametrize("temperature", [0.0, 0.2, 50.0])
def test_a_state_stays_what_its_copies_say(k: int, l: int, temperature: float) -> None:
    run, pool, state = _start(100, k, l, seed=k)
    search = empty_search(state)
    seed_moves(l)
    _check(state, pool)
    for _ in range(4):
        before = state.heads[COST]
        change = exchange_along_chains(state, search, 60, temperature, 1.0)
        assert state.heads[COST] == before + change
        assert state.heads[USED] == 0
        assert change <= 0 or temperature > 0
        _check(state, pool)
    # A run refuses what is no release.
    found = partition_of_loads(pool.patterns, state.copies)
    run.offer(found)
    assert run.value is not None and run.value <= state.heads[COST]


@pytest.mark.parametrize(("k", "l"), [(1, 3), (5, 2)])
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_parts_of_the_groups_are_improved_side_by_side(
    k: int, l: int, slots: int
) -> None:
    run, pool, state = _start(200, k, l, seed=l)
    patterns, loads = pool.patterns, state.copies.copy()
    cost = patterns.cost[patterns.pattern]
    useful = np.ones(len(loads), bool)
    rng = np.random.default_rng(0)
    parts = ChainOperator(pool, k, l, useful, rng, slots)
    for _ in range(3):
        used = np.zeros(len(patterns), bool)
        used[patterns.pattern[loads > 0]] = True
        dealt = [parts.propose(loads, 60.0) for _ in range(slots)]
        assert parts.propose(loads, 60.0) is None
        # Each group in one part, and as many in each.
        assert (sum(part.chosen.astype(int) for part in dealt) == used).all()
        sizes = [int(part.chosen.sum()) for part in dealt]
        assert max(sizes) - min(sizes) <= 1
        for i in rng.permutation(slots):
            before = loads @ cost
            loads = parts.merge(loads, dealt[i], *dealt[i].solve())
            assert loads @ cost <= before
        found = partition_of_loads(patterns, loads)
        run.offer(found)  # refuses what is no release
        assert run.value is not None and run.value <= loads @ cost
    assert loads @ cost < state.heads[COST]


def test_moves_come_near_the_optimum() -> None:
    for seed in range(2):
        run, _, state = _start(70, 1, 3, seed)
        search = empty_search(state)
        seed_moves(seed)
        start = int(state.heads[COST])
        for _ in range(20):
            exchange_along_chains(state, search, 100, 0.3, 1.0)
        optimum = pattern_ilp(run.table, run.requirement, time_limit=60).value
        assert optimum is not None
        assert optimum <= state.heads[COST] < start
        assert state.heads[COST] <= optimum + 0.25 * (start - optimum)
