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

    ``form`` is what is required, as methods call it: ``k``, ``k+l``, ``persons``, ..;
    ``kind`` is the objective. There are four rows, and ``most`` at most.

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
    if form.startswith("persons"):  # rows of a few, which a pseudonym makes alike
        ids, pseudonym = rng.choices("opqrst", k=n), form == "persons alike"
        if pseudonym:
            rows = [rows[ids.index(who)] for who in ids]
        cells = [[*row, *two] for row, *two in zip(rows, ids, hidden, strict=True)]
        table = Table.from_rows([*names, "id", "s"], cells, names, ["s"])
        inner: Requirement = KAnonymity(rng.choice([2, 2, 3]))
        if rng.random() < 0.3:
            inner &= LDiversity(2) if pseudonym else DistinctDiversity(2)
        asked = Persons.of(table, inner, "id", pseudonym=pseudonym)
        return Drawn(table, asked, _aim(rng, kind, table))
    if form == "within":  # classes of an earlier release, which are to stay whole
        table = Table.from_rows(names, rows, qi=names)
        classes = np.array(rng.choices(range(4), k=n), np.int32)
        nested = nested_within(table, KAnonymity(rng.choice([2, 3, 4])), classes)
        return Drawn(*nested, _aim(rng, kind, nested[0]))
    cells = [[*row, value] for row, value in zip(rows, hidden, strict=True)]
    table = Table.from_rows([*names, "s"], cells, names, ["s"])
    if form == "deleted rows":
        price = rng.choice(["row", "1", "2"])
        priced = DeletedRows(_ask(rng, rng.choice(["k", "k", "l", "k+l"])), price)
        return Drawn(table, priced, replace(_aim(rng, kind, table), keep=()))
    return Drawn(table, _ask(rng, form), _aim(rng, kind, table))


def _ask(rng: random.Random, form: str) -> Requirement:
    def reading() -> Reading:
        return Reading(rng.choice(["any", "none"]))

    makers: dict[str, Callable[[], Requirement]] = {
        "k": lambda: KAnonymity(rng.randint(2, 4)),
        "l": lambda: LDiversity(rng.choice([2, 2, 3])),
        "distinct": lambda: DistinctDiversity(rng.choice([2, 2, 3])),
        "known-l": lambda: MissingValues(LDiversity(2), reading()),
        "known-distinct": lambda: MissingValues(DistinctDiversity(2), reading()),
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
