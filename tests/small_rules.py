"""Tiny problems with rules over combinations, and masks of them, drawn at random."""

import random

import numpy as np

from starmin.instances import (
    Combinations,
    KAnonymity,
    Mask,
    Objective,
    Population,
    Requirement,
    Rules,
    Table,
    read_table,
)
from starmin.instances.requirements.mask_core import mask_core

SEMANTICS = ("source", "shown", "classes", "population")
PAIRS = read_table("tests/cases/pairs.csv")


def random_problem(
    rng: random.Random,
    semantics: str | None = None,
    rows: int | None = None,
    columns: int | None = None,
) -> tuple[Table, Requirement, Objective]:
    """Draw a table of at most 15 cells, rules, and what stars cost."""
    d = columns or rng.randint(1, 3)
    n = rows or rng.randint(2, {1: 9, 2: 7, 3: 5}[d])
    semantics = semantics or rng.choice(SEMANTICS)
    names = ["a", "b", "c"][:d]
    values = [["", "0", "1", "2"][: rng.randint(2, 4)] for _ in names]
    cells = [[rng.choice(v) for v in values] + [rng.choice("xxy")] for _ in range(n)]
    table = Table.from_rows([*names, "stratum"], cells, names)
    kinds = _kinds(rng, table, semantics)
    if rng.random() < 0.5:
        part: Requirement = Combinations(rng.randint(1, 3), rng.randint(2, 3), **kinds)
    else:
        part = Rules(
            [
                (rng.sample(names, rng.randint(1, d)), rng.randint(2, 4))
                for _ in range(rng.randint(1, 2))
            ],
            **kinds,
        )
    if rng.random() < 0.15 and not kinds.get("hidden"):
        part = part & KAnonymity(2)
    if rng.random() < 0.15:
        part = part & _further(rng, table, bool(kinds.get("hidden")))
    weights = {c: rng.randint(0, 4) for c in names if rng.random() < 0.4}
    keep = tuple(c for c in names if rng.random() < 0.12)
    if rng.random() < 0.15:
        return table, part, Objective("tuples", keep=keep)
    return table, part, Objective(weights=weights, keep=keep)


def linked_problem(rng: random.Random) -> tuple[Table, Requirement, Objective]:
    """Draw a table of which many cells are missing, and columns that are linked."""
    table, _, objective = random_problem(rng, "shown", columns=rng.choice([2, 3]))
    rows = [[*rng.choices(["", "", "0", "1"], k=table.d), "x"] for _ in range(table.n)]
    table = Table.from_rows(table.names, rows, table.qi)
    asked = Combinations(
        rng.randint(1, 2),
        rng.randint(2, 3),
        semantics=rng.choice(["source", "shown"]),
        hidden=("",),
        linked=tuple(rng.sample(table.qi, 2) for _ in range(rng.randint(1, 2))),
    )
    return table, asked, objective


def _further(rng: random.Random, table: Table, hidden: bool) -> Requirement:
    """Draw a rule that counts something else, as people beside rows."""
    kinds = _kinds(rng, table, rng.choice([s for s in SEMANTICS if s != "classes"]))
    kinds["hidden"] = ("",) if hidden else ()
    return Rules([(rng.sample(table.qi, 1), rng.randint(2, 3))], **kinds)


def _kinds(rng: random.Random, table: Table, semantics: str) -> dict[str, object]:
    """Draw what all rules over combinations may have."""
    kinds: dict[str, object] = {"semantics": semantics}
    if semantics == "population":
        people = [[rng.choice(["", "0", "1", "2"]) for _ in table.qi] for _ in range(8)]
        population = Table.from_rows(table.qi, people, table.qi)
        kinds = {"semantics": "source", "population": Population(population)}
    elif rng.random() < 0.25:
        kinds["strata"] = ("stratum",)
    if rng.random() < 0.2 and semantics != "classes":
        kinds["hidden"] = ("",)
    if rng.random() < 0.25 and table.d > 1:
        kinds["linked"] = (rng.sample(table.qi, 2),)
    if rng.random() < 0.15:
        kinds["closed"] = False
    return kinds


def random_mask(
    rng: random.Random, table: Table, requirement: Requirement, objective: Objective
) -> Mask:
    """Draw a mask that stars linked columns together, and none to be kept."""
    density = rng.choice([0.2, 0.5, 0.8])
    starred = np.array(
        [[rng.random() < density for _ in table.qi] for _ in range(table.n)]
    )
    kept = objective.kept(table)
    for unit in mask_core(requirement, table).units(table.d):
        columns = list(unit)
        starred[:, columns] = starred[:, columns[:1]] & ~kept[columns].any()
    return Mask(starred)
