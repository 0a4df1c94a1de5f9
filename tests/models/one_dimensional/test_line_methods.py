"""Tests of the programs of one dimension as methods: what they minimise on the line."""

from itertools import pairwise

import numpy as np
import pytest

from starmin.auto.choice import solve_by
from starmin.instances import (
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Problem,
    Scales,
    Table,
)
from starmin.registry import METHODS
from tests.support.every_partition import every_labelling

MEASURED = {"k_largest": 0, "k_mean": 1, "k_order": 2, "l_ordered": 0, "l_by_dual": 0}
MEASURED |= {"l_total": 3, "l_mean": 1}  # of ordered groups alone


def problem(seed, l):
    """One column of numbers, which are the line."""
    rng = np.random.default_rng(seed)
    n = l * int(rng.integers(1, 5 // l + 1))
    numbers, values = rng.permutation(64)[:n], np.arange(n) % l
    rows = [[str(x), "abc"[v]] for x, v in zip(numbers, values, strict=True)]
    rows += [["0", "a"], ["63", "b"], ["31", "c"]][:l]
    table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    return table, Objective("gcp", scales=Scales.of(table, ["x"]))


def measures(table, groups):
    """Largest, mean, weighted and total extent of groups of rows."""
    x = np.array([int(text) for text in table.cells("x")])
    groups = np.array(groups)
    own = [x[groups == g] for g in np.unique(groups)]
    extents = [int(each.max() - each.min()) for each in own]
    weighted = sum(len(each) * e for each, e in zip(own, extents, strict=True))
    return max(extents), sum(extents) / len(extents), weighted, sum(extents)


@pytest.mark.parametrize("name", MEASURED)
def test_what_it_minimises_on_the_line_is_least(name):
    assert METHODS[name].kind == "heuristic"
    for seed in range(12):
        l = 2 + seed % 2
        table, goal = problem(seed, l)
        wanted = KAnonymity(l) if name.startswith("k") else LDiversity(l)
        found = solve_by(name, Problem(table, wanted, goal), {})
        at = MEASURED[name]
        best = min(
            measures(table, groups)[at]
            for groups in every_labelling(table.n)
            if wanted_holds(table, wanted, groups)
            and (name != "k_order" or consecutive(table, groups))
            and (name not in ("l_total", "l_mean") or ordered(table, groups, l))
        )
        own = measures(table, found.best.groups)[at]
        assert own == pytest.approx(best)


def wanted_holds(table, wanted, groups):
    """Whether each group has enough rows, or no value too often, by counting."""
    sensitive, many = table.cells("s"), wanted.core.size
    for g in set(groups):
        own = [s for s, at in zip(sensitive, groups, strict=True) if at == g]
        if isinstance(wanted, KAnonymity) and len(own) < many:
            return False
        top = max(own.count(s) for s in own)
        if isinstance(wanted, LDiversity) and top * wanted.core.diversity > len(own):
            return False
    return True


def consecutive(table, groups):
    """Whether groups follow each other along the numbers."""
    x = [int(text) for text in table.cells("x")]
    ordered = [groups[i] for i in np.argsort(x, kind="stable")]
    changes = sum(a != b for a, b in pairwise(ordered))
    return changes == len(set(ordered)) - 1


def ordered(table, groups, l):
    """Whether groups have l to 2l - 1 different values, and one order throughout."""
    x, values = [int(text) for text in table.cells("x")], table.cells("s")
    own = [[r for r in range(table.n) if groups[r] == g] for g in set(groups)]
    own.sort(key=lambda rows: min(x[r] for r in rows))
    ends = [max(x[r] for r in rows) for rows in own]
    of_value = {
        value: [x[r] for rows in own for r in rows if values[r] == value]
        for value in set(values)
    }
    return (
        all(l <= len(rows) < 2 * l for rows in own)
        and all(len({values[r] for r in rows}) == len(rows) for rows in own)
        and all(each == sorted(each) for each in (ends, *of_value.values()))
    )


@pytest.mark.parametrize("name", ["l_ordered", "l_by_dual", "l_total", "l_mean"])
def test_more_rows_than_it_ends_for_are_refused(name):
    rows = [[str(i), str(i % 30)] for i in range(300)]
    table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    goal = Objective("gcp", scales=Scales.of(table, ["x"]))
    with pytest.raises(NotSupportedError, match="few sensitive values"):
        solve_by(name, Problem(table, LDiversity(3), goal), {})


@pytest.mark.parametrize("name", ["k_largest", "k_mean", "k_order"])
def test_many_rows_of_several_columns_are_no_trouble(name):
    """Places on the curve of several columns have up to 61 bits."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 10**6, (700, 6)).astype(str).tolist()
    table = Table.from_rows("abcdef", rows, "abcdef")
    goal = Objective("gcp", scales=Scales.of(table, table.qi))
    found = solve_by(name, Problem(table, KAnonymity(2), goal), {})
    assert min(found.best.sizes) >= 2
