"""Tests that rules over combinations hold in tables that are read in batches."""

import json
import random
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from starmin.cli.app import main
from starmin.heuristics.rules.office_greedy import office_greedy
from starmin.heuristics.rules.rule_search import rule_search
from starmin.instances import Mask, Table
from starmin.models.rules.rule_ilp import rule_ilp
from starmin.verify.certificates.certificate_check import check_certificate
from tests.least_by_rules import least_by_rules
from tests.seeds import seeds
from tests.small_rules import PAIRS, SEMANTICS, random_problem


def distinct(table: Table) -> Table:
    """Return the distinct rows, with all of their columns, and how often each is."""
    codes, counts = np.unique(table.codes, axis=1, return_counts=True)
    return replace(table, codes=codes, counts=counts.astype(np.int64))


def all_rows(table: Table, mask: Mask) -> tuple[Table, Mask]:
    """Return a table with a row for each copy, and the mask of these."""
    lines = mask.lines(table)
    each = np.repeat(np.arange(len(mask.starred)), lines.counts)
    levels = None if mask.levels is None else mask.levels[each]
    return replace(lines, counts=None).take(each), Mask(mask.starred[each], levels)


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("seed", seeds(15))
def test_distinct_rows_have_the_optimum_of_all(seed: int, semantics: str) -> None:
    table, asked, objective = random_problem(random.Random(seed), semantics)
    few = distinct(table)
    best = least_by_rules(table, asked, objective)
    for method in (rule_ilp, rule_search):
        found = method(few, asked, objective=objective, time_limit=5)
        assert (found.value, found.reason is None) == (best, bool(found.best))
        if found.best is None:
            continue
        rows, mask = all_rows(few, found.best)
        assert found.best.violation(few, asked, objective) is None
        assert mask.violation(rows, asked, objective) is None
        assert mask.value(rows, objective) == found.best.value(few, objective)
        assert mask.value(rows, objective) == found.value
        if found.certificate is not None:
            for own in (few, rows):
                assert check_certificate(found.certificate, own, asked).accepted


@pytest.mark.parametrize("seed", seeds(15))
def test_offices_star_copies_alike(seed: int) -> None:
    table, asked, objective = random_problem(random.Random(seed))
    few = distinct(table)
    found = office_greedy(few, asked, objective=objective)
    assert found.value == office_greedy(table, asked, objective=objective).value


def test_masks_that_do_not_publish_each_copy_are_refused() -> None:
    table, asked, objective = random_problem(random.Random(3), "shown")
    few = distinct(table)
    whole = Mask.coarsest(few, asked, objective)
    assert whole.n == table.n and whole.copies is not None
    lacking = replace(whole, copies=whole.copies + 1)
    for mask, own in ((lacking, few), (whole, table)):
        assert "as often" in (mask.violation(own, asked, objective) or "")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(PAIRS.rows(), columns=PAIRS.names)
    frame["note"] = [f"n{i}" for i in range(len(frame))]
    frame.to_csv("t.csv", index=False)
    for kind, ending in (("text", "csv"), ("parquet", "parquet")):
        Path(kind).mkdir()
        for i, part in enumerate((frame[:4], frame[4:])):
            write = part.to_csv if ending == "csv" else part.to_parquet
            write(f"{kind}/{i}.{ending}", index=False)

    def said(line: str) -> tuple[int, dict]:
        monkeypatch.setattr("sys.argv", ["starmin", *shlex.split(line), "--json"])
        code = main()
        out = capsys.readouterr().out
        return code, json.loads(out) if out.startswith("{") else {}

    return said


@pytest.mark.parametrize(("semantics", "stars"), [("source", 6), ("shown", 7)])
@pytest.mark.parametrize("source", ["t.csv", "text", "parquet"])
def test_files_are_published_and_checked(source, semantics, stars, run) -> None:
    out = "out.csv" if source == "t.csv" else "out"
    rules = f"--combinations 2 --k 2 --semantics {semantics} --qi {','.join(PAIRS.qi)}"
    stream = "--stream" if source == "t.csv" else ""
    solved = f"solve {source} {stream} {rules} --out {out} --certificate proof.json"
    code, found = run(solved)
    assert code == 0 and found["value"] == found["lower_bound"] == stars
    assert found["certificate_checked"]
    check = f"{stream} {rules} --original {source} --certificate proof.json"
    code, found = run(f"verify {out} {check}")
    assert code == 0 and found["holds"] and found["stars"] == stars
    assert found["consistent"] and found["certificate"]["accepted"]
    if source == "t.csv":
        code, whole = run(f"verify {out} {check.replace('--stream', '')}")
        assert code == 0 and whole["stars_by_column"] == found["stars_by_column"]
        own = ("columns", "k", "items", "rare", "rare_rows", "least", "hidden_rows")
        for one, other in zip(whole["rules"], found["rules"], strict=True):
            assert [one[key] for key in own] == [other[key] for key in own]
    code, found = run(f"verify {source} {stream} {rules} --original {source}")
    assert code == 1 and not found["holds"] and found["violations_total"] > 0
