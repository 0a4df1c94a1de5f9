"""From a table and the arguments of ``anonymize`` to a problem."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starmin.call_arguments import objective_of
from starmin.defences.defences import Defences
from starmin.frames.frame_problem import (
    check_told,
    coding_of,
    earlier_of,
    exact_losses,
    people_of,
    required,
)
from starmin.inputs.defence_options import DEFENCES
from starmin.inputs.option_groups import limits_of
from starmin.inputs.tables.loading import named_table
from starmin.inputs.tables.nested_input import nested_in
from starmin.instances import Coding, Problem, Table
from starmin.instances.arguments import expect_kind, expect_names
from starmin.instances.releases.coding import SUPPRESSION
from starmin.instances.requirements.requirement import Stated
from starmin.instances.requirements.requirements import Asked
from starmin.instances.requirements.requirements import options as declared
from starmin.instances.scales.node_losses import Loss
from starmin.outputs.recodings import RECODINGS

STATED = tuple(option.name for option in declared())
LIMITS = tuple(limits_of.__annotations__.keys() - {"return"})


@dataclass(frozen=True)
class Posed:
    """What is asked of a table."""

    problem: Problem  # with the table as floors leave it
    coding: Coding
    losses: Loss | None  # of nodes, where they have some of their own
    defences: Defences | None  # what is hidden in addition; None: nothing


def serving_columns(told: Mapping[str, Any]) -> list[str]:
    """Return the columns that arguments name for other ends than protection.

    Examples
    --------
    >>> serving_columns({"k_column": "size", "person": "id", "weight": "w"})
    ['size', 'id', 'w']
    """
    names = [told.get("k_column"), told.get("household") or told.get("person")]
    names += [*expect_names("strata", told.get("strata"))]
    names += [*expect_names("unchanged", told.get("unchanged"))]
    return [name for name in (*names, told.get("weight")) if name is not None]


def limits_told(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what arguments tell of columns, as ``Coding`` holds it."""
    return limits_of(**{name: told[name] for name in LIMITS if name in told})


def pose(table: Table, frame: Any, told: Mapping[str, Any]) -> Posed:
    """Return the problem that arguments of ``anonymize`` state.

    Parameters
    ----------
    table
        Its columns in their roles, cells of sets read.
    frame
        Whose columns of numbers are ranged by default; None: no column is.
    told
        The arguments that were given, by name.

    Examples
    --------
    >>> table = Table.from_rows(["age"], [["30"], ["41"]], qi=["age"])
    >>> posed = pose(table, None, {"k": 2, "numeric": ["age"]})
    >>> posed.problem.objective.kind, posed.coding.recoding
    ('gcp', 'generalization')
    """
    expect_kind("pseudonym", told.get("pseudonym", False), bool)
    ranged = told.get("recoding"), told.get("numeric"), told.get("hierarchies")
    star = told.get("star", "*")
    coding = coding_of(frame, table, *ranged, star=star, **limits_told(told))
    stated = {name: told[name] for name in STATED if name in told}
    defences = None
    if Stated(told).asks(DEFENCES):
        pad, margin, decoys = (told.get(option.name, 0) for option in DEFENCES)
        defences = Defences(pad or False, margin, decoys, told.get("l"), python=True)
        if margin:
            stated["l"] = defences.solved
    if (population := told.get("population")) is not None:
        stated["population"] = people_of(population)
    asked = Asked(stated, coding.trees, coding.missing, True, named_table)
    check_told(coding, table)
    losses = exact_losses(told.get("loss"))
    before, table = table, coding.floored(table)
    costs = losses, told.get("weights"), told.get("keep", ())
    problem = Problem(
        table,
        required(asked, told.get("requirement"), table),
        objective_of(told.get("objective"), table, coding, *costs),
        coding,
        before,
    )
    RECODINGS[coding.recoding or SUPPRESSION].expect(table, coding)
    if (within := told.get("within")) is not None:
        solution = getattr(within, "solution", None)  # of an Anonymization
        earlier = within if solution is None else solution.published
        problem = nested_in(problem, earlier_of(earlier, table.qi))
    return Posed(problem, coding, losses, defences)
