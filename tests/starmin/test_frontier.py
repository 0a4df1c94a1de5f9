"""Tests that a frontier is valid, monotone, proven, and kept by an interrupt."""

import csv
import json
import random
import shlex
import sys
from pathlib import Path

import polars
import pytest

import starmin
from starmin.cli.app import main
from starmin.frontiers.figure import frontier_figure
from starmin.frontiers.frontier_search import (
    Curve,
    Point,
    carry_over,
    hardest_first,
    search_frontier,
)
from starmin.instances import Limit, Problem, Result
from starmin.instances.runs.search_control import ask_to_stop
from starmin.verify.brute_force import brute_force
from tests.support.report_pages import assert_alone
from tests.support.small_problems import ask, random_table


def points(table, asked):
    """One point for each pair of k and l."""
    return [Point(k, l, Problem(table, ask(k, l))) for k, l in asked]


def run(monkeypatch, line):
    """A command in this process; its exit code."""
    monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
    return main()


@pytest.mark.parametrize("seed", range(8))
def test_each_point_is_the_optimum_of_brute_force(seed):
    rng = random.Random(seed)
    table = random_table(rng, least=6).with_roles(["u"], ["s"])
    asked = points(table, [(2, 1), (3, 1), (2, 2), (5, 1), (4, 2)])
    found = search_frontier(asked, "auto", lambda: 60.0, {}, workers=2)
    assert list(found) == asked
    for point, result in found.items():
        oracle = brute_force(table, point.problem.requirement)
        assert result.value == result.lower_bound == oracle.value
        assert (result.reason is None) == (oracle.best is not None)


def test_harder_requirements_come_first_and_start_the_easier_ones(monkeypatch):
    table = random_table(random.Random(1), least=9, most=9)
    asked = points(table, [(2, 1), (4, 1), (3, 1), (3, 2)])
    order = hardest_first(asked)
    for i, point in enumerate(order):
        assert not any(later.implies(point) for later in order[i + 1 :])
    begun = []

    def solve(method, problem, options, control):
        requirement = problem.requirement
        begun.append((requirement, options.get("initial"), options.get("prices")))
        named = {"certificate": f"proof of {requirement}", "stats": {"method": "m"}}
        return Result(f"release of {requirement}", 1, 0, 0.0, **named)

    monkeypatch.setattr("starmin.frontiers.frontier_search.solve_by", solve)
    search_frontier(order, "auto", lambda: 60.0, {}, workers=1)
    four, three, two = (ask(k, 1) for k in (4, 3, 2))
    assert [requirement for requirement, *_ in begun] == [ask(3, 2), four, three, two]
    assert begun[0][1:] == (None, None)
    assert all(start is not None for _, start, _ in begun[2:])
    assert [prices for *_, prices in begun[1:]] == [
        None,  # those of l = 2 are for other row types
        f"proof of {four}",
        f"proof of {three}",
    ]


def test_releases_and_bounds_are_carried_to_where_they_hold():
    table = random_table(random.Random(2), least=9, most=9)
    two, three, five = points(table, [(2, 1), (3, 1), (5, 1)])
    alone = {
        two: Result("a", 10, 8, 0.0, stats={"method": "x"}, bound_method="p"),
        three: Result("b", 14, 5, 0.0, stats={"method": "y"}, bound_method="q"),
        five: Result("c", 12, None, 0.0, stats={"method": "z"}),
    }
    carried = carry_over(alone)
    assert [r.best for r in carried.values()] == ["a", "c", "c"]
    assert [r.value for r in carried.values()] == [10, 12, 12]
    assert [r.lower_bound for r in carried.values()] == [8, 8, 8]
    assert [r.bound_method for r in carried.values()] == ["p", "p", "p"]
    assert [r.stats["method"] for r in carried.values()] == ["x", "z", "z"]
    no = Result(None, None, None, 0.0, reason="too few rows")
    assert carry_over({two: alone[two], five: no})[five] is no


def test_an_interrupt_keeps_what_is_done(monkeypatch):
    table = random_table(random.Random(3), least=9, most=9)
    asked = points(table, [(2, 1), (3, 1), (5, 1)])
    begun = []

    def solve(method, problem, options, control):
        begun.append(problem.requirement)
        ask_to_stop()
        return Result("release", 7, 3, 0.0, Limit.INTERRUPTED, stats={"method": "m"})

    monkeypatch.setattr("starmin.frontiers.frontier_search.solve_by", solve)
    found = search_frontier(asked, "auto", lambda: 60.0, {}, workers=1)
    assert begun == [asked[2].problem.requirement]
    for point in asked[:2]:
        assert found[point].best == "release" and found[point].lower_bound is None
        assert found[point].limit is Limit.INTERRUPTED
    assert found[asked[2]].lower_bound == 3


def test_the_folder_holds_releases_with_proofs_that_are_accepted(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    line = "frontier instance:hospital --k 2,4,99 --l 2 --out f --json --quiet"
    assert run(monkeypatch, line) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == json.loads(Path("f/frontier.json").read_text())
    first, second, third = said["points"]
    assert (first["k"], first["l"], first["value"]) == (2, 2, 6)
    assert first["share"] == 6 / (said["n"] * said["d"]) == first["least_share"]
    assert second["value"] >= 6 and second["lower_bound"] >= 6
    assert third["status"] == "infeasible" and "99" in third["reason"]
    with Path("f/frontier.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["value"] for row in rows] == ["6", str(second["value"]), ""]
    page = assert_alone(Path("f/report.html").read_text())
    assert page.text("h1") == "What more privacy costs: instance:hospital"
    checks = page.codes
    assert len(checks) == 2 and not Path("f/k99.l2.csv").exists()
    for check in checks:
        assert run(monkeypatch, f"{check.removeprefix('starmin ')} --json") == 0
        assert json.loads(capsys.readouterr().out)["certificate"]["accepted"]
    assert Path("f/frontier.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("line", "code", "why"),
    [
        ("", 2, "name --k or --l"),
        ("--k 2,x", 2, "--k: expected whole numbers"),
        ("--k 0", 2, "--k: expected whole numbers >= 1"),
        ("--k 2 --out r.csv/f", 2, "--out"),
        ("--k 2 --method nosuch", 2, "nosuch"),
        ("--k 2 --l 2 --recoding nonhomogeneous", 2, "only"),
        ("--k 98,99", 1, ""),
    ],
)
def test_bad_input_is_one_line(line, code, why, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("r.csv").write_text("")
    words = f"frontier instance:hospital {line} --quiet --json"
    assert run(monkeypatch, words) == code
    said = capsys.readouterr().err.strip()
    assert why in said and len(said.splitlines()) == (code == 2)


def test_a_figure_has_a_line_for_each_l():
    curves = [
        Curve("l = 2", [2, 5, 25], [0.1, 0.2, 0.4], [0.1, 0.19, 0.3]),
        Curve("l = 3", [2, 5, 25], [0.2, None, 0.5], [0.1, None, 0.4]),
    ]
    drawing = frontier_figure(curves, "k", "cells hidden")
    assert "l = 3: published" in drawing.inline and "40.00%" in drawing.alt


def test_a_frame_has_a_curve():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1, 1, 2, 3, 3, 3], "b": list("xyxyyy")})
    curve = starmin.frontier(frame, k=[2, 3], qi=["a", "b"])
    for point in curve.points:
        assert point.result.value == point.result.lower_bound
        assert point.share == point.result.value / 12 == point.least_share
    two, three = (point.result.value for point in curve.points)
    found = f"k = 2: {two} (bound {two}); k = 3: {three} (bound {three})"
    assert repr(curve) == f"Frontier({found})"
    assert "</svg>" in curve.svg() and curve.as_json()["points"][1]["k"] == 3
    with pytest.raises(ValueError, match="k or of l"):
        starmin.frontier(frame)
    with pytest.raises(TypeError, match=r"starmin\.read_table reads a file"):
        starmin.frontier("people.csv", k=[2])
    with pytest.raises(ValueError, match="k >= 1"):
        starmin.frontier(frame, k=[0])


def test_stars_are_counted_as_they_are_published():
    rng = random.Random(3)
    ages = [rng.randrange(20, 60) for _ in range(40)]
    frame = {"age": ages, "sex": [rng.choice("mf") for _ in ages]}
    asked = {"recoding": "generalization", "objective": "stars", "numeric": ["age"]}
    curve = starmin.frontier(frame, k=[2, 4], **asked)
    for point in curve.points:
        result, published = point.result, point.summary.published
        stars = sum(published.text_counts(c).get("*", 0) for c in published.qi)
        assert result.value == point.summary.release.stars == stars
        assert (result.lower_bound or 0) <= stars
    alone = starmin.solve(frame, k=2, **asked)
    first = curve.points[0].result
    assert (first.value, first.lower_bound) == (alone.value, alone.lower_bound)


def test_hierarchies_come_in_the_forms_that_anonymize_takes():
    frame = {"age": [31, 34, 62, 67], "pet": ["cat", "dog", "rat", "cat"]}
    tree = {"tame": ["cat", "dog"], "rat": None}
    paths = [("cat", "tame", "*"), ("dog", "tame", "*"), ("rat", "*", "*")]
    levels = dict(zip("abc", zip(*paths, strict=True), strict=True))
    curves = [
        starmin.frontier(frame, k=[2, 4], hierarchy={"pet": form})
        for form in (
            tree,
            polars.DataFrame(levels),
            starmin.Taxonomy([*paths[:2], paths[2][:2]]),
        )
    ]
    alone = starmin.anonymize(frame, k=2, hierarchy={"pet": tree})
    for curve in curves:
        first = curve.points[0]
        assert first.result.value == first.result.lower_bound
        assert first.summary.as_json()["value"] == alone.value
        assert first.asked.problem.coding.numeric == ("age",)
