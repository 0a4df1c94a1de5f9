"""Tests that what is published beside the quasi-identifiers is counted and named."""

import json
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas
import pytest

import starmin
from starmin.instances import Partition, Release, Table
from starmin.verify.releases import disclosure as unchanged
from starmin.verify.releases.disclosure import (
    Disclosure,
    unchanged_columns,
    undone_cells,
)
from tests.support.commands import run
from tests.support.report_pages import Page

pytestmark = pytest.mark.usefixtures("undrawn")

DEGREES = ("none", "school", "college", "bachelor", "master", "doctor")


def people(n=240, seed=0):
    """Persons with columns that tell each other, and some that do not."""
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        degree = rng.choices(DEGREES, (1, 5, 6, 4, 2, 1))[0]
        year = rng.randrange(1940, 2005)
        sex = rng.choice("fm")
        rows.append(
            {
                "age": str(2026 - year),
                "degree": degree,
                "sex": sex,
                "years": str(8 + 2 * DEGREES.index(degree)),
                "born": f"{year}-{rng.randrange(1, 13):02}-{rng.randrange(1, 4):02}",
                "form": rng.choice(["Mrs", "Dr"] if sex == "f" else ["Mr", "Dr"]),
                "town": rng.choice("ABCD"),
                "code": str(1000 + i),
                "ill": "prostate" if sex == "m" and i % 3 == 0 else rng.choice("xyz"),
            }
        )
    return rows


QI = ("age", "degree", "sex")


def table_of(rows, qi=QI, sensitive=("ill",)):
    names = list(rows[0])
    cells = [[row[name] for name in names] for row in rows]
    return Table.from_rows(names, cells, qi, sensitive, name="people.csv")


def starred(table, share=0.3, seed=1):
    """The same rows with some cells of the quasi-identifiers as stars."""
    rng = random.Random(seed)
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows()]
    for row in rows:
        row.update({q: "*" for q in table.qi if rng.random() < share})
    return table_of(rows, table.qi, table.sensitive)


def found_in(table, released):
    """The pairs that are found, with hidden and told cells."""
    return {
        (each.by, each.column): (each.hidden, each.told)
        for each in undone_cells(table, released)
    }


def stars_of(released, column):
    return list(released.cells(column)).count("*")


def test_columns_that_tell_hidden_cells_are_found_and_no_others():
    table = table_of(people())
    released = starred(table)
    found = found_in(table, released)
    for by, column in (("years", "degree"), ("born", "age")):
        stars = stars_of(released, column)
        assert found.pop((by, column)) == (stars, stars)
    hidden, told = found.pop(("form", "sex"))
    some = zip(table.cells("form"), released.cells("sex"), strict=True)
    assert told == sum(form != "Dr" and sex == "*" for form, sex in some)
    assert 0.5 * hidden <= told < hidden == stars_of(released, "sex")
    assert found == {}, "neither by accident nor by columns that have a value a row"


def test_a_sensitive_column_tells_too():
    rows = [row for row in people() if row["ill"] == "prostate" or row["sex"] == "f"]
    table = table_of(rows, ("sex", "town"))
    hidden, told = found_in(table, starred(table))["ill", "sex"]
    assert hidden == told


def test_a_few_wrong_cells_do_not_hide_what_is_told():
    rows = people()
    for i in (10, 100, 200):
        rows[i]["years"] = "99"
    table = table_of(rows)
    hidden, told = found_in(table, starred(table))["years", "degree"]
    assert 0 <= hidden - told <= 3


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_those_of_a_recount(seed):
    table = table_of(people(60, seed))
    released = starred(table, seed=seed)
    rows = released.rows()
    for columns, count in (
        (released.other, unchanged_columns(released).unique_rows),
        (released.other + released.qi, unchanged_columns(released).unique_rows_with_qi),
    ):
        places = [released.names.index(column) for column in columns]
        alike = Counter(tuple(row[j] for j in places) for row in rows)
        assert count == sum(number == 1 for number in alike.values())
    for each in undone_cells(table, released):
        goes_with = defaultdict(Counter)
        both = list(zip(table.cells(each.by), table.cells(each.column), strict=True))
        for giver, value in both:
            goes_with[giver][value] += 1
        most = {giver: max(c.values()) for giver, c in goes_with.items()}
        stars = [cell == "*" for cell in released.cells(each.column)]
        assert each.hidden == sum(stars)
        right = sum(
            star and goes_with[giver][value] == most[giver]
            for (giver, value), star in zip(both, stars, strict=True)
        )
        assert each.told <= right
        if each.by in ("years", "born"):
            assert each.told == right == each.hidden


def test_random_columns_tell_nothing():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(5, 120))
        sizes = [int(rng.choice([2, 3, 9, n, 2 * n])) for _ in range(5)]
        weights = [rng.dirichlet(np.full(s, rng.choice([0.1, 1, 5]))) for s in sizes]
        cells = [rng.choice(s, n, p=w) for s, w in zip(sizes, weights, strict=True)]
        rows = np.stack(cells).T.astype(str).tolist()
        table = Table.from_rows(list("abcde"), rows, ["a", "b"], ["e"])
        assert found_in(table, starred_text(table, rng)) == {}


def starred_text(table, rng):
    rows = [list(row) for row in table.rows()]
    for row in rows:
        for j in range(table.d):
            if rng.random() < 0.3:
                row[j] = "*"
    return Table.from_rows(table.names, rows, table.qi, table.sensitive)


def test_many_pairs_are_chosen_by_a_sample_and_counted_in_full(monkeypatch):
    table = table_of(people(2_000))
    released = starred(table)
    whole = found_in(table, released)
    monkeypatch.setattr(unchanged, "_WORK", 2_000)
    assert found_in(table, released)["years", "degree"] == whole["years", "degree"]


def test_a_million_cells_are_counted_in_a_moment():
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 4**i, 100_000) for i in range(10)])
    codes[3] = codes[4] // 4
    names, texts = (
        [f"c{i}" for i in range(10)],
        [tuple(map(str, range(4**i))) for i in range(10)],
    )
    table = Table(tuple(names), codes.astype(np.int32), tuple(texts), tuple(names[:5]))
    order = np.lexsort(codes[:5])
    groups = np.empty(100_000, np.int64)
    groups[order] = np.arange(100_000) // 5
    released = Release(table, Partition.from_labels(groups)).published
    Disclosure.of(table, released)
    started = time.process_time()
    found = Disclosure.of(table, released)
    assert time.process_time() - started < 20.0
    assert found.unchanged.unique_rows > 0


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame(people()).to_csv("people.csv", index=False)
    return tmp_path


SOLVE = "solve people.csv --qi age,degree,sex --sensitive ill --k 4 --method mondrian"
KEPT = "years, born, form, town, code"


def test_commands_name_the_columns_and_count(here, monkeypatch, capsys):
    line = f"{SOLVE} --out r.csv --report r.html --quiet"
    code, out, err = run(monkeypatch, capsys, line)
    whom = "240 of 240 rows are unique by them"
    assert code == 0 and f"beside    published as they are: {KEPT}; {whom}" in out
    assert f"warning: published as they are: {KEPT}; {whom}" in err
    stars = Path("r.csv").read_text()
    table = pandas.read_csv("r.csv", dtype=str)
    stars = int((table["degree"] == "*").sum())
    assert stars and f"years tells {stars} of the {stars} hidden cells of degree" in err
    assert f"undone    years tells {stars} of the {stars} hidden" in out
    said = json.loads(run(monkeypatch, capsys, f"{line} --json")[1])
    assert said["unchanged"] == {
        "columns": KEPT.split(", "),
        "unique_rows": 240,
        "unique_rows_with_qi": 240,
    }
    told = {(u["by"], u["column"]): (u["hidden"], u["told"]) for u in said["undone"]}
    assert told["years", "degree"] == (stars, stars)
    page = Page(Path("r.html").read_text())
    (lead,) = (text for _, text in page.texts if text.startswith("By age, degree and"))
    assert "nobody in this table can be told apart from fewer than three" in lead
    assert "years, born, form, town and code are published as they are: 240 of" in lead
    assert f"years tells {stars} of the {stars} hidden cells of degree." in lead


def test_what_holds_is_said_of_the_columns_that_were_named(here, monkeypatch, capsys):
    run(monkeypatch, capsys, f"{SOLVE} --out r.csv --quiet")
    line = "verify r.csv --qi age,degree,sex --sensitive ill --k 4"
    _, out, _ = run(monkeypatch, capsys, f"{line} --original people.csv")
    assert "holds     yes, by age, degree, sex\n" in out
    assert "unique by them" in out and "undone    years tells " in out
    found = json.loads(run(monkeypatch, capsys, f"{line} --json")[1])
    assert found["holds"] is True and found["qi"] == list(QI)
    assert found["unchanged"]["unique_rows"] == 240 and found["undone"] is None


def test_nothing_is_said_where_nothing_else_is_published(here, monkeypatch, capsys):
    drop = "--drop years,born,form,town,code"
    code, out, err = run(monkeypatch, capsys, f"{SOLVE} {drop} --quiet --json")
    said = json.loads(out)
    assert (code, err) == (0, "")
    assert said["unchanged"] is None and said["undone"] == []
    line = "solve people.csv --qi age --sensitive ill --l 2 --recoding permutation"
    code, out, err = run(monkeypatch, capsys, f"{line} --out p.csv --quiet --json")
    assert code == 0 and "published as they are" not in err, "they are not published"
    assert json.loads(out)["unchanged"] is None
    said = json.loads(
        run(
            monkeypatch,
            capsys,
            "bound people.csv --k 2 --json --quiet --method own_pattern",
        )[1]
    )
    assert said["unchanged"] is None and said["undone"] is None


def test_batches_say_that_they_do_not_count(here, monkeypatch, capsys):
    line = SOLVE.replace("--method mondrian", "--time-limit 1 --stream --out s.csv")
    _, out, err = run(monkeypatch, capsys, f"{line} --quiet --json")
    assert f"published as they are: {KEPT}; " in err and "not counted in batches" in err
    assert json.loads(out)["unchanged"] is None


def test_a_frontier_names_them(here, monkeypatch, capsys):
    line = "frontier people.csv --qi age,degree,sex --sensitive ill --k 3,4 --out f"
    _, out, err = run(monkeypatch, capsys, f"{line} --method mondrian --json")
    assert f"published as they are: {KEPT}; 240 of 240 rows are unique" in err
    (first, _) = json.loads(out)["points"]
    assert first["unchanged"]["unique_rows"] == 240
    page = Page((here / "f" / "report.html").read_text())
    assert "code are published as they are: 240 of 240" in page.text("p")


def test_python_names_them():
    frame = pandas.DataFrame(people())
    with pytest.warns(UserWarning, match=r"as they are: years.*240 of 240") as heard:
        release = starmin.anonymize(
            frame, qi=list(QI), sensitive="ill", k=4, method="mondrian"
        )
    assert any("years tells" in str(warning.message) for warning in heard)
    assert release.headline.startswith("k = 4 by age, degree and sex: ")
    assert release.headline.endswith(
        "; published as they are: years, born, form, town and code, by which 240 rows "
        "are unique"
    )
    assert release.headline in repr(release)
    assert release.disclosure.unchanged.unique_rows == 240
    assert ("years", "degree") in {(u.by, u.column) for u in release.disclosure.undone}
    assert release.as_json()["undone"] and "undone    years tells" in release.summary()
