"""Tests that permuted releases keep what they say, and that lies are caught."""

import random
from collections import Counter

import numpy as np
import pytest

from starmin.instances import (
    KAnonymity,
    LDiversity,
    Partition,
    PermutedRelease,
    Table,
    TableError,
    TCloseness,
)
from starmin.verify.releases.permutation_check import (
    check_permutation,
    join_permutation,
)
from tests.support.effort import seeds

ROWS = [
    ["1", "flu", "p"],
    ["2", "cold", "q"],
    ["2", "flu", "q"],
    ["3", "gout", "p"],
    ["4", "cold", "p"],
]
TABLE = Table.from_rows(["age", "ill", "pay"], ROWS, ["age"], ["ill"])
GROUPS = Partition(np.array([1, 1, 0, 0, 0], np.int32))


def joined(tables: dict[str, Table]) -> Table:
    return join_permutation(tables[""], tables[".sa.csv"])


def changed(table: Table, row: int, column: int, cell: str) -> Table:
    rows = [list(each) for each in table.rows()]
    rows[row][column] = cell
    return Table.from_rows(table.names, rows, table.qi, table.sensitive, table.name)


def test_a_release_is_as_by_hand():
    release = PermutedRelease(TABLE, GROUPS)
    tables = release.tables()
    people = [("1", "1"), ("2", "1"), ("2", "2"), ("3", "2"), ("4", "2")]
    assert tables[""].rows() == release.published.rows() == people
    values = tables[".sa.csv"].rows()
    assert {row for row in values if row[0] == "1"} == {
        ("1", "flu", "1"),
        ("1", "cold", "1"),
    }
    assert [row[0] for row in values] == ["1", "1", "2", "2", "2"]
    assert (release.stars, release.suppressed_tuples, release.gcp) == (0, 0, 0.0)
    check = check_permutation(joined(tables), LDiversity(2) & KAnonymity(2), TABLE)
    assert check.holds and check.consistent
    assert (check.k, check.l, check.groups, check.stars) == (2, 2.0, 2, 0)


@pytest.mark.parametrize("seed", seeds(20))
def test_random_releases_keep_groups_and_values(seed):
    rng = random.Random(seed)
    n = rng.randint(1, 30)
    rows = [
        [rng.choice("abc"), rng.choice(["x", "y", None, ""]), rng.choice("uv")]
        for _ in range(n)
    ]
    sensitive = rng.choice([["s"], ["s", "r"]])
    table = Table.from_rows(["q", "s", "r"], rows, ["q"], sensitive)
    groups = Partition.from_labels(np.array([rng.randrange(n) for _ in rows]))
    release = PermutedRelease(table, groups, seed)
    order = np.array(rng.sample(range(n), n))
    tables = release.tables(order)
    # Groups are numbered as they come in the shuffled order.
    numbers = list(dict.fromkeys(int(row[-1]) for row in tables[""].rows()))
    assert numbers == list(range(1, groups.size + 1))
    found = check_permutation(joined(tables), None, table.take(order))
    assert found.consistent and found.k == groups.sizes.min()
    straight = check_permutation(joined(release.tables()), None, table)
    assert straight.consistent
    largest = [
        max(Counter(table.cells(column)[i] for i in members).values()) / len(members)
        for column in sensitive
        for members in [np.flatnonzero(groups.groups == g) for g in range(groups.size)]
    ]
    assert straight.l == pytest.approx(1 / max(largest))


def test_values_of_a_group_come_in_an_order_that_is_drawn_anew():
    rows = [[str(i), str(i)] for i in range(50)]
    table = Table.from_rows(["q", "s"], rows, ["q"], ["s"])
    single = Partition.single(table)
    orders = [
        PermutedRelease(table, single, seed).tables()[".sa.csv"].cells("s")
        for seed in (0, 0, 1, None, None)
    ]
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in [*orders[1:], table.cells("s")]}) == 5


def test_several_sensitive_columns_are_counted_together():
    table = TABLE.with_roles(["age"], ["ill", "pay"])
    tables = PermutedRelease(table, Partition.single(table)).tables()
    assert tables[".sa.csv"].names == ("group", "ill", "pay", "count")
    assert len(tables[".sa.csv"].rows()) == 5
    whole = joined(tables)
    assert check_permutation(whole, LDiversity(2), table).l == pytest.approx(5 / 3)
    assert TCloseness.of(whole, 0).holds(stats_of(whole)).all()


def stats_of(table: Table):
    from starmin.instances import GroupStats

    return GroupStats.of(table, np.zeros(table.n, np.int64))


def test_a_violated_requirement_names_the_group():
    check = check_permutation(
        joined(PermutedRelease(TABLE, GROUPS).tables()), KAnonymity(3)
    )
    assert not check.holds
    assert check.violations[0].rows == (1, 2)


def test_rows_in_another_order_are_counted():
    tables = PermutedRelease(TABLE, GROUPS).tables()
    turned = {**tables, "": tables[""].take(np.arange(TABLE.n)[::-1])}
    found = check_permutation(joined(turned), None, TABLE)
    assert found.reordered and found.consistent is None and found.holds is None
    for name, column in (("", 0), (".sa.csv", 1)):
        lie = {**turned, name: changed(turned[name], 0, column, "9")}
        assert check_permutation(joined(lie), None, TABLE).consistent is False


def test_lies_are_inconsistent():
    tables = PermutedRelease(TABLE, GROUPS).tables()
    public, values = tables[""], tables[".sa.csv"]
    found = check_permutation(
        joined({**tables, "": changed(public, 0, 0, "9")}), None, TABLE
    )
    assert not found.consistent and found.inconsistencies[0].rows == (1,)
    lie = changed(values, 0, 1, "gout")
    found = check_permutation(joined({**tables, ".sa.csv": lie}), None, TABLE)
    assert not found.consistent and found.inconsistencies[0].column == "ill"
    assert "1 group has other sensitive values" in found.inconsistencies[0].why
    moved = {"": changed(changed(public, 1, 1, "2"), 4, 1, "1"), ".sa.csv": values}
    assert check_permutation(joined(moved), None, TABLE).consistent  # both had colds
    moved = {"": changed(changed(public, 0, 1, "2"), 4, 1, "1"), ".sa.csv": values}
    assert check_permutation(joined(moved), None, TABLE).consistent is False
    short = TABLE.take(np.arange(4))
    found = check_permutation(joined(tables), None, short)
    assert found.inconsistencies[0].why == "5 rows; the original has 4"
    other = Table.from_rows(["ill"], [["x"]] * 5, ["ill"])
    found = check_permutation(joined(tables), None, other)
    assert "'age' is not one of the original's" in found.inconsistencies[0].why


@pytest.mark.parametrize(
    ("row", "column", "cell", "why"),
    [
        (0, 0, "2", "group '1' has 1 sensitive values; expected 2"),
        (0, 0, "7", "group '1' has 1 sensitive values; expected 2"),
        (0, 2, "2", "group '1' has 3 sensitive values; expected 2"),
        (0, 2, "0", "row 1, column 'count': expected a whole number above 0"),
        (0, 2, "-1", "got '-1'"),
        (1, 2, "1.0", "row 2, column 'count'.*got '1.0'"),
        (1, 2, "²", "got '²'"),
        (1, 2, "9" * 30, "got '999"),
    ],
)
def test_tables_that_do_not_fit_are_refused(row, column, cell, why):
    tables = PermutedRelease(TABLE, GROUPS).tables()
    values = changed(tables[".sa.csv"], row, column, cell)
    with pytest.raises(TableError, match=why):
        join_permutation(tables[""], values)


def test_missing_and_doubled_columns_are_refused():
    public, values = PermutedRelease(TABLE, GROUPS).tables().values()
    with pytest.raises(TableError, match="no column 'group'"):
        join_permutation(TABLE, values)
    with pytest.raises(TableError, match="no column 'count'"):
        join_permutation(public, values.drop(["count"]))
    with pytest.raises(TableError, match="no column of sensitive values"):
        join_permutation(public, values.drop(["ill"]))
    named = Table.from_rows(["ill", "group"], public.rows(), ["ill"])
    with pytest.raises(TableError, match="column 'ill' is sensitive"):
        join_permutation(named, values)
    extra = Table.from_rows(
        values.names, [*values.rows(), ("3", "flu", "1")], ["group"]
    )
    with pytest.raises(TableError, match="group of no row has 1 sensitive values"):
        join_permutation(public, extra)
    with pytest.raises(TableError, match="needs a sensitive column"):
        PermutedRelease(TABLE.with_roles(["age"]), GROUPS)
    group = Table.from_rows(["group", "s"], [["1", "x"]], ["group"], ["s"])
    with pytest.raises(TableError, match="column 'group' has a name that"):
        PermutedRelease(group, Partition.single(group))
