"""Options of the command line, as the classes that they are for declare them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer

from starmin.inputs.by_column import ByColumn, FileName, Joined, Listed
from starmin.instances.arguments import Option

Group = TypeVar("Group")


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


def _parameter(option: Option, panel: str) -> Any:
    """Return the annotation of a command's parameter."""
    told = typer.Option(
        option.flag, metavar=option.metavar, help=option.help, rich_help_panel=panel
    )
    kind = option.type if option.default is not None else option.type | None
    if option.role is not None:
        return Annotated[kind, told, ByColumn("role", (option.role,), single=True)]
    if option.key is not None:
        listed = option.key_type is bool
        mark = ByColumn(option.key, (True,) if listed else None, option.key_type)
        return Annotated[kind, told, mark]
    if option.several:
        return Annotated[kind, told, Listed()]
    if option.joined:
        return Annotated[kind, told, Joined(option.joined)]
    return (
        Annotated[kind, told, FileName()] if option.is_file else Annotated[kind, told]
    )


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
