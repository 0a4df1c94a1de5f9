"""Tests that ends of ranges which are people's values are counted and told."""

import json
import random
import warnings
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas
import pytest

import starmin
from starmin.instances import Coding, GeneralizedRelease, Partition, Scales, Table
from starmin.instances.scales.numbers import Width
from starmin.verify.releases.range_ends import range_ends
from tests.support.commands import run
from tests.support.places import HOME
from tests.support.report_pages import Page

pytestmark = pytest.mark.usefixtures("undrawn")

DOCS = HOME / "docs"
X = Coding("generalization", numeric=("x",))


def groups_of(n, size):
    return Partition(np.arange(n) // size)


def known_in_full(table, released):
    """Rows of which a reader knows all cells, row by row, and rows that are changed."""
    classes = defaultdict(list)
    for before, after in zip(table.rows(), released.rows(), strict=True):
        classes[after].append(before)
    known = changed = 0
    for cells, rows in classes.items():
        hidden = [j for j, cell in enumerate(cells) if any(r[j] != cell for r in rows)]
        changed += len(rows) if hidden else 0
        if len(hidden) == 1 and cells[hidden[0]].startswith("["):
            ends = {float(end.replace(",", ".")) for end in _ends(cells[hidden[0]])}
            values = {float(r[hidden[0]].replace(",", ".")) for r in rows}
            known += len(ends & values)
    return known, changed


def recount(table, released, column, least=0.0):
    """The numbers again, row by row: ends, those of one row alone, hidden cells."""
    place = table.names.index(column)
    classes = defaultdict(list)
    for before, after in zip(table.rows(), released.rows(), strict=True):
        classes[after].append(float(before[place].replace(",", ".")))
    ends = alone = hidden = 0
    for cells, values in classes.items():
        text = cells[place]
        if not text.startswith("["):
            continue
        low, high = (float(end.replace(",", ".")) for end in _ends(text))
        if high - low <= least:
            continue
        counts = Counter(values)
        hidden += len(values)
        ends += (counts[low] > 0) + (counts[high] > 0)
        alone += (counts[low] == 1) + (counts[high] == 1)
    return ends, alone, hidden


def _ends(text):
    """The ends of a range, of which either may be negative."""
    inner = text[1:-1]
    cut = inner.index("-", 1)
    return inner[:cut], inner[cut + 1 :]


@pytest.mark.parametrize("form", ["{}", "{}.5", "-{}", "{},25", "00{}"])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_ends_are_counted_as_by_hand(form, size):
    rng = random.Random(size)
    rows = [[form.format(rng.randrange(20, 60)), rng.choice("ab")] for _ in range(84)]
    table = Table.from_rows(["x", "b"], rows, qi=["x", "b"])
    scales = Scales.of(table, ["x"])
    released = GeneralizedRelease(table, groups_of(84, size), scales).published
    found = range_ends(table, released, X)
    assert (found.ends, found.alone, found.hidden) == recount(table, released, "x")
    assert (found.whole, found.changed) == known_in_full(table, released)
    if size == 2:
        assert found.ends >= 0.8 * found.hidden, "both of nearly every pair are known"


def test_rounded_ranges_are_not_counted_and_widened_ones_are_left_out():
    rng = random.Random(1)
    rows = [[str(rng.randrange(20, 60))] for _ in range(60)]
    table = Table.from_rows(["x"], rows, qi=["x"])
    wide = Scales.of(table, ["x"], widths={"x": Width.parse("10..")})
    released = GeneralizedRelease(table, groups_of(60, 2), wide).published
    asked = replace(X, widths={"x": Width.parse("10..")})
    found = range_ends(table, released, asked)
    assert (found.ends, found.alone, found.hidden) == recount(table, released, "x", 10)
    assert 0 < found.hidden < 60
    assert range_ends(table, released, Coding("generalization")) is None


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (("17", "90"), "2"),
        (("0", "16"), "3"),  # 1 and 2 would leave both ends as they are
        (("18.5", "35"), "0.2"),
        (("0.001", "0.003"), "0.002"),
        (("0", "1" + "0" * 400), "3"),
        (("-5", "3"), "2"),
    ],
)
def test_a_step_is_named_that_fits_the_column(values, step):
    table = Table.from_rows(["x"], [[value] for value in values], qi=["x"])
    scales = Scales.of(table, ["x"])
    released = GeneralizedRelease(table, groups_of(2, 2), scales).published
    found = range_ends(table, released, X)
    assert (found.ends, found.alone, found.rounded) == (2, 2, f"x={step}")


@pytest.fixture
def here(tmp_path, monkeypatch):
    rng = random.Random(3)
    rows = [(rng.randrange(18, 80), rng.choice("fm")) for _ in range(120)]
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame(rows, columns=["age", "sex"]).to_csv("p.csv", index=False)
    return tmp_path


RANGED = "--k 2 --recoding generalization --numeric age"


def test_a_run_says_it_in_one_line_and_rounding_ends_it(here, monkeypatch, capsys):
    line = f"solve p.csv {RANGED} --method mondrian --out r.csv --report r.html --quiet"
    code, out, err = run(monkeypatch, capsys, line)
    said = json.loads(run(monkeypatch, capsys, f"{line} --json")[1])["range_ends"]
    ends, alone, hidden = said["ends"], said["alone"], said["hidden"]
    assert code == 0 and said["columns"] == ["age"] and ends > 0.7 * hidden > 0
    assert 0 < said["whole"] <= said["changed"]
    whom = f"{alone:,} of {ends:,} range ends of age are the value of one person"
    known = f"{ends:,} of the {hidden:,} cells broadened to ranges are known"
    (told,) = (each for each in err.splitlines() if "range ends" in each)
    assert whom in told and known in told and "(--round age=2 hides them)" in told
    assert f"ends      {whom}" in out
    page = Page(Path("r.html").read_text())
    (item,) = (text for tag, text in page.texts if "range ends" in text)
    assert whom in item and "--round age=2" in item
    check = f"verify r.csv {RANGED} --original p.csv --json"
    assert json.loads(run(monkeypatch, capsys, check)[1])["range_ends"] == said
    _, out, err = run(monkeypatch, capsys, f"{line} --round age=2 --json")
    assert json.loads(out)["range_ends"] is None and "range ends" not in err


def test_frontiers_and_groups_by_loss_say_it_too(here, monkeypatch, capsys):
    line = "frontier p.csv --k 2,3 --recoding generalization --numeric age --out f"
    _, _, err = run(monkeypatch, capsys, f"{line} --method mondrian --quiet")
    assert err.count("range ends of age") == 1
    line = "accuracy-constrained p.csv --numeric age --max-loss 0.4 --json --quiet"
    _, out, err = run(monkeypatch, capsys, line)
    assert "range ends of age" in err and json.loads(out)["range_ends"]["ends"]


def test_python_says_it():
    rng = random.Random(4)
    frame = pandas.DataFrame({"age": [rng.randrange(18, 80) for _ in range(60)]})
    call = {"k": 2, "numeric": ["age"], "method": "mondrian"}
    with pytest.warns(UserWarning, match=r"range ends.*round=\{'age': 2\} hides"):
        release = starmin.anonymize(frame, **call)
    assert release.disclosure.range_ends.ends == release.as_json()["range_ends"]["ends"]
    rounded = starmin.anonymize(frame, round={"age": 2}, **call)
    assert rounded.disclosure.range_ends is None


def test_the_numbers_of_the_page_are_those_of_its_command(monkeypatch, capsys):
    page = (DOCS / "how_to/hierarchies_and_ranges.md").read_text()
    (line,) = (each for each in page.splitlines() if "--method gray_order" in each)
    line = line.removeprefix("$ starmin ")
    found = json.loads(run(monkeypatch, capsys, line)[1])
    rounded = json.loads(run(monkeypatch, capsys, f"{line} --round age=5")[1])
    ends = found["range_ends"]
    for words in (
        f"{ends['hidden']:,} ages are broadened to ranges, and {ends['ends']:,} of ",
        f"{ends['alone']:,} of the {ends['ends']:,} ends are the age of one person",
        f"from {100 * found['gcp']:.2f} to {100 * rounded['gcp']:.2f} %",
    ):
        assert words in page, words
    assert rounded["range_ends"] is None


STEPS = {  # ages, the step, and which ends of ranges are still values of people
    "whole": (lambda rng: str(rng.randrange(18, 80)), "1", 2),
    "heaped": (lambda rng: str(rng.randrange(4, 60) * 5), "5", 2),
    "fine": (lambda rng: f"{rng.randrange(180, 800) / 10}", "0.1", 2),
    "finer": (lambda rng: str(rng.randrange(18, 80)), "0.7", 2),
    "rounded": (lambda rng: str(rng.randrange(18, 80)), "5", 0),
    "days": (lambda rng: f"2024-05-{rng.randrange(10, 29)}", "day", 2),
    "firsts": (lambda rng: f"2024-0{rng.randrange(1, 10)}-01", "quarter", 0),
    "months": (lambda rng: f"{rng.randrange(1950, 2000)}-0{1}-01", "year", 1),
}


@pytest.mark.parametrize("kind", STEPS)
def test_a_step_that_rounds_nothing_silences_nothing(kind, here, monkeypatch, capsys):
    """What runs, checks and audits say of ends is the same, and in Python."""
    draw, step, known = STEPS[kind]
    rng = random.Random(kind)
    frame = pandas.DataFrame({"age": [draw(rng) for _ in range(80)]})
    frame.loc[:1, "age"] = "-1"  # a code of gaps is no number of the column
    frame.to_csv("p.csv", index=False)
    asked = f"{RANGED} --qi age --missing=-1 --round age={step}"
    line = f"solve p.csv {asked} --method mondrian --out r.csv --quiet --json"
    _, out, err = run(monkeypatch, capsys, line)
    told = json.loads(out)["range_ends"]
    assert (told is not None) == (known > 0) == ("range ends of age" in err), kind
    assert known == 0 or f"--round age={step} hides" not in err
    check = f"verify r.csv {asked} --original p.csv --json"
    assert json.loads(run(monkeypatch, capsys, check)[1])["range_ends"] == told
    seen = f"audit r.csv {asked} --json --quiet"
    for against in ("", " --original p.csv"):
        found = json.loads(run(monkeypatch, capsys, seen + against)[1])["ends"]
        assert (found is not None) == (known > 0), (kind, against)
        assert known == 0 or found["pinned"] == told["ends"] > 0
    given = {"qi": ["age"], "missing": ["-1"], "k": 2}
    given |= {"numeric": ["age"], "round": {"age": step}, "method": "mondrian"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = starmin.anonymize(frame, **given)
    assert any("range ends" in str(w.message) for w in caught) == (known > 0)
    again = release.disclosure.range_ends
    assert (again and again.ends) == (told and told["ends"])


def test_floors_do_not_change_what_is_said_of_ends(here, monkeypatch, capsys):
    """A cell above a top is hidden, too: the table before the floors is compared."""
    Path("p.csv").write_text(
        "age,year,town,ill\n95,1950,a,a\n93,1950,a,b\n20,1990,b,c\n21,1991,c,a\n"
    )
    Path("h.csv").write_text("a;L;*\nb;R;*\nc;R;*\n")
    asked = (
        "--k 2 --qi age,year,town --sensitive ill --numeric age,year --hierarchy "
        "town=h.csv --recoding generalization"
    )
    for floor, whole in {"": 2, "--top year=1990": 2, "--min-level town=1": 0}.items():
        line = f"solve p.csv {asked} {floor} --out r.csv --quiet --json"
        told = json.loads(run(monkeypatch, capsys, line)[1])
        check = f"verify r.csv {asked} {floor} --original p.csv --json"
        found = json.loads(run(monkeypatch, capsys, check)[1])
        assert found["range_ends"] == told["range_ends"], floor
        assert found["undone"] == told["undone"], floor
        assert told["range_ends"]["whole"] == whole, floor


@pytest.mark.parametrize("code", ["99999", "-99999", "999999.5", "1e9"])
@pytest.mark.parametrize("named", [True, False])
def test_the_advised_step_leaves_out_codes_of_missing_values(code, named):
    """Declared or not: no range has them, so that none of theirs is rounded."""
    ages = ["31", "33", "42", "47", "55", "58", code, code]
    table = Table.from_rows(["age"], [[age] for age in ages], ["age"])
    missing = ["?", code] if named else ["?"]
    scales = Scales.of(table, ["age"], missing=missing)
    released = GeneralizedRelease(table, groups_of(8, 2), scales).published
    assert released.cells("age")[-2:] == [code, code]
    coding = Coding("generalization", numeric=("age",))
    assert range_ends(table, released, coding).columns == {"age": "2"}


def certain_by_hand(table, released, step, apart):
    """Count ends of ranges for which only one multiple of ``apart`` can stand."""
    found = set()
    for text in {row[0] for row in released.rows() if row[0].startswith("[")}:
        low, high = (Fraction(end) for end in _ends(text))
        first, last = int(low / apart) - 5, int(high / apart) + 5
        inside = [n * apart for n in range(first, last + 1)]
        below = sum(low <= x < low + Fraction(step) for x in inside)
        above = sum(high - Fraction(step) < x <= high for x in inside)
        alone = below == 1, above == 1
        found |= {(text, side) for side, one in enumerate(alone) if one}
    return found


@pytest.mark.parametrize("apart", ["1", "5", "0.1", "4", "0.25"])
def test_the_advised_step_is_the_smallest_that_leaves_no_end_certain(apart):
    """Recounted by all multiples between two ends; smaller steps keep the warning."""
    rng, unit = random.Random(apart), Fraction(apart)
    for _ in range(6):
        drawn = [rng.randrange(10, 60) for _ in range(60)] + [10, 11, 30, 31, 33, 34]
        rows = [[f"{float(n * unit):g}"] for n in drawn]
        table = Table.from_rows(["x"], rows, qi=["x"])

        def told(step, table=table):
            steps = {} if step is None else {"x": step}
            scales = Scales.of(table, ["x"], steps=steps)
            released = GeneralizedRelease(table, groups_of(66, 2), scales).published
            return range_ends(table, released, replace(X, steps=steps)), released

        advised = told(None)[0].columns["x"]
        assert Fraction(advised) == 2 * unit
        found, released = told(advised)
        assert found is None and not certain_by_hand(table, released, advised, unit)
        for part in ("0.3", "1", "1.5", "1.75"):
            step = f"{float(Fraction(part) * unit):g}"
            found, released = told(step)
            assert found is not None, step
            assert certain_by_hand(table, released, step, unit)
            assert found.columns["x"] == advised


def test_the_advice_for_the_first_example_works():
    frame = pandas.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    call = {"qi": ["age", "sex"], "k": 2, "numeric": ["age"]}
    with pytest.warns(UserWarning, match=r"round=\{'age': 2\} hides them"):
        starmin.anonymize(frame, **call)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = starmin.anonymize(frame, round={"age": 2}, **call)
    assert release.frame["age"].tolist() == ["30", "30", "[40-42]", "[40-42]"]


@pytest.mark.parametrize("noise", ["0.00000000001", "0." + "0" * 73 + "1", "0.0000003"])
def test_no_step_is_advised_of_digits_that_nobody_measured(noise):
    """Ranges that end at multiples of 0.00000000002 tell each value all the same."""
    rows = [[str(50 + i) + noise[1:] if i % 3 else str(50 + i)] for i in range(40)]
    table = Table.from_rows(["x"], rows, qi=["x"])
    scales = Scales.of(table, ["x"])
    released = GeneralizedRelease(table, groups_of(40, 2), scales).published
    assert range_ends(table, released, X).rounded == "x=0.01"
