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

from starmin.inputs.declared import joined_by, of_output
from starmin.process.say import answers_alone, want_names


@dataclass(frozen=True)
class Command:
    """A command, which is imported when it is called: all of them take a second."""

    module: str  # its file in ``starmin.commands``
    summary: str  # the first sentence of its help, which stands in the list of commands
    alias_of: str = ""  # the command of which this is another name
    panel: str = "Compare, bound and prove"  # where the list of commands has it

    def load(self, name: str) -> Any:
        """Import it and return what the parser of the command line calls.

        That is the function called as its file; a module with ``app`` has several.
        """
        module = import_module(f"starmin.commands.{self.module}")
        several = getattr(module, "app", None)
        if several is not None:
            return typer.main.get_group(several)
        function = getattr(module, self.module.rpartition(".")[2])
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
    """Add a command to an app; its docstring and lines that call it are its help."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    if alias_of:
        paragraphs.insert(0, f"Run {alias_of}, of which this is another name.")
    app.command(
        name,
        cls=_Once,
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs),
        epilog="\n\n".join(("Examples:", *(f"$ {line}" for line in examples))),
    )(_as_called(function))


# What the help of a command shows first, by parameter, ten of them; ``--help all`` has
# the rest, too.
FIRST = (
    *("recipe", "qi", "sensitive", "drop", "k", "l", "recoding", "original"),
    *("model", "knows", "time_limit", "methods", "out", "report", "certificate"),
)
_SHOWN, _RANK = 10, {name: place for place, name in enumerate(FIRST)}
ALL = "all"


class _Once(typer.core.TyperCommand):
    """Refuses what has one value and is given another; its help has two levels."""

    _explains_all = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options, each of one value once."""
        given = [*args]
        for at, word in enumerate(args[:-1]):
            if word in ctx.help_option_names and args[at + 1] == ALL:
                self._explains_all = True
                given = args = args[: at + 1]
                break
        rest = super().parse_args(ctx, args)
        _, _, named = self.make_parser(ctx).parse_args(given)
        options = Counter(o for o in named if isinstance(o, typer.core.TyperOption))
        for option, times in options.items():
            if times > 1 and not option.multiple and not option.is_flag:
                ctx.fail(f"{option.opts[0]}: given {times} times; it has one value")
        return rest

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write ten options and the examples, or all options in their panels."""
        options = [o for o in self.params if isinstance(o, typer.core.TyperOption)]
        if not self._explains_all and len(options) > _SHOWN:
            options.sort(key=lambda o: (not o.required, _RANK.get(o.name or "", 99)))
            for option in options[_SHOWN:]:
                option.hidden = True
            for option in options[:_SHOWN]:
                option.rich_help_panel = None
            others = [each for each in self.params if each not in options]
            self.params = [*others, *options]
            many = len(options) - _SHOWN
            self.epilog = f"{self.epilog}\n\n{many} more options: "
            self.epilog += f"{ctx.command_path} --help all"
        super().format_help(ctx, formatter)


def _as_called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what the parser calls for a command, whose stdout is kept for the answer.

    Lists are joined where an option is given several times: other parsers keep what was
    given last and say nothing. Where one searches, methods are named if asked.
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
    beside = declared.parameters.get("quiet")
    if beside is not None and "time_limit" in declared.parameters:
        says = "Name methods and steps of the search in lines for people."
        named = Annotated[bool, of_output("--verbose", says, callback=want_names)]
        parameters.append(beside.replace(name="verbose", annotation=named))

    @wraps(function)
    def command(*given: Any, **options: Any) -> Any:
        options.pop("verbose", None)
        for name in between.keys() & options.keys():
            if options[name] is not None:
                options[name] = between[name].join(filter(None, options[name]))
        with answers_alone():
            return function(*given, **options)

    vars(command)["__signature__"] = declared.replace(parameters=parameters)
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


# What the list says of each, by panel.
_LISTED = {
    "Publish a table": {
        "new": "Propose a settings file for a table, with comments, for solve "
        "--recipe.",
        "risk": "Measure who can be found in a table, before anything is hidden.",
        "publish": "Check, solve, verify, audit and report, with one settings file.",
        "page": "Go from a table to a release in a browser, step by step.",
        "solve": "Make a table safe to publish, and hide as little as possible.",
        "frontier": "Show what more privacy costs: loss and proven bound for each "
        "requirement.",
        "verify": "Check a release, whoever made it, from its cells alone.",
        "audit": "Infer what a release tells an attacker who knows how it was made.",
        "hierarchy": "Build the taxonomy of a column from its values, show it, and "
        "write it.",
        "linkage": "What several releases reveal together: attack them, know the worst "
        "case, plan releases that withstand linking, publish and simulate them.",
    },
    "Compare, bound and prove": {
        "bound": "Bound the cost of every release of a table from below.",
        "gap": "Measure the gaps between methods, and between each of them and the "
        "best bound.",
        "submit": "Verify a release, and say whether it beats the best known value of "
        "a problem.",
        "reproduce": "Make a table or figure of a paper again, beside the paper's own "
        "numbers.",
        "accuracy-constrained": "Find the most privacy under a bound on what each "
        "group loses.",
        "dual": "Run accuracy-constrained, of which this is another name.",
        "reduce": "Build the table of a reduction and state its threshold.",
        "lift": "Map a release back: to a vertex cover, a matching, or parts of a "
        "graph.",
        "export": "Write a formulation as a file that other solvers read.",
        "import": "Publish what a solver found for a model of `starmin export`.",
    },
    "Look up and maintain": {
        "check": "Check the certificate of a bound by one file without numpy and "
        "solvers.",
        "methods": "List all methods: what each takes, what it guarantees, and how far "
        "it gets.",
        "instances": "List the instances that come with starmin, or write one.",
        "warm-up": "Compile the methods once, after an installation or an update.",
    },
}
_ALIASES = {"dual": "accuracy-constrained"}
# Of those whose file is called otherwise, or lies in a folder.
_MODULES = {
    "linkage": "linkage.linkage",
    "reduce": "exchange.reduce",
    "lift": "exchange.lift",
    "export": "exchange.export_model",
    "import": "exchange.import_solution",
}


def _listed(name: str, summary: str, panel: str) -> Command:
    alias_of = _ALIASES.get(name, "")
    module = _MODULES.get(name) or (alias_of or name).replace("-", "_")
    return Command(module, summary, alias_of, panel)


COMMANDS = {
    name: _listed(name, summary, panel)
    for panel, summaries in _LISTED.items()
    for name, summary in summaries.items()
}
