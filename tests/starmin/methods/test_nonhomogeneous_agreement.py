"""Tests that every non-homogeneous method of the registry agrees with brute force.

A method is tested from the moment it is registered, on 50 small tables, infeasible
ones among them.
"""

import random
from collections.abc import Iterator
from functools import cache, cached_property

import pytest

from starmin.auto.dispatch import call
from starmin.instances import (
    Coding,
    KAnonymity,
    NonHomogeneous,
    NonHomogeneousRanges,
    NonHomogeneousRelease,
    NotSupportedError,
    Objective,
    Problem,
    Result,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.runs.method import Method
from starmin.instances.scales.scale import TaxonomyScale
from starmin.registry import METHODS
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.nonhomogeneous.check_nonhomogeneous import check_nonhomogeneous
from starmin.verify.nonhomogeneous.matcher import check_matchings
from tests.support.rowwise import rowwise_optimum as brute_force

TABLES = 20
RECODING = "nonhomogeneous"


class Drawn(Problem):
    """A problem whose optimum brute force knows."""

    @cached_property
    def optimum(self) -> int | None:
        return brute_force(self.table, self.requirement, self.objective)


@cache
def draw(seed: int, kind: str) -> Drawn:
    """A random problem; the same one for equal arguments, so it is solved once."""
    rng = random.Random(f"{seed} {kind}")
    n, d = rng.randint(3, 6), rng.randint(1, 4)
    symbols = "abc"[: rng.randint(2, 3)]
    rows = [rng.choices(symbols, k=d) for _ in range(n)]
    if rng.random() < 0.4:  # equal rows are what real tables have many of
        rows = rng.choices(rows[: rng.randint(2, n)], k=n)
    names = list("uvwx"[:d])
    table = Table.from_rows(names, rows, names)
    keep = tuple(rng.sample(names, 1)) if rng.random() < 0.15 else ()
    weights = {}
    if kind == "stars" and rng.random() < 0.3:
        weights = {name: rng.randint(0, 4) for name in names}
    k = rng.choice([2, 2, 3, 4])
    scales = None
    if kind == "gcp":
        tree = Taxonomy.parse("{bc{b,c},a}")
        trees = {name: tree for name in names if rng.random() < 0.5}
        scales = Scales.of(table, (), trees)
    objective = Objective(kind, weights, keep, scales)
    return Drawn(table, KAnonymity(k), objective, Coding(RECODING))


def solved(method: Method) -> Iterator[tuple[Drawn, Result[NonHomogeneous]]]:
    """Problems that the method takes, with what it makes of them."""
    found = 0
    for number in range(10 * TABLES):
        seed, place = divmod(number, len(method.objectives))
        problem = draw(seed, method.objectives[place])
        try:
            result = call(method, problem, {})
        except NotSupportedError:
            continue
        yield problem, result
        found += 1
        if found == TABLES:
            return
    raise AssertionError(f"{method.name} took {found} tables, expected {TABLES}")


def assert_valid(problem: Drawn, result: Result[NonHomogeneous]) -> None:
    """The release is what it says, by a check that shares no code with it."""
    table, best = problem.table, result.best
    assert best is not None and best.matchings is not None
    assert best.value(table, problem.objective) == result.value
    if (scales := problem.objective.scales) is None:
        published = NonHomogeneousRelease(table, best).published
        check = check_nonhomogeneous(published, table, problem.requirement)
        assert check_matchings(published, table, best.matchings) is None
    else:
        release = NonHomogeneousRanges(table, best, scales)
        trees = {
            column: scale.taxonomy
            for column, scale in zip(table.qi, scales.scales, strict=True)
            if isinstance(scale, TaxonomyScale)
        }
        cells = read_cells(release.published, Coding("generalization", trees=trees))
        asked = release.published, table, problem.requirement
        check = check_nonhomogeneous(*asked, cells=cells)
        assert (check.gcp, check.stars) == pytest.approx((release.gcp, release.stars))
    assert check.holds and check.consistent
    assert len(best.matchings) >= problem.requirement.k
    assert not best.starred[:, problem.objective.kept(table)].any()


def names_of(kind: str) -> list[str]:
    return [
        method.name
        for method in METHODS.values()
        if method.kind == kind and RECODING in method.recodings
    ]


def refused(problem: Drawn, result: Result[NonHomogeneous]) -> bool:
    if problem.optimum is None:
        assert result.status.value == "infeasible" and result.reason
        assert result.best is None
    return problem.optimum is None


@pytest.mark.parametrize("name", names_of("exact"))
def test_an_exact_method_finds_the_optimum(name):
    feasible = 0
    for problem, result in solved(METHODS[name]):
        if refused(problem, result):
            continue
        assert result.value == problem.optimum == result.lower_bound
        assert result.limit is None
        assert_valid(problem, result)
        assert_certified(problem, result)
        feasible += 1
    assert TABLES / 2 < feasible < TABLES


@pytest.mark.parametrize("name", names_of("heuristic"))
def test_a_heuristic_finds_a_valid_release(name):
    for problem, result in solved(METHODS[name]):
        if not refused(problem, result):
            assert result.value >= problem.optimum
            assert (result.lower_bound or 0) <= problem.optimum
            assert_valid(problem, result)


@pytest.mark.parametrize("name", names_of("bound"))
def test_a_bound_is_one_and_its_certificate_proves_it(name):
    for problem, result in solved(METHODS[name]):
        if not refused(problem, result):
            assert result.best is None and result.value is None
            assert result.lower_bound <= problem.optimum
            assert result.certificate is not None
            assert_certified(problem, result)


def assert_certified(problem: Drawn, result: Result[NonHomogeneous]) -> None:
    if result.certificate is None:
        return
    check = check_certificate(
        result.certificate,
        problem.table,
        problem.requirement,
        problem.objective,
        RECODING,
    )
    assert check.accepted and check.bound == result.certified_bound
