"""starmin instances: the tables that come with it."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from starmin.cli.commands import add_command
from starmin.extensions import catalogue, load_instance
from starmin.inputs import options
from starmin.inputs.declared import argument, option
from starmin.inputs.roles import separator
from starmin.instances import check_format, check_writable, write_table
from starmin.instances.catalogue.catalogue import Instance, instance_parts
from starmin.instances.catalogue.known import BestKnown, all_known
from starmin.instances.streams.source import ENDINGS as IN_PARTS
from starmin.instances.streams.write_parts import write_parts
from starmin.instances.tables.names import counted
from starmin.process.say import answer, answer_in, show_table

# The best known values and bounds of problems: as cells, as JSON, as a page.

HEADER = ("problem", "kind", "value", "found by", "bound", "proved by", "gap", "proof")


def page() -> str:
    """Write the page of all problems in Markdown."""
    rows = (HEADER, tuple("---" for _ in HEADER), *map(cells, all_known().values()))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    head = files("starmin.commands").joinpath("best_known.md").read_text("utf-8")
    return f"{head}{table}\n"


def as_json_object(known: BestKnown) -> dict[str, Any]:
    """Describe a problem as JSON states it."""
    return {
        "problem": known.name,
        "instance": known.instance,
        "kind": known.group,
        "requirement": known.requirement.as_json(),
        "options": dict(known.options),
        "objective": known.kind,
        "value": known.value,
        "found_by": known.found_by,
        "lower_bound": known.bound,
        "bound_by": known.bound_by,
        "optimal": known.optimal,
        "how": known.how,
        "certificate": known.proof,
        "table_sha256": known.table_hash,
        "cite": known.cited,
    }


def cells(known: BestKnown) -> tuple[str, ...]:
    """Write a problem as a line of a table.

    >>> cells(all_known()["hospital.k2.stars"])[:4]
    ('hospital.k2.stars', 'stars', '2', 'brute_force')
    """
    gap = "optimal" if known.optimal else "unknown"
    if known.bound and not known.optimal:
        gap = f"{(known.value - known.bound) / known.bound:.2%}"
    return (
        known.name,
        known.group,
        told_value(known, known.value),
        known.found_by,
        told_value(known, known.bound),
        known.bound_by,
        gap,
        known.how if known.proof is None else known.proof,
    )


def told_value(known: BestKnown, value: float) -> str:
    """Write a value as it is counted: cells, tuples, or a share that is lost."""
    return f"{value:.4%}" if known.kind == "gcp" else f"{value:,.0f}"


LIST_EXAMPLE = "starmin instances list"

_PART = 1 << 20  # rows that are generated at a time

app = typer.Typer()


@app.callback(invoke_without_command=True, epilog=f"Example:\n\n$ {LIST_EXAMPLE}")
def instances(context: typer.Context) -> int:
    """List the instances that come with starmin, or write one."""
    return list_instances() if context.invoked_subcommand is None else 0


def list_instances(as_json: options.Json = False, quiet: options.Quiet = False) -> int:
    """List the instances: small tables of papers, real data, generators."""
    known = catalogue().values()
    if as_json:
        answer(json.dumps([*map(describe, known)]))
        return 0
    given = (",".join(f"{k}={v}" for k, v in e.parameters.items()) for e in known)
    rows = [
        (each.name, each.description, parameters, each.source)
        for each, parameters in zip(known, given, strict=True)
    ]
    show_table(("instance", "what", "parameters", "source"), rows)
    return 0


def list_best(
    word: Annotated[
        str, typer.Argument(metavar="[WORD]", help="Problems with this in their names.")
    ] = "",
    as_json: options.Json = False,
    markdown: Annotated[bool, option("--markdown", "As a page in Markdown.")] = False,
    quiet: options.Quiet = False,
) -> int:
    """List the best known values and bounds of problems on these tables.

    Bounds with a certificate can be checked by anyone: the file is in the folder
    `instances/best_known` of the package, and `starmin check` re-proves it.
    """
    known = [each for each in all_known().values() if word in each.name]
    if as_json:
        answer(json.dumps([as_json_object(each) for each in known]))
    elif markdown:
        answer(page())
    else:
        show_table(HEADER, [cells(each) for each in known])
    return 0


def write(
    name: Annotated[
        str, argument("NAME", "NAME, or NAME:key=value,.. for a generated table.")
    ],
    out: Annotated[
        Path,
        option(
            "FILE",
            f"Where to write it: {options.WRITABLE}; without an ending, a folder of "
            "Parquet files.",
        ),
    ],
    sep: options.Sep = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Write an instance as a file."""
    n, table = 0, None
    if out.suffix and out.suffix not in IN_PARTS:
        check_format(out)
        check_writable(out)
        table = load_instance(name)
        n = table.n
        write_table(table, out, separator(sep))
    else:
        with write_parts(out, separator(sep)) as write_part:
            for table in instance_parts(name, _PART, catalogue()):
                write_part(table, {})
                n += table.n
    assert table is not None
    content = {
        "name": name,
        "n": n,
        "columns": list(table.names),
        "qi": list(table.qi),
        "sensitive": list(table.sensitive) or None,
        "out": str(out),
    }
    lines = [
        ("wrote", f"{out}: {counted(n, 'row')}"),
        ("qi", ", ".join(table.qi)),
        ("sensitive", ", ".join(table.sensitive) or "none"),
    ]
    answer_in(as_json, content, lines)
    return 0


add_command(app, "list", list_instances, (LIST_EXAMPLE,))
add_command(app, "best", list_best, ("starmin instances best census",))
add_command(
    app, "write", write, ("starmin instances write hospital --out hospital.csv",)
)


def describe(instance: Instance) -> dict[str, Any]:
    """Describe an instance as JSON states it."""
    return {
        "name": instance.name,
        "description": instance.description,
        "source": instance.source,
        "parameters": dict(instance.parameters),
        "requirement": instance.requirement.as_json(),
        "threshold": getattr(instance, "threshold", None),
    }
