"""Tests that the figures of sample sizes show what the paper says of them."""

import csv
import importlib.util
import re
import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks/papers/linkage_figures.py"


@pytest.fixture(scope="module")
def figures():
    return runpy.run_path(str(SCRIPT))


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


def test_samples_on_the_page_are_those_of_the_formula(figures) -> None:
    page = (SCRIPT.parents[2] / "docs/explanation/linkage.md").read_text()
    marginals = figures["marginals"](values=20, ratio=0.8)
    lines = re.findall(
        r"^\| (uniform|geometric) \| (0\.\d+) \| (\w+) \| (.*) \|$", page, re.M
    )
    assert len(lines) == 2 + 2 * 9  # uniform for any l, geometric for l = 2 to 10
    for name, rho, l, cells in lines:
        for eps, shown in zip((1e-6, 1e-4, 0.01, 0.1), cells.split(" | "), strict=True):
            for each in (2, 5, 10) if l == "any" else (int(l),):
                n = figures["samples"](marginals[name], each, eps, float(rho))
                assert f"{n:,}" == shown
