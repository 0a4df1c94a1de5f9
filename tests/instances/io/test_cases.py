"""Tests that small files of everyday kinds give what ``cases/right.json`` says.

A row of the table is a command, or several, and what is right of the last one; the
others end with 0. They run in a folder of their own that has the files of ``cases``.

``run``
    A line, or several.
``exit``
    The exit code; 0 where it is not named. At 2 there is one line on stderr, and no
    other file.
``json``
    Keys of the JSON object on stdout, and what they are; ``{"most": x}`` and
    ``{"least": x}`` are limits.
``says``
    Parts of what is said on stderr or stdout; ``silent`` what is not said.
``text``
    By file the text that it holds.
``cells``
    By file and column the cells, read by another library.
``types``, ``labels``, ``missing``
    By file and column the type, the labels of values, the declared missing codes.
``absent``, ``present``
    By file what is nowhere in it, not even packed, and what is.
"""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from starmin.cli.app import main
from tests.support.files_seen import has, seen
from tests.support.places import CASES

pytest.importorskip("pyreadstat")
ROWS = json.loads((CASES / "right.json").read_text(encoding="utf-8"))
KEYS = {"run", "exit", "json", "says", "silent", "text", "cells", "types", "labels"}
KEYS |= {"missing", "absent", "present"}


def name_of(row: dict[str, Any]) -> str:
    """The last command of a row."""
    return row["run"] if isinstance(row["run"], str) else row["run"][-1]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_it_is_right(row, tmp_path, monkeypatch, capsys):
    assert set(row) <= KEYS, "a word that is not known"
    folder = tmp_path / "cases"
    shutil.copytree(CASES, folder)
    monkeypatch.chdir(folder)
    lines = [row["run"]] if isinstance(row["run"], str) else row["run"]
    before = set(folder.iterdir())
    for line in lines:
        capsys.readouterr()
        monkeypatch.setattr("sys.argv", ["starmin", *shlex.split(line)])
        code = main()
        out, err = capsys.readouterr()
        wanted = row.get("exit", 0) if line is lines[-1] else 0
        assert code == wanted, out + err
    if row.get("exit") == 2:
        assert err.count("\n") == 1, err
        assert len(lines) > 1 or set(folder.iterdir()) == before
    for part in row.get("says", ()):
        assert part in out + err
    for part in row.get("silent", ()):
        assert part not in out + err
    found = json.loads(out) if "json" in row else {}
    for key, value in row.get("json", {}).items():
        assert agrees(found[key], value), (key, found[key])
    for file, text in row.get("text", {}).items():
        assert Path(file).read_bytes().decode() == text
    for what in ("cells", "types", "labels", "missing"):
        for file, columns in row.get(what, {}).items():
            compare(getattr(seen(Path(file)), what), columns)
    for file, texts in row.get("absent", {}).items():
        assert [text for text in texts if has(file, text)] == []
    for file, texts in row.get("present", {}).items():
        assert [text for text in texts if not has(file, text)] == []


def agrees(found: Any, wanted: Any) -> bool:
    """Check a value against another one, or against limits."""
    if isinstance(wanted, dict) and set(wanted) <= {"most", "least"}:
        least, most = wanted.get("least", found), wanted.get("most", found)
        return bool(least <= found <= most)
    return bool(found == wanted)


def compare(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Compare what columns have; of one that is not there nothing is wanted."""
    assert {column: found.get(column) for column in wanted} == wanted
