"""Tests that dives along prices publish valid releases, and good ones."""

import random

import pytest

from starmin.heuristics.diving.lagrangian_diving import lagrangian_diving
from starmin.instances import KAnonymity, LDiversity, NotSupportedError, Release
from starmin.instances.catalogue.generators import clustered
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.release_check import check_release
from tests.real_scale import FIVE, persons
from tests.seeds import seeds
from tests.small_problems import ask, random_objective, random_table


@pytest.mark.parametrize("seed", seeds(20))
def test_never_below_the_optimum(seed: int) -> None:
    rng = random.Random(seed)
    table = random_table(rng, 1, 9)
    table = table.with_roles(table.qi, table.sensitive[:1])
    requirement = ask(rng.randint(1, 3), rng.randint(2, 3))
    objective = random_objective(rng, table, "stars")
    oracle = brute_force(table, requirement, objective)
    found = lagrangian_diving(table, requirement, objective=objective)
    assert (found.value is None) == (oracle.value is None)
    if found.value is not None:
        assert found.lower_bound <= oracle.value <= found.value
        check = check_certificate(found.certificate, table, requirement, objective)
        assert check.accepted, check.why


@pytest.mark.parametrize("requirement", [LDiversity(2), LDiversity(3), ask(4, 2)])
def test_same_release_again_and_a_longer_search_is_no_worse(requirement) -> None:
    table = clustered(100, 4, 5, seed=1, sensitive=4)
    first, second = (
        lagrangian_diving(table, requirement, stagnation=5) for _ in range(2)
    )
    assert first.best.groups.tolist() == second.best.groups.tolist()
    assert lagrangian_diving(table, requirement, stagnation=20).value <= first.value


def test_time_limit_zero_still_publishes() -> None:
    table = clustered(100, 3, 4, seed=2, sensitive=4)
    assert lagrangian_diving(table, LDiversity(2), time_limit=0.0).best is not None


def test_other_problems_are_refused() -> None:
    table = clustered(20, 2, 3, seed=2, sensitive=3)
    with pytest.raises(NotSupportedError):
        lagrangian_diving(table, KAnonymity(2))
    doubled = table.with_roles(table.qi[:1], (*table.sensitive, table.qi[1]))
    with pytest.raises(NotSupportedError):
        lagrangian_diving(doubled, LDiversity(2))


def test_seeded_persons_are_within_six_per_cent() -> None:
    table = persons(FIVE, ("occupation",), 1_000)
    found = lagrangian_diving(table, LDiversity(4), stagnation=1)
    assert found.gap < 0.06  # 2.7 % when measured
    check = check_certificate(found.certificate, table, LDiversity(4))
    assert check.accepted and found.lower_bound <= check.bound <= found.value
    published = Release(table, found.best).published
    assert check_release(published, LDiversity(4), table).holds
