"""Tables solved and checked as a settings file says: ``solve`` and ``verify``."""

from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from starmin.call_arguments import table_given
from starmin.frames.frame_problem import (
    LIMITS,
    STATED,
    earlier_of,
    limits_told,
    people_of,
    pose,
    read_hierarchies,
    serving_columns,
)
from starmin.inputs.loading import named_table
from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.releases.objective_kinds import ObjectiveName
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.requirements import Asked
from starmin.instances.requirements.requirements import options as declared
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.table import as_sets
from starmin.recipes.by_recipe import expect_columns
from starmin.recipes.recipe import keywords_of
from starmin.solving import Search, Solution, solve_problem

_ROLES = ("qi", "sensitive", "drop", "unchanged", "weight")
_HOW = ("recoding", "numeric", "hierarchies", "star", *LIMITS)
_COSTS = ("objective", "loss", "weights", "keep", "pad", "margin", "decoys")
_SEARCH = ("method", "time_limit", "seed", "on_progress", "display", "initial")
# What ``verify`` counts by itself.
_COUNTED = ("missing_sensitive", "person", "household", "pseudonym", "alike")


def solve_by_recipe(
    table: Table, recipe: Path | str, given: Mapping[str, Any]
) -> Solution:
    """Solve a table as a settings file says; what is given goes before it.

    ``given`` are arguments of ``solve`` by name. The roles of the table hold where
    neither says another one.
    """
    known = (*_ROLES, *STATED, *_HOW, *_COSTS, *_SEARCH, "requirement", "within")
    told = _told(recipe, given, known)
    named, asked = {*known} - {*_SEARCH}, dict[str, Any]()
    for name in [name for name in told if name in named]:
        asked[name] = told.pop(name)
    table = _in_roles("table", table, asked, Path(recipe))
    posed = pose(as_sets(table, limits_told(asked)["sets"], "sets"), None, asked)
    search = Search(
        **{f.name: told.pop(f.name) for f in fields(Search) if f.name in told}
    )
    return solve_problem(posed.problem, search, told, posed.defences)


def verified_by_recipe(
    released: Any, recipe: Path | str, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of ``verify`` that a settings file tells.

    ``released`` is a table or a frame. Arguments that were ``given``, by name, go
    before the file.
    """
    goal = "objective", "weights", "keep"
    known = (*_ROLES, *STATED, *_HOW, *goal, "requirement", "original", "within")
    told = _told(recipe, given, (*known, "range_style"))
    if (recoding := told.pop("recoding", None)) in ("permutation", "nonhomogeneous"):
        raise NotSupportedError(
            f"verify checks no release by {recoding}; the verify() of what anonymize "
            "returned and the command starmin verify do."
        )
    original, counted = told.pop("original", None), {}
    roles = {name: told[name] for name in _ROLES if name in told}
    for name in _COUNTED:
        if name in told:
            counted[name] = told.pop(name)
    released = _in_roles("released", released, told | counted, Path(recipe))
    there = released
    if original is not None:
        dropped = [c for c in roles.get("drop", ()) if c not in counted.values()]
        there = table_given("original", original, None, None, dropped)
        there = there.with_roles(released.qi, released.sensitive)
    columns, missing = there.qi + there.sensitive, told.get("missing", MISSING)
    read = there if "sets" not in told else as_sets(there, told["sets"], "sets")
    trees = read_hierarchies(told.pop("hierarchies", None), read, columns, missing)
    if (population := told.get("population")) is not None:
        told["population"] = people_of(population)
    if told.get("within") is not None:
        told["within"] = earlier_of(told["within"], released.qi)
    stated = {name: told.pop(name) for name in STATED if name in told}
    asked = Asked(stated, trees, tuple(missing), True, named_table)
    further = told.pop("requirement", None)
    required = asked.on(there, further)
    costs = {name: told.pop(name) for name in goal if name in told}
    if of_kind(required, DeletedRows) is not None:
        counted["objective"] = _goal(**costs)
    elif "objective" in given:
        counted["objective"] = given["objective"]
    public = {name: value for name, value in told.items() if name not in _ROLES}
    return {
        **public,
        **counted,
        "released": released,
        "original": None if original is None else there,
        "requirement": required,
        "taxonomies": {c: tree for c, tree in trees.items() if c in there.qi},
    }


def _goal(
    objective: Objective | ObjectiveName | None = None,
    weights: Mapping[str, int] | None = None,
    keep: Collection[str] = (),
) -> Objective:
    """Return the objective that is told, or stars."""
    if isinstance(objective, Objective):
        return objective
    return Objective(objective or "stars", weights or {}, tuple(keep))


def _told(
    recipe: Path | str, given: Mapping[str, Any], known: tuple[str, ...]
) -> dict[str, Any]:
    """Return what a file and arguments tell, in the names of ``anonymize``."""
    called = {"taxonomies": "hierarchies"}
    left = ("recipe", "table", "released")
    ours = {called.get(k, k): v for k, v in given.items() if k not in left}
    return keywords_of(recipe, ours, known)


def _in_roles(what: str, given: Any, told: Mapping[str, Any], recipe: Path) -> Table:
    """Return a table, its columns in the roles that are told."""
    serving = serving_columns(told)
    drop = [c for c in told.get("drop", ()) if c not in serving]
    table = table_given(what, given, None, None)
    named = [*told.get("qi", ()), *told.get("drop", ()), *serving]
    columns = [o.name for o in declared() if o.is_column and not o.several]
    named += [told[name] for name in columns if name in told]
    expect_columns(what, table.names, recipe, [*named, *table.sensitive])
    table = table.drop([c for c in drop if c in table.names])
    sensitive = told.get("sensitive", table.sensitive)
    public = told.get("qi", table.qi)
    aside = {*serving, *sensitive} if "qi" not in told else {*sensitive}
    return table.with_roles([c for c in public if c not in aside], sensitive)
