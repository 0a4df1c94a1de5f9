"""Tiny problems with rules over combinations of taxonomies, drawn at random."""

import random
from typing import NamedTuple

from starmin.instances import (
    Combinations,
    KAnonymity,
    Objective,
    Requirement,
    Rules,
    Scales,
    Table,
    Taxonomy,
)

TREES = (
    "{p{0,1},q{2,3}}",
    "{p{0,1,2},3}",
    "{p{q{0,1},2},3}",
    "{p{q{0},1},r{s{2,3}}}",
    "{all{p{0,1},2,3}}",
)


class Problem(NamedTuple):
    """What is asked of which table."""

    table: Table
    requirement: Requirement
    objective: Objective
    trees: dict[str, Taxonomy]


def random_node_problem(rng: random.Random, semantics: str | None = None) -> Problem:
    """Draw a table of few cells, rules, taxonomies, and what nodes cost."""
    d = rng.choice([1, 2, 2, 2])
    names = ["a", "b"][:d]
    trees = {
        name: Taxonomy.parse(rng.choice(TREES)) for name in names if rng.random() < 0.8
    }
    n = rng.randint(2, 7 if d == 1 else 4)
    cells = [
        [rng.choice("00123") for _ in names] + [rng.choice("xxy")] for _ in range(n)
    ]
    table = Table.from_rows([*names, "stratum"], cells, names)
    semantics = semantics or rng.choice(["source", "shown", "shown", "classes"])
    kinds: dict[str, object] = {"semantics": semantics}
    if rng.random() < 0.2:
        kinds["strata"] = ("stratum",)
    if rng.random() < 0.15 and semantics != "classes":
        kinds["hidden"] = ("3",)
    if rng.random() < 0.1:
        kinds["closed"] = False
    if rng.random() < 0.6:
        part: Requirement = Combinations(rng.randint(1, d), rng.randint(2, 3), **kinds)
    else:
        part = Rules([(names, 2), (names[:1], rng.randint(2, 3))], **kinds)
    if rng.random() < 0.15 and not kinds.get("hidden"):
        part = part & KAnonymity(2)
    weights = {c: rng.randint(0, 3) for c in names if rng.random() < 0.3}
    keep = tuple(c for c in names if rng.random() < 0.08)
    loss = rng.choice(["ncp", "ncp", "granularity", "stars"])
    scales = Scales.of(table, (), trees, (), loss)
    return Problem(table, part, Objective("gcp", weights, keep, scales), trees)
