"""Tests that the patterns that are listed are the closed ones of the definition."""

import random
from collections import defaultdict
from itertools import product

import pytest

from starmin.instances import STARS, Objective, Table
from starmin.models.patterns import star_listing
from starmin.models.patterns.closed_listing import closed_patterns
from tests.seeds import seeds
from tests.small_problems import random_bounds, random_table


def by_definition(table, types, keep, k, l):
    """Pairs of starred columns and row types, for each closed pattern."""
    found = set()
    for starred in product((False, True), repeat=table.d):
        if any(starred[j] for j in keep):
            continue
        groups = defaultdict(list)
        for t, codes in enumerate(types.codes.tolist()):
            seen = tuple(c for c, s in zip(codes, starred, strict=True) if not s)
            groups[seen].append(t)
        for members in groups.values():
            values = {tuple(types.sensitive[t, :1]) for t in members}
            differs = (len(set(types.codes[members, j])) > 1 for j in range(table.d))
            closed = all(d for d, s in zip(differs, starred, strict=True) if s)
            if types.counts[members].sum() >= k and len(values) >= l and closed:
                found.add((starred, tuple(members)))
    return found


@pytest.mark.parametrize("few", [0, star_listing._FEW])
@pytest.mark.parametrize("seed", seeds(20))
def test_closed_patterns_are_those_of_the_definition(seed, few, monkeypatch):
    monkeypatch.setattr(star_listing, "_FEW", few)
    rng = random.Random(seed)
    table = random_table(rng, 2, 12)
    table = table.with_roles(table.qi, table.sensitive[:1])
    k, l = random_bounds(rng)
    types = table.sensitive_types if l > 1 else table.row_types
    keep = rng.sample(range(table.d), rng.randint(0, table.d - 1))
    objective = Objective(keep=[table.qi[j] for j in keep])
    patterns = closed_patterns(table, types, objective, k, l)
    bounds = zip(patterns.starts[:-1], patterns.starts[1:], strict=True)
    members = [tuple(patterns.types[a:b]) for a, b in bounds]
    masks = [tuple(mask) for mask in patterns.starred.tolist()]
    listed = list(zip(masks, members, strict=True))
    assert len(set(listed)) == len(listed)
    assert set(listed) == by_definition(table, types, keep, k, l)
    assert patterns.cost.tolist() == [sum(mask) for mask in masks]


@pytest.mark.parametrize("few", [0, star_listing._FEW])
def test_fewer_rows_than_a_group_needs_have_no_pattern(few, monkeypatch):
    monkeypatch.setattr(star_listing, "_FEW", few)
    table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    assert len(closed_patterns(table, table.row_types, STARS, 3)) == 0
