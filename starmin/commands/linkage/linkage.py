"""starmin linkage: what several releases reveal together, and how to prevent it."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from starmin.cli.commands import add_command
from starmin.commands.linkage import attack, plan_commands
from starmin.commands.linkage.distribution import FileOptions
from starmin.inputs import options
from starmin.inputs.declared import Listed, argument, of_output, option
from starmin.inputs.loading import load_table
from starmin.inputs.option_groups import with_groups
from starmin.instances import TableError, check_format, check_star, check_writable
from starmin.instances.tables.names import split_names
from starmin.models.linkage.broadcast import BroadcastClasses, publish_broadcast
from starmin.process.say import answer_in
from starmin.verify.linkage import check_broadcast

# starmin linkage publish: a table under classes that all owners share.

PUBLISH_EXAMPLES = (
    "starmin linkage plan instance:hospital --qi age --l 2 --eps 0.5 "
    "--gamma 0.1 --out classes.csv",
    "starmin linkage publish instance:hospital --qi age --l 2 "
    "--classes classes.csv --out published.csv",
)

_plan = partial(option, panel="Plan")


@with_groups
def publish_command(
    table: Annotated[str, argument("TABLE", "The rows to publish.")],
    *,
    classes: Annotated[
        str,
        _plan("FILE", "The announced classes, as plan writes them, the class last."),
    ],
    l: Annotated[int, _plan("--l", "Values that every class must show.", min=1)],
    out: Annotated[Path, of_output("FILE", "Where to write the release.")],
    samples: Annotated[
        int | None, _plan("N", "Rows to wait for, as plan says.", min=1)
    ] = None,
    columns: FileOptions,
    numeric: Annotated[
        str | None,
        _plan(
            "A,B,..",
            "Quasi-identifiers of numbers: published as low-high; others as a star.",
        ),
        Listed(),
    ] = None,
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
    lines = [("rows", f"{people.n:,}")]
    if samples is not None and people.n < samples:
        lines.append(("wait", f"for {samples - people.n:,} rows more"))
    least = f"{found.classes:,}, at least {found.least} values in each"
    lines.append(("classes", least))
    if found.failing:
        named = ", ".join(found.failing[:5])
        lines.append(("fewer", f"than {l} values in class {named}"))
    if left_out:
        lines.append(("left out", ", ".join(left_out)))
    nothing = "nothing: the release would not keep what was announced"
    lines.append(("wrote", str(out) if holds else nothing))
    answer_in(as_json, content, lines)
    return int(not holds)


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
