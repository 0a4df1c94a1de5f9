"""Tests that decoys go where fewest rows lose a possible value."""

import random
from collections import Counter

import numpy as np
import pytest

import starmin
from starmin.defences.defences import Defences
from starmin.instances import LDiversity, Partition, Problem, Result

L = 2


def holds(values):
    return not values or max(Counter(values).values()) * L <= len(values)


def values_of(rows, inside):
    return [rows[i][-1] for i in inside]


def node_of(rows, inside):
    columns = zip(*(rows[i][:-1] for i in inside), strict=True)
    return [column[0] if len(set(column)) == 1 else "*" for column in columns]


def fits(row, node):
    return all(text in ("*", cell) for cell, text in zip(row, node, strict=False))


def members(groups):
    found = {}
    for i, group in enumerate(groups):
        found.setdefault(group, []).append(i)
    return found


def exposed(rows, groups, goal, more):
    """How many rows of dearer classes a class takes with more rows, but not without."""
    classes = members(groups)
    node, inside = node_of(rows, classes[goal]), classes[goal]
    count = 0
    for others in classes.values():
        if node_of(rows, others).count("*") <= node.count("*"):
            continue
        for i in others:
            rest = values_of(rows, [j for j in others if j != i])
            if fits(rows[i], node) and holds(rest):
                with_it = values_of(rows, [*inside, i])
                count += not holds(with_it) and holds(
                    with_it + values_of(rows, sorted(more))
                )
    return count


def let_go(rows, groups, goal, more):
    """How many rows of a class could go elsewhere with a value, by having more rows."""
    classes = members(groups)
    node, inside = node_of(rows, classes[goal]), classes[goal]
    values = values_of(rows, inside)
    spared = [
        value
        for value in set(values)
        if not holds(without(values, value))
        and holds(without(values, value) + values_of(rows, sorted(more)))
    ]
    cheaper = [
        others
        for others in classes.values()
        if node_of(rows, others).count("*") < node.count("*")
    ]
    return sum(
        any(
            fits(rows[i], node_of(rows, others))
            and holds([*values_of(rows, others), value])
            for others in cheaper
            for value in spared
        )
        for i in inside
    )


def without(values, value):
    at = values.index(value)
    return values[:at] + values[at + 1 :]


def ways(rows, groups, type_):
    """Rows of a type that may be decoys, and the classes that may get them."""
    some = [i for i, row in enumerate(rows) if row[:-1] == type_]
    for more in [*([i] for i in some), some]:
        if holds(values_of(rows, [i for i in some if i not in more])):
            for group, inside in members(groups).items():
                node = node_of(rows, inside)
                both = values_of(rows, [*inside, *more])
                if "*" in node and fits(rows[more[0]], node) and holds(both):
                    yield frozenset(more), group


def defended(rows, groups, seed):
    names = ["u", "v", "s"]
    table = starmin.Table.from_rows(names, rows, names[:2], ["s"])
    problem = Problem(table, LDiversity(L))
    best = Partition.from_labels(np.array(groups))
    assert best.violation(table, problem.requirement, problem.objective) is None
    found = Result(best, best.value(table, problem.objective), 0, 0.0)
    after = Defences(decoys=1.0, promised=L, seed=seed).defend(problem, found)
    return after.best.groups.tolist(), after.defences["decoys"]


def moved(before, after, type_rows):
    """The decoys, and the class that has them, by its number before."""
    for group, inside in members(before).items():
        now = members(after)[after[inside[0]]]
        more = frozenset(now) - frozenset(inside)
        if more and not set(inside) <= type_rows:
            return more, group
    return None


@pytest.mark.parametrize("seed", range(10))
def test_a_class_at_its_limit_is_passed_over_for_one_that_takes_all(seed):
    rows = [["c", "z", value] for value in "pqrt"]  # shown whole
    rows += [["c", "w", "p"], ["c", "v", "q"]]  # takes neither p nor q
    rows += [["d", "z", value] for value in "pqrt"] + [["e", "z", "u"]]  # takes all
    rows += [["c", "w", "p"], ["d", "y", "r"], ["c", "w", "u"]]  # two stars
    groups = [0] * 4 + [1] * 2 + [2] * 5 + [3] * 3
    assert exposed(rows, groups, 1, [2]) == 1  # of the last class
    assert exposed(rows, groups, 2, [2]) == 0
    after, told = defended(rows, groups, seed)
    assert told["types"] == 1 and moved(groups, after, {*range(4)})[1] == 2


@pytest.mark.parametrize("seed", range(10))
def test_a_class_that_could_spare_its_rows_then_is_passed_over(seed):
    rows = [["c", "z", value] for value in "pqrt"]  # shown whole
    rows += [["c", "w", "p"], ["c", "v", "q"]]  # at its limit; w is taken elsewhere
    rows += [["d", "z", value] for value in "pqrt"] + [["e", "z", "u"]]  # is not
    rows += [["c", "w", value] for value in "pqrt"]  # shown whole
    groups = [0] * 4 + [1] * 2 + [2] * 5 + [3] * 4
    assert exposed(rows, groups, 1, [2]) == 0
    assert let_go(rows, groups, 1, [2]) == 1
    assert let_go(rows, groups, 2, [2]) == 0
    after, _ = defended(rows, groups, seed)
    assert moved(groups, after, {*range(4)})[1] == 2


def test_no_other_way_exposes_fewer():
    compared = Counter()
    for seed in range(8_000):
        rng = random.Random(seed)
        own = rng.randint(2, 4)
        rows = [["a", "x", value] for value in rng.sample("pqrt", own)]
        others = [cells for cells in ("ay", "bx", "by", "cx", "az") for _ in range(2)]
        rows += [[*cells, rng.choice("pqrt")] for cells in others]
        groups = [0] * own + [rng.randint(1, 4) for _ in others]
        classes = members(groups)
        if not all(holds(values_of(rows, inside)) for inside in classes.values()):
            continue
        nodes = [node_of(rows, inside) for inside in classes.values()]
        if sum("*" not in node for node in nodes) > 1:
            continue
        if len({tuple(node) for node in nodes}) < len(nodes):
            continue
        counts = {
            (more, goal): exposed(rows, groups, goal, more)
            + let_go(rows, groups, goal, more)
            for more, goal in ways(rows, groups, ["a", "x"])
        }
        counts = {way: count for way, count in counts.items() if count <= len(way[0])}
        after, told = defended(rows, groups, seed)
        assert (told["types"] > 0) == bool(counts)
        if counts:
            way = moved(groups, after, {*range(own)})
            assert counts[way] == min(counts.values()), seed
            compared[len(set(counts.values())) > 1] += 1
    assert compared[True] > 5 and compared[False] > 5, compared
