"""starmin linkage: what several releases reveal together, and how to prevent it."""

import inspect
from collections.abc import Callable

import typer

from starmin.commands.linkage import attack, plans

app = typer.Typer(
    help="What several releases reveal together: attack them, know the worst case, "
    "plan releases that withstand linking, simulate them.",
)


def _add(name: str, command: Callable[..., int], examples: tuple[str, ...]) -> None:
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    app.command(
        name,
        help="\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs),
        epilog="\n\n".join(("Examples:", *(f"$ {line}" for line in examples))),
    )(command)


_add("attack", attack.attack_command, attack.ATTACK_EXAMPLES)
_add("worst-case", attack.worst_case, attack.WORST_EXAMPLES)
_add("plan", plans.plan_command, plans.PLAN_EXAMPLES)
_add("simulate", plans.simulate_command, plans.SIMULATE_EXAMPLES)
