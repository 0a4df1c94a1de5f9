"""starmin solve: anonymize a table."""

import inspect
from collections.abc import Callable
from copy import copy
from typing import Annotated, Any, get_args

from typer.models import OptionInfo

from starmin.inputs import options
from starmin.inputs.declared import DefenceOptions
from starmin.inputs.option_groups import (
    BatchOptions,
    ColumnOptions,
    CostOptions,
    GeneralizationOptions,
    RequirementOptions,
    with_groups,
)
from starmin.inputs.solve_options import OutputOptions, PublishOptions, SearchOptions
from starmin.recipes.by_recipe import by_recipe

# Which options of a command its help shows first; the rest stands under "More".

_PANEL = "First"
MORE = "More"


def first(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Have the help of a command show these options first.

    They are named as parameters of the command. The panels of all other options, as
    *Run*, become *More: run*.

    Examples
    --------
    >>> import typer
    >>> Size = Annotated[int, typer.Option(rich_help_panel="Requirement")]
    >>> Seed = Annotated[int, typer.Option(rich_help_panel="Run")]
    >>> @first("k")
    ... def solve(*, seed: Seed = 0, k: Size = 2) -> int:
    ...     return k
    >>> for each in inspect.signature(solve).parameters.values():
    ...     print(each.name, get_args(each.annotation)[1].rich_help_panel)
    k First
    seed More: run
    """

    def arrange(command: Callable[..., int]) -> Callable[..., int]:
        declared = inspect.signature(command, eval_str=True)
        parameters = [_placed(each, names) for each in declared.parameters.values()]
        # Panels come in the order of their first options.
        parameters.sort(key=lambda p: (p.kind, p.name not in names))
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        vars(command)["__signature__"] = declared.replace(parameters=parameters)
        return command

    return arrange


def _placed(parameter: inspect.Parameter, names: tuple[str, ...]) -> inspect.Parameter:
    """Return a parameter with its option in the panel where it belongs."""
    kind, *told = get_args(parameter.annotation) or (parameter.annotation,)
    if not told or not isinstance(told[0], OptionInfo):
        return parameter
    option: Any = copy(told[0])  # other commands share the option
    panel = f"{MORE}: {(option.rich_help_panel or 'other').lower()}"
    option.rich_help_panel = _PANEL if parameter.name in names else panel
    return parameter.replace(annotation=Annotated[kind, option, *told[1:]])


FIRST = (
    *("qi", "sensitive", "drop", "k", "l", "recoding"),
    *("time_limit", "out", "certificate", "report"),
)
EXAMPLES = (
    "starmin solve instance:hospital --l 2 --out hospital.l2.csv",
    "starmin solve instance:murakami-uno --k 2 --json",
    "starmin solve instance:hospital --l 2 --report hospital.l2.html",
    "starmin solve instance:murakami-uno --k 2 --recoding generalization",
    "starmin solve instance:murakami-uno --k 2 --recoding nonhomogeneous",
)


@first(*FIRST)
@by_recipe()
@with_groups
def solve(
    table: options.TableArg,
    *,
    recipe: options.RecipeFile = None,
    columns: ColumnOptions,
    asked: RequirementOptions,
    shape: PublishOptions,
    ranges: GeneralizationOptions,
    costs: CostOptions,
    defences: DefenceOptions,
    how: SearchOptions,
    batches: BatchOptions,
    files_out: OutputOptions,
    progress: options.ProgressForm = "lines",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Anonymize a table with the fewest stars.

    Rows are put into groups that satisfy the requirement; where the rows of a group
    differ, a star is published, or a range or category that covers them
    (generalization); or else cells stay, and sensitive values are published by group
    (permutation). Or each row has stars of its own, such that there are k perfect
    matchings without a common pair between the rows of the table and the released ones:
    k equally plausible people for each row (nonhomogeneous, k alone). Says how many
    stars that takes, or what loss, and how little any release needs at least.
    """
    question = locals()
    # --help needs none of it.
    from starmin.commands.solve_request import SolveRequest, search_and_publish

    return search_and_publish(solve, SolveRequest(**question))
