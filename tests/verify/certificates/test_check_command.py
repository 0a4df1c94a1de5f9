"""Tests of starmin check: the checker of one file as a command."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from starmin.verify import checker
from tests.support.commands import run

PEOPLE = "age,sex,ill\n30,f,no\n30,m,no\n31,f,yes\n32,m,no\n40,f,yes\n41,f,no\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(PEOPLE)
    return tmp_path


SOLVE = "solve p.csv --qi age,sex --k 2 --out r.csv --certificate c.json --quiet"


def test_proofs_are_accepted_refused_or_unknown(here, monkeypatch, capsys):
    assert run(monkeypatch, capsys, SOLVE)[0] == 0
    code, out, _ = run(monkeypatch, capsys, "check c.json --original p.csv")
    proof = json.loads(Path("c.json").read_text())
    assert code == 0 and f"fewer than {proof['bound']} stars" in out
    Path("d.json").write_text(json.dumps(proof | {"bound": proof["bound"] + 1}))
    code, out, _ = run(monkeypatch, capsys, "check d.json --original p.csv")
    assert code == 1 and out.startswith("refused: it claims")
    Path("e.json").write_text(json.dumps(proof | {"kind": "a kind to come"}))
    code, out, _ = run(monkeypatch, capsys, "check e.json --original p.csv")
    assert code == 3 and "cannot be checked here" in out


def test_hierarchies_are_named(here, monkeypatch, capsys):
    lines = [f"{age};{age[0]}*;*" for age in ("30", "31", "32", "40", "41")]
    Path("age.csv").write_text("\n".join(lines) + "\n")
    told = "--recoding generalization --objective gcp --hierarchy age=age.csv"
    assert run(monkeypatch, capsys, f"{SOLVE} {told}")[0] == 0
    line = "check c.json --original p.csv --hierarchy age=age.csv"
    code, out, _ = run(monkeypatch, capsys, line)
    assert code == 0 and "loses less than" in out
    for missing, why in {"": "name the hierarchy", "age=no.csv": "no.csv: "}.items():
        code, said = alone(monkeypatch, capsys, "p.csv", "c.json", missing)
        assert code == 2 and said.startswith(why)
        named = f"--hierarchy {missing}" if missing else ""
        code, out, err = run(
            monkeypatch, capsys, f"{line.partition(' --h')[0]} {named}"
        )
        assert (code, out, err) == (2, "", f"starmin: {said}")
    Path("age.csv").write_text("")
    assert alone(monkeypatch, capsys, "p.csv", "c.json", "age=age.csv")[0] == 2
    asked = "--qi age,sex --k 2 --hierarchy age=age.csv --min-level age=1 --quiet"
    Path("age.csv").write_text("\n".join(lines) + "\n")
    line = f"solve p.csv {asked} --certificate c.json"
    assert run(monkeypatch, capsys, line)[0] == 0
    assert alone(monkeypatch, capsys, "p.csv", "c.json", "age=age.csv")[0] == 0
    code, said = alone(monkeypatch, capsys, "p.csv", "c.json")
    assert code == 2 and said.startswith("name the hierarchy")


def alone(monkeypatch, capsys, *words):
    """Exit code and stdout of the checker of one file."""
    monkeypatch.setattr(sys, "argv", ["certificate_checker.py", *filter(None, words)])
    code, said = checker.main(), capsys.readouterr()
    assert said.out.count("\n") == 1 and not said.err
    return code, said.out


def test_broken_files_are_no_false_proofs(here, monkeypatch, capsys):
    """Whatever is cut or flipped of a file: code 2 and one line, or nothing is lost."""
    Path("people.csv").write_text(PEOPLE)
    asked = "--combinations 1 --k 2 --population people.csv --semantics source"
    line = f"solve p.csv --qi age,sex {asked} --certificate c.json --quiet"
    assert run(monkeypatch, capsys, line)[0] == 0
    files = ["p.csv", "c.json", "people.csv"]
    whole = {file: gzip.compress(Path(file).read_bytes()) for file in files}
    for file, content in whole.items():
        Path(f"{file}.gz").write_bytes(content)
    codes = []
    for file, content in whole.items():
        middle = len(content) // 2
        flipped = bytearray(content)
        flipped[middle] ^= 255
        broken = [content[:-8], content[:middle], b"", content[1:], bytes(flipped)]
        broken += [content[:-8] + bytes(8), gzip.compress(b"\xff\xfe\x00a,b\n\x00")]
        for bytes_of_it in broken:
            Path("broken.gz").write_bytes(bytes_of_it)
            table, proof, people = (
                "broken.gz" if each == file else f"{each}.gz" for each in files
            )
            words = table, proof, f"--population={people}"
            code, said = alone(monkeypatch, capsys, *words)
            assert code == 2 and said.startswith("broken.gz: "), (file, said)
            line = f"check {proof} --original {table} --population {people}"
            code, out, err = run(monkeypatch, capsys, line)
            assert (code, out, err) == (2, "", f"starmin: {said}")
            codes.append(code)
        if file != "people.csv":
            line = f"verify p.csv --original {table} --qi age,sex --k 2"
            code, _, err = run(monkeypatch, capsys, f"{line} --certificate {proof}")
            assert code == 2 and err.count("\n") == 1 and "broken.gz" in err
    assert len(codes) == 21
    words = "p.csv.gz", "c.json.gz", "--population=people.csv.gz"
    assert alone(monkeypatch, capsys, *words)[0] == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("check c.json --original none.csv", "none.csv"),
        ("check none.json --original p.csv", "none.json"),
        ("check p.csv --original p.csv", "p.csv"),
        ("check c.json --original two.csv", "two columns have the same name"),
        ("check c.json --original p.csv --hierarchy age", "expected COLUMN=FILE"),
        ("check c.json", "--original"),
    ],
)
def test_bad_input_is_one_line(here, monkeypatch, capsys, line, why):
    Path("c.json").write_text("{}")
    Path("two.csv").write_text("a,a\n1,2\n")
    code, out, err = run(monkeypatch, capsys, line)
    assert code == 2 and why in err and err.count("\n") == 1 and not out


def test_no_solver_and_no_loop_is_loaded(here):
    Path("c.json").write_text("[]")
    seen = (
        "import sys; from starmin.cli.app import main; sys.argv = ['starmin', 'check', "
        "'c.json', '--original', 'p.csv']; main(); "
        "print(sorted({'numba', 'highspy', 'ortools', 'scipy'} & {*sys.modules}))"
    )
    line = [sys.executable, "-P", "-c", seen]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
