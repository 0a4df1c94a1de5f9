"""Tests that what lacks a library is refused in one line, or left out with one."""

import sys
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

import starmin
from starmin.cli.app import main
from starmin.driver import Driver
from starmin.instances.errors import EXTRAS

Run = Callable[..., tuple[int, str, str]]
WHY = "matplotlib and jinja2 are not installed; pip install 'starmin[report]'"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python finds where no extra is installed."""
    for name in {name for names in EXTRAS.values() for name in names}:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *words])
        return main(), *capsys.readouterr()

    return call


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--report", "o.html"), WHY),
        (("--out", "o.xlsx"), "pip install 'starmin[formats]'"),
        (("--out", "o.sav"), "pip install 'starmin[formats]'"),
    ],
)
@pytest.mark.usefixtures("bare")
def test_what_was_asked_for_is_refused_before_the_search(
    run: Run, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, str], why: str
) -> None:
    monkeypatch.delattr(Driver, "solve")
    code, out, err = run("solve", "instance:hospital", "--k", "2", *asked)
    assert (code, out) == (2, "") and why in err and err.count("\n") == 1
    assert not list(Path().iterdir())


@pytest.mark.usefixtures("bare")
def test_dask_is_refused_before_a_job_is_run(run: Run) -> None:
    words = ("--k", "2", "--dask", "tcp://127.0.0.1:1")
    code, out, err = run("gap", "instance:hospital", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "pip install 'starmin[dask]'" in err


@pytest.mark.usefixtures("bare", "jobs_here")
def test_a_page_that_nobody_asked_for_is_left_out(run: Run) -> None:
    words = ("instance:hospital", "--k", "2", "--out", "f")
    for command, more, kept in (
        ("gap", ("--methods", "forest"), "gaps.csv"),
        ("frontier", ("--quiet",), "frontier.csv"),
    ):
        code, _, err = run(command, *words, *more)
        assert code == 0 and Path("f", kept).exists()
        line = f"starmin: {Path('f', 'report.html')} is not written: {WHY}"
        assert err.splitlines().count(line) == 1
    assert not Path("f", "report.html").exists()


def test_python_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    release = starmin.anonymize(frame, k=2)
    curve = starmin.frontier(frame, k=[2, 3])
    request.getfixturevalue("bare")
    for call in (
        lambda: release.report(tmp_path / "r.html"),
        release.plot,
        curve.svg,
        lambda: starmin.to_frame(starmin.load_instance("hospital")),
    ):
        with pytest.raises(starmin.TableError, match=r"pip install 'starmin\["):
            call()
    assert curve._repr_svg_() is None
    assert not list(tmp_path.iterdir())
