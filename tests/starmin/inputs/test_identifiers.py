"""Tests that columns that identify people are warned of, and others are not."""

import warnings
from pathlib import Path

import pytest

import starmin
from starmin.inputs.notices import identifiers
from starmin.instances import Objective, Scales, Table
from starmin.instances.catalogue.catalogue import load_instance

N = 40


def table_of(column: list[str]) -> Table:
    rows = [[cell, str(i % 2)] for i, cell in enumerate(column)]
    return Table.from_rows(["x", "sex"], rows, qi=["x", "sex"], name="t")


def names(n: int, distinct: int) -> list[str]:
    return [f"p{min(i, distinct - 1)}" for i in range(n)]


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (names(N, N), True),
        (names(N, 38), True),  # 95 %
        (names(N, 37), False),
        (names(19, 18), False),
        (names(10, 10), True),
        (names(9, 9), False),
        ([str(i) for i in range(20)], True),
        ([str(i) for i in range(19)], False),  # ages of few people, perhaps
    ],
)
def test_columns_with_as_many_values_as_rows_are_told(column, told):
    found = identifiers(table_of(column))
    assert len(found) == told
    if told:
        assert found[0].startswith(
            f"t: column 'x' has {len(set(column))} different values in {len(column)} "
        )
        assert "--drop x" in found[0]
    assert identifiers(table_of(column), ["x"]) == []


def test_values_count_only_where_they_occur():
    table = table_of(names(N, N)).take([0] * 30)
    assert len(table.dictionary("x")) == N and identifiers(table) == []


def test_people_of_the_catalogue_are_not_warned_of():
    for name in ("hospital", "murakami-uno", "mortgages", "census:n=500"):
        assert identifiers(load_instance(name)) == [], name


@pytest.fixture
def run(jobs_here, by_line):
    lines = [f"{name},{i % 2},{i % 5}" for i, name in enumerate(names(N, N))]
    Path("people.csv").write_text("\n".join(["name,sex,age", *lines]) + "\n")
    return by_line


@pytest.mark.parametrize(
    "line",
    [
        "solve people.csv --k 2 --method mondrian --quiet",
        "solve people.csv --k 2 --method mondrian --quiet --json",
        "solve people.csv --k 99 --quiet",
        "bound people.csv --k 2 --method own_pattern --quiet",
        "gap people.csv --k 2,3 --methods mondrian,own_pattern --quiet",
        "dual people.csv --max-loss 0.5 --quiet",
    ],
)
def test_commands_warn_in_one_line(run, line):
    code, _, err = run(line)
    assert code == ("--k 99" in line)
    assert err.count("'name' has 40 different values in 40 rows") == 1
    assert err.count("warning") == 1 and "(--drop name)" in err
    code, _, err = run(f"{line} --drop name")
    assert code == ("--k 99" in line) and "different values" not in err


def test_ranges_and_refusals_come_without_a_warning(run):
    Path("ages.csv").write_text("age\n" + "\n".join(map(str, range(N))) + "\n")
    ranged = "solve ages.csv --k 2 --recoding generalization --quiet --method mondrian"
    code, _, err = run(f"{ranged} --numeric age --round age=5")
    assert (code, err) == (0, "")
    assert "different values" in run(ranged)[2]
    code, _, err = run("solve people.csv --k 2 --method no --quiet")
    assert code == 2 and err.count("\n") == 1


def test_python_warns():
    table = table_of([str(i) for i in range(N)])
    with pytest.warns(UserWarning, match="column 'x' has 40 different values"):
        starmin.solve(table, k=2, method="mondrian")
    with pytest.warns(UserWarning, match="column 'x' has 40 different values"):
        starmin.bound(table, k=2, method="own_pattern")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        starmin.solve(
            table,
            k=2,
            method="mondrian",
            objective=Objective("gcp", scales=Scales.of(table, ["x"])),
        )
