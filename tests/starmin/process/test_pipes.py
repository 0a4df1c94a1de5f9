"""Tests that standard output, pipes and devices are written to, or refused."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from starmin.cli.app import main

pytestmark = pytest.mark.usefixtures("undrawn")

TABLE = "a,b,s\n1,x,u\n1,y,v\n2,x,u\n2,y,w\n"
SOLVE = "solve t.csv --k 2 --qi a,b --sensitive s --quiet --method mondrian"
# Lines of commands that read a file, and of those that write one; {} is its place.
READ = [
    "solve {} --k 2 --quiet",
    "solve t.csv --recipe {} --quiet",
    f"{SOLVE} --rules {{}}",
    "solve t.csv --qi a,b --combinations 1 --k 2 --population {} --quiet",
    f"{SOLVE} --recoding generalization --hierarchy a={{}}",
    f"{SOLVE} --recoding generalization --hierarchy {{}}",
    f"{SOLVE} --initial {{}}",
    f"{SOLVE} --within {{}}",
    f"{SOLVE} --replay {{}}",
    f"{SOLVE} --report r.html --report-population {{}}",
    "solve {} --k 2 --stream --quiet",
    "bound {} --k 2",
    "bound t.csv --k 2 --within {}",
    "frontier {} --k 2 --quiet",
    "verify {} --k 2",
    "verify t.csv --k 2 --original {}",
    "verify t.csv --k 2 --original t.csv --certificate {}",
    "verify t.csv --k 2 --recipe {}",
    "audit {} --k 2",
    "audit t.csv --k 2 --original {}",
    "risk {}",
    "risk t.csv --population {}",
    "new {}",
    "hierarchy {} a --prefix 1",
    "export pattern_ilp {} --k 2 --out m.lp",
    "import pattern_ilp {} t.csv --k 2",
    "submit {} --problem hospital.l2.stars",
    "accuracy-constrained {} --sensitive s --max-loss 1",
    "reduce 3dm {} --out r.csv",
    "reduce vertex-cover {} --out r.csv",
    "lift 3dm {} t.csv",
    "lift vertex-cover {} t.csv",
    "linkage attack {} t.csv --sensitive s",
    "linkage attack t.csv t.csv --sensitive s --targets {}",
    "linkage attack t.csv t.csv --sensitive s --hierarchy a={}",
    "linkage plan {} --qi a --sensitive s --l 2 --eps 0.5",
    "linkage publish {} --qi a --l 2 --sensitive s --classes t.csv --out r.csv",
    "linkage publish t.csv --qi a --l 2 --sensitive s --classes {} --out r.csv",
]
WRITTEN = [
    (f"{SOLVE} --out {{}}", lambda text: text.startswith("a,b,s\n")),
    (f"{SOLVE} --groups {{}}", lambda text: text.startswith("group\n")),
    (f"{SOLVE} --out r.csv --result {{}}", json.loads),
    (f"{SOLVE} --report {{}}", lambda text: "<html" in text),
    (f"{SOLVE} --save-recipe {{}}", lambda text: "[requirement]" in text),
    (
        "solve t.csv --k 2 --qi a,b --quiet --certificate {}",
        lambda text: "starmin_certificate" in json.loads(text),
    ),
    (
        "solve t.csv --k 2 --qi a,b --quiet --trajectory {}",
        lambda text: text.startswith("seconds,"),
    ),
    ("solve t.csv --k 2 --stream --quiet --out {}", lambda text: "*" in text),
    ("bound t.csv --k 2 --certificate {}", json.loads),
    (
        "import pattern_ilp m.sol t.csv --k 2 --qi a,b --out {}",
        lambda text: "*" in text,
    ),
    ("verify t.csv --k 2 --qi a --report {}", lambda text: "<html" in text),
    ("audit t.csv --k 2 --report {}", lambda text: "<html" in text),
    ("risk t.csv --report {}", lambda text: "<html" in text),
    ("new t.csv --out {}", lambda text: "[columns]" in text),
    ("hierarchy t.csv a --prefix 1 --out {}", lambda text: text == "1;1;*\n2;2;*\n"),
    ("instances write hospital --out {}", lambda text: "," in text),
    (
        "accuracy-constrained t.csv --sensitive s --max-loss 1 --qi a,b --out {}",
        lambda text: text.startswith("a,b,s"),
    ),
    ("reduce vertex-cover g.txt --size 3 --out {}", lambda text: "," in text),
    ("check --as-file {}", lambda text: "def main() -> int:" in text),
]
FOLDERS = [
    "frontier t.csv --k 2 --quiet --out {}",
    "gap t.csv --k 2 --methods forest --out {}",
    "linkage worst-case --values 8 --l 4 --out {}",
    f"{SOLVE.replace('mondrian', 'near_pattern_annealing')} --checkpoint {{}}",
]


@pytest.fixture
def run(tmp_path, monkeypatch, capsysbinary):
    """Call a command in a folder with files; its code, and what it said."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("g.txt").write_text("a b\na c\na d\nb c\nb d\nc d\n")
    Path("m.sol").write_text("".join(f"x_p{p}_t{t} 0\n" for p in range(2) for t in [0]))
    os.mkfifo("pipe.csv")

    def late(number, frame):
        raise AssertionError("it waits for ever")

    signal.signal(signal.SIGALRM, late)

    def call(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        signal.alarm(60)
        try:
            code = main()
        finally:
            signal.alarm(0)
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    yield call
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.parametrize("line", READ)
def test_what_is_read_is_a_file(run, line):
    """Nobody writes to the pipe, so that reading it would not end."""
    for place in ("pipe.csv", "-", "/dev/null"):
        code, out, err = run(line.format(place))
        assert (code, out) == (2, ""), (out, err)
        assert err.count("\n") == 1 and f"{place}" in err, err
    assert not Path("-").exists()


@pytest.mark.parametrize(("line", "is_right"), WRITTEN)
def test_what_is_written_goes_to_standard_output(run, line, is_right):
    """And what the command says goes to stderr then; ``--json`` has stdout already."""
    if "m.sol" in line:
        assert run("export pattern_ilp t.csv --k 2 --qi a,b --out m.lp")[0] == 0
        import highspy

        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.readModel("m.lp")
        highs.run()
        highs.writeSolution("m.sol", 0)
    for place in ("-", "/dev/stdout"):
        code, out, err = run(line.format(place))
        assert code == 0, err
        assert is_right(out), out
    assert not Path("-").exists()
    if "--json" in run(f"{line.split()[0]} --help all")[1]:
        code, out, err = run(f"{line.format('-')} --json")
        assert (code, out) == (2, "") and err.count("\n") == 1, err


@pytest.mark.parametrize("line", [line for line, _ in WRITTEN if "m.sol" not in line])
def test_a_pipe_that_nobody_reads_is_refused(run, line):
    code, out, err = run(line.format("pipe.csv"))
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert "nobody reads this pipe" in err
    assert run(line.format("/dev/null"))[0] == 0


@pytest.mark.parametrize("line", FOLDERS)
def test_a_folder_is_neither_a_pipe_nor_standard_output(run, line):
    for place in ("-", "pipe.csv", "/dev/null", "t.csv"):
        code, out, err = run(line.format(place))
        assert (code, out) == (2, "") and err.count("\n") == 1, err
    assert not Path("-").exists()


def test_a_pipe_is_written_when_somebody_reads_it(run):
    reader = os.open("pipe.csv", os.O_RDONLY | os.O_NONBLOCK)  # waits for no writer
    code, _, err = run(f"{SOLVE} --out pipe.csv")
    assert code == 0, err
    with os.fdopen(reader) as stream:  # a pipe holds more than this release
        found = stream.read()
    assert found.startswith("a,b,s\n") and found.count("\n") == 5


def test_two_outputs_are_not_mixed(run):
    code, _, err = run(f"{SOLVE} --out - --groups -")
    assert code == 2 and "--groups: - has --out already" in err
    code, _, err = run(f"{SOLVE} --recoding permutation --out -")
    assert code == 2 and "this recoding needs files" in err


def test_pipes_and_broken_links_beside_a_release_are_left_alone(run):
    """The folder is looked through for earlier releases, which are read."""
    os.mkfifo("other.parquet")
    Path("gone.csv").symlink_to("nowhere.csv")
    Path("inside").mkdir()
    os.mkfifo("inside/a.csv")
    rows = [f"{i // 2},{'xy'[i % 2]},u" for i in range(20)]
    Path("t.csv").write_text("\n".join(["a,b,s", *rows]))
    Path("old.csv").write_text("\n".join(["a,b,s", *rows[:-1], "9,*,u"]))
    code, _, err = run(f"{SOLVE} --out r.csv")
    assert code == 0 and "old.csv releases the same rows" in err


def test_a_process_writes_to_its_own_standard_output(tmp_path):
    """Compiled code is kept from it, but not what is asked for."""
    (tmp_path / "t.csv").write_text(TABLE)
    starmin = Path(sys.executable).with_name("starmin")
    (tmp_path / "one").symlink_to("/dev/stdout")
    (tmp_path / "link").symlink_to("one")
    for place in ("-", "/dev/stdout", "link"):
        for target in ("| cat", "> kept.csv; cat kept.csv"):
            line = f"{shlex.quote(str(starmin))} {SOLVE} --out {place} {target}"
            done = subprocess.run(
                ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True
            )
            assert done.stdout.startswith("a,b,s\n") and done.stdout.count("\n") == 5
            assert "release" in done.stderr


def test_what_is_no_pipe_by_its_name_is_refused(run):
    """A model is a file .lp or .mps, and a run of a sweep says what ended it."""
    code, _, err = run("export pattern_ilp t.csv --k 2 --out -")
    assert code == 2 and "expected a file .lp or .mps" in err
    code, out, _ = run("gap pipe.csv --k 2 --methods forest")
    assert code == 0 and "refused: pipe.csv: is no file" in out
