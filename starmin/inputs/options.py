"""The options that several commands share, each with its help text."""

import math
from pathlib import Path
from typing import Annotated, Literal

from starmin.inputs.declared import (
    ByColumn,
    Listed,
    Passing,
    argument,
    of_objective,
    of_output,
    of_run,
    of_table,
    option,
)
from starmin.instances.io.at_once import READ, WRITTEN
from starmin.instances.loops import notice
from starmin.instances.releases.objective_kinds import OBJECTIVES, ObjectiveName
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.names import one_of, split_names
from starmin.process.clock import DEFAULT_HELP
from starmin.process.say import want_json

Kind = ObjectiveName

ASK = "Requirement (of every group)"
GOAL = "Objective"
# The endings of files that are read, and of those that are written.
READABLE, WRITABLE = one_of(READ), one_of(WRITTEN)

TableArg = Annotated[str, argument("TABLE", f"A file {READABLE}; or instance:NAME.")]
Within = Annotated[
    Path | None,
    option(
        "RELEASE",
        "An earlier release of the same rows in the same order: each class is a "
        "union of its classes, so that both together tell no more than it does.",
        ASK,
    ),
]
Qi = Annotated[
    str | None,
    of_table(
        "A,B,..",
        "Quasi-identifiers; default: all columns but the sensitive and the "
        "dropped ones (an instance has its own).",
    ),
    ByColumn("role", ("quasi-identifier",)),
]
Sensitive = Annotated[
    str | None,
    of_table("S,..", "Sensitive column, or several."),
    ByColumn("role", ("sensitive",)),
]
Drop = Annotated[
    str | None,
    of_table("A,B,..", "Columns that are not published."),
    ByColumn("role", ("identifier",)),
]
Sep = Annotated[
    str | None,
    of_table(
        "--separator --sep CHAR",
        "What separates cells in a text file; \\t for a tab. [default: recognised]",
    ),
]
Encoding = Annotated[
    str | None,
    of_table(
        "NAME",
        "Encoding of a text file, as utf-8 or windows-1252. [default: recognised]",
    ),
]
Sheet = Annotated[
    str | None,
    of_table(
        "NAME|NUMBER",
        "Sheet of a spreadsheet, by its name or its number from 1. [default: the "
        "first one that looks like a table of people]",
    ),
]
Star = Annotated[str, of_table("SYMBOL", "The symbol of a hidden cell.")]

Hierarchy = Annotated[
    list[str] | None,
    of_table(
        "--hierarchy COLUMN=FILE|RULE|DIR",
        "Hierarchy of a column: a file of lines value;category;..;root; a rule "
        "for its values, as prefix:3,1 or ranges:5,10,90+ or cuts:18,30,65 or rare:10 "
        "or month,year; or inline COLUMN={category{value,value},value}. Of a sensitive "
        "column: for --distance. Repeat for others, or name a file of rules "
        "COLUMN=RULE, a folder of files NAME_COLUMN.csv, or a pattern as "
        "DIR/{column}.csv.",
    ),
    ByColumn("hierarchy", is_file=True),
]

Missing = Annotated[
    str | None,
    of_table(
        "TOKEN,..",
        "Codes that mean a missing value, as an empty cell and ? do, in a "
        "--numeric column or one with a --hierarchy.",
    ),
    Listed(),
]

MINIMISE = f"Minimise {one_of([kind.help for kind in OBJECTIVES.values()])}."
ObjectiveKind = Annotated[Kind, of_objective("--objective", MINIMISE)]
MethodName = Annotated[
    str, of_run("--method NAME", "A method of `starmin methods`, or auto: what fits.")
]
TimeLimit = Annotated[
    float | None,
    of_run("SECONDS", f"Seconds for the whole command; {DEFAULT_HELP}", min=0),
]
Gap = Annotated[
    float | None,
    of_run(
        "SHARE",
        "Stop where the gap is no larger, as 0.01 for one per cent. Default: "
        "0, or 1e-6 for losses.",
        min=0,
    ),
]
Patience = Annotated[
    float | None,
    of_run("SECONDS", "Stop after so long without a better value or bound.", min=0),
]
RecipeFile = Annotated[
    Path | None,
    of_table(
        "--recipe FILE.toml",
        "A settings file, as `starmin new` proposes and --save-recipe writes; "
        "options of the command line go before it, column by column.",
    ),
    Passing(),
]
Seed = Annotated[
    int | None,
    of_run(
        "",
        "Where random choices begin: the same seed makes the same ones. Default: 0.",
        min=0,
        max=2**31 - 1,
    ),
]
Workers = Annotated[
    int | None, of_run("", "Cores to use; default: all that there are.", min=1)
]

CertificateOut = Annotated[
    Path | None,
    of_output("--certificate FILE", "Where to write the proof of the bound, as JSON."),
]
TrajectoryOut = Annotated[
    Path | None,
    of_output(
        "--trajectory FILE",
        "Where to write value and bound by seconds of the search, as CSV.",
    ),
]
Json = Annotated[
    bool,
    of_output(
        "--json", "One JSON object on stdout, nothing else there.", callback=want_json
    ),
    Passing(),
]


def _say_nothing(quiet: bool) -> bool:
    if quiet:
        notice.on_compile = None
    return quiet


Quiet = Annotated[
    bool,
    of_output("--quiet", "No progress on stderr.", callback=_say_nothing),
    Passing(),
]

ProgressForm = Annotated[
    Literal["lines", "json"],
    of_output(
        "--progress",
        "How stderr says what is known by now: for people, or an object of JSON "
        "a line, with seconds, value, bound, gap and method, for programs.",
    ),
    Passing(),
]


def missing_values(tokens: str | None) -> tuple[str | None, ...]:
    """Return what stands for a missing value, by the text of ``--missing``."""
    return (*MISSING, *split_names(tokens or "", "--missing"))


def or_endless(seconds: float | None) -> float:
    """Return the seconds of an option, infinity where it is not given."""
    return math.inf if seconds is None else seconds
