"""Tests that cells of the pages on papers, drawn at random, are what is computed.

Cells that are counts of seconds, or need data that is not in the repository, or more
than about two seconds each, are left out. Those on samples are all recomputed in
``test_paper_benchmarks.py``, the best known values in ``test_best_known.py``.
"""

import csv
import random
from importlib import import_module
from itertools import combinations
from statistics import fmean

import numpy as np
import pytest

import starmin
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.approximation.three_phase import three_phase, three_phase_hybrid
from starmin.heuristics.nonhomogeneous.ring import ring
from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, two_phase
from starmin.heuristics.orders.suppression import hilbert_suppression
from starmin.instances import STARS, KAnonymity, LDiversity
from starmin.instances.catalogue.generators import census, normal
from starmin.models.nonhomogeneous.own_star_set import own_star_set
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.registry import METHODS
from tests.support.places import HOME

DOCS = HOME / "docs"
SETTINGS = (TwoPhaseParams(steps=0), TwoPhaseParams(), TwoPhaseParams(to_the_end=True))


@pytest.fixture
def papers(monkeypatch):
    """Import a script of the papers."""
    for family in ("one_dimensional", "optimum"):
        monkeypatch.syspath_prepend(HOME / "benchmarks" / "papers" / family)
    return import_module


def kept(name, **where):
    """The rows that are kept under a name, with these cells."""
    with (DOCS / "data" / f"{name}.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    return [row for row in rows if all(row[c] == cell for c, cell in where.items())]


def five(cells):
    return random.Random().sample(list(cells), 5)


def test_five_cells_of_both_settings_of_phase_2():
    heads = ("phase 1", "short searches", "to the end")
    cells = [
        (int(row["k"]), setting, row[head])
        for row in kept("nonhomogeneous_phase_2", rows="1000")
        for setting, head in zip(SETTINGS, heads, strict=True)
    ]
    assert len(cells) == 9
    table = census(1000, "none")
    for k, setting, cell in five(cells):
        found = two_phase(table, KAnonymity(k), params=setting)
        assert str(found.value) == cell, (k, setting)


def test_the_example_of_three_kinds_of_release():
    stars = {row["release"]: row["stars"] for row in kept("nonhomogeneous_example")}
    table = starmin.load_instance("murakami-uno")
    global_one = starmin.solve(table, k=2, method="single_dimensional")
    found = {
        "one recoding for all rows": global_one.stats["recoded"],
        "groups": starmin.solve(table, k=2).value,
        "without groups": starmin.solve(table, k=2, recoding="nonhomogeneous").value,
    }
    assert stars == {row: str(value) for row, value in found.items()}


def test_five_cells_of_rings_and_of_the_bound_of_murakami_and_uno():
    """GCP of 20,000 rows."""
    rows = kept("nonhomogeneous_rings")
    tables = {"census": census(20_000, "none"), "normal10": normal(20_000, 10, 10)}
    cells = [(row, by) for row in rows for by in (ring, own_star_set)]
    assert len(cells) == 8
    for row, by in five(cells):
        table = tables[row["table"]]
        found = by(table, KAnonymity(int(row["k"])))
        value = found.lower_bound if by is own_star_set else found.value
        assert f"{value / table.n / table.d:.4f}" == row[by.__name__]


def test_five_cells_of_the_three_phases():
    """Of two tables with 600,000 rows, where few projections are averaged."""
    methods = {"TP": three_phase, "TP+": three_phase_hybrid}
    by_d = {
        (row["table"], row["method"], row["x"]): row["value"]
        for row in kept("three_phase", figure="3", measure="stars")
    }
    cells = [
        (name, method, d, by_d[name, method, str(d)])
        for name in ("SAL", "OCC")
        for method in (*methods, "Hilbert")
        for d in ((7,) if method == "Hilbert" else (1, 2, 6, 7))
    ]
    tables = {"SAL": census(600_000, "income"), "OCC": census(600_000, "occupation")}
    for name, method, d, cell in five(cells):
        table = tables[name]
        solve = methods.get(method, hilbert_suppression)
        stars = [
            solve(
                table.with_roles(columns, table.sensitive),
                LDiversity(6),
                objective=STARS,
            ).value
            for columns in combinations(table.qi, d)
        ]
        assert f"{fmean(stars):.0f}" == cell, (name, method, d)


def test_five_cells_of_the_one_dimensional_framework(papers):
    script = papers("hilbert_framework")
    titled = {
        figure.experiments[0]: figure
        for figure in script.page.FIGURES
        if figure.measures == script.page.LOSS
    }
    measures = [f for f in script.page.FIGURES if f.measures[0].endswith(("ncp", "me"))]
    assert len(measures) == 3
    cells = [
        (case, figure, figure.measures[0])
        for case in script.cases(50_000, 50_000)
        if case.table != "adult" and case.method in script.page.GENERALIZED[:-1]
        for figure in (titled.get(case.experiment), *measures)
        if figure is not None and case.experiment in figure.experiments
        if case.experiment not in ("k by n", "l by n")
    ]
    assert len(cells) > 150
    for case, figure, measure in five(cells):
        (row,) = kept(
            "hilbert_framework",
            figure=str(figure.number),
            table=case.table,
            measure=script.page.WHAT[measure],
            by=case.experiment.split(" by ")[-1],
            method=case.method,
            x=f"{case.x:g}",
        )
        found = script.measure(case, HOME)[measure]
        assert script.page.shown(measure, found) == row["value"], case


def test_five_cells_of_facility_location(papers):
    script = papers("facility_location")
    lines = [[*row.values()] for row in kept("facility_location")]
    rng = np.random.default_rng(0)
    tables = [
        (script.drawn(rng, m, symbols, n), k)
        for m, symbols, n, k in script.CASES
        for _ in range(3)
    ]
    assert len(lines) == len(tables)
    cells = [(line, column) for line in range(9) for column in range(1, 5)]
    for line, column in five(cells):
        table, k = tables[line]
        patterns = closed_patterns(table, table.row_types, STARS, k)
        found = {
            1: lambda some=patterns: len(some),
            2: lambda t=table, k=k: pattern_cover(t, KAnonymity(k)).value,
            3: lambda some=patterns, k=k: script.local_search(some, k),
            4: lambda t=table, k=k: pattern_ilp(t, KAnonymity(k)).value,
        }[column]()
        assert str(found) == lines[line][column], (line, column)


def test_five_cells_of_the_reductions(papers):
    """Ratios, and what is lifted, of methods that no clock stops."""
    script = papers("reductions")
    cells = [
        (row["instance"], method, cell)
        for row in kept("reductions_k") + kept("reductions_l")
        for method, cell in row.items()
        if method in METHODS and cell != "-"
        if "time_limit" not in METHODS[method].options()
        # Anatomy deals rows in an order drawn from the system's secrets.
        if "shuffle_seed" not in METHODS[method].options()
    ]
    titles = {
        ":".join([name, ",".join(f"{k}={v}" for k, v in given.items())]): (name, given)
        for name, given in script.SETTINGS
    }
    assert len(cells) > 80
    for title, method, cell in five(cells):
        case = script.Case.of(*titles[title])
        assert case.cell(METHODS[method]) == cell, (title, method)
