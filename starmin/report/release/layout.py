"""How the figures of a release are laid out, whoever made it, as a page of HTML."""

import math
from typing import Any

import numpy as np

from starmin.instances import MissingValues, Requirement
from starmin.instances.releases.coding import NONHOMOGENEOUS, SUPPRESSION
from starmin.instances.requirements.requirements import describe
from starmin.instances.requirements.requirements import measures as known_measures
from starmin.instances.tables.names import counted, some_of
from starmin.report.page import NONE, Cell, DataTable, number, render, share
from starmin.report.release import column_facts, downstream, relations, release_figures
from starmin.report.release.figures import Figures, Found
from starmin.verify.releases.disclosure import Disclosure


def lay_out(figures: Figures, beside: Disclosure, **said: Any) -> str:
    """Write the page, as text of HTML.

    ``beside`` is what is published beside the quasi-identifiers. ``said`` is what only
    a search, or only a check, says: parts of the template, and others of its own in the
    place of those here.
    """
    parts = _compared(figures) if figures.compared else _ALONE
    parts = parts | {
        "of": figures,
        "beside": beside,
        "middle": f"{np.median(figures.sizes):,.6g}",
        "risk_change": risk_change(figures),
        "figure": release_figures.size_figure(figures.sizes, figures.check is None),
        "sizes": DataTable.of(
            "sizes",
            "The figure in numbers",
            "#Stars|#Rows" if figures.check is None else "#Rows|#Classes",
            [
                (Cell(f"{a:,}" if a == b else f"{a:,} to {b:,}", a), count)
                for a, b, count in release_figures.bins(figures.sizes)
                if count
            ],
            sortable=False,
        ),
        "original": True,
        "sheet": None,
        "findings": None,
        "inferred": (),
        "proof": None,
        "again": None,
    }
    return render("release.html", **parts | said)


def about(rows: int, figures: Figures, asked: Requirement | None) -> str:
    """Say how many rows there are, by what people are known, and what was asked."""
    problem = figures.problem
    table, recoding = problem.table, problem.coding.recoding or SUPPRESSION
    named = {} if asked is None else asked.as_told()
    told = [f"{name} = {v}" for name, v in named.items() if v is not None]
    sensitive = f"; sensitive: {', '.join(table.sensitive)}" if table.sensitive else ""
    how = recoding.replace(NONHOMOGENEOUS, "non-homogeneous suppression")
    return (
        f"{counted(rows, 'row')}, {counted(table.d, 'quasi-identifier')} "
        f"({', '.join(table.qi)}){sensitive}. Asked: {', '.join(told) or 'nothing'}, "
        f"by {how}."
    )


_ALONE = {"worth": None, "utility": None}


def _compared(figures: Figures) -> dict[str, Any]:
    """Return the parts that lay a release beside its original."""
    problem, facts, related = figures.problem, figures.facts, figures.related
    recoding, star = problem.coding.recoding or SUPPRESSION, problem.coding.star
    (pairs, cells), known = related.most_changed(), figures.cells or {}
    changed = {column.name for column in facts or () if column.changed}
    labels, fit, model, model_of = figures.labels.values, figures.fit, None, None
    if (formula := figures.formula) is not None:
        asked = problem.table, figures.released, problem.coding
        model = downstream.downstream(formula, *asked)
        model_of = formula.target, some_of(formula.features), model.measure
    return {
        "facts": facts,
        "words": [
            (each, column_facts.coarse(figures.released, each.name, star, known))
            for each in facts or ()
        ],
        "columns": facts and column_facts.by_columns(facts, recoding),
        **release_figures.level_parts(figures.released, problem.coding),
        "figures": [
            release_figures.column_figure(place, column, labels.get(column.name))
            for place, column in enumerate(figures.columns)
            if column.name in changed
        ],
        "by_value": facts and column_facts.by_values(facts, recoding, labels),
        "worth": relations.worth_table(related.columns),
        "weight": figures.weight,
        "by_weights": figures.weights is not None,
        "cross": related.cross_table(),
        "relations": relations.pair_table(pairs) if pairs else None,
        "pairs": len(pairs),
        "first": (relations.COLUMNS, relations.SHOWN),
        "worst_cells": relations.cell_table(cells) if cells else None,
        "model": model and downstream.model_table(model),
        "model_of": model_of,
        "utility": _utility_table(figures),
        "estimated_by": f"{fit.asked:,}" if fit.asked != fit.cells else None,
        "combinations": f"{fit.cells:,}",
    }


def _utility_table(figures: Figures) -> DataTable:
    """Write what the release is worth to who counts."""
    fit, columns = figures.fit, figures.facts or []
    cells = sum(column.rows for column in columns)
    changed = sum(column.changed for column in columns) / cells if cells else 0.0
    lost = sum(column.lost for column in columns) / len(columns) if columns else 0.0
    error = "mean error of the count of a combination of values, by that count"
    rows = [
        ("Cells published as they are", share(1 - changed), "of quasi-identifiers"),
        ("Information lost", share(lost), "the mean loss of a cell (GCP)"),
        ("KL", fit.kl, "nats; 0 where release and original tell the same"),
        ("Relative error", fit.relative_error, error),
    ]
    caption = "What the release is worth to who counts with it"
    header = "Measure|#Value|Meaning"
    return DataTable.of("utility", caption, header, rows, sortable=False)


# The risk that a release leaves: k, l, t as asked and as they hold; who is found.

_WHY_MATCHED = "perfect matchings without a common pair: plausible people for each row"


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
