"""Tests that linking releases reveals what set arithmetic on their rows says."""

import itertools

import numpy as np
import pytest

from starmin.instances import (
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    Partition,
    RecursiveDiversity,
    Release,
    Table,
    TableError,
    TCloseness,
)
from starmin.verify.linkage import (
    Generalization,
    Suppression,
    attack,
    extremal_releases,
    least_linked_diversity,
    pooled,
    reveal_classes,
)
from starmin.verify.linkage.monte_carlo import extremal_supports
from tests.support.effort import seeds


def random_table(rng: np.random.Generator, n: int, values: int) -> Table:
    rows = [
        (str(a), "xyz"[b], str(c), f"s{s}")
        for a, b, c, s in zip(
            *(rng.integers(0, m, n) for m in (3, 3, 2, values)), strict=True
        )
    ]
    return Table.from_rows("abcs", rows, ["a", "b", "c"], ["s"])


def published(table: Table, rng: np.random.Generator) -> Table:
    groups = Partition.from_labels(rng.integers(0, max(1, table.n // 3), table.n))
    return Release(table, groups).published


def by_hand(releases: list[Table], targets: Table) -> dict[tuple, set[str]]:
    """For each target the values common to all releases, by loops over rows."""
    common = {}
    for target in {row[:3] for row in targets.rows()}:
        sets = [
            {
                row[3]
                for row in released.rows()
                if all(c in (t, "*") for c, t in zip(row[:3], target, strict=True))
            }
            for released in releases
        ]
        common[target] = set.intersection(*sets)
    return common


@pytest.mark.parametrize("seed", seeds(15))
def test_attack_equals_set_arithmetic(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tables = [
        random_table(rng, int(rng.integers(4, 20)), 5) for _ in range(seed % 2 + 2)
    ]
    releases = [published(table, rng) for table in tables]
    targets = random_table(rng, 15, 5)
    linkage = attack(releases, targets)
    expected = by_hand(releases, targets)
    types = linkage.targets.row_types
    for i, codes in enumerate(types.codes):
        cells = tuple(
            linkage.targets.dictionary(column)[code]
            for column, code in zip("abc", codes, strict=True)
        )
        assert set(linkage.values_of(i)) == expected[cells]
        assert linkage.after[i] == len(expected[cells])
    report = linkage.as_json()
    assert report["targets"] == 15
    assert sum(report["diversity"].values()) + report["absent"] == 15
    assert report["exposed_total"] == report["diversity"].get(1, 0)


@pytest.mark.parametrize("seed", range(20))
def test_the_true_value_is_always_among_those_left(seed: int) -> None:
    """People common to all releases: what linking leaves contains the truth."""
    rng = np.random.default_rng(seed)
    common = random_table(rng, 8, 4)
    releases, places = [], []
    for _ in range(3):
        others = random_table(rng, 10, 4)
        rows = common.rows() + others.rows()
        order = rng.permutation(len(rows))
        table = Table.from_rows("abcs", [rows[i] for i in order], "abc", "s")
        releases.append(published(table, rng))
        places.append(np.argsort(order)[:8])
    blind = attack(releases, common)
    told_releases, told_targets = reveal_classes(releases, common, places)
    told = attack(told_releases, told_targets)
    for linkage in (blind, told):
        for row, type_ in enumerate(linkage.targets.row_types.inverse):
            assert common.rows()[row][3] in linkage.values_of(int(type_))
    of_blind = blind.after[blind.targets.row_types.inverse]
    of_told = told.after[told.targets.row_types.inverse]
    assert (of_told <= of_blind).all()
    assert (told.matches == 1).all()


def hospitals() -> list[Table]:
    """Table 2 of Rameshwar and Tandon; postal codes of one class as a range."""
    names, qi, s = (
        ("gender", "postal code", "disease"),
        ("gender", "postal code"),
        "disease",
    )
    first = [
        ("Male", "560011-560012", "Heart disease"),
        ("Male", "560011-560012", "Lung infection"),
        ("Female", "560010", "Osteoporosis"),
        ("Female", "560010", "Cervical cancer"),
    ]
    second = [
        ("Female", "560008", "Irritable bowel syndrome"),
        ("Female", "560008", "Lung infection"),
        ("Female", "560010", "Cervical cancer"),
        ("Female", "560010", "Amoebic dysentery"),
    ]
    return [Table.from_rows(names, rows, qi, [s]) for rows in (first, second)]


def test_table_2_of_the_paper_reveals_cervical_cancer() -> None:
    releases = hospitals()
    woman = Table.from_rows(
        ["gender", "postal code"], [["Female", "560010"]], ["gender"]
    )
    ranges = {"postal code": Generalization()}
    linkage = attack(releases, woman, ranges)
    assert linkage.before[:, 0].tolist() == [2, 2]
    assert linkage.values_of(0) == ["Cervical cancer"]
    assert linkage.exposed_by_linking.tolist() == [True]
    # Without targets, whoever is published in full is one; ranges forbid to guess.
    assert attack(releases).as_json()["exposed"][0]["value"] == "Cervical cancer"
    with pytest.raises(TableError, match="'postal code' is generalized; name targets"):
        attack(releases, None, ranges)
    man = Table.from_rows(["gender", "postal code"], [["Male", "560012"]], ["gender"])
    assert attack(releases, man, ranges).as_json()["absent"] == 1


def test_a_release_may_have_fewer_columns_than_the_targets() -> None:
    first = Table.from_rows("abs", [["0", "x", "p"], ["0", "x", "q"]], "ab", "s")
    second = Table.from_rows("bs", [["x", "q"], ["x", "r"]], "b", "s")
    linkage = attack(
        [first, second], Table.from_rows("ba", [["x", "0"], ["x", "1"]], "b")
    )
    assert [linkage.values_of(i) for i in range(2)] == [["q"], []]
    with pytest.raises(TableError, match="no column 'a'"):
        attack([first, second], Table.from_rows("b", [["x"]], "b"))


def test_ranges_sets_and_taxonomies_match_what_they_stand_for() -> None:
    matching = Generalization(
        {"nurse": ["health", "work"], "clerk": ["office", "work"]}
    )
    values = ["nurse", "clerk", "9", "30", "39.5", None]
    expected = {
        "nurse": {"nurse"}, "work": {"nurse", "clerk"}, "*": set(values),
        "{health, 9}": {"nurse", "9"}, "9-30": {"9", "30"}, "[9, 30)": {"9"},
        "(9,39.5]": {"30", "39.5"}, "[9,30[": {"9"}, "9..10": {"9"}, "<30": {"9"},
        "<=30": {"9", "30"}, ">9": {"30", "39.5"}, ">=9": {"9", "30", "39.5"},
        "unknown": set(), None: {None},
    }  # fmt: skip
    value, cell = matching.pairs(values, list(expected))
    found = {c: set() for c in expected}
    for v, c in zip(value, cell, strict=True):
        found[list(expected)[c]].add(values[v])
    assert found == expected
    value, cell = Suppression("?").pairs(values, ["?", "*", "9"])
    assert sorted(zip(cell.tolist(), value.tolist(), strict=True)) == [
        *((0, v) for v in range(6)),
        (2, 2),
    ]


def test_requirements_are_checked_on_the_linked_values() -> None:
    rows = [("0", s) for s in "ppppqr"], [("0", s) for s in "ppqqqt"]
    releases = [Table.from_rows("as", part, "a", "s") for part in rows]
    linkage = attack(releases)
    assert dict(zip(linkage.values_of(0), linkage.linked.count, strict=True)) == {
        "p": 2, "q": 1,
    }  # fmt: skip
    holds = {
        KAnonymity(3): True,
        KAnonymity(4): False,
        DistinctDiversity(2): True,
        LDiversity(2): False,
        EntropyDiversity(2): False,
        RecursiveDiversity(3, 2): True,
        RecursiveDiversity(2, 2): False,
        # 6/12 p, 4/12 q, 1/12 r, 1/12 t of all rows; half L1 is 1/6 + 0 + ...
        TCloseness.of(pooled(releases), 0.17): True,
        TCloseness.of(pooled(releases), 0.16): False,
    }
    for requirement, expected in holds.items():
        assert linkage.failing(requirement).tolist() == [not expected], requirement


def least_by_search(values: int, l: int, releases: int) -> int:
    """The least diversity after linking, over all sets that can be common."""
    shown = np.array(
        [
            1 | sum(1 << s for s in others)
            for size in range(l - 1, values)
            for others in itertools.combinations(range(1, values), size)
        ]
    )
    common = shown
    for _ in range(releases - 1):
        common = np.unique(common[:, None] & shown)
    return min(int(mask).bit_count() for mask in common)


@pytest.mark.parametrize("values", range(1, 9))
def test_worst_case_formula_construction_and_search_agree(values: int) -> None:
    """Proposition 3.1, and Corollary 3.3 (two releases), for up to 8 values."""
    for l, releases in itertools.product(range(1, values + 1), (1, 2, 3, 4)):
        least = least_linked_diversity(values, l, releases)
        assert least == least_by_search(values, l, releases)
        shows = extremal_supports(values, l, releases)
        assert (shows.sum(axis=1) == l).all() and shows[:, 0].all()
        assert shows.all(axis=0).sum() == least
        if releases == 2 and values % 2 == 0:
            assert least == (1 if l <= values // 2 else 2 * l - values)
        if releases > 1:
            tables = extremal_releases(values, l, releases)
            person = Table.from_rows("q", [["x"]], "q")
            linkage = attack(tables, person)
            assert (linkage.before == l).all() and linkage.after.tolist() == [least]
            assert linkage.values_of(0)[0] == "s0"


def test_wrong_releases_are_refused() -> None:
    first = Table.from_rows("as", [["0", "p"]], "a", "s")
    with pytest.raises(TableError, match="two releases or more"):
        attack([first])
    with pytest.raises(TableError, match="one sensitive column"):
        attack([first, first.with_roles(["a"])])
    starred = Table.from_rows("as", [["*", "p"]], "a", "s")
    with pytest.raises(TableError, match="no row is published in full"):
        attack([starred, starred])
