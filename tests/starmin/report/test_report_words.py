"""Tests that the sentences and figures of a report say what a recount says."""

import json
import random
import re
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from starmin.cli.app import main
from starmin.instances import (
    DistinctDiversity,
    EntropyDiversity,
    GeneralizedRelease,
    KAnonymity,
    LDiversity,
    MaxShare,
    Objective,
    Partition,
    RecursiveDiversity,
    Release,
    Scales,
    Table,
    Taxonomy,
)
from starmin.report.headline import cost, percents, promise
from starmin.report.release.distributions import distributions
from starmin.report.release.relations import Related
from starmin.verify.utility import spread_of
from tests.support.report_pages import Page

pytestmark = pytest.mark.usefixtures("undrawn")

CENSUS = "instance:census:n=120"
TREE = "marital_status={a{1,2},b{3,4,5},6}"
WAYS = {
    "suppression": (f"{CENSUS} --k 3 --method clustering", "cells are hidden"),
    "tuples": (f"{CENSUS} --k 3 --objective tuples", "rows have a hidden cell"),
    "weights": (
        f"{CENSUS} --k 3 --weights age=3 --method clustering",
        "counted by their weights",
    ),
    "generalization": (
        f"{CENSUS} --k 3 --recoding generalization --numeric age,education --hierarchy "
        f"{TREE} --method mondrian",
        "detail is lost",
    ),
    "nonhomogeneous": (
        f"{CENSUS} --k 2 --recoding nonhomogeneous --method two_phase",
        "cells are hidden",
    ),
    "diverse": (f"{CENSUS} --l 2 --method clustering", "cells are hidden"),
    "permutation": (f"{CENSUS} --l 2 --recoding permutation", "No cell is hidden"),
}


def run(monkeypatch, capsys, line):
    """The JSON object that a command prints."""
    monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line), "--json"])
    assert main() == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("way", WAYS)
def test_the_headline_says_what_verify_says(way, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line, words = WAYS[way]
    run(monkeypatch, capsys, f"solve {line} --report {tmp_path}/r.html --out r.csv")
    page = Page(Path("r.html").read_text())
    (lead,) = (
        text
        for text in (text for tag, text in page.texts if tag == "p")
        if words in text
    )
    check = page.codes[1]
    found = run(monkeypatch, capsys, check.removeprefix("starmin "))
    if "--k 3" in line:
        assert "apart from fewer than two others." in lead and found["k"] >= 3
    if way == "nonhomogeneous":
        assert "at least two people" in lead and found["k"] >= 2
    if "--l 2" in line:
        assert (
            "at most one in two have the same occupation." in lead and found["l"] >= 2
        )
    shares = [float(text) / 100 for text in re.findall(r"([\d.]+) %", lead)]
    if way in ("suppression", "generalization", "nonhomogeneous", "diverse"):
        assert abs(shares[0] - found["gcp"]) <= 0.0051
    if len(shares) == 2:
        assert shares[1] < shares[0]


def test_no_title_names_a_folder_and_a_star_is_no_value(tmp_path, monkeypatch, capsys):
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n30,f\n31,f\n32,m\n32,m\n")
    run(monkeypatch, capsys, f"solve {path} --k 2 --report {tmp_path}/r.html")
    page = Page((tmp_path / "r.html").read_text())
    assert page.text("h1") == page.text("title") == "Release of people.csv"
    cells = [" ".join(text.split()) for tag, text in page.texts if tag in ("td", "th")]
    at = cells.index("age", cells.index("Values before"))
    assert cells[at + 1 : at + 4] == ["3", "1", "2"]  # 32 alone remains; two stars


def test_each_requirement_has_a_sentence():
    table = Table.from_rows(["a", "s"], [["0", "x"]], qi=["a"], sensitive=["s"])
    asked = (
        KAnonymity(2)
        & LDiversity(3)
        & DistinctDiversity(2)
        & EntropyDiversity(2)
        & RecursiveDiversity(2.0, 3)
        & MaxShare(0.25)
    )
    sentences = promise(asked, table, "suppression")
    assert sentences[0].endswith("fewer than one other.")
    assert sentences[1].endswith("at most one in three have the same s.")
    assert sentences[-1].endswith("at most 25 % have the same s.")
    assert len(set(sentences)) == 6 and all(
        "s" in s and s[-1] == "." for s in sentences
    )
    no = cost(Objective(), "suppression", 0.0, 0.0, True)
    assert no == "Nothing is hidden: all cells are published as they are."
    assert cost(Objective(), "suppression", 0.1, None, False).endswith("is not known.")


def test_bounds_in_sentences_stay_bounds():
    rng = random.Random(0)
    for _ in range(5_000):
        value = 10 ** rng.uniform(-4, 0)
        bound = value * (1 - 10 ** rng.uniform(-3, 0))
        shown, least = (float(text[:-2]) / 100 for text in percents(value, bound))
        assert least <= bound + 1e-12
        assert least < shown or value - bound < 2e-6


@pytest.mark.parametrize("seed", range(5))
def test_distributions_are_those_of_a_recount_row_by_row(seed):
    rng = random.Random(seed)
    rows = [
        [rng.choice("1234"), rng.choice(["cat", "dog", "rat"]), rng.choice("xy")]
        for _ in range(12)
    ]
    table = Table.from_rows(["a", "pet", "s"], rows, ["a", "pet"], ["s"])
    tree = {"pet": Taxonomy.parse("{tame{cat,dog},rat}")}
    scales = Scales.of(table, ["a"], tree)
    partition = Partition(np.array([i // 3 for i in range(12)]))
    for released, coding in (
        (Release(table, partition).published, Scales.of(table)),
        (GeneralizedRelease(table, partition, scales).published, scales),
    ):
        spread = spread_of(released, table, coding)
        meanings = [_meanings(released, table, j, j < 1) for j in range(2)]
        for j, each in enumerate(distributions(table, spread, coding)):
            there = Counter(row[j] for row in rows)
            after = Counter()
            for shares in meanings[j]:
                after.update(shares)
            for value, n, m in zip(each.values, each.before, each.after, strict=True):
                assert n == there[value] and abs(m - after[value]) < 1e-9
            assert abs(each.told - sum(after.values()) / 12) < 1e-9
        columns = distributions(table, spread, coding)
        first, second = (each.values for each in columns)
        related = Related(table, coding, spread, columns)
        both, sensitive = related.told(0, 1), related.told(0, None)
        for i, a in enumerate(first):
            for k, b in enumerate(second):
                pairs = zip(*meanings, strict=True)
                expected = sum(x.get(a, 0) * y.get(b, 0) for x, y in pairs)
                assert abs(both[i, k] - expected) < 1e-9
            for s in {row[2] for row in rows}:
                expected = sum(
                    shares.get(a, 0)
                    for shares, row in zip(meanings[0], released.rows(), strict=True)
                    if row[2] == s
                )
                assert sensitive.shape[1] == len({row[2] for row in rows})
                order = list(dict.fromkeys(table.dictionary("s")))
                assert abs(sensitive[i, order.index(s)] - expected) < 1e-9
        before = related.counted(0, 1)
        assert before.sum() == 12 and before.shape == (len(first), len(second))


def _meanings(released, table, j, numeric):
    """Of each cell of a column what it counts for each value of the original."""
    values = sorted({row[j] for row in table.rows()})
    shares = []
    for row in released.rows():
        text = row[j]
        if text in values:
            among = [text]
        elif text == "tame":
            among = ["cat", "dog"]
        elif numeric and text.startswith("["):
            low, high = text[1:-1].split("-")
            among = [value for value in values if low <= value <= high]
        else:
            among = []
        if len(among) == len(values) > 1 and text not in values:
            among = []  # a range of all values says nothing
        shares.append({value: 1 / len(among) for value in among})
    return shares


@pytest.mark.parametrize(
    "asked",
    [
        "--k 3 --method clustering",
        "--k 3 --numeric age --recoding generalization --method mondrian",
        "--k 3 --l 2 --method clustering",
        "--l 2 --recoding permutation --method anatomy",
        "--k 2 --recoding nonhomogeneous --method two_phase",
        "--k 2 --person pid --method clustering",
        "--combinations 1 --k 3",
    ],
)
def test_the_verdict_is_that_of_a_recount(asked, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(11)
    columns = "age", "sex", "town", "income", "pid", "ill"
    before = [
        (
            20 + i % 30,
            i % 2 + 1,
            f"t{rng.randrange(4)}",
            i // 3,
            f"p{i // 2}",
            "xxyyz"[i // 4 % 5],
        )
        for i in range(60)
    ]
    write_rows("people.csv", columns, before)
    line = f"solve people.csv --qi age,sex,town {asked} --out r.csv --report r.html"
    line += "" if "--comb" in asked else " --sensitive ill"
    said = run(monkeypatch, capsys, f"{line} --time-limit 5")
    text = Path("r.html").read_text()
    page = Page(text)
    head = text.split('<dl class="sign">')[0]
    assert "<h2" in head and "KL" not in head and "nobody" not in head
    fold = text.index('<details class="part">')
    assert fold < text.index('id="expert"') and ">KL<" not in text[:fold]
    after = [tuple(row) for row in read_rows("r.csv")]
    by_person = "--person" in asked
    alone = {}
    for name, rows in (("before", before), ("now", after)):
        found = {}
        for row, own in zip(rows, before, strict=True):
            found.setdefault(tuple(map(str, row[:3])), []).append(own[4])
        sizes = [len({*ids} if by_person else ids) for ids in found.values()]
        alone[name] = sizes.count(1)
    if "nonhom" in asked or "--comb" in asked:
        alone["now"] = 0
    assert f"<dd>{alone['before']} → {alone['now']}<small>" in head
    lost = re.search(r"<dt>Lost</dt><dd>([\d.]+) %", head)[1]
    assert abs(float(lost) - 100 * said["gcp"]) < 0.51
    kept = slice(3, 4 if by_person else 6 if "--comb" in asked else 5)
    unique = [*Counter(row[kept] for row in before).values()].count(1)
    shown = re.findall(r'<strong class="bad">([\d,]+) of 60 (?:people|rows)<', head)
    assert shown[:1] == [str(unique)] or not unique or "permutation" in asked
    if "--comb" not in asked and "permutation" not in asked and "nonhom" not in asked:
        groups = {}
        for row in after:
            groups.setdefault(row[:3], []).append(row[-1])
        same = [len(ills) for ills in groups.values() if len({*ills}) == 1]
        many = "groups" if len(same) > 1 else "group"
        told = re.search(r"In (\d+) groups?, (\d+) (people|rows),", head)
        assert (told is None) == (not same), many
        if told:
            assert (int(told[1]), int(told[2])) == (len(same), sum(same))
    cells = [" ".join(text.split()) for tag, text in page.texts if tag in ("td", "th")]
    places = [int(c[4:]) - 1 for c in cells if re.fullmatch(r"Row \d+", c)]
    names = [*columns[:3], *(["ill"] if "--comb" not in asked else [])]
    assert places
    for name in names:
        if "permutation" in asked and name == "ill":
            continue
        j, at = columns.index(name), cells.index(name)
        for cell, i in zip(cells[at + 1 :], places, strict=False):
            both = str(before[i][j]), after[i][-1 if name == "ill" else j]
            assert cell == (both[0] if both[0] == both[1] else " → ".join(both))


def test_codes_are_told_by_their_labels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    source = Path(__file__).parents[2] / "cases" / "labels.sav"
    shutil.copy(source, "labels.sav")
    line = "solve labels.sav --k 2 --method clustering --report r.html"
    run(monkeypatch, capsys, line)
    text = Path("r.html").read_text()
    assert re.search(r"\((\d+(\.0)?)\) → ", text.split('class="sign"')[0])


def write_rows(name, columns, rows):
    """A file of these rows."""
    lines = [",".join(map(str, row)) for row in (columns, *rows)]
    Path(name).write_text("\n".join(lines) + "\n")


def read_rows(name):
    """The rows of a file."""
    return [line.split(",") for line in Path(name).read_text().splitlines()[1:]]
