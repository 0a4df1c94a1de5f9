"""The risk that a release leaves: k, l, t as asked and as they hold; who is found."""

import math
from typing import Any

import numpy as np

from starmin.instances import MissingValues, Requirement
from starmin.instances.requirements.requirements import describe
from starmin.instances.requirements.requirements import measures as known_measures
from starmin.instances.tables.names import counted, some_of
from starmin.report.page import NONE, Cell, DataTable, number, share
from starmin.report.release.figures import Figures, Found
from starmin.verify.releases.disclosure import Disclosure

_WHY_MATCHED = "perfect matchings without a common pair: plausible people for each row"


def still_learned(figures: Figures, beside: Disclosure) -> list[str]:
    """Say what a reader may still learn of a person, also by what is beside."""
    table, check = figures.problem.table, figures.check
    lines = [_of_finding(figures)]
    if check is not None and check.l is not None:
        names = " or ".join(table.sensitive)
        more = (
            "Whoever also knows the quasi-identifiers of the others of a group, and "
            "that as little as possible was hidden, may rule out more values, in some "
            "releases all but one."
        )
        if figures.apart:
            more = (
                f"Whoever learns from the whole release which {names} goes with which "
                "quasi-identifiers guesses right more often, as these are published as "
                "they are."
            )
        lines += [
            f"Of a group, at most {_at_most(1 / check.l)} have the same {names}. "
            "Whoever knows only that a person is in the group guesses right no more "
            "often.",
            more,
        ]
        if check.distinct_l == 1:
            lines.append(
                f"In some groups all rows have the same {names}: whoever finds such a "
                "group knows it."
            )
    elif table.sensitive:
        names = " and ".join(table.sensitive)
        lines.append(f"Nothing is promised of {names}, which is published as it is.")
    if beside.unchanged is not None:
        lines.append(
            f"Published unchanged: {beside.unchanged}. Whoever knows values there may "
            "find a person by them."
        )
    lines += [
        f"{each}: whoever sees the row knows these cells." for each in beside.named
    ]
    lines += [f"{beside.others}."] if beside.others else []
    if beside.range_ends is not None:
        lines.append(
            f"{beside.range_ends}. Rounded ranges tell no value for certain (--round "
            f"{beside.range_ends.rounded})."
        )
    return [
        *lines,
        "That a person is in the table is not hidden from someone who knows who was "
        "asked.",
        "Two releases of the same people can tell more together than each of them "
        "alone.",
    ]


def _of_finding(figures: Figures) -> str:
    """Say how far the row of a person can be found."""
    check, columns = figures.check, some_of(figures.problem.table.qi)
    if check is None:
        return (
            f"Whoever knows no more of a person than {columns} finds at least "
            f"{figures.matchings or 0:,} rows that may be that person's, and by these "
            "columns no way to rule any of them out."
        )
    if figures.apart:
        return (
            f"Whoever knows {columns} of a person finds the row, and the group: at "
            f"least {check.k:,} rows, {np.median(figures.sizes):,.6g} in half of the "
            "groups or less. Which of the group's sensitive values belong to the row "
            "is hidden."
        )
    return (
        f"Whoever knows no more of a person than {columns} finds a group of at least "
        f"{check.k:,} rows and picks the right one with a probability of at most "
        f"{_at_most(1 / check.k)}."
    )


def _at_most(share: float) -> str:
    """Write a probability in percent, rounded up."""
    return f"{math.ceil(1000 * share - 1e-6) / 10:g} %"


def risk_table(figures: Figures, asked: Requirement | None, holds: bool) -> DataTable:
    """Write what was asked, None: nothing, and what holds."""
    told = describe(figures.problem.requirement if asked is None else asked)
    wanted = ", ".join(f"{name} {v}" for name, v in told.items() if v is not None)
    word = Cell("yes", tone="good") if holds else Cell("no", tone="bad")
    rows = [("Requirement", None, word, wanted), *_measured(figures)]
    if asked is None:
        rows = [(name, None, *rest) for name, _, *rest in rows[1:]]
    header = "Measure|#Asked|#Holds|Meaning"
    caption = "What was asked and what holds"
    return DataTable.of("risk", caption, header, rows, sortable=False)


def _measured(figures: Figures) -> list[tuple[Any, ...]]:
    """Measure, asked, holds, meaning."""
    check, asked = figures.check, figures.problem.requirement
    if check is None:
        wanted = _wanted(describe(asked).get("k"))
        return [("k", wanted, figures.matchings, _WHY_MATCHED)]
    rows = list[tuple[Any, ...]]()
    parts = [p.inner if isinstance(p, MissingValues) else p for p in asked.parts]
    for measure, kind in known_measures().items():
        if kind.of_sensitive and check.l is None:
            continue
        if measure.key == "l" and check.l:
            why = "the greatest share of a sensitive value in a group: 1/l"
            rows.append(("Largest share", None, share(1 / check.l), why))
        # what parts of the kind ask for, each with its number
        each = [p.as_json()[p.options[0].name] for p in parts if p.measure is measure]
        wanted = _wanted(each[0] if len(each) == 1 else max(each, default=None))
        value, why = check.measures[measure.key], measure.meaning
        shown = _floored(value) if measure.more_is_better else value
        rows.append((measure.title, wanted, shown, why))
        if measure.key == "k" and not figures.apart:
            why = "by the quasi-identifiers alone, at most: 1/k"
            rows.append(("Risk to be found", None, share(1 / check.k), why))
    return rows


def _wanted(value: Any) -> Cell:
    return number(value) if isinstance(value, int) else Cell(str(value or NONE))


def _floored(value: float | None) -> Cell:
    """Round down for display, so that no more is shown than there is."""
    if value is None or isinstance(value, int):
        return number(value)
    text = f"{math.floor(value * 10_000 + 1e-6) / 10_000:,.4f}"
    return Cell(text.rstrip("0").rstrip("."), value)


def risk_change(figures: Figures) -> DataTable | None:
    """Compare who is found before and after; None where nothing of that changes."""
    if figures.apart:
        return None
    found = figures.before, figures.after
    alone = "found for certain by who knows the quasi-identifiers"
    alike = "they look alike to who knows the quasi-identifiers"
    knows = "knows that a person is in the table, and takes a row that looks so"
    same = "the same of all rows"
    linked = "rows expected to be linked right, where each one is linked"
    lines = [
        ("Rows like no other", alone),
        ("Rows in the smallest class", alike),
        ("Prosecutor, at most", knows),
        ("Prosecutor, on average", same),
        ("Marketer", linked),
    ]
    if seen := [one.people for one in found if one and one.people]:
        guess = "does not know who is in the table; by the sampling weights"
        if not all(people.estimated for people in seen):
            guess = "knows the population, but not who of it is in the table"
        lines += [("Journalist, at most", guess), ("Journalist, on average", same)]
    each = zip(lines, *map(_linked, found), strict=False)
    rows = [[name, *both, meaning] for (name, meaning), *both in each]
    if figures.check is None and figures.matchings:
        rows[2][2] = share(1 / figures.matchings)
    header = "Who|#Before|#After|Meaning"
    caption = "How well a person is found by the quasi-identifiers"
    return DataTable.of("risk-change", caption, header, rows, sortable=False)


def _linked(one: Found | None) -> list[int | Cell | None]:
    """Return the figures of the lines of ``risk_change``."""
    if one is None:
        return [None] * 7
    classes, linked = one.classes, list[float | None]([None, None])
    if one.people is not None:  # what a journalist links right, at most and on average
        linked = [one.people.highest, one.people.expected / classes.rows]
    at_most, average = share(1 / classes.smallest), share(classes.average)
    told = classes.uniques, classes.smallest, at_most, average, len(classes.sizes)
    return [*told, *map(share, linked)]


def risk_note(figures: Figures) -> str:
    """Say what is counted before, among whom a journalist looks, and who is missing."""
    lines, people, floors = [], figures.people, figures.problem.table.floors
    if floors and figures.compared:
        lines.append(
            f"Before is counted from the table with the floors of {some_of([*floors])} "
            "applied, which were asked for."
        )
    if people is not None and not figures.apart:
        size = counted(people.size, "person", "people")
        lines.append(
            f"The population is {people.table.name}, {size}; each counts in every "
            "class whose cells may be theirs."
        )
        before = figures.before
        if before and (found := before.people) and found.fewer:
            lines.append(
                f"{counted(found.fewer, 'row')} of the original "
                f"{'looks' if found.fewer == 1 else 'look'} like fewer people of it "
                "than there are rows, so it does not hold everybody."
            )
    return " ".join(lines)
