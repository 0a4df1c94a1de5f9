"""Options of the command line, as the classes that they are for declare them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeVar

import typer

from starmin.inputs.by_column import ByColumn, FileName, Joined, Listed
from starmin.instances.arguments import Option

Group = TypeVar("Group")


def option(notation: str, said: str, panel: str | None = None, **more: Any) -> Any:
    """Return what typer is told of an option, which stands under ``panel`` in the help.

    ``notation`` is what the help shows: flags, if the name of the parameter is not the
    option's, and what stands for its value; ``more`` are arguments of ``typer.Option``.

    Examples
    --------
    >>> option("--time-limit SECONDS", "Of each run.", "Run", min=0).metavar
    'SECONDS'
    """
    words = notation.split()
    flags = [word for word in words if word.startswith("--")]
    shown = " ".join(words[len(flags) :]) or None
    make: Any = typer.Option
    return make(*flags, metavar=shown, help=said, rich_help_panel=panel, **more)


of_table = partial(option, panel="Table")
of_objective = partial(option, panel="Objective")
of_run = partial(option, panel="Run")
of_output = partial(option, panel="Output")
of_attacker = partial(option, panel="Attacker")


def argument(metavar: str, said: str) -> Any:
    """Return what typer is told of an argument, which has no default in the help."""
    return typer.Argument(metavar=metavar, help=said, show_default=False)


def with_options(
    options: Iterable[Option], panel: str
) -> Callable[[type[Group]], type[Group]]:
    """Make a class a group of options, one field for each of them.

    The help text has them under ``panel``.

    Examples
    --------
    >>> size = Option("k", int, "At least K rows.")
    >>> @with_options([size], "Requirement")
    ... class Sizes:
    ...     pass
    >>> vars(Sizes(k=5)), vars(Sizes())
    ({'k': 5}, {'k': None})
    """

    def declare(group: type[Group]) -> type[Group]:
        group.__annotations__ = {o.name: _parameter(o, panel) for o in options}
        for option in options:
            setattr(group, option.name, option.default)
        return dataclass(frozen=True)(group)

    return declare


def _parameter(each: Option, panel: str) -> Any:
    """Return the annotation of a command's parameter."""
    told = option(f"{each.flag} {each.metavar or ''}", each.help, panel)
    kind = each.type if each.default is not None else each.type | None
    mark: object = FileName() if each.is_file else None
    if each.role is not None:
        mark = ByColumn("role", (each.role,), single=True)
    elif each.key is not None:
        listed = each.key_type is bool
        mark = ByColumn(each.key, (True,) if listed else None, each.key_type)
    elif each.several:
        mark = Listed()
    elif each.joined:
        mark = Joined(each.joined)
    return Annotated[kind, told] if mark is None else Annotated[kind, told, mark]


# Options against attackers who know how releases are made.

PAD = Option(
    "pad",
    bool,
    "Hide a little more where the stars themselves give values away, as in a pair of "
    "rows of which only the sex is starred: one is a woman's, one a man's.",
    False,
)
MARGIN = Option(
    "margin",
    int,
    "Solve l + N for a promise of l: who knows how releases are made learns less. Keep "
    "N secret.",
    0,
    metavar="N",
    needs="l",
)
DECOYS = Option(
    "decoys",
    float,
    "Experimental: hide cells of so large a share of the distinct rows that need no "
    "hiding, drawn in secret.",
    0.0,
    metavar="SHARE",
    needs="l",
)
DEFENCES = (PAD, MARGIN, DECOYS)


@with_options(DEFENCES, "Defences (after the search; none is proof against attacks)")
class DefenceOptions:
    """What is hidden beyond what the requirement asks for."""
