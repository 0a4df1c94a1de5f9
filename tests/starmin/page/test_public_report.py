"""Tests that the page for publication holds no value, and no small count."""

import csv
import json
import math
import random
import re
import sys
from pathlib import Path

import pytest

from starmin.cli.app import main

N = 101
BASE = {  # of each column its values, none of which is a word of the page
    "size": [7001 + i % 13 * 31 for i in range(N)],
    "town": [f"xj{i * i % 7}" for i in range(N)],
    "ill": [f"hk{i % 3}" for i in range(N)],
}
RANGED = "--numeric size --recoding generalization"
TREE = "town={zqnode{xj0,xj1},qvnode{xj2,xj4}}"
# Columns that take the place of those, what is asked, and what the page has to say.
HOSTILE = {
    "one has a value that nobody has": (
        {"ill": ["hk9", *(f"hk{i % 3}" for i in range(1, N))]},
        "--k 4 --l 2",
        "at most 50 %",
    ),
    "the end of a range is one person's": (
        {"size": [987_654, *range(7002, 7001 + N)]},
        f"--k 4 {RANGED}",
        "at least 4 rows",
    ),
    "a hierarchy has names": ({}, f"--k 5 {RANGED} --hierarchy {TREE}", "at least 5"),
    "one cell alone is hidden": (
        {"town": ["xjonly", *["xj1"] * (N - 1)], "size": [7001] * N},
        "--combinations 1 --k 4",
        "less than 1 %",
    ),
    "combinations": ({}, "--combinations 2 --k 3", "of at least 3 rows"),
    "rules of several k": ({}, "--rules size+town=5,ill=17", "of at least 5 rows"),
    "a person has most rows": (
        {"pid": [f"wp{i // 60 + i % 60 * (i > 59)}" for i in range(N)]},
        "--person pid --k 4",
        "Each person looks like at least 4 persons",
    ),
    "few rows are left out": (
        {"town": [*[f"xjout{i}" for i in range(3)], *["xj1"] * (N - 3)]},
        "--k 2 --delete-rows 1",
        "may have been left out",
    ),
    "sensitive values apart": (
        {},
        "--k 4 --l 2 --recoding permutation --shuffle-seed 1",
        "To which of at least 4 rows",
    ),
    "stars of each row": ({}, "--k 4 --recoding nonhomogeneous", "of at least 4 peo"),
    "values like the page's own": (
        {"town": ["37 %", "k = 3", "</td>", "<b>xq</b>", *["71 rows"] * (N - 4)]},
        "--k 4 --alpha 0.9",
        "Further conditions",
    ),
    "each asks for itself": (
        {"asks": [i % 3 + 2 for i in range(N)]},
        "--k-column asks",
        "no small count",
    ),
    "entropy is no share": ({}, "--l 2 --diversity entropy", "Further conditions"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_it_holds_no_value_and_no_small_count(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    others, asked, told = HOSTILE[case]
    columns = BASE | others
    random.seed(7)
    rows = [*zip(*columns.values(), strict=True)]
    random.shuffle(rows)
    write(Path("people.csv"), [list(columns), *rows])
    sensitive = "" if "--comb" in asked or "--rules" in asked else " --sensitive ill"
    line = f"solve people.csv --qi size,town {asked}{sensitive} --time-limit 2 --json"
    if not sensitive:
        line = line.replace("size,town ", "size,town,ill ", 1)
    if "--rules" in asked:
        Path("rules.csv").write_text("columns,k\nsize+town,5\nill,17\n")
        line = line.replace("size+town=5,ill=17", "rules.csv")
    line += " --quiet --out r.csv --report-public p.html"
    monkeypatch.setattr(sys, "argv", ["starmin", *line.split()])
    assert main() == 0, capsys.readouterr().err
    said = json.loads(capsys.readouterr().out)
    page = re.sub(
        r"(?s)<(style|script)>.*?</\1>|<!.*?>", "", Path("p.html").read_text()
    )
    assert "people.csv" not in page and told in page
    text = re.sub(r"<[^>]+>", " ", page)
    for values in columns.values():
        for value in {str(value) for value in values}:
            assert len(value) < 2 or value not in text, value
    assert not re.search(r"[xq]j\d|hk\d|wp\d|[zq][qv]node", page)
    counts, shares = allowed(said, asked, [list(columns), *rows])
    for number in re.findall(r"[\d.,]*\d %", text):
        assert int(number[:-2]) in shares, (number, shares)
    for number in re.findall(r"\d[\d.,]*(?<=\d)", re.sub(r"[\d.,]*\d %", "", text)):
        assert int(number.replace(",", "")) in counts, (number, counts)


def write(path, rows):
    """A file of these rows."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def allowed(said, asked, before):
    """The counts and the shares that may stand on the page, from files alone."""
    k = max(map(int, re.findall(r"(?:--k |--l |=)(\d+)", asked)), default=10)
    released = [*csv.reader(Path("r.csv").read_text().splitlines())]
    n = len(released) - 1
    assert n >= k
    counts = {*map(int, re.findall(r"(?:--k |--l |=)(\d+)", asked)), n}
    shares = {1, 50}  # less than 1 %, and of --l 2
    shares |= {round(100 * said["gcp"]), math.floor(100 * (said["lower_bound"] or 0))}
    if n == len(before) - 1:
        for j, name in enumerate(released[0]):
            if name not in before[0]:
                continue  # the number of a group
            own = [str(row[before[0].index(name)]) for row in before[1:]]
            changed = [a != row[j] for a, row in zip(own, released[1:], strict=True)]
            if min(sum(changed), n - sum(changed)) in {0, *range(k, n)}:
                shares.add(round(100 * sum(changed) / n))
    return counts, shares | {0, 100}  # nearly 100 %
