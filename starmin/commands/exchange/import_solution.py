"""starmin import: a release from what another solver found."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from starmin.auto.dispatch import signed
from starmin.commands.exchange import export_model
from starmin.inputs import options
from starmin.inputs.declared import argument, of_output
from starmin.inputs.notices import warn_disclosure
from starmin.inputs.option_groups import with_groups
from starmin.instances import Limit, Result, Run, TableError
from starmin.models.exchange.named_model import read_solution
from starmin.outputs.files import Outputs, row_order
from starmin.outputs.recodings import companions
from starmin.outputs.summary import Summary
from starmin.process.faults import BUG
from starmin.process.say import show_lines
from starmin.process.steps import Steps

EXAMPLES = (
    "starmin import pattern_ilp model.sol instance:murakami-uno --k 2 --out r.csv",
)


@with_groups
def import_solution(
    model: export_model.ModelArg,
    solution: Annotated[
        Path,
        argument(
            "SOLUTION",
            "What a solver found: a file of HiGHS, CBC, SCIP, Gurobi or CPLEX.",
        ),
    ],
    table: options.TableArg,
    *,
    told: export_model.ModelOptions,
    out: Annotated[
        Path | None,
        of_output("--out FILE", "The release; default: it is only counted."),
    ] = None,
    shuffle: Annotated[
        bool, of_output("--shuffle", "Publish rows in a random order.")
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Publish what a solver found for a model of `starmin export`.

    Table and options are those of the export. The release is checked and its cost is
    recounted from its cells: nothing is taken on the solver's word, so that it has no
    bound.
    """
    made = export_model.modelled(model, table, told)
    problem = made.problem
    outputs = Outputs(out, beside=companions(problem.coding, out))
    outputs.check(table, str(solution))
    found = _found(solution, model, made)
    with Steps() as steps:
        summary = Summary.of(problem, made.origin, found, out)
        if summary.release is not None and out is not None:
            order = row_order(problem.table.n, shuffle, None)
            roles = replace(made.roles, beside=made.origin.beside)
            saved = outputs.publish(summary.release, order, roles, steps)
            summary = replace(summary, out=saved)
            with steps.step("warnings"):
                warn_disclosure(summary.disclosure)
        with steps.step("the summary", passing=(OSError,)):
            summary.show(steps.wrote, as_json)
            if not as_json:
                words = ("bound", table, *made.spec.words("star"))
                proof = f"starmin {shlex.join(words)} proves how near it is"
                show_lines([("next", proof)])
    return BUG if steps.failed else 0


def _found(solution: Path, name: str, made: export_model.Modelled) -> Result[Any]:
    """Return the release that a solution stands for, recounted.

    Raises TableError where it is no release that meets the requirement.
    """
    problem, model = made.problem, made.model
    point = model.point(read_solution(solution, model.columns))
    if not model.program.holds(point):
        raise TableError(
            f"{solution}: breaks a row or a bound of {name}; were table and options "
            "those of the export?"
        )
    run = Run[Any](*problem.asked)
    try:
        run.offer(model.release(point))
    except (ValueError, ArithmeticError) as error:
        raise TableError(f"{solution}: is no release ({error})") from None
    return signed(replace(run.result(Limit.TIME), limit=None), f"{name}, imported")
