"""starmin linkage: what several releases reveal together, and how to prevent it."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from starmin.cli.commands import add_command
from starmin.commands.linkage import attack, plan_commands
from starmin.commands.linkage.distribution import FileOptions
from starmin.inputs import options
from starmin.inputs.by_column import Listed
from starmin.inputs.loading import load_table
from starmin.inputs.option_groups import with_groups
from starmin.instances import TableError, check_format, check_star, check_writable
from starmin.instances.tables.names import split_names
from starmin.models.linkage import BroadcastClasses, publish_broadcast
from starmin.process.say import answer, show_lines
from starmin.verify.linkage import BroadcastCheck, check_broadcast

# starmin linkage publish: a table under classes that all owners share.

PUBLISH_EXAMPLES = (
    "starmin linkage plan instance:hospital --qi age --l 2 --eps 0.5 "
    "--gamma 0.1 --out classes.csv",
    "starmin linkage publish instance:hospital --qi age --l 2 "
    "--classes classes.csv --out published.csv",
)

TableArg = Annotated[
    str,
    typer.Argument(metavar="TABLE", help="The rows to publish.", show_default=False),
]
Classes = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help="The announced classes, as plan writes them, the class last.",
        rich_help_panel="Plan",
    ),
]
L = Annotated[
    int,
    typer.Option(
        "--l", min=1, help="Values that every class must show.", rich_help_panel="Plan"
    ),
]
Samples = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Rows to wait for, as plan says.",
        rich_help_panel="Plan",
    ),
]
Numeric = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,..",
        help="Quasi-identifiers of numbers: published as low-high; others as a star.",
        rich_help_panel="Plan",
    ),
    Listed(),
]
Out = Annotated[
    Path,
    typer.Option(
        metavar="FILE", help="Where to write the release.", rich_help_panel="Output"
    ),
]


@with_groups
def publish_command(
    table: TableArg,
    *,
    classes: Classes,
    l: L,
    out: Out,
    samples: Samples = None,
    columns: FileOptions,
    numeric: Numeric = None,
    star: options.Star = "*",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Publish a table under announced classes, and check the release.

    Only the class, the cells that stand for it, and the sensitive value are published.
    Exit code 1, and nothing is written, where the table has fewer than --samples
    rows or some class shows fewer than l values.
    """
    check_format(out)
    check_writable(out)
    roles = columns.roles.of_file(table)
    people = load_table(table, roles)
    if len(people.sensitive) != 1:
        raise TableError(f"{people.name}: expected one sensitive column; name it")
    check_star(people, star)
    announced = load_table(classes, roles.reading)
    shared = BroadcastClasses.from_table(announced)
    # What the theorems promise is of class and sensitive value alone.
    left_out = [c for c in people.other if c not in shared.qi]
    people = people.drop(left_out)
    numbers = split_names(numeric or "", "--numeric")
    if unknown := [column for column in numbers if column not in shared.qi]:
        raise TableError(f"--numeric: {unknown[0]!r} is not a quasi-identifier")
    published = publish_broadcast(people, shared, numbers, star)
    found = check_broadcast(published, people, announced, l, star)
    if found.why is not None:
        raise TableError(f"{people.name}: the release is not as announced: {found.why}")
    enough = samples is None or people.n >= samples
    holds = enough and found.holds
    if holds:
        roles.write(published, out)
    content = {
        "table": table, "rows": people.n, "samples": samples, "l": l, "holds": holds,
        "classes": found.classes, "least": found.least, "failing": list(found.failing),
        "left_out": left_out,
        "out": str(out) if holds else None,
    }  # fmt: skip
    if as_json:
        answer(json.dumps(content))
    else:
        show_lines(_lines(content, found))
    return int(not holds)


def _lines(content: dict[str, Any], found: BroadcastCheck) -> list[tuple[str, str]]:
    """Return what was published, to be read by people."""
    rows, samples = content["rows"], content["samples"]
    lines = [("rows", f"{rows:,}")]
    if samples is not None and rows < samples:
        lines.append(("wait", f"for {samples - rows:,} rows more"))
    lines.append(
        ("classes", f"{found.classes:,}, at least {found.least} values in each")
    )
    if found.failing:
        named = ", ".join(found.failing[:5])
        lines.append(("fewer", f"than {content['l']} values in class {named}"))
    if content["left_out"]:
        lines.append(("left out", ", ".join(content["left_out"])))
    lines.append(
        ("wrote", content["out"])
        if content["holds"]
        else ("wrote", "nothing: the release would not keep what was announced")
    )
    return lines


app = typer.Typer(
    help="What several releases reveal together: attack them, know the worst case, "
    "plan releases that withstand linking, publish and simulate them."
)

add_command(app, "attack", attack.attack_command, attack.ATTACK_EXAMPLES)
add_command(app, "worst-case", attack.worst_case, attack.WORST_EXAMPLES)
add_command(app, "plan", plan_commands.plan_command, plan_commands.PLAN_EXAMPLES)
add_command(app, "publish", publish_command, PUBLISH_EXAMPLES)
add_command(
    app, "simulate", plan_commands.simulate_command, plan_commands.SIMULATE_EXAMPLES
)
