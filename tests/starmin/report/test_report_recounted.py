"""Tests that what reports of runs and of checks say is what plain Python counts."""

import csv
import math
import random
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import pytest

from starmin.cli.app import main
from tests.support.fuzzing import starmin

pytestmark = pytest.mark.usefixtures("undrawn")

QI = ("age", "sex", "town")


class Tables(HTMLParser):
    """The rows of all tables by their id: text and key of each cell."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.name, self.cell = {}, None, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "table":
            self.name = attrs["id"]
            self.tables[self.name] = []
        elif tag == "tr":
            self.tables[self.name].append([])
        elif tag in ("th", "td"):
            key = attrs.get("data-key")
            self.tables[self.name][-1].append(["", key and float(key)])
            self.cell = True

    def handle_endtag(self, tag):
        self.cell = self.cell and tag not in ("th", "td")

    def handle_data(self, data):
        if self.cell:
            self.tables[self.name][-1][-1][0] += data.strip()

    def rows(self, name):
        """Rows below the header, by the text of the first cell."""
        return {row[0][0]: row[1:] for row in self.tables[name][1:]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table of 120 people, its release, and the page."""
    folder = tmp_path_factory.mktemp("recount")
    draw = random.Random(5)
    lines = []
    for _ in range(120):
        age = draw.randint(20, 49)
        town = draw.choice("aabc")
        pay = 10 * age + draw.randint(0, 60)
        lines.append([age, draw.choice("fm"), town, pay, draw.randint(1, 9)])
    before, after = folder / "people.csv", folder / "out.csv"
    with before.open("w", newline="") as file:
        csv.writer(file).writerows([[*QI, "pay", "w"], *lines])
    page = folder / "page.html"
    words = f"""solve {before} --qi age,sex,town --numeric age --weight w --k 4
        --unchanged pay --recoding generalization --method clustering --quiet
        --out {after} --report {page}"""
    with pytest.MonkeyPatch.context() as patch:
        asked = [*words.split(), "--check", "pay ~ age + sex"]
        patch.setattr("sys.argv", ["starmin", *asked])
        assert main() == 0
    with before.open() as one, after.open() as other:
        both = [*csv.DictReader(one)], [*csv.DictReader(other)]
    return *both, page.read_text("utf-8")


def ages(cell, known):
    """The ages of the table that a cell may be, and whether it tells something."""
    if cell == "*":
        return []
    found = re.fullmatch(r"\[(\d+)-(\d+)\]", cell)
    low, high = map(int, found.groups()) if found else (int(cell), int(cell))
    inside = [age for age in known if low <= age <= high]
    return [] if len(inside) == len(known) else inside


def test_risk_is_that_of_classes_and_weights(made):
    before, after, page = made
    found = Tables(page).rows("risk-change")
    for place, rows in enumerate((before, after)):
        key = [tuple(row[c] for c in QI) for row in rows]
        sizes, people = Counter(key), Counter()
        for each, row in zip(key, rows, strict=True):
            people[each] += float(row["w"])
        numbers = {name: cells[place][1] for name, cells in found.items()}
        assert numbers["Rows like no other"] == [*sizes.values()].count(1)
        assert numbers["Rows in the smallest class"] == min(sizes.values())
        assert numbers["Prosecutor, at most"] == 1 / min(sizes.values())
        assert numbers["Prosecutor, on average"] == len(sizes) / 120
        assert numbers["Marketer"] == len(sizes)
        risks = {k: risk(n, people[k]) for k, n in sizes.items()}
        worst, mean = max(risks.values()), sum(risks[k] for k in key) / 120
        assert numbers["Journalist, at most"] == pytest.approx(worst, rel=1e-4)
        assert numbers["Journalist, on average"] == pytest.approx(mean, rel=1e-4)


@pytest.mark.parametrize(
    "further",
    ["", "--numeric age --recoding generalization", "--top age=40 --bottom age=25"],
)
def test_a_journalist_looks_among_the_population(tmp_path, monkeypatch, further):
    """One more person each is in the classes that may hide them, by plain Python."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(8)
    people = [(str(draw.randint(20, 49)), draw.choice("fm")) for _ in range(400)]
    people += [("*", "f"), ("unknown", "m"), ("99", "x")]
    sample = people[:60]
    for name, rows in (("people", people), ("sample", sample)):
        with Path(f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("age", "sex"), *rows])
    words = f"""solve sample.csv --k 3 --method clustering --quiet --out out.csv
        {further} --report page.html --report-population people.csv"""
    monkeypatch.setattr("sys.argv", ["starmin", *words.split()])
    assert main() == 0
    with Path("out.csv").open() as file:
        released = [*csv.reader(file)][1:]
    before = sample
    if "--top" in further:
        before = [[_capped(age), sex] for age, sex in sample]
    found = Tables(page := Path("page.html").read_text("utf-8")).rows("risk-change")
    for place, rows in enumerate((before, released)):
        risks = []
        for age, sex in rows:
            fit = sum(_may_be(age, a) and sex in (s, "*") for a, s in people)
            risks.append(1 / max(fit, sum([age, sex] == [*other] for other in rows)))
        numbers = {name: cells[place][1] for name, cells in found.items()}
        assert numbers["Journalist, at most"] == max(risks)
        mean = sum(risks) / len(risks)
        assert numbers["Journalist, on average"] == pytest.approx(mean)
    assert "The population is people.csv, 403 people" in page


def _capped(age):
    return "40+" if int(age) >= 40 else "<=25" if int(age) <= 25 else age


def _may_be(cell, age):
    """Whether a published age may be that of a person."""
    if cell in ("*", age):
        return True
    if not age.isdigit():
        return False
    if cell[-1] == "+" or cell[0] == "<":
        return _capped(age) == cell
    found = re.fullmatch(r"\[(\d+)-(\d+)\]", cell)
    return found is not None and int(found[1]) <= int(age) <= int(found[2])


def risk(f, people):
    """The mean of 1/F, F being negative binomial from f on."""
    p = min(f / max(people, f), 1.0)
    if p == 1:
        return 1 / f
    return sum(
        math.comb(n - 1, f - 1) * p**f * (1 - p) ** (n - f) / n for n in range(f, 400)
    )


def test_columns_are_told_in_words(made):
    _, after, page = made
    for column in QI:
        hidden = sum(row[column] == "*" for row in after) / 120
        line = re.search(rf"<li>{column}: (.*?)</li>", page)[1]
        if hidden:
            assert f"{hidden:.2%}".replace("%", " %").replace(".00 ", " ") in line
    pairs = [re.fullmatch(r"\[(\d+)-(\d+)\]", row["age"]) for row in after]
    lengths = sorted(int(p[2]) - int(p[1]) for p in pairs if p)
    assert f"{lengths[(len(lengths) - 1) // 2]} from end to end" in page


def test_means_shares_and_cells_count_by_weight(made):
    before, after, page = made
    found, known = Tables(page), sorted({int(row["age"]) for row in before})
    people = sum(int(row["w"]) for row in before)
    mean = sum(int(row["age"]) * int(row["w"]) for row in before) / people
    told = [(ages(row["age"], known), int(row["w"])) for row in after]
    told = [(sum(each) / len(each), w) for each, w in told if each]
    now = sum(age * w for age, w in told) / sum(w for _, w in told)
    cells = found.rows("worth")["age"]
    assert [cells[1][1], cells[2][1]] == pytest.approx([mean, now])
    share = sum(int(row["w"]) for row in before if row["sex"] == "f") / people
    cells, most = found.rows("worth")["sex"], max(share, 1 - share)
    assert cells[1][1] == pytest.approx(most)
    worst = found.rows("worst-cells")
    for where, (old, new) in worst.items():
        (one, x), (other, y) = (part.split(" = ") for part in where.split(", "))
        both = [(row[one] == x and row[other] == y) * int(row["w"]) for row in before]
        assert old[1] == pytest.approx(sum(both) / people)
        some, all_told = 0.0, 0.0
        for row in after:
            shares = [of_cell(row, c, v, known) for c, v in ((one, x), (other, y))]
            if None not in shares:
                some += int(row["w"]) * shares[0] * shares[1]
                all_told += int(row["w"])
        assert new[1] == pytest.approx(some / all_told)
    assert len(worst) == 10


def of_cell(row, column, value, known):
    """How much a cell speaks for a value; None: it tells nothing."""
    if column == "age":
        inside = ages(row["age"], known)
        return (int(value) in inside) / len(inside) if inside else None
    return None if row[column] == "*" else float(row[column] == value)


def test_pairs_of_columns_are_measured_as_they_are_defined(made):
    before, _, page = made
    found = Tables(page).rows("relations")
    people = sum(int(row["w"]) for row in before)
    assert {*found} == {f"{a} and {b}" for a, b in combinations(QI, 2)}
    for a, b in combinations(QI, 2):
        both, one, other = Counter(), Counter(), Counter()
        for row in before:
            w = int(row["w"]) / people
            both[row[a], row[b]] += w
            one[row[a]] += w
            other[row[b]] += w
        square = sum(
            (both[x, y] - one[x] * other[y]) ** 2 / (one[x] * other[y])
            for x in one
            for y in other
        )
        v = (square / (min(len(one), len(other)) - 1)) ** 0.5
        assert found[f"{a} and {b}"][1][1] == pytest.approx(v)


def test_a_model_of_the_release_is_tested_on_the_original(made):
    before, after, page = made
    known = sorted({int(row["age"]) for row in before})
    found = Tables(page).rows("model")
    wanted = {"the original": before, "the release": after}
    test = [row for i, row in enumerate(before) if i % 2]
    pays = [int(row["pay"]) for row in test]
    around = sum((pay - sum(pays) / 60) ** 2 for pay in pays)
    shares = sum(row["sex"] == "f" for row in before)
    assert 0 < shares < 120
    for name, rows in wanted.items():
        learn = [row for i, row in enumerate(rows) if i % 2 == 0]
        told = [ages(row["age"], known) for row in learn]
        means = [sum(each) / len(each) if each else None for each in told]
        there = [each for each in means if each is not None]
        female = [None if r["sex"] == "*" else float(r["sex"] == "f") for r in learn]
        said = [each for each in female if each is not None]
        x = [
            [
                1.0,
                sum(there) / len(there) if age is None else age,
                sum(said) / len(said) if sex is None else sex,
            ]
            for age, sex in zip(means, female, strict=True)
        ]
        fit = least_squares(x, [int(row["pay"]) for row in learn])
        off = sum(
            (
                int(r["pay"])
                - fit[0]
                - fit[1] * int(r["age"])
                - fit[2] * (r["sex"] == "f")
            )
            ** 2
            for r in test
        )
        assert found[name][0][1] == pytest.approx(1 - off / around, abs=1e-3)


def least_squares(x, y):
    """Solve the normal equations by elimination."""
    size = len(x[0])
    rows = [
        [sum(r[i] * r[j] for r in x) for j in range(size)]
        + [sum(r[i] * value for r, value in zip(x, y, strict=True))]
        for i in range(size)
    ]
    for i in range(size):
        rows[i] = [each / rows[i][i] for each in rows[i]]
        for j in range(size):
            if j != i:
                factor = rows[j][i]
                rows[j] = [
                    a - factor * b for a, b in zip(rows[j], rows[i], strict=True)
                ]
    return [row[-1] for row in rows]


PEOPLE = "people.csv"


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A table of 60 people, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    rows = [
        [
            draw.randint(20, 39),
            draw.choice("fm"),
            draw.choice("abc"),
            draw.choice("tuvw"),
        ]
        for _ in range(60)
    ]
    _write(PEOPLE, rows)
    return rows


def _write(path, rows):
    with Path(path).open("w", newline="") as file:
        csv.writer(file).writerows([["age", "sex", "town", "ill"], *rows])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("--k 3", ""),
        (
            "--k 3 --recoding generalization",
            "--numeric age --hierarchy town={ab{a,b},c}",
        ),
        ("--l 2 --recoding permutation", ""),
        ("--k 2 --recoding nonhomogeneous", ""),
        ("--k 3 --delete-rows 1", ""),
    ],
)
def test_its_tables_are_those_of_the_run(people, asked, told):
    words = ["--sensitive", "ill", *asked.split(), *told.split()]
    beside = ["--report-population", PEOPLE, "--check", "age ~ sex + town"]
    made = "--out", "out.csv", "--time-limit", "60", "--quiet"
    code, _, said = starmin(
        "solve", PEOPLE, *words, *made, "--report", "a.html", *beside
    )
    assert code == 0, said
    original = "--original", PEOPLE
    report = "--report", "b.html", *beside
    code, _, said = starmin("verify", "out.csv", *words, *original, *report)
    assert code == 0, said
    run, check = (Path(name).read_text("utf-8") for name in ("a.html", "b.html"))
    known, found = Tables(run).tables, Tables(check).tables
    apart = {"findings", "three-rows"} | ({"risk"} if "permutation" in asked else set())
    assert {*known} - apart == {*found} - apart and len(known) > 5
    for name in {*known} - apart:
        assert _texts(found[name]) == _texts(known[name]), name
    for heading in ("columns-part", "learned", "worth-part", "expert"):
        assert f'id="{heading}"' in check
    assert "This page speaks of the original" in check


def _texts(rows):
    """What people read; sums may differ in their last digit, and so in their order."""
    return sorted([cell[0] for cell in row] for row in rows)


def test_a_release_of_anybody_is_told_of_as_far_as_it_is_known(people):
    known = [[age // 10 * 10, sex, "*", ill] for age, sex, _, ill in people]
    _write("out.csv", known)
    columns = "--qi", "age,sex,town", "--report", "page.html"
    code, _, _ = starmin("verify", "out.csv", *columns, "--k", "50")
    page = Path("page.html").read_text("utf-8")
    assert code == 1 and "does not keep what was asked" in page
    assert "No original was named" in page and "worth-part" not in page
    sizes = [sum(a[:2] == b[:2] for b in known) for a in known]
    cells = Tables(page).rows("risk-change")["Rows in the smallest class"]
    assert [cells[0][0], cells[1][1]] == ["\N{EN DASH}", min(sizes)]
    assert f"{min(sizes)} rows, fewer than k = 50" in page
    true = "--original", PEOPLE
    assert starmin("verify", "out.csv", *columns, *true)[0] == 1
    page = Path("page.html").read_text("utf-8")
    assert "Some of its cells are not true" in page and "worth-part" not in page
    tree = "--hierarchy", "age=ages.csv"
    lines = [f"{age};{age // 10 * 10}s;*" for age in range(20, 40)]
    Path("ages.csv").write_text("\n".join(lines))
    _write("out.csv", [[f"{row[0]}s", *row[1:]] for row in known])
    code, _, said = starmin("verify", "out.csv", *columns, *true, *tree)
    assert code == 0, said
    page = Path("page.html").read_text("utf-8")
    assert "Asked: nothing" in page and "Nothing was asked" in page
    found = Tables(page)
    assert found.rows("columns")["town"][3][1] == 60
    assert found.rows("nodes-0")["20s"][2][1] == sum(row[0] == 20 for row in known)
    _write("out.csv", [[*row[:2], "*", row[3]] for row in reversed(people)])
    code, _, said = starmin("verify", "out.csv", *columns, *true)
    page = Path("page.html").read_text("utf-8")
    assert code == 0 and "cannot be laid beside" in page
    assert "the order differs" in page and "worth-part" not in page


def test_what_is_for_the_page_needs_it(people):
    for words in (["--check", "age ~ sex"], ["--report-population", PEOPLE]):
        code, _, said = starmin("verify", PEOPLE, *words)
        assert code == 2 and f"{words[0]} needs --report" in said
    wrong = "--report", "page.html", "--report-population", "few.csv"
    Path("few.csv").write_text("age,sex\n20,f\n")
    code, _, said = starmin("verify", PEOPLE, *wrong)
    assert code == 2 and "few.csv: no columns 'town', 'ill'; its columns: age" in said
    assert not Path("page.html").exists()
