"""Tests that reports are whole, escaped, and load nothing."""

import base64
import hashlib
import json
import re
import shlex
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from starmin.cli.app import main
from starmin.gaps.comparisons import Runs
from starmin.gaps.gap_page import write_report
from starmin.instances import Partition, Release, Table
from starmin.report.drawing import INK, Drawing, label, new_figure, plain_ticks, style
from starmin.report.release.column_facts import column_facts
from starmin.report.release.release_figures import bins
from tests.support.report_pages import NASTY, assert_alone, sweep


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


def test_every_figure_is_a_file_of_three_kinds(folder):
    names = sorted(path.name for path in (folder / "figures").iterdir())
    stems = sorted({name.rpartition(".")[0] for name in names})
    compared = ["data-profile", "gap-time", "growth-d", "growth-n", "performance"]
    assert stems == [*compared, "values-1", "values-2", "values-3"]
    ends = ("png", "svg", "pdf")
    assert names == sorted(f"{s}.{end}" for s in stems for end in ends)
    for stem in stems:
        ElementTree.fromstring((folder / "figures" / f"{stem}.svg").read_bytes())
        png = (folder / "figures" / f"{stem}.png").read_bytes()
        assert png.startswith(b"\x89PNG")
        pdf = (folder / "figures" / f"{stem}.pdf").read_bytes()
        assert pdf.startswith(b"%PDF") and b"/Subtype /Type3" not in pdf


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
    assert len(runs.data_profile("auto")) == 3
    assert runs.data_profile("forest") == []
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


CENSUS = "instance:census:n=120"
TREE = "marital_status={a{1,2},b{3,4,5},6}"
WAYS = {
    "suppression": f"{CENSUS} --k 3 --l 2 --method clustering",
    "weighted": f"{CENSUS} --l 2 --diversity entropy --weights age=3 --keep gender "
    "--method clustering",
    "proven": f"{CENSUS} --l 2 --weights age=3 --keep gender --method clustering",
    "generalization": f"{CENSUS} --k 3 --t 0.9 --recoding generalization --numeric "
    f"age,education --hierarchy {TREE} --method mondrian",
    "permutation": f"{CENSUS} --l 2 --recoding permutation --method anatomy",
    "nonhomogeneous": f"{CENSUS} --k 2 --recoding nonhomogeneous --method two_phase",
}


def run(monkeypatch, words):
    """A command in this process; its exit code."""
    monkeypatch.setattr(sys, "argv", words)
    return main()


@pytest.mark.parametrize("way", WAYS)
def test_the_page_of_a_release_stands_alone_and_its_commands_run(
    way, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    words = (
        f"starmin solve {WAYS[way]} --out r.csv --certificate p.json --report r.html"
    )
    assert run(monkeypatch, [*words.split(), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    page = assert_alone(Path("r.html").read_text())
    assert page.text("h1") == f"Release of {CENSUS}"
    tables = {table["id"] for table in page.all("table")}
    assert {"risk", "sizes", "utility", "worth"} <= tables
    changed = [name for name in tables if name.startswith("values-")]
    assert len(page.all("svg")) == (
        1 + len(changed) + (way == "generalization")
    )  # one of each changed column, and one of levels
    assert ("columns" in tables) == (way != "permutation")
    again, check = page.codes
    release = {path: path.read_bytes() for path in Path().glob("r.csv*")}
    assert run(monkeypatch, shlex.split(again)) == 0
    for path, content in release.items():  # what hides people is drawn anew
        assert (path.read_bytes() == content) == (way != "permutation")
        path.write_bytes(content)
    assert ("drawn anew" in str(page.texts)) == (way == "permutation")
    capsys.readouterr()
    assert run(monkeypatch, [*shlex.split(check), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["stars"] == said["stars"] and found["gcp"] == said["gcp"]
    cells = [" ".join(text.split()) for tag, text in page.texts if tag in ("td", "th")]
    for name, value in (("KL", f"{found['kl']:,.4f}"), ("k", str(found["k"]))):
        at = cells.index(name)
        assert value in cells[at + 1 : at + 3], (name, value)
    assert ("certificate" in found) == Path("p.json").exists() == ("p.json" in check)
    assert cells[cells.index("Requirement") + 2] == "yes"


def test_what_was_starred_is_counted(tmp_path):
    rows = [["1", "x"], ["1", "y"], ["2", None], ["2", ""], ["3", "x"], ["3", "x"]]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    release = Release(table, Partition(np.array([0, 0, 1, 1, 2, 2])))
    first, second = column_facts(table, release.published, "*")
    assert (first.changed, first.starred, first.lost) == (0, 0, 0)
    assert (second.changed, second.before, second.after) == (4, 4, 1)
    assert {(v.value, v.rows, v.starred) for v in second.values} == {
        ("x", 3, 1),
        ("y", 1, 1),
        (None, 1, 1),
        ("", 1, 1),
    }


def test_names_of_a_table_are_escaped(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    column, path = "<script>alert('a')</script>", 'it\'s <b>$x$ & "y".csv'
    lines = [f'"{column}",sick', "<i>1</i>,flu", "2,</td>", "3,flu", "<i>1</i>,</td>"]
    Path(path).write_text("\n".join(lines) + "\n")
    words = f"--k 2 --l 2 --sensitive sick --report {path}.html --out {path}.out.csv"
    words = words.replace(path, "PATH").split()
    words = [word.replace("PATH", path) for word in words]
    assert run(monkeypatch, ["starmin", "solve", path, *words]) == 0
    text = Path(f"{path}.html").read_text()
    page = assert_alone(text)
    assert column not in text and column in page.text("th")
    assert f"Release of {path}" == page.text("h1") and "<i>1</i>" in page.text("th")
    for command in page.codes:
        assert run(monkeypatch, shlex.split(command)) == 0, command


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        ("--k 2 --report no/r.html", 2, "does not exist"),
        ("--k 2 --out r.csv --report r.csv", 2, "is written as --out"),
        ("--k 99 --report r.html", 1, ""),
    ],
)
def test_a_page_that_cannot_be_is_not_begun(
    words, code, why, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, f"starmin solve instance:hospital {words}".split()) == code
    assert why in capsys.readouterr().err and list(tmp_path.iterdir()) == []


def test_bins_hold_every_size_once():
    for sizes in ([3], [2, 31], [2, 1000, 1000, 7], [0, 5, 40], [1, 10**7]):
        found = bins(np.array(sizes))
        assert sum(count for _, _, count in found) == len(sizes)
        assert all(b + 1 == c for (_, b, _), (c, _, _) in pairwise(found))


@pytest.mark.parametrize(
    ("low", "high"), [(21, 49), (1.2, 1.9), (0.31, 0.38), (5.1, 9), (11, 180), (1, 1e6)]
)
def test_a_logarithmic_axis_has_numbers_wherever_the_data_lie(low, high):
    figure, (axes,) = new_figure(2.0)
    axes.plot([low, high], [0, 1])
    axes.set_xscale("log")
    plain_ticks(axes.xaxis)
    figure.canvas.draw()
    left, right = axes.get_xlim()
    shown = [
        label.get_text()
        for minor in (False, True)
        for label in axes.get_xticklabels(minor)
        if left <= label.get_position()[0] <= right and label.get_text()
    ]
    assert 2 <= len(set(shown)) <= 9
