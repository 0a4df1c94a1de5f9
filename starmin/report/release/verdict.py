"""What a report says first, for whoever signs: promise, costs, warnings, next step."""

from typing import Any

import numpy as np

from starmin.instances import IntArray, Persons, Status, Table, group_by
from starmin.instances.arrays import Bools, Ints
from starmin.instances.io.beside import Labels
from starmin.instances.releases.coding import PERMUTATION
from starmin.instances.requirements.requirement import MASK, part_of
from starmin.instances.runs.progress import savable
from starmin.instances.tables.names import some_of
from starmin.outputs.summary import Summary
from starmin.report.headline import percent
from starmin.report.page import Cell, DataTable
from starmin.report.release.column_facts import labelled
from starmin.report.release.public_page import promised
from starmin.verify.releases.range_ends import hidden_cells

_COLUMNS = 8  # of the rows that are shown
_LETTERS = 40  # of a cell there


def verdict(summary: Summary) -> dict[str, Any]:
    """Return what the first part of the page says of a release that was just made."""
    kept = summary.kept
    problem, table = kept.problem, kept.problem.original
    told, _ = promised(problem.requirement, problem.coding.recoding, problem.table)
    return {
        "protected": told,
        "table": table,
        "core": problem.requirement.core,
        "seen": summary.disclosure,
        "n": problem.table.n,
        "people": "rows" if part_of(problem.requirement, Persons) else "people",
        "same": {c: _same(summary, c) for c in problem.table.sensitive},
        "numbers": _numbers(summary),
        "rows": _rows(summary),
        "out": summary.out,
    }


def _numbers(summary: Summary) -> list[tuple[str, str, str]]:
    """Return who stands alone before and now, what is lost, what could be saved."""
    kept, found, release = summary.kept, summary.result, summary.release
    assert release is not None
    table, asked = summary.problem.original, kept.problem.requirement
    before, known = _alone(table, summary), some_of(table.qi)
    now, who = 0, f"people by {known}, before and now"
    if asked.space == MASK:
        who = f"rows by {known} before; now no combination that was agreed on is rare"
    elif kept.problem.coding.recoding == PERMUTATION:
        now = before
        who += "; what is sensitive stands apart from them"
    elif not kept.problem.rowwise:
        now = _alone(summary.published, kept)
    saved, of_it = "0 %", "nothing: no release with this promise loses less"
    if found.status is not Status.OPTIMAL and release.stars + release.gcp:
        saved, of_it = "not known", "how much less would be enough"
        if found.lower_bound:
            saved = savable(found.value, found.lower_bound).replace("%", " %")
            of_it = "of that at most, by any release with this promise"
    return [
        ("Stand alone", f"{before:,} → {now:,}", who),
        ("Lost", percent(release.gcp), f"of what {known} tell"),
        ("Could be saved", saved, of_it),
    ]


def _alone(table: Table, summary: Summary) -> int:
    """Count the people whose class by the quasi-identifiers has nobody else."""
    types, persons = table.row_types, part_of(summary.problem.requirement, Persons)
    counts = types.counts
    if persons is not None:
        ids = summary.problem.original.column(persons.column)
        counts = _different(types.inverse, ids)
    return int((counts == 1).sum())


def _same(summary: Summary, column: str) -> tuple[int, int]:
    """Count groups that have one sensitive value alone, and their rows."""
    released, problem = summary.published, summary.kept.problem
    if problem.rowwise or problem.requirement.space == MASK:
        return 0, 0
    classes: Ints = released.row_types.inverse.astype(np.int64)
    if problem.coding.recoding == PERMUTATION:
        assert summary.release is not None
        assert summary.release.groups is not None
        classes = np.asarray(summary.release.groups, np.int64)
    alone = _different(classes, problem.table.column(column)) == 1
    return int(alone.sum()), int(alone[classes].sum())


def _different(classes: IntArray, values: IntArray) -> Ints:
    """Count the different values of each class."""
    return np.bincount(classes[group_by([classes, values]).first])


def _rows(summary: Summary) -> DataTable:
    """Show three rows before and after, of those in which something is hidden."""
    kept, released = summary.kept, summary.published
    table = kept.problem.table  # as floors leave it: the page shows nothing below
    names = [c for c in (*table.qi, *table.sensitive) if c in released.names]
    changed = {c: hidden_cells(table, released, c) for c in names}
    hidden: Bools = np.any([*changed.values()], axis=0)
    some = np.flatnonzero(hidden) if hidden.any() else np.arange(table.n)
    rows = sorted({int(some[0]), int(some[len(some) // 2]), int(some[-1])})
    names.sort(key=lambda c: not changed[c][rows].any())
    labels = summary.origin.beside.labels
    lines = [
        [Cell(column), *(_cell(table, released, column, i, labels) for i in rows)]
        for column in names[:_COLUMNS]
    ]
    header = [("Column", False), *((f"Row {i + 1:,}", False) for i in rows)]
    caption = "Three rows, before → after"
    return DataTable("three-rows", caption, header, lines, sortable=False)


def _cell(table: Table, released: Table, column: str, row: int, labels: Labels) -> Cell:
    known = labels.values.get(column, {})
    before, after = (
        labelled(t.dictionary(column)[int(t.column(column)[row])], known)[:_LETTERS]
        for t in (table, released)
    )
    return Cell(before) if before == after else Cell(f"{before} → {after}", tone="now")
