"""starmin export: a model as a file for other solvers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from starmin.auto.dispatch import expect_support
from starmin.inputs import option_groups, options
from starmin.inputs.declared import argument, of_output, option
from starmin.inputs.loading import Origin
from starmin.inputs.option_groups import with_groups
from starmin.inputs.roles import Roles
from starmin.inputs.spec import Spec
from starmin.instances import NotSupportedError, Problem, TableError, check_writable
from starmin.instances.releases.coding import RecodingName
from starmin.models.exchange import EXPORTED, PUBLISHED_AS, builder
from starmin.models.exchange.named_model import NamedModel, write_model
from starmin.process.say import answer
from starmin.registry import METHODS

# The problem that a model is built of, as the two commands name it.

Goal = Literal["stars", "tuples", "gcp"]
ModelArg = Annotated[str, argument("MODEL", f"The formulation: {', '.join(EXPORTED)}.")]


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """What is asked of the release that a model is of."""

    columns: option_groups.ColumnOptions
    asked: option_groups.RequirementOptions
    ranges: option_groups.GeneralizationOptions
    objective: Annotated[
        Goal | None,
        option(
            "--objective",
            "stars, tuples or gcp; default: what the model is for.",
            "Goal",
        ),
    ] = None
    costs: option_groups.CostOptions
    star: options.Star = "*"


class Modelled(NamedTuple):
    """A problem, the model of it, and how the file of its table is to be read."""

    problem: Problem
    origin: Origin
    roles: Roles
    model: NamedModel
    spec: Spec


def modelled(name: str, table: str, told: ModelOptions) -> Modelled:
    """Read a table and build the model called ``name`` of what is asked of its release.

    Raises TableError for bad input, no such formulation, or one that does not take the
    problem.
    """
    if name not in EXPORTED:
        raise TableError(f"{name}: expected one of {', '.join(EXPORTED)}")
    ranged = told.ranges.numeric is not None or told.ranges.hierarchy is not None
    recoding: RecodingName = "generalization" if ranged else "suppression"
    if name in PUBLISHED_AS:
        recoding = "nonhomogeneous"
    default: Goal = "tuples" if name == "tuple_ilp" else "gcp" if ranged else "stars"
    given = {**vars(told), "objective": told.objective or default}
    spec = Spec(table, recoding=recoding, **given)
    read = spec.input()
    problem, origin = read.open()
    try:
        if name in METHODS:
            kinds = (problem.requirement, problem.objective, recoding)
            expect_support(METHODS[name], *kinds)
        made = builder(name)(*problem.asked)
    except NotSupportedError as error:
        raise TableError(f"{name}: {error}") from None
    return Modelled(problem, origin, read.roles, made, spec)


EXAMPLES = (
    "starmin export pattern_ilp instance:murakami-uno --k 2 --out model.mps",
    "starmin export tuple_ilp instance:hospital --l 2 --out model.lp",
)


@with_groups
def export_model(
    model: ModelArg,
    table: options.TableArg,
    out: Annotated[Path, of_output("--out FILE", "The model: a file .lp or .mps.")],
    *,
    told: ModelOptions,
    quiet: options.Quiet = False,
) -> int:
    """Write a formulation as a file that other solvers read.

    Names say what a column is, and remarks at the top of the file what a name stands
    for. `starmin import` makes a release of what a solver finds. The file has cells of
    the original: keep it with that.
    """
    check_writable(out)
    made = modelled(model, table, told)
    write_model(made.model, out)
    program = made.model.program
    entries = sum(len(block.value) for block in program.rows)
    answer(
        f"model     {model}: {len(program.cost):,} columns, "
        f"{len(made.model.rows):,} rows, {entries:,} entries"
    )
    answer(f"wrote     {out}")
    return 0
