"""starmin methods: the registry, one method of it, or the schedule of ``auto``."""

import json
from typing import Annotated

import typer

from starmin.auto.describe import describe, describe_fully, page, schedule_as_markdown
from starmin.inputs import options
from starmin.instances import NotSupportedError
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.method import Method
from starmin.process.say import answer, show_table
from starmin.registry import METHODS, of_any_family

EXAMPLES = (
    "starmin methods",
    "starmin methods --json",
    "starmin methods lagrangian",
    "starmin methods --auto",
)

HEADER = (
    *("method", "kind", "of", "requires", "minimises"),
    *("guarantee", "finishes up to"),
)

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        help="A method, or its former name: show its docstring, what it takes and "
        "where it is.",
        show_default=False,
    ),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="As a table in Markdown.")]
Auto = Annotated[
    bool,
    typer.Option("--auto", help="The turns that methods have under auto, as Markdown."),
]


def methods(
    name: Name = None,
    as_json: options.Json = False,
    markdown: Markdown = False,
    auto: Auto = False,
    quiet: options.Quiet = False,
) -> int:
    """List all methods: what each takes, what it guarantees, and how far it gets.

    With a name: all there is to say of that method.
    """
    if sum((name is not None or as_json, markdown, auto)) > 1:
        raise NotSupportedError(
            "Expected one of --markdown, --auto, or NAME and --json, got several."
        )
    if auto:
        answer(schedule_as_markdown())
    elif markdown:
        answer(as_markdown())
    elif name is not None:
        method = of_any_family(name)
        answer(json.dumps(describe_fully(method)) if as_json else page(method))
    elif as_json:
        answer(json.dumps([describe(method) for method in METHODS.values()]))
    else:
        show_table(HEADER, [cells(method) for method in METHODS.values()])
    return 0


def as_markdown() -> str:
    """Write the table of all methods in Markdown."""
    rows = [HEADER, tuple("---" for _ in HEADER), *map(cells, METHODS.values())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _found(method: Method) -> str:
    """Return what a method finds or bounds."""
    if method.space == MASK:
        return "stars by row"
    return (
        "groups" if "suppression" in method.recodings else ", ".join(method.recodings)
    )


def cells(method: Method) -> tuple[str, ...]:
    """Return the line of a method in the table."""
    return (
        method.name,
        method.kind,
        _found(method),
        ", ".join(method.requirements),
        ", ".join(method.objectives),
        method.guarantee,
        method.reach,
    )
