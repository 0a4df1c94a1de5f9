"""Tests that cells are read as sets where that is asked, and hinted at where not."""

import json
import random
import shlex
from pathlib import Path

import pytest

from starmin.auto.choice import solve_by
from starmin.cli.app import main
from starmin.instances import KAnonymity, Objective, Problem, Table, write_table
from starmin.instances.tables.table import as_sets, same_parts
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.fuzzing import TRIES


@pytest.mark.parametrize(
    ("sep", "cells", "same"),
    [
        ("|", ["a|b|c", "c|a|b", "a|b", "b|a|b"], [0, 0, 2, 2]),
        (";", ["x; y", "y;x", "x", "x;x"], [0, 0, 2, 2]),
        (",", ["1,2", "2,1", "12", ""], [0, 0, 2, 3]),
        ("/", ["", None, "a/", "/a"], [0, 1, 2, 2]),
        ("--", ["a--b", "b--a", "a-b", "*"], [0, 0, 2, 3]),
    ],
)
def test_order_blanks_and_repeats_do_not_matter(sep, cells, same):
    table = Table.from_rows(["q"], [[cell] for cell in cells], ["q"])
    assert as_sets(table, {"q": sep}).cells("q") == [cells[i] for i in same]


def test_what_is_hinted_at():
    assert same_parts(["a|b", "b|a"]) == ("a|b", "b|a", "|")
    assert same_parts(["Doe, Jane", "Jane, Doe"]) == ("Doe, Jane", "Jane, Doe", ",")
    for texts in (["a|b", "a|c"], ["a|a", "a"], ["a", "b", None, ""], ["a b", "b a"]):
        assert same_parts(texts) is None


def test_optima_are_those_of_brute_force_and_certificates_are_accepted(tmp_path):
    for seed in range(TRIES or 25):
        rng = random.Random(seed)
        parts = [rng.sample("abc", rng.randint(1, 3)) for _ in range(8)]
        rows = [["|".join(each), rng.choice("xy")] for each in parts]
        table = Table.from_rows(["s", "q"], rows, ["s", "q"])
        pairs = zip(parts, rows, strict=True)
        plain = [["".join(sorted(each)), row[1]] for each, row in pairs]
        best = brute_force(
            Table.from_rows(["s", "q"], plain, ["s", "q"]), KAnonymity(2)
        )
        sets, goal = as_sets(table, {"s": "|"}), Objective("stars")
        found = solve_by(
            "auto", Problem(sets, KAnonymity(2), goal), {"time_limit": 20.0}
        )
        assert (found.value, found.lower_bound) == (best.value, best.value)
        assert check_certificate(found.certificate, sets, KAnonymity(2)).accepted
        write_table(sets, tmp_path / "t.csv")
        found.certificate.write(tmp_path / "c.json")
        paths = str(tmp_path / "t.csv"), str(tmp_path / "c.json")
        assert checker.check(*paths)[0], seed


def test_the_command_line_reads_sets(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("id;items\n1;a|b|c\n2;a|b\n3;b|a\n4;c|a|b\n")

    def run(line):
        monkeypatch.setattr("sys.argv", ["starmin", *shlex.split(line)])
        return main(), *capsys.readouterr()

    code, out, err = run("solve a.csv --qi items --drop id --k 2 --json")
    assert code == 0 and json.loads(out)["value"] == 4
    assert err.count("--sets 'items=|' reads cells as sets") == 1
    asked = "--qi items --k 2 --sets 'items=|'"
    line = f"solve a.csv {asked} --drop id --json --out r.csv --certificate c.json"
    code, out, err = run(line)
    assert code == 0 and json.loads(out)["value"] == 0 and "--sets" not in err
    assert Path("r.csv").read_text().split() == [
        "items",
        "a|b|c",
        "a|b",
        "a|b",
        "a|b|c",
    ]
    check = f"verify r.csv {asked} --drop id --original a.csv --certificate c.json"
    code, out, err = run(f"{check} --json")
    assert code == 0 and json.loads(out)["consistent"], err
    for wrong in ("'item=|'", "items", "'items=|' --sets 'items=;'"):
        code, out, err = run(f"solve a.csv --qi items --k 2 --sets {wrong}")
        assert code == 2 and err.count("\n") == 1 and "--sets" in err
