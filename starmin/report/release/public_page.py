"""A report on a release that may be published beside it.

It names columns, and holds no value and no combination of the original. Every number on
it is what is promised, a count of at least that many rows, or a share rounded to a per
cent.
"""

import math
from importlib.metadata import version

import numpy as np

from starmin.instances import Table, least_size
from starmin.outputs.summary import Summary
from starmin.report.page import render

_ROLES = {
    "qi": "may be known to others; hidden or broadened where it singles people out",
    "sensitive": "sensitive; published, and not to be learned of a person",
    "other": "published as it is",
}


def public_page(summary: Summary) -> str:
    """Return the page."""
    problem, result = summary.problem, summary.result
    table, requirement = problem.original, problem.requirement
    k = least_size(requirement)
    asked = requirement.as_json()
    released = summary.published
    rows = [
        (name, _ROLES[_role(table, name)], _changed(table, released, name, k))
        for name in problem.public.names
    ]
    lost = None if summary.release is None else summary.release.gcp
    least = None
    if problem.objective.kind == "gcp":
        bound = problem.shown(result.lower_bound)
        least = None if bound is None else f"{math.floor(100 * bound + 1e-9)} %"
    l, others = asked.get("l"), {*asked} - {"k", "l"}
    return render(
        "public.html",
        title="A release that protects the people in it",
        version=version("starmin"),
        k=k,
        l=l if isinstance(l, int) and float(l).is_integer() else None,
        others=any(asked[name] is not None for name in others),
        known=list(table.qi),
        n=f"{table.n:,}" if table.n >= k else None,
        rows=rows,
        lost=None if lost is None else whole_percent(lost),
        least=least,
        optimal=result.status.value == "optimal",
    )


def whole_percent(share: float) -> str:
    """Write a share as a whole per cent.

    Examples
    --------
    >>> whole_percent(0.126), whole_percent(0.001), whole_percent(0.999)
    ('13 %', 'less than 1 %', 'nearly 100 %')
    """
    shown = round(100 * share)
    if share > 0 and shown == 0:
        return "less than 1 %"
    if share < 1 and shown == 100:
        return "nearly 100 %"
    return f"{shown} %"


def _role(table: Table, name: str) -> str:
    if name in table.qi:
        return "qi"
    return "sensitive" if name in table.sensitive else "other"


def _changed(table: Table, released: Table | None, name: str, k: int) -> str:
    """Return which share of a column is hidden or broadened; few cells are not told."""
    if released is None or released.n != table.n or name not in released.names:
        return ""
    place = {label: code for code, label in enumerate(released.dictionary(name))}
    codes = np.array([place.get(label, -1) for label in table.dictionary(name)])
    changed = int((codes[table.column(name)] != released.column(name)).sum())
    if 0 < changed < k:
        return "less than 1 %" if 100 * k <= table.n else "few"
    if 0 < table.n - changed < k:
        return "nearly all"
    return whole_percent(changed / table.n)
