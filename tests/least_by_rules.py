"""The least cost of a tiny problem with rules over combinations, by the oracle."""

from collections.abc import Iterator, Mapping
from typing import Any

from starmin.instances import Objective, Requirement, Table, Taxonomy
from starmin.instances.requirements.office_rules import CombinationRules
from tests.oracle import Oracle


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
