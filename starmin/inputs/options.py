"""The options that several commands share, each with its help text."""

import math
from pathlib import Path
from typing import Annotated, Literal

import typer

from starmin.inputs.by_column import ByColumn, Listed, Passing
from starmin.instances.io.at_once import READ, WRITTEN
from starmin.instances.loops import notice
from starmin.instances.releases.objective_kinds import OBJECTIVES, ObjectiveName
from starmin.instances.scales.floors import expect_end
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.numbers import Width as WidthLimits
from starmin.instances.scales.numbers import expect_step
from starmin.instances.tables.names import one_of, split_names
from starmin.instances.times.signs import signs_of
from starmin.process.clock import DEFAULT_HELP
from starmin.process.say import want_json

Kind = ObjectiveName

ASK = "Requirement (of every group)"
_TABLE = "Table"
GOAL = "Objective"
_RUN = "Run"
_OUT = "Output"
# The endings of files that are read, and of those that are written.
READABLE, WRITABLE = one_of(READ), one_of(WRITTEN)

TableArg = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help=f"A file {READABLE}; or instance:NAME.",
        show_default=False,
    ),
]
Within = Annotated[
    Path | None,
    typer.Option(
        metavar="RELEASE",
        help="An earlier release of the same rows in the same order: each class is a "
        "union of its classes, so that both together tell no more than it does.",
        rich_help_panel=ASK,
    ),
]
Qi = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,..",
        help="Quasi-identifiers; default: all columns but the sensitive and the "
        "dropped ones (an instance has its own).",
        rich_help_panel=_TABLE,
    ),
    ByColumn("role", ("quasi-identifier",)),
]
Sensitive = Annotated[
    str | None,
    typer.Option(
        metavar="S,..", help="Sensitive column, or several.", rich_help_panel=_TABLE
    ),
    ByColumn("role", ("sensitive",)),
]
Drop = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,..", help="Columns that are not published.", rich_help_panel=_TABLE
    ),
    ByColumn("role", ("identifier",)),
]
Unchanged = Annotated[
    str | None,
    typer.Option(
        "--unchanged",
        metavar="A,B,..",
        help="Columns that are published as they are, on purpose: no warning names "
        "them.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("role", ("unchanged",)),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        metavar="COLUMN",
        help="Sampling weights: how many people each row stands for; no "
        "quasi-identifier by default.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("role", ("weight",), single=True),
]
Sep = Annotated[
    str | None,
    typer.Option(
        "--separator",
        "--sep",
        metavar="CHAR",
        help="What separates cells in a text file; \\t for a tab. [default: "
        "recognised]",
        rich_help_panel=_TABLE,
        show_default=False,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of a text file, as utf-8 or windows-1252. [default: recognised]",
        rich_help_panel=_TABLE,
        show_default=False,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|NUMBER",
        help="Sheet of a spreadsheet, by its name or its number from 1. [default: the "
        "first one that looks like a table of people]",
        rich_help_panel=_TABLE,
        show_default=False,
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--sets",
        metavar="COLUMN=CHAR",
        help="Cells of a column are sets: what CHAR separates, in any order. Repeat "
        "for others.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("separator", kind="set"),
]
Star = Annotated[
    str,
    typer.Option(
        metavar="SYMBOL", help="The symbol of a hidden cell.", rich_help_panel=_TABLE
    ),
]

Numeric = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,..",
        help="Quasi-identifiers of numbers, published as ranges as [35-45]; or of "
        "times as 2024-05-31, 2024-05-31T07:05Z, 07:05, '2 days 07:05:00', as ranges "
        "2024-05-01..2024-05-31.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("kind", ("numeric", "date")),
]
Hierarchy = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE|RULE|DIR",
        help="Hierarchy of a column: a file of lines value;category;..;root; a rule "
        "for its values, as prefix:3,1 or ranges:5,10,90+ or cuts:18,30,65 or rare:10 "
        "or month,year; or inline COLUMN={category{value,value},value}. Of a sensitive "
        "column: for --distance. Repeat for others, or name a file of rules "
        "COLUMN=RULE, a folder of files NAME_COLUMN.csv, or a pattern as "
        "DIR/{column}.csv.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("hierarchy", is_file=True),
]

Round = Annotated[
    str | None,
    typer.Option(
        "--round",
        metavar="COLUMN=STEP,..",
        help="Ranges of a --numeric column begin and end at multiples of STEP; of "
        "times with a period as 15minute, hour, day, week, month, quarter, year, "
        "decade. Recommended: else their ends are people's values, which are then "
        "known.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("round", check=expect_step),
]
Width = Annotated[
    str | None,
    typer.Option(
        "--width",
        metavar="COLUMN=LOW..HIGH,..",
        help="Ranges of a --numeric column are at least LOW and at most HIGH long: "
        "shorter ones are widened, a star is published for longer ones. LOW.. or "
        "..HIGH: one of both. Of times: 7day..30day.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("width", check=WidthLimits.parse),
]
MaxLevel = Annotated[
    str | None,
    typer.Option(
        "--max-level",
        metavar="COLUMN=LEVEL,..",
        help="No category above this level of a --hierarchy is published: 0 are the "
        "values, 1 the categories above them, ..",
        rich_help_panel=_TABLE,
    ),
    ByColumn("max-level", type=int),
]
MinLevel = Annotated[
    str | None,
    typer.Option(
        "--min-level",
        metavar="COLUMN=LEVEL,..",
        help="Nothing finer than this level of a --hierarchy is ever published, as a "
        "law may ask; nor where cells are published as they are or as stars.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("min-level", type=int),
]
Top = Annotated[
    str | None,
    typer.Option(
        "--top",
        metavar="COLUMN=NUMBER,..",
        help="Numbers from this one on are published alike, as 90+.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("top", check=expect_end),
]
Bottom = Annotated[
    str | None,
    typer.Option(
        "--bottom",
        metavar="COLUMN=NUMBER,..",
        help="Numbers up to this one are published alike, as <=18.",
        rich_help_panel=_TABLE,
    ),
    ByColumn("bottom", check=expect_end),
]

DateFormat = Annotated[
    list[str] | None,
    typer.Option(
        "--date-format",
        metavar="COLUMN=FORM",
        help="How the times of a --numeric column are written, in the signs of "
        "strptime, as admitted=%d.%m.%Y; with the last year of two digits, as "
        "'born=%d.%m.%y to 2026'. Repeat for others. [default: ISO 8601, years not in "
        "the future]",
        rich_help_panel=_TABLE,
        show_default=False,
    ),
    ByColumn("format", kind="date", check=signs_of),
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="TOKEN,..",
        help="Codes that mean a missing value, as an empty cell and ? do, in a "
        "--numeric column or one with a --hierarchy.",
        rich_help_panel=_TABLE,
    ),
    Listed(),
]

MINIMISE = f"Minimise {one_of([kind.help for kind in OBJECTIVES.values()])}."
ObjectiveKind = Annotated[
    Kind, typer.Option("--objective", help=MINIMISE, rich_help_panel=GOAL)
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="A method of `starmin methods`, or auto: what fits.",
        rich_help_panel=_RUN,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        min=0,
        help=f"Seconds for the whole command; {DEFAULT_HELP}",
        rich_help_panel=_RUN,
    ),
]
WorkLimit = Annotated[
    int | None,
    typer.Option(
        "--work-limit",
        metavar="UNITS",
        min=1,
        help="Instead of seconds: units of work, a million in about a second of one "
        "core. The same table, settings and version make the same release again.",
        rich_help_panel=_RUN,
    ),
]
Gap = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        min=0,
        help="Stop where the gap is no larger, as 0.01 for one per cent. Default: "
        "0, or 1e-6 for losses.",
        rich_help_panel=_RUN,
    ),
]
Patience = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        min=0,
        help="Stop after so long without a better value or bound.",
        rich_help_panel=_RUN,
    ),
]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE.toml",
        help="A settings file, as `starmin new` proposes and --save-recipe writes; "
        "options of the command line go before it, column by column.",
        rich_help_panel=_TABLE,
        show_default=False,
    ),
    Passing(),
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=2**31 - 1,
        help="Where random choices begin: the same seed makes the same ones. Default: "
        "0.",
        rich_help_panel=_RUN,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="Cores to use; default: all that there are.", rich_help_panel=_RUN
    ),
]

Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Read the table in batches: only its distinct rows are held in memory. So "
        "is a folder of files.",
        rich_help_panel=_RUN,
    ),
]

MemoryRows = Annotated[
    int | None,
    typer.Option(
        metavar="ROWS",
        min=1000,
        help="Of a table that is read in batches, distinct rows that are held while "
        "they are counted; more are kept on disk. [default: 20000000]",
        rich_help_panel=_RUN,
    ),
]

DaskCounts = Annotated[
    str | None,
    typer.Option(
        metavar="tcp://HOST:PORT",
        help="The scheduler of a Dask cluster. Of a table that is read in batches, its "
        "workers count a file each, bound its rows, search parts, and check releases "
        "and certificates. They read the files by the same paths.",
        rich_help_panel=_RUN,
    ),
]

CertificateOut = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Where to write the proof of the bound, as JSON.",
        rich_help_panel=_OUT,
    ),
]
TrajectoryOut = Annotated[
    Path | None,
    typer.Option(
        "--trajectory",
        metavar="FILE",
        help="Where to write value and bound by seconds of the search, as CSV.",
        rich_help_panel=_OUT,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        callback=want_json,
        help="One JSON object on stdout, nothing else there.",
        rich_help_panel=_OUT,
    ),
    Passing(),
]


def _say_nothing(quiet: bool) -> bool:
    if quiet:
        notice.on_compile = None
    return quiet


Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        callback=_say_nothing,
        help="No progress on stderr.",
        rich_help_panel=_OUT,
    ),
    Passing(),
]

ProgressForm = Annotated[
    Literal["lines", "json"],
    typer.Option(
        "--progress",
        help="How stderr says what is known by now: for people, or an object of JSON "
        "a line, with seconds, value, bound, gap and method, for programs.",
        rich_help_panel=_OUT,
    ),
    Passing(),
]


def missing_values(tokens: str | None) -> tuple[str | None, ...]:
    """Return what stands for a missing value, by the text of ``--missing``."""
    return (*MISSING, *split_names(tokens or "", "--missing"))


def or_endless(seconds: float | None) -> float:
    """Return the seconds of an option, infinity where it is not given."""
    return math.inf if seconds is None else seconds
