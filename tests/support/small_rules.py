"""Tiny problems with rules over combinations, and the least cost of them."""

import random
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import (
    Combinations,
    KAnonymity,
    Mask,
    Objective,
    Population,
    Requirement,
    Rules,
    Scales,
    Table,
    Taxonomy,
    read_table,
)
from starmin.instances.requirements.mask_core import mask_core
from starmin.instances.requirements.office_rules import CombinationRules
from tests.support.oracle import Oracle

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


def least_by_rules(
    table: Table,
    requirement: Requirement,
    objective: Objective | None = None,
    trees: Mapping[str, Taxonomy] | None = None,
) -> int | None:
    """Return the least cost, in units of the objective; None: there is no release."""
    goal = objective or Objective()
    stated = [part.as_json() for part in requirement.parts]
    hidden = {text or "" for each in stated for text in each.get("hidden", ())}
    asked: dict[str, Any] = {
        "qi": list(table.qi),
        "objective": goal.kind,
        "recoding": "generalization" if trees is not None else "suppression",
        "weights": dict(goal.weights),
        "keep": list(goal.keep),
        "k": max((each.get("k", 1) for each in stated), default=1),
        "parts": [*_parts(requirement)],
        "linked": [columns for each in stated for columns in each.get("linked", ())],
        "hierarchy": {c: [*map(list, t.paths)] for c, t in (trees or {}).items()},
    }
    if hidden:
        asked |= {"missing-hidden": True, "hidden": hidden}
    if goal.scales is not None:
        rules = {getattr(scale, "rule", None) for scale in goal.scales.scales}
        asked["loss"] = next(iter(rules - {None}), "ncp")
    rows = [[text or "" for text in row] for row in table.rows()]
    found = Oracle(table.names, rows, asked).least()
    if found is None or goal.kind != "gcp":
        return None if found is None else int(found)
    total = table.n * sum(goal.weights.get(column, 1) for column in table.qi)
    value = found * goal.whole(table) / (total or 1)
    assert value.denominator == 1
    return int(value)


def _parts(requirement: Requirement) -> Iterator[dict[str, Any]]:
    for part in requirement.parts:
        if not isinstance(part, CombinationRules):
            continue
        told = part.as_json()
        sizes = {int(size): k for size, k in told.get("combinations", {}).items()}
        rules = [(rule["columns"], rule["k"]) for rule in told.get("rules", ())]
        people = None
        if part.population is not None:
            each = part.population.table
            counts = [1] * each.n if each.counts is None else each.counts.tolist()
            cells = [[text or "" for text in row] for row in each.rows()]
            people = [
                (dict(zip(each.names, row, strict=True)), many)
                for row, many in zip(cells, counts, strict=True)
            ]
        kept = {
            name: told[name]
            for name in ("closed", "semantics", "strata")
            if name in told
        }
        yield {**kept, "combinations": sizes, "rules": rules, "people": people}
