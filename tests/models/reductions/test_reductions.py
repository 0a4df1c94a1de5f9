"""Tests that reductions bound what they come from, and that features compose."""

import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import starmin
from starmin.auto.guard import checked
from starmin.auto.task import Task
from starmin.instances import (
    EntropyDiversity,
    KAnonymity,
    MaxShare,
    MissingValues,
    NotSupportedError,
    Partition,
    Persons,
    Problem,
    Reading,
    RecursiveDiversity,
    Run,
    Table,
    TableError,
)
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.reductions.changed_rows import KnownValues
from starmin.models.reductions.persons import DifferentIds
from starmin.models.reductions.reduction import KnownPart
from starmin.verify.brute_force import brute_force
from tests.support.effort import seeds

FRAME = pd.DataFrame(
    {
        "id": list("aabbccdd"),
        "age": [30, 30, 41, 41, 30, 30, 55, 55],
        "sex": list("mfmfmfmf"),
        "s": ["x", "y", "", "z", "x", "y", "z", ""],
    }
)
DIVERSE = {"sensitive": "s", "l": 2}
FEATURES = {
    "person": {"person": "id"},
    "deletion": {"delete_rows": "row"},
    "missing": DIVERSE | {"missing_sensitive": "none"},
    "closeness": {"sensitive": "s", "t": 0.7},
    "entropy": DIVERSE | {"diversity": "entropy"},
    "tuples": {"objective": "tuples"},
    "floor": {"numeric": ["age"], "top": {"age": 41}, "recoding": "generalization"},
    "kept": {"keep": ["sex"]},
}
# The words by which a pair is refused; all others compose.
REFUSED = {
    ("person", "deletion"): "not for persons",
    ("person", "missing"): "counts rows",
    ("person", "closeness"): "counts rows",
    ("person", "entropy"): "one value each",
    ("deletion", "missing"): "not for known",
    ("deletion", "closeness"): "not for t",
    ("deletion", "entropy"): "not for entropy",
    ("deletion", "tuples"): "stars and gcp",
    ("deletion", "floor"): "without ranges",
    ("deletion", "kept"): "columns that are kept",
    ("missing", "closeness"): "compares with the whole table",
}


@pytest.mark.parametrize("pair", [*combinations(FEATURES, 2)], ids="-".join)
def test_every_pair_of_features_composes_or_is_refused_in_one_line(pair) -> None:
    one, other = pair
    asked = {"k": 2, "time_limit": 2.0} | FEATURES[one] | FEATURES[other]
    warnings.simplefilter("ignore", UserWarning)
    if pair in REFUSED:
        with pytest.raises((TableError, NotSupportedError), match=REFUSED[pair]) as no:
            starmin.anonymize(FRAME, qi=["age", "sex"], **asked)
        assert "\n" not in str(no.value)
        return
    release = starmin.anonymize(FRAME, qi=["age", "sex"], **asked)
    problem, units = release.solution.problem, release.solution.units
    assert release.value is None or release.verify().holds
    if "closeness" in pair:  # which is not said of a group alone
        assert units.lower_bound <= units.value
        return
    optimum = brute_force(problem.table, problem.requirement, problem.objective).value
    if optimum is None or release.status == "optimal":
        assert units.value == optimum
    else:
        assert (units.lower_bound or 0) <= optimum <= units.value


@pytest.mark.parametrize("seed", seeds(12))
def test_the_optimum_of_an_easier_problem_is_not_above(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice(["x", "y", "z", ""], 8).tolist()
    rows = [
        [*map(str, rng.integers(0, 3, 2)), v, f"p{i // 2}"]
        for i, v in enumerate(values)
    ]
    table = Table.from_rows(["a", "b", "s", "id"], rows, ["a", "b"], ["s"])
    persons = Table.from_rows(["a", "b", "s", "id"], rows, ["a", "b"])
    reading = Reading("none", ("",))
    cases = [
        (KnownPart, table, KAnonymity(2) & MaxShare(0.6)),
        (KnownPart, table, MaxShare(0.4)),
        (KnownPart, table, EntropyDiversity(2)),
        (KnownPart, table, RecursiveDiversity(2, 2)),
        (KnownValues, table, MissingValues(starmin.instances.LDiversity(2), reading)),
        (DifferentIds, persons, Persons.of(persons, KAnonymity(3), "id")),
    ]
    for kind, each, asked in cases:
        source = Problem(each, asked)
        easier = kind.of(source)
        assert easier is not None, asked
        least = brute_force(each, asked, source.objective).value
        problem = easier.problem
        below = brute_force(problem.table, problem.requirement, problem.objective)
        if least is not None:
            assert below.value is not None and easier.lift_bound(below.value) <= least
            assert below.best is not None and easier.lift(below.best).sizes.sum() == 8


def test_a_proof_that_was_accepted_of_an_easier_problem_is_kept() -> None:
    """The certificate of the best bound may check slowly: then that one is told."""
    rows = FRAME[["id", "age", "sex"]].astype(str).values.tolist()
    table = Table.from_rows(["id", "age", "sex"], rows, qi=["age", "sex"])
    source = Problem(table, Persons.of(table, KAnonymity(2), "id"))
    easier = DifferentIds.of(source)
    assert easier is not None
    bound = own_pattern(easier.problem.table, easier.problem.requirement)
    proof = bound.certificate
    assert proof is not None and proof.bound > 0
    slow = replace(proof, note="as if it were long")
    run = Run[Partition](table, source.requirement)
    easier.teach(run, replace(bound, accepted=proof, certificate=slow))
    found = checked(run.result(), Task(source, {}), 0.0)
    assert found.certificate_checked and found.certificate == easier.lift_proof(proof)
