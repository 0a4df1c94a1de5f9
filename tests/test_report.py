"""Tests that reports are whole, escaped, and load nothing."""

import base64
import hashlib
import re
from xml.etree import ElementTree

import pytest

from starmin.report.drawing import INK, Drawing, label, new_figure, style
from starmin.report.gap_page import write_report
from starmin.report.profiles import Runs
from tests.report_pages import NASTY, assert_alone, sweep


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The report of a sweep with names that are not harmless."""
    folder = tmp_path_factory.mktemp("sweep")
    rows, found = sweep()
    write_report(folder, rows, found, [f"{NASTY}: bound 7 above the value 6"])
    return folder


def test_the_page_of_a_sweep_stands_alone(folder):
    text = (folder / "report.html").read_text()
    page = assert_alone(text)
    assert NASTY not in text and NASTY in page.text("th")
    assert "it's </td><b>broken</b>" in page.text("td")
    assert f"{NASTY}: bound 7 above the value 6" in page.text("p")
    assert {t["id"] for t in page.all("table")} == {"problems", "methods", "runs"}
    assert len(page.all("svg")) == 5 + 3  # of which growth with n and with d
    script = re.search(r"<script>(.*?)</script>", text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.all("meta")[1]["content"]


def test_every_figure_is_a_file_twice(folder):
    names = sorted(path.name for path in (folder / "figures").iterdir())
    stems = sorted({name.rpartition(".")[0] for name in names})
    compared = ["cactus", "gap-time", "growth-d", "growth-n", "performance"]
    assert stems == [*compared, "values-1", "values-2", "values-3"]
    assert names == sorted(f"{s}.{end}" for s in stems for end in ("png", "svg"))
    for stem in stems:
        ElementTree.fromstring((folder / "figures" / f"{stem}.svg").read_bytes())
        png = (folder / "figures" / f"{stem}.png").read_bytes()
        assert png.startswith(b"\x89PNG")


def test_equal_sweeps_give_equal_reports(folder, tmp_path):
    rows, found = sweep()
    write_report(tmp_path, rows, found, [f"{NASTY}: bound 7 above the value 6"])
    for path in (folder / "report.html", *(folder / "figures").iterdir()):
        assert path.read_bytes() == (tmp_path / path.relative_to(folder)).read_bytes()


def test_a_sweep_without_any_release_has_a_page(tmp_path):
    rows = [row for row in sweep()[0] if row["outcome"] == "crash"]
    write_report(tmp_path, rows, [], [])
    page = assert_alone((tmp_path / "report.html").read_text())
    assert page.all("svg") == []


def test_profiles_count_what_failed():
    rows, found = sweep()
    runs = Runs.of(rows, {each.problem: each.best for each in found})
    assert runs.ranking() == ["auto", "forest", "mondrian"]
    assert runs.profile("auto") == [1, 1, 1]
    assert runs.profile("mondrian") == [1.1, 1500 / 900]
    assert len(runs.cactus("auto")) == 3 and runs.cactus("forest") == []
    assert [n for n, _ in runs.growth("auto", "n", "seconds")] == [10, 1000]
    assert [d for d, _ in runs.growth("auto", "d", "seconds")] == [3, 7]
    assert [n for n, _ in runs.growth("mondrian", "n", "gap")] == [10, 1000]


def test_names_in_figures_are_text():
    name = "a\x00<b>&\n$\\frac{"
    with style():
        figure, (axes,) = new_figure(2)
        axes.set_title(label(name), color=INK)
        drawing = Drawing.of("one", "One", "", f'"{name}"', figure)
    assert "<b>" not in drawing.inline and "&lt;b&gt;" in drawing.inline
    assert "var(--ink)" in drawing.inline and "http" not in drawing.inline
    assert b"$\\frac{" in drawing.svg and len(label("x" * 99)) == 28
