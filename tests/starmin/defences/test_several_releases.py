"""Tests that releases of one table in one order of rows are told to undo each other."""

import csv
import json
import random
import shutil
from itertools import combinations
from pathlib import Path

import pandas
import pytest

import starmin
from tests.support.commands import run
from tests.support.report_pages import Page

pytestmark = pytest.mark.usefixtures("undrawn")


def people(seed=0, n=90):
    rng = random.Random(seed)
    rows = [
        (str(i), str(rng.randrange(20, 29)), rng.choice("fm"), rng.choice("ABCD"))
        for i in range(n)
    ]
    return pandas.DataFrame(rows, columns=["note", "age", "sex", "town"])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    people().to_csv("data/p.csv", index=False)
    return tmp_path


def cells(path):
    with Path(path).open(newline="") as file:
        return list(csv.reader(file))[1:]


def shares_by_hand(original, releases, columns):
    """Of the cells that one of two releases hides, the share that the other shows."""
    shares = []
    for one, two in combinations(releases, 2):
        hidden = [
            (one[i][j] != original[i][j], two[i][j] != original[i][j])
            for i in range(len(original))
            for j in columns
        ]
        either = [pair for pair in hidden if any(pair)]
        shares.append(sum(pair != (True, True) for pair in either) / len(either))
    return [min(shares), max(shares)]


FRONTIER = "frontier data/p.csv --drop note --k 2,3,5 --method mondrian --out f"


@pytest.mark.parametrize("further", ["", "--recoding generalization --numeric age"])
def test_a_frontier_says_what_its_releases_show_of_each_other(
    further, here, monkeypatch, capsys
):
    _, out, err = run(monkeypatch, capsys, f"{FRONTIER} {further} --json")
    found = json.loads(out)
    original = [row[1:] for row in cells("data/p.csv")]
    releases = [cells(f"f/k{k}.csv") for k in (2, 3, 5)]
    expected = shares_by_hand(original, releases, range(3))
    assert found["shuffled"] is False
    assert found["side_by_side"] == pytest.approx(expected) and expected[0] > 0.2
    least, most = (f"{100 * share:.2f}".rstrip("0").rstrip(".") for share in expected)
    words = "of the cells that one hides, another shows"
    (line,) = (each for each in err.splitlines() if words in each)
    assert least in line and most in line and "(--shuffle)" in line
    page = Page(Path("f/report.html").read_text())
    (note,) = (text for _, text in page.texts if words in text)
    assert note in line.replace("starmin: warning: ", "Before you publish: ") + "."


def test_a_shuffled_frontier_has_an_order_for_each_release(here, monkeypatch, capsys):
    line = FRONTIER.replace("--drop note", "--qi age,sex,town")
    _, out, err = run(monkeypatch, capsys, f"{line} --shuffle --json")
    found = json.loads(out)
    assert found["shuffled"] is True and found["side_by_side"] is None
    assert "one hides" not in err
    orders = [[row[0] for row in cells(f"f/k{k}.csv")] for k in (2, 3, 5)]
    first = [[row[0] for row in cells("data/p.csv")], *orders]
    assert all(sorted(order) == sorted(first[0]) for order in orders)
    assert len({tuple(order) for order in first}) == 4
    run(monkeypatch, capsys, f"{line} --shuffle --json")
    again = [[row[0] for row in cells(f"f/k{k}.csv")] for k in (2, 3, 5)]
    assert again != orders, "nobody can draw it again"
    page = Page(Path("f/report.html").read_text())
    assert "each release has its rows in an order of its own" in page.text("p")
    for command in page.codes:
        assert run(monkeypatch, capsys, command.removeprefix("starmin "))[0] == 0


def test_one_release_or_none_is_no_matter(here, monkeypatch, capsys):
    for line in (
        "frontier data/p.csv --drop note --k 2 --method mondrian --out f",
        "frontier data/p.csv --drop note --k 2,99 --method mondrian --out f",
        "frontier data/p.csv --drop note --k 2,3 --method mondrian",
    ):
        _, out, err = run(monkeypatch, capsys, f"{line} --json")
        assert "one hides" not in err and json.loads(out)["side_by_side"] is None


def test_python_knows_how_much():
    curve = starmin.frontier(people().drop(columns="note"), k=[2, 5], method="mondrian")
    least, most = curve.side_by_side
    assert 0 < least == most < 1 and curve.order() is None, "nothing was written"


SOLVE = "solve data/p.csv --qi age,sex,town --method mondrian --quiet"
TOLD = "releases the same rows in the same order"


def test_a_second_release_in_a_folder_is_told(here, monkeypatch, capsys):
    def told(line):
        code, _, err = run(monkeypatch, capsys, f"{SOLVE} {line}")
        assert code == 0
        return [each for each in err.splitlines() if TOLD in each]

    Path("out").mkdir()
    assert told("--k 2 --out out/a.csv") == []
    assert told("--k 2 --out out/a.csv") == [], "it is replaced"
    (line,) = told("--k 3 --out out/b.csv")
    assert "out/a.csv releases" in line and "b.csv" in line and "--shuffle" in line
    assert told("--k 3 --out out/c.csv --shuffle") == []
    (line,) = told("--k 4 --out out/d.csv.gz")
    assert "(and 1 more)" in line, "c.csv is in an order of its own"
    ranged = "--recoding generalization --numeric age --round age=5"
    assert "(and 2 more)" in told(f"--k 4 --out out/e.csv {ranged}")[0]


def test_other_files_of_a_folder_are_not_told(here, monkeypatch, capsys):
    Path("out").mkdir()
    shutil.copy("data/p.csv", "out/copy.csv")  # of the original
    people(1).to_csv("out/others.csv", index=False)
    other = people(2)
    other.loc[::3, "age"] = "*"  # a release of other people
    other.to_csv("out/release_of_others.csv", index=False)
    people().iloc[:60].to_csv("out/some.csv", index=False)
    people().iloc[::-1].to_csv("out/turned.csv", index=False)
    people().drop(columns="note").to_csv("out/columns.csv", index=False)
    Path("out/empty.csv").write_text("")
    Path("out/junk.csv").write_bytes(b"\xff\x00note,age\n")
    Path("out/notes.txt").write_text("note\tage\tsex\ttown\n")
    run(monkeypatch, capsys, f"{SOLVE} --k 2 --out out/one.csv.part.csv")
    Path("out/one.csv.part.csv").unlink()
    code, _, err = run(monkeypatch, capsys, f"{SOLVE} --k 2 --out out/r.csv")
    assert code == 0 and TOLD not in err


def test_the_table_itself_is_no_release_where_there_are_floors(
    here, monkeypatch, capsys
):
    line = SOLVE.replace("data/p.csv", "p.csv") + " --top age=26"
    shutil.copy("data/p.csv", "p.csv")
    for k, count in ((2, 0), (3, 1)):
        code, _, err = run(monkeypatch, capsys, f"{line} --k {k} --out {k}.csv")
        assert code == 0 and err.count(TOLD) == count, err


def test_two_permutations_are_told(here, monkeypatch, capsys):
    line = "solve data/p.csv --qi age,sex --sensitive town --recoding permutation"
    for l, out, count in ((2, "a", 0), (3, "b", 1)):
        _, _, err = run(monkeypatch, capsys, f"{line} --l {l} --out {out}.csv --quiet")
        assert err.count(TOLD) == count


@pytest.mark.parametrize("ending", ["parquet", "sav", "dta", "xlsx", "csv.gz", "tsv"])
def test_earlier_releases_of_any_kind_are_told(here, monkeypatch, capsys, ending):
    if ending == "parquet":  # with columns of numbers, as such files have
        people().astype({"note": int, "age": int}).to_parquet("data/p.parquet")
    line = SOLVE.replace("p.csv", "p.parquet") if ending == "parquet" else SOLVE
    Path("out").mkdir()
    shutil.copy("data/p.csv", "out/copy.csv")
    for k, count in ((2, 0), (3, 1)):
        _, _, err = run(monkeypatch, capsys, f"{line} --k {k} --out out/{k}.{ending}")
        assert err.count(TOLD) == count
    shuffled = f"{line} --k 2 --out out/2.{ending} --shuffle"
    run(monkeypatch, capsys, shuffled)
    _, _, err = run(monkeypatch, capsys, f"{line} --k 4 --out out/4.{ending}")
    assert err.count(TOLD) == 1 and f"out/3.{ending} releases" in err


@pytest.mark.parametrize("out", ["parquet", "csv", "folder"])
def test_earlier_releases_are_told_in_batches(here, monkeypatch, capsys, out):
    Path("parts").mkdir()
    for part in range(3):
        rows = people().iloc[30 * part : 30 * part + 30]
        rows.to_parquet(f"parts/{part}.parquet")
    line = "solve parts --qi age,sex,town --quiet --time-limit 2"
    Path("out").mkdir()
    names = [f"out/{k}" + (f".{out}" if out != "folder" else "") for k in (2, 3)]
    for k, name, count in zip((2, 3), names, (0, 1), strict=True):
        _, _, err = run(monkeypatch, capsys, f"{line} --k {k} --out {name}")
        assert Path(name).exists() and err.count(TOLD) == count, err
