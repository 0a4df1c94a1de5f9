"""starmin linkage: what several releases reveal together, and how to prevent it."""

import typer

from starmin.cli.commands import add_command
from starmin.commands.linkage import attack, plan_commands, publish

app = typer.Typer(
    help="What several releases reveal together: attack them, know the worst case, "
    "plan releases that withstand linking, publish and simulate them.",
)

add_command(app, "attack", attack.attack_command, attack.ATTACK_EXAMPLES)
add_command(app, "worst-case", attack.worst_case, attack.WORST_EXAMPLES)
add_command(app, "plan", plan_commands.plan_command, plan_commands.PLAN_EXAMPLES)
add_command(app, "publish", publish.publish_command, publish.PUBLISH_EXAMPLES)
add_command(
    app, "simulate", plan_commands.simulate_command, plan_commands.SIMULATE_EXAMPLES
)
