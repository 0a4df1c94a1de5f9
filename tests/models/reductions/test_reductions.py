"""Tests that reductions bound what they come from, and that features compose."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest

import starmin
from starmin.auto.easier_problems import REDUCTIONS, solve_easier
from starmin.auto.guard import checked
from starmin.auto.task import Task
from starmin.instances import (
    DeletedRows,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    MaxShare,
    MissingValues,
    NotSupportedError,
    Objective,
    PartialPartition,
    Partition,
    Persons,
    Problem,
    Reading,
    RecursiveDiversity,
    Result,
    Run,
    Table,
    TableError,
)
from starmin.instances.requirements.requirement import PlainGroup
from starmin.instances.tables.row_types import table_of_types
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.reductions.changed_rows import AddedRows, KnownValues
from starmin.models.reductions.merged_groups import merged_until_valid
from starmin.models.reductions.persons import DifferentIds, OneRowEach, RowsAlone
from starmin.models.reductions.reduction import (
    KnownPart,
    Reduction,
    StricterPart,
    TuplesAsStars,
)
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
    ("deletion", "missing"): "not for ",
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


SEARCHED = MaxShare(0.6), RecursiveDiversity(2, 2), EntropyDiversity(2)
KINDS = (*dict.fromkeys(kind for by in REDUCTIONS for kind in by.kinds), TuplesAsStars)
# Why one reduction leaves nothing to another; all other pairs compose.
APART = {
    (AddedRows, KnownValues): "not for ",
    (AddedRows, OneRowEach): "DeletedRows counts rows",
    (AddedRows, RowsAlone): "DeletedRows counts rows",
    (AddedRows, DifferentIds): "DeletedRows counts rows",
    (AddedRows, KnownPart): "not for ",
    (AddedRows, TuplesAsStars): "stars and gcp",
    (AddedRows, StricterPart): "not for ",
    (KnownValues, StricterPart): "either reads all that is asked",
    (KnownPart, StricterPart): "either reads all that is asked",
    (KnownValues, OneRowEach): "counts rows",
    (KnownValues, RowsAlone): "counts rows",
    (KnownValues, DifferentIds): "counts rows",
    (KnownValues, KnownPart): "either reads all that is asked",
    (OneRowEach, RowsAlone): "no person is left to the other",
    (OneRowEach, DifferentIds): "no person is left to the other",
    (RowsAlone, DifferentIds): "no person is left to the other",
    (DifferentIds, KnownPart): "bounds know different values",
    (DifferentIds, StricterPart): "bounds know different values",
}


def _asked(kinds, seed: int) -> Problem:
    """Return a small problem of several kinds, or raise what refuses it."""
    rng, apart = np.random.default_rng(seed), OneRowEach not in kinds
    cells = [[*map(str, rng.integers(0, 3, 2))] for _ in range(8)]
    values = rng.choice(["x", "y", "z", ""], 8).tolist()
    own = [i if apart else i // 2 for i in range(8)]  # rows of a person may be alike
    rows = [[*cells[at], values[at], f"p{i // 2}"] for i, at in enumerate(own)]
    searched = {KnownPart, StricterPart} & {*kinds}
    diverse = searched or KnownValues in kinds
    table = Table.from_rows("absi", rows, "ab", "s" if diverse else "")
    asked = KAnonymity(2 + seed % 2)
    if searched:
        asked &= SEARCHED[0 if DifferentIds in kinds else seed % 3]
    if KnownValues in kinds:
        reading = Reading("none" if seed % 3 else "any", ("",))
        missing = MissingValues(LDiversity(2), reading)
        asked = missing if seed % 4 == 0 else asked & missing
    if AddedRows in kinds:
        asked = DeletedRows(asked)
    if {OneRowEach, RowsAlone, DifferentIds} & {*kinds}:
        asked = Persons.of(table, asked, "i", pseudonym=not apart)
    kind = "tuples" if TuplesAsStars in kinds else "stars"
    return Problem(table, asked, Objective(kind))


def _chains(source: Problem, kinds) -> Iterator[list[Reduction]]:
    """Yield the reductions of a problem, in each order in which they compose."""
    for order in permutations(kinds):
        chain = list[Reduction]()
        for kind in order:
            if (easier := kind.of(chain[-1].problem if chain else source)) is None:
                break
            chain.append(easier)
        else:
            yield chain


@pytest.mark.parametrize("seed", seeds(12))
@pytest.mark.parametrize(
    "kinds",
    # no oracle knows persons whose groups cannot be united, as by frequency
    [
        kinds
        for kinds in [*((kind,) for kind in KINDS), *combinations(KINDS, 2)]
        if RowsAlone not in kinds or not {KnownPart, StricterPart} & {*kinds}
    ],
    ids=lambda kinds: "-".join(kind.__name__ for kind in kinds),
)
def test_reductions_compose_or_say_why_not(kinds, seed: int) -> None:
    try:
        source = _asked(kinds, seed)
    except TableError as error:
        assert APART[kinds] in str(error) and "\n" not in str(error)
        return
    chains = [*_chains(source, kinds)]
    assert (kinds in APART) == (not chains), chains
    if not chains:
        return
    given = source.table, source.requirement, source.objective
    optimum = brute_force(*given).value
    for chain in chains:
        last = chain[-1].problem
        below = brute_force(last.table, last.requirement, last.objective)
        bound, release = below.value, below.best
        unbounded = any(isinstance(e, StricterPart | RowsAlone) for e in chain)
        assert bound is not None or optimum is None or unbounded
        for easier in reversed(chain):
            bound = None if bound is None else easier.lift_bound(bound)
            release = None if release is None else easier.lift(release)
        if optimum is None or release is None:
            continue
        if unbounded:
            assert bound is None
            if kinds == (StricterPart,):
                assert release.violation(*given) is None
        else:
            assert bound is not None and bound <= optimum
        assert sum(release.sizes) == 8
        if all(easier.equal for easier in chain):
            assert bound == optimum == release.value(source.table, source.objective)
        if not isinstance(release, PartialPartition):
            merged = merged_until_valid(release, *given)
            assert merged is not None
            release = merged
        assert release.violation(*given) is None
        assert release.value(source.table, source.objective) >= optimum


_INNER = LDiversity(2), DistinctDiversity(2), *SEARCHED, RecursiveDiversity(0.6, 2)
_ANY = [MissingValues(inner, Reading("any", ("", "?"))) for inner in _INNER]


@pytest.mark.parametrize("asked", [*_INNER[2:], MaxShare(0.3), *_ANY], ids=str)
def test_releases_of_what_is_stricter_serve(asked) -> None:
    """Whatever texts stand for a missing value, and with k beside."""
    served = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        values = rng.choice(["x", "y", "z", "w", "v", "", "?"], 8).tolist()
        cells = rng.integers(0, 2, (8, 2)).astype(str).tolist()
        rows = [[*cell, value] for cell, value in zip(cells, values, strict=True)]
        table = Table.from_rows("abs", rows, "ab", "s")
        source = Problem(table, asked & KAnonymity(3) if seed % 2 else asked)
        stricter = StricterPart.of(source)
        best = brute_force(stricter.problem.table, stricter.problem.requirement).best
        if best is None:
            continue
        served += best.size > 1
        assert best.violation(table, source.requirement) is None
        groups = [np.flatnonzero(best.groups == group) for group in range(best.size)]
        for group in groups:  # and by the definition in plain Python
            given = PlainGroup.of(group.tolist(), {"s": values}, {})
            assert source.requirement.allows(given)
    assert served or asked in _ANY[-1:]


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


def test_a_search_may_refuse_counted_tables_alone() -> None:
    rows = FRAME[["age", "sex", "s"]].astype(str).values.tolist()
    table = Table.from_rows(["age", "sex", "s"], rows, ["age", "sex"], ["s"])

    def nothing(given: Task) -> Result:
        return Result(None, None, None, 0.0, stats={"method": "own_pattern"})

    def refuse(given: Task) -> Result:
        raise NotSupportedError("it takes no such table")

    for each in (table, table_of_types(table, table.sensitive_types)):
        task = Task(Problem(each, MaxShare(0.6)), {})
        if each.counts is None:
            with pytest.raises(NotSupportedError, match="no such table"):
                solve_easier(task, nothing, refuse)
        else:
            found = solve_easier(task, nothing, refuse)
            assert found is not None and found.best is not None
