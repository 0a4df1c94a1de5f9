"""Tests that ranges of other tools are read with their ends as these mean them."""

import random
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import starmin
from starmin.instances import Coding, Table, TableError
from starmin.instances.scales.range_notation import AmbiguousRangeError, read_range
from starmin.verify.cells.read_cells import NotedNumbers, read_cells

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
@pytest.mark.parametrize("seed", range(10))
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
