"""Tests that the one file of the checker is what its parts make, and stands alone."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from starmin.instances import STARS, Certificate, KAnonymity, Table
from starmin.verify import checker
from starmin.verify.checker import join

ROWS = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def test_the_command_writes_the_one_file_and_nothing_else(starmin):
    asked = "check", "--as-file", "checker.py"
    assert starmin(*asked) == (0, "wrote     checker.py\n", "")
    assert Path("checker.py").read_text(encoding="utf-8") == join.joined()
    assert [*Path().iterdir()] == [Path("checker.py")]
    for words, why in {
        ("check", "--as-file", "no/checker.py"): "folder no does not exist",
        (*asked, "p.json"): "--as-file: it checks nothing",
        (*asked, "--original", "t.csv"): "--as-file: it checks nothing",
        ("check", "p.json"): "--original, or --as-file",
        ("check", "--original", "t.csv"): "name CERTIFICATE",
    }.items():
        code, out, err = starmin(*words)
        assert (code, out, err.count("\n")) == (2, "", 1) and why in err


def test_the_former_name_says_what_is_imported(monkeypatch):
    name = "starmin.verify.certificate_checker"
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.warns(DeprecationWarning, match="is now starmin.verify.checker;"):
        former = import_module(name)
    assert former.check is checker.check and former.InputError is checker.InputError


def test_the_one_file_imports_the_standard_library_alone():
    imported = set()
    for node in ast.walk(ast.parse(join.joined())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module.split(".")[0])
    assert imported <= sys.stdlib_module_names


def test_what_is_joined_runs_alone(tmp_path, one_file):
    """In a folder of its own, without the packages of the environment."""
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(map(",".join, ROWS)) + "\n")
    table = Table.from_rows(["a", "b"], ROWS, qi=["a", "b"])
    prices = {"denominator": 1, "prices": [1] * 4}
    for bound, code in ((4, 0), (5, 1)):
        claim = Certificate.of(table, KAnonymity(2), STARS, "prices", bound, prices)
        content = {"starmin_certificate": 2} | vars(claim)
        (tmp_path / "p.json").write_text(json.dumps(content, default=dict))
        command = [sys.executable, "-I", "-S", one_file, "t.csv", "p.json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (code, "")


def test_a_name_that_stands_for_two_things_is_not_joined(tmp_path, monkeypatch):
    (tmp_path / "command.py").write_text(
        f'"""Check."""\n\nfrom {join.ROOT}other import two\n\none = two\n'
    )
    (tmp_path / "other.py").write_text('"""Others."""\n\ntwo = 2\none = 1\n')
    monkeypatch.setattr(join, "HOME", tmp_path)
    try:
        join.joined()
    except ValueError as error:
        assert str(error) == "one is in other and in command"
    else:
        raise AssertionError
