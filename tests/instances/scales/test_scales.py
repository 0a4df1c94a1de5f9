"""Tests that scales number values and lose what their definitions say."""

import random
from fractions import Fraction
from functools import cached_property
from importlib import import_module

import numpy as np
import pytest

from starmin.auto.dispatch import call
from starmin.instances import (
    GeneralizedRelease,
    KAnonymity,
    Objective,
    Partition,
    Problem,
    Scales,
    Table,
    TableError,
    Taxonomy,
)
from starmin.instances.scales.scale import TREE, Layout, Scale, ScaleArrays
from starmin.instances.scales.scale_loops import extent, group_ranges
from starmin.registry import find
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import seeds
from tests.support.places import HOME

TREES = ("{a,b,c,d}", "{x{a,b},y{c,d}}", "{x{a,y{b,c}},z{w{d}},e}")
NUMBERS = ("0", "1.50", "-3", "7.25", "+2", "2.0", "?", "")
MISSING = {"?", ""}


def random_scales(rng: random.Random) -> tuple[Table, Scales, dict[str, Taxonomy]]:
    """Four columns: numbers, a tree, a flat one, numbers or a tree."""
    n = rng.randint(1, 9)
    trees = {"t": Taxonomy.parse(rng.choice(TREES)), "u": Taxonomy.parse(TREES[2])}
    rows = [
        [rng.choice(NUMBERS), rng.choice("abcd"), rng.choice("xy"), rng.choice("abc")]
        for _ in range(n)
    ]
    table = Table.from_rows(["p", "t", "f", "u"], rows, qi=["p", "t", "f", "u"])
    return table, Scales.of(table, ["p"], trees), trees


def penalty(texts: list[str], domain: list[str], tree: Taxonomy | None) -> Fraction:
    """The NCP of a column by its definition, from texts."""
    if tree is None:
        return Fraction(len(set(texts)) > 1)
    if len(set(texts)) == 1:
        return Fraction(0)
    paths = {path[0]: path for path in tree.paths}
    above = [node for node in paths[texts[0]] if all(node in paths[t] for t in texts)]
    leaves = sum(above[0] in path for path in paths.values())
    return Fraction(leaves, len(paths))


def length(texts: list[str], domain: list[str]) -> Fraction:
    if MISSING & set(texts):
        return Fraction(len(set(texts)) > 1)
    domain = [text for text in domain if text not in MISSING]
    width = max(map(Fraction, domain)) - min(map(Fraction, domain))
    return (max(map(Fraction, texts)) - min(map(Fraction, texts))) / (width or 1)


@pytest.mark.parametrize("seed", seeds(33))
def test_value_is_the_sum_of_penalties_by_definition(seed):
    rng = random.Random(seed)
    table, scales, trees = random_scales(rng)
    labels = np.array([rng.randint(0, 2) for _ in range(table.n)])
    partition = Partition.from_labels(labels)
    weights = {c: rng.randint(0, 3) for c in rng.sample(table.qi, 2)}
    objective = Objective("gcp", weights, scales=scales)
    lost, most = Fraction(0), 0
    for column in table.qi:
        cells = [cell or "" for cell in table.cells(column)]
        weight = weights.get(column, 1)
        most += weight * table.n
        for group in range(partition.size):
            texts = [cells[i] for i in np.flatnonzero(partition.groups == group)]
            share = (
                length(texts, cells)
                if column == "p"
                else penalty(texts, cells, trees.get(column))
            )
            lost += weight * len(texts) * share
    value, whole = partition.value(table, objective), objective.whole(table)
    assert value * most == lost * whole
    low, high = scales.ranges(table, partition.groups, partition.size)
    prices = objective.range_prices(table)
    assert partition.sizes @ scales.extents(low, high) @ prices == value
    assert_loops_agree(scales, low, high, scales.arrays)


def assert_loops_agree(
    scales: Scales, low: np.ndarray, high: np.ndarray, arrays: ScaleArrays
) -> None:
    for g, j in np.ndindex(low.shape):
        expected = scales.extents(low, high)[g, j]
        assert extent(arrays, j, low[g, j], high[g, j]) == expected


def test_compiled_ranges_are_those_of_small_tables():
    rng = np.random.default_rng(1)
    places, groups = rng.integers(0, 9, 99).astype(np.int32), rng.integers(0, 7, 99)
    low, high = np.empty((2, 7), np.int32)
    group_ranges(places, groups, low, high)
    for group in range(7):
        assert low[group] == places[groups == group].min()
        assert high[group] == places[groups == group].max()


def test_positions_are_by_number_or_leaf_and_tell_texts_apart():
    rows = [["10", "b"], ["9", "c"], ["9.0", "a"]]
    table = Table.from_rows(["p", "t"], rows, qi=["p", "t"])
    scales = Scales.of(table, ["p"], {"t": Taxonomy.parse("{x{c,z},a,b}")})
    assert scales.row_positions(table).tolist() == [[2, 3], [0, 0], [1, 2]]
    types = scales.type_positions(table)
    assert (
        types[table.row_types.inverse].tolist() == scales.row_positions(table).tolist()
    )
    assert scales.extents(np.array([[0, 0]]), np.array([[1, 1]])).tolist() == [[0, 2]]


def test_huge_domains_are_exact_and_prices_fall_back():
    rows = [["0", "0"], ["9007199254740881", "9007199254740847"]]
    table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    objective = Objective("gcp", scales=Scales.of(table, ["p"]), keep=("q",))
    assert Partition.single(table).value(table, objective) == objective.whole(table)
    rows = [["0", "0"], ["9007199254740881", "9007199254740847"], ["3", "7"]]
    table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    objective = Objective("gcp", scales=Scales.of(table, ["p", "q"]), keep=("q",))
    assert Partition.single(table).value(table, objective) == objective.whole(table)
    prices = objective.range_prices(table)
    assert prices[0] == 1 / 9007199254740881 and prices[1] == -1


@pytest.mark.parametrize(
    ("cells", "numeric", "trees", "why"),
    [
        (["1", "x"], "a", {}, "row 2, column 'a': expected a number as 42"),
        (["1", "inf"], "a", {}, "at infinity: put a number in its place"),
        (["1", "1e"], "a", {}, "got '1e'"),
        (["1", "nan"], "a", {}, "row 2, column 'a': expected a number .* got 'nan'"),
        (["1", "2", "-inf"], "a", {}, "row 3, column 'a': .* got '-inf'"),
        (["1", "(1+2j)"], "a", {}, "row 2, column 'a': expected a number"),
        (["1", "٣"], "a", {}, "expected a number"),
        (["0", "1." + "9" * 5000], "a", {}, "expected a number"),
        (["1", "2"], "b", {}, "column 'b' is declared numeric or has"),
        (["1", "2"], "a", {"a": "{1,2}"}, "expected one of them"),
        (["1", "2"], "", {"a": "{1,3}"}, "row 2, column 'a': '2' is no leaf of"),
    ],
)
def test_columns_without_such_a_scale_are_refused(cells, numeric, trees, why):
    table = Table.from_rows(["a"], [[cell] for cell in cells], qi=["a"])
    forest = {column: Taxonomy.parse(text) for column, text in trees.items()}
    with pytest.raises(TableError, match=why):
        Scales.of(table, list(numeric), forest)


def test_scales_of_another_table_are_refused():
    table = Table.from_rows(["a", "b"], [["1", "x"], ["2", "y"]], qi=["a", "b"])
    other = Table.from_rows(["a"], [["1"]], qi=["a"])
    with pytest.raises(ValueError, match="scales were made of"):
        Objective("gcp", scales=Scales.of(table)).check(other)
    with pytest.raises(ValueError, match="'gcp' only"):
        Objective("stars", scales=Scales.of(table))
    with pytest.raises(ValueError, match="Expected stars or tuples"):
        Objective("gcp").row_costs(table, np.ones((1, 2), bool))


def test_missing_values_are_apart_from_numbers_and_from_each_other():
    rows = [["3"], [None], ["5"], ["?"], ["9"], ["NA"]]
    table = Table.from_rows(["a"], rows, qi=["a"])
    scales = Scales.of(table, ["a"], missing=["?", "NA"])
    assert scales.row_positions(table)[:, 0].tolist() == [3, 0, 4, 1, 5, 2]
    low, high = np.triu_indices(6)
    extents = scales.extents(low[:, None], high[:, None])[:, 0]
    at = [0, 0, 0, 0, 1, 3]
    expected = [
        3 * (a != b) if a < 3 else at[b] - at[a]
        for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]
    assert extents.tolist() == expected and scales.domains.tolist() == [3]
    assert_loops_agree(scales, low[:, None], high[:, None], scales.arrays)
    with pytest.raises(TableError, match="'NA'"):
        Scales.of(table, ["a"])


def test_an_empty_leaf_of_a_tree_is_a_missing_cell():
    table = Table.from_rows(["a"], [[None], ["x"]], qi=["a"])
    tree = Taxonomy([("", "*"), ("x", "*")])
    assert Scales.of(table, (), {"a": tree}).row_positions(table).tolist() == [[0], [1]]
    both = Table.from_rows(["a"], [[None], [""], ["x"]], qi=["a"])
    with pytest.raises(TableError, match="None is no leaf"):
        Scales.of(both, (), {"a": tree})


# The taxonomy of the paper's Figure 20: NCP({Italy, France}) = 3/5.
COUNTRIES = Taxonomy.parse("{Europe{Italy,France,Spain},America{US,Canada}}")
ROWS = [
    ["20", "Italy", "f", "x"],
    ["30", "France", "f", "y"],
    ["30", "Italy", "f", "x"],
    ["60", "US", "m", "x"],
    ["60", "Spain", "m", "y"],
]
TABLE = Table.from_rows(
    ["age", "country", "sex", "ill"], ROWS, ["age", "country", "sex"], ["ill"]
)
SCALES = Scales.of(TABLE, ["age"], {"country": COUNTRIES})
GROUPS = Partition(np.array([0, 0, 0, 1, 1], np.int32))
LOW, HIGH = SCALES.ranges(TABLE, GROUPS.groups, GROUPS.size)
NCP = SCALES.ncp(LOW, HIGH)
SIZES = GROUPS.sizes


def test_ncp_by_column_and_group():
    assert NCP.tolist() == [[10 / 40, 3 / 5, 0], [0, 1, 0]]


def test_gcp_and_its_exact_value():
    objective = Objective("gcp", scales=SCALES)
    # Domains 4 (tens of years), 5 and 1: in units of 1/20.
    assert GROUPS.value(TABLE, objective) == 3 * (5 + 12) + 2 * 20
    assert objective.whole(TABLE) == 5 * 3 * 20
    weighted = Objective("gcp", weights={"age": 2, "sex": 4}, scales=SCALES)
    share = GROUPS.value(TABLE, weighted) / weighted.whole(TABLE)
    assert share == pytest.approx((3 * 1.1 + 2) / 35)


def test_by_stars_alone_gcp_is_the_number_of_stars():
    plain = Objective("gcp")
    assert GROUPS.value(TABLE, plain) == GROUPS.value(TABLE) == 3 * 2 + 2
    assert plain.whole(TABLE) == 15
    assert GROUPS.value(TABLE, Objective("gcp", {"age": 5})) == 3 * 6 + 2


def test_measures_of_groups(monkeypatch):
    folder = HOME / "benchmarks/papers/one_dimensional"
    monkeypatch.syspath_prepend(folder)
    measures = import_module("group_losses")
    assert measures.group_ncp(NCP, [2, 1, 4]) == pytest.approx([1.1, 1])
    assert measures.weighted_max_ncp(SIZES, NCP) == pytest.approx(2.55)
    assert measures.mean_ncp(NCP) == pytest.approx(0.925)
    # Sides that are single values are 1/3 (age), 1/2 (sex).
    volume = measures.weighted_mean_volume(SIZES, NCP, [3, 5, 2])
    assert volume == pytest.approx((3 * (0.25 * 0.6 / 2) + 2 * (1 / 3 / 2)) / 5)


MONTHS = "{q1{01,02,03},q2{04,05,06},q3{07,08,09},q4{10,11,12}}"


class Months(Scale):
    """Months below quarters, by arithmetic: a kind that no other file knows."""

    def lowest(self, low, high):
        quarter = np.where(low // 3 == high // 3, 13 + low // 3, 12)
        return np.where(low == high, low, quarter).astype(np.int64)

    @cached_property
    def layout(self):
        tree = Taxonomy.parse(MONTHS)
        begins = np.arange(0, 12, 3)
        return Layout(
            parents=np.r_[13 + np.arange(12) // 3, [12] * 5],
            losses=np.r_[[0] * 12, 12, [3] * 4],
            first=np.r_[:12, 0, begins],
            last=np.r_[:12, 11, begins + 2],
            allowed=np.ones(17, bool),
            places=np.arange(12),
            kind=TREE,
            tree=tree,
            whole=tree,
        )

    def levels(self):
        nodes = np.arange(12), 13 + np.arange(12) // 3, np.full(12, 12)
        return [level[self.positions].astype(np.int32) for level in nodes]


EACH = """pattern_ilp branch_and_bound box_program own_pattern ruin_and_recreate
pattern_cover mondrian incognito single_dimensional top_down_specialization hilbert
blocks"""


@pytest.mark.parametrize("name", EACH.split())
def test_a_new_kind_of_scale_is_one_class(name):
    rng = random.Random(5)
    rows = [[f"{rng.randint(1, 12):02}", rng.choice("xy")] for _ in range(6)]
    table = Table.from_rows(["m", "f"], rows, qi=["m", "f"])
    known = Scales.of(table, (), {"m": Taxonomy.parse(MONTHS)})
    months = Months(known.scales[0].positions, 12)
    new = Scales(known.columns, (months, known.scales[1]))
    found = []
    for scales in (known, new):
        goal = Objective("gcp", scales=scales)
        result = call(find(name), Problem(table, KAnonymity(2), goal), {})
        found.append([result.value, result.lower_bound, result.status])
        if isinstance(result.best, Partition):
            release = GeneralizedRelease(table, result.best, scales)
            found[-1] += [release.published.rows()]
        if result.certificate is not None:
            check = check_certificate(result.certificate, table, KAnonymity(2), goal)
            found[-1] += [result.certificate.data, check.accepted, check.bound]
    assert found[0] == found[1]
