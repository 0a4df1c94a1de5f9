"""Tests that the best single-dimensional recodings are what enumeration finds."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from starmin.heuristics.recoding.single_dimensional import (
    least_classification_error,
    least_discernibility,
    single_dimensional,
)
from starmin.heuristics.recoding.top_down_specialization import top_down_specialization
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.catalogue.catalogue import hospital

TREE = Taxonomy.parse("{ab{a,b},cde{c,de{d,e}},f}")
CUTS = [  # all cuts through TREE, written out
    ["abcdef"],
    ["ab", "cde", "f"],
    ["a", "b", "cde", "f"],
    ["ab", "c", "de", "f"],
    ["ab", "c", "d", "e", "f"],
    ["a", "b", "c", "de", "f"],
    ["a", "b", "c", "d", "e", "f"],
]


def classes_of_numbers(values: list[str | None]) -> list[dict[str | None, object]]:
    """All ways to cut numbers into ranges; missing ones are apart, or all are one."""
    numbers = sorted({v for v in values if v is not None}, key=float)
    missing = None in values
    found: list[dict[str | None, object]] = []
    for cuts in product((0, 1), repeat=max(0, len(numbers) - 1)):
        ranges = np.cumsum([0, *cuts]).tolist()
        way: dict[str | None, object] = dict(zip(numbers, ranges, strict=True))
        found.append(way | {None: "missing"})
    if missing:
        found.append(dict.fromkeys([*numbers, None], "all"))
    return found


def every_recoding(rows: list[tuple], kinds: str) -> list[list[tuple]]:
    """The labels of all rows under every single-dimensional recoding."""
    ways = []
    for j, kind in enumerate(kinds):
        column = [row[j] for row in rows]
        if kind == "n":
            ways.append(classes_of_numbers(column))
        elif kind == "t":
            ways.append([{leaf: node for node in cut for leaf in node} for cut in CUTS])
        else:
            ways.append([{v: v for v in column}, dict.fromkeys(column, "*")])
    return [
        [
            tuple(way[cell] for way, cell in zip(chosen, row, strict=False))
            for row in rows
        ]
        for chosen in product(*ways)
    ]


def drawn(rng: np.random.Generator) -> tuple[Table, Objective, list[tuple], str]:
    kinds = "".join(rng.choice(list("ntf"), size=rng.integers(1, 4)))
    of = {"n": ["1", "2", "4", "7", None], "t": list("abcdef"), "f": ["x", "y", "z"]}
    rows = [
        (
            *(of[kind][rng.integers(len(of[kind]))] for kind in kinds),
            rng.choice(["p", "q"]),
        )
        for _ in range(rng.integers(2, 13))
    ]
    names = [f"{kind}{j}" for j, kind in enumerate(kinds)]
    table = Table.from_rows([*names, "s"], rows, qi=names, sensitive=["s"])
    scales = Scales.of(
        table,
        [name for name in names if name[0] == "n"],
        {name: TREE for name in names if name[0] == "t"},
    )
    return table, Objective("gcp", scales=scales), rows, kinds


def holds(labels: list[tuple], rows: list[tuple], k: int, l: int) -> bool:
    """k rows in each group, and no value in more than 1/l of it."""
    for label, size in Counter(labels).items():
        values = Counter(
            row[-1] for row, each in zip(rows, labels, strict=True) if each == label
        )
        if size < k or l * max(values.values()) > size:
            return False
    return True


def errors(labels: list[tuple], rows: list[tuple]) -> int:
    pairs = Counter(zip(labels, (row[-1] for row in rows), strict=True))
    most = Counter[tuple]()
    for (label, _), count in pairs.items():
        most[label] = max(most[label], count)
    return len(rows) - sum(most.values())


def test_all_three_find_what_enumeration_finds():
    rng = np.random.default_rng(2005)
    feasible = 0
    for _ in range(250):
        table, objective, rows, kinds = drawn(rng)
        k, l = int(rng.integers(2, 4)), int(rng.integers(1, 3))
        asked = KAnonymity(k) & LDiversity(l) if l > 1 else KAnonymity(k)
        allowed = [
            labels
            for labels in every_recoding(rows, kinds)
            if holds(labels, rows, k, l)
        ]
        found = single_dimensional(table, asked, objective=objective)
        if not allowed:
            assert found.best is None
            continue
        feasible += 1
        number = [{x: i for i, x in enumerate(dict.fromkeys(one))} for one in allowed]
        groups = [
            Partition(np.array([of[x] for x in one], np.int32))
            for of, one in zip(number, allowed, strict=True)
        ]
        assert found.value == min(g.value(table, objective) for g in groups)
        greedy = top_down_specialization(table, asked, objective=objective)
        assert greedy.value >= found.value
        found = least_discernibility(table, asked, objective=objective)
        sizes = [Counter(one).values() for one in allowed]
        assert found.stats["discernibility"] == min(
            sum(n * n for n in each) for each in sizes
        )
        assert found.stats["discernibility"] == int((found.best.sizes**2).sum())
        found = least_classification_error(table, asked, objective=objective)
        least = min(errors(one, rows) for one in allowed)
        assert found.stats["classification_error"] == least
        shown = [(group,) for group in found.best.groups.tolist()]
        assert errors(shown, rows) == least and holds(shown, rows, k, l)
    assert feasible > 100


def test_table_4_of_xiao_yi_and_tao():
    """Ages to 50 and from 50, two levels of education, no gender: 28 of 30 cells."""
    age = Taxonomy.parse('{<50{<30,"[30,50)"},>=50}')
    levels = "{lower{Primary,High School},higher{Bachelor,Master}}"
    trees = {"age": age, "education": Taxonomy.parse(levels)}
    table = hospital().with_roles(["age", "education"], ["disease"])
    objective = Objective("gcp", scales=Scales.of(table, (), trees))
    found = single_dimensional(table, LDiversity(2), objective=objective)
    assert np.array_equal(found.best.by_first_rows().groups, [0] * 8 + [1] * 2)
    assert found.stats["recoded"] == 28 - table.n  # gender is a star everywhere
    # It need not be: the best recoding of all three columns publishes it.
    objective = Objective("gcp", scales=Scales.of(hospital(), (), trees))
    found = single_dimensional(hospital(), LDiversity(2), objective=objective)
    parts = [0] * 4 + [1] * 4 + [2] * 2
    assert np.array_equal(found.best.by_first_rows().groups, parts)
    assert found.stats["recoded"] == 28 - table.n


def test_columns_to_be_kept_are_published_and_time_may_end():
    rows = [["1", "a"], ["2", "a"], ["1", "b"], ["2", "b"], ["3", "b"]]
    table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    kept = Objective("gcp", keep=("q",), scales=Scales.of(table, ["p"]))
    found = single_dimensional(table, KAnonymity(2), objective=kept)
    assert found.best.groups.tolist() == [0, 0, 1, 1, 1]
    gcp = Objective("gcp", scales=Scales.of(table, ["p"]))
    early = single_dimensional(table, KAnonymity(2), objective=gcp, time_limit=0)
    assert early.limit is Limit.TIME and early.best is not None


def test_classification_needs_labels():
    table = Table.from_rows(["p", "s"], [["1", "x"], ["2", "y"]], qi=["p"])
    with pytest.raises(NotSupportedError, match="sensitive column"):
        least_classification_error(table, KAnonymity(2))
    found = least_classification_error(table, KAnonymity(2), label="s")
    assert found.stats["classification_error"] == 1
