"""Tests that non-homogeneous releases are judged as their definition says."""

import random
from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from starmin.instances import (
    Coding,
    KAnonymity,
    LDiversity,
    NonHomogeneous,
    NonHomogeneousRelease,
    NotSupportedError,
    Table,
    read_table,
    write_table,
)
from starmin.instances.catalogue.catalogue import load_instance
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.anonymity_graph import AnonymityGraph
from starmin.verify.nonhomogeneous.check_nonhomogeneous import (
    WeakerNotions,
    check_nonhomogeneous,
)
from starmin.verify.nonhomogeneous.matcher import Matcher, check_matchings
from tests.support.effort import seeds

TABLE_6 = """9422* M *
941*2 F *
941*1 F US
9*111 M Canada
9422* M *
941** F *
9*111 M Canada"""


def released_of(original: Table, starred) -> Table:
    records = NonHomogeneous(np.array(starred, bool))
    return NonHomogeneousRelease(original, records).published


def random_pair(seed: int) -> tuple[Table, Table]:
    """A small table and a release with random stars, rows often alike."""
    rng = random.Random(seed)
    n, d = rng.randint(1, 6), rng.randint(1, 3)
    rows = [rng.choices("ab", k=d) for _ in range(n)]
    names = list("uvw"[:d])
    original = Table.from_rows(names, rows, names)
    share = rng.choice([0.2, 0.5, 0.8])
    stars = [[rng.random() < share for _ in names] for _ in rows]
    released = released_of(original, stars)
    return original, released.take(np.array(rng.sample(range(n), n)))


def agrees(original: Table, released: Table) -> list[list[bool]]:
    return [
        [
            all(b in ("*", a) for a, b in zip(one, other, strict=True))
            for other in released.rows()
        ]
        for one in original.rows()
    ]


def largest_k(pairs: list[list[bool]]) -> int:
    """By networkx, from rows: the largest k with a flow of k for each row."""
    n = len(pairs)
    for k in range(n, 0, -1):
        network = nx.DiGraph()
        for i in range(n):
            network.add_edge("s", ("i", i), capacity=k)
            network.add_edge(("j", i), "t", capacity=k)
        for i in range(n):
            for j in range(n):
                if pairs[i][j]:
                    network.add_edge(("i", i), ("j", j), capacity=1)
        if nx.maximum_flow_value(network, "s", "t") == k * n:
            return k
    return 0


@pytest.mark.parametrize("seed", seeds(27))
def test_k_and_the_weaker_notions_agree_with_their_definitions(seed):
    original, released = random_pair(seed)
    pairs = agrees(original, released)
    n, k = original.n, largest_k(pairs)
    check = check_nonhomogeneous(released, original)
    assert check.k == k
    degrees = (
        [sum(row) for row in pairs],
        [sum(row) for row in zip(*pairs, strict=True)],
    )
    partners = [set() for _ in range(n)]
    for order in permutations(range(n)):
        if all(pairs[i][j] for i, j in enumerate(order)):
            for i, j in enumerate(order):
                partners[i].add(j)
    assert check.weaker == WeakerNotions(
        min(degrees[0]), min(degrees[1]), min(map(min, degrees)),
        min(map(len, partners)),
    )  # fmt: skip
    assert check.k <= check.weaker.global_one_k <= check.weaker.one_k


@pytest.mark.parametrize("seed", seeds(27))
def test_every_answer_comes_with_its_proof(seed):
    original, released = random_pair(seed)
    pairs = np.array(agrees(original, released))
    matcher = Matcher(AnonymityGraph.of(released, original))
    k = matcher.largest()
    if k:
        matchings = matcher.matchings(k)
        assert len(matchings) == k
        assert check_matchings(released, original, matchings) is None
    proof = matcher.obstruction(k + 1)
    outside = np.setdiff1d(np.arange(original.n), proof.records)
    assert proof.outside == pairs[np.ix_(proof.originals, outside)].sum()
    assert (k + 1) * len(proof.originals) > (k + 1) * len(proof.records) + proof.outside
    assert matcher.matchings(k + 1) is None and matcher.obstruction(k) is None


def test_table_6_of_the_paper_is_not_2_anonymous():
    original = load_instance("murakami-uno")
    rows = [[*code, *rest] for code, *rest in map(str.split, TABLE_6.splitlines())]
    released = Table.from_rows(original.qi, rows, original.qi)
    check = check_nonhomogeneous(released, original, KAnonymity(2))
    assert check.stars == 12 and not check.holds and check.k == 1
    assert check.weaker.k_one == 1  # the third released row, 941*1 F US
    assert check.why.startswith("3 rows of the original need 6 pairs for k = 2; ")
    assert check.as_json()["violations_total"] == 1


def test_degrees_alone_are_not_enough():
    """As the paper's Figure 3: all degrees 3, yet one row is linked for certain.

    The first three originals take the first three released rows, so the fourth has
    only the fourth left.
    """
    rows = ["00", "00", "00", "01", "11", "11", "11"]
    names = ["u", "v"]
    original = Table.from_rows(names, map(list, rows), names)
    cells = ["0*", "0*", "0*", "*1", "11", "11", "11"]
    released = Table.from_rows(names, map(list, cells), names)
    check = check_nonhomogeneous(released, original, KAnonymity(3))
    assert check.weaker.k_k == 3 and check.weaker.global_one_k == 1
    assert not check.holds and check.k == 1


def test_a_broken_matching_is_caught():
    original = Table.from_rows(["a"], [["0"], ["1"], ["1"]], ["a"])
    released = released_of(original, [[1], [1], [1]])
    good = np.array([[0, 1, 2], [1, 2, 0]])
    assert check_matchings(released, original, good) is None
    assert "share" in check_matchings(released, original, good[[0, 0]])
    assert "once" in check_matchings(released, original, np.array([[0, 1, 1]]))
    assert "matchings" in check_matchings(released, original, good[:, :2])
    less = released_of(original, [[0], [1], [1]])
    assert "stem" in check_matchings(less, original, good)


def test_another_number_of_rows_or_another_requirement_is_refused():
    original = Table.from_rows(["a"], [["0"], ["0"], ["0"]], ["a"])
    fewer = original.take(np.array([0, 1]))
    check = check_nonhomogeneous(fewer, original, KAnonymity(2))
    assert not check.holds and check.k == 0 and not check.consistent
    assert "as many" in check.why
    with pytest.raises(NotSupportedError, match="KAnonymity only"):
        check_nonhomogeneous(original, original, LDiversity(2))


def test_missing_and_empty_cells_are_alike_in_a_file_without_missing(tmp_path):
    cells = [None, "", "x", None, "", "x", "y", "y"]
    original = Table.from_rows("ab", list(zip(cells, "ppqqrrss", strict=True)), "ab")
    starred = [[0, 1], [1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 0], [0, 0]]
    released = released_of(original, starred)
    assert check_nonhomogeneous(released, original).k == 2
    write_table(released, tmp_path / "released.csv")
    again = read_table(tmp_path / "released.csv")
    check = check_nonhomogeneous(again, original, KAnonymity(2))
    assert check.holds and check.consistent
    matchings = Matcher(AnonymityGraph.of(again, original)).matchings(2)
    assert check_matchings(again, original, matchings) is None
    cells = read_cells(again, Coding("generalization"))
    assert check_nonhomogeneous(again, original, KAnonymity(2), cells=cells).holds


def test_pairs_of_equal_rows_may_be_more_than_2_to_the_31():
    n = 10**5
    table = Table(("a",), np.zeros((1, n), np.int32), (("x",),), ("a",))
    assert check_nonhomogeneous(table, table).k == n
    check = check_nonhomogeneous(table, table, KAnonymity(10**30))
    assert not check.holds and check.k == n
    pairs = f"{n * 10**30} pairs for k = {10**30}; there are at most {n * n}: "
    assert pairs in check.why
