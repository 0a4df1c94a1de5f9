"""Tests that compiled loops do with sets of row types what plain arrays do."""

import random

import numpy as np

from starmin.instances import STARS, Objective
from starmin.verify.certificates.patterns import batches, fills
from starmin.verify.certificates.patterns.pattern_list import PricedTypes
from tests.seeds import seeds
from tests.small_losses import random_problem


def listed(problem, slack):
    """The patterns below ``slack``: nodes, cost of a row, types that matter."""
    found = problem.list_patterns(slack)
    ends = zip(found.starts[:-1].tolist(), found.starts[1:].tolist(), strict=True)
    return sorted(
        (nodes.tolist(), int(cost), sorted(found.types[begin:end].tolist()))
        for nodes, cost, (begin, end) in zip(found.nodes, found.cost, ends, strict=True)
    )


def compare(seed, monkeypatch):
    """Check that both list the same; return how many patterns these are."""
    rng = random.Random(seed)
    _, table, objective, k, l = random_problem(seed)
    if seed % 3 == 0:
        weights = {column: rng.randint(1, 3) for column in table.qi}
        objective = rng.choice([STARS, Objective("stars", weights)])
    types = table.sensitive_types if l > 1 else table.row_types
    row = objective.whole(table) // table.n
    prices = np.array([rng.randint(-row, 12 * row) for _ in types.counts])
    problem = PricedTypes(table, types, objective, k, l, prices, 3, (0,))
    some = 0
    for slack in (0, 4 * row, -4 * row):
        monkeypatch.undo()
        plain = listed(problem, slack)
        monkeypatch.setattr(fills, "COMPILED_FROM", 0)
        monkeypatch.setattr(batches, "COMPILED_FROM", 0)
        assert listed(problem, slack) == plain
        some += len(plain)
    return some


def test_large_sets_are_looked_at_as_small_ones_are(monkeypatch):
    found = [compare(seed, monkeypatch) for seed in seeds(60)]
    assert sum(map(bool, found)) > 30 and sum(found) > 200
