"""Tests that the one file of the checker is what its parts make, and stands alone."""

import ast
import json
import subprocess
import sys

from starmin.instances import STARS, Certificate, KAnonymity, Table
from starmin.verify.checker import join

ROWS = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def test_the_one_file_is_what_its_parts_make():
    assert join.JOINED.read_text(encoding="utf-8") == join.joined(), (
        "call python -m starmin.verify.checker.join"
    )


def test_the_one_file_imports_the_standard_library_alone():
    imported = set()
    for node in ast.walk(ast.parse(join.joined())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module.split(".")[0])
    assert imported <= sys.stdlib_module_names


def test_what_is_joined_runs_alone(tmp_path):
    """In a folder of its own, without the packages of the environment."""
    copy = tmp_path / "checker.py"
    copy.write_text(join.joined(), encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(map(",".join, ROWS)) + "\n")
    table = Table.from_rows(["a", "b"], ROWS, qi=["a", "b"])
    prices = {"denominator": 1, "prices": [1] * 4}
    for bound, code in ((4, 0), (5, 1)):
        claim = Certificate.of(table, KAnonymity(2), STARS, "prices", bound, prices)
        content = {"starmin_certificate": 2} | vars(claim)
        (tmp_path / "p.json").write_text(json.dumps(content, default=dict))
        command = [sys.executable, "-I", "-S", str(copy), "t.csv", "p.json"]
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
