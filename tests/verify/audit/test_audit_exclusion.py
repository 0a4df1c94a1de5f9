"""Tests that values are ruled out where rows would have been published otherwise."""

import random
from itertools import product

import numpy as np
import pytest

import starmin
from starmin.verify.audit.audit_release import stage_counts
from starmin.verify.audit.chances import definetti, matchings
from starmin.verify.audit.classes import classes_of
from starmin.verify.audit.hidden_cells import covered, exclusion
from starmin.verify.cells.cells import PlainCells
from tests.support.effort import seeds

QI = "uvw"
K = 2
PLAIN = dict.fromkeys(QI, PlainCells())


def drawn(seed, n=12):
    rng = random.Random(seed)
    rows = [[rng.choice("ab"), rng.choice("xyz"), rng.choice("12")] for _ in range(n)]
    return starmin.Table.from_rows(list(QI), rows, list(QI))


def fits(row, node):
    return all(b in ("*", a) for a, b in zip(row, node, strict=True))


def by_stages(table, k):
    """Publish by levels of rising generality whatever has k rows, as ARX does."""
    left, nodes = list(range(table.n)), {}
    rows = table.rows()
    masks = sorted(product([0, 1], repeat=len(QI)), key=sum)
    for mask in masks:
        groups = {}
        for i in left:
            node = tuple("*" if m else a for a, m in zip(rows[i], mask, strict=True))
            groups.setdefault(node, []).append(i)
        for node, members in groups.items():
            if len(members) >= k or all(mask):
                nodes |= dict.fromkeys(members, node)
        left = [i for i in left if i not in nodes]
    cells = [nodes[i] for i in range(table.n)]
    return starmin.Table.from_rows(list(QI), cells, list(QI))


def left_by_hand(released, table, k, stages):
    """For each hidden cell's class and column the values that no rule takes away."""
    rows = released.rows()
    sizes = {node: rows.count(node) for node in rows}
    leaves = [sorted(table.dictionary(q)) for q in QI]

    def earlier(d, c):
        inner = all(b == "*" or a != "*" for a, b in zip(d, c, strict=True))
        return (inner if stages else sizes[c] > k) and d.count("*") < c.count("*")

    found = {}
    for c in sizes:
        others = [d for d in sizes if earlier(d, c)]
        there = [
            row
            for row in product(*leaves)
            if fits(row, c) and not any(fits(row, d) for d in others)
        ]
        for j, node in enumerate(c):
            if node == "*":
                found[c, j] = {row[j] for row in there}
    return found


@pytest.mark.parametrize("stages", [False, True])
@pytest.mark.parametrize("seed", seeds(20))
def test_values_are_out_where_no_row_is_left_with_them(seed, stages):
    table = drawn(seed)
    released = by_stages(table, K) if stages else starmin.solve(table, k=K).published
    (classes,) = classes_of([released], PLAIN, table, [table])
    found, out = exclusion(classes, K, stages)
    assert found.false == 0 and not found.contradictions
    by_hand = left_by_hand(released, table, K, stages)
    hidden = narrowed = 0
    for j, column in enumerate(classes.columns):
        for c in np.flatnonzero(classes.hidden[:, j]).tolist():
            node = released.rows()[classes.first[c]]
            box = {*np.array(column.leaves)[classes.boxes(j)[c]]}
            ruled = {*np.array(column.leaves)[out[j][c]]}
            assert box - ruled == by_hand[node, j]
            hidden, narrowed = hidden + 1, narrowed + bool(ruled)
    assert found.more["hidden_by_class"] == hidden
    assert found.more["narrowed_by_class"] == narrowed


@pytest.mark.parametrize("seed", seeds(20))
def test_counts_of_stages_are_so(seed):
    table = drawn(seed, 16)
    released = by_stages(table, 3)
    (classes,) = classes_of([released], PLAIN, table, [table])
    _, out = exclusion(classes, 3, True)
    found = stage_counts(classes, 3, out)
    whole = classes.hidden.all(axis=1)  # what is left over, however few
    assert found.false == 0
    assert found.contradictions <= whole.sum()


@pytest.mark.parametrize("model", ["optimal", "stages"])
def test_a_release_of_another_kind_contradicts_the_model(model):
    rows = [["a"]] * 4 + [["b"]] * 4
    table = starmin.Table.from_rows(["u"], rows, ["u"])
    cells = [["a"]] * 2 + [["*"]] * 4 + [["b"]] * 2
    released = starmin.Table.from_rows(["u"], cells, ["u"])
    found = starmin.audit(released, k=2, original=table, model=model).exclusion
    assert found.contradictions == 1 and found.false == 4
    assert starmin.audit(released, k=2, original=table).exclusion is None


def test_boxes_cover_as_enumeration_says():
    rng = np.random.default_rng(1)
    for _ in range(300):
        shape = rng.integers(1, 4, size=rng.integers(1, 4))
        boxes = [rng.random((5, width)) < 0.7 for width in shape]
        points = product(*map(range, shape))
        whole = all(
            any(
                all(box[b, v] for box, v in zip(boxes, point, strict=True))
                for b in range(5)
            )
            for point in points
        )
        assert covered(boxes) == whole


@pytest.mark.parametrize("seed", range(20))
def test_chances_are_shares_of_matchings(seed):
    from itertools import permutations

    rng = random.Random(seed)
    table = drawn(seed, 6)
    cells = [["*" if rng.random() < 0.4 else a for a in row] for row in table.rows()]
    released = starmin.Table.from_rows(list(QI), cells, list(QI))
    (classes,) = classes_of([released], PLAIN, table, [table])
    people, nodes = table.rows(), released.rows()
    every = [
        order
        for order in permutations(range(6))
        if all(fits(people[i], node) for i, node in zip(order, nodes, strict=True))
    ]
    above = 0
    for j in range(6):
        most = max(sum(order[j] == i for order in every) for i in range(6))
        above += most * K > len(every)
    found = matchings(classes, K)
    assert found.above == above and found.more["counted"] == 6


def test_definetti_learns_what_classes_say_together():
    x = s = np.tile([0, 1, 0, 2, 1, 2], 20)
    groups = np.arange(120) // 2
    told = definetti([x], s, groups, 2, s)
    assert told.more["right"] > 0.95 and told.more["naive_bayes"] == 1
    assert told.more["base"] == 0.5
    assert told.above >= 100 and told.false < 6
    assert definetti([x], s, groups, 2, None).false is None
    turned = definetti([x], s, groups, 2, (s + 1) % 3)
    assert turned.above == told.above and turned.false > told.above - 6
    blind = definetti([np.zeros(120, np.int64)], s, groups, 2, s)
    assert blind.more["right"] < 0.7
