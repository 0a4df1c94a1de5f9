"""Tests that times of all kinds are taken as exact numbers, by each reader alike."""

import random
import sys
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from itertools import combinations

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
)
from starmin.instances.io.write import write_table
from starmin.instances.scales.numbers import Width
from starmin.instances.scales.taxonomies.build_taxonomy import date_taxonomy
from starmin.instances.times.calendar_format import CalendarFormat
from starmin.instances.times.recognise import likely_forms, named, written_as
from starmin.instances.times.signs import DAY, Period, Rounding
from starmin.models.boxes.box_program import box_program
from starmin.models.pattern_ilp.branch_and_bound import branch_and_bound
from starmin.models.price_unit import is_fine
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.cells.cells import lost_cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.cells.time_cells import TimeReading
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker.columns import Line
from starmin.verify.checker.times import Times
from starmin.verify.releases.range_ends import range_ends
from starmin.verify.releases.release_check import check_release
from starmin.verify.utility.penalty import Penalty


def moment(rng):
    """A moment in some years."""
    return datetime(2023, 11, 1) + timedelta(seconds=rng.randrange(2 * 10**8))


def shown(form):
    return lambda rng: moment(rng).strftime(form)


def zoned(rng):
    zone = timezone(timedelta(hours=rng.choice([1, 2, -5])))
    return moment(rng).replace(tzinfo=zone).isoformat(" ", "minutes")


def summer(rng):
    """A moment of 2024 in one zone, near the two changes of time or anywhere."""
    changes = datetime(2024, 3, 31, 1), datetime(2024, 10, 27, 1)
    begin = rng.choice([datetime(2024, 1, 1), *changes]) - timedelta(hours=26)
    when = begin + timedelta(minutes=rng.randrange(60 * rng.choice([60, 8000])))
    ahead = timedelta(hours=2 if changes[0] <= when < changes[1] else 1)
    return (when + ahead).replace(tzinfo=timezone(ahead)).isoformat(" ", "minutes")


def born(rng):
    year = datetime.now().year - rng.randrange(98)
    return f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.{year % 100:02}"


def quarter(rng):
    return f"{rng.randint(2019, 2024)}-Q{rng.randint(1, 4)}"


def lasting(rng):
    return f"{rng.randint(-2, 40)} days {rng.randint(0, 23):02}:{rng.randint(0, 59):02}"


# How times are made; the format where it is to be declared; periods of rounding.
KINDS = {
    "dates": (shown("%Y-%m-%d"), None, ("week", "month", "quarter", "10year")),
    "old dates": (
        lambda rng: f"{rng.randint(1, 1900):04}-02-{rng.randint(1, 28):02}",
        None,
        ("decade", "century", "3month"),
    ),
    "minutes": (shown("%Y-%m-%d %H:%M"), None, ("hour", "day", "6hour", "year")),
    "seconds": (shown("%Y-%m-%dT%H:%M:%S"), None, ("15minute", "week")),
    "fractions": (
        lambda rng: (
            moment(rng).strftime("%Y-%m-%d %H:%M:%S")
            + rng.choice(["", ".5", ".123456789"])
        ),
        None,
        ("second", "day"),
    ),
    "universal": (shown("%Y-%m-%dT%H:%M:%SZ"), None, ("hour", "month")),
    "one zone": (shown("%Y-%m-%d %H:%M+0530"), None, ("day", "month")),
    "zones": (zoned, None, ("day", "month")),
    "summer time": (summer, None, ("hour", "15minute", "day", "week", "month", "year")),
    "months": (shown("%Y-%m"), None, ("quarter", "year")),
    "quarters": (quarter, None, ("year", "decade")),
    "quarters of pandas": (lambda rng: quarter(rng).replace("-", ""), None, ("2year",)),
    "clock": (shown("%H:%M"), None, ("hour", "15minute")),
    "clock with seconds": (shown("%H:%M:%S"), None, ("minute", "6hour")),
    "clock in a zone": (shown("%H:%M-02:00"), None, ("hour",)),
    "lasting": (lasting, None, ("day", "hour", "week")),
    "lasting by the clock": (
        lambda rng: f"{rng.randint(0, 60)}:{rng.randint(0, 59):02}",
        None,
        ("6hour",),
    ),
    "lasting by ISO": (
        lambda rng: (
            f"P{rng.randint(0, 9)}DT{rng.randint(0, 20)}H{rng.randint(1, 9)}.5S"
        ),
        None,
        ("hour", "day"),
    ),
    "German": (shown("%d.%m.%Y"), "%d.%m.%Y", ("month", "week")),
    "American": (shown("%m/%d/%y"), "%m/%d/%y", ("quarter",)),
    "born": (born, "%d.%m.%y", ("month", "year")),
    "compact": (shown("%Y%m%d"), "%Y%m%d", ("month",)),
    "names": (shown("%d %b %Y %I:%M %p"), "%d %b %Y %I:%M %p", ("day", "year")),
    "long names": (shown("%B %d, %Y"), "%B %d, %Y", ("month",)),
    "months of cards": (shown("%m/%Y"), "%m/%Y", ("year",)),
}
CASES = [(kind, step) for kind in KINDS for step in (None, *KINDS[kind][2])]


def some(kind, seed, n=6):
    """A column of times beside one of letters."""
    rng = random.Random(seed)
    rows = [[KINDS[kind][0](rng), rng.choice("xy")] for _ in range(n)]
    return Table.from_rows(["a", "b"], rows, qi=["a", "b"])


def scales_of(table, kind, step):
    form = KINDS[kind][1]
    steps, forms = {"a": step} if step else {}, {"a": form} if form else {}
    return Scales.of(table, ["a"], steps=steps, forms=forms)


@pytest.mark.parametrize(("kind", "step"), CASES)
def test_readers_agree_on_order_ends_and_lengths(kind, step):
    for seed in range(2):
        table = some(kind, seed)
        scales = scales_of(table, kind, step)
        scale, objective = scales.scales[0], Objective("gcp", scales=scales)
        texts = [table.dictionary("a")[code] for code in scale.codes]
        reading = TimeReading.of(scale.measure.notation.text, texts)
        numbers = [reading.ends(text)[0] for text in texts]
        assert numbers == sorted(numbers)
        line = Line({*texts}, scales.as_json()["a"])
        assert [line.places[text] for text in texts] == [*range(len(texts))]
        penalty = Penalty(table, objective)
        for low, high in combinations(range(scale.size), 2):
            rows = [(texts[low], "x"), (texts[high], "x")]
            ends = np.array([[low, 0]]), np.array([[high, 0]])
            lost = objective.range_costs(table, np.array([2]), *ends)
            assert lost == penalty.of(rows)
            share = Fraction(line.loss(low, high), line.whole)
            assert share == Fraction(int(scale.extents(low, high)), scale.domain)


@pytest.mark.parametrize(("kind", "step"), CASES)
def test_release_is_optimal_and_checked_from_its_cells_and_proof(kind, step, tmp_path):
    table = some(kind, 3)
    scales = scales_of(table, kind, step)
    objective = Objective("gcp", scales=scales)
    fine = is_fine(objective, table)
    method = branch_and_bound if fine else box_program
    found = method(table, KAnonymity(2), objective=objective)
    best = brute_force(table, KAnonymity(2), objective).value
    assert found.value == best
    release = GeneralizedRelease(table, found.best, scales).published
    steps, form = {"a": step} if step else {}, KINDS[kind][1]
    told = {"steps": steps, "forms": {"a": form} if form else {}}
    cells = read_cells(release, Coding("generalization", numeric=("a",), **told), table)
    check = check_release(release, KAnonymity(2), table, "*", cells)
    assert check.holds and not check.inconsistencies
    lost = lost_cells(release, cells) / (table.n * table.d)
    assert abs(lost - Fraction(best, objective.whole(table))) < Fraction(1, 2**32)
    read_cells(
        release, Coding("generalization", numeric=("a",), **told)
    )  # without the original, too
    if found.certificate is None:
        assert not found.lower_bound
        return
    asked = KAnonymity(2), objective
    assert check_certificate(found.certificate, table, *asked).accepted
    again = check_certificate(found.certificate, table, KAnonymity(2))
    assert again.accepted, again.why  # from what it states alone
    if not fine:
        text, proof = str(tmp_path / "table.csv"), tmp_path / "proof.json"
        write_table(table, text)
        found.certificate.write(proof)
        accepted, why = checker.check(text, str(proof))
        assert accepted, why


@pytest.mark.parametrize(
    ("texts", "step", "form", "right"),
    [
        (("2024-03-05", "2024-03-28"), None, None, "2024-03-05..2024-03-28"),
        (("2024-03-05", "2024-03-28"), "month", None, "2024-03-01..2024-03-31"),
        (("2024-02-05", "2024-05-28"), "quarter", None, "2024-01-01..2024-06-30"),
        (("2024-02-05", "2023-05-28"), "year", None, "2023-01-01..2024-12-31"),
        (("2019-02-05", "2023-05-28"), "decade", None, "2010-01-01..2029-12-31"),
        (("2024-03-06", "2024-03-08"), "week", None, "2024-03-04..2024-03-10"),
        (("9999-12-30", "9999-12-31"), "decade", None, "9990-01-01..9999-12-31"),
        (("0001-01-02", "0001-01-03"), "decade", None, "0001-01-01..0009-12-31"),
        (("5.3.2024", "28.3.2024"), None, "%d.%m.%Y", "5.3.2024..28.3.2024"),
        (("5.3.2024", "28.3.2024"), "month", "%d.%m.%Y", "01.03.2024..31.03.2024"),
        (("20240229", "20240228"), "month", "%Y%m%d", "20240201..20240229"),
        (("07:05", "09:55"), "hour", None, "07:00..09:59"),
        (
            ("2024-03-05 07:05", "2024-03-05 09:00"),
            "day",
            None,
            "2024-03-05 00:00..2024-03-05 23:59",
        ),
        (
            ("2024-03-05T07:05:00", "2024-03-05T09:00:00.25"),
            "hour",
            None,
            "2024-03-05T07:00:00.00..2024-03-05T09:59:59.99",
        ),
        (
            ("2024-03-05 07:05+01:00", "2024-03-05 07:05+02:00"),
            None,
            None,
            "2024-03-05 07:05+02:00..2024-03-05 07:05+01:00",
        ),
        (
            ("2024-03-31 01:05+01:00", "2024-03-31 07:05+02:00"),
            "day",
            None,
            "2024-03-31 00:00+01:00..2024-03-31 23:59+02:00",
        ),
        (
            ("2024-12-01 00:10+01:00", "2024-07-01 00:10+02:00"),
            "month",
            None,
            "2024-07-01 00:00+02:00..2024-12-31 23:59+01:00",
        ),
        (
            ("2024-12-03 05:00+01", "2024-07-01 00:10Z"),
            "year",
            None,
            "2024-01-01 00:00+00..2024-12-31 23:59+01",
        ),
        (
            ("2024-03-05 00:10+09:00", "2024-03-04 23:50-08:00"),
            "day",
            None,
            "2024-03-04 00:00+00:00..2024-03-05 23:59+00:00",
        ),
        (
            ("2024-03-31 01:05+05:30", "2024-03-31 03:05+05:30"),
            "day",
            None,
            "2024-03-31 00:00+05:30..2024-03-31 23:59+05:30",
        ),
        (("2024-03", "2024-05"), "quarter", None, "2024-01..2024-06"),
        (("2024-Q1", "2025-Q2"), "year", None, "2024-Q1..2025-Q4"),
        (("1 days 02:00:00", "3 days 00:00:00"), "day", None, None),
        (("36:10", "7:05"), "hour", None, "07:00:00..37:00:00"),
        (("PT90M", "P1DT1S"), "hour", None, "PT1H..P1DT1H"),
    ],
)
def test_ranges_are_written_as_the_column_is(texts, step, form, right):
    table = Table.from_rows(["a"], [[text] for text in texts], qi=["a"])
    steps, forms = {"a": step} if step else {}, {"a": form} if form else {}
    scales = Scales.of(table, ["a"], steps=steps, forms=forms)
    groups = brute_force(table, KAnonymity(2), Objective("gcp", scales=scales)).best
    made = GeneralizedRelease(table, groups, scales).published.cells("a")
    assert made == [right or "1 days 00:00:00..3 days 00:00:00"] * 2


@pytest.mark.parametrize(
    ("rows", "told", "parts"),
    [
        (["2024-03-05", "2024-13-01"], {}, ["row 2", "'2024-13-01'", "2024-05-31"]),
        (["2024-03-05", "2024-03-06", "5.3.2024"], {}, ["row 3", "'5.3.2024'"]),
        (["2024-03-05", "2024-03-06", "41"], {}, ["row 3", "a time as 2024-05-31"]),
        (["41", "42", "2024-03-06"], {}, ["row 3", "a number as 42"]),
        (["2024-03-05", "2024-03-06", "2024-03-07 07:00"], {}, ["row 3", "07:00"]),
        (["2024-03-05T07:00Z", "2024-03-06T07:00Z", "2024-03-07T07:00"], {}, ["row 3"]),
        (["2024-03-05", "2024-03-06", "NaT"], {}, ["row 3", "--missing"]),
        (["1.5", "2", "inf"], {}, ["row 3", "'inf'"]),
        (["3/4/2024", "5/6/2024"], {}, ["%d/%m/%Y or %m/%d/%Y", "--date-format"]),
        (["31.4.2024", "5.6.2024"], {}, ["row 1", "a number"]),
        (["31.3.2024", "5.6.2024"], {}, ["as %d.%m.%Y (--date-format)"]),
        (["Mar 5, 2024", "May 6, 2024"], {}, ["as %b %d, %Y"]),
        (
            ["5.3.2024", "2024-03-05"],
            {"forms": {"a": "%d.%m.%Y"}},
            ["row 2", "form %d.%m.%Y"],
        ),
        (["5.3.2024"], {"forms": {"a": "%d.%Q"}}, ["%d.%m.%Y", "%d.%Q"]),
        (["5.3.2024"], {"forms": {"a": "%d.%Y"}}, ["%d.%m.%Y"]),
        (["5.3.2024"], {"forms": {"a": "dates"}}, ["%d.%m.%Y"]),
        (["2024-03-05"], {"steps": {"a": "7"}}, ["month", "not to 7"]),
        (["2024-03-05"], {"steps": {"a": "hour"}}, ["period of hour"]),
        (["2024-Q1"], {"steps": {"a": "month"}}, ["period of month"]),
        (["07:05"], {"steps": {"a": "month"}}, ["period of month"]),
        (["07:05"], {"steps": {"a": "7hour"}}, ["period of 7hour"]),
        (["P1D"], {"steps": {"a": "month"}}, ["period of month"]),
        (["41", "42"], {"steps": {"a": "month"}}, ["step as 5, not to month"]),
        (["41", "42"], {"steps": {"a": "monht"}}, ["nearest: 'month'"]),
        (["2024-03-05"], {"widths": {"a": "5..20"}}, ["7day..30day"]),
        (["2024-03"], {"widths": {"a": "7day..30day"}}, ["1month..1year"]),
        (["41"], {"widths": {"a": "7day..30day"}}, ["5..20"]),
        (["2024-03-05"], {"widths": {"a": "90second.."}}, ["90second"]),
    ],
)
def test_what_is_no_time_is_refused_on_a_line(rows, told, parts):
    table = Table.from_rows(["a"], [[text] for text in rows], qi=["a"])
    if "widths" in told:
        told = {"widths": {"a": Width.parse(told["widths"]["a"])}}
    with pytest.raises(TableError) as refused:
        Scales.of(table, ["a"], **told)
    assert "\n" not in str(refused.value)
    for part in parts:
        assert part in str(refused.value)


@pytest.mark.parametrize(
    ("width", "days", "right"),
    [
        ("7day..", (1, 3), "2024-03-01..2024-03-08"),
        ("7day..", (28, 31), "2024-03-24..2024-03-31"),
        ("..7day", (1, 9), "*"),
        ("..1week", (1, 8), "2024-03-01..2024-03-08"),
    ],
)
def test_widths_of_times(width, days, right):
    texts = [f"2024-03-{day:02}" for day in (*days, 15, 31)]
    table = Table.from_rows(["a"], [[text] for text in texts], qi=["a"])
    widths = {"a": Width.parse(width)}
    scales = Scales.of(table, ["a"], widths=widths)
    groups = Partition(np.array([0, 0, 1, 1]))
    made = GeneralizedRelease(table, groups, scales).published
    assert made.cells("a")[0] == right
    assert read_cells(
        made, Coding("generalization", numeric=("a",), widths=widths), table
    )
    line = Line({*texts}, scales.as_json()["a"])
    low, high = (line.places[text] for text in texts[:2])
    scale = scales.scales[0]
    share = Fraction(int(scale.extents(low, high)), scale.domain)
    assert Fraction(line.loss(low, high), line.whole) == share


def test_ends_that_are_values_are_counted_and_a_period_is_named():
    texts = ["2024-03-05", "2024-03-28", "2024-06-01", "2024-07-01"]
    original = Table.from_rows(["a"], [[text] for text in texts], qi=["a"])
    ranges = ["2024-03-05..2024-03-28"] * 2 + ["2024-06-01..2024-07-01"] * 2
    released = Table.from_rows(["a"], [[text] for text in ranges], qi=["a"])
    found = range_ends(original, released, Coding("generalization", numeric=("a",)))
    assert (found.ends, found.alone, found.columns) == (4, 4, {"a": "month"})


@pytest.mark.parametrize(
    "cell",
    [
        "2024-03-01..2024-03-30",
        "2024-03-02..2024-03-31",
        "2024-03-31..2024-03-01",
        "2024-03-01..2024-04",
        "[2024-03-01-2024-03-31]",
        "2024-03-01..2024-03-31..2024-04-30",
    ],
)
def test_checker_refuses_what_is_no_range_of_whole_months(cell):
    released = Table.from_rows(["a"], [[cell], ["2024-03-05"]], qi=["a"])
    original = Table.from_rows(["a"], [["2024-03-05"]] * 2, qi=["a"])
    with pytest.raises(TableError, match="row 1"):
        read_cells(
            released,
            Coding("generalization", numeric=("a",), steps={"a": "month"}),
            original,
        )


def test_checker_finds_a_range_that_does_not_cover():
    original = Table.from_rows(["a"], [["2024-03-05"], ["2024-04-05"]], qi=["a"])
    released = Table.from_rows(["a"], [["2024-03-01..2024-03-31"]] * 2, qi=["a"])
    cells = read_cells(released, Coding("generalization", numeric=("a",)), original)
    check = check_release(released, KAnonymity(2), original, "*", cells)
    assert [each.rows for each in check.inconsistencies] == [(2,)]


@pytest.mark.parametrize("seed", range(3))
def test_periods_are_those_of_the_library(seed):
    rng = random.Random(seed)
    form = CalendarFormat("%Y-%m-%d %H:%M:%S")
    for _ in range(200):
        when = datetime(1, 1, 1) + timedelta(seconds=rng.randrange(3 * 10**11))
        value = form.read(when.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0"))
        assert form.write(value) == when.isoformat(" ").rjust(19, "0")
        for name in ("minute", "hour", "day", "week", "month", "quarter", "year"):
            ends = Rounding(Period(1, name), form).ends(value, value)
            begin, end = (form.write(*each) for each in ends)
            reading = TimeReading.of("%Y-%m-%d %H:%M:%S")
            assert begin <= form.write(value) <= end
            assert reading.is_rounded(f"{begin}..{end}", name)
            first = datetime.fromisoformat(begin)
            assert name != "week" or first.weekday() == 0
            assert name not in ("month", "quarter", "year") or first.day == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2024-05-31", "%Y-%m-%d"),
        ("2024-05-31 07:05", "%Y-%m-%d %H:%M"),
        ("2024-05-31T07:05:00.123Z", "%Y-%m-%dT%H:%M:%S.%f%z"),
        ("2024-05", "%Y-%m"),
        ("2024Q2", "%YQ%q"),
        ("07:05", "%H:%M"),
        ("07:05:00+0200", "%H:%M:%S.%f%z"),
        ("27:05", "duration:clock"),
        ("1 day, 7:05:00", "duration:days"),
        ("PT5M", "duration:iso"),
        ("20240531", None),
        ("2024", None),
        ("2024-5-31", None),
        ("31.05.2024", None),
        ("P", None),
        ("", None),
    ],
)
def test_iso_times_are_known(text, name):
    assert written_as(text) == name
    if name is not None:
        assert named(name).read(text) is not None


@pytest.mark.parametrize(
    ("form", "text", "is_time"),
    [
        ("%b %Y", "Jan 2024", True),
        ("%b %Y", "jAN 2024", True),
        ("%d de %B %Y", "5 DE march 2024", True),
        ("%m%%%Y", "03%2024", True),
        ("%I:%M %p", "12:05 aM", True),
        ("%d.%m.%Y", "29.2.2024", True),
        ("%H:%M:%S.%f", "7:5:0", True),
        ("duration:iso", "P2DT7H5.25S", True),
        ("duration:days", "-1 days +23:00:00", True),
        ("%b %Y", "Janfoo 2024", False),
        ("%B %Y", "Janfoo 2024", False),
        ("%B %Y", "Jan 2024", False),
        ("%b %Y", "bma 2024", False),
        ("%B %Y", "Augu\u017ft 2024", False),
        ("%Y-%b", "2024-foo", False),
        ("%H:%M", "24:00", False),
        ("%H:%M", "07:60", False),
        ("%H:%M:%S", "07:00:60", False),
        ("%I:%M %p", "13:00 PM", False),
        ("%I:%M %p", "00:30 AM", False),
        ("%d.%m.%Y", "30.2.2024", False),
        ("%d.%m.%Y", "0.2.2024", False),
        ("%d.%m.%Y", "1.13.2024", False),
        ("%d.%m.%Y", "1.1.0000", False),
        ("%d %m %Y", "1  1 2024", False),
        ("%Y", "\u0662024", False),
        ("duration:iso", "PT", False),
        ("duration:iso", "PT1.5H", False),
        ("duration:iso", "PT5S3M", False),
        ("duration:clock", "+7:05", False),
    ],
)
def test_all_readers_take_the_same_texts_for_times(form, text, is_time):
    value = named(form).read(text)
    ends = TimeReading.of(form).ends(text)
    assert (value is not None) == (ends is not None) == is_time
    if is_time:
        number = Times(form, {text}).number(text)
        assert number == ends[0] == Fraction(value, named(form).parts)
    else:
        with pytest.raises(checker.RefusalError, match="is no time of the form"):
            Times(form, {text}).number(text)


def test_formats_that_may_be_meant_are_named():
    assert likely_forms(["3.4.24", "5.6.24"]) == ["%d.%m.%y", "%m.%d.%y"]
    assert likely_forms(["31/12/2024 07:05"]) == ["%d/%m/%Y %H:%M"]
    assert not likely_forms([]) and not likely_forms(["cat"])


def years_read(texts, form):
    """The years that the methods, the checks and hierarchies read, which agree."""
    table = Table.from_rows(["a"], [[text] for text in texts], qi=["a"])
    coding = Coding("generalization", numeric=("a",), forms={"a": form})
    notation = coding.scales(table).scales[0].measure.notation
    reading = read_cells(table, coding, table)["a"].reading
    stated = coding.scales(table).as_json()["a"]["time"]
    times = Times(stated, {*texts})
    tree = date_taxonomy(texts, ["year"], form)
    years = [int(tree.ancestors[text][0]) for text in texts]
    begins = [(datetime(year, 1, 1) - datetime(1, 1, 1)).days for year in years]
    for text, begin in zip(texts, begins, strict=True):
        days = {notation.read(text) // DAY, int(reading.ends(text)[0]) // 86_400}
        days.add(times.number(text) // 86_400)
        assert len(days) == 1 and 0 <= days.pop() - begin < 366
    return years


def test_years_of_two_digits_are_not_in_the_future():
    now = datetime.now().year
    births = [1 + now - 100, 1965, 2000, now - 1, now]
    texts = [f"29.02.{year % 100:02}" for year in (1964, 2000)]
    assert years_read(texts, "%d.%m.%y") == [1964, 2000]
    texts = [f"03.05.{year % 100:02}" for year in births]
    assert years_read(texts, "%d.%m.%y") == births
    ends = [f"{month:02}/01/{month + 20:02}" for month in range(1, 13)]
    assert years_read(ends, "%m/%d/%y to 2060")[-1] == 2032
    assert years_read(ends, "%m/%d/%y to 1960")[-1] == 1932
    with pytest.raises(TableError, match="a time of the form"):
        years_read(["29.02.00"], "%d.%m.%y to 1999")


def test_years_of_two_digits_are_told_and_ends_of_ranges_can_be_read(
    tmp_path, monkeypatch, capsys
):
    births = pd.DataFrame({"born": ["03.05.65", "01.01.45", "31.12.03", "07.08.24"]})
    told = {"k": 2, "numeric": ["born"], "round": {"born": "decade"}}
    with pytest.warns(UserWarning, match="read as 1945 to 2024, none in the future"):
        made = starmin.anonymize(births, **told, date_format={"born": "%d.%m.%y"})
    assert made.frame["born"].tolist() == [
        "01.01.40..31.12.69",
        "01.01.40..31.12.69",
        "01.01.00..31.12.29",
        "01.01.00..31.12.29",
    ]
    assert made.solution.certificate_checked
    births.to_csv(tmp_path / "births.csv", index=False)
    line = "starmin solve births.csv --k 2 --numeric born --round born=decade"
    line += " --date-format born=%d.%m.%y --recoding generalization --out r.csv"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", line.split())
    assert main() == 0
    assert "read as 1945 to 2024, none in the future" in capsys.readouterr().err
    wider = {**told, "date_format": {"born": "%d.%m.%y to 2024"}}
    with pytest.raises(TableError, match=r"do not tell the year of 31\.12\.29"):
        starmin.anonymize(births, **wider)
