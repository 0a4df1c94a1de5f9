"""The schedule of ``auto`` in words, for the page on the architecture."""

import math

from starmin.auto import many_pairs, nonhomogeneous, rings
from starmin.auto.schedule.schedule import SCHEDULE
from starmin.instances.runs.method import Method
from starmin.process.clock import DEFAULT_TIME_LIMITS
from starmin.registry.methods import METHODS

_UNITS = {
    "pairs": "pairs of a row type and a pattern",
    "couples": "pairs of two row types",
    "comparisons": "comparisons of the cells of two row types",
    "cells": "cells of row types",
    "rows": "rows",
    "types": "row types",
    "group": "rows a group at least",
}


def as_markdown() -> str:
    """Write the turns as a table, and what stands beside them.

    The text has no newline at its end.

    Examples
    --------
    >>> as_markdown().splitlines()[0]
    '| turn | methods | what they are for |'
    """
    lines = ["| turn | methods | what they are for |", "|---|---|---|"]
    for number, turn in enumerate(SCHEDULE, 1):
        methods = ", ".join(f"`{name}`" for name in turn.methods)
        lines.append(f"| {number} | {methods} | {turn.what} |")
    return "\n".join([*lines, "", *_besides()])


def _needs(method: Method) -> str:
    """Say what a method needs of the time."""
    told = []
    for need in method.needs:
        unit = _UNITS[need.unit]
        if need.a_second < math.inf:
            told.append(f"a second for {need.a_second:,.0f} {unit}")
        if need.most < math.inf:
            told.append(f"no more than {need.most:,.0f} {unit}")
        if not need.must:
            told[-1] += ", else it comes later"
    return f"| `{method.name}` | {' and '.join(told)} |"


def _besides() -> list[str]:
    """Say what is not in the table."""
    named = dict.fromkeys(name for turn in SCHEDULE for name in turn.methods)
    needs = [_needs(METHODS[name]) for name in named if METHODS[name].needs]
    return [
        "A method is asked where the time is enough for what its declaration says that "
        "it needs:",
        "",
        "| method | needs |",
        "|---|---|",
        *needs,
        "",
        f"- Without a time limit `auto` takes {DEFAULT_TIME_LIMITS['auto']:g} seconds.",
        f"- Above {many_pairs.MANY:,} {_UNITS['pairs']} `{many_pairs.METHOD}` solves "
        f"k-anonymity with fewest stars alone; from there to {many_pairs.WIDE:,} only "
        f"if there are more than {many_pairs.WIDE_PER_SECOND:,} a second.",
        f"- Non-homogeneous releases: up to {nonhomogeneous.EXACT_ROWS} rows "
        "`matching_mip` proves the optimum after the heuristics; for k = 2 and up to "
        f"{nonhomogeneous.PAIR_ROWS:,} rows `pair_matching` comes first. Heuristics "
        f"have {100 * nonhomogeneous.SEARCH_SHARE:g} % of the time, matchings for "
        f"losses {100 * nonhomogeneous.MATCHED_SHARE:g} %; the rest is for the bound. "
        f"Tables of more than {nonhomogeneous.WHOLE_ROWS:,} rows are cut into blocks. "
        f"Groups that cost at most {rings.COST_RATIO:g} times as much are turned into "
        "rings.",
    ]
