"""Tests that what was found is saved, whatever fails after the search."""

import json
import shlex
import sys
from pathlib import Path

import pytest

import starmin
from starmin.cli.app import main
from starmin.inputs.roles import Roles
from starmin.instances import TableError
from starmin.process.faults import told
from starmin.process.steps import spare_of
from tests.support.report_pages import Page

pytestmark = pytest.mark.usefixtures("undrawn")

ALL = (
    "solve people.csv --qi age,zip --sensitive ill --k 2 --out out.csv "
    "--groups groups.csv --certificate proof.json --result result.json "
    "--report page.html --quiet"
)
FILES = {"out.csv", "groups.csv", "proof.json", "result.json", "page.html"}
FILES |= {"page.recipe.toml"}
BUG = "a bug of starmin, please report it: ValueError: it broke"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder of its own: exit code, stdout, lines that tell errors.

    Nothing is told of in more lines than one.
    """
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i % 4},{10 * (i % 3)},{'abc'[i % 3]}" for i in range(12)]
    Path("people.csv").write_text("\n".join(["age,zip,ill", *rows, ""]))

    def call(line: str) -> tuple[int, str, list[str]]:
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        code = main()
        written = capsys.readouterr()
        lines = written.err.splitlines()
        assert all(line.startswith("starmin: ") for line in lines)
        return code, written.out, [line for line in lines if "error:" in line]

    return call


@pytest.fixture
def breaks(monkeypatch):
    """Have what is named raise an error."""

    def call(where: str, error: type[BaseException] = ValueError) -> None:
        def fail(*_, **__):
            raise error("it broke")

        monkeypatch.setattr(where, fail)

    return call


def files() -> set[str]:
    return {path.name for path in Path().iterdir()} - {"people.csv"}


def holds(path, k=2):
    """Check a release, read as CSV."""
    roles = {"qi": ["age", "zip"], "sensitive": ["ill"]}
    released = starmin.read_table(path, **roles)
    table = starmin.read_table("people.csv", **roles)
    return starmin.verify(released, k, original=table).holds


# By step the files that are not written when it fails.
STEPS = {
    "starmin.driver.Driver.certify": set(),
    "starmin.driver.identifiers": set(),
    "starmin.inputs.notices.warn_disclosure": set(),
    "starmin.outputs.files.group_table": {"groups.csv"},
    "starmin.instances.Certificate.write": {"proof.json"},
    "starmin.outputs.summary.Summary.as_json": {"result.json"},
    "starmin.report.release.release_page.release_page": {"page.html"},
    "starmin.outputs.summary.Summary.show": set(),
}


@pytest.mark.parametrize("where", list(STEPS))
def test_a_step_that_fails_leaves_the_release_and_all_others(run, breaks, where):
    breaks(where)
    code, _, errors = run(ALL)
    assert code == 70 and all(BUG in line for line in errors)
    assert len(errors) == max(1, len(STEPS[where]))
    assert files() == FILES - STEPS[where] and holds("out.csv")


@pytest.mark.parametrize("where", list(STEPS))
def test_an_interrupt_that_insists_leaves_the_release(run, breaks, where):
    breaks(where, KeyboardInterrupt)
    code, _, errors = run(ALL)
    assert code == 130 and not errors and holds("out.csv")


@pytest.mark.parametrize(
    "error", [ValueError, KeyError, TableError, OSError, MemoryError]
)
def test_a_release_whose_form_fails_is_saved_as_csv(run, breaks, error):
    breaks("starmin.inputs.roles.write_table", error)
    code, out, errors = run(f"{ALL} --json")
    assert code == 70 and len(errors) == 2
    assert "--out: " in errors[0] and "it is saved as out.csv.csv" in errors[0]
    assert files() == FILES - {"out.csv", "groups.csv"} | {
        "out.csv.csv",
        "groups.csv.csv",
    }
    assert holds("out.csv.csv") and json.loads(out)["out"] == "out.csv.csv"
    codes = Page(Path("page.html").read_text()).codes
    assert any("verify out.csv.csv" in code for code in codes)
    assert json.loads(Path("result.json").read_text())["value"] is not None


@pytest.mark.parametrize("ending", ["dta", "sav", "xlsx", "parquet"])
def test_no_form_is_left_out(run, breaks, ending):
    breaks("starmin.inputs.roles.write_table")
    code, out, errors = run(f"solve people.csv --k 2 --out x.{ending} --quiet")
    assert code == 70 and len(errors) == 1 and f"saved as x.{ending}.csv" in errors[0]
    assert f"out: x.{ending}.csv" in out and files() == {f"x.{ending}.csv"}


def test_labels_that_are_no_numbers_cost_nobody_his_release(run, monkeypatch):
    # What a writer of labels makes of cells that look like numbers.
    monkeypatch.setattr(Roles, "write", lambda *_: float("a"))
    code, _, errors = run("solve people.csv --k 2 --out x.dta --quiet")
    assert code == 70 and "could not convert string to float: 'a'" in errors[0]
    assert files() == {"x.dta.csv"}


def test_no_file_of_the_user_is_replaced(run, breaks):
    Path("out.csv.csv").write_text("mine")
    breaks("starmin.inputs.roles.write_table")
    code, _, errors = run("solve people.csv --qi age,zip --k 2 --out out.csv --quiet")
    assert code == 70 and "saved as out.csv.2.csv" in errors[0]
    assert Path("out.csv.csv").read_text() == "mine"
    # Beside a device nothing is made.
    assert spare_of(Path("/dev/null")) == Path("null.csv")


def test_both_files_of_a_permutation_are_saved(run, breaks):
    breaks("starmin.inputs.roles.write_table")
    line = "solve people.csv --qi age,zip --sensitive ill --l 2 --quiet"
    code, _, errors = run(f"{line} --recoding permutation --out out.parquet")
    spare = "out.parquet.csv"
    assert code == 70 and len(errors) == 2
    assert files() == {spare, f"{spare}.sa.csv.csv"}


@pytest.mark.parametrize("recoding", ["suppression", "generalization"])
@pytest.mark.parametrize("what", ["publish", "tables"])
def test_where_no_release_can_be_made_the_groups_are_saved(run, breaks, recoding, what):
    made = {"suppression": "Release", "generalization": "GeneralizedRelease"}[recoding]
    where = f"starmin.instances.{made}.tables"
    if what == "publish":
        where = "starmin.outputs.summary.publish"
    breaks(where)
    line = f"solve people.csv --qi age,zip --k 2 --recoding {recoding} --quiet"
    code, _, errors = run(f"{line} --out out.csv")
    assert code == 70 and BUG in errors[0]
    assert "the group of each row is saved as out.csv.groups.csv" in errors[1]
    assert files() == {"out.csv.groups.csv"}
    groups = starmin.read_table("out.csv.groups.csv").column("group")
    assert len(groups) == 12


@pytest.mark.parametrize("name", ["out.parquet", "out"])
def test_a_release_in_batches_is_saved_as_csv(run, monkeypatch, name):
    from starmin.instances.streams.write_parts import ParquetPart

    monkeypatch.setattr(ParquetPart, "write", lambda *_: {}["lost"])
    line = "solve people.csv --stream --qi age,zip --sensitive ill --k 2 --quiet"
    code, _, errors = run(f"{line} --out {name} --result result.json")
    assert code == 70 and len(errors) == 1 and f"saved as {name}.csv" in errors[0]
    assert files() == {f"{name}.csv", "result.json"} and holds(f"{name}.csv")
    assert json.loads(Path("result.json").read_text())["out"] == f"{name}.csv"


CURVE = "frontier people.csv --qi age,zip --sensitive ill --k 2,3 --quiet --out curve"
CURVE_STEPS = {
    "starmin.driver.Driver.certify": set(),
    "starmin.driver.identifiers": set(),
    "starmin.commands.frontier._tell": set(),
    "starmin.commands.frontier._checks": set(),
    "starmin.instances.Certificate.write": {
        "k2.certificate.json",
        "k3.certificate.json",
    },
    "starmin.frontiers.frontier_files._csv": {"frontier.csv"},
    "starmin.frontiers.frontier_outcome.Frontier.as_json": {"frontier.json"},
    "starmin.frontiers.frontier_files.frontier_page": {
        "report.html",
        "frontier.svg",
        "frontier.png",
        "frontier.pdf",
    },
    "starmin.commands.frontier.show_lines": set(),
}
CURVE_FILES = {"k2.csv", "k3.csv"}.union(*CURVE_STEPS.values())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("where", list(CURVE_STEPS))
def test_the_releases_of_a_frontier_are_left(run, breaks, where, error):
    breaks(where, error)
    if error is KeyboardInterrupt and where.endswith("_tell"):
        return  # an interrupt of the search
    code, _, errors = run(CURVE)
    assert code == (70 if error is ValueError else 130)
    assert (BUG in errors[0]) if error is ValueError else not errors
    there = {path.name for path in Path("curve").iterdir()}
    assert holds("curve/k2.csv") and holds("curve/k3.csv", 3)
    if error is ValueError:
        assert there == CURVE_FILES - CURVE_STEPS[where]


def test_a_frontier_saves_releases_as_csv(run, breaks):
    breaks("starmin.inputs.roles.write_table")
    code, _, errors = run(CURVE)
    assert code == 70 and len(errors) == 2
    assert "saved as curve/k2.csv.csv" in errors[0] and holds("curve/k3.csv.csv", 3)
    points = json.loads(Path("curve/frontier.json").read_text())["points"]
    assert [point["out"] for point in points] == [
        "curve/k2.csv.csv",
        "curve/k3.csv.csv",
    ]


@pytest.mark.usefixtures("jobs_here")
@pytest.mark.parametrize(
    ("where", "lost"),
    [
        ("starmin.gaps.gap_page.write_report", "report.html"),
        ("starmin.gaps.standings.csv_text", "gaps.csv"),
        ("starmin.gaps.standings._json", "gaps.json"),
        ("starmin.gaps.standings.to_keep", "best.json"),
        ("starmin.gaps.standings.show", ""),
    ],
)
def test_the_finished_runs_of_a_sweep_are_left(run, breaks, jobs_here, where, lost):
    breaks(where)
    line = "gap people.csv --qi age,zip --k 2 --methods mondrian --time-limit 9 --quiet"
    code, _, errors = run(f"{line} --out gaps")
    names = {"report.html", "gaps.csv", "gaps.json", "best.json", "runs.jsonl"}
    there = {path.name for path in Path("gaps").iterdir()}
    assert code == 70 and BUG in errors[0]
    assert there >= names - {lost} and lost not in there


@pytest.mark.parametrize("where", ["identifiers", "_lines", "tell_form"])
def test_accuracy_constrained_leaves_its_release(run, breaks, where):
    breaks(f"starmin.commands.accuracy_constrained.{where}")
    line = "accuracy-constrained people.csv --qi age,zip --max-loss 0.5 --quiet"
    code, _, errors = run(f"{line} --out out.csv")
    assert code == 70 and len(errors) == 1 and BUG in errors[0]
    assert files() == {"out.csv"}


def test_an_error_is_told_in_a_line_that_says_where_it_is():
    try:
        spare_of(None)
    except AttributeError as error:
        assert "(starmin/process/steps.py, line " in told(error)
    assert told(MemoryError()) == "memory ran out"
    assert told(TableError("x.csv:  cannot\nbe written")) == "x.csv: cannot be written"
