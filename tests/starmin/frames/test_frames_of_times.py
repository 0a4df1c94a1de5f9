"""Tests that typed columns of times are ranged, and what comes out of them."""

from datetime import date, datetime, time, timedelta

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import starmin

DAYS = [date(2024, 3, 5), date(2024, 3, 28), date(2024, 6, 1), date(2024, 7, 15)]
SEEN = [
    datetime(2024, 3, 5, 7, 5),
    datetime(2024, 3, 5, 8),
    *map(datetime, [2024] * 2, [6, 7], [1, 15]),
]
STAY = [timedelta(hours=h) for h in (1, 26, 480, 490)]
CLOCK = [time(7, 5), time(8, 30), time(20), time(21, 30)]
MONTHS = pd.PeriodIndex(["2024-01", "2024-02", "2025-05", "2025-07"], freq="M")
ZONED = pd.Series(SEEN).dt.tz_localize("Europe/Berlin")

# A column, a period, and what is published of the first row without it and with it.
COLUMNS = {
    "dates": (DAYS, "month", "2024-03-05..2024-03-28", "2024-03-01..2024-03-31"),
    "moments": (
        SEEN,
        "hour",
        "2024-03-05 07:05..2024-03-05 08:00",
        "2024-03-05 07:00..2024-03-05 08:59",
    ),
    "durations": (
        STAY,
        "day",
        "0 days 01:00:00..1 days 02:00:00",
        "0 days 00:00:00..2 days 00:00:00",
    ),
    "times of the day": (CLOCK, "hour", "07:05..08:30", "07:00..08:59"),
}
KINDS = {
    "pandas": lambda column: pd.DataFrame({"a": pd.Series(column), "b": [*"mmff"]}),
    "polars": lambda column: pl.DataFrame({"a": column, "b": [*"mmff"]}),
    "arrow": lambda column: pa.table({"a": column, "b": [*"mmff"]}),
}


def texts(frame):
    column = frame["a"]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("library", KINDS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_ranges_are_text_checked_and_proven(kind, library):
    column, period, plain, rounded = COLUMNS[kind]
    frame = KINDS[library](column)
    for rounding, right in (({}, plain), ({"a": period}, rounded)):
        release = starmin.anonymize(
            frame, k=2, numeric=["a"], round=rounding, method="box_program"
        )
        assert texts(release.frame)[0] == right
        check = release.verify()
        assert check.holds and not check.inconsistencies
        assert release.certificate.check(frame).accepted


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_not_hidden_keeps_its_type():
    for library, make in KINDS.items():
        frame = make([DAYS[0]] * 2 + [DAYS[3]] * 2)
        release = starmin.anonymize(frame, k=2, numeric=["a"])
        assert texts(release.frame) == texts(frame), library
        assert release.value == 0


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series(pd.to_datetime(DAYS)), "interval[datetime64[s], both]"),
        (pd.Series(SEEN).astype("datetime64[ns]"), "interval[datetime64[ns], both]"),
        (ZONED, "interval[datetime64[us, Europe/Berlin], both]"),
        (pd.Series(STAY), "interval[timedelta64[us], both]"),
        (pd.Series(CLOCK), "object"),
        (pd.Series(MONTHS), "str"),
    ],
)
def test_intervals_of_pandas(column, kind):
    frame = pd.DataFrame({"a": column, "b": [*"mmff"]})
    told = {"k": 2, "numeric": ["a"], "method": "box_program"}
    release = starmin.anonymize(frame, **told, intervals=True)
    assert str(release.frame["a"].dtype) == kind
    if kind.startswith("interval"):
        first = release.frame["a"][0]
        assert (first.left, first.right) == (column[0], column[1])
    assert release.verify().holds


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("library", ["polars", "arrow"])
@pytest.mark.parametrize("kind", ["dates", "moments", "durations"])
def test_pairs_have_the_type_of_the_column(kind, library):
    column = COLUMNS[kind][0]
    told = {"k": 2, "numeric": ["a"], "method": "box_program", "intervals": True}
    release = starmin.anonymize(KINDS[library](column), **told)
    assert texts(release.frame)[0] == {"lower": column[0], "upper": column[1]}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_missing_times_belong_to_no_range():
    frame = pd.DataFrame(
        {"a": pd.to_datetime([None, None, "2024-03-05", "2024-03-28"])}
    )
    release = starmin.anonymize(frame, k=2, numeric=["a"], round={"a": "month"})
    assert release.frame["a"].isna().tolist() == [True, True, False, False]
    assert release.frame["a"].tolist()[2] == "2024-03-01..2024-03-31"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_times_are_ranged_without_being_named():
    frame = pd.DataFrame({"a": pd.to_datetime(DAYS), "b": [*"mmff"]})
    release = starmin.anonymize(frame, k=2, recoding="generalization")
    assert release.frame["a"][0] == "2024-03-05..2024-03-28"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_text_in_a_declared_form():
    frame = pl.DataFrame({"a": ["5.3.24", "28.3.24", "1.6.24", "15.7.24"]})
    told = {"k": 2, "numeric": ["a"], "date_format": {"a": "%d.%m.%y"}}
    release = starmin.anonymize(frame, **told, round={"a": "month"})
    assert texts(release.frame)[0] == "01.03.24..31.03.24"
    assert release.verify().holds and release.certificate.check(frame).accepted
    with pytest.raises(starmin.TableError, match=r"as %d\.%m\.%y"):
        starmin.anonymize(frame, k=2, numeric=["a"])
