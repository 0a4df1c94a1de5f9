"""Tests that what an audit infers is what all tables that agree have in common."""

import json
import random
import re
import shlex
import sys
from itertools import combinations_with_replacement, permutations
from pathlib import Path

import numpy as np
import pytest

import starmin
from starmin.cli.app import main
from starmin.report.audit_report import audit_page, what_it_tells
from starmin.report.page import environment
from starmin.verify.audit.audit_release import Audit
from starmin.verify.audit.classes import classes_of
from starmin.verify.audit.hidden_cells import closure
from starmin.verify.audit.inference import SOUND, Inference
from starmin.verify.audit.shuffled import in_any_order
from starmin.verify.cells.cells import PlainCells, TaxonomyCells
from tests.support.effort import seeds
from tests.support.places import HOME

TREE = starmin.Taxonomy.parse("{ab{a,b},cde{c,de{d,e}},f}")
KEYS = {"label", "narrowed", "pinned", "whole", "certain", "above", "seconds"}


def table(rows, *qi, sensitive=()):
    return starmin.Table.from_rows([*qi, *sensitive], rows, qi=qi, sensitive=sensitive)


def rendered(values, tree):
    """What is published of a multiset of values: the lowest node, or a star."""
    if len({*values}) == 1:
        return values[0]
    if tree is None:
        return "*"
    paths = [next(path for path in tree.paths if path[0] == v) for v in values]
    return next(node for node in paths[0] if all(node in path for path in paths))


def least_counts(text, size, leaves, tree):
    """For each value the least count over all multisets that are published so."""
    worlds = [
        values
        for values in combinations_with_replacement(leaves, size)
        if rendered(values, tree) == text
    ]
    return {leaf: min(values.count(leaf) for values in worlds) for leaf in leaves}


@pytest.mark.parametrize("tree", [None, TREE])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_closure_is_the_least_count_over_all_multisets(tree, size):
    leaves = TREE.leaves
    for width in range(2, len(leaves) + 1):
        values = leaves[:width]
        tree = tree and starmin.Taxonomy([p for p in TREE.paths if p[0] in values])
        texts = {
            rendered(each, tree) for each in combinations_with_replacement(values, size)
        }
        for text in sorted(texts):
            shown = [] if tree else [[v] for v in values for _ in range(size)]
            released = table([[text]] * size + shown, "x")
            cells = TaxonomyCells("*", tree) if tree else PlainCells()
            found = closure(*classes_of([released], {"x": cells}))
            least = least_counts(text, size, values, tree)
            known = 0 if text in values else sum(least.values())
            assert found.pinned == known
            assert found.whole == (size if known == size else 0)
            assert found.pinned <= found.narrowed <= found.hidden


def draw(rng, n=6):
    rows = [[rng.choice("ab"), rng.choice("xyz"), rng.choice("12")] for _ in range(n)]
    return table(rows, "u", "v", "w")


def drawn_release(rng, original):
    """A release by groups of two or three rows at random, in random order."""
    order = rng.sample(range(original.n), original.n)
    groups = np.empty(original.n, np.int32)
    for place, row in enumerate(order):
        groups[row] = place // 3 if original.n % 3 == 0 else place // 2
    partition = starmin.Partition.from_labels(groups)
    return starmin.Release(original, partition).tables()[""]


def common_rows(one, two):
    """For each two classes how many rows they have in common, in each possible way."""
    left, right = one.rows(), two.rows()

    def fits(a, b):
        return all("*" in (x, y) or x == y for x, y in zip(a, b, strict=True))

    worlds = set()
    for order in permutations(range(len(right))):
        if all(fits(left[i], right[j]) for i, j in enumerate(order)):
            pairs = sorted((left[i], right[j]) for i, j in enumerate(order))
            worlds.add(tuple(pairs))
    return worlds


@pytest.mark.parametrize("seed", seeds(20))
def test_numbers_of_common_rows_are_fixed_where_all_ways_agree(seed):
    rng = random.Random(seed)
    original = draw(rng)
    one, two = drawn_release(rng, original), drawn_release(rng, original)
    two = two.take(np.array(rng.sample(range(two.n), two.n)))
    every = classes_of([one, two], dict.fromkeys("uvw", PlainCells()), original)
    found = in_any_order(*every)
    assert not found.contradictions
    worlds = common_rows(one, two)
    fixed = 0
    for pair in {pair for world in worlds for pair in world}:
        counts = {world.count(pair) for world in worlds}
        fixed += counts.pop() if len(counts) == 1 else 0
    assert found.more["fixed"] == fixed


@pytest.mark.parametrize("seed", range(10))
def test_nothing_false_is_inferred_of_releases_in_one_order(seed):
    rng = random.Random(seed)
    original = draw(rng, 12)
    releases = [drawn_release(rng, original) for _ in range(2)]
    found = starmin.audit(releases, original=original)
    assert found.closure.false == 0 and found.differencing.false == 0
    first, second = (each.rows() for each in releases)
    most = max(first, second, key=lambda rows: sum(row.count("*") for row in rows))
    shown = sum(
        (a, b) != ("*", "*") and "*" in (a, b) and mine == "*"
        for one, two, hidden in zip(first, second, most, strict=True)
        for a, b, mine in zip(one, two, hidden, strict=True)
    )
    assert found.differencing.pinned >= shown
    assert found.differencing.more["order"] == "one"


def test_releases_of_other_tables_contradict_each_other():
    one, two = table(["1x", "2y"], "a", "b"), table(["1y", "2x"], "a", "b")
    found = starmin.audit([one, two]).differencing
    assert found.contradictions == 1 and found.more["order"] == "any"


def test_a_node_that_is_too_wide_makes_false_inferences():
    original = table([["f"], ["f"], ["m"]], "sex")
    released = table([["*"], ["*"], ["m"]], "sex")
    found = starmin.audit(released, original=original)
    assert found.closure.pinned == 2 and found.closure.false == 1
    assert starmin.audit(released, model="stages").closure is None


def runner(monkeypatch, capsys, folder):
    """Return what runs a command line in the folder: its code, and what it says."""
    monkeypatch.chdir(folder)

    def run(line):
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        return main(), capsys.readouterr()

    return run


def test_the_command_answers_in_json(monkeypatch, capsys, tmp_path):
    run = runner(monkeypatch, capsys, tmp_path)
    people = table([["f", "31"], ["m", "33"], ["f", "52"], ["f", "52"]], "sex", "age")
    starmin.write_table(people, "people.csv")
    made = "--k 2 --recoding generalization --numeric age"
    assert run(f"solve people.csv {made} --out out.csv --quiet")[0] == 0
    line = "audit out.csv --numeric age --original people.csv"
    code, said = run(f"{line} --json")
    found = json.loads(said.out)
    assert code == 0 and {"closure", "ends", "differencing"} <= found.keys()
    assert found["differencing"] is None
    assert found["closure"].keys() >= KEYS and found["ends"].keys() >= KEYS
    assert found["ends"]["pinned"] == 2 and found["ends"]["false"] == 0
    assert run(f"solve people.csv {made} --round age=5 --out out.csv --quiet")[0] == 0
    code, said = run(f"{line} --round age=5")
    assert code == 0 and "closure" in said.out and "ends" not in said.out
    assert run(f"{line} --round age=5 --report told.html")[0] == 0
    page = (tmp_path / "told.html").read_text()
    assert "Cells are hidden only where rows of a class differ" in page
    assert "This is sound given the model." in page and "begin and end" not in page
    code, said = run(f"{line} --round age=5 --time-limit 0 --report told.html --json")
    late = {"closure": "the time for its check is over"}
    found = json.loads(said.out)
    assert code == 0 and found["closure"] is None and found["not_counted"] == late
    page = (tmp_path / "told.html").read_text()
    assert "Closure was not counted: the time for its check is over." in page
    said = run(f"{line} --round age=5 --time-limit 0")[1]
    assert "closure   not counted: the time for its check is over" in said.out
    code, said = run("audit out.csv --numeric age --knows qi")
    assert code == 2 and "--original" in said.err and said.out == ""


def test_every_inference_has_a_sentence():
    every = Audit(**dict.fromkeys(Audit().inferences, Inference(SOUND, hidden=7)))
    page = audit_page(every, "release.csv", "optimal", "qi", "row by row")
    assert page.count("This is sound given the model.") == len(every.inferences)


def test_the_page_says_why_nothing_is_called_false(monkeypatch, capsys, tmp_path):
    run = runner(monkeypatch, capsys, tmp_path)
    Path("in.csv").write_text("sex,age\nf,30\nm,30\nf,41\nf,41\n")
    Path("out.csv").write_text("sex,age\n*,30\n*,30\nf,41\nf,41\n")
    Path("turned.csv").write_text("sex,age\nf,41\n*,30\nf,41\n*,30\n")
    told = {
        "out.csv": "no original was named",
        "turned.csv --original in.csv": "whose rows may stand in another order",
        "out.csv turned.csv --original in.csv": "this says nothing of single rows",
    }
    for asked, why in told.items():
        assert run(f"audit {asked} --report page.html --json")[0] == 0
        assert why in Path("page.html").read_text()
    assert run("audit out.csv --original in.csv --report page.html")[0] == 0
    page = Path("page.html").read_text()
    assert "A dash under" not in page and '<td class="number" data-key="0.0">0' in page


def said_of(*release):
    """What a page says of a release to who knows how it was made, by line."""
    template = environment("starmin.report").get_template("inferred.html")
    said = template.render(inferred=what_it_tells(*release))
    return re.findall("<li>(.*)</li>", said)


def test_the_report_says_what_the_release_tells():
    rows = [["f", "30"], ["m", "30"], ["f", "41"], ["f", "41"]]
    people = table(rows, "sex", "age")
    solution = starmin.solve(people, k=2)
    said = said_of(solution.problem, solution.published)
    assert said == [
        "Cells are hidden only where rows of a group differ: so 2 of 2 hidden cells "
        "are known, if not whose they are, and 2 rows in full (sound given the model)."
    ]
    apart = starmin.solve(
        people.with_roles(["sex"], ["age"]),
        l=2,
        method="anatomy",
        recoding="permutation",
    )
    assert what_it_tells(apart.problem, apart.published) == {}


@pytest.mark.parametrize(("seconds", "where"), [(60, "all classes"), (0, "0 of 5")])
def test_the_report_says_what_it_tells_of_sensitive_values(seconds, where):
    rows = [["a", v] for v in ("HIV", "flu", "HIV")] + [["b", "cold"], ["b", "asthma"]]
    rows += [["c", v] for v in ("flu", "flu", "cold")] + [["d", "cold"], ["d", "HIV"]]
    people = starmin.Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    solution = starmin.solve(people, l=2)
    values, types = said_of(solution.problem, solution.published, seconds)
    found = starmin.audit(
        solution.published, l=2, original=people, model="optimal", knows="classes"
    )
    certain = found.minimality.certain if seconds else 0
    assert f" s of {certain} of 10 people" in values and f" in {where}" in values
    assert "(sound given the model" in values
    assert f"{found.type_rule.more['types']} kinds of people" in types
    assert types.endswith("(statistical).")


def test_the_examples_of_the_page_say_what_it_says(capsys):
    page = (HOME / "docs" / "explanation/attacks.md").read_text()
    blocks = re.findall(r"```(python|text)\n(.*?)```", page, re.S)
    names: dict[str, object] = {}
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, "explanation/attacks.md", "exec"), names)
        else:
            assert capsys.readouterr().out == block
    assert len(blocks) == 18
