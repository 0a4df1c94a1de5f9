"""Tests that the figures of sample sizes show what the paper says of them."""

import csv
import importlib.util
import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks/papers/attacks/linkage_figures.py"


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
