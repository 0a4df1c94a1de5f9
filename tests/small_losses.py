"""Small random problems of losses: trees, ranges, widths, levels, own losses."""

import itertools
import random
from fractions import Fraction
from typing import get_args

from starmin.instances import Objective, Scales, Table, Taxonomy
from starmin.instances.scales.node_losses import Rule
from starmin.instances.scales.numbers import Width
from tests.small_problems import random_bounds

VALUES = "12579"
UNKNOWN = ("?", "-")
WIDTHS = "2.5..", "6..", "..1", "..3", "..4.5", "..7", "1.5..6", "3..7.5"


def random_tree(rng: random.Random) -> Taxonomy:
    """Nodes of one to three children, at different depths."""
    paths: dict[str, list[str]] = {leaf: [leaf] for leaf in VALUES}
    groups = [[leaf] for leaf in rng.sample(VALUES, len(VALUES))]
    for number in itertools.count():
        if len(groups) == 1:
            break
        many = rng.randint(1, min(3, len(groups)))
        joined = [leaf for group in groups[:many] for leaf in group]
        groups = [*groups[many:], joined]
        for leaf in joined:
            paths[leaf].append(f"node {number}")
    return Taxonomy([(*path, "*") for path in paths.values()])


def random_own_losses(rng: random.Random, tree: Taxonomy) -> dict[str, Fraction]:
    """Losses of all nodes above several leaves, none larger than the one above it."""
    found: dict[str, Fraction] = {}
    for node in range(len(tree.leaves), len(tree.labels)):  # each after its parent
        if tree.counts[node] > 1:
            above = found.get(tree.labels[tree.parents[node]], Fraction(5, 3))
            found[tree.labels[node]] = above * Fraction(rng.randint(1, 4), 4)
    return found


def random_scales(rng: random.Random, table: Table, how: dict[str, str]) -> Scales:
    """How the columns are generalized: numeric, by a tree, or flat."""
    trees = {c: random_tree(rng) for c in table.qi if how[c] == "tree"}
    numeric = [c for c in table.qi if how[c] == "numeric"]
    own = {
        column: random_own_losses(rng, _with_missing(table, column, tree))
        for column, tree in trees.items()
    }
    loss = rng.choice([*get_args(Rule), own])
    steps = {
        c: rng.choice(["2", "3", "5", "0.5"]) for c in numeric if rng.random() < 0.5
    }
    levels = {c: rng.randint(1, 4) for c in trees if rng.random() < 0.2}
    widths = {
        c: Width.parse(rng.choice(WIDTHS))
        for c in numeric
        if rng.random() < 0.5 and {"1", "9"} <= {*table.cells(c)}
    }
    return Scales.of(table, numeric, trees, UNKNOWN, loss, steps, levels, widths)


def _with_missing(table: Table, column: str, tree: Taxonomy) -> Taxonomy:
    occurs = set(table.cells(column))
    return tree.with_leaves(sorted(text for text in UNKNOWN if text in occurs))


def random_problem(
    seed: int,
) -> tuple[random.Random, Table, Objective, int, int]:
    """A table of three to seven rows, an objective gcp, k and l."""
    rng = random.Random(seed)
    n, d = rng.randint(3, 7), rng.randint(1, 3)
    qi = list("abc"[:d])
    how = {column: rng.choice(["numeric", "tree", "flat"]) for column in qi}
    known = {c: VALUES + "??-"[: rng.choice([0, 2, 3])] for c in qi}
    rows = [[*(rng.choice(known[c]) for c in qi), rng.choice("xyz")] for _ in range(n)]
    table = Table.from_rows([*qi, "s"], rows, qi, ["s"])
    scales = random_scales(rng, table, how)
    weights = {c: rng.randint(0, 3) for c in rng.sample(qi, rng.choice([0, 0, 1]))}
    keep = tuple(rng.sample(qi, rng.choice([0, 0, 0, 1])))
    return rng, table, Objective("gcp", weights, keep, scales), *random_bounds(rng)
