"""Tests that a script of its own recounts each figure of a steward's report."""

import re
import shutil
import subprocess
import sys

import pytest

from starmin.cli.app import main
from tests.support.places import HOME

RECOUNT = HOME / "benchmarks" / "steward" / "recount.py"
QI = "age,gender,race,marital_status,birth_place,education,work_class"
CHECK = "gender ~ age + race"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table of 300 people, settings proposed for it, its release, and the page."""
    folder = tmp_path_factory.mktemp("steward")
    wanted = ["--recipe", "release.toml", "--method", "mondrian", "--check", CHECK]
    files = ["--out", "public.csv", "--report", "page.html", "--groups", "groups.csv"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in (
            ["instances", "write", "census:n=300", "--out", "people.csv"],
            [
                *("new", "people.csv", "--k", "3", "--unchanged", "occupation"),
                *("--out", "release.toml"),
            ],
            ["solve", "people.csv", *wanted, *files],
        ):
            patch.setattr("sys.argv", ["starmin", *words])
            assert main() == 0
    return folder


def recounted(folder, page):
    """The exit code and the lines of the script, which runs without our packages."""
    done = subprocess.run(
        [
            *(sys.executable, "-S", str(RECOUNT), "people.csv", "public.csv", page),
            *("--qi", QI, "--check", CHECK, "--groups", "groups.csv"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


def test_each_figure_is_as_counted(made):
    code, told = recounted(made, "page.html")
    assert code == 0, told
    figures, wrong, left = map(
        int, re.findall(r"\d+(?= figures| are not|\s+not)", told)[:3]
    )
    assert (figures > 400, wrong) == (True, 0)
    lines = told.splitlines()[1:]  # what is no figure of the data
    assert left == len(lines) == 2, told
    assert "found the release in" in lines[0] and "This page is one file" in lines[1]


EDITS = {
    "risk-change": r'(<td[^>]*data-key=")0\.3333',
    "columns": r'(id="columns".*?data-key=")7',
    "worth": r'(id="worth".*?<td[^>]*data-key=")\d',
    "relations": r'(id="relations".*?<td[^>]*data-key=")0\.',
    "worst-cells": r'(id="worst-cells".*?<td[^>]*data-key=")0\.',
    "model": r'(id="model".*?<td[^>]*data-key=")0\.',
    "utility": r'(id="utility".*?<td[^>]*data-key=")0\.',
    "cross": r'(id="cross".*?<td[^>]*>)\d+(?=\.\d % )',
    "value": r"(It costs )\d+",
    "hidden cells": r"(cells, )\d+(?=\.\d+ % of all)",
    "groups": r"(>Groups<.{0,40}?>)\d+",
}


@pytest.mark.parametrize("where", EDITS)
def test_an_edited_figure_is_found(made, where):
    text = (made / "page.html").read_text("utf-8")
    edited, times = re.subn(EDITS[where], r"\g<1>9", text, count=1, flags=re.S)
    assert times == 1 and edited != text
    (made / "edited.html").write_text(edited, "utf-8")
    code, told = recounted(made, "edited.html")
    assert code == 1 and "the page says" in told


def test_an_edited_cell_of_the_release_is_found(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    text = (made / "public.csv").read_text()
    head, first, *rest = text.splitlines()
    (tmp_path / "public.csv").write_text(
        "\n".join([head, ",".join(["*"] * 8), *rest, ""])
    )
    code, told = recounted(tmp_path, "page.html")
    assert code == 1 and first and "Prosecutor" in told


def test_the_script_shares_no_code_with_ours():
    for file in RECOUNT.parent.glob("*.py"):
        imported = re.findall(r"^(?:from|import) (\w+)", file.read_text(), re.M)
        assert not {"starmin", "numpy", "scipy", "sklearn"} & set(imported), file
