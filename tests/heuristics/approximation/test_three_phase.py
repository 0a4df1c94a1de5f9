"""Tests that TP keeps its guarantees, and TP+ and coarsening never lose to it."""

from collections import Counter

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from starmin.heuristics.approximation.three_phase import (
    coarse_three_phase,
    three_phase,
    three_phase_hybrid,
)
from starmin.heuristics.orders.suppression import (
    hilbert_suppression,
    lexicographic_suppression,
)
from starmin.heuristics.recoding.anatomy import anatomy
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.heuristics.recoding.top_down import top_down
from starmin.instances import (
    STARS,
    TUPLES,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Scales,
    Status,
    Table,
    Taxonomy,
    why_infeasible,
)
from starmin.instances.catalogue.catalogue import hospital
from starmin.instances.catalogue.generators import census, hard_residue
from starmin.verify.brute_force import brute_force


def random_table(seed: int, n: int, d: int = 2, l: int = 2) -> Table:
    rng = np.random.default_rng(seed)
    values = l + int(rng.integers(0, 4))
    weights = rng.dirichlet(8 * np.ones(values))
    alphabet = int(rng.integers(1, 4))
    rows = [
        [*map(str, rng.integers(0, alphabet, d)), str(rng.choice(values, p=weights))]
        for _ in range(n)
    ]
    qi = [f"q{j}" for j in range(d)]
    return Table.from_rows([*qi, "s"], rows, qi=qi, sensitive=["s"])


def fewest_tuples(table: Table, l: int) -> int:
    """The optimum as an integer program over the rows that each cell gives up."""
    cells = Counter(table.rows())
    keys = list(cells)
    groups = sorted({key[:-1] for key in keys})
    values = sorted({str(key[-1]) for key in keys})
    member = np.array([[float(key[:-1] == g) for key in keys] for g in groups])
    same = np.array([[float(key[-1] == v) for key in keys] for v in values])
    count = np.array([float(cells[key]) for key in keys])
    at = [groups.index(key[:-1]) for key in keys]
    stay = l * np.eye(len(keys)) - member[at]  # times (count - x) <= 0
    leave = l * same - 1.0  # times x <= 0
    solution = milp(
        np.ones(len(keys)),
        constraints=[
            LinearConstraint(stay, lb=stay @ count),
            LinearConstraint(leave, ub=np.zeros(len(values))),
        ],
        bounds=Bounds(np.zeros(len(keys)), count),
        integrality=np.ones(len(keys)),
    )
    return round(solution.fun)


def check(result: Result, l: int, optimum: int) -> None:
    assert result.value is not None and result.lower_bound is not None
    assert result.lower_bound <= optimum <= result.value
    phase = result.stats["phase"]
    if phase == 1:
        assert result.value == optimum
    elif phase == 2:
        assert result.value <= optimum + l - 1
    assert result.value <= l * optimum
    assert l > 2 or phase != 3


@pytest.mark.parametrize("l", [2, 3, 4])
def test_guarantees_against_brute_force(l: int) -> None:
    checked = 0
    for seed in range(60):
        table = random_table(seed, n=4 + seed % 6, l=l)
        result = three_phase(table, LDiversity(l))
        assert (result.reason is None) == (why_infeasible(table, LDiversity(l)) is None)
        if result.reason is None:
            optimum = brute_force(table, LDiversity(l), TUPLES).value
            assert optimum is not None
            check(result, l, optimum)
            stars = brute_force(table, LDiversity(l), STARS).value
            in_stars = three_phase(table, LDiversity(l), objective=STARS)
            assert stars is not None and in_stars.value is not None
            assert stars <= in_stars.value <= l * table.d * stars
            assert in_stars.lower_bound is not None and in_stars.lower_bound <= stars
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("l", [2, 5])
def test_guarantees_on_random_tables(l: int) -> None:
    phases = Counter[object]()
    for seed in range(100):
        table = random_table(seed, n=20 + seed, d=3, l=l)
        result = three_phase(table, LDiversity(l))
        if result.status != Status.INFEASIBLE:
            check(result, l, fewest_tuples(table, l))
            phases[result.stats["phase"]] += 1
    assert {1, 2} <= set(phases)


@pytest.mark.parametrize("phase", [2, 3])
@pytest.mark.parametrize("l", [3, 5])
def test_guarantees_on_hard_tables(l: int, phase: int) -> None:
    for seed in range(18):
        height = 1 + seed % 9
        table = hard_residue(l, height, phase, d=2, seed=seed)
        result = three_phase(table, LDiversity(l))
        assert result.stats["phase"] == phase
        assert float(result.stats["rounds"]) <= -(-(l - 2) * height // l)
        check(result, l, fewest_tuples(table, l))


def test_tall_groups_reach_phase_three_too() -> None:
    # Pillars 0 and 1 are 7 high in R; each other group is thin, 6 high, and holds one.
    groups = [{0: 7}, {1: 7}, {0: 6, 2: 6, 3: 6}, {1: 6, 4: 6, 5: 6}]
    rows = [
        [str(g), str(value)]
        for g, group in enumerate(groups)
        for value, count in group.items()
        for _ in range(count)
    ]
    table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    result = three_phase(table, LDiversity(3))
    assert result.stats["phase"] == 3
    check(result, 3, fewest_tuples(table, 3))


def test_hospital() -> None:
    result = three_phase(hospital(), LDiversity(2))
    assert (result.value, result.status) == (4, Status.OPTIMAL)
    assert result.best is not None and result.best.value(hospital(), STARS) == 8
    assert result.stats["guarantee"] == "optimal in suppressed tuples"


def test_bound_counts_the_weights() -> None:
    rows = [["0", "x", "a"], ["1", "y", "b"]]
    table = Table.from_rows(["p", "q", "s"], rows, qi=["p", "q"], sensitive=["s"])
    cheap = three_phase(table, LDiversity(2), objective=Objective(weights={"p": 0}))
    assert (cheap.value, cheap.lower_bound) == (2, 0)
    dear = three_phase(
        table, LDiversity(2), objective=Objective(weights={"p": 3, "q": 5})
    )
    assert (dear.value, dear.lower_bound) == (16, 6)


def test_nothing_to_do_and_nothing_left() -> None:
    pair = [["0", "a"], ["0", "b"]]
    one_type = Table.from_rows(["q", "s"], pair, qi=["q"], sensitive=["s"])
    done = three_phase(one_type, LDiversity(2) & KAnonymity(2))
    assert done.best is not None
    assert (done.value, done.stats["residue"]) == (0, 0)
    apart = Table.from_rows(
        ["q", "s"], [["0", "a"], ["1", "b"]], qi=["q"], sensitive=["s"]
    )
    gone = three_phase(apart, LDiversity(2)).best
    assert gone is not None
    assert gone.groups.tolist() == Partition.single(apart).groups.tolist()
    assert "covers 1 of 1 row" in str(
        three_phase(apart.take(np.array([0])), LDiversity(2)).reason
    )


def test_says_what_it_does_not_support() -> None:
    table = random_table(1, 8)
    with pytest.raises(NotSupportedError, match=r"of the form l, k\+l; got k"):
        three_phase(table, KAnonymity(2))
    with pytest.raises(NotSupportedError, match="Expected k <= l"):
        three_phase(table, KAnonymity(3) & LDiversity(2))
    with pytest.raises(NotSupportedError, match="column to keep"):
        three_phase(table, LDiversity(2), objective=Objective("tuples", keep=("q0",)))
    with pytest.raises(NotSupportedError, match="one sensitive column"):
        three_phase(table.with_roles(["q0"], ["q1", "s"]), LDiversity(2))


INNER = [anatomy, hilbert_suppression, lexicographic_suppression, mondrian, top_down]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("objective", [STARS, TUPLES])
def test_never_worse_than_three_phase(inner, objective) -> None:  # type: ignore[no-untyped-def]
    for seed in range(25):
        l = 2 + seed % 3
        tables = [random_table(seed, 1 + 3 * seed, 3, l)]
        if l > 2:
            tables.append(hard_residue(l, 1 + seed % 5, 2 + seed % 2, seed=seed))
        for table in tables:
            plain = three_phase(table, LDiversity(l), objective=objective)
            hybrid = three_phase_hybrid(
                table, LDiversity(l), objective=objective, inner=inner
            )
            assert hybrid.reason == plain.reason
            assert hybrid.lower_bound == plain.lower_bound
            if plain.value is not None and hybrid.value is not None:
                assert hybrid.value <= plain.value == hybrid.stats["three_phase_value"]


def test_better_than_both_of_its_parts() -> None:
    table = census(20_000, seed=1)
    hybrid = three_phase_hybrid(table, LDiversity(3))
    hilbert = hilbert_suppression(table, LDiversity(3))
    assert hybrid.value is not None and hilbert.value is not None
    assert hybrid.value < hilbert.value
    assert hybrid.value < int(hybrid.stats["three_phase_value"])


TREE = Taxonomy.parse("{north{a,b,c},south{d,e},f}")
COARSER = {"a": "north", "b": "north", "c": "north", "d": "south", "e": "south"}


def problem(seed: int, n: int, ages: int = 40) -> tuple[Table, Objective]:
    """Return a table of a tree, numbers and a sensitive column of three values."""
    rng = np.random.default_rng(seed)
    rows = [
        ["abcdef"[rng.integers(6)], str(rng.integers(ages)), "uvw"[i % 3]]
        for i in range(n)
    ]
    table = Table.from_rows(list("pqs"), rows, qi=list("pq"), sensitive=["s"])
    return table, Objective("gcp", scales=Scales.of(table, ["q"], {"p": TREE}))


@pytest.mark.parametrize("seed", range(15))
def test_a_release_is_valid_and_costs_no_less_than_the_optimum(seed: int) -> None:
    table, objective = problem(seed, 6 + 3 * (seed % 2), ages=6)
    requirement: Requirement = LDiversity(2 + seed % 2)
    if seed % 3 == 0:
        requirement &= KAnonymity(2)
    found = coarse_three_phase(table, requirement, objective=objective)
    assert found.best is not None and found.value is not None
    assert found.best.violation(table, requirement, objective) is None
    least = brute_force(table, requirement, objective).value
    assert least is not None
    assert least <= found.value <= found.stats["uncoarsened_value"]


def test_groups_are_those_of_the_table_that_was_coarsened_by_hand() -> None:
    table, objective = problem(1, 200)
    found = coarse_three_phase(table, LDiversity(2), objective=objective)
    by_level = {"0": lambda c: c, "1": lambda c: COARSER.get(c, c), "2": lambda c: "*"}
    tree, numbers = str(found.stats["levels"]).split()
    ages = sorted({int(cell or "") for cell in table.cells("q")})
    rows = [
        [by_level[tree](p), str(ages.index(int(q)) >> int(numbers)), s]
        for p, q, s in table.rows()
    ]
    coarse = Table.from_rows(list("pqs"), rows, qi=list("pq"), sensitive=["s"])
    groups = three_phase_hybrid(coarse, LDiversity(2)).best
    assert groups is not None
    assert Partition(groups.groups).value(table, objective) == found.value
    assert numbers != "0" and int(found.stats["tried"]) > 2


def test_coarsening_pays_where_most_rows_are_alone() -> None:
    table, objective = problem(2, 300, ages=300)
    found = coarse_three_phase(table, LDiversity(2), objective=objective)
    assert found.value is not None
    assert found.value < int(found.stats["uncoarsened_value"])


def test_a_limit_keeps_the_first_release_and_other_problems_are_refused() -> None:
    table, objective = problem(3, 60)
    found = coarse_three_phase(table, LDiversity(2), objective=objective, time_limit=0)
    assert found.limit is Limit.TIME and found.stats["tried"] == 1
    assert found.value == found.stats["uncoarsened_value"]
    limited = Scales.of(table, ["q"], {"p": TREE}, max_levels={"p": 1})
    for requirement, asked, why in (
        (KAnonymity(2), objective, "of the form"),
        (LDiversity(2), Objective(), "gcp"),
        (
            LDiversity(2),
            Objective("gcp", scales=limited),
            "with a highest level.*got p",
        ),
    ):
        with pytest.raises(NotSupportedError, match=why):
            coarse_three_phase(table, requirement, objective=asked)
