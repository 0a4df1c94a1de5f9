"""Tests that t-closeness is exact at any size, over values and over a taxonomy."""

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from starmin.instances import (
    GroupStats,
    PerRowK,
    SensitiveCounts,
    Table,
    TableError,
    TCloseness,
)
from starmin.instances.requirements.t_closeness import HierarchicalCloseness

Value = str | None
TREE = {
    "1": ["low", "any"],
    "2": ["low", "any"],
    "5": ["high", "any"],
    "9": ["high", "any"],
    "": ["any"],
}


def table_of(values: list[Value]) -> Table:
    rows = [["0", value] for value in values]
    return Table.from_rows(["a", "0"], rows, qi=["a"], sensitive=["0"])


def apart(one: Value, other: Value) -> Fraction:
    """The distance of two values in TREE, of height 2 if it has a value below low."""
    if one == other:
        return Fraction(0)
    same = TREE[str(one)][0] == TREE[str(other)][0] != "any"
    return Fraction(1, 2) if same else Fraction(1)


def equal(here: list[Value], there: list[Value], values: set[Value]) -> Fraction:
    p, q = Counter(here), Counter(there)
    terms = (Fraction(p[v], len(here)) - Fraction(q[v], len(there)) for v in values)
    return sum(map(abs, terms), Fraction(0)) / 2


def ordered(here: list[Value], there: list[Value], values: set[Value]) -> Fraction:
    """Along the line of all ``values``, which are numbers."""
    moved, running = Fraction(0), Fraction(0)
    for value in sorted(values, key=lambda v: float(v or "nan")):
        running += Fraction(here.count(value), len(here))
        running -= Fraction(there.count(value), len(there))
        moved += abs(running)
    return moved / max(len(values) - 1, 1)


def hierarchical(here: list[Value], there: list[Value], values: set[Value]) -> Fraction:
    """The cheapest assignment of equally many copies: the nearest first."""
    left, right = here * len(there), there * len(here)
    used, total = Counter(right), Fraction(0)
    for value, count in Counter(left).items():  # what is in place stays
        stay = min(count, used[value])
        used[value] -= stay
        for _ in range(stay):
            left.remove(value)
    right = list(used.elements())
    for level in (Fraction(1, 2), Fraction(1)):  # then the nearest, along a tree
        for value in left[:]:
            for other in right:
                if apart(value, other) == level:
                    left.remove(value)
                    right.remove(other)
                    total += level
                    break
    return total / (len(here) * len(there))


Oracle = Callable[[list[Value], list[Value], set[Value]], Fraction]
Make = Callable[[Table, float], TCloseness | HierarchicalCloseness]
FORMS: dict[str, tuple[Make, Oracle, list[Value]]] = {
    "equal": (TCloseness.of, equal, ["x", "y", "", None, "z"]),
    "ordered": (
        lambda table, t: TCloseness.of(table, t, "ordered"),
        ordered,
        ["10", "9", "-2", "1e3", "0.5"],
    ),
    "hierarchical": (
        lambda table, t: HierarchicalCloseness.of(table, t, {"0": TREE}),
        hierarchical,
        list(TREE),
    ),
}


def recoded(table: Table, rng: np.random.Generator) -> Table:
    """The same cells under another dictionary: permuted, one value listed twice."""
    labels = (*table.dictionary("0"), "unused", table.dictionary("0")[0])
    order = rng.permutation(len(labels))
    codes = np.argsort(order)[table.column("0")].astype(np.int32)
    twin = np.argsort(order)[len(labels) - 1]
    some = rng.random(table.n) < 0.5
    codes[(table.column("0") == 0) & some] = twin
    return Table(
        table.names,
        np.stack([table.column("a"), codes]),
        (table.dictionary("a"), tuple(labels[i] for i in order)),
        table.qi,
        table.sensitive,
    )


@pytest.mark.parametrize("form", FORMS)
def test_another_table_with_other_values_and_codes_is_measured_by_text(
    form: str,
) -> None:
    make, oracle, domain = FORMS[form]
    foreign = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        there = [domain[i] for i in rng.integers(0, rng.integers(1, 6), 6)]
        here = [domain[i] for i in rng.integers(rng.integers(0, 3), 5, 8)]
        if form == "hierarchical":  # so that its trees have height 2
            there[0] = "1"
        foreign += not set(here) <= set(there)
        groups = np.append([0, 1], rng.integers(0, 2, 6))
        released = recoded(table_of(here), rng)
        stats = GroupStats.of(released, groups)
        members = [
            [v for v, g in zip(here, groups, strict=True) if g == at] for at in (0, 1)
        ]
        truth = [oracle(part, there, {*here, *there}) for part in members]
        for t in (0.1, 0.25, 0.5, 0.75):
            requirement = make(table_of(there), t)
            near = [each <= exact(t) for each in truth]
            assert requirement.holds(stats).tolist() == near, (seed, t)
        assert requirement.distances(stats) == pytest.approx([*map(float, truth)])
    assert foreign > 20


def exact(t: float) -> Fraction:
    return Fraction(str(t))


def test_the_same_rows_in_another_order_have_distance_0() -> None:
    values: list[Value] = ["1", "1", "2", "5", "9", "1", "2"]
    shuffled = table_of(values[::-1])
    whole = GroupStats.of(shuffled, np.zeros(len(values), int))
    for make, _, _ in FORMS.values():
        assert make(table_of(values), 0).holds(whole).all()
        swapped = table_of([{"1": "5", "5": "1"}.get(str(v), v) for v in values])
        stats = GroupStats.of(swapped, np.zeros(len(values), int))
        assert not make(table_of(values), 0.1).holds(stats).any()


def test_columns_are_found_by_name() -> None:
    rows = [["0", "x", "p"], ["0", "x", "q"], ["0", "y", "q"]]
    table = Table.from_rows(list("ast"), rows, ["a"], ["s", "t"])
    closeness = TCloseness.of(table, 0)
    turned = table.with_roles(["a"], ["t", "s"])
    assert closeness.holds(GroupStats.of(turned, np.zeros(3, int))).all()
    other = Table.from_rows(["a", "u"], [["0", "x"]], ["a"], ["u"])
    with pytest.raises(ValueError, match="got 'u'; it has 's', 't'"):
        closeness.holds(GroupStats.of(other, np.zeros(1, int)))


def test_values_without_a_place_are_refused_when_they_are_checked() -> None:
    other = GroupStats.of(table_of(["1", "many"]), np.zeros(2, int))
    for form in ("ordered", "hierarchical"):
        closeness = FORMS[form][0](table_of(["1", "2"]), 0.5)
        with pytest.raises(TableError, match="value 'many' of sensitive column '0'"):
            closeness.holds(other)
    orders = {"0": ["few", "some", "many"]}
    closeness = TCloseness.of(table_of(["few", "many"]), 0.3, "ordered", orders)
    some = GroupStats.of(table_of(["few", "some", "many", "many"]), np.zeros(4, int))
    assert closeness.distances(some).tolist() == [(0.25 + 0) / 2]
    none = Table.from_rows(["a", "k"], [["0", "2"], ["0", "two"]], ["a"])
    asked = PerRowK.of(none.take(np.array([0])), "k")
    with pytest.raises(TableError, match="column 'k' of group sizes holds 'two'"):
        asked.holds(GroupStats.of(none, np.zeros(2, int)))
    assert asked.holds(GroupStats.of(none, np.zeros(2, int), np.array([0, 0]))).all()


@pytest.mark.parametrize("size", [2**e for e in (20, 38, 39, 40, 49, 50, 51, 60)])
def test_distances_do_not_overflow(size: int) -> None:
    """A group of so many rows, and a table of 4,096 rows with 4,096 numbers."""
    m = 4096
    values: list[Value] = [str(v) for v in range(m)]
    tree = {str(v): [str(v // 64) + "x", "any"] for v in range(m)}
    table = table_of(values)
    rest = size - size // 2 - size // 4
    counts = SensitiveCounts(
        np.zeros(3, np.int64),
        np.array([0, 1000, m - 1]),
        np.array([size // 2, size // 4, rest]),
        np.array([size]),
        tuple(values),
    )
    stats = GroupStats.given([size], [counts])
    shares = {0: Fraction(1, 2), 1000: Fraction(1, 4), m - 1: Fraction(rest, size)}
    p = [shares.get(v, Fraction(0)) for v in range(m)]
    q = Fraction(1, m)
    running = itertools.accumulate(share - q for share in p)
    along = sum(map(abs, running), Fraction(0)) / (m - 1)
    nodes = [sum(p[v : v + 64], Fraction(0)) - 64 * q for v in range(0, m, 64)]
    leaves = sum((abs(share - q) for share in p), Fraction(0))
    for closeness, truth in (
        (TCloseness.of(table, 0), leaves / 2),
        (TCloseness.of(table, 0, "ordered"), along),
        (
            HierarchicalCloseness.of(table, 0, {"0": tree}),
            (leaves + sum(map(abs, nodes), Fraction(0))) / 4,
        ),
    ):
        assert closeness.distances(stats).tolist() == [float(truth)]
        for t in (0.2, 0.3, 0.4, 0.6, 0.7, 0.9, 0.999, 1.0):
            object.__setattr__(closeness, "t", t)
            assert closeness.holds(stats).item() is (truth <= exact(t)), t


def random_tree(rng: np.random.Generator, leaves: int) -> dict[str, list[str]]:
    """A ragged taxonomy: paths of lengths 1 to 3 to one root."""
    paths = [["root"], ["u", "root"], ["v", "root"], ["w", "u", "root"]]
    return {f"s{i}": paths[rng.integers(len(paths))] for i in range(leaves)}


def height(path: tuple[str, ...], tree: dict[str, list[str]]) -> int:
    """How far below a node, given by the nodes above and itself, a leaf can be."""
    return max(
        len(above) - len(path) + 1
        for above in tree.values()
        if tuple(above[len(above) - len(path) :]) == path
    )


def mover(p: np.ndarray, q: np.ndarray, tree: dict[str, list[str]]) -> float:
    """The earth mover's distance as a transportation problem."""
    labels = sorted(tree)
    root = height(("root",), tree)
    cost = np.zeros((len(labels), len(labels)))
    for i, one in enumerate(labels):
        for j, other in enumerate(labels):
            if i != j:
                pairs = zip(reversed(tree[one]), reversed(tree[other]), strict=False)
                common = [a for a, b in pairs if a == b]
                cost[i, j] = height(tuple(reversed(common)), tree) / root
    m = len(labels)
    rows = np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))
    answer = linprog(cost.ravel(), A_eq=np.vstack(rows), b_eq=np.append(p, q))
    return float(answer.fun)


@pytest.mark.parametrize("seed", range(20))
def test_distance_equals_a_transportation_problem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 5)
    values = np.append(np.arange(5), rng.integers(0, 5, 12))
    groups = np.append(np.zeros(5, int), rng.integers(0, 3, 12))
    groups[-3:] = range(3)
    table = Table.from_rows(
        "as", [("0", f"s{v}") for v in values], qi=["a"], sensitive=["s"]
    )
    stats = GroupStats.of(table, groups)
    closeness = HierarchicalCloseness.of(table, 0.2, {"s": tree})
    found = closeness.distances(stats)
    q = np.bincount(values, minlength=5) / len(values)
    for group in range(3):
        inside = values[groups == group]
        p = np.bincount(inside, minlength=5) / len(inside)
        assert found[group] == pytest.approx(mover(p, q, tree), abs=1e-7)
    assert (closeness.holds(stats) == (found <= 0.2)).all()


def test_a_taxonomy_of_one_level_gives_the_equal_distance() -> None:
    rng = np.random.default_rng(1)
    rows = [("0", f"s{v}") for v in rng.integers(0, 4, 30)]
    table = Table.from_rows("as", rows, qi=["a"], sensitive=["s"])
    stats = GroupStats.of(table, np.arange(30) % 4)
    flat = {f"s{v}": ["any", "any"] for v in range(4)}
    found = HierarchicalCloseness.of(table, 0.1, {"s": flat})
    equal = TCloseness.of(table, 0.1)
    assert found.holds(stats).tolist() == equal.holds(stats).tolist()
    assert found.distances(stats) == pytest.approx(equal.distances(stats))
    failing = np.flatnonzero(~found.holds(stats))
    assert "more than t = 0.1" in found.why_not(int(failing[0]), stats)


def test_values_without_a_place_are_refused() -> None:
    table = Table.from_rows("as", [("0", "x"), ("0", "y")], qi=["a"], sensitive=["s"])
    with pytest.raises(TableError, match=r"'y'.*no place"):
        HierarchicalCloseness.of(table, 0.3, {"s": {"x": ["any"]}})
    with pytest.raises(TableError, match="several roots"):
        HierarchicalCloseness.of(table, 0.3, {"s": {"x": ["any"], "y": ["all"]}})
    with pytest.raises(TableError, match="needs a sensitive column"):
        HierarchicalCloseness.of(table.with_roles(["a"]), 0.3, {})


def test_rows_of_a_counted_table_count_as_often_as_they_occur() -> None:
    rows = [["0", "x"], ["0", "x"], ["0", "y"], ["1", "x"], ["1", "x"], ["1", "z"]]
    table = Table.from_rows(["a", "s"], rows, ["a"], ["s"])
    distinct = [*dict.fromkeys(map(tuple, rows))]
    counts = np.array([rows.count([*row]) for row in distinct])
    counted = replace(
        Table.from_rows(["a", "s"], distinct, ["a"], ["s"]), counts=counts
    )
    tree = {"s": {value: ["any"] for value in "xyz"}}
    assert TCloseness.of(counted, 0.2) == TCloseness.of(table, 0.2)
    both = (HierarchicalCloseness.of(each, 0.2, tree) for each in (counted, table))
    assert len({closeness.overall for closeness in both}) == 1
