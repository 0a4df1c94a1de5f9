"""starmin linkage: what several releases reveal together, and how to prevent it."""

import inspect
from collections.abc import Callable

import typer

from starmin.commands import linkage_attack, linkage_plans

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


_add("attack", linkage_attack.attack_command, linkage_attack.ATTACK_EXAMPLES)
_add("worst-case", linkage_attack.worst_case, linkage_attack.WORST_EXAMPLES)
_add("plan", linkage_plans.plan_command, linkage_plans.PLAN_EXAMPLES)
_add("simulate", linkage_plans.simulate_command, linkage_plans.SIMULATE_EXAMPLES)
