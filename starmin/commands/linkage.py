"""starmin linkage: what several releases reveal together, and how to prevent it."""

import typer

from starmin.cli.commands import add_command
from starmin.commands import linkage_attack, linkage_plans

app = typer.Typer(
    help="What several releases reveal together: attack them, know the worst case, "
    "plan releases that withstand linking, simulate them.",
)

add_command(
    app, "attack", linkage_attack.attack_command, linkage_attack.ATTACK_EXAMPLES
)
add_command(app, "worst-case", linkage_attack.worst_case, linkage_attack.WORST_EXAMPLES)
add_command(app, "plan", linkage_plans.plan_command, linkage_plans.PLAN_EXAMPLES)
add_command(
    app, "simulate", linkage_plans.simulate_command, linkage_plans.SIMULATE_EXAMPLES
)
