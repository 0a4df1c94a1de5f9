"""How the figures of a release are laid out, whoever made it, as a page of HTML."""

from typing import Any

import numpy as np

from starmin.instances import Requirement
from starmin.instances.releases.coding import NONHOMOGENEOUS, SUPPRESSION
from starmin.instances.tables.names import counted, some_of
from starmin.report.page import Cell, DataTable, render, share
from starmin.report.release import (
    column_facts,
    downstream,
    relations,
    release_figures,
    risk_left,
)
from starmin.report.release.figures import Figures
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
        "risk_change": risk_left.risk_change(figures),
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
