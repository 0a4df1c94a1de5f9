"""Tests that the cover of millions of rows keeps what its proof relies on."""

from fractions import Fraction

import numpy as np
import pytest

from starmin.heuristics.approximation import near_linear_cover as module
from starmin.heuristics.approximation.near_linear_cover import near_linear_cover
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.instances import STARS, KAnonymity, Limit, Objective, Run, Table
from starmin.instances.catalogue.generators import census, clustered
from starmin.instances.tables.row_types import table_of_types
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from tests.heuristics.approximation.test_guarantees import harmonic


def random_codes(seed: int, rows: int, columns: int, values: int) -> Table:
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.5, (rows, columns)), values).astype(str)
    names = [f"q{j}" for j in range(columns)]
    return Table.from_rows(names, codes.tolist(), qi=names)


def wide_table() -> Table:
    """Forty columns of several hundred values each: seven words of 63 bits."""
    rng = np.random.default_rng(1)
    codes = rng.integers(12, size=(40, 40)).repeat(10, axis=0)
    noise = rng.random(codes.shape) < 0.05
    codes[noise] = rng.integers(400, size=int(noise.sum()))
    names = [f"q{j}" for j in range(40)]
    return Table.from_rows(names, codes.astype(str).tolist(), qi=names)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize(
    ("table", "objective", "blocks"),
    [
        (random_codes(0, 400, 5, 5), STARS, 10),
        (random_codes(1, 400, 9, 3), Objective(weights={"q1": 0, "q3": 5}), 4),
        (random_codes(2, 300, 6, 3), Objective("tuples", keep=("q0",)), 10),
        (wide_table(), STARS, 5),
    ],
)
def test_sets_keep_what_the_proof_promises(table, objective, blocks, k):
    run = Run(table, KAnonymity(k), objective)
    samples = module._samples(table, objective, blocks)
    cover = module._cover(run, samples, k, 0.25)
    entries, sets = cover.made.tolist()
    types, owner = cover.type_[:entries], cover.owner[:entries]
    copies = cover.copies[:entries]
    sent = np.bincount(types, copies, minlength=len(table.row_types))
    assert sent.tolist() == table.row_types.counts.tolist()
    assert np.bincount(owner, copies).tolist() == cover.size[:sets].tolist()
    for s in range(sets):
        size, charge = int(cover.size[s]), int(cover.charge[s])
        cost = int(samples.costs[cover.mask[s]])
        assert size >= k and k * cost <= charge
        assert size < 2 * k or size * cost <= charge
        rows = table.row_types.codes[types[(owner == s) & (copies > 0)]]
        starred = (rows != rows[0]).any(axis=0)
        assert objective.row_costs(table, starred[None])[0] <= cost


def test_it_is_within_its_factor_of_a_proven_optimum():
    table, k = census(60, sensitive="none", seed=1), 3
    optimum = pattern_ilp(table, KAnonymity(k))
    assert optimum.value == optimum.lower_bound
    found = near_linear_cover(table, KAnonymity(k)).value
    factor = Fraction(5, 4) * Fraction(2 * k - 1, k) * harmonic(k)
    assert optimum.value <= found <= factor * optimum.value


def test_it_is_as_good_as_the_cover_by_a_list_of_patterns():
    table = census(3000, sensitive="none")
    for k in (2, 5):
        listed = pattern_cover(table, KAnonymity(k)).value
        assert near_linear_cover(table, KAnonymity(k)).value <= 1.05 * listed


def test_a_counted_table_costs_what_its_rows_do():
    table = clustered(3000, d=6, alphabet=5, centres=50, noise=20)
    few = table_of_types(table, table.row_types)
    whole, counted = (near_linear_cover(t, KAnonymity(4)) for t in (table, few))
    assert counted.value == whole.value
    assert counted.best.violation(few, KAnonymity(4)) is None


def test_without_time_rows_are_sorted():
    result = near_linear_cover(census(2000), KAnonymity(5), time_limit=0)
    assert result.limit is Limit.TIME and result.best is not None
