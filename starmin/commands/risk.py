"""starmin risk: who can be found in a table, before anything is hidden."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from starmin.frontiers.frontier_outcome import HEADER as COST_HEADER
from starmin.frontiers.frontier_outcome import Frontier
from starmin.gaps.job import whole_list
from starmin.inputs import options
from starmin.inputs.declared import Listed, of_attacker, of_output, option
from starmin.inputs.loading import load_table
from starmin.inputs.option_groups import ColumnOptions, with_groups
from starmin.process.say import answer, say, show_lines, show_table
from starmin.process.steps import write_file
from starmin.recipes.by_recipe import by_recipe
from starmin.recipes.profile import Alone
from starmin.report.page import expect_page
from starmin.report.risk_report import HEADER, candidate_cells, risk_lines, risk_page
from starmin.risks import risk as measured

EXAMPLES = (
    "starmin risk instance:hospital",
    "starmin risk people.csv --qi age,zip,sex --weight w --report risk.html",
    "starmin risk people.csv --qi age,zip,sex --cost 2,3,5,10 --time-limit 30",
)


@by_recipe("table")
@with_groups
def risk(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help=f"A file {options.READABLE}; or instance:NAME."
        ),
    ],
    *,
    recipe: options.RecipeFile = None,
    columns: ColumnOptions,
    missing: options.Missing = None,
    population: Annotated[
        str | None,
        of_attacker(
            "TABLE",
            "All people, with the same columns: risk of someone who does not know who "
            "is in the table.",
        ),
    ] = None,
    largest: Annotated[
        int,
        of_attacker("COLUMNS", "Look at combinations of up to so many columns.", min=1),
    ] = 3,
    follow: Annotated[
        bool,
        of_output(
            "--follow",
            "For programs: each line of stdin names a settings file; a line of JSON "
            "says how many rows look like no other by it.",
        ),
    ] = False,
    cost: Annotated[
        str | None,
        option(
            "2,5,..", "Show what k-anonymity with these k would cost in stars.", "Cost"
        ),
        Listed(),
    ] = None,
    time_limit: Annotated[
        float,
        option("--time-limit SECONDS", "Seconds for what --cost shows.", "Cost", min=0),
    ] = 10.0,
    report: Annotated[
        Path | None,
        of_output("--report FILE.html", "Write the risk as a page, with a picture."),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Measure who can be found in a table, before anything is hidden.

    Counts rows that look like no other, or like few, by the named quasi-identifiers,
    and the smallest sets of columns that single a row out. Says how many rows are
    linked right by who knows that somebody is in the table (prosecutor), by who links
    all of it (marketer), and, with a population or sampling weights, by who does not
    know who is in it (journalist). All columns are ranked by what they tell: candidates
    for --qi.
    """
    if follow:
        alone = Alone(table, columns.roles)
        answer(json.dumps({"rows": alone.table.n}), now=True)
        for line in sys.stdin:
            answer(json.dumps(alone.answer(line.rstrip("\n"))), now=True)
        return 0
    expect_page(report)
    asked = whole_list(cost, "--cost", 2) if cost else []
    source = load_table(table, columns.roles)
    people = None
    if population is not None:
        people = load_table(population, replace(columns.roles.reading, sets={}))
    found = measured(
        source,
        weight=columns.weight,
        population=people,
        most=largest,
        missing=options.missing_values(missing),
    )
    prices: Frontier | None = None
    if asked:
        from starmin.frontiers.trace import frontier

        named = source.with_roles(found.qi)
        prices = frontier(named, k=asked, time_limit=time_limit)
    if report is not None:
        costs = [] if prices is None else [*prices.points]
        lines = [(each.asked.words, each.share, each.least_share) for each in costs]
        write_file(report, risk_page(found, table, lines).encode())
    if as_json:
        content = found.as_json()
        content["cost"] = None if prices is None else prices.as_json()
        answer(json.dumps(content))
        return 0
    if not quiet:
        for line in found.notes:
            say(f"warning: {line}")
    show_lines(risk_lines(found))
    answer("")
    show_table(HEADER, map(candidate_cells, found.columns))
    if prices is not None:
        show_table(COST_HEADER, [each.cells() for each in prices.points])
    return 0
