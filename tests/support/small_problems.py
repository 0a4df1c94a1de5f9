"""Small random problems for tests against an oracle: stars, losses, exact ones."""

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from operator import and_
from typing import Literal, get_args

import numpy as np

from starmin.instances import (
    KAnonymity,
    LDiversity,
    MaxShare,
    Objective,
    Partition,
    Requirement,
    Result,
    Scales,
    Status,
    Table,
    Taxonomy,
)
from starmin.instances.requirements.requirements import REQUIREMENTS
from starmin.instances.scales.node_losses import Rule
from starmin.instances.scales.numbers import Width
from starmin.verify.brute_force import brute_force


def random_table(rng: random.Random, least: int = 1, most: int = 9) -> Table:
    """Up to four QI columns and one or two sensitive ones; some cells missing."""
    n, d = rng.randint(least, most), rng.randint(1, 4)
    symbols = [None, "b", "a", "c"][: rng.choice([2, 3, 4])]
    rows = [[rng.choice(symbols) for _ in range(d + 2)] for _ in range(n)]
    qi = list("uvwx"[:d])
    sensitive = ["s", "r"][: rng.randint(1, 2)]
    return Table.from_rows([*qi, "s", "r"], rows, qi, sensitive)


def random_objective(rng: random.Random, table: Table, kind: str) -> Objective:
    """Stars, weighted or not, or tuples; sometimes a column is kept."""
    keep = tuple(rng.sample(table.qi, rng.choice([0, 0, 0, 1])))
    if kind == "tuples":
        return Objective("tuples", keep=keep)
    weighted = rng.sample(table.qi, rng.choice([0, 0, 1]))
    return Objective(weights={c: rng.randint(0, 3) for c in weighted}, keep=keep)


def random_bounds(rng: random.Random) -> tuple[int, int]:
    """k and l, 1 where it is not asked for."""
    return rng.choice([(2, 1), (3, 1), (1, 2), (1, 3), (2, 2), (3, 2), (4, 2)])


def ask(k: int, l: int) -> Requirement:
    """The requirement of k and l."""
    parts: list[Requirement] = [KAnonymity(k)] if k > 1 else []
    parts += [LDiversity(l)] if l > 1 else []
    return reduce(and_, parts)


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


def random_problem(seed: int) -> tuple[random.Random, Table, Objective, int, int]:
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


NONE = Requirement.example.__func__
SINGLE = [kind for kind in REQUIREMENTS if kind.example.__func__ is not NONE]
MAKERS = [
    *(kind.example for kind in SINGLE),
    lambda table: KAnonymity(4) & LDiversity(2),
    lambda table: MaxShare(0.6) & KAnonymity(3),
]


def large_problem(seed: int, n: int) -> tuple[Table, Objective]:
    """A table of numbers, a tree and a flat column, with losses of some kind."""
    rng = random.Random(seed)
    columns = [VALUES + "?", VALUES, VALUES, "wxyz", "1234"]
    rows = [[rng.choice(known) for known in columns] for _ in range(n)]
    table = Table.from_rows(["a", "b", "c", "s", "own"], rows, list("abc"), ["s"])
    how = {"a": "numeric", "b": "tree", "c": "flat"}
    return table, Objective("gcp", scales=random_scales(rng, table, how))


Form = Literal["k", "l", "k+l"]


def tiny_table(
    rng: np.random.Generator, most: int = 9, sensitive: int = 1, values: int = 4
) -> Table:
    """4 to ``most`` rows, 1 to 5 QI columns; half of them with balanced values."""
    n, d = int(rng.integers(4, most + 1)), int(rng.integers(1, 6))
    if rng.random() < 0.5:
        d = min(d, 2)
    codes = rng.integers(0, rng.integers(2, 5), (d, n))
    hidden = rng.integers(0, values, (sensitive, n))
    if rng.random() < 0.5:
        hidden = rng.permuted(np.tile(np.arange(n) % values, (sensitive, 1)), axis=1)
    names = [f"q{j}" for j in range(d)] + [f"s{j}" for j in range(sensitive)]
    cells = np.concatenate([codes, hidden]).T.astype(str).tolist()
    return Table.from_rows(names, cells, names[:d], names[d:])


def tiny_requirement(rng: np.random.Generator, form: Form) -> Requirement:
    """k in 2..4, l in 2..3, or both."""
    size, diversity = (
        KAnonymity(int(rng.integers(2, 5))),
        LDiversity(int(rng.integers(2, 4))),
    )
    return {"k": size, "l": diversity, "k+l": size & diversity}[form]


def tiny_objective(
    rng: np.random.Generator, table: Table, kind: Literal["stars", "tuples"]
) -> Objective:
    """Sometimes with weights (0 to 3), sometimes with a column to keep."""
    keep = rng.permutation(table.qi)[: int(rng.random() < 0.25)].tolist()
    weights = {}
    if kind == "stars" and rng.random() < 0.4:
        weights = {c: int(rng.integers(0, 4)) for c in table.qi}
    return Objective(kind, weights, tuple(keep))


def check_exact(
    method: Callable[..., Result],
    table: Table,
    requirement: Requirement,
    objective: Objective,
    **options: object,
) -> Status:
    """The method's value is the oracle's, the recount's and the bound's."""
    oracle = brute_force(table, requirement, objective)
    result = method(table, requirement, objective=objective, **options)
    assert result.status is oracle.status
    assert result.value == oracle.value
    assert result.limit is None
    if oracle.value is not None:
        assert isinstance(result.best, Partition)
        assert result.best.value(table, objective) == result.lower_bound
        assert result.bound_method is not None
    else:
        assert result.reason
    return result.status
