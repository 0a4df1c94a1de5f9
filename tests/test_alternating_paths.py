"""Tests that moves along paths and chains keep releases, and find optimal ones."""

from dataclasses import replace

import numpy as np
import pytest

from starmin.heuristics.annealing.annealer import Annealer
from starmin.heuristics.annealing.annealing_state import empty_state
from starmin.heuristics.annealing.chain_moves import move_along_chains
from starmin.heuristics.annealing.left_over import (
    empty_labels as empty_chains,
)
from starmin.heuristics.annealing.path_moves import empty_labels, move_along_paths
from starmin.heuristics.annealing.start import (
    deal_greedily,
    most_nodes,
    release_of,
    seed_moves,
)
from starmin.instances import KAnonymity, Objective, Release, Run
from starmin.instances.catalogue.generators import clustered
from starmin.models.matching.general_factor import general_factor
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.pool_sources import pattern_pool
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
