"""Tests that compiled loops do with sets of row types what plain arrays do."""

import random

import numpy as np

from starmin.instances import STARS, Objective
from starmin.verify.certificates.patterns import batches
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from tests.support.effort import seeds
from tests.support.small_problems import random_problem


def listed(problem, slack):
    """The patterns below ``slack``: nodes, cost of a row, types that matter."""
    found = problem.list_patterns(slack)
    members = np.split(found.members, found.starts[1:])
    return sorted(
        (nodes.tolist(), int(cost), sorted(some.tolist()))
        for nodes, cost, some in zip(found.nodes, found.cost, members, strict=False)
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
        monkeypatch.setattr(batches, "COMPILED_FROM", 0)
        assert listed(problem, slack) == plain
        some += len(plain)
    return some


def test_large_sets_are_looked_at_as_small_ones_are(monkeypatch):
    found = [compare(seed, monkeypatch) for seed in seeds(60)]
    assert sum(map(bool, found)) > 30 and sum(found) > 200


def random_sets(rng):
    """Sets of some of twelve types, by falling price, with what each node costs."""
    sets = [sorted(rng.sample(range(12), rng.randint(1, 12))) for _ in range(6)]
    cost = np.array([rng.randint(0, 3) for _ in sets])
    lengths = np.array([len(each) for each in sets])
    return batches.Batch(np.concatenate(sets), lengths, cost)


def test_values_of_sets_are_counted_alike(monkeypatch):
    found = set()
    for seed in seeds(200):
        rng = random.Random(seed)
        batch = random_sets(rng)
        prices = np.array(sorted((rng.randint(-2, 6) for _ in range(12)), reverse=True))
        values = np.array([[rng.randrange(4) for _ in prices] for _ in "ab"], np.int32)
        l, k, slack = rng.randint(2, 4), rng.randint(1, 4), rng.choice([0, 0, 2, -2])
        given = batches.Fills(prices, np.ones_like(prices), values, k, l, 0)
        answers = []
        for least in (13 * 6, 0):
            monkeypatch.setattr(batches, "COMPILED_FROM", least)
            answers.append(
                (given.in_sets(batch, slack).tolist(), given.diverse(batch).tolist())
            )
        assert answers[0] == answers[1], seed
        found |= {*answers[0][0]} | {("enough", each) for each in answers[0][1]}
    assert len(found) == 4
