"""starmin methods: the registry."""

import json
from typing import Annotated, Any

import typer

from instances.runs.method import Method
from starmin.inputs import options
from starmin.outputs.summary import show_table
from starmin.registry.methods import METHODS

EXAMPLES = ("starmin methods", "starmin methods --json")

HEADER = ("method", "kind", "of", "requires", "minimises", "guarantee", "reach")

Markdown = Annotated[
    bool,
    typer.Option("--markdown", help="As the table in the README."),
]


def methods(
    as_json: options.Json = False,
    markdown: Markdown = False,
    quiet: options.Quiet = False,
) -> int:
    """List all methods: what each takes, what it guarantees, and how far it gets."""
    if as_json:
        print(json.dumps([describe(method) for method in METHODS.values()]))
    elif markdown:
        print(as_markdown())
    else:
        show_table(HEADER, [cells(method) for method in METHODS.values()])
    return 0


def describe(method: Method) -> dict[str, Any]:
    """A method as JSON states it."""
    return {
        "name": method.name,
        "kind": method.kind,
        "requirements": list(method.requirements),
        "objectives": list(method.objectives),
        "recodings": list(method.recodings),
        "guarantee": method.guarantee,
        "reach": method.reach,
        "source": method.source,
    }


def as_markdown() -> str:
    """The table of the README."""
    rows = [HEADER, tuple("---" for _ in HEADER), *map(cells, METHODS.values())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cells(method: Method) -> tuple[str, ...]:
    """Its line of the table."""
    return (
        method.name,
        method.kind,
        "groups" if "suppression" in method.recodings else ", ".join(method.recodings),
        ", ".join(method.requirements),
        ", ".join(method.objectives),
        method.guarantee,
        method.reach,
    )
