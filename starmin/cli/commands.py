"""The commands: where each is found, and what the list of them says of it."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any

import typer

from starmin.process.say import answers_alone


@dataclass(frozen=True)
class Command:
    """A command, which is imported when it is called: all of them take a second.

    Attributes
    ----------
    module
        Its file in ``starmin.commands``.
    summary
        The first sentence of its help, which stands in the list of commands.
    function
        What it calls; default: named as the file. A module with ``app`` has several
        commands.
    alias_of
        The command of which this is another name.
    """

    module: str
    summary: str
    function: str = ""
    alias_of: str = ""

    def load(self, name: str) -> Any:
        """Import it and return what the parser of the command line calls."""
        module = import_module(f"starmin.commands.{self.module}")
        several = getattr(module, "app", None)
        if several is not None:
            return typer.main.get_group(several)
        function = getattr(module, self.function or self.module.rpartition(".")[2])
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        add_command(alone, name, function, module.EXAMPLES, self.alias_of)
        return typer.main.get_command(alone)


def add_command(
    app: typer.Typer,
    name: str,
    function: Callable[..., Any],
    examples: Iterable[str],
    alias_of: str = "",
) -> None:
    """Add a command to an app, with its docstring and examples as its help.

    Parameters
    ----------
    app
        To which it is added.
    name, function, examples
        The command: its name, what it calls, and lines that call it.
    alias_of
        The command of which this is another name.
    """
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    if alias_of:
        paragraphs.insert(0, f"Run {alias_of}, of which this is another name.")
    app.command(
        name,
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs),
        epilog="\n\n".join(("Examples:", *(f"$ {line}" for line in examples))),
    )(_answering(function))


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that keeps stdout for its answer."""

    @wraps(function)
    def command(*given: Any, **options: Any) -> Any:
        with answers_alone():
            return function(*given, **options)

    return command


COMMANDS = {
    "solve": Command("solve", "Anonymize a table with the fewest stars."),
    "bound": Command("bound", "Bound the cost of every release of a table from below."),
    "frontier": Command(
        "frontier",
        "Show what more privacy costs: loss and proven bound for each requirement.",
    ),
    "gap": Command(
        "gap",
        "Measure the gaps between methods, and between each of them and the best "
        "bound.",
    ),
    "submit": Command(
        "submit",
        "Verify a release, and say whether it beats the best known value of a problem.",
    ),
    "accuracy-constrained": Command(
        "accuracy_constrained",
        "Find the most privacy under a bound on what each group loses.",
    ),
    "dual": Command(
        "accuracy_constrained",
        "Run accuracy-constrained, of which this is another name.",
        alias_of="accuracy-constrained",
    ),
    "hierarchy": Command(
        "hierarchy",
        "Build the taxonomy of a column from its values, show it, and write it.",
    ),
    "verify": Command(
        "verify", "Check a release, whoever made it, from its cells alone."
    ),
    "risk": Command(
        "risk", "Measure who can be found in a table, before anything is hidden."
    ),
    "new": Command(
        "new", "Propose a settings file for a table, with comments, for solve --recipe."
    ),
    "audit": Command(
        "audit",
        "Infer what a release tells an attacker who knows how it was made.",
    ),
    "check": Command(
        "check",
        "Check the certificate of a bound by one file without numpy and solvers.",
    ),
    "reduce": Command(
        "reductions.reduce", "Build the table of a reduction and state its threshold."
    ),
    "lift": Command(
        "reductions.lift",
        "Map a release back: to a vertex cover, a matching, or parts of a graph.",
    ),
    "export": Command(
        "exchange.export_model",
        "Write a formulation as a file that other solvers read.",
    ),
    "import": Command(
        "exchange.import_solution",
        "Publish what a solver found for a model of `starmin export`.",
    ),
    "methods": Command(
        "methods",
        "List all methods: what each takes, what it guarantees, and how far it gets.",
    ),
    "warm-up": Command(
        "warm_up",
        "Compile the methods once, after an installation or an update.",
        "warm",
    ),
    "linkage": Command(
        "linkage.linkage",
        "What several releases reveal together: attack them, know the worst case, "
        "plan releases that withstand linking, publish and simulate them.",
    ),
    "instances": Command(
        "instances", "List the instances that come with starmin, or write one."
    ),
}
