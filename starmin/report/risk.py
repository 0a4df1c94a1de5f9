"""The risk that a release leaves: k, l and t, as asked and as they hold."""

import math
from collections.abc import Mapping
from typing import Any

from starmin.inputs.loading import Problem
from starmin.inputs.requirements import describe
from starmin.report.measures import Measures
from starmin.report.page import NONE, Cell, number, share

_WHY_K = "rows of the smallest group"
_WHY_MATCHED = "matchings that share no pair: so many rows are possible for everyone"


def risk_text(problem: Problem, measures: Measures) -> str:
    """Say how the risk of a release was measured."""
    if measures.check is None:
        return (
            "The release has no groups. Each released row can be matched to rows of "
            "the original in k ways that share no pair; these matchings were checked "
            "pair by pair."
        )
    if measures.columns is None:
        return (
            "Recomputed from the published tables alone. Whoever knows a person's "
            "quasi-identifiers finds the row; what is protected is the sensitive value."
        )
    return (
        "Recomputed from the cells of the release alone. A group is all rows that are "
        "published alike."
    )


def risk_rows(problem: Problem, measures: Measures) -> list[list[Cell]]:
    """Measure, asked, holds, meaning."""
    asked = describe(problem.requirement)
    check = measures.check
    if check is None:
        k = measures.matchings
        row = [Cell("k"), _wanted(asked, "k"), number(k), Cell(_WHY_MATCHED)]
        return [_all(asked, k is not None), row]
    rows = [_all(asked, check.holds is True)]
    rows += [[Cell("k"), _wanted(asked, "k"), number(check.k), Cell(_WHY_K)]]
    if measures.columns is not None:
        why = "the greatest chance to find the row of a person: 1/k"
        rows.append(
            [Cell("Risk to be found"), Cell(NONE), share(1 / check.k), Cell(why)]
        )
    if check.l is None:
        return rows
    form = asked.get("diversity") or "frequency"
    why = "the greatest share of a sensitive value in a group: 1/l"
    rows.append([Cell("Risk to be told"), Cell(NONE), share(1 / check.l), Cell(why)])
    forms = (
        ("frequency", "l", check.l, "no value has more than 1/l of its group"),
        ("distinct", "Distinct l", check.distinct_l, "sensitive values in every group"),
        ("entropy", "Entropy l", check.entropy_l, "as many as if equally frequent"),
    )
    for name, title, value, why in forms:
        wanted = _wanted(asked, "l") if name == form else Cell(NONE)
        rows.append([Cell(title), wanted, _floored(value), Cell(why)])
    rows.append(
        [
            Cell("t"),
            _wanted(asked, "t"),
            number(check.t),
            Cell("greatest distance of a group's sensitive values from the table's"),
        ]
    )
    return rows


def _all(asked: Mapping[str, Any], holds: bool) -> list[Cell]:
    wanted = ", ".join(f"{name} {v}" for name, v in asked.items() if v is not None)
    word = Cell("yes", tone="good") if holds else Cell("no", tone="bad")
    return [Cell("Requirement"), Cell(NONE), word, Cell(wanted)]


def _wanted(asked: Mapping[str, Any], name: str) -> Cell:
    value = asked.get(name)
    return number(value) if isinstance(value, int) else Cell(str(value or NONE))


def _floored(value: float | None) -> Cell:
    """Round down for display, so that no more is shown than there is."""
    if value is None or isinstance(value, int):
        return number(value)
    text = f"{math.floor(value * 10_000 + 1e-6) / 10_000:,.4f}"
    return Cell(text.rstrip("0").rstrip("."), value)
