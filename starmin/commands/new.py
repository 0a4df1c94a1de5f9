"""starmin new: propose a settings file for a table."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from starmin.inputs import options
from starmin.inputs.declared import option
from starmin.inputs.loading import load_file
from starmin.inputs.option_groups import ColumnOptions, ungrouped, with_groups
from starmin.inputs.roles import INSTANCE, check_out
from starmin.instances import TableError
from starmin.instances.tables.names import expect_columns, split_names
from starmin.process.say import answer, say_later
from starmin.process.steps import write_file
from starmin.recipes.profile import profile
from starmin.recipes.propose import propose, proposed
from starmin.recipes.text import as_from, schema
from starmin.recipes.told import apart, column_keys

EXAMPLES = (
    "starmin new instance:hospital",
    "starmin new people.csv --sensitive diagnosis --out people.toml",
    "starmin solve people.csv --recipe people.toml",
)


def _show_schema(asked: bool) -> None:
    if asked:
        answer(json.dumps(schema(), indent=1))
        raise typer.Exit


@with_groups
def new(
    table: options.TableArg,
    *,
    columns: ColumnOptions,
    k: Annotated[
        int, option("--k", "What the file asks: rows that look alike.", min=2)
    ] = 5,
    missing: options.Missing = None,
    out: Annotated[
        Path | None, option("FILE.toml", "Where to write it. [default: it is printed]")
    ] = None,
    beside: Annotated[
        str | None,
        option(
            "TABLE",
            "For --json: how it differs from this table, an earlier one or its "
            "original; nothing is proposed.",
        ),
    ] = None,
    shown: Annotated[
        bool,
        option(
            "--schema",
            "Print the JSON Schema of settings files instead, for editors.",
            is_eager=True,
            callback=_show_schema,
        ),
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Propose a settings file for a table, with comments, for solve --recipe.

    The roles of columns are guessed by their names (in English, German, French,
    Spanish, Italian and Dutch), by kind and by what stands in the cells: each has its
    reason above it, and the next best guess. Columns whose role is named by an option
    have that one. What is guessed to be sensitive is published as it is: read it. With
    --json it says what the table has, too: first rows, values and their counts, and
    what was guessed of the file.
    """
    if beside is not None and not as_json:
        raise TableError("--beside: is for --json; add it")
    check_out(out, table)
    told = apart(ungrouped({"columns": columns}))
    roles = {key.name for key in column_keys()["role"]}
    named = {
        name: (value,) if isinstance(value, str) else value
        for name, value in told.items()
        if name in roles
    }
    reading = {name: value for name, value in told.items() if name not in roles}
    if tokens := split_names(missing or "", "--missing"):
        reading["missing"] = tokens
    if not table.startswith(INSTANCE):
        reading["earlier"] = table if out is None else as_from(table, out.parent)
    read = load_file(table, replace(columns.roles.reading))
    say_later(*read.told)
    source = read.table
    declared = [code for codes in read.beside.codes(source).values() for code in codes]
    if declared:
        known = (*reading.get("missing", ()), *declared)
        reading["missing"] = tuple(dict.fromkeys(known))
    asked = [column for names in named.values() for column in names]
    expect_columns(table, asked, source.names)
    source = source.with_roles(source.names)
    if as_json:
        read = replace(read, table=source)
        if beside is not None:
            other = load_file(beside, columns.roles.reading)
            content = profile(read, {}, {}, other.table)
        else:
            content = profile(read, *proposed(source, k, named, reading))
        answer(json.dumps({"table": table, **content}))
        if out is None:
            return 0
        quiet = True
    text = propose(source, table, k, named, reading)
    if out is None:
        answer(text.rstrip("\n"))
    else:
        write_file(out, text.encode())
        if not quiet and str(out) != "-":
            answer(f"wrote {out}; read it, then: starmin solve {table} --recipe {out}")
    return 0
