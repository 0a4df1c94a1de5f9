"""Tests that figures and promises of pages are those of the data and the code."""

import csv
import json
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import starmin
from starmin.cli.app import main
from starmin.commands.reproduce import experiments
from tests.support.places import HOME

DOCS = HOME / "docs"
README = (HOME / "README.md").read_text()
DRAWN = "Ten people before and after"


def page(name):
    return (DOCS / f"{name}.md").read_text()


def rows_of(text, heading):
    """The rows of the table below a line, as lists of cells."""
    below = text.partition(heading)[2]
    found = re.search(r"(?:^\|.*\|\n)+", below, re.M)[0]
    lines = [line.strip("|").split("|") for line in found.splitlines()]
    return [[cell.strip() for cell in line] for line in lines[2:]]


# The README


def kept(name):
    """The rows that are kept under a name."""
    with (DOCS / "data" / f"{name}.csv").open(newline="") as file:
        return [*csv.DictReader(file)]


def test_the_measured_stars_of_the_readme_are_on_their_pages():
    rows = rows_of(page("results/measured"), "## Stars")
    brief = rows_of(README, "## Measured")
    assert len(rows) >= 10 and len(brief) == 3
    assert {tuple(row[1:]) for row in brief} <= {tuple(row[1:]) for row in rows}
    measured = [row["stars"] for row in kept("exact")]
    measured += [row["stars, by seed"] for row in kept("gaps")]
    bounds = {row["bound"] for row in kept("exact") + kept("gaps")}
    for row in kept("measured"):
        assert any(row["stars"] in each.split(", ") for each in measured), row
        assert row["proven bound"] in bounds


def test_the_losses_of_the_readme_are_on_their_page():
    rows = [row for row in kept("generalization") if row["table"] == "Adult"]
    five = [row for row in rows if row["requirement"] == "k 5"]
    (minute,) = (row for row in five if row["limit"] == "60 s")
    told = re.search(r"a gap mostly remains: (\d+) % after a minute", README)[1]
    assert float(minute["gap"].rstrip("%")) == float(told)


def test_what_the_readme_says_beside_other_tools_is_on_their_pages():
    rows = {row[0]: row for row in rows_of(README, "## Beside ARX and sdcMicro")}
    _, ours, arx, _ = rows["Adult, eight columns, k = 5"]
    stars, bound = re.findall(r"[\d,]+\d", ours)
    measured = rows_of(page("results/measured"), "## Stars")
    assert any(row[2:4] == [stars, bound] for row in measured)
    (other,) = (row for row in kept("quality_adult8") if row["method"] == "ARX")
    assert other["k=5"].split()[0] == re.match(r"[\d,]+", arx)[0].replace(",", "")
    _, ours, arx, _ = rows["the same with ARX's hierarchies"]
    at = {
        row["limit"]: row
        for row in kept("generalization")
        if (row["table"], row["requirement"]) == ("Adult", "k 5")
    }
    lost, least = re.findall(r"\d\.\d+", ours)
    assert (f"{lost}%", f"{least}%") == (at["10 s"]["loss"], at["60 s"]["proven bound"])
    assert arx.startswith(at["10 s"]["ARX, best"].replace("%", " %"))


def test_the_version_that_is_cited_is_the_version():
    project = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    cited = (HOME / "CITATION.cff").read_text()
    assert f"version: {project['version']}" in cited
    assert f"version = {{{project['version']}}}" in README
    changes = (HOME / "CHANGELOG.md").read_text()
    assert f"## {project['version']}" in changes
    unreleased = f"## {project['version']} (unreleased)" in changes
    assert unreleased == ("date-released" not in cited)


def test_the_caption_of_value_and_bound_is_what_it_draws():
    with (DOCS / "value_and_bound.csv").open() as file:
        rows = list(csv.reader(file))
    values = [int(row[1]) for row in rows if row[1].isdecimal()]
    bounds = [int(row[2]) for row in rows if row[2].isdecimal()]
    words = f"{min(values):,} stars in the end, and no release has fewer than"
    told = f"{words} {max(bounds):,}.](../value_and_bound.svg)"
    assert told in page("explanation/gap")


def test_the_caption_of_the_ten_people_is_what_is_drawn(monkeypatch):
    """Of several releases with as few stars any may be drawn."""
    folder = DOCS / "site" / "pictures"
    monkeypatch.syspath_prepend(folder)
    script = runpy.run_path(str(folder / "before_after.py"))
    found, drawn = script["measured"](), script["kept"]()
    told = script["caption"](found)
    assert f"![{told}](docs/before_after.svg)" in README
    pictures = [script["drawn"](each) for each in (found, drawn)]
    assert [each.count(">*</text>") for each in pictures] == [8, 8]
    assert told.startswith(f"{DRAWN}: 8 of 30 cells")


# The papers, reproduced


def test_every_experiment_that_the_page_names_is_run_by_the_one_command(monkeypatch):
    text = page("reproduction")
    scripts = {f"benchmarks/{each.script}.py" for each in experiments()}
    named = set(re.findall(r"`(benchmarks/[\w/]+\.py)`", text))
    assert len(named) > 6 and named <= scripts
    for path in re.findall(r"`((?:tests|verify)/[\w/]+\.py)`", text):
        assert (HOME / path).exists(), path
    # Each kept table of non-homogeneous releases is made by one of them.
    folder = "papers/nonhomogeneous"
    monkeypatch.syspath_prepend(HOME / "benchmarks" / folder)
    script = runpy.run_path(str(HOME / f"benchmarks/{folder}/nonhomogeneous.py"))
    of_both = (f"{folder}/nonhomogeneous", f"{folder}/nonhomogeneous_by_k")
    calls = [each for each in experiments() if each.script in of_both]
    made = {sort: set() for sort in (False, True)}
    for each in calls:
        words = each.arguments.split()
        tables = script["DEFAULT"]
        if "--tables" in words:
            tables = words[words.index("--tables") + 1]
        made["--unsorted" in words] |= set(tables.split(","))
    for sort, store in ((False, "nonhomogeneous"), (True, "nonhomogeneous_sort")):
        shown = {row["table"] for row in kept(store)}
        assert len(shown) >= 4 and shown <= made[sort]


def test_no_generated_table_is_that_of_a_paper():
    """The paper's release of its table is below our bound for ours."""
    text = page("results/nonhomogeneous")
    (first,) = (
        row
        for row in kept("nonhomogeneous")
        if (row["table"], row["k"]) == ("normal15-100k", "3")
    )
    paper = first["two_phase, paper"]
    bound = float(first["two_phase"]) / (1 + float(first["LB_Gap two_phase"]))
    assert float(paper) < bound
    words = f"loses {paper} of its table, and no release of ours loses less than"
    assert f"{words} {bound:.3f}." in text
    table = starmin.load_instance("census:n=200000,sensitive=none")
    sizes = {c: len(set(table.column(c).tolist())) for c in table.qi}
    assert (sizes["birth_place"], sizes["work_class"]) == (56, 9)
    assert "83 countries and 10 work classes, here 56 birth places and 9" in page(
        "reproduction"
    )


def test_the_example_of_murakami_and_uno_has_the_stars_that_are_said():
    table = starmin.load_instance("murakami-uno")
    groups = starmin.solve(table, k=2)
    rows = starmin.solve(table, k=2, recoding="nonhomogeneous")
    assert (groups.value, rows.value) == (15, 12)
    assert groups.status.value == rows.status.value == "optimal"
    assert "15 stars with groups, 12 without" in page("reproduction")


# Certificates, limits, data frames


def test_the_commands_of_the_page_on_certificates_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (people,) = re.findall(
        r"^```text\n(name,.*?)^```$", page("tutorials/first_release"), re.M | re.S
    )
    Path("people.csv").write_text(people)
    (block,) = re.findall(
        r"^```console\n(.*?)^```$", page("reference/certificate"), re.M | re.S
    )
    solve, make, _, check, said, verify = block.splitlines()
    for line in (solve, make, verify):
        monkeypatch.setattr(sys, "argv", shlex.split(line.removeprefix("$ ")))
        assert main() == 0, capsys.readouterr()
    words = shlex.split(check.removeprefix("$ "))
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{said}\n")


def test_pages_say_when_a_limit_does_not_hold():
    rows = [row for row in kept("fresh_copy") if row["where"] == "source"]
    late = max(float(row["seconds"]) for row in rows)
    assert late > 11 and f"the first one took {late:.1f} s" in page(
        "results/first_minute"
    )
    assert "no time limit is looked at meanwhile" in page("install")


def test_what_a_new_row_shows_at_least_k_fitted_rows_show():
    said = "what a new row shows of quasi-identifiers, at least k fitted rows show"
    assert said in page("how_to/scikit_learn")
    frame = starmin.to_frame(starmin.load_instance("census:n=200"))
    steps = starmin.Anonymizer(k=3, method="gray_order")
    shown = Counter(steps.fit_transform(frame[:150]).itertuples(index=False))
    new = {*steps.transform(frame[150:]).itertuples(index=False)}
    assert all(shown[row] >= 3 or {*row} == {"*"} for row in new)
    assert any({*row} != {"*"} for row in new)


@pytest.fixture(scope="module")
def notebook():
    return json.loads((DOCS / "notebooks" / "first_release.ipynb").read_text())


def test_the_notebook_shows_its_picture_and_what_its_cells_give(notebook):
    run = runpy.run_path(str(DOCS / "site" / "run_notebook.py"))["run"]
    pairs = zip(notebook["cells"], run(notebook)["cells"], strict=True)
    code = [pair for pair in pairs if pair[0]["cell_type"] == "code"]
    pictures = 0
    for kept, made in code:
        assert kept["outputs"] and kept["execution_count"] == made["execution_count"]
        assert kinds(kept) == kinds(made)
        if not kept["source"][-1].endswith("head()"):  # one of several optima
            assert text_of(kept) == text_of(made)
        pictures += "image/png" in str(kinds(kept))
    assert pictures == 1


def test_the_notebook_is_on_the_site_with_25_cells(notebook):
    site = runpy.run_path(str(DOCS / "site" / "run_notebook.py"))
    assert (DOCS / "tutorials" / "notebook.md").read_text() == site["page"](notebook)
    assert len(notebook["cells"]) == 25
    assert "\ntutorials/notebook\n" in page("index")


def kinds(cell):
    return [sorted(output.get("data", "stdout")) for output in cell["outputs"]]


def text_of(cell):
    """What it shows as text, without seconds."""
    texts = [o.get("text") or o["data"]["text/plain"] for o in cell["outputs"]]
    return re.sub(r"[\d.]+ s\)", "s)", "".join(map("".join, texts)))
