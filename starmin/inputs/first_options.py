"""Which options of a command its help shows first; the rest stands under "More"."""

import inspect
from collections.abc import Callable
from copy import copy
from typing import Annotated, Any, get_args

from typer.models import OptionInfo

FIRST = "First"
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
    option.rich_help_panel = FIRST if parameter.name in names else panel
    return parameter.replace(annotation=Annotated[kind, option, *told[1:]])
