"""Tests that certificates are written, read back, and tied to the table's cells."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    TUPLES,
    Certificate,
    KAnonymity,
    LDiversity,
    Objective,
    Table,
    TableError,
)
from starmin.instances.runs.certificate import fingerprint
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate

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
        without("note") | {"note": 1},
        without("starmin_certificate") | {"starmin_certificate": 0},
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


SUPPRESSED = [(0, "a"), (1, "a"), (1, "b"), (0, "s")]  # of ROWS, as if starred


def guesses() -> Iterator[Table]:
    """All tables that differ from ROWS in the suppressed cells alone."""
    for cells in itertools.product(["0", "1", "x", None], repeat=len(SUPPRESSED)):
        rows = [list(row) for row in ROWS]
        for (row, column), cell in zip(SUPPRESSED, cells, strict=True):
            rows[row][NAMES.index(column)] = cell
        yield make(rows)


def test_guesses_of_suppressed_cells_cannot_be_tried_out(tmp_path: Path) -> None:
    """Nothing but the proof, which the note says is confidential, is of the cells."""
    seen = set()
    for table in guesses():
        path = tmp_path / "proof.json"
        Certificate.of(table, KAnonymity(2), STARS, "residue", 0, {}).write(path)
        seen.add(path.read_bytes())
    (text,) = seen
    assert set(json.loads(text)["table"]) == {"name", "n", "d", "qi", "sensitive"}
    assert "Confidential" in json.loads(text)["note"]


def test_what_is_accepted_is_true_of_the_table_it_is_checked_with() -> None:
    """Without a fingerprint the certificate of one table may be that of another."""
    rows = [[*map(str, cells)] for cells in itertools.product(range(2), repeat=3)]
    tables = [
        Table.from_rows("abc", [rows[i] for i in some], "abc")
        for some in itertools.combinations_with_replacement(range(8), 4)
    ]
    optima = [brute_force(table, KAnonymity(2)).value or 0 for table in tables]
    accepted = 0
    for table in tables[::27]:
        proof = pattern_lp(table, KAnonymity(2)).certificate
        assert proof is not None
        for other, optimum in zip(tables, optima, strict=True):
            check = check_certificate(proof, other, KAnonymity(2), STARS)
            if check.accepted:
                accepted += 1
                assert check.bound is not None
                assert proof.bound <= check.bound <= optimum
    assert accepted > len(tables) / 3


def test_certificates_of_format_1_are_compared_by_their_fingerprint(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.json"
    table = make(ROWS)
    proof = Certificate.of(table, KAnonymity(2), TUPLES, "residue", 0, {})
    content = {"starmin_certificate": 1, **vars(proof)}
    del content["note"]
    content["table"] = {**proof.table, "fingerprint": fingerprint(table)}
    path.write_text(json.dumps(content))
    old = Certificate.read(path)
    assert check_certificate(old, table).accepted
    other = next(guesses())
    assert check_certificate(old, other).why == (
        "it is for another table: fingerprint differs"
    )
    assert check_certificate(proof, other).accepted
