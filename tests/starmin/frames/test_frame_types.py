"""Tests of what type each column of a frame is of in its release, in and out."""

import math
import warnings
from datetime import date, datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import starmin

WHOLE, FLOAT, FLAG = [1, 1, 2, 3], [1.5, 1.5, 2.5, 3.5], [True, True, True, False]
TEXT = ["a", "a", "b", "c"]
DAYS = [date(2024, 1, d) for d in (1, 1, 2, 3)]
TIMES = [datetime(2024, 1, d) for d in (1, 1, 2, 3)]
NULLS = [1, 1, None, 3]
DATES = ["2024-01-01", "2024-01-01", "*", "*"]

# Column; its type where nothing is lost, with stars as text, as missing cells; and the
# texts with stars.
PANDAS = [
    (pd.Series(WHOLE), "int64", "str", "Int64", ["1", "1", "*", "*"]),
    (pd.Series(WHOLE, dtype="uint8"), "uint8", "str", "UInt8", ["1", "1", "*", "*"]),
    (pd.Series(WHOLE, dtype="Int32"), "Int32", "str", "Int32", ["1", "1", "*", "*"]),
    (pd.Series(NULLS, dtype="Int64"), "Int64", "str", "Int64", ["1", "1", "*", "*"]),
    (pd.Series(FLOAT), "float64", "str", "float64", ["1.5", "1.5", "*", "*"]),
    (pd.Series(FLAG), "bool", "str", "boolean", ["true", "true", "*", "*"]),
    (pd.Series(TEXT), "str", "str", "str", ["a", "a", "*", "*"]),
    (pd.Series(TEXT, dtype=object), "object", "object", "object", ["a", "a", "*", "*"]),
    (pd.Series(TEXT, dtype="string"), "string", "string", "string", None),
    (pd.Series(TEXT, dtype="category"), "category", "category", "category", None),
    (pd.Series(WHOLE, dtype="category"), "category", "category", "category", None),
    (pd.Series(pd.to_datetime(TIMES)), "datetime64", "str", "datetime64", DATES),
    (pd.Series(DAYS, dtype=object), "object", "object", "object", DATES),
    (
        pd.Series(TEXT, dtype=pd.ArrowDtype(pa.string())),
        "string",
        "string",
        "string",
        0,
    ),
]
ENUM = pl.Enum(["c", "b", "a", "z"])
POLARS = [
    (pl.Series(WHOLE), pl.Int64, pl.String, pl.Int64, ["1", "1", "*", "*"]),
    (pl.Series(WHOLE, dtype=pl.UInt8), pl.UInt8, pl.String, pl.UInt8, None),
    (pl.Series(NULLS), pl.Int64, pl.String, pl.Int64, ["1", "1", "*", "*"]),
    (pl.Series(FLOAT), pl.Float64, pl.String, pl.Float64, ["1.5", "1.5", "*", "*"]),
    (pl.Series(FLAG), pl.Boolean, pl.String, pl.Boolean, ["true", "true", "*", "*"]),
    (pl.Series(TEXT), pl.String, pl.String, pl.String, ["a", "a", "*", "*"]),
    (pl.Series(TEXT, dtype=pl.Categorical), *[pl.Categorical] * 3, None),
    (pl.Series(TEXT, dtype=ENUM), ENUM, pl.Enum(["a", "*"]), pl.Enum(["a"]), None),
    (pl.Series(DAYS), pl.Date, pl.String, pl.Date, DATES),
    (pl.Series(TIMES), pl.Datetime("us"), pl.String, pl.Datetime("us"), DATES),
]
CODED = pa.dictionary(pa.int32(), pa.string())
ARROW = [
    (pa.array(WHOLE, pa.int16()), pa.int16(), pa.string(), pa.int16(), None),
    (pa.array(FLOAT), pa.float64(), pa.string(), pa.float64(), None),
    (pa.array(FLAG), pa.bool_(), pa.string(), pa.bool_(), None),
    (pa.array(TEXT, pa.large_string()), *[pa.large_string()] * 3, None),
    (pa.array(TEXT).dictionary_encode(), *[CODED] * 3, ["a", "a", "*", "*"]),
    (pa.array(DAYS), pa.date32(), pa.string(), pa.date32(), DATES),
    (pa.array(TIMES), pa.timestamp("us"), pa.string(), pa.timestamp("us"), DATES),
]


def check(make, dtype, column, kept, text, missing, texts):
    """Anonymize two columns: the first two rows agree in x, the others do not."""
    given = make({"x": column, "kept": column, "g": [1, 1, 2, 2]})
    roles = {"qi": ["x", "g"], "k": 2}
    with pytest.warns(UserWarning, match="published as they are: kept"):
        release = starmin.anonymize(given, **roles)
    assert (release.value, release.status) == (2, "optimal")
    assert dtype(release.frame["kept"]) == kept
    assert dtype(release.frame["g"]) == dtype(given["g"])
    assert dtype(release.frame["x"]) == text
    found = starmin.from_frame(release.frame)
    assert found.cells("x")[2:] == ["*", "*"]
    if texts:
        assert found.cells("x") == texts
    check = release.verify()
    assert check.holds and check.consistent and check.stars == 2
    with pytest.warns(UserWarning, match="published as they are"):
        release = starmin.anonymize(given, **roles, stars="missing")
    assert dtype(release.frame["x"]) == missing
    found = starmin.from_frame(release.frame).cells("x")
    assert found == [*starmin.from_frame(given).cells("x")[:2], None, None]
    assert release.verify().holds


def name_of(dtype):
    """The name of a type of pandas, without unit and storage."""
    return str(dtype).partition("[")[0]


@pytest.mark.parametrize("case", PANDAS, ids=lambda case: str(case[0].dtype))
def test_pandas(case):
    check(pd.DataFrame, lambda column: name_of(column.dtype), *case)


@pytest.mark.parametrize("case", POLARS, ids=lambda case: str(case[0].dtype))
def test_polars(case):
    check(pl.DataFrame, lambda column: column.dtype, *case)


@pytest.mark.parametrize("case", ARROW, ids=lambda case: str(case[0].type))
def test_arrow(case):
    check(pa.table, lambda column: column.type, *case)


@pytest.mark.parametrize("stars", ["text", "missing"])
def test_categories_of_hidden_values_are_not_published(stars):
    frame = pd.DataFrame({"x": pd.Categorical(["a", "a", "rare", "odd"])})
    release = starmin.anonymize(frame, k=2, stars=stars).frame
    assert list(release["x"].cat.categories) == ["a", "*"][: 1 + (stars == "text")]
    coded = pa.table({"x": pa.array(["a", "a", "rare", "odd"]).dictionary_encode()})
    column = starmin.anonymize(coded, k=2, stars=stars).frame["x"]
    assert "rare" not in str(column.chunk(0).dictionary)


@pytest.mark.parametrize(
    ("make", "kind", "pairs"),
    [
        (
            pd.DataFrame,
            "interval[int64, both]",
            lambda x: [(i.left, i.right) for i in x],
        ),
        (pl.DataFrame, None, lambda x: [tuple(i.values()) for i in x]),
        (pa.table, None, lambda x: [tuple(i.values()) for i in x.to_pylist()]),
    ],
)
def test_ranges_are_text_or_values(make, kind, pairs):
    frame = make({"age": [20, 25, 60, 60]})
    told = {"k": 2, "recoding": "generalization"}
    text = starmin.anonymize(frame, **told)
    assert starmin.from_frame(text.frame).cells("age") == ["[20-25]"] * 2 + ["60"] * 2
    assert text.verify().holds and text.certificate.check(frame).accepted
    column = starmin.anonymize(frame, **told, intervals=True).frame["age"]
    assert pairs(column) == [(20, 25), (20, 25), (60, 60), (60, 60)]
    assert kind is None or str(column.dtype) == kind


def test_nodes_make_categories_or_text_and_stars_beside_them_may_be_missing():
    frame = pd.DataFrame({"pet": pd.Categorical(["cat", "dog", "rat", "owl"])})
    trees = {"pet": {"tame": ["cat", "dog"], "rat": None, "owl": None}}
    release = starmin.anonymize(frame, k=2, hierarchy=trees).frame
    assert release["pet"].tolist() == ["tame", "tame", "*", "*"]
    assert release["pet"].dtype == "category"
    release = starmin.anonymize(frame, k=2, hierarchy=trees, stars="missing").frame
    assert release["pet"].isna().tolist() == [False, False, True, True]


def test_another_library_goes_in_and_out_by_narwhals(monkeypatch):
    from starmin.frames import data_frames
    from starmin.frames.data_frames import OtherFrame

    monkeypatch.setattr(data_frames, "PolarsFrame", OtherFrame)
    frame = pl.DataFrame({"x": [1, 1, 2, 3], "g": [1, 1, 2, 2]})
    release = starmin.anonymize(frame, k=2)
    assert release.frame["x"].to_list() == ["1", "1", "*", "*"]
    assert release.verify().consistent
    missing = starmin.anonymize(frame, k=2, stars="missing").frame["x"]
    assert missing.to_list() == [1, 1, None, None]
    told = {"k": 2, "recoding": "generalization", "intervals": True}
    with pytest.raises(starmin.NotSupportedError, match="leave intervals"):
        _ = starmin.anonymize(frame, **told).frame
    lazy = starmin.anonymize(frame.lazy(), k=2).frame
    assert lazy["x"].to_list() == ["1", "1", "*", "*"]


def test_a_column_of_nothing_stays_one():
    frame = pl.DataFrame({"x": [None] * 4, "g": [1, 1, 2, 2]})
    release = starmin.anonymize(frame, k=2)
    assert release.value == 0 and release.frame.equals(frame)


CUT = pd.cut(pd.Series([21, 25, 33, 38, 51, 52]), [20, 30, 40, 50, 60])
CUTS = {
    "numbers": CUT,
    "floats": pd.cut(pd.Series([0.5, 0.7, 1.2, 1.9, 3.5, 3.6]), [0, 1, 2.5, 3, 4]),
    "closed left": pd.cut(pd.Series([1, 2, 5, 6, 8, 9]), [0, 4, 7, 10], right=False),
    "dates": pd.cut(
        pd.Series(pd.to_datetime([f"2024-0{m}-03" for m in (1, 1, 2, 2, 5, 5)])),
        pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01", "2024-06-01"]),
    ),
    "missing": pd.cut(pd.Series([21, 33, 33, 38, None, None]), [20.5, 30, 40]),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("category", [True, False])
@pytest.mark.parametrize("kind", CUTS)
def test_joined_intervals_are_intervals(kind, category):
    column, intervals = CUTS[kind], CUTS[kind].cat.categories.dtype
    if not category:
        column = column.astype(intervals)
    frame = pd.DataFrame({"a": column, "b": [*"xxxxyy"]})
    release = starmin.anonymize(frame, k=2 if kind == "missing" else 4, numeric=["a"])
    made = release.frame["a"]
    assert release.value > 0 and release.verify().holds
    assert release.verify().consistent
    assert (made.cat.categories.dtype if category else made.dtype) == intervals
    for old, new in zip(column, made, strict=True):
        assert pd.isna(old) == pd.isna(new)
        if not pd.isna(old):
            assert isinstance(new, pd.Interval)
            assert new.left <= old.left and old.right <= new.right


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("category", [True, False])
def test_beside_a_star_intervals_are_text_or_the_star_is_missing(category):
    column = pd.cut(pd.Series([21, 33, 55, None]), [20.5, 30, 40, 50, 60])
    if not category:
        column = column.astype(column.cat.categories.dtype)
    frame = pd.DataFrame({"a": column, "b": [*"xxyy"]})
    told = {"k": 2, "numeric": ["a"]}
    made = starmin.anonymize(frame, **told).frame["a"].tolist()
    assert made == ["(20.5, 40.0]", "(20.5, 40.0]", "*", "*"]
    made = starmin.anonymize(frame, **told, stars="missing").frame["a"]
    assert made.isna().tolist() == [False, False, True, True]
    assert made[0] == pd.Interval(20.5, 40)


@pytest.mark.parametrize("ends", ["top", "bottom"])
@pytest.mark.parametrize(
    "make",
    [
        lambda ages: pl.DataFrame({"age": ages}),
        lambda ages: pl.DataFrame({"age": ages}, schema={"age": pl.UInt8}),
        lambda ages: pl.DataFrame({"age": ages}, schema={"age": pl.Decimal(9, 1)}),
        lambda ages: pa.table({"age": ages}),
        lambda ages: pa.table({"age": pa.array(ages, pa.decimal128(9, 1))}),
        lambda ages: pd.DataFrame({"age": ages}),
        lambda ages: pd.DataFrame({"age": ages}, dtype="Int16"),
        lambda ages: pd.DataFrame({"age": ages}, dtype="int64[pyarrow]"),
    ],
)
def test_ranges_without_an_end_are_values(make, ends):
    """Of a column of whole numbers or decimals, which have no infinite ones."""
    frame = make([30, 31, 80, 95, 97, 20])
    told = {"k": 2, "numeric": ["age"], "intervals": True, ends: {"age": 80}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ends that are values
        made = starmin.anonymize(frame, **told).frame
    cells = made["age"].to_pylist() if isinstance(made, pa.Table) else list(made["age"])
    if isinstance(cells[2], dict):
        found = [(cell["lower"], cell["upper"]) for cell in cells]
    else:
        found = [(cell.left, cell.right) for cell in cells]
    assert (80, math.inf) in found if ends == "top" else (-math.inf, 80) in found
