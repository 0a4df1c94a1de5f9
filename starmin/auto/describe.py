"""Describe a method and the schedule of ``auto``: for JSON, and to be read."""

import inspect
import math
from typing import Any

from starmin.auto import nonhomogeneous, schedule
from starmin.auto.schedule import SCHEDULE, methods_of_schedule
from starmin.instances.runs.method import Method
from starmin.process.clock import DEFAULT_TIME_LIMITS
from starmin.registry import METHODS

# The schedule of ``auto`` in words, for the page on the architecture.

_UNITS = {
    "pairs": "pairs of a row type and a pattern",
    "couples": "pairs of two row types",
    "comparisons": "comparisons of the cells of two row types",
    "cells": "cells of row types",
    "rows": "rows",
    "types": "row types",
    "group": "rows a group at least",
}


def schedule_as_markdown() -> str:
    """Write the turns as a table, and what stands beside them.

    >>> schedule_as_markdown().splitlines()[0]
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
    methods = [METHODS[name] for name in methods_of_schedule()]
    needs = [_needs(method) for method in methods if method.needs]
    return [
        "A method is asked where the time is enough for what its declaration says that "
        "it needs:",
        "",
        "| method | needs |",
        "|---|---|",
        *needs,
        "",
        f"- Without a time limit `auto` takes {DEFAULT_TIME_LIMITS['auto']:g} seconds.",
        f"- Above {schedule.MANY:,} {_UNITS['pairs']} `{schedule.MANY_PAIRS_METHOD}` "
        "solves k-anonymity with fewest stars alone; from there to "
        f"{schedule.WIDE:,} only if there are more than "
        f"{schedule.WIDE_PER_SECOND:,} a second.",
        f"- Non-homogeneous releases: up to {nonhomogeneous.EXACT_ROWS} rows "
        "`matching_mip` proves the optimum after the heuristics; for k = 2 and up to "
        f"{nonhomogeneous.PAIR_ROWS:,} rows `pair_matching` comes first. Heuristics "
        f"have {100 * nonhomogeneous.SEARCH_SHARE:g} % of the time, matchings for "
        f"losses {100 * nonhomogeneous.MATCHED_SHARE:g} %; the rest is for the bound. "
        f"Tables of more than {nonhomogeneous.WHOLE_ROWS:,} rows are cut into blocks. "
        f"Groups that cost at most {nonhomogeneous.COST_RATIO:g} times as much are "
        "turned into rings.",
    ]


# Describe a method: for JSON, and as a page to be read.


def describe(method: Method) -> dict[str, Any]:
    """Return what the declaration of a method says, as JSON states it."""
    names = "name", "kind", "requirements", "objectives", "recodings", "guarantee"
    told = {name: getattr(method, name) for name in (*names, "reach", "source")}
    told |= {"former_names": method.aliases, "package": method.package}
    return told | {"file": _file(method)}


def describe_fully(method: Method) -> dict[str, Any]:
    """Add its docstring, and the defaults of options, null where there is none."""
    options = {name: _plain(value) for name, value in _defaults(method).items()}
    said = inspect.getdoc(method.load()) or ""
    return describe(method) | {"options": options, "docstring": said}


def page(method: Method) -> str:
    """Write a method for reading: its declaration, its options, its docstring."""
    options = [f"{n} = {_shown(v)}" for n, v in _defaults(method).items()]
    facts = {
        "kind": method.kind,
        "requires": ", ".join(method.requirements),
        "minimises": ", ".join(method.objectives),
        "published by": ", ".join(method.recodings),
        "guarantee": method.guarantee,
        "finishes up to": method.reach,
        "source": method.source,
        "options": f"\n{'':16}".join(options),
        "file": _file(method),
    }
    if method.aliases:
        facts["former names"] = ", ".join(method.aliases)
    lines = [f"{label:<14}  {text}" for label, text in facts.items()]
    said = inspect.getdoc(method.load()) or ""
    return "\n".join((method.name, "", *lines, "", said))


def _file(method: Method) -> str:
    """Return the path of its module within its project."""
    return method.module.replace(".", "/") + ".py"


def _defaults(method: Method) -> dict[str, Any]:
    """Return the default of each option that its function takes."""
    parameters = inspect.signature(method.load()).parameters
    return {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.default is not parameter.empty
    }


def _plain(value: Any) -> Any:
    """Return a default as JSON has it; other objects as Python writes them."""
    if value is None or value == math.inf:
        return None
    return value if isinstance(value, bool | int | float | str) else repr(value)


def _shown(value: Any) -> str:
    if value is None or value == math.inf:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
