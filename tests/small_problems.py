"""Small random problems for tests against an oracle."""

import random
from functools import reduce
from operator import and_

from starmin.instances import KAnonymity, LDiversity, Objective, Requirement, Table


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
