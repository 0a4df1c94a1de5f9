"""The commands as they are declared: arguments and options with their help."""

from collections.abc import Iterator
from typing import Any

from typer.core import TyperGroup

from starmin.cli.commands import COMMANDS


def declared() -> Iterator[tuple[str, Any]]:
    """Yield all commands, those within others too: what one types, and the parser."""
    for name, command in COMMANDS.items():
        yield from _within(f"starmin {name}", command.load(name))


def _within(line: str, parser: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(parser, TyperGroup):
        for name, inner in parser.commands.items():
            yield from _within(f"{line} {name}", inner)
    else:
        yield line, parser


def texts(parser: Any) -> Iterator[str]:
    """Yield the help of a command, and that of its arguments and options."""
    yield " ".join((parser.help or "").split())
    for each in parser.params:
        yield " ".join((getattr(each, "help", None) or "").split())
