"""Tests that cells of the pages on papers, drawn at random, are what is computed.

Cells that are counts of seconds, or need data that is not in the repository, or more
than about two seconds each, are left out. Those on samples are all recomputed in
``test_linkage_figures.py``, the best known values in ``test_best_known.py``.
"""

import csv
import random
import re
from importlib import import_module
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

import starmin
from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.heuristics.nonhomogeneous.ring import ring
from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, two_phase
from starmin.heuristics.orders.hilbert_suppression import hilbert_suppression
from starmin.heuristics.three_phase.three_phase import three_phase
from starmin.heuristics.three_phase.three_phase_hybrid import three_phase_hybrid
from starmin.instances import STARS, KAnonymity, LDiversity
from starmin.instances.catalogue.census import census
from starmin.instances.catalogue.generators import normal
from starmin.models.nonhomogeneous.own_star_set import own_star_set
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.registry.methods import METHODS

HOME = Path(__file__).parents[1]
DOCS = HOME / "docs"
SETTINGS = (TwoPhaseParams(steps=0), TwoPhaseParams(), TwoPhaseParams(to_the_end=True))


@pytest.fixture
def papers(monkeypatch):
    """Import a script of the papers."""
    monkeypatch.syspath_prepend(HOME / "benchmarks" / "papers")
    return import_module


@pytest.fixture
def table_of(papers):
    """The first table below a line whose head begins so: cells by row and column."""

    def find(page, heading, head=""):
        lines = (DOCS / f"{page}.md").read_text("utf-8").splitlines()
        below = lines[lines.index(heading) + 1 :]
        for top, _, *rows in papers("reproduced_cells").tables(below):
            if top[0].startswith(head):
                return {
                    (row[0], column): cell
                    for row in rows
                    for column, cell in zip(top, row, strict=True)
                }
        raise AssertionError(heading)

    return find


def five(cells):
    return random.Random().sample(list(cells), 5)


def test_five_cells_of_both_settings_of_phase_2():
    page = (DOCS / "nonhomogeneous.md").read_text()
    lines = re.findall(r"^\| 1,000 \| (\d+) \| (.*) \|$", page, re.M)
    cells = [
        (int(k), setting, cell)
        for k, rest in lines
        for setting, cell in zip(SETTINGS, rest.split(" | "), strict=True)
    ]
    assert len(cells) == 9
    table = census(1000, "none")
    for k, setting, cell in five(cells):
        found = two_phase(table, KAnonymity(k), params=setting)
        assert f"{found.value:,}" == cell.partition(" ")[0], (k, setting)


def test_the_example_of_three_kinds_of_release(table_of):
    stars = table_of("nonhomogeneous", "**The paper's example, k = 2**")
    table = starmin.load_instance("murakami-uno")
    global_one = starmin.solve(table, k=2, method="single_dimensional")
    found = {
        "one recoding for all rows": global_one.stats["recoded"],
        "groups": starmin.solve(table, k=2).value,
        "without groups": starmin.solve(table, k=2, recoding="nonhomogeneous").value,
    }
    assert {row: stars[row, "stars"] for row in found} == {
        row: str(value) for row, value in found.items()
    }


def test_five_cells_of_rings_and_of_the_bound_of_murakami_and_uno(papers):
    """GCP of 20,000 rows, of tables that the page has in lines."""
    page = (DOCS / "nonhomogeneous.md").read_text()
    lines = re.findall(r"^\| (census|normal10) \| (\d+) \| ([^a-z]*) \|$", page, re.M)
    tables = {"census": census(20_000, "none"), "normal10": normal(20_000, 10, 10)}
    at = {ring: 0, own_star_set: 4}
    cells = [(name, int(k), rest, by) for name, k, rest in lines for by in at]
    assert len(cells) == 8
    for name, k, rest, by in five(cells):
        table = tables[name]
        found = by(table, KAnonymity(k))
        value = found.lower_bound if by is own_star_set else found.value
        assert f"{value / table.n / table.d:.4f}" == rest.split(" | ")[at[by]]


def test_five_cells_of_the_three_phases(table_of):
    """Of two tables with 600,000 rows, where few projections are averaged."""
    methods = {"TP": three_phase, "TP+": three_phase_hybrid}
    by_d = table_of("three_phase", "## Figure 3: stars by d, l = 6")
    cells = [
        (name, method, d, by_d[f"{name}, {method}", str(d)])
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
        assert f"{fmean(stars):,.0f}" == cell, (name, method, d)


def test_five_cells_of_the_one_dimensional_framework(papers, table_of):
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
        axis = case.experiment.split(" by ")[-1]
        heading = f"### Figure {figure.number}, {case.table}: {figure.title}"
        what = script.page.WHAT[measure]
        head = f"{what}, seconds by" if measure == "gcp" else f"{what} by"
        cell = table_of("hilbert_framework", heading, f"{head} {axis}")
        found = script.measure(case, HOME)[measure]
        shown = cell[case.method, f"{case.x:g}"].partition(",")[0]
        assert f"{found:.4g}" == shown, case


def test_five_cells_of_facility_location(papers, table_of):
    script = papers("facility_location")
    with (DOCS / "data" / "facility_location.csv").open(newline="") as file:
        _, *lines = csv.reader(file)
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


def test_five_cells_of_the_reductions(papers, table_of):
    """Ratios, and what is lifted, of methods that no clock stops."""
    script = papers("reductions")
    lines = (DOCS / "explanation/hardness.md").read_text().splitlines()
    below = lines[lines.index(script.BEGIN) + 1 : lines.index(script.END)]
    cells = []
    for top, _, *rows in papers("reproduced_cells").tables(below):
        cells += [
            (row[0], method, cell)
            for row in rows
            for method, cell in zip(top, row, strict=True)
            if method in METHODS and method != "large_neighbourhood" and cell != "-"
        ]
    titles = {
        ":".join([name, ",".join(f"{k}={v}" for k, v in given.items())]): (name, given)
        for name, given in script.SETTINGS
    }
    assert len(cells) > 80
    for title, method, cell in five(cells):
        case = script.Case.of(*titles[title])
        assert case.cell(METHODS[method]) == cell, (title, method)
