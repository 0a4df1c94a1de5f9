"""A group of commands of which only the one that is called is imported."""

import sys
from typing import Any

import typer
import typer.core

from starmin.cli.commands import COMMANDS
from starmin.process.say import say

# Whether the process ends with the command, whatever threads are still at work.
leaves_at_once = False


class LazyGroup(typer.core.TyperGroup):
    """Lists commands by their summaries; loads the one that is called."""

    def resolve_command(
        self, ctx: Any, args: list[str]
    ) -> tuple[str | None, Any, list[str]]:
        """Return the command that the arguments name, and its own arguments."""
        name, listed, rest = super().resolve_command(ctx, args)
        if name is None:
            return name, listed, rest
        from starmin.registry.outside import register_installed

        register_installed()
        return name, COMMANDS[name].load(name), rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an interrupt ends its search."""
        from starmin.instances.loops import notice
        from starmin.instances.runs.workers.background_call import leave_calls
        from starmin.process.interrupts import hearing

        if leaves_at_once:
            leave_calls()
        notice.on_compile = _tell_of_compiling
        with hearing(command=True):
            code = super().invoke(ctx)
            sys.stdout.flush()
        return code


def add_commands(app: typer.Typer) -> None:
    """Add all commands to the app of a lazy group: a name and a summary of each."""
    for name, command in COMMANDS.items():
        app.command(name, help=command.summary)(_is_loaded_instead)


def _is_loaded_instead() -> None:
    """Stand for a command in the list of them."""


def _tell_of_compiling() -> None:
    """Say once what the user waits for."""
    from starmin.instances.loops import notice

    notice.on_compile = None
    say("compiles methods that were not called before; `starmin warm-up` compiles all")
