"""Tests that built taxonomies join what they say, and are read as they are written."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starmin.cli.app import main
from starmin.instances import (
    Table,
    TableError,
    Taxonomy,
    date_taxonomy,
    infer_taxonomy,
    prefix_taxonomy,
    range_taxonomy,
)
from starmin.instances.scales.scales import Scales

CODES = st.lists(st.text("ab1", min_size=1, max_size=5), min_size=1, max_size=12)
NUMBERS = st.decimals(-60, 60, places=1).map(lambda x: str(x.normalize() + 0))
UNKNOWN = st.lists(st.sampled_from(["", "?"]), max_size=2)


def check_tree(tree: Taxonomy, values: list[str], folder: Path) -> None:
    """It has every value once, missing ones below the root, and survives a file."""
    assert sorted(tree.leaves) == sorted(set(values))
    for value in {"", "?"} & set(values):
        assert tree.ancestors[value] == ("*",)
    tree.write(folder / "tree.csv")
    again = Taxonomy.read(folder / "tree.csv")
    assert (again.leaves, again.ancestors) == (tree.leaves, tree.ancestors)
    table = Table.from_rows(["a"], [[value] for value in values], qi=["a"])
    assert Scales.of(table, (), {"a": tree}).domains.tolist() == [len(set(values))]


def joined(tree: Taxonomy, level: int) -> dict[str, list[str]]:
    """The leaves below each node of a level."""
    found: dict[str, list[str]] = {}
    for path in tree.levels:
        found.setdefault(path[level], []).append(path[0])
    return found


@settings(max_examples=150, deadline=None, derandomize=True)
@given(CODES, UNKNOWN, st.sets(st.integers(1, 5), min_size=1))
def test_prefixes_join_what_begins_alike(tmp_path_factory, codes, unknown, lengths):
    order = sorted(lengths, reverse=True)
    tree = prefix_taxonomy([*codes, *unknown], order)
    check_tree(tree, [*codes, *unknown], tmp_path_factory.getbasetemp())
    for level, length in enumerate(order, start=1):
        for node, leaves in joined(tree, level).items():
            if node != "*":
                same = {code for code in codes if code[:length] == leaves[0][:length]}
                assert set(leaves) == same


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(NUMBERS, min_size=1, max_size=12),
    UNKNOWN,
    st.sampled_from([["5", "10", "20"], ["0.5", "1.5"], ["7"], [".25", "1", "100"]]),
)
def test_ranges_join_what_lies_between_multiples(
    tmp_path_factory, numbers, unknown, widths
):
    tree = range_taxonomy([*numbers, *unknown], widths)
    check_tree(tree, [*numbers, *unknown], tmp_path_factory.getbasetemp())
    for level, width in enumerate(map(Fraction, widths), start=1):
        for node, leaves in joined(tree, level).items():
            if node != "*":
                place = Fraction(leaves[0]) // width
                same = {x for x in numbers if Fraction(x) // width == place}
                assert set(leaves) == same
                assert node.startswith("[") or node.split("-")[0] == str(place * width)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.dictionaries(NUMBERS, st.integers(1, 9), min_size=1, max_size=12),
    UNKNOWN,
)
def test_inferred_ranges_follow_each_other(tmp_path_factory, counts, unknown):
    counts |= dict.fromkeys(unknown, 1)
    tree = infer_taxonomy(counts)
    check_tree(tree, list(counts), tmp_path_factory.getbasetemp())
    order = [Fraction(leaf) for leaf in tree.leaves if leaf not in unknown]
    assert order == sorted(order)
    for level in range(1, len(tree.levels[0]) - 1):
        assert len(joined(tree, level)) >= len(joined(tree, level + 1))


def test_halves_have_about_as_many_rows():
    counts = {str(x): 100 if x == 7 else 1 for x in range(100)}
    tree = infer_taxonomy(counts)
    top = joined(tree, len(tree.levels[0]) - 2)
    assert list(top) == ["0-7", "8-99"]
    assert max(map(len, joined(tree, 1).values())) <= 8


def test_codes_get_prefixes_where_they_join_and_others_a_root():
    codes = [f"{a}{b}{c}" for a in "AB" for b in "01" for c in "0123"]
    assert infer_taxonomy(dict.fromkeys(codes, 1)).levels[0] == (
        "A00",
        "A0*",
        "A*",
        "*",
    )
    zips = dict.fromkeys(["01234", "01239", "94110", "94117"], 1)
    assert infer_taxonomy(zips).levels[0] == ("01234", "0123*", "*")
    assert infer_taxonomy({"red": 1, "blue": 2, "": 1}).levels[0] == ("blue", "*")
    assert infer_taxonomy({"": 3}).levels == [("", "*")]


def test_dates_are_joined_by_periods():
    dates = ["2024-05-31", "2024-04-01T10:00", "2019-12-31", "2003-01-01", ""]
    tree = date_taxonomy(dates, ["quarter", "decade", "century"])
    assert tree.levels[1] == ("2019-12-31", "2019-Q4", "2010s", "20xx", "*")
    assert tree.ancestors["2024-04-01T10:00"] == tree.ancestors["2024-05-31"]
    assert joined(tree, 3)["20xx"] != joined(tree, 2)["2000s"] == ["2003-01-01"]
    assert tree.ancestors[""] == ("*",)


@pytest.mark.parametrize(
    ("build", "values", "levels", "why"),
    [
        (prefix_taxonomy, ["ab"], [1, 3], "the longest first"),
        (prefix_taxonomy, ["ab"], [0], "the longest first"),
        (prefix_taxonomy, ["abc", "ab*"], [2], "'ab\\*' is also a node above others"),
        (range_taxonomy, ["1"], ["5", "12"], "each a multiple of the one before"),
        (range_taxonomy, ["1"], ["5", "5"], "each a multiple"),
        (range_taxonomy, ["1"], ["-5"], "widths above 0"),
        (range_taxonomy, ["1"], ["x"], "widths: expected a number"),
        (range_taxonomy, ["1", "x"], ["5"], "expected a number as 42 or -1.5, got 'x'"),
        (date_taxonomy, ["31.12.2024"], ["year"], "a date as 2024-05-31"),
        (date_taxonomy, ["2024-05-31"], ["year", "day"], "in this order"),
        (date_taxonomy, ["2024-05-31"], ["week"], "expected some of day,month"),
    ],
)
def test_what_is_no_tree_is_refused(build, values, levels, why):
    with pytest.raises(TableError, match=why):
        build(values, levels)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    rows = "12345,3\n12399,17\n20000,?\n2,8\n"
    Path("people.csv").write_text("zip,age\n" + rows)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["starmin", *words])
        code = main()
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


def test_what_the_command_writes_solve_reads(run):
    line = ["hierarchy", "people.csv"]
    code, out, err = run(*line, "zip", "--prefix", "3,1", "--out", "zip.csv")
    assert (code, err) == (0, "")
    assert "1* (2)" in out and "level 1   3 categories" in out
    code, out, _ = run(
        *line,
        "age",
        "--ranges",
        "5,10",
        "--out",
        "age.csv",
        "--json",
        "--missing",
        "NA",
    )
    assert json.loads(out)["nodes"] == [4, 4, 3, 1]
    assert Path("age.csv").read_text().splitlines()[-1] == "?;*;*;*"
    options = [f"--hierarchy={column}={column}.csv" for column in ("zip", "age")]
    code, out, err = run(
        *["solve", "people.csv", "--k", "2", "--recoding", "generalization"],
        *[*options, "--json", "--quiet", "--out", "released.csv"],
    )
    assert (code, err) == (0, "") and json.loads(out)["status"] == "optimal"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["age"], "name one of --prefix"),
        (["age", "--infer", "--ranges", "5"], "name one of --prefix"),
        (["pay", "--infer"], "no column 'pay'"),
        (["age", "--prefix", "a"], "--prefix: expected whole numbers"),
        (["age", "--infer", "--date-form", "%d"], "--date-form is for --dates"),
        (["age", "--infer", "--out", "people.csv"], "is read by this command"),
    ],
)
def test_bad_usage_is_told_in_one_line(run, words, why):
    code, out, err = run("hierarchy", "people.csv", *words)
    assert (code, out) == (2, "") and why in err and err.count("\n") == 1
