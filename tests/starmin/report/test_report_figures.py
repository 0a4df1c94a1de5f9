"""Tests that pictures, counts and commands of a report agree with each other."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas
import pytest

import starmin
from starmin.cli.app import main
from starmin.inputs.loading import Origin
from starmin.inputs.recoding_options import parse_coding
from starmin.instances import (
    Certificate,
    Coding,
    GeneralizedRelease,
    KAnonymity,
    Objective,
    Partition,
    Problem,
    Release,
    Result,
    Scales,
    Table,
)
from starmin.outputs.summary import Summary
from starmin.report.drawing import new_figure
from starmin.report.recheck import Question
from starmin.report.release import release_figures
from starmin.report.release.column_facts import column_facts
from starmin.report.release.distributions import Distribution, distributions
from starmin.report.release.release_figures import (
    ROOT,
    STAR,
    level_bars,
    level_parts,
    node_tables,
    published_levels,
)
from starmin.report.release.release_page import release_page
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.utility import spread_of
from tests.support.report_pages import Page

AGES = [str(age) for age in range(20, 50)]


@pytest.mark.parametrize("absent", [None, "", "?", "-9"])
def test_missing_numbers_are_not_drawn(absent):
    rows = [[age] for age in AGES] + [[absent]] * 7
    table = Table.from_rows(["age"], rows, qi=["age"])
    scales = Scales.of(table, ["age"], missing=(None, "", "?", "-9"))
    spread = spread_of(table, table, scales)
    (column,) = distributions(table, spread, scales, (None, "", "?", "-9"))
    assert column.without_number == 7 and column.means() == (34.5, 34.5)
    _, (axes,) = new_figure(2)
    release_figures._histogram(axes, column, column.numbers)
    bars = axes.patches
    assert min(bar.get_x() for bar in bars) > 18, "none at 0 or below"
    assert sum(bar.get_height() for bar in bars) == 2 * len(AGES)
    drawing = release_figures.column_figure(0, column)
    assert drawing.text == "7 rows without a number: not drawn."


def test_a_column_of_nothing_but_missing_numbers_has_a_picture():
    values = (None, "", "?")
    column = Distribution("a", values, np.array([3.0, 1, 1]), np.array([3.0, 1, 1]))
    assert column.numbers is None and column.without_number == 0
    assert release_figures.column_figure(0, column).text == ""


@pytest.mark.parametrize("root", ["Any", "*"])
def test_stars_are_counted_alike_in_table_and_picture(root):
    rows = [["cat", "1"], ["dog", "1"], ["rat", "2"], ["cow", "2"]]
    table = Table.from_rows(["pet", "b"], rows, qi=["pet", "b"])
    tree = f"pet={{{root}{{cat,rat}},{root}{{dog,cow}}}}"
    tree = tree if root == "Any" else "pet={cat,dog,rat,cow}"
    coding = parse_coding("generalization", "*", None, [tree])
    released = Table.from_rows(
        ["pet", "b"],
        [[_root(coding), "1"]] * 2 + [["rat", "*"], ["cow", "*"]],
        ["pet", "b"],
    )
    facts = column_facts(table, released, "*", read_cells(released, coding, table))
    for column, levels in zip(facts, published_levels(released, coding), strict=True):
        assert column.starred == levels.rows.get(STAR, 0)
    pet = published_levels(released, coding)[0].rows
    assert pet.get(ROOT, 0) + pet.get(STAR, 0) == 2


def _root(coding):
    """What hides a pet altogether."""
    return coding.trees["pet"].labels[-1]


def summary_of(groups, value, bound, rows=None):
    """A release of given groups, with a value and a bound as if they were found."""
    rows = rows or [["a"], ["a"], ["a"], ["a"], ["b"], ["c"]]
    table = Table.from_rows(["x"], rows, qi=["x"], name="t.csv")
    problem = Problem(table, KAnonymity(2), Objective(), Coding("suppression"))
    proof = Certificate.of(table, KAnonymity(2), Objective(), "prices", bound, {})
    found = Result(
        Partition(np.array(groups)),
        value,
        bound,
        1.0,
        certificate=proof,
        certificate_checked=True,
        stats={"method": "mondrian"},
    )
    return Summary.of(problem, Origin("t.csv"), found)


QUESTION = Question(
    main,
    None,
    dict.fromkeys(("out", "shuffle", "certificate"))
    | {"recoding": "suppression", "table": "t"},
)


def test_groups_and_classes_are_both_named_and_counted_once():
    summary = summary_of([0, 0, 1, 1, 2, 2], 2, 2)
    assert (summary.as_json()["groups"], summary.as_json()["classes"]) == (3, 2)
    assert "3 groups, 2 once those alike are joined" in dict(summary.lines())["release"]
    page = Page(release_page(summary, QUESTION))
    tile = page.texts[[text for _, text in page.texts].index("Groups") :][:6]
    assert [text for _, text in tile if text.strip()][1:3] == [
        "3",
        "in 2 classes of rows that look alike",
    ]
    plain = summary_of([0, 0, 0, 0, 1, 1], 2, 2)
    assert dict(plain.lines())["release"].split("; ")[1] == "2 groups"
    assert (plain.groups, plain.classes) == (2, 2)


def test_verify_counts_the_classes_that_solve_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x\n" + "a\n" * 4 + "b\n" * 5)
    for recoding in ("suppression", "generalization"):
        line = f"solve t.csv --k 2 --out r.csv --recoding {recoding} --quiet"
        said = run(monkeypatch, capsys, line)
        found = run(monkeypatch, capsys, "verify r.csv --k 2")
        assert said["classes"] == found["groups"] == 2 <= said["groups"]


def run(monkeypatch, capsys, line):
    """The JSON object that a command prints."""
    monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line), "--json"])
    assert main() == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("value", "bound", "words"),
    [
        (569191, 10000, "between 10,000 and 569,191, is not known."),
        (16, 10, "between 10 and 16, is not known."),
        (10028, 10000, "so this one costs at most 0.28 % too much."),
        (10, 10, "it is optimal."),
        (10, 0, "is not known."),
    ],
)
def test_a_large_gap_is_no_percentage_of_what_is_too_much(value, bound, words):
    summary = summary_of([0, 0, 1, 1, 2, 2], value, bound)
    page = release_page(summary, QUESTION)
    said = re.search("<p>(It costs .*)</p>", page)[1]
    assert said.endswith(words) and f"{value:,}" in said
    percents = [float(text) for text in re.findall(r"([\d.,]+) %", said)]
    assert all(percent <= 50 for percent in percents)


@pytest.mark.parametrize(
    ("options", "repeats", "words"),
    [
        ("--method mondrian", True, "with the seed 0"),
        ("--method mondrian --seed 7", True, "with the seed 7"),
        ("--method clustering --time-limit 9", False, "for at most 9 seconds"),
        ("--time-limit 2 --seed 3", False, "with the seed 3, for at most 2 seconds"),
        ("", False, "for at most 300 seconds"),
        ("--method pairwise_cp", False, "without a limit"),
        ("--method mondrian --shuffle", True, "what hides people is drawn anew"),
        ("--method anatomy --l 2", True, "what hides people is drawn anew"),
    ],
)
def test_a_page_says_what_its_command_makes_again(
    options, repeats, words, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    asked = "" if "--l" in options else "--k 2"
    line = f"solve instance:hospital {asked} {options} --out r.csv --report r.html"
    run(monkeypatch, capsys, f"{line} --quiet")
    page = Page(Path("r.html").read_text())
    (said,) = (text for _, text in page.texts if text.startswith("This command "))
    assert words in said
    assert said.startswith("This command makes the release again") == repeats
    assert ("may find another release" in said) == (not repeats)


def test_the_line_of_python_asks_the_same_again(tmp_path):
    frame = pandas.DataFrame(
        {
            "age": [31, 34, 62, 67, 35, 61],
            "sex": list("fmfmff"),
            "name": list("uvwxyz"),
            "ill": list("ababab"),
        }
    )
    call = {
        "sensitive": "ill",
        "k": 2,
        "l": 2,
        "diversity": "distinct",
        "numeric": ["age"],
        "round": {"age": 5},
        "drop": ["name"],
        "method": "mondrian",
        "seed": 5,
    }
    first = starmin.anonymize(frame, **call)
    first.report(tmp_path / "r.html")
    page = Page((tmp_path / "r.html").read_text())
    again, check = page.codes
    names = {"starmin": starmin, "frame": frame}
    exec(again, names)
    assert names["release"].frame.equals(first.frame)
    assert "time_limit" not in again and eval(check, names).holds
    starmin.anonymize(frame, qi=["age", "sex"], k=2, time_limit=1).report(
        tmp_path / "limited.html"
    )
    text = (tmp_path / "limited.html").read_text()
    assert "time_limit=1" in text and "for at most 1 seconds" in text


TREE = "pet={home{tame{cat,dog},rat},wild{fox,owl}}"
ROWS = [
    ("cat", "31", "a"),
    ("tame", "[30-40]", "*"),
    ("tame", "[30-40]", "*"),
    ("home", "?", "b"),
    ("*", "*", "b"),
    ("wild", "[1-2]", "[1-2] text"),
]


def released():
    return Table.from_rows(["pet", "age", "flat"], ROWS, qi=["pet", "age", "flat"])


def coding():
    return parse_coding("generalization", "*", "age", [TREE])


def test_cells_are_values_nodes_by_level_ranges_and_stars():
    pet, age, flat = published_levels(released(), coding())
    home = {"the value": 1, "level 1": 3, "level 2": 1, "a star": 1}
    assert pet.rows == home and list(pet.rows) == list(home)
    assert age.rows == {"the value": 2, "a range": 3, "a star": 1}
    assert flat.rows == {"the value": 4, "a star": 2}


def test_the_tree_is_told_with_the_rows_of_its_nodes():
    columns = published_levels(released(), coding())
    ((name, table),) = node_tables(columns)
    shown = [[cell.text for cell in row[:4]] for row in table.rows]
    indent = "\N{NO-BREAK SPACE}" * 3
    assert name == "pet"
    assert shown == [
        ["*", "3", "5", "1"],
        [f"{indent}home", "2", "3", "1"],
        [f"{2 * indent}tame", "1", "2", "2"],
        [f"{indent}wild", "1", "2", "1"],
        ["single values", "0", "1", "1"],
    ]


def test_the_picture_names_each_part():
    drawing = level_bars(published_levels(released(), coding()))
    assert "pet: the value 16.67 %, level 1 50 %" in drawing.alt
    for part in ("the value", "level 2", "a range", "a star", "flat"):
        assert part.encode() in drawing.svg


def test_a_page_has_it_of_generalization_alone():
    table = Table.from_rows(["pet"], [["cat"], ["dog"], ["fox"], ["owl"]], qi=["pet"])
    pairs = Partition(np.array([0, 0, 1, 1], np.int32))
    told = parse_coding("generalization", "*", None, [TREE])
    release = GeneralizedRelease(table, pairs, told.scales(table)).published
    assert level_parts(release, told)["levels"].alt.endswith("pet: level 1 100 %.")
    nothing = {"levels": None, "nodes": []}
    assert level_parts(Release(table, pairs).published, Coding()) == nothing


def test_a_figure_is_the_same_each_time_and_its_letters_are_text():
    first, second = (
        level_bars(published_levels(released(), coding())) for _ in range(2)
    )
    assert first.svg == second.svg and b"the value</text>" in first.svg
