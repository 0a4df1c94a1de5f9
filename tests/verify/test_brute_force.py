"""Tests that the oracle finds the best of all partitions, or that there is none."""

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from starmin.instances import (
    TUPLES,
    EntropyDiversity,
    GroupStats,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Status,
    Table,
    TableError,
    TCloseness,
)
from starmin.instances.catalogue.catalogue import load_instance
from starmin.verify.brute_force import brute_force
from tests.support.effort import seeds
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)


def partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    """All partitions, each once: the first row joins a group of the others, or not."""
    if not rows:
        yield []
        return
    for groups in partitions(rows[1:]):
        yield [[rows[0]], *groups]
        for i in range(len(groups)):
            yield [*groups[:i], [rows[0], *groups[i]], *groups[i + 1 :]]


def listed_optimum(table: Table, k: int, l: int, objective: Objective) -> int | None:
    """The optimum by listing all partitions."""
    values = []
    for groups in partitions(list(range(table.n))):
        value = 0
        for group in groups:
            cells = [[table.cells(c)[i] for i in group] for c in table.qi]
            starred = {
                c for c, own in zip(table.qi, cells, strict=True) if len(set(own)) > 1
            }
            tops = [
                Counter(table.cells(c)[i] for i in group).most_common(1)[0][1]
                for c in table.sensitive
            ]
            if (
                len(group) < k
                or starred & set(objective.keep)
                or (l > 1 and l * max(tops) > len(group))
            ):
                break
            if objective.kind == "tuples":
                value += len(group) if starred else 0
            else:
                weights = [objective.weights.get(c, 1) for c in starred]
                value += len(group) * sum(weights)
        else:
            values.append(value)
    return min(values, default=None)


@pytest.mark.parametrize("seed", seeds(20))
def test_equals_a_list_of_all_partitions(seed: int) -> None:
    rng = random.Random(seed)
    table = random_table(rng, most=7)
    objective = random_objective(rng, table, rng.choice(["stars", "tuples"]))
    k, l = random_bounds(rng)
    requirement = ask(k, l)
    result = brute_force(table, requirement, objective)
    assert result.value == result.lower_bound == listed_optimum(table, k, l, objective)
    if result.best is None:
        assert result.status is Status.INFEASIBLE
        assert result.reason
    else:
        assert result.best.value(table, objective) == result.value
        assert requirement.holds(GroupStats.of(table, result.best.groups)).all()


def test_known_optima() -> None:
    hospital = load_instance("hospital")
    assert brute_force(hospital, KAnonymity(2)).value == 2
    assert brute_force(hospital, LDiversity(2)).value == 6
    assert brute_force(hospital, LDiversity(2), TUPLES).value == 4
    assert (
        brute_force(load_instance("chakaravarthy-figure-1"), KAnonymity(2)).value == 4
    )
    assert brute_force(load_instance("murakami-uno"), KAnonymity(2)).value == 15


def test_gives_the_reason_of_infeasibility() -> None:
    hospital = load_instance("hospital")
    assert brute_force(hospital, KAnonymity(11)).reason == "10 rows, fewer than k = 11"
    result = brute_force(hospital, LDiversity(4))
    assert result.value is None
    assert result.reason is not None
    assert "'pneumonia' covers 4 of 10 rows" in result.reason


def test_refuses_what_it_does_not_count() -> None:
    many = Table(("a",), np.zeros((1, 13), np.int32), (("x",),), ("a",))
    with pytest.raises(NotSupportedError, match="at most 12 rows, got 13"):
        brute_force(many, KAnonymity(2))
    hospital = load_instance("hospital")
    with pytest.raises(NotSupportedError, match="TCloseness"):
        brute_force(hospital, KAnonymity(2) & TCloseness.of(hospital, 0.5))
    with pytest.raises(ValueError, match="sensitive column"):
        brute_force(hospital.drop(hospital.sensitive), LDiversity(2))
    with pytest.raises(TableError, match="not a quasi-identifier"):
        brute_force(hospital, KAnonymity(2), Objective(keep=("agee",)))


def test_counts_what_no_exact_method_takes() -> None:
    hospital = load_instance("hospital")
    asked = KAnonymity(2) & EntropyDiversity(2)
    found = brute_force(hospital, asked)
    assert found.best is not None and found.value is not None
    assert found.best.violation(hospital, asked) is None
    # Frequency l-diversity is more than entropy l-diversity, k-anonymity less.
    most, least = (
        brute_force(hospital, each).value for each in (LDiversity(2), KAnonymity(2))
    )
    assert most is not None and least is not None
    assert least <= found.value <= most
