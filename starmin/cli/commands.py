"""The commands: where each is found, and what the list of them says of it."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, get_args

import typer
import typer.core

from starmin.inputs.by_column import joined_by
from starmin.process.say import answers_alone, want_names


@dataclass(frozen=True)
class Command:
    """A command, which is imported when it is called: all of them take a second."""

    module: str  # its file in ``starmin.commands``
    summary: str  # the first sentence of its help, which stands in the list of commands
    # what it calls; default: named as the file. A module with ``app`` has several
    # commands.
    function: str = ""
    alias_of: str = ""  # the command of which this is another name

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

    Examples are lines that call it; ``alias_of`` is the command of which this is
    another name.
    """
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    if alias_of:
        paragraphs.insert(0, f"Run {alias_of}, of which this is another name.")
    app.command(
        name,
        cls=_Once,
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs),
        epilog="\n\n".join(("Examples:", *(f"$ {line}" for line in examples))),
    )(_answering(_joining(function)))


class _Once(typer.core.TyperCommand):
    """A command that refuses what has one value and is given another."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options, each of one value once."""
        given = [*args]
        rest = super().parse_args(ctx, args)
        _, _, named = self.make_parser(ctx).parse_args(given)
        options = Counter(o for o in named if isinstance(o, typer.core.TyperOption))
        for option, times in options.items():
            if times > 1 and not option.multiple and not option.is_flag:
                ctx.fail(f"{option.opts[0]}: given {times} times; it has one value")
        return rest


def _joining(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command whose lists are joined where an option is given several times.

    Other parsers keep what was given last and say nothing.
    """
    declared = inspect.signature(function, eval_str=True)
    between, parameters = dict[str, str](), list[inspect.Parameter]()
    for name, each in declared.parameters.items():
        kind, *told = get_args(each.annotation) or (None,)
        sign = joined_by(told)
        if sign is not None and str in (kind, *get_args(kind)):
            between[name] = sign
            several = Annotated[list[str] | None, *told]
            default = each.default if each.default is None else [each.default]
            each = each.replace(annotation=several, default=default)
        parameters.append(each)

    @wraps(function)
    def command(*given: Any, **options: Any) -> Any:
        for name in between.keys() & options.keys():
            if options[name] is not None:
                options[name] = between[name].join(filter(None, options[name]))
        return function(*given, **options)

    vars(command)["__signature__"] = declared.replace(parameters=parameters)
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep stdout for the answer; name methods if asked, where one searches."""

    @wraps(function)
    def command(*given: Any, **options: Any) -> Any:
        options.pop("verbose", None)
        with answers_alone():
            return function(*given, **options)

    declared = inspect.signature(function, eval_str=True)
    beside = declared.parameters.get("quiet")
    if beside is None or "time_limit" not in declared.parameters:
        return command
    option = typer.Option(
        "--verbose",
        callback=want_names,
        help="Name methods and steps of the search in lines for people.",
        rich_help_panel=get_args(beside.annotation)[1].rich_help_panel,
    )
    verbose = beside.replace(name="verbose", annotation=Annotated[bool, option])
    both = [*declared.parameters.values(), verbose]
    vars(command)["__signature__"] = declared.replace(parameters=both)
    command.__annotations__ = {each.name: each.annotation for each in both}
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
    "page": Command("page", "Go from a table to a release in a browser, step by step."),
    "audit": Command(
        "audit", "Infer what a release tells an attacker who knows how it was made."
    ),
    "check": Command(
        "check",
        "Check the certificate of a bound by one file without numpy and solvers.",
    ),
    "reduce": Command(
        "exchange.reduce", "Build the table of a reduction and state its threshold."
    ),
    "lift": Command(
        "exchange.lift",
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
    "reproduce": Command(
        "reproduce",
        "Make a table or figure of a paper again, beside the paper's own numbers.",
    ),
    "instances": Command(
        "instances", "List the instances that come with starmin, or write one."
    ),
}
