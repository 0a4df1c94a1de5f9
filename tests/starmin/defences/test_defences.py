"""Tests that defences hide what they say, at the least cost, and keep what is asked."""

import json
import random
import shlex
import sys
from collections import Counter
from itertools import combinations_with_replacement, product

import pandas
import pytest

import starmin
from starmin.cli.app import main
from starmin.defences.defences import Defences
from tests.support.report_pages import Page

TREE = starmin.Taxonomy.parse("{ab{a,b},cde{c,d,e}}")
COLUMNS = ("sex", "x", "y")


def drawn(seed, n=11):
    rng = random.Random(seed)
    values = rng.sample("1234" * n, n) if n % 4 else rng.sample("1234" * (n // 4), n)
    rows = [
        [rng.choice("fm"), rng.choice("abcde"), rng.choice("pq"), value]
        for value in values
    ]
    return starmin.Table.from_rows([*COLUMNS, "s"], rows, COLUMNS, ["s"])


def below(text, column, leaves, tree):
    """The children of a published node, each with its values; None: it is a value."""
    if tree is None or column != "x":
        return [[leaf] for leaf in leaves] if text == "*" else None
    if text in tree.leaves:
        return None
    paths = [path for path in tree.paths if text in path or text == "*"]
    children = {}
    for path in paths:
        place = path.index(text) if text in path else len(path) - 1
        children.setdefault(path[place - 1], []).append(path[0])
    return [*children.values()]


def worlds(cells, size, leaves, tree):
    """All multisets of rows that are published so, each node being the lowest."""
    boxes, rules = [], []
    for column, text in zip(COLUMNS, cells, strict=True):
        parts = below(text, column, leaves[column], tree)
        boxes.append([text] if parts is None else [v for part in parts for v in part])
        rules.append(parts)
    found = []
    for rows in combinations_with_replacement([*product(*boxes)], size):
        met = [
            parts is None
            or sum(any(row[j] in part for row in rows) for part in parts) > 1
            for j, parts in enumerate(rules)
        ]
        if all(met):
            found.append(rows)
    return found


def known_in_full(table, released, tree=None):
    """What the classes publish that hide something and are a single world."""
    leaves = {column: sorted({*table.dictionary(column)}) for column in COLUMNS}
    if tree is not None:
        leaves["x"] = list(tree.leaves)
    classes = Counter(row[:3] for row in released.rows())
    return [
        cells
        for cells, size in classes.items()
        if size < 4  # larger ones are not, and take long
        and any(map(below, cells, COLUMNS, leaves.values(), [tree] * 3))
        and len(worlds(cells, size, leaves, tree)) == 1
    ]


@pytest.mark.parametrize("tree", [None, TREE])
@pytest.mark.parametrize("seed", range(12))
def test_after_padding_no_class_is_a_single_world(seed, tree):
    table = drawn(seed)
    # Of several best releases auto takes one or another, as its threads are scheduled.
    told = {"method": "pattern_ilp"}
    told |= {"recoding": "generalization", "hierarchy": {"x": tree}} if tree else {}
    plain = starmin.solve(table, 2, **told)
    padded = starmin.solve(table, 2, pad=True, **told)
    before = known_in_full(table, plain.published, tree)
    how = {"hierarchy": {"x": tree}} if tree else {}
    audited = starmin.audit(plain.published, 2, original=table, **how)
    assert audited.closure.whole == 2 * len(before)
    assert known_in_full(table, padded.published, tree) == []
    for original in (table, None):
        audited = starmin.audit(padded.published, 2, original=original, **how)
        assert audited.closure.whole == 0
    assert starmin.verify(padded.published, 2, original=table, **how).holds
    assert starmin.verify(padded.published, 2, original=table, **how).consistent
    added = padded.defences["pad"]
    assert added["rows"] >= 2 * len(before) and added["rows_left"] == 0
    assert plain.lower_bound == padded.lower_bound
    assert added["stars_before"] == plain.release.stars
    assert added["stars_after"] == padded.release.stars
    if tree is None:
        assert padded.value == plain.value + added["rows"]


def test_some_tables_have_something_to_pad():
    released = [(t, starmin.solve(t, 2).published) for t in map(drawn, range(12))]
    assert sum(len(known_in_full(*each)) for each in released) > 3


def pair(*, weights=None, keep=(), **told):
    rows = [["f", "a", "p"], ["m", "a", "p"], ["f", "b", "q"], ["f", "b", "q"]]
    table = starmin.Table.from_rows(COLUMNS, rows, COLUMNS)
    goal = starmin.Objective("stars", weights or {}, keep)
    return starmin.solve(table, 2, pad=True, objective=goal, **told)


def test_what_is_hidden_is_the_cheapest_column_that_may_be():
    assert pair(weights={"x": 3}).published.rows()[0] == ("*", "a", "*")
    assert pair(weights={"y": 3}).published.rows()[0] == ("*", "*", "p")
    assert pair(weights={"x": 3}, keep=("y",)).value == 8
    with pytest.raises(starmin.TableError, match="two quasi-identifiers"):
        pair(keep=("x", "y"))
    with pytest.raises(starmin.TableError, match="an Objective with scales"):
        table = drawn(1)
        scales = starmin.Scales.of(table, (), {"x": TREE})
        goal = starmin.Objective("gcp", scales=scales)
        starmin.solve(table, 2, pad=True, objective=goal)


@pytest.mark.parametrize(("further", "node"), [("b", "ab"), ("e", "*")])
def test_a_tree_hides_no_more_than_the_next_node(further, node):
    rows = [["f", "a"], ["m", "a"], *[["f", "c"]] * 2, *[["f", further]] * 2]
    table = starmin.Table.from_rows(["sex", "x"], rows, ["sex", "x"])
    told = {"recoding": "generalization", "hierarchy": {"x": TREE}}
    assert starmin.solve(table, 2, **told).published.rows()[0] == ("*", "a")
    found = starmin.solve(table, 2, pad=True, **told)
    assert found.published.rows()[:2] == [("*", node)] * 2  # ab alone tells an a
    lost = starmin.verify(found.published, 2, original=table, hierarchy={"x": TREE})
    assert lost.consistent and lost.gcp == found.release.gcp
    goal = found.problem.objective
    assert found.value == found.release.gcp
    assert goal.kind == "gcp" and found.lower_bound < found.value


@pytest.mark.parametrize("seed", range(6))
def test_a_margin_is_the_problem_with_a_larger_l(seed):
    table = drawn(seed, 24)
    wide, larger = starmin.solve(table, l=2, margin=1), starmin.solve(table, l=3)
    assert (wide.value, wide.lower_bound) == (larger.value, larger.lower_bound)
    assert wide.problem.requirement == starmin.LDiversity(3)
    assert wide.defences == {"margin": {"promised": 2, "solved": 3}}
    assert starmin.verify(wide.published, l=2, original=table).holds
    with pytest.raises(starmin.TableError, match=r"^margin needs l$"):
        starmin.solve(table, 2, margin=1)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_decoys_are_types_that_hold_and_have_hidden_rows(seed, share):
    table = drawn(seed, 30).with_roles(["sex", "y"], ["s"])
    found = starmin.solve(table, 2, 2, method="local_search")
    hidden = Defences(decoys=share, promised=2, seed=seed)
    hides = hidden.defend(found.problem, found.units)
    after = starmin.Solution(hides, found.problem)
    told = after.defences["decoys"]
    check = starmin.verify(after.published, 2, 2, original=table)
    assert check.holds and check.consistent
    assert after.lower_bound == found.lower_bound and after.value >= found.value
    whole = [decoy_types(table, each.published) for each in (found, after)]
    assert told["whole"] == len(whole[0][0])
    assert len(whole[0][0] & whole[1][1]) == told["types"] <= told["drawn"]
    assert whole[0][1] <= whole[1][1]
    assert share < 1 or told["drawn"] == told["whole"]


def decoy_types(table, released):
    """The types all of whose rows are published whole; those with a hidden row."""
    hidden = {
        row[:1] + row[2:3]
        for row, shown in zip(table.rows(), released.rows(), strict=True)
        if row != shown
    }
    return {row[:1] + row[2:3] for row in table.rows()} - hidden, hidden


def test_decoys_are_drawn_from_the_system(monkeypatch):
    drawn_from = []
    system = random.SystemRandom.random
    monkeypatch.setattr(
        random.SystemRandom, "random", lambda self: drawn_from.append(1) or system(self)
    )
    table = drawn(3, 30).with_roles(["sex", "y"], ["s"])
    told = starmin.solve(table, l=2, decoys=0.5).defences["decoys"]
    assert len(drawn_from) == told["whole"] > 0


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ("--k 2 --pad", {"k": 2, "pad": True}),
        ("--l 2 --margin 1", {"l": 2, "margin": 1}),
        ("--l 2 --decoys 1 --pad", {"l": 2, "decoys": 1.0, "pad": True}),
    ],
)
def test_command_and_python_say_the_same(
    options, arguments, monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(tmp_path)
    table = drawn(8, 24)
    starmin.write_table(table, "people.csv")
    code, said = run(f"solve people.csv --sensitive s {options} --json", capsys)
    told = json.loads(said.out)
    found = starmin.solve(table, **arguments)
    assert code == 0
    for name, each in found.defences.items():
        assert {*told["defences"][name]} == {*each}
    if "decoys" not in arguments:
        assert told["defences"] == found.defences
        assert (told["value"], told["stars"]) == (found.value, found.release.stars)
        frame = pandas.DataFrame(table.rows(), columns=table.names)
        release = starmin.anonymize(frame, sensitive="s", **arguments)
        assert release.as_json()["defences"] == found.defences
    assert told["lower_bound"] == found.lower_bound


def run(line, capsys):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["starmin", *shlex.split(line), "--quiet"])
        return main(), capsys.readouterr()


def test_the_command_writes_what_verify_accepts(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    starmin.write_table(drawn(8, 24), "people.csv")
    files = "--out out.csv --certificate proof.json --report page.html"
    line = f"solve people.csv --sensitive s --l 2 --margin 1 --pad {files}"
    code, said = run(line, capsys)
    assert code == 0 and "l = 2 is promised" in said.out
    page = Page((tmp_path / "page.html").read_text())
    check = next(code for code in page.codes if "starmin verify" in code)
    assert "--l 3" in check and "--margin" not in check
    assert run(check.replace("starmin ", "", 1), capsys)[0] == 0
    line = "verify out.csv --sensitive s --l 2 --original people.csv"
    assert run(line, capsys)[0] == 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--k 2 --margin 1", "--margin needs --l"),
        ("--l 2 --margin -1", "margin >= 0"),
        ("--k 2 --decoys .5", "--decoys needs --l"),
        ("--l 2 --decoys 1.5", "decoys from 0 to 1"),
        ("--k 2 --pad --keep sex,x", "--pad: needs two quasi-identifiers"),
        ("--k 2 --pad --recoding nonhomogeneous", "--pad: is for suppression"),
        ("--l 2 --decoys 1 --recoding permutation", "--decoys: is for suppression"),
        ("--combinations 2 --k 2 --pad", "--pad: rules over combinations"),
        ("--k 2 --person s --pad", "--pad: needs rows that count"),
        ("--k 2 --pad --stream", "--pad: needs a table that is read as a whole"),
    ],
)
def test_what_is_not_possible_is_refused_in_a_line(
    options, why, monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(tmp_path)
    starmin.write_table(drawn(1), "people.csv")
    given = "" if "--person" in options else "--sensitive s"
    code, said = run(f"solve people.csv {given} {options} --out out.csv", capsys)
    assert code == 2 and said.out == "" and not (tmp_path / "out.csv").exists()
    (line,) = [each for each in said.err.splitlines() if why in each]
    assert said.err.splitlines()[-1] == line
