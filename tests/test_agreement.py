"""Tests that every method of the registry agrees with brute force on small tables.

A method is tested from the moment it is registered. Exact methods see 120 tables each,
infeasible ones among them; ``AGREE=300 pytest tests/test_agreement.py`` takes more.
"""

import os
import random
from collections.abc import Iterator
from functools import cache, cached_property, reduce
from operator import and_

import pytest

from starmin.auto.dispatch import call
from starmin.instances import (
    DistinctDiversity,
    GeneralizedRelease,
    KAnonymity,
    LDiversity,
    MissingValues,
    NotSupportedError,
    Objective,
    Persons,
    Problem,
    Reading,
    Release,
    Requirement,
    Result,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.requirements.requirement import PARTITION
from starmin.instances.runs.method import Method
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.models.column_generation.column_generation import ColumnGenerationParams
from starmin.registry.methods import METHODS
from starmin.verify.brute_force import brute_force
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.release_check import check_release

EXACT_TABLES = int(os.environ.get("AGREE", "120"))
OTHER_TABLES = 40
MOST_DRAWS = 10 * EXACT_TABLES
FORMS = ("k", "l", "k+l")
TREES = ("{x{1,2},5,7}", "{7,y{x{1,2},5},z{0}}")


class Drawn(Problem):
    """A problem whose optimum brute force knows."""

    @cached_property
    def optimum(self) -> Result:
        return brute_force(self.table, self.requirement, self.objective)


@cache
def draw(seed: int, form: str, kind: str, most: int) -> Drawn:
    """A random problem; the same one for equal arguments, so it is solved once."""
    rng = random.Random(f"{seed} {form} {kind}")
    n = rng.randint(4, most)
    d = rng.randint(1, 5)
    # With gcp some columns may be numbers or have taxonomies.
    symbols = ("1257" if kind == "gcp" else "abcd")[: rng.randint(2, 4)]
    rows = [rng.choices(symbols, k=d) for _ in range(n)]
    if rng.random() < 0.5:  # equal rows are what real tables have many of
        rows = rng.choices(rows[: rng.randint(2, n)], k=n)
    values = "xyzw"[: rng.randint(2, 4)]
    hidden = rng.choices(values, k=n)
    if rng.random() < 0.5:  # as even as can be: feasible for l = 2
        hidden = [values[i % len(values)] for i in range(n)]
        rng.shuffle(hidden)
    if "known" in form:
        hidden = ["" if rng.random() < 0.15 else value for value in hidden]
    names = [f"q{j}" for j in range(d)]
    if form == "persons":
        return of_persons(rng, kind, names, rows, hidden)
    table = Table.from_rows(
        [*names, "s"],
        [[*row, value] for row, value in zip(rows, hidden, strict=True)],
        qi=names,
        sensitive=["s"],
    )
    return Drawn(table, ask(rng, form), aim(rng, kind, table))


def of_persons(
    rng: random.Random,
    kind: str,
    names: list[str],
    rows: list[list[str]],
    hidden: list[str],
) -> Drawn:
    """Rows of a few persons, who may have a pseudonym; then their rows are alike."""
    ids, pseudonym = rng.choices("opqrst", k=len(rows)), rng.random() < 0.5
    if pseudonym:
        rows = [rows[ids.index(who)] for who in ids]
    cells = zip(rows, ids, hidden, strict=True)
    table = Table.from_rows(
        [*names, "id", "s"],
        [[*row, who, value] for row, who, value in cells],
        qi=names,
        sensitive=["s"],
    )
    inner: Requirement = KAnonymity(rng.choice([2, 2, 3]))
    if rng.random() < 0.3:
        inner &= LDiversity(2) if pseudonym else DistinctDiversity(2)
    asked = Persons.of(table, inner, "id", pseudonym=pseudonym)
    return Drawn(table, asked, aim(rng, kind, table))


def reading(rng: random.Random) -> Reading:
    return Reading(rng.choice(["any", "none"]))


def ask(rng: random.Random, form: str) -> Requirement:
    makers = {
        "k": lambda: KAnonymity(rng.randint(2, 4)),
        "l": lambda: LDiversity(rng.choice([2, 2, 3])),
        "distinct": lambda: DistinctDiversity(rng.choice([2, 2, 3])),
        "known-l": lambda: MissingValues(LDiversity(2), reading(rng)),
        "known-distinct": lambda: MissingValues(DistinctDiversity(2), reading(rng)),
    }
    return reduce(and_, [makers[part]() for part in form.split("+")])


def aim(rng: random.Random, kind: str, table: Table) -> Objective:
    """Mostly plain; sometimes with weights or a column that is kept."""
    keep = tuple(rng.sample(table.qi, 1)) if rng.random() < 0.15 else ()
    weights = {}
    if kind != "tuples" and rng.random() < 0.2:
        weights = {name: rng.randint(0, 4) for name in table.qi}
    if kind != "gcp":
        return Objective(kind, weights, keep)
    scale = {column: rng.choice(["numeric", "flat", *TREES]) for column in table.qi}
    numeric = [column for column, how in scale.items() if how == "numeric"]
    trees = {c: Taxonomy.parse(how) for c, how in scale.items() if how in TREES}
    missing = rng.choice([(), ("1",), ("0", "2")])
    loss = rng.choice(["ncp", "granularity"])
    scales = Scales.of(table, numeric, trees, missing, loss)
    return Objective(kind, weights, keep, scales)


# Rows of the tables that a method gets, where 10 take it too long.
ROWS = 10
MOST_ROWS = {
    "assignment_mip": 6,
    "pairwise_cp": 7,
    "pattern_subsets": 7,
    "range_ilp": 8,
}
# What steers a search on large tables goes on long after the optimum of a small one.
OPTIONS = {
    "large_neighbourhood": {"stagnation": 20},
    "column_generation": {"params": ColumnGenerationParams((1e-2,), steps=60)},
}


def solved(method: Method, wanted: int) -> Iterator[tuple[Drawn, Result]]:
    """Problems that the method takes, with what it makes of them."""
    forms = FORMS if "any" in method.requirements else method.requirements
    forms = [f for f in forms if f in FORMS] or forms
    cases = [(f, o) for f in forms for o in method.objectives]
    found = 0
    most, options = MOST_ROWS.get(method.name, ROWS), OPTIONS.get(method.name, {})
    for number in range(MOST_DRAWS):
        # All methods get the same problems of a form, so each is solved once.
        seed, case = divmod(number, len(cases))
        problem = draw(seed, *cases[case], most)
        try:
            result = call(method, problem, options)
        except NotSupportedError:
            continue
        yield problem, result
        found += 1
        if found == wanted:
            return
    raise AssertionError(f"{method.name} took {found} tables, expected {wanted}")


def assert_valid(problem: Drawn, result: Result) -> None:
    """The release is what it says, by a check that shares no code with it."""
    assert result.best is not None
    assert result.best.value(problem.table, problem.objective) == result.value
    published = Release(problem.table, result.best).published
    check = check_release(published, problem.requirement, problem.table)
    assert check.holds and check.consistent
    if problem.objective.kind == "gcp":
        assert_generalized(problem, result)
    kept = problem.objective.kept(problem.table)
    assert not result.best.starred(problem.table)[:, kept].any()


def assert_generalized(problem: Drawn, result: Result) -> None:
    """Published as ranges and nodes it is valid, too, and has the GCP it says."""
    table, objective = problem.table, problem.objective
    scales = objective.scales_of(table)
    kinds = dict(zip(table.qi, scales.scales, strict=True))
    numbers = {
        c: scale for c, scale in kinds.items() if isinstance(scale, NumericScale)
    }
    missing = {text for scale in numbers.values() for text in scale.missing}
    trees = {
        c: scale.taxonomy
        for c, scale in kinds.items()
        if isinstance(scale, TaxonomyScale)
    }
    released = GeneralizedRelease(table, result.best, scales).published
    cells = read_cells(released, numbers, trees, "*", missing, table)
    check = check_release(released, problem.requirement, table, cells=cells)
    assert check.holds and check.consistent
    if not objective.weights:
        rules = {getattr(scale, "rule", None) for scale in kinds.values()}
        lost = result.value / objective.whole(table)
        found = 1 - check.granularity if "granularity" in rules else check.gcp
        assert found == pytest.approx(lost)


def assert_proven(problem: Drawn, result: Result) -> None:
    """What it certifies is so, and no more than the optimum."""
    check = check_certificate(
        result.certificate, problem.table, problem.requirement, problem.objective
    )
    assert check.accepted
    assert result.certified_bound <= check.bound <= problem.optimum.value


def names_of(kind: str) -> list[str]:
    """Those whose releases are partitions, published by suppression."""
    return [
        method.name
        for method in METHODS.values()
        if method.kind == kind
        and "suppression" in method.recodings
        and method.space == PARTITION
    ]


@pytest.mark.parametrize("name", names_of("exact"))
def test_an_exact_method_finds_the_optimum(name):
    feasible = 0
    for problem, result in solved(METHODS[name], EXACT_TABLES):
        optimum = problem.optimum
        if optimum.value is None:
            assert result.status.value == "infeasible" and result.reason
            assert result.best is None
            continue
        assert result.value == optimum.value == result.lower_bound
        assert result.limit is None
        assert_valid(problem, result)
        if result.certificate is not None:
            assert_proven(problem, result)
        feasible += 1
    assert EXACT_TABLES / 5 < feasible < EXACT_TABLES


@pytest.mark.parametrize("name", names_of("heuristic"))
def test_a_heuristic_finds_a_valid_release(name):
    for problem, result in solved(METHODS[name], OTHER_TABLES):
        optimum = problem.optimum.value
        if optimum is None:
            assert result.status.value == "infeasible" and result.reason
            continue
        assert result.value is not None and result.value >= optimum
        assert result.lower_bound is None or result.lower_bound <= optimum
        assert_valid(problem, result)


@pytest.mark.parametrize("name", names_of("bound"))
def test_a_bound_is_one_and_its_certificate_proves_it(name):
    for problem, result in solved(METHODS[name], OTHER_TABLES):
        optimum = problem.optimum.value
        assert result.best is None and result.value is None
        if optimum is None:
            assert result.status.value == "infeasible" and result.reason
            continue
        assert result.lower_bound is not None and result.lower_bound <= optimum
        assert result.certificate is not None
        check = check_certificate(
            result.certificate, problem.table, problem.requirement, problem.objective
        )
        assert check.accepted and check.bound >= result.lower_bound
