"""Tests that starmin reduce and lift keep the contract of the command line."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from starmin.cli.app import main
from starmin.instances import read_table, write_table

Run = Callable[[str], tuple[int, str, str]]

POINTS = "who,where,when\nann,x,1\nbob,y,1\nbob,y,2\nbob,x,1\n"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Run:
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def call(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        code = main()
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


def test_vertex_cover_there_and_back(run: Run) -> None:
    Path("k4.txt").write_text("a b\na c\na d\nb c\nb d\nc d\n")
    code, out, err = run("reduce vertex-cover k4.txt --out k4.csv --json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "table": "k4.csv",
        "n": 106,
        "d": 3,
        "requirement": {"k": 7, "l": None},
        "threshold": 137,
        "source": {
            "reduction": "vertex-cover",
            "file": "k4.txt",
            "vertices": 4,
            "edges": 6,
            "base": 134,
            "cover": 3,
        },
    }
    code, out, _ = run("solve k4.csv --k 7 --out k4.k7.csv --quiet --json")
    assert code == 0 and json.loads(out)["value"] == 137
    code, out, err = run("lift vertex-cover k4.txt k4.k7.csv --json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["size"] == 3 and found["valid"] and found["stars"] == 137
    assert set(found["solution"]) <= set("abcd")
    code, out, _ = run("lift vertex-cover k4.txt k4.k7.csv")
    assert code == 0 and "at most 3" in out


def test_matchings_there_and_back(run: Run) -> None:
    Path("points.csv").write_text(POINTS)
    for values in (3, 5):
        code, out, _ = run(
            f"reduce 3dm points.csv --out t.csv --values {values} --json"
        )
        made = json.loads(out)
        assert code == 0 and made["threshold"] == 18
        assert made["source"]["sensitive_values"] == values
        code, out, _ = run(
            "solve t.csv --l 3 --sensitive sensitive --out r.csv --quiet --json"
        )
        assert json.loads(out)["stars"] == 18
        code, out, _ = run("lift kdm points.csv r.csv --json")
        found = json.loads(out)
        assert code == 0 and found["valid"] and found["size"] == 2
        assert found["solution"] == [["ann", "x", "1"], ["bob", "y", "2"]]


def test_edge_partition_there_and_back(run: Run) -> None:
    code, out, _ = run("reduce edge-partition graph:k33 --out t.csv --json")
    assert code == 0 and json.loads(out)["threshold"] == 27
    run("solve t.csv --k 3 --out r.csv --quiet --json")
    code, out, _ = run("lift edge-partition graph:k33 r.csv --json")
    found = json.loads(out)
    assert code == 0 and found["valid"] and found["size"] == 3
    assert found["promise"] == "at least 3"


def test_a_certificate_proves_that_there_is_no_solution(run: Run) -> None:
    run("reduce vertex-cover graph:k4 --out t.csv")
    run("solve t.csv --k 7 --out r.csv --certificate proof.json --quiet")
    line = "lift vertex-cover graph:k4"
    for size, answer in ((2, False), (3, None)):
        code, out, _ = run(f"{line} --size {size} --certificate proof.json --json")
        found = json.loads(out)
        assert code == 0 and found["valid"] and found["solution"] is None
        assert (found["threshold"], found["answer"]) == (134 + size, answer)
        assert (found["certified_bound"], found["limit"]) == (137, "at least 3")
    code, out, _ = run(f"{line} r.csv --size 3 --certificate proof.json")
    assert code == 0 and "at least 3" in out and "yes (threshold 137)" in out
    proof = json.loads(Path("proof.json").read_text())
    Path("lie.json").write_text(json.dumps(proof | {"bound": 138}))
    code, out, err = run(f"{line} --certificate lie.json --json")
    assert (code, err) == (1, "")
    assert "it claims 138" in json.loads(out)["reason"]
    for unknown in ({"kind": "oracle"}, {"starmin_certificate": 3}):
        Path("new.json").write_text(json.dumps(proof | unknown))
        code, out, err = run(f"{line} --certificate new.json --json")
        assert (code, err, json.loads(out)["valid"]) == (3, "", None)


def test_a_certificate_rules_out_matchings_and_partitions(run: Run) -> None:
    Path("points.csv").write_text("a,b,c\n0,0,0\n0,1,1\n1,0,1\n")
    run("reduce 3dm points.csv --out t.csv --values 4")
    asked = "--l 3 --sensitive sensitive --out r.csv --certificate proof.json"
    run(f"solve t.csv {asked} --quiet")
    line = "lift 3dm points.csv --certificate proof.json --json"
    code, out, _ = run(f"{line} --values 4")
    found = json.loads(out)
    assert (code, found["answer"], found["limit"]) == (0, False, "at most 1")
    run("reduce edge-partition graph:prism --out t.csv")
    run("solve t.csv --k 3 --out r.csv --certificate proof.json --quiet")
    code, out, _ = run("lift edge-partition graph:prism r.csv --certificate proof.json")
    assert code == 0 and "at most 2" in out and "no (threshold 27)" in out


def test_the_decision_form_needs_no_cover(run: Run) -> None:
    line = "reduce vertex-cover graph:tutte --out t.csv"
    code, out, _ = run(f"{line} --size 20 --json")
    made = json.loads(out)
    assert made["threshold"] == made["source"]["base"] + 20
    code, out, _ = run(f"{line} --time-limit 0 --json")
    assert code == 0 and json.loads(out)["threshold"] is None
    code, out, _ = run(f"{line} --time-limit 0")
    assert code == 0 and "unknown" in out


def test_invalid_releases_are_the_answer_no(run: Run) -> None:
    run("reduce vertex-cover graph:k4 --out t.csv")
    code, out, err = run("lift vertex-cover graph:k4 t.csv --json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert not found["valid"] and found["solution"] is None
    assert "fewer than k = 7" in found["reason"]
    code, out, _ = run("lift vertex-cover graph:k4 t.csv")
    assert code == 1 and "fewer than k = 7" in out


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sources, their tables and releases, and what is none."""
    folder = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("path.txt").write_text("a b\nb c\n")
        Path("points.csv").write_text(POINTS)
        Path("pairs.csv").write_text("a,b\n1,2\n")
        Path("others.csv").write_text(POINTS.replace("bob,x", "ann,y"))
        for line in (
            "reduce vertex-cover graph:k4 --out table.csv",
            "solve table.csv --k 7 --out release.csv --quiet",
            "reduce 3dm others.csv --out other.csv",
        ):
            patch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
            assert main() == 0
        release = read_table("release.csv")
        write_table(release.take(np.arange(release.n)[::-1]), "shuffled.csv")
    return folder


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("reduce vertex-cover none.txt --out t.csv", "none.txt: cannot be read"),
        ("reduce vertex-cover path.txt --out t.csv", "vertex 'a' has degree 1"),
        ("reduce vertex-cover graph:k5 --out t.csv", "no cubic graph 'k5'"),
        ("reduce vertex-cover graph:k4 --out t.xls", "expected a file .csv"),
        ("reduce vertex-cover graph:k4 --out no/t.csv", "does not exist"),
        ("reduce vertex-cover graph:k4 --out t.csv --values 3", "--values is for"),
        ("reduce edge-partition graph:k4 --out t.csv --size 3", "--size is for"),
        ("reduce 3dm pairs.csv --out t.csv", "2 columns, expected 3"),
        ("reduce 3dm points.csv --out t.csv --values 7", r"expected 3 .. 6, got 7"),
        ("reduce 3dm points.csv --out points.csv", "is read by this command"),
        ("reduce cover graph:k4 --out t.csv", "'cover' is not one of"),
        ("reduce vertex-cover graph:k4", "--out"),
        ("lift vertex-cover graph:k4", "name a release, or a proof"),
        ("lift 3dm points.csv release.csv --values 3", "--values is for"),
        ("lift edge-partition graph:k4 release.csv --size 3", "--size is for"),
        ("lift vertex-cover graph:k4 --certificate no.json", "cannot be read"),
        ("lift vertex-cover graph:k33 release.csv", "not a release of this input"),
        ("lift vertex-cover graph:k4 points.csv", "its columns are who, where"),
        ("lift 3dm points.csv points.csv", "its columns are who, where"),
        ("lift vertex-cover graph:k4 shuffled.csv", "not a release of this input"),
        ("lift 3dm points.csv release.csv", "its columns are a, b, c, those of"),
        ("lift 3dm points.csv other.csv", "not a release of this input"),
    ],
)
def test_bad_usage_is_one_line(run: Run, inputs: Path, line: str, why: str) -> None:
    copytree(inputs, Path(), dirs_exist_ok=True)
    code, out, err = run(line)
    assert code == 2
    assert out == "" and why in err
    assert err.count("\n") == 1
    assert not Path("t.csv").exists()
