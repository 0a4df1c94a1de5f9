"""Tests that columns whose values are ranges are joined to longer ranges."""

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import starmin
from starmin.instances import (
    Coding,
    GeneralizedRelease,
    KAnonymity,
    Objective,
    Scales,
    Table,
    TableError,
)
from starmin.instances.io.write import write_table
from starmin.models.boxes.box_program import box_program
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.cells.cells import lost_cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker.columns import Line
from starmin.verify.releases.range_ends import range_ends
from starmin.verify.releases.release_check import check_release
from starmin.verify.utility.penalty import Penalty

KINDS = {
    "right": [f"({a}, {a + 10}]" for a in range(20, 80, 10)],
    "left": [f"[{a}, {a + 5})" for a in (0, 5, 15, 30, 60)],
    "decimals": ["(0.1, 0.25]", "(0.25, 1.5]", "(1.5, 7.0]", "(-3.0, 0.1]"],
    "closed": ["[0, 17]", "[18, 64]", "[65, 99]"],
    "ages": ["0-17", "18-24", "25-44", "45-64"],
    "years": ["1990-1994", "1995-1999", "2000-2009", "2010-2019"],
    "overlapping": ["0-20", "10-30", "25-40"],
    "dates": [
        "(2024-01-01, 2024-02-01]",
        "(2024-02-01, 2024-03-01]",
        "(2024-03-01, 2024-06-01]",
    ],
}


def some(kind, seed):
    rng = random.Random(seed)
    rows = [[rng.choice(KINDS[kind]), rng.choice("xy")] for _ in range(6)]
    return Table.from_rows(["a", "b"], rows, qi=["a", "b"])


@pytest.mark.parametrize("kind", KINDS)
def test_readers_agree_on_optimum_release_and_proof(kind, tmp_path):
    for seed in range(4):
        table = some(kind, seed)
        scales = Scales.of(table, ["a"])
        scale, objective = scales.scales[0], Objective("gcp", scales=scales)
        texts = [table.dictionary("a")[code] for code in scale.codes]
        line = Line({*texts}, scales.as_json()["a"])
        penalty = Penalty(table, objective)
        for low, high in combinations(range(scale.size), 2):
            ends = np.array([[low, 0]]), np.array([[high, 0]])
            lost = objective.range_costs(table, np.array([2]), *ends)
            assert lost == penalty.of([(texts[low], "x"), (texts[high], "x")])
            share = Fraction(line.loss(low, high), line.whole)
            assert share == Fraction(int(scale.extents(low, high)), scale.domain)
    found = box_program(table, KAnonymity(2), objective=objective)
    best = brute_force(table, KAnonymity(2), objective).value
    assert found.value == found.lower_bound == best
    release = GeneralizedRelease(table, found.best, scales).published
    cells = read_cells(release, Coding("generalization", numeric=("a",)), table)
    check = check_release(release, KAnonymity(2), table, "*", cells)
    assert check.holds and not check.inconsistencies
    lost = lost_cells(release, cells) / (table.n * table.d)
    assert lost == Fraction(best, objective.whole(table))
    assert range_ends(table, release, Coding("generalization", numeric=("a",))) is None
    if found.certificate is not None:
        assert check_certificate(found.certificate, table, KAnonymity(2)).accepted
        text, proof = str(tmp_path / "table.csv"), tmp_path / "proof.json"
        write_table(table, text)
        found.certificate.write(proof)
        assert checker.check(text, str(proof))[0]


@pytest.mark.parametrize(
    ("texts", "right"),
    [
        (["(20, 30]", "(40, 50]"], "(20, 50]"),
        (["[0, 5)", "[5, 15)"], "[0, 15)"),
        (["18-24", "0-17"], "0-24"),
        (["1995-1999", "2010-2019"], "1995-2019"),
        (KINDS["dates"][:2], "(2024-01-01, 2024-03-01]"),
    ],
)
def test_a_range_is_written_as_the_values_are(texts, right):
    table = Table.from_rows(["a"], [[text] for text in texts], qi=["a"])
    scales = Scales.of(table, ["a"])
    groups = brute_force(table, KAnonymity(2), Objective("gcp", scales=scales)).best
    assert GeneralizedRelease(table, groups, scales).published.cells("a") == [right] * 2


@pytest.mark.parametrize(
    ("rows", "told", "parts"),
    [
        (["0-17", "18-24", "90+"], {}, ["row 3", "'90+'", "a range as 0-17"]),
        (["0-17", "18-24", "65"], {}, ["row 3", "'65'"]),
        (["(0, 17]", "(17, 24]", "[24, 30)"], {}, ["row 3"]),
        (["(-inf, 17]", "(17, 24]"], {}, ["has no end", "--top"]),
        (["0-17", "5-10"], {}, ["within another one"]),
        (["(0, 17]", "(0, 17.0]"], {}, ["within another one"]),
        (["17-0", "18-24"], {}, ["'17-0'"]),
        (["0-17", "18-24"], {"steps": {"a": "5"}}, ["ranges already"]),
    ],
)
def test_what_is_no_such_column_is_refused_on_a_line(rows, told, parts):
    table = Table.from_rows(["a"], [[text] for text in rows], qi=["a"])
    with pytest.raises(TableError) as refused:
        Scales.of(table, ["a"], **told)
    for part in parts:
        assert part in str(refused.value)


@pytest.mark.parametrize("right", [True, False])
def test_columns_of_pandas_cut(right):
    ages = pd.Series([21, 25, 33, 38, 44, 47, 61, 66, None, None])
    cut = pd.cut(ages, [20, 30, 40, 50, 60, 70], right=right)
    for column in (cut, pd.Series(pd.arrays.IntervalArray(cut))):
        frame = pd.DataFrame({"age": column, "sex": [*"mfmfmfmfmm"]})
        release = starmin.anonymize(frame, k=2, numeric=["age"], method="box_program")
        check = release.verify()
        assert check.holds and not check.inconsistencies
        assert release.certificate.check(frame).accepted
        shown = {*release.frame["age"].dropna().astype(str)}
        assert all(text[0] in "([" and text[-1] in ")]" for text in shown)
    kept = starmin.anonymize(frame[["age"]], k=2, numeric=["age"])
    pd.testing.assert_frame_equal(kept.frame, frame[["age"]])
