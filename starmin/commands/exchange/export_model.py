"""starmin export: a model as a file for other solvers."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from starmin.commands.exchange.modelled import ModelArg, modelled
from starmin.inputs import options
from starmin.inputs.option_groups import (
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
    with_groups,
)
from starmin.instances import check_writable
from starmin.models.exchange.named_model import write_model
from starmin.process.say import answer

EXAMPLES = (
    "starmin export pattern_ilp instance:murakami-uno --k 2 --out model.mps",
    "starmin export tuple_ilp instance:hospital --l 2 --out model.lp",
)

ModelOut = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FILE",
        help="The model: a file .lp or .mps.",
        rich_help_panel="Output",
    ),
]
AnyObjective = Annotated[
    Literal["stars", "tuples", "gcp"] | None,
    typer.Option(
        "--objective",
        help="stars, tuples or gcp; default: what the model is for.",
        rich_help_panel="Goal",
    ),
]


@with_groups
def export_model(
    model: ModelArg,
    table: options.TableArg,
    out: ModelOut,
    *,
    columns: ColumnOptions,
    asked: RequirementOptions,
    ranges: GeneralizationOptions,
    objective: AnyObjective = None,
    costs: CostOptions,
    star: options.Star = "*",
    quiet: options.Quiet = False,
) -> int:
    """Write a formulation as a file that other solvers read.

    Names say what a column is, and remarks at the top of the file what a name stands
    for. `starmin import` makes a release of what a solver finds. The file has cells of
    the original: keep it with that.
    """
    check_writable(out)
    made = modelled(model, table, columns, asked, ranges, objective, costs, star)
    write_model(made.model, out)
    program = made.model.program
    entries = sum(len(block.value) for block in program.rows)
    answer(
        f"model     {model}: {len(program.cost):,} columns, "
        f"{len(made.model.rows):,} rows, {entries:,} entries"
    )
    answer(f"wrote     {out}")
    return 0
