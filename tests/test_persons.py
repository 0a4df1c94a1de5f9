"""Tests that persons and households are counted, and not their rows."""

import csv

import pytest

from starmin.auto.choice import solve_by
from starmin.auto.lower_bounds import bound_by
from starmin.instances import (
    STARS,
    TUPLES,
    Problem,
    Release,
)
from starmin.models.persons.person_ilp import person_ilp
from starmin.verify import certificate_checker
from starmin.verify.certificates.certificate_check import check_certificate
from tests.every_person import FORMS, Small
from tests.fuzzing import TRIES

EXACT = TRIES or 40
AUTO = TRIES or 12


@pytest.mark.parametrize("form", FORMS)
def test_the_exact_method_finds_what_trying_every_release_finds(form):
    for seed in range(EXACT):
        small = Small.of(seed, form)
        tuples = seed % 4 == 3
        goal = TUPLES if tuples else STARS
        found = person_ilp(small.table, small.requirement, objective=goal)
        assert found.value == small.optimum(tuples), seed
        assert found.lower_bound == found.value, seed


@pytest.mark.parametrize("form", FORMS)
def test_auto_finds_it_and_both_checkers_accept_its_certificate(form, tmp_path):
    proven = 0
    for seed in range(AUTO):
        small = Small.of(1_000_000 + seed, form)
        table, asked = small.table, small.requirement
        found = solve_by("auto", Problem(table, asked), {"time_limit": 60.0})
        assert found.value == small.optimum(), seed
        if found.best is not None:
            assert found.lower_bound == found.value
            release = Release(table, found.best).published
            columns = [table.names.index(c) for c in table.qi]
            cells = [[row[j] for j in columns] for row in release.rows()]
            assert small.allowed(cells) and cells in list(small.releases())
        bounded = bound_by("auto", Problem(table, asked), {"time_limit": 60.0})
        for proof in (found.certificate, bounded.certificate):
            if proof is None:
                continue
            proven += 1
            assert proof.bound <= found.value
            assert check_certificate(proof, table, asked, STARS).accepted
            assert _checked_alone(tmp_path, table, proof) is True
    assert proven > AUTO // 4


def _checked_alone(folder, table, proof):
    """The verdict of the checker that needs nothing but Python."""
    with (folder / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([table.names, *table.rows()])
    proof.write(folder / "proof.json")
    paths = str(folder / "table.csv"), str(folder / "proof.json")
    return certificate_checker.check(*paths)[0]
