"""Tests that taxonomies are built of typed columns as of their texts."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import starmin
from starmin.instances import TableError, date_taxonomy, prefix_taxonomy, range_taxonomy

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
    release = starmin.anonymize(frame, k=4, hierarchies={"seen": tree})
    assert release.frame["seen"].tolist() == ["2024-05"] * 4
