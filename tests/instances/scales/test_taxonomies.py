"""Tests that taxonomies are read, built and typed as they say, and no other is."""

import json
import sys
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starmin
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

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6)


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Paths of a random tree below ``*``, leaves shuffled, no name used twice."""
    names = draw(st.lists(NAMES, min_size=1, max_size=12, unique=True))
    names = [name.strip() for name in names]
    names = [name for name in dict.fromkeys(names) if name and name != "*"] or ["a"]
    above = {
        name: draw(st.sampled_from(["*", *names[:i]])) for i, name in enumerate(names)
    }
    leaves = [name for name in names if name not in above.values()]
    paths = []
    for leaf in draw(st.permutations(leaves)):
        path = [leaf]
        while path[-1] != "*":
            path.append(above[path[-1]])
        paths.append(tuple(path))
    return paths


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def inline(paths: list[tuple[str, ...]], above: tuple[str, ...] = ("*",)) -> str:
    """The tree below a node, written inline."""
    depth = len(above)
    mine = [path for path in paths if path[-depth:] == above]
    parts = []
    for name in dict.fromkeys(path[-depth - 1] for path in mine):
        is_leaf = any(path[0] == name for path in mine)
        parts.append(quoted(name) + ("" if is_leaf else inline(mine, (name, *above))))
    return "{" + ",".join(parts) + "}"


@settings(max_examples=50, deadline=None, derandomize=True)
@given(trees())
def test_leaves_are_numbered_so_that_two_tell_the_lowest_ancestor(paths):
    tree = Taxonomy(paths)
    by_leaf = {path[0]: path for path in paths}
    assert sorted(tree.leaves) == sorted(by_leaf)
    assert tree.ancestors == {leaf: path[1:] for leaf, path in by_leaf.items()}
    m = len(tree.leaves)
    low, high = np.triu_indices(m)
    lowest = tree.lowest_above(low, high)
    for a, b, node in zip(low, high, lowest, strict=True):
        own = [by_leaf[leaf] for leaf in tree.leaves[a : b + 1]]
        expected = next(n for n in own[0] if all(n in path for path in own))
        assert tree.labels[node] == expected
        assert tree.counts[node] == sum(expected in path for path in paths)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(trees())
def test_inline_trees_are_read_back(paths):
    tree = Taxonomy.parse(inline(paths))
    assert tree.ancestors == Taxonomy(paths).ancestors


@settings(max_examples=50, deadline=None, derandomize=True)
@given(trees())
def test_files_are_read_back(tmp_path_factory, paths):
    # ARX's tables have as many levels for all: a node is repeated to fill them.
    most = max(map(len, paths))
    rows = [(path[0],) * (most - len(path)) + path for path in paths]
    lines = [";".join(quoted(name) for name in row) for row in rows]
    file = tmp_path_factory.mktemp("tree") / "tree.csv"
    file.write_bytes("\n".join(lines).encode())
    assert Taxonomy.read(file).ancestors == Taxonomy(paths).ancestors


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.text('{},"ab *', max_size=12))
def test_any_text_is_a_tree_or_refused(text):
    try:
        tree = Taxonomy.parse(text)
    except TableError as error:
        assert "\n" not in str(error)
    else:
        assert len(tree.leaves) == len(tree.paths) > 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "expected lines of a value and the nodes above it"),
        ("a;x;*\nb\n", "line 2: expected a value and the nodes above it, separated by"),
        ("a\nb\n", "line 1: .* separated by semicolons; got 'a'"),
        ("a;x;*\nb;y;*\nc;x;y\n", "line 3: node 'x' is below '\\*' and below 'y'"),
        ("a;x;*\nb;y;*\nx;y;*\n", "line 3: node 'x' is below '\\*' and below 'y'"),
        ("a;x;*\nx;x;*\n", "line 2: value 'x' is also a node above others"),
        ("a;x;*\n\na;y;*\n", "line 3: node 'a' is below 'x' and below 'y'"),
        ("a;x;*\nb;x;y;*\n", "line 2: node 'x' is below '\\*' and below 'y'"),
        ("a;x;y;x\n", "node 'x'"),
        ('a;"x\n', "line 1|line 2"),
    ],
)
def test_files_that_are_no_tree_are_refused(tmp_path, content, why):
    file = tmp_path / "tree.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TableError, match=why) as caught:
        Taxonomy.read(file)
    assert str(file) in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(TableError, match=r"cannot be read \(No such file"):
        Taxonomy.read(tmp_path / "none.csv")
    with pytest.raises(TableError, match=r"cannot be read \(Is a directory"):
        Taxonomy.read(tmp_path)


def test_a_value_above_itself_counts_once(tmp_path):
    file = tmp_path / "tree.csv"
    file.write_text("\ufeffOther;Other;*\nSales;Office;*\nClerk;Office;*\n")
    tree = Taxonomy.read(file)
    assert tree.ancestors["Other"] == ("*",)
    assert tree.leaves == ("Other", "Sales", "Clerk")


def test_a_hierarchy_of_ages_as_arx_exports_it(tmp_path):
    """A hundred leaves, levels of 5, 10 and 20 years, lines end as on Windows."""
    levels = [
        [f"{a - a % w}-{a - a % w + w - 1}" for w in (5, 10, 20)] for a in range(100)
    ]
    lines = [";".join([str(a), *levels[a], "*"]) for a in range(100)]
    file = tmp_path / "age.csv"
    file.write_bytes("\r\n".join(lines).encode())
    age = Taxonomy.read(file)
    assert len(age.leaves) == 100 and len(age.labels) == 100 + 20 + 10 + 5 + 1
    for low, high, node in (("21", "33", "20-39"), ("21", "23", "20-24")):
        first, last = (np.array([age.leaves.index(leaf)]) for leaf in (low, high))
        assert age.labels[age.lowest_above(first, last)[0]] == node
    assert age.ancestors["67"] == ("65-69", "60-69", "60-79", "*")


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


@settings(max_examples=75, deadline=None, derandomize=True)
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


@settings(max_examples=75, deadline=None, derandomize=True)
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


@settings(max_examples=75, deadline=None, derandomize=True)
@given(st.dictionaries(NUMBERS, st.integers(1, 9), min_size=1, max_size=12), UNKNOWN)
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


DAYS = [date(2024, 5, 31), date(2024, 6, 1), None]
PATHS = [
    ("2024-05-31", "2024-Q2", "2024", "*"),
    ("2024-06-01", "2024-Q2", "2024", "*"),
    ("", "*", "*", "*"),
]
DATES = {
    "dates": DAYS,
    "moments": [day and datetime(day.year, day.month, day.day) for day in DAYS],
    "pandas": pd.Series(pd.to_datetime(DAYS)),
    "objects of pandas": pd.Series(DAYS, dtype=object),
    "index": pd.DatetimeIndex(pd.to_datetime(DAYS)),
    "polars": pl.Series(DAYS),
    "arrow": pa.array(DAYS),
    "chunks": pa.chunked_array([pa.array(DAYS), pa.array(DAYS)]),
    "numpy": np.array(["2024-05-31", "2024-06-01", "NaT"], "datetime64[D]"),
    "text": ["2024-05-31", "2024-06-01", None],
}


@pytest.mark.parametrize("kind", DATES)
def test_dates(kind):
    assert date_taxonomy(DATES[kind], ["quarter", "year"]).paths == PATHS


def test_moments_months_and_quarters():
    seen = pd.Series(pd.to_datetime(["2024-05-31 07:05", "2024-06-01 00:00"]))
    for column in (seen, seen.dt.tz_localize("Europe/Berlin")):
        tree = date_taxonomy(column, ["month"])
        assert [path[1] for path in tree.paths] == ["2024-05", "2024-06"]
        texts = starmin.from_frame(pd.DataFrame({"seen": column})).dictionary("seen")
        assert {*tree.leaves} == {*texts}
    for freq, right in (("M", "2024-05"), ("Q", "2024Q2")):
        tree = date_taxonomy(pd.Series(seen.dt.to_period(freq)), ["year"])
        assert tree.paths[0] == (right, "2024", "*")


@pytest.mark.parametrize(
    "values",
    [
        [7, 12],
        np.array([7, 12]),
        pd.Series([7, 12], dtype="Int16"),
        pl.Series([7, 12]),
        pa.array([7.0, 12.0]),
        [Decimal(7), Decimal(12)],
        {"7": 1, "12": 2},
    ],
)
def test_numbers(values):
    tree = range_taxonomy(values, [5, "10"])
    assert tree.paths == [("7", "5-9", "0-9", "*"), ("12", "10-14", "10-19", "*")]


def test_codes():
    tree = prefix_taxonomy(pd.Series([123, 124]), [2])
    assert tree.paths == [("123", "12*", "*"), ("124", "12*", "*")]


@pytest.mark.parametrize(
    "values",
    [[date(2024, 5, 31), "2024-06-01"], [object()], [[1, 2]], [1, date(2024, 5, 31)]],
)
def test_values_of_several_types_are_refused(values):
    with pytest.raises(TableError, match="born"):
        date_taxonomy(values, ["year"], name="born")


def test_a_tree_of_a_column_generalizes_it():
    frame = pd.DataFrame({"seen": pd.to_datetime(["2024-05-31", "2024-05-01"] * 2)})
    tree = date_taxonomy(frame["seen"], ["month", "year"])
    release = starmin.anonymize(frame, k=4, hierarchy={"seen": tree})
    assert release.frame["seen"].tolist() == ["2024-05"] * 4
