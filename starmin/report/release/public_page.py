"""A report on a release that may be published beside it.

It names columns, and holds no value and no combination of the original. Every number on
it is the k that is promised, a count of at least k, or a share rounded to a per cent.
"""

import math

import numpy as np

from starmin.instances import (
    IntArray,
    KAnonymity,
    LDiversity,
    Persons,
    Requirement,
    Table,
)
from starmin.instances.arrays import Bools
from starmin.instances.releases.coding import NONHOMOGENEOUS, PERMUTATION
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.instances.requirements.requirement import part_of
from starmin.outputs.summary import Summary
from starmin.report.page import render
from starmin.verify.releases.range_ends import hidden_cells

_SOME = 10  # what no count is below where no k is promised


def public_page(summary: Summary) -> str:
    """Return the page."""
    kept, released = summary.kept, summary.published
    problem, release = kept.problem, summary.release
    assert release is not None
    recoding, table = problem.coding.recoding, problem.original
    told, k = promised(problem.requirement, recoding, problem.table)
    apart, least = recoding == PERMUTATION, 0
    if problem.objective.kind == "gcp":
        bound = problem.shown(summary.result.lower_bound) or 0.0
        least = math.floor(100 * bound + 1e-9)
    rows = []
    for name in problem.public.names:
        role = "sensitive" if name in table.sensitive else "other"
        if name in table.qi:
            role = "apart" if apart else "qi"
        changed = ""
        if name in released.names and name not in problem.requirement.columns:
            changed = _changed(kept, hidden_cells(table, released, name), k or _SOME)
        rows.append((name, role, changed))
    return render(
        "public.html",
        title="A release that protects the people in it",
        version="",  # no number but those of the release
        told=told,
        k=k,
        deletes=summary.problem.requirement.may_delete,
        n=f"{released.n:,}" if released.n >= (k or _SOME) else None,
        rows=rows,
        apart=apart,
        lost=None if apart else whole_percent(release.gcp),
        least=f"{least} %" if least else None,
        optimal=summary.claim == "optimal",
    )


def promised(
    asked: Requirement, recoding: str | None, table: Table
) -> tuple[str, int | None]:
    """Say what a release promises, and return the largest k of that; None: no k."""
    known = ", ".join(table.qi)
    rules = next((p for p in asked.parts if isinstance(p, CombinationRules)), None)
    persons = part_of(asked, Persons)
    if rules is not None:
        ks = [k for _, k in rules.stated(table.qi)] or [_SOME]
        whom = "rows" if rules.population is None else "people of the population"
        return (
            f"Each combination of {known} that was agreed on, and that a row shows, is "
            f"that of at least {min(ks)} {whom}."
        ), max(ks)
    inner, unit = (asked, "row") if persons is None else (persons.inner, persons.unit)
    core = inner.core
    k = max(core.size, math.ceil(core.diversity), core.distinct)
    told = f"Each {unit} looks like at least {k} {unit}s by {known}."
    if k < 2:
        told = f"People are hard to single out by {known}."
    elif recoding == NONHOMOGENEOUS:
        told = f"Each row may be that of any of at least {k} people by {known}."
    elif recoding == PERMUTATION:
        told = (
            f"To which of at least {k} {unit}s a sensitive value belongs is not told."
        )
    if diverse := part_of(inner, LDiversity):
        told += f" Of {unit}s that look alike, at most {math.ceil(100 / diverse.l)} % "
        told += "have the same sensitive value."
    if any(not isinstance(part, KAnonymity | LDiversity) for part in inner.parts):
        told += " Further conditions hold, which whoever publishes it can name."
    return told, k if k > 1 else None


def whole_percent(share: float) -> str:
    """Write a share as a whole per cent.

    >>> whole_percent(0.126), whole_percent(0.001), whole_percent(0.999)
    ('13 %', 'less than 1 %', 'nearly 100 %')
    """
    shown = f"{round(100 * share)} %"
    if share > 0 and shown == "0 %":
        return "less than 1 %"
    return "nearly 100 %" if share < 1 and shown == "100 %" else shown


def _changed(summary: Summary, changed: Bools, k: int) -> str:
    """Return which share of a column is changed; of fewer than k people it is untold.

    Where persons have several rows, persons count.
    """
    problem, n = summary.problem, len(changed)
    persons = part_of(problem.requirement, Persons)

    ids: IntArray = np.arange(n)
    if persons is not None:
        ids = problem.original.column(persons.column)

    def many(rows: Bools) -> int:
        return len(np.unique(ids[rows]))

    if 0 < many(changed) < k:
        return "less than 1 %" if 100 * int(changed.sum()) < n else "few"
    if 0 < many(~changed) < k:
        return "nearly all"
    return whole_percent(float(changed.mean()))
