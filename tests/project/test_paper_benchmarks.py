"""Tests that benchmarks of the papers run, and show what the papers say."""

import csv
import importlib.util
import runpy
import sys
from pathlib import Path

import pytest

from tests.support.places import HOME

BENCHMARKS = HOME / "benchmarks/papers/one_dimensional"


def test_runs_are_kept_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import hilbert_framework as benchmark
    import hilbert_framework_cases as cases
    import hilbert_framework_page as page

    listed = list(cases.cases(3000, 100_000))
    assert len(set(listed)) == len(listed) > 900
    methods = ("hilbert", "mondrian", "anatomy", "perm_hilb", "accuracy_constrained")
    few = [
        case
        for case in listed
        if case.table == "census" and case.method in methods and case.d == 3
        if case.experiment in ("l by d", "E") and not case.projection
    ]
    store = tmp_path / "runs.csv"
    benchmark.run(few[:2], tmp_path, store)
    left = benchmark.missing(iter(few), benchmark.read(store))
    assert left == few[2:]
    benchmark.run(left, tmp_path, store)
    rows = benchmark.read(store)
    found = {row["method"]: row for row in rows if row["experiment"] == "l by d"}
    assert 0 < float(found["hilbert"]["gcp"]) < 1 and found["anatomy"]["gcp"] == ""
    assert float(found["perm_hilb"]["kl"]) < float(found["hilbert"]["kl"])
    page.draw_all(rows, tmp_path)
    written = {path.name for path in tmp_path.glob("*.csv")}
    names = {f"figure{number}.csv" for number in (27, 32, 35, 36)}
    assert written == {"runs.csv", *names}
    kept = tmp_path / "points.csv"
    page.keep(kept, rows)
    page.keep(kept, rows)  # in place of those that are there
    with kept.open(newline="", encoding="utf-8") as file:
        points = list(csv.DictReader(file))
    keys = [tuple(row.values())[:-1] for row in points]
    assert len(set(keys)) == len(keys) > 10
    assert {row["figure"] for row in points} >= {"27", "32", "35", "36"}
    assert {"hilbert", "anatomy"} <= {row["method"] for row in points}
    assert all(float(row["value"]) >= 0 for row in points)


SCRIPT = HOME / "benchmarks/papers/attacks/linkage_figures.py"


@pytest.fixture(scope="module")
def figures():
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        return runpy.run_path(str(SCRIPT))
    finally:
        sys.path.pop(0)


def test_samples_depend_on_l_and_eps_as_in_section_5(figures, tmp_path) -> None:
    """Uniform values: not on l. Geometric: more with l. Always: fewer with eps."""
    by_l = figures["samples_by_l"](values=20, ratio=0.8)
    for rho in (0.01, 0.1):
        for eps in (0.01, 0.0001):
            sizes = {
                name: [
                    row["samples"]
                    for row in by_l
                    if (row["marginal"], row["rho"], row["eps"]) == (name, rho, eps)
                ]
                for name in ("uniform", "geometric")
            }
            assert len(set(sizes["uniform"])) == 1
            assert sizes["geometric"] == sorted(set(sizes["geometric"]))
    by_eps = figures["samples_by_eps"](values=20, ratio=0.8)
    lines: dict[tuple, list[int]] = {}
    for row in by_eps:
        key = (row["marginal"], row["rho"], row["l"])
        lines.setdefault(key, []).append(row["samples"])
    assert len(lines) == 8
    assert all(n == sorted(n, reverse=True) for n in lines.values())
    figures["write_csv"](by_eps, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(by_eps)


@pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed"
)
def test_figures_are_drawn(figures, tmp_path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    by_l = figures["samples_by_l"](values=20, ratio=0.8)
    figures["draw_samples"](by_l, "l", ("rho", "eps"), tmp_path / "by_l")
    safety = [
        {
            "marginal": name, "measure": measure, "releases": releases, "l": l,
            "rate": 0.05, "low": 0.04, "high": 0.06,
        }
        for name in ("uniform", "geometric")
        for measure in figures["SAFETY_MEASURES"]
        for releases in range(1, 5)
        for l in (2, 3)
    ]  # fmt: skip
    figures["draw_safety"](safety, tmp_path / "safety")
    for name in ("by_l", "safety"):
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000
        assert "<svg" in (tmp_path / f"{name}.svg").read_text()


def test_samples_that_are_kept_are_those_of_the_formula(figures) -> None:
    store = SCRIPT.parents[3] / "docs/data/linkage_samples.csv"
    with store.open(newline="") as file:
        rows = list(csv.DictReader(file))
    marginals = figures["marginals"](values=20, ratio=0.8)
    asked = {(row["values"], row["rho"], row["l"], row["eps"]) for row in rows}
    assert len(rows) == len(asked) == 2 * 2 * 9 * 4
    for row in rows:
        marginal, l = marginals[row["values"]], int(row["l"])
        n = figures["samples"](marginal, l, float(row["eps"]), float(row["rho"]))
        assert str(n) == row["samples"], row
