"""Tests that ranges are read, widened and joined as they mean."""

import json
import random
import re
import shlex
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import (
    Coding,
    GeneralizedRelease,
    KAnonymity,
    Objective,
    Partition,
    Scales,
    Table,
    TableError,
    Taxonomy,
)
from starmin.instances.io.write import write_table
from starmin.instances.scales.numbers import Width
from starmin.instances.scales.range_notation import AmbiguousRangeError, read_range
from starmin.models.boxes.box_program import box_program
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.cells.cells import lost_cells
from starmin.verify.cells.read_cells import NotedNumbers, read_cells
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker.columns import Line
from starmin.verify.releases.range_ends import range_ends
from starmin.verify.releases.release_check import check_release
from starmin.verify.utility.penalty import Penalty

STYLES = ("ours", "arx", "pandas", "sdcmicro", "auto")


@pytest.mark.parametrize(
    ("text", "styles", "inside", "outside"),
    [
        ("[35-45]", "ours auto sdcmicro", "35 40 45", "34.9 45.1"),
        ("[-5--3]", "ours auto sdcmicro", "-5 -3", "-2 -6"),
        ("[1,5-2,5]", "ours auto sdcmicro", "1.5 2.5", "1 2.6"),
        ("[15, 20[", "arx auto", "15 19.99", "20 14.9"),
        ("]15, 20]", "arx auto", "15.01 20", "15 21"),
        ("]15, 20[", "arx auto", "16", "15 20"),
        ("[15, 20]", "arx pandas sdcmicro auto", "15 20", "14 21"),
        ("(19.9, 29.0]", "pandas sdcmicro auto", "20 29", "19.9 29.1"),
        ("[0, 5)", "pandas sdcmicro auto", "0 4", "5 -1"),
        ("(0,5)", "pandas sdcmicro auto", "1", "0 5"),
        ("(-5,-1]", "pandas sdcmicro auto", "-1 -4", "-5 0"),
        ("(1e+03,2.5e+03]", "pandas sdcmicro auto", "1001 2500", "1000 2501"),
        ("(-inf, 5.0]", "pandas sdcmicro auto", "-999 5", "5.1"),
        ("(90,Inf]", "pandas sdcmicro auto", "91 1e9", "90"),
        (">=90", "arx sdcmicro auto", "90 1e9", "89.9"),
        (">90", "arx sdcmicro auto", "90.1", "90"),
        ("<18", "arx sdcmicro auto", "17.9 -5", "18"),
        ("<= 17", "arx sdcmicro auto", "17", "17.1"),
        ("90+", "arx sdcmicro auto", "90 99", "89"),
        ("90 and over", "arx sdcmicro auto", "90", "89"),
        ("20-29", "sdcmicro auto", "20 29", "19 30"),
        ("20\u201329", "auto", "20 29", "30"),
        ("20..29", "auto", "20 29", "30"),
        ("20 to 29", "auto", "20 29", "30"),
        ("[15;20[", "auto", "15 19", "20"),
        ("[1,5;2,5]", "auto", "1.5 2.5", "2.6"),
    ],
)
def test_ends_are_open_or_closed(text, styles, inside, outside):
    for style in STYLES:
        found = read_range(text, style)
        assert (found is not None) == (style in styles.split()), (style, found)
        if found is not None:
            assert all(found.holds(Decimal(x)) for x in inside.split())
            assert not any(found.holds(Decimal(x)) for x in outside.split())
            noted = NotedNumbers(style)
            assert all(noted.holds(text, x) for x in inside.split())
            assert not any(noted.holds(text, x) for x in outside.split())


@pytest.mark.parametrize(
    "text",
    ["42", "-5", "1.5e3", "", "*", "a-b", "flu", "[15]", "20-", "+", "(1)", "2-a"],
)
def test_what_is_no_range_is_none(text):
    assert [read_range(text, style) for style in STYLES] == [None] * 5


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[10,20,30]", "may be 10 to 20.30 or 10.20 to 30"),
        ("(1,234,5,678]", "may be 1234 or 1.234"),
        ("[1,500, 2,000[", "may be 1500 or 1.500"),
        (">=1,000", "may be 1000 or 1.000"),
        ("29-20", "ends before it begins"),
        ("[20, 15[", "ends before it begins"),
        ("(5,5]", "no number is in"),
    ],
)
def test_what_is_ambiguous_is_refused_and_the_cell_is_named(text, why):
    with pytest.raises(AmbiguousRangeError, match=why):
        read_range(text)
    released = Table.from_rows(["age"], [["1"], [text]], qi=["age"])
    with pytest.raises(TableError, match="row 2, column 'age': expected a plain range"):
        starmin.verify(released, numeric=["age"])


def test_other_notations_are_refused_and_one_is_shown():
    released = Table.from_rows(["age"], [["1"], ["[15, 20["]], qi=["age"])
    for style, shown in (("ours", "[35-45]"), ("pandas", "(19.9, 29.0]")):
        with pytest.raises(TableError, match="row 2, column 'age'") as caught:
            starmin.verify(released, numeric=["age"], range_style=style)
        assert shown in str(caught.value) and "'[15, 20['" in str(caught.value)
    with pytest.raises(ValueError, match="range_style"):
        starmin.verify(released, numeric=["age"], range_style="excel")


@pytest.mark.parametrize(
    "wrong", ["15-20", "(15, 20]", "2024-05-31", "12:30", "flu", "[15-20]"]
)
def test_the_cell_is_blamed_that_is_not_in_the_notation(wrong):
    """It is, whatever else it may be, and however many cells are right."""
    for right in (1, 3):
        rows = [["[15, 20["]] * right + [[wrong]] * 2
        released = Table.from_rows(["age"], rows, qi=["age"])
        blamed = rf"row {right + 1}, column 'age': .* got '{re.escape(wrong)}'"
        with pytest.raises(TableError, match=blamed):
            starmin.verify(released, numeric=["age"], range_style="arx")
    rows = [["[15, 20["], ["[20, 25["], ["2024-05-31"]]
    released = Table.from_rows(["age"], rows, qi=["age"])
    with pytest.raises(TableError, match="row 3"):
        starmin.verify(released, numeric=["age"])


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_intervals_of_pandas_agree_with_what_they_hold(seed, right):
    """And with their values moved by one range they do not."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 100, 60) / 4
    cuts = np.unique(rng.integers(-4, 104, 6)) / 4
    cuts = np.array([-1.25, *cuts, 26.5])
    cut = pd.cut(values, np.unique(cuts), right=right).astype(str).tolist()
    original = Table.from_rows(["x"], [[str(x)] for x in values], qi=["x"])
    released = Table.from_rows(["x"], [[text] for text in cut], qi=["x"])
    for style in ("pandas", "sdcmicro", "auto"):
        check = starmin.verify(
            released, numeric=["x"], original=original, range_style=style
        )
        assert check.consistent
    for row, text in enumerate(cut):
        other = random.Random(row).choice([each for each in {*cut} if each != text])
        lie = [[t] for t in cut]
        lie[row] = [other]
        check = starmin.verify(
            Table.from_rows(["x"], lie, qi=["x"]), numeric=["x"], original=original
        )
        assert not check.inconsistencies or check.inconsistencies[0].rows == (row + 1,)
        assert check.inconsistencies


def test_losses_are_lengths_within_the_domain():
    rows = ["[10, 20[", "[15, 20[", ">=40", "<20", "20-29", "50", "*"]
    released = Table.from_rows(["age"], [[text] for text in rows], qi=["age"])
    ages = ["12", "15", "50", "10", "20", "50", "30"]
    original = Table.from_rows(["age"], [[age] for age in ages], qi=["age"])
    cells = read_cells(
        released,
        Coding("generalization", numeric=("age",), range_style="auto"),
        original,
    )["age"]
    shares = [Fraction(x, 40) for x in (10, 5, 10, 10, 9, 0, 40)]
    assert [cells.loss(text) for text in rows] == shares
    assert starmin.verify(released, numeric=["age"], original=original).consistent
    alone = read_cells(
        released, Coding("generalization", numeric=("age",), range_style="auto")
    )["age"]
    assert alone.loss("[10, 20[") == Fraction(10, 40)


def test_a_release_of_ours_reads_alike_in_its_style_and_in_any():
    rows = ["[1-3]", "[-2,5-7,25]", "4", "[1e2-1e3]", "?", "*"]
    released = Table.from_rows(["x"], [[text] for text in rows], qi=["x"])
    ours, auto = (
        read_cells(
            released, Coding("generalization", numeric=("x",), range_style=style)
        )["x"]
        for style in ("ours", "auto")
    )
    assert [ours.loss(text) for text in rows] == [auto.loss(text) for text in rows]
    for value in ("1", "3", "7.25", "-2.6", "100", "?"):
        assert [ours.covers(t, value) for t in rows] == [
            auto.covers(t, value) for t in rows
        ]


AGES = ["20", "21", "30", "31.0", "31", "58", "60", "40", "60"]
GROUPS = Partition(np.array([0, 0, 1, 1, 2, 3, 3, 2, 0], np.int32))


def released(ages, **told):
    table = Table.from_rows(["age"], [[age] for age in ages], qi=["age"])
    scales = Scales.of(table, ["age"], **told)
    partition = Partition(GROUPS.groups[: len(ages)])
    value = partition.value(table, objective := Objective("gcp", scales=scales))
    published = GeneralizedRelease(table, partition, scales).published
    return published.cells("age"), value / objective.whole(table), published, table


def test_ranges_are_widened_and_hidden_as_by_hand():
    widths = {"age": Width.parse("5..12")}
    cells, loss, published, table = released(AGES, widths=widths)
    shown = ["*", "*", "[30-35]", "[30-35]", "[31-40]", "[55-60]", "[55-60]", "[31-40]"]
    assert [*cells] == [*shown, "*"]
    assert loss == pytest.approx((3 + (4 * 5 + 2 * 9) / 40) / 9)
    meaning = read_cells(
        published, Coding("generalization", numeric=("age",), widths=widths), table
    )
    assert lost_cells(published, meaning) == pytest.approx(loss * 9)
    for width, cell in ("6..", "[30-35]"), ("..8", "[31-40]"):
        with pytest.raises(TableError, match="a width of") as refused:
            read_cells(
                published,
                Coding(
                    "generalization",
                    numeric=("age",),
                    widths={"age": Width.parse(width)},
                ),
            )
        assert repr(cell) in str(refused.value)
    # Rounded ends stay multiples; a star is all that counts as lost.
    rounded = {"steps": {"age": "4"}, "widths": {"age": Width.parse("5..13")}}
    cells, loss, published, _ = released(AGES, loss="stars", **rounded)
    assert sorted({*cells}) == ["*", "[28-36]", "[28-40]", "[52-60]"]
    assert loss == 3 / 9
    assert read_cells(published, Coding("generalization", numeric=("age",), **rounded))


@pytest.mark.parametrize("text", ["5", "..", "5..4", "-1..4", "0..4", "a..", "1..2..3"])
def test_what_is_no_width_is_refused(text):
    with pytest.raises(TableError, match="width"):
        Width.parse(text)


def test_widths_that_no_range_can_have_are_refused():
    with pytest.raises(TableError, match="at most 40, the length of all"):
        released(AGES, widths={"age": Width("41")})
    with pytest.raises(TableError, match="multiples of 25"):
        released(AGES, steps={"age": "25"}, widths={"age": Width("5", "20")})
    with pytest.raises(TableError, match="not numeric"):
        table = Table.from_rows(["a"], [["x"]], qi=["a"])
        tree = {"a": Taxonomy.parse("{x,y}")}
        Scales.of(table, (), tree, widths={"a": Width("5")})


def test_commands_take_widths(capsys, tmp_path, monkeypatch):
    def starmin(line):
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        return main(), capsys.readouterr()

    monkeypatch.chdir(tmp_path)
    rows = [f"{17 + i * i % 71},{'fm'[i % 2]}" for i in range(40)]
    Path("people.csv").write_text("\n".join(["age,sex", *rows]) + "\n")
    told = "--k 3 --recoding generalization --numeric age --json --quiet"
    line = f"solve people.csv {told} --width age=4..20 --time-limit 30 --out o.csv"
    code, said = starmin(f"{line} --certificate p.json")
    found = json.loads(said.out)
    assert code == 0 and 0 < found["certified_bound"] <= found["value"]
    check = f"verify o.csv {told} --original people.csv"
    proven = f"{check} --certificate p.json --width age"
    code, said = starmin(f"{proven}=4..20")
    checked = json.loads(said.out)
    assert code == 0 and checked["consistent"] and checked["certificate"]["accepted"]
    assert checked["gcp"] == found["value"]
    code, said = starmin(f"{proven}=4..21")
    assert code == 1 and "ranges" in json.loads(said.out)["certificate"]["why"]
    for option, why in (
        ("--width age=9..", "expected a range with a width of 9.., got"),
        ("--width age=9", "--width: expected widths above 0 as 5..20"),
        ("--width sex=9..", "--width: column 'sex' is not among those of --numeric"),
    ):
        code, said = starmin(f"{check} {option}")
        assert code == 2 and why in said.err and said.err.count("\n") == 1


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
