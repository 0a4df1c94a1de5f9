"""Small random problems whose optimum brute force knows."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property, reduce
from operator import and_

import numpy as np

from starmin.instances import (
    DeletedRows,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    MissingValues,
    Objective,
    Persons,
    Problem,
    Reading,
    Requirement,
    Result,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.releases.objective_kinds import ObjectiveName
from starmin.instances.requirements.within import nested_within
from starmin.instances.scales.node_losses import Rule
from starmin.verify.brute_force import brute_force

_RULES: tuple[Rule, ...] = ("ncp", "granularity")
TREES = ("{x{1,2},5,7}", "{7,y{x{1,2},5},z{0}}")


class Drawn(Problem):
    """A problem whose optimum brute force knows."""

    @cached_property
    def optimum(self) -> Result:
        """The optimum by trying every partition."""
        return brute_force(self.table, self.requirement, self.objective)


@cache
def draw(seed: int, form: str, kind: ObjectiveName, most: int) -> Drawn:
    """Draw a random problem; equal arguments draw the same, so it is solved once.

    Parameters
    ----------
    seed
        Another problem for another one.
    form
        What is required, as methods call it: ``k``, ``k+l``, ``persons``, ..
    kind
        The objective: ``stars``, ``tuples`` or ``gcp``.
    most
        Rows at most; there are four or more.

    Examples
    --------
    >>> draw(0, "k", "stars", 6).table.n <= 6
    True
    """
    rng = random.Random(f"{seed} {form} {kind}")
    n = rng.randint(4, most)
    d = rng.randint(1, 5)
    # With gcp some columns may be numbers or have taxonomies.
    symbols = ("1257" if kind == "gcp" else "abcd")[: rng.randint(2, 4)]
    rows = [rng.choices(symbols, k=d) for _ in range(n)]
    if rng.random() < 0.5:  # equal rows are what real tables have many of
        rows = rng.choices(rows[: rng.randint(2, n)], k=n)
    values = "xyzw"[: rng.randint(2, 4)]
    hidden = rng.choices(values, k=n)
    if rng.random() < 0.5:  # as even as can be: feasible for l = 2
        hidden = [values[i % len(values)] for i in range(n)]
        rng.shuffle(hidden)
    if "known" in form:
        hidden = ["" if rng.random() < 0.15 else value for value in hidden]
    names = [f"q{j}" for j in range(d)]
    if form == "persons":
        return _of_persons(rng, kind, names, rows, hidden)
    if form == "deleted rows":
        return _of_deleted(rng, kind, names, rows, hidden)
    if form == "within":
        return _of_classes(rng, kind, names, rows)
    table = Table.from_rows(
        [*names, "s"],
        [[*row, value] for row, value in zip(rows, hidden, strict=True)],
        qi=names,
        sensitive=["s"],
    )
    return Drawn(table, _ask(rng, form), _aim(rng, kind, table))


def _of_persons(
    rng: random.Random,
    kind: ObjectiveName,
    names: list[str],
    rows: list[list[str]],
    hidden: list[str],
) -> Drawn:
    """Draw rows of a few persons; with a pseudonym a person's rows are alike."""
    ids, pseudonym = rng.choices("opqrst", k=len(rows)), rng.random() < 0.5
    if pseudonym:
        rows = [rows[ids.index(who)] for who in ids]
    cells = zip(rows, ids, hidden, strict=True)
    table = Table.from_rows(
        [*names, "id", "s"],
        [[*row, who, value] for row, who, value in cells],
        qi=names,
        sensitive=["s"],
    )
    inner: Requirement = KAnonymity(rng.choice([2, 2, 3]))
    if rng.random() < 0.3:
        inner &= LDiversity(2) if pseudonym else DistinctDiversity(2)
    asked = Persons.of(table, inner, "id", pseudonym=pseudonym)
    return Drawn(table, asked, _aim(rng, kind, table))


def _of_deleted(
    rng: random.Random,
    kind: ObjectiveName,
    names: list[str],
    rows: list[list[str]],
    hidden: list[str],
) -> Drawn:
    """Draw a price for rows that are deleted."""
    cells = [[*row, value] for row, value in zip(rows, hidden, strict=True)]
    table = Table.from_rows([*names, "s"], cells, qi=names, sensitive=["s"])
    price = rng.choice(["row", "1", "2"])
    asked = DeletedRows(_ask(rng, rng.choice(["k", "k", "l", "k+l"])), price)
    return Drawn(table, asked, replace(_aim(rng, kind, table), keep=()))


def _of_classes(
    rng: random.Random, kind: ObjectiveName, names: list[str], rows: list[list[str]]
) -> Drawn:
    """Draw the classes of an earlier release, which are to stay whole."""
    table = Table.from_rows(names, rows, qi=names)
    classes = np.array(rng.choices(range(4), k=len(rows)), np.int32)
    table, asked = nested_within(table, KAnonymity(rng.choice([2, 3, 4])), classes)
    return Drawn(table, asked, _aim(rng, kind, table))


def _reading(rng: random.Random) -> Reading:
    return Reading(rng.choice(["any", "none"]))


def _ask(rng: random.Random, form: str) -> Requirement:
    makers: dict[str, Callable[[], Requirement]] = {
        "k": lambda: KAnonymity(rng.randint(2, 4)),
        "l": lambda: LDiversity(rng.choice([2, 2, 3])),
        "distinct": lambda: DistinctDiversity(rng.choice([2, 2, 3])),
        "known-l": lambda: MissingValues(LDiversity(2), _reading(rng)),
        "known-distinct": lambda: MissingValues(DistinctDiversity(2), _reading(rng)),
    }
    return reduce(and_, [makers[part]() for part in form.split("+")])


def _aim(rng: random.Random, kind: ObjectiveName, table: Table) -> Objective:
    """Draw an objective: mostly plain, at times with weights or a kept column."""
    keep = tuple(rng.sample(table.qi, 1)) if rng.random() < 0.15 else ()
    weights = {}
    if kind != "tuples" and rng.random() < 0.2:
        weights = {name: rng.randint(0, 4) for name in table.qi}
    if kind != "gcp":
        return Objective(kind, weights, keep)
    scale = {column: rng.choice(["numeric", "flat", *TREES]) for column in table.qi}
    numeric = [column for column, how in scale.items() if how == "numeric"]
    trees = {c: Taxonomy.parse(how) for c, how in scale.items() if how in TREES}
    missing = rng.choice([(), ("1",), ("0", "2")])
    loss = rng.choice(_RULES)
    scales = Scales.of(table, numeric, trees, missing, loss)
    return Objective(kind, weights, keep, scales)
