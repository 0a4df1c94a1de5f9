"""Tests of star sets and flows: what the program of a solver proves, it proves, too."""

import csv
import importlib
import random

import numpy as np
import pytest

from starmin.instances import KAnonymity, NotSupportedError, Objective, Table
from starmin.models.nonhomogeneous.matching_flow_tree import matching_flow_tree
from starmin.models.nonhomogeneous.matching_mip import matching_mip
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.places import HOME
from tests.support.rowwise import rowwise_optimum as brute_force


def table_of(seed, n):
    """A table of three or four columns with two or three values each."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 5))
    rows = rng.integers(0, rng.integers(2, 4), (n, d)).astype(str).tolist()
    return Table.from_rows("abcd"[:d], rows, "abcd"[:d])


def objective_of(seed, table):
    """Stars, weighted or with a column kept, or tuples."""
    return (
        Objective(),
        Objective("tuples"),
        Objective(weights={table.qi[0]: 3}),
        Objective(keep=(table.qi[-1],)),
    )[seed % 4]


def test_it_finds_the_optimum_of_brute_force_and_proves_it():
    proven = 0
    for seed in range(40):
        table = table_of(seed, 4 + seed % 3)
        goal, wanted = objective_of(seed, table), KAnonymity(2 + seed % 2)
        found = matching_flow_tree(table, wanted, objective=goal)
        assert found.value == brute_force(table, wanted, goal)
        if found.value:
            check = check_certificate(
                found.certificate, table, wanted, goal, "nonhomogeneous"
            )
            assert check.accepted and check.bound == found.value
            proven += 1
    assert proven > 15


def test_it_proves_what_a_solver_proves_for_three():
    for seed in range(12):
        table = table_of(100 + seed, 7 + seed % 3)
        found = matching_flow_tree(table, KAnonymity(3))
        assert found.value == matching_mip(table, KAnonymity(3)).value
        assert found.certified_bound == found.value


def test_it_ends_in_time_with_a_release():
    table = table_of(5, 40)
    found = matching_flow_tree(table, KAnonymity(3), time_limit=0.5)
    assert found.value is not None and found.runtime < 600


def test_more_rows_and_columns_are_refused():
    rows = [[str(i % (j + 2)) for j in range(12)] for i in range(60)]
    table = Table.from_rows("abcdefghijkl", rows, "abcdefghijkl")
    with pytest.raises(NotSupportedError, match="fewer rows and columns"):
        matching_flow_tree(table, KAnonymity(3))


def test_flows_prove_what_a_program_proves_on_200_kept_tables(monkeypatch) -> None:
    """Of the kept tables five are made and solved again."""
    monkeypatch.syspath_prepend(str(HOME / "benchmarks" / "gaps"))
    script = importlib.import_module("matching_flow_tree")
    with (HOME / "docs" / "data" / "flow_tree.csv").open(newline="") as file:
        kept = list(csv.DictReader(file))
    assert len(kept) == 200
    assert all(row["flow_tree"] == row["mip"] != "-" for row in kept)
    compared = [row for row in kept if row["relaxation"]]
    assert len(compared) == 100
    assert all(int(row["relaxation"]) <= int(row["mip"]) for row in compared)
    for row in random.Random().sample(kept, 5):
        found = matching_flow_tree(script.table_of(int(row["table"])), KAnonymity(3))
        assert str(found.value) == row["flow_tree"], row
