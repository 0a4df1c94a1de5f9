"""The problem that a model is built of, as the two commands name it."""

from typing import Annotated, Literal, NamedTuple

import typer

from starmin.auto.dispatch import expect_support
from starmin.inputs.option_groups import (
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
)
from starmin.inputs.roles import Roles
from starmin.inputs.spec import Spec
from starmin.inputs.tables.origin import Origin
from starmin.instances import NotSupportedError, Problem, TableError
from starmin.instances.releases.coding import RecodingName
from starmin.models.exchange import EXPORTED, PUBLISHED_AS, builder
from starmin.models.exchange.named_model import NamedModel
from starmin.registry.methods import METHODS

Goal = Literal["stars", "tuples", "gcp"]
ModelArg = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help=f"The formulation: {', '.join(EXPORTED)}.",
        show_default=False,
    ),
]


class Modelled(NamedTuple):
    """A problem, the model of it, and how the file of its table is to be read."""

    problem: Problem
    origin: Origin
    roles: Roles
    model: NamedModel


def modelled(
    name: str,
    table: str,
    columns: ColumnOptions,
    asked: RequirementOptions,
    ranges: GeneralizationOptions,
    objective: Goal | None,
    costs: CostOptions,
    star: str,
) -> Modelled:
    """Read a table and build a model of what is asked of its release.

    Parameters
    ----------
    name
        The formulation.
    table, columns, asked, ranges, objective, costs, star
        As the options state them.

    Raises
    ------
    TableError
        Bad input, no such formulation, or one that does not take the problem.
    """
    if name not in EXPORTED:
        raise TableError(f"{name}: expected one of {', '.join(EXPORTED)}")
    ranged = ranges.numeric is not None or ranges.hierarchy is not None
    recoding: RecodingName = "generalization" if ranged else "suppression"
    if name in PUBLISHED_AS:
        recoding = "nonhomogeneous"
    default: Goal = "tuples" if name == "tuple_ilp" else "gcp" if ranged else "stars"
    kind = objective or default
    read = Spec(table, asked, columns, recoding, star, ranges, kind, costs).input()
    problem, origin = read.open()
    try:
        if name in METHODS:
            kinds = (problem.requirement, problem.objective, recoding)
            expect_support(METHODS[name], *kinds)
        made = builder(name)(problem.table, problem.requirement, problem.objective)
    except NotSupportedError as error:
        raise TableError(f"{name}: {error}") from None
    return Modelled(problem, origin, read.roles, made)
