"""Tests that certificates are written, read back, and tied to the table's cells."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instances import (
    Certificate,
    KAnonymity,
    LDiversity,
    Objective,
    Table,
    TableError,
)
from instances.certificate import fingerprint

NAMES = ["a", "b", "s"]
ROWS: list[list[str | None]] = [
    ["0", "x", "p"],
    ["1", None, "q"],
    ["0", "x", "q"],
    ["0", "", "p"],
]


def make(rows: list[list[str | None]]) -> Table:
    return Table.from_rows(NAMES, rows, qi=["a", "b"], sensitive=["s"])


def certificate() -> Certificate:
    return Certificate.of(
        make(ROWS),
        KAnonymity(3) & LDiversity(2),
        Objective(weights={"a": 2}, keep=("b",)),
        "prices",
        7,
        {"prices": [1, 2, 3, 4]},
    )


def test_a_certificate_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    certificate().write(path)
    assert Certificate.read(path) == certificate()
    content = json.loads(path.read_text())
    assert content["requirement"] == {"k": 3, "l": 2}
    assert content["objective"] == {"kind": "stars", "weights": {"a": 2}, "keep": ["b"]}
    assert content["table"]["qi"] == ["a", "b"]
    assert (content["table"]["n"], content["table"]["d"]) == (4, 2)


def without(key: str) -> dict[str, Any]:
    content = {"starmin_certificate": 1} | vars(certificate())
    del content[key]
    return content


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        *[without(key) for key in ("starmin_certificate", "table", "bound", "data")],
        without("bound") | {"bound": "7"},
        without("bound") | {"bound": True},
        without("bound") | {"bound": 7.0},
        without("kind") | {"kind": 3},
        without("data") | {"data": []},
        without("bound") | {"bound": 7, "more": 1},
        without("starmin_certificate") | {"starmin_certificate": 2},
    ],
)
def test_other_json_is_refused(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content))
    with pytest.raises(TableError, match=r"x\.json: not a starmin certificate"):
        Certificate.read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"bound": 7, "bound": 8}',
        b'{"bound": ' + b"9" * 10**6 + b"}",
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"x\.json: not a JSON file"):
        Certificate.read(path)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "x.json"):
        with pytest.raises(TableError, match="cannot be read"):
            Certificate.read(path)
    with pytest.raises(TableError, match="make it first"):
        certificate().write(tmp_path / "no" / "x.json")


def test_the_fingerprint_is_of_cells_not_of_codes() -> None:
    table = make(ROWS)
    shuffled = make([ROWS[i] for i in (3, 1, 0, 2)])
    unused = Table(
        (*table.names, "other"),
        np.concatenate([table.codes + 1, table.codes[:1]]),
        (*(("unused", *values) for values in table.dictionaries), ("0", "1")),
        table.qi,
        table.sensitive,
    )
    assert fingerprint(shuffled) == fingerprint(table)
    assert fingerprint(unused) == fingerprint(table)


def test_any_other_cell_changes_the_fingerprint() -> None:
    seen = {fingerprint(make(ROWS)), fingerprint(make([*ROWS, ROWS[0]]))}
    for i in range(len(ROWS)):
        for j in range(len(NAMES)):
            rows = [list(row) for row in ROWS]
            rows[i][j] = "new"
            seen.add(fingerprint(make(rows)))
    rows = [[cell or "" for cell in row] for row in ROWS]  # missing is not empty
    seen |= {
        fingerprint(make(rows)),
        fingerprint(make(ROWS).with_roles(["b", "a"], ["s"])),
    }
    assert len(seen) == 4 + len(ROWS) * len(NAMES)
