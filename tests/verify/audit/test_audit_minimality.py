"""Tests that the minimality attack infers what all tables that agree have in common."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest

import starmin
from starmin.verify.audit import class_worlds
from starmin.verify.audit.class_worlds import worlds_of
from starmin.verify.audit.classes import classes_of, types_in_classes
from starmin.verify.audit.minimality_attack import composition, minimality
from starmin.verify.cells.cells import PlainCells
from tests.support.effort import seeds
from tests.support.places import CASES

L = 2


def eligible(values):
    return not values or max(Counter(values).values()) * L <= len(values)


def stars(rows):
    return sum(len({*column}) > 1 for column in zip(*rows, strict=True))


def fits(row, node):
    return all(b in ("*", a) for a, b in zip(row, node, strict=True))


def improvable(world, c, nodes, members, rows):
    """Whether one or two rows of class c could go elsewhere for less, or it splits."""
    cost = nodes[c].count("*")

    def goes(moved):
        for goals in itertools.product(range(len(nodes)), repeat=len(moved)):
            after = {d: [world[i] for i in members[d]] for d in {c, *goals}}
            for i, d in zip(moved, goals, strict=True):
                if d == c or not fits(rows[i], nodes[d]) or nodes[d].count("*") >= cost:
                    break
                after[c].remove(world[i])
                after[d].append(world[i])
            else:
                if all(map(eligible, after.values())):
                    return True
        return False

    if any(
        goes(moved) for m in (1, 2) for moved in itertools.combinations(members[c], m)
    ):
        return True
    for size in range(L, len(members[c]) - L + 1):
        for part in itertools.combinations(members[c], size):
            rest = [i for i in members[c] if i not in part]
            both = [list(part), rest]
            if all(eligible([world[i] for i in each]) for each in both):
                total = sum(len(e) * stars([rows[i] for i in e]) for e in both)
                if total < cost * len(members[c]):
                    return True
    return False


def drawn(seed):
    rng = random.Random(seed)
    n = rng.choice([6, 7, 8])
    rows = [(rng.choice("ab"), rng.choice("xy"), rng.choice("pqrs")) for _ in range(n)]
    return starmin.Table.from_rows(["u", "v", "s"], rows, ["u", "v"], ["s"])


def known_of(original, released):
    plain = {"u": PlainCells(), "v": PlainCells()}
    (classes,) = classes_of([released], plain, original, [original])
    return types_in_classes(classes, "s")


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("states", [0, 10**6])
def test_chances_are_those_of_all_worlds(seed, states, monkeypatch):
    original = drawn(seed)
    solved = starmin.solve(original, l=L)
    if solved.best is None:
        return
    monkeypatch.setattr(class_worlds, "MOST_STATES", states)
    released = solved.published
    known = known_of(original, released)
    of_row = known.classes.of_row.tolist()
    nodes = {}
    for row, c in zip(released.rows(), of_row, strict=True):
        nodes[c] = row[:2]
    members = {c: [i for i, d in enumerate(of_row) if d == c] for c in nodes}
    rows = [row[:2] for row in original.rows()]
    truth = [row[2] for row in original.rows()]
    texts = released.dictionary("s")
    for found in worlds_of(known, np.arange(len(nodes)), 1, L):
        (c,) = {of_row[i] for i in found.rows}
        hits, worlds = Counter(), 0
        for dealt in itertools.permutations([truth[i] for i in members[c]]):
            world = list(truth)
            for i, value in zip(members[c], dealt, strict=True):
                world[i] = value
            if not improvable(world, c, nodes, members, rows):
                worlds += 1
                hits.update(zip(members[c], dealt, strict=True))
        assert worlds and not found.impossible and not found.truth_out
        for i, chances, certain in zip(
            found.rows.tolist(), found.chances, found.certain, strict=True
        ):
            for v, chance in zip(found.values.tolist(), chances, strict=True):
                assert chance == pytest.approx(hits[i, texts[v]] / worlds)
            assert certain == (hits[i, truth[i]] == worlds)


@pytest.mark.parametrize("seed", seeds(20))
def test_what_is_drawn_and_proven_is_not_more_than_what_is_counted(seed, monkeypatch):
    original = drawn(seed)
    solved = starmin.solve(original, l=L)
    if solved.best is None:
        return
    known = known_of(original, solved.published)
    counted = minimality(known, 1, L)
    monkeypatch.setattr(class_worlds, "MOST_STATES", 0)
    monkeypatch.setattr(class_worlds, "MOST_ROWS", 0)
    drawn_ = minimality(known, 1, L)
    assert counted.false == drawn_.false == 0
    assert drawn_.certain <= counted.certain and drawn_.above <= counted.above


@pytest.mark.parametrize("seed", seeds(20))
def test_flows_prove_what_is_so_in_all_worlds_of_single_rows(seed, monkeypatch):
    original = drawn(seed)
    solved = starmin.solve(original, l=L)
    if solved.best is None:
        return
    known = known_of(original, solved.published)
    none = np.empty(0, np.int64)
    monkeypatch.setattr(class_worlds, "cheaper_splits", lambda *_: none)
    monkeypatch.setattr(class_worlds, "MOST_PAIRED", 1)
    every = np.arange(known.classes.number)
    counted = worlds_of(known, every, 1, L)
    monkeypatch.setattr(class_worlds, "MOST_STATES", 0)
    monkeypatch.setattr(class_worlds, "MOST_ROWS", 0)
    proven = worlds_of(known, every, 1, L)
    assert len(counted) == len(proven)
    for one, other in zip(counted, proven, strict=True):
        assert not one.sampled and other.sampled and not other.truth_out
        assert one.certain.tolist() == other.certain.tolist()
        assert (other.chances[one.chances == 0] == 0).all()
        assert abs(one.chances - other.chances).max() < 0.15


def test_no_class_is_looked_at_where_there_is_no_time():
    original = drawn(5)
    known = known_of(original, starmin.solve(original, l=L).published)
    assert minimality(known, 1, L, 0).more["looked_at"] == 0
    number = known.classes.number
    assert minimality(known, 1, L, 60).more["looked_at"] == number
    given = {"l": L, "original": original, "model": "optimal", "knows": "qi"}
    solved = starmin.solve(original, l=L).published
    found = starmin.audit(solved, **given, time_limit=0)
    assert found.minimality is None and "minimality" in found.not_counted
    assert starmin.audit(solved, **given).not_counted == {}


@pytest.mark.parametrize("seed", seeds(15))
def test_compositions_are_known_where_all_ways_agree(seed):
    original = drawn(seed)
    solved = starmin.solve(original, l=L)
    if solved.best is None:
        return
    known = known_of(original, solved.published)
    classes = known.classes
    published = {
        int(c): row[:2]
        for c, row in zip(classes.of_row, solved.published.rows(), strict=True)
    }
    rows = [row[:2] for row in original.rows()]
    ways = set()
    for order in {*itertools.permutations(classes.of_row.tolist())}:
        if all(fits(row, published[c]) for row, c in zip(rows, order, strict=True)):
            ways.add(tuple(sorted(Counter(zip(rows, order, strict=True)).items())))
    _, fixed = composition(known)
    for c in range(classes.number):
        parts = {tuple(p for p in way if p[0][1] == c) for way in ways}
        assert fixed[c] == (len(parts) == 1)


def test_five_people():
    original = starmin.read_table(CASES / "five.csv", sensitive=["s"])
    released = starmin.solve(original, l=2).published
    given = {"l": 2, "original": original, "model": "optimal"}
    classes = starmin.audit(released, knows="classes", **given).minimality
    assert (classes.certain, classes.above, classes.false) == (1, 1, 0)
    assert [(case.row, case.why) for case in classes.worst] == [(3, "s is HIV")]
    types = starmin.audit(released, knows="qi", **given).minimality
    assert (types.certain, types.above, types.false) == (0, 3, 0)
    assert starmin.audit(released, l=2, original=original).minimality is None


def test_a_release_that_could_be_improved_contradicts_the_model():
    rows = [("a", "p"), ("a", "q"), ("b", "p"), ("b", "q")]
    original = starmin.Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    starred = [("*", "p"), ("*", "q"), ("*", "p"), ("*", "q")]
    released = starmin.Table.from_rows(["x", "s"], starred, ["x"], ["s"])
    found = starmin.audit(
        released, l=2, original=original, model="optimal", knows="classes"
    ).minimality
    assert found.contradictions == 1 and found.certain == 0


def test_the_type_rule_is_counted_by_hand():
    rows = [("a", "p"), ("a", "p"), ("a", "q"), ("b", "r"), ("c", "p"), ("c", "q")]
    original = starmin.Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    starred = [("*", "p"), ("a", "p"), ("a", "q"), ("*", "r"), ("c", "p"), ("c", "q")]
    released = starmin.Table.from_rows(["x", "s"], starred, ["x"], ["s"])
    found = starmin.audit(released, l=2, original=original, knows="qi").type_rule
    assert (found.more["types"], found.more["right"], found.above) == (1, 1.0, 3)
    assert found.more["base"] == 0.5
