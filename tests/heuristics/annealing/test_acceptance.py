"""Tests that each annealing takes worse moves as Metropolis does, and at 0 takes none.

The hotter a search, the more often one of its moves raises the cost.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from starmin.heuristics.annealing.annealing_schedule import seed_moves
from starmin.heuristics.annealing.annealing_state import empty_state
from starmin.heuristics.annealing.chain_moves import move_along_chains
from starmin.heuristics.annealing.left_over import empty_labels as empty_chains
from starmin.heuristics.annealing.path_moves import empty_labels, move_along_paths
from starmin.heuristics.annealing.pattern_moves import anneal_batches
from starmin.heuristics.annealing.start import deal_greedily, most_nodes
from starmin.heuristics.large_neighbourhood.ejection_insertion import empty_search
from starmin.heuristics.large_neighbourhood.ejection_moves import exchange_along_chains
from starmin.heuristics.large_neighbourhood.ejection_state import COST, state_of_loads
from starmin.heuristics.local_search.local_moves import propose
from starmin.heuristics.local_search.local_search_state import LOCAL_SEARCH_PARAMS
from starmin.heuristics.local_search.pattern_index import tidy
from starmin.heuristics.local_search.range_search import RangeSearch
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.heuristics.ruin_and_recreate.group_state import group_state
from starmin.heuristics.ruin_and_recreate.ruin_moves import RUIN_PARAMS, anneal
from starmin.heuristics.ruin_and_recreate.ruin_rows import RuinRows
from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Run,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.catalogue.generators import clustered
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.pricing.pool_sources import pattern_pool
from tests.heuristics.search.test_local_search_state import cost as cost_of_groups
from tests.heuristics.search.test_local_search_state import start as groups_of_types

# What a search costs, and a few of its moves at a temperature.
Search = tuple[Callable[[], float], Callable[[float], object]]
COLD, WARM, HOT = 0.0, 1.0, 20.0
MOVES = 400


TABLE = clustered(60, 4, 4, centres=6, sensitive=5, seed=18)
TREE = Taxonomy.parse("{x{a,b},y{c,d},z{e,f}}")


def annealed(k: int, move: str) -> Search:
    """Of patterns: as they are, along chains, along paths of pairs."""
    types = TABLE.row_types
    patterns = closed_patterns(TABLE, types, STARS, k, 1)
    prices = np.zeros(len(types))  # at good ones hardly any path costs something
    none = np.zeros(len(types), np.int32)
    state = empty_state(patterns, none, prices, k, 1, most_nodes(patterns))
    deal_greedily(state, types.counts)
    if move == "patterns":
        return lambda: int(
            state.held.load[:-1] @ state.patterns.cost
        ), lambda temperature: anneal_batches(state, 1, 1, temperature)
    along, labels = {
        "chains": (move_along_chains, empty_chains(state)),
        "paths": (move_along_paths, empty_labels(state)),
    }[move]
    return lambda: int(
        state.held.load[:-1] @ state.patterns.cost
    ), lambda temperature: along(state, labels, 1, temperature, 1.0)


def exchanged() -> Search:
    run = Run(TABLE, LDiversity(3))
    offer_sorted(run)
    pool = pattern_pool(run, initial=run.best)
    loads = loads_of(TABLE, STARS, pool.patterns, run.best)
    values, prices = pool.types.sensitive[:, 0], np.full(len(pool.types), 2.0)
    state = state_of_loads(pool.patterns, values, prices, 1, 3, loads)
    search = empty_search(state)
    return lambda: int(state.heads[COST]), lambda temperature: exchange_along_chains(
        state, search, 1, temperature, 1.0
    )


def proposed() -> Search:
    _, _, state = groups_of_types(3, 1, seed=1)
    rng = np.random.default_rng(1)

    def cost() -> int:
        if state.log.size[0] * 8 > len(state.log.types):
            tidy(state)  # the log is full; else there is no room for a move
        return cost_of_groups(state)

    return cost, lambda temperature: propose(
        state, 20, temperature, TABLE.n, False, rng
    )


def of_losses() -> Run:
    rng = np.random.default_rng(5)
    rows = [["abcdef"[rng.integers(6)], str(rng.integers(9))] for _ in range(80)]
    table = Table.from_rows(list("pq"), rows, qi=list("pq"))
    scales = Scales.of(table, ["q"], {"p": TREE})
    run = Run(table, KAnonymity(3), Objective("gcp", scales=scales))
    run.offer(Partition.single(table))
    return run


def ruined() -> Search:
    run = of_losses()
    problem = RuinRows.of(run, 8, np.random.default_rng(0))
    state = group_state(problem, Partition.single(run.table))
    unit = float(state.size @ state.cost) / run.table.n
    return lambda: float(state.size @ state.cost), lambda temperature: anneal(
        state, 1, temperature * unit, RUIN_PARAMS
    )


def ranged() -> Search:
    run = of_losses()
    few = replace(LOCAL_SEARCH_PARAMS, range_batch=1)
    search = RangeSearch(run, 1, 100, few)
    return search._value, lambda temperature: search.step(temperature * search.unit)


SEARCHES = {
    "patterns": lambda: annealed(3, "patterns"),
    "chains": lambda: annealed(3, "chains"),
    "paths": lambda: annealed(2, "paths"),
    "exchanges": exchanged,
    "groups": proposed,
    "ruin": ruined,
    "ranges": ranged,
}


@pytest.mark.parametrize("name", SEARCHES)
def test_worse_moves_are_taken_by_temperature(name: str) -> None:
    seed_moves(1)
    cost, move = SEARCHES[name]()

    def rises(temperature: float, moves: int) -> int:
        """How many of the moves raise the cost; the state goes on from each."""
        count = 0
        for _ in range(moves):
            before = cost()
            move(temperature)
            count += cost() > before + 1e-9
        return count

    assert rises(COLD, 5 * MOVES) == 0
    warm, hot = rises(WARM, MOVES), rises(HOT, MOVES)
    assert hot >= max(warm, 5)
