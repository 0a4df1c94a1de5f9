"""Tests that a certificate proves what it claims, and that no other one passes."""

import itertools
import json
import math
import random
import sys
from collections import Counter
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    TUPLES,
    Certificate,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Requirement,
    Table,
    read_table,
    write_table,
)
from starmin.instances.catalogue.catalogue import load_instance
from starmin.instances.catalogue.generators import uniform
from starmin.instances.runs.places import places
from starmin.instances.tables.row_types import canonical_order
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.bounds.residue import residue
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.patterns import batches
from starmin.verify.certificates.patterns.pricing_problems import PricingProblems
from starmin.verify.certificates.prices import node_prices
from starmin.verify.exact import exact_sum
from tests.support.effort import seeds
from tests.support.real_scale import SIX, SIX_FOUND, persons
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)

JUNK: list[Any] = [None, True, -1, 0, 10**30, -(10**30), 1.0, math.nan, math.inf]
JUNK += ["", "2", [], [1], {}, {"k": 2}, [[]], 2**62, 2**63, object()]
JUNK += [10**5000, "\ud800", reduce(lambda inner, _: [inner], range(10**5), [])]


def priced(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    prices: list[int],
    denominator: int = 1,
    claim: int = -(10**9),
    **more: Any,
) -> Certificate:
    data = {"denominator": denominator, "prices": prices, **more}
    return Certificate.of(table, requirement, objective, "prices", claim, data)


def proven(certificate: Certificate, table: Table) -> int:
    check = check_certificate(certificate, table)
    assert check.bound is not None, check.why
    assert check.accepted == (certificate.bound <= check.bound)
    return check.bound


def least_costs(table: Table, k: int, l: int, objective: Objective) -> list[int]:
    """For each row type, in canonical order, the least cost of a pattern it may have.

    From the rows as text: the pattern stars columns, and enough rows fit it.
    """
    columns = [*table.qi, *(table.sensitive if l > 1 else ())]
    rows = list(zip(*(table.cells(c) for c in columns), strict=True))
    d = table.d
    costs = []
    for row in sorted(set(rows), key=lambda r: [(c is not None, c or "") for c in r]):
        possible = []
        for starred in itertools.product([False, True], repeat=d):
            shown = [j for j in range(d) if not starred[j]]
            fits = [r for r in rows if all(r[j] == row[j] for j in shown)]
            values = [len(set(column)) for column in list(zip(*fits, strict=True))[d:]]
            names = {c for c, s in zip(table.qi, starred, strict=True) if s}
            enough = len(fits) >= k and all(v >= l for v in values)
            if enough and not names & set(objective.keep):
                possible.append(sum(objective.weights.get(c, 1) for c in names))
        costs.append(min(possible))
    return costs


@pytest.mark.parametrize("seed", seeds(33))
def test_prices_never_prove_more_than_the_optimum(seed: int) -> None:
    rng = random.Random(seed)
    table = random_table(rng, least=3)
    objective = random_objective(rng, table, "stars")
    k, l = random_bounds(rng)
    requirement = ask(k, l)
    optimum = brute_force(table, requirement, objective).value
    if optimum is None:
        return
    types = table.sensitive_types if l > 1 else table.row_types
    own = least_costs(table, k, l, objective)
    bound = proven(priced(table, requirement, objective, own), table)
    assert bound == np.array(own) @ types.counts[canonical_order(table, types)]
    assert bound <= optimum
    for _ in range(4):
        denominator = rng.choice([1, 2, 7, 1000])
        spread = rng.choice([0, 1, table.d]) * denominator
        prices = [c * denominator + rng.randint(-spread, spread) for c in own]
        more = {"sensitive": rng.choice(table.sensitive)} if l > 1 else {}
        certificate = priced(table, requirement, objective, prices, denominator, **more)
        assert proven(certificate, table) <= optimum


@pytest.mark.parametrize("seed", seeds(20))
def test_proves_exactly_what_the_bounds_claim(seed: int) -> None:
    rng = random.Random(seed)
    table = random_table(rng, least=4)
    k, l = random_bounds(rng)
    requirement = ask(k, l)
    for method in (own_pattern, pattern_lp, residue):
        kind = "tuples" if method is residue else "stars"
        objective = random_objective(rng, table, kind)
        result = method(table, requirement, objective=objective)
        if result.certificate is None:
            assert brute_force(table, requirement, objective).value is None
            continue
        check = check_certificate(result.certificate, table, requirement, objective)
        assert check.accepted, check.why
        assert check.bound is not None
        assert result.lower_bound is not None
        if kind == "stars":
            assert check.bound >= max(0, result.lower_bound)
        optimum = brute_force(table, requirement, objective).value
        assert optimum is not None
        assert result.lower_bound <= check.bound <= optimum


@pytest.mark.parametrize("seed", seeds(27))
def test_residue_never_proves_more_than_the_optimum(seed: int) -> None:
    rng = random.Random(seed)
    table = random_table(rng, least=3)
    objective = random_objective(rng, table, "tuples")
    k, l = random_bounds(rng)
    requirement = ask(k, l)
    optimum = brute_force(table, requirement, objective).value
    if optimum is None:
        return
    certificate = Certificate.of(table, requirement, objective, "residue", 0, {})
    assert proven(certificate, table) <= optimum


@pytest.mark.parametrize("seed", seeds(20))
def test_residue_is_what_the_first_phase_removes(seed: int) -> None:
    """Remove a row of a most frequent value until the type is l-eligible."""
    rng = random.Random(seed)
    l = rng.randint(2, 4)
    rows = [
        [rng.choice("ab"), rng.choice("pppqqrst"[: rng.randint(4, 8)])]
        for _ in range(rng.randint(10, 60))
    ]
    table = Table.from_rows(["q", "s"], rows, ["q"], ["s"])
    removed: Counter[str] = Counter()
    for q in "ab":
        left = Counter(s for qi, s in rows if qi == q)
        while left and l * max(left.values()) > left.total():
            pillar = left.most_common(1)[0][0]
            left[pillar] -= 1
            removed[pillar] += 1
    expected = max(removed.total(), l * max(removed.values(), default=0))
    certificate = Certificate.of(table, LDiversity(l), TUPLES, "residue", 0, {})
    assert proven(certificate, table) == expected


@pytest.mark.parametrize("seed", seeds(27))
def test_pricing_problems_equal_all_choices_tried(seed: int) -> None:
    rng = random.Random(seed)
    m = rng.randint(1, 5)
    reduced = sorted(rng.randint(-4, 6) for _ in range(m))
    copies = [rng.randint(1, 3) for _ in range(m)]
    values = [rng.randint(0, 3) for _ in range(m)]
    k, l = rng.choice([(1, 2), (2, 2), (4, 2), (1, 3), (5, 3)])
    loose, diverse, by_height = [], [], dict[int, list[int]]()
    for x in itertools.product(*(range(s + 1) for s in copies)):
        cost = sum(a * b for a, b in zip(x, reduced, strict=True))
        held = Counter[int]()
        for value, count in zip(values, x, strict=True):
            held[value] += count
        if sum(x) >= k:
            loose.append(cost)
        if sum(x) >= max(k, 1) and l * max(held.values()) <= sum(x):
            diverse.append(cost)
        for h in range(1, 9):
            if max(held.values()) <= h and sum(x) >= max(k, l * h):
                by_height.setdefault(h, []).append(cost)
    # The same pattern between two others, so that patterns do not mix.
    problems = PricingProblems(
        np.array([-9, *reduced, 5]), np.array([30, *copies, 1]), np.array([1, m, 1])
    )
    if loose:
        assert problems.least_cost(k)[1] == min(loose)
    problems.separate(np.array([0, *values, 0], np.int32))
    every = np.ones_like(problems.support), problems.support
    assert problems.between(k, l, *every)[0][1] == min(diverse, default=0)
    best = [min(by_height[h]) for h in sorted(by_height)]
    assert min(best, default=0) == min(diverse, default=0)
    assert list(by_height) == [] or max(by_height) - min(by_height) + 1 == len(best)
    steps = np.diff(best)
    assert (np.diff(steps) >= 0).all()


def test_survives_other_orders_of_rows_and_values(tmp_path: Path) -> None:
    rng = random.Random(7)
    cells = [[rng.choice([None, "", "b", "a"]) for _ in "uvsr"] for _ in range(40)]
    table = Table.from_rows("uvsr", cells, ["u", "v"], ["s", "r"])
    requirement = KAnonymity(4) & LDiversity(2)
    certificate = pattern_lp(table, requirement).certificate
    assert certificate is not None
    assert certificate.bound > 0
    certificate.write(tmp_path / "proof.json")
    certificate = Certificate.read(tmp_path / "proof.json")
    rows = table.rows()
    for _ in range(20):
        rng.shuffle(rows)
        other = Table.from_rows(table.names, rows, table.qi, table.sensitive)
        turned = replace(
            other,
            codes=np.array([len(v) - 1 for v in other.dictionaries])[:, None]
            - other.codes,
            dictionaries=tuple(v[::-1] for v in other.dictionaries),
        )
        check = check_certificate(certificate, turned, requirement, STARS)
        assert (check.accepted, check.bound) == (True, certificate.bound)
    write_table(table, tmp_path / "table.parquet")
    again = read_table(tmp_path / "table.parquet", table.qi, table.sensitive)
    assert check_certificate(certificate, again).accepted


def hospital_claim() -> tuple[Table, Requirement, Certificate]:
    table = load_instance("hospital")
    requirement = KAnonymity(2) & LDiversity(2)
    certificate = pattern_lp(table, requirement).certificate
    assert certificate is not None
    assert check_certificate(certificate, table, requirement, STARS).accepted
    return table, requirement, certificate


def test_refuses_a_claim_above_the_proof() -> None:
    table, _, certificate = hospital_claim()
    check = check_certificate(replace(certificate, bound=certificate.bound + 1), table)
    assert (check.accepted, check.bound) == (False, certificate.bound)
    assert check.why == (
        f"it claims {certificate.bound + 1}; table and data prove {certificate.bound}"
    )
    check = check_certificate(replace(certificate, bound=1), table)
    assert (check.accepted, check.bound) == (True, certificate.bound)


def test_refuses_another_problem() -> None:
    table, requirement, certificate = hospital_claim()
    rows = table.rows()
    others = {
        "another cell": Table.from_rows(
            table.names, [*rows[:-1], rows[0]], table.qi, table.sensitive
        ),
        "a row less": table.take(np.arange(9)),
        "other roles": table.with_roles(table.qi),
        "other QI": table.with_roles(table.qi[::-1], table.sensitive),
    }
    for what, other in others.items():
        assert not check_certificate(certificate, other).accepted, what
    for wanted in (
        KAnonymity(2),
        LDiversity(2),
        KAnonymity(3) & LDiversity(2),
        KAnonymity(2) & DistinctDiversity(2),
    ):
        assert not check_certificate(certificate, table, wanted).accepted, wanted
    for objective in (TUPLES, Objective(weights={"age": 2}), Objective(keep=("age",))):
        check = check_certificate(certificate, table, requirement, objective)
        why = f"it is for the objective stars, not for {objective}"
        assert (check.accepted, check.why, check.objective) == (False, why, STARS)
    same = Objective(weights={"age": 1})
    assert check_certificate(certificate, table, requirement, same).accepted


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("table", ("n",)),
        ("table", ("d",)),
        ("table", ("qi",)),
        ("table", ("sensitive",)),
        ("table", ("fingerprint",)),
        ("requirement", ("k",)),
        ("requirement", ("l",)),
        ("requirement", ("c",)),
        ("objective", ("kind",)),
        ("objective", ("weights",)),
        ("objective", ("weights", "age")),
        ("objective", ("weights", "agee")),
        ("objective", ("keep",)),
        ("objective", ("more",)),
        ("kind", ()),
        ("bound", ()),
        ("data", ("denominator",)),
        ("data", ("prices",)),
        ("data", ("prices", 3)),
        ("data", ("sensitive",)),
        ("data", ("more",)),
        ("table", ()),
        ("requirement", ()),
        ("objective", ()),
        ("data", ()),
    ],
)
def test_junk_in_any_field_is_refused_or_true(
    part: str, path: tuple[str | int, ...]
) -> None:
    table, requirement, certificate = hospital_claim()
    optimum = brute_force(table, requirement).value
    assert optimum is not None
    for junk in JUNK:
        parts = json.loads(json.dumps(dict(vars(certificate))))
        at = parts
        for step in (part, *path)[:-1]:
            at = at[step]
        at[(part, *path)[-1]] = junk
        check = check_certificate(Certificate(**parts), table, requirement, STARS)
        assert (check.accepted is True) == (check.why is None)
        if check.accepted:  # a weaker claim, a price, or an empty list, as it was
            assert check.bound is not None
            assert parts["bound"] <= check.bound <= optimum, (part, path, junk)


def test_a_requirement_that_is_too_deep_to_be_compared_is_another() -> None:
    rows = [["x", "p"], ["x", "q"], ["y", "r"], ["y", "s"]]
    table = Table.from_rows(["a", "id"], rows, ["a"])
    proof = priced(table, KAnonymity(2), STARS, [1, 1], claim=4)
    deep: list[Any] = []
    for _ in range(sys.getrecursionlimit()):
        deep = [deep]
        asked = {"person": "id", "k": 3, "pseudonym": deep}
        claim = replace(proof, requirement=asked)
        assert not check_certificate(claim, table, KAnonymity(2)).accepted
    for _ in range(10**5):
        deep = [deep]
    claim = replace(proof, requirement={"person": "id", "k": 3, "pseudonym": deep})
    check = check_certificate(claim, table, KAnonymity(2))
    assert (check.accepted, check.why) == (False, "it is nested too deeply")


def test_every_entry_is_needed() -> None:
    table, _, certificate = hospital_claim()
    for part in ("table", "requirement", "objective", "data"):
        for key in vars(certificate)[part]:
            content = json.loads(json.dumps(dict(vars(certificate))))
            del content[part][key]
            check = check_certificate(Certificate(**content), table, ask(2, 2))
            assert check.accepted == (key == "name"), (part, key)


def test_each_lower_price_or_missing_one_is_noticed() -> None:
    table, _, certificate = hospital_claim()
    prices = list(certificate.data["prices"])
    unit = certificate.data["denominator"]
    for wrong in (prices[1:], [*prices, 0], dict.fromkeys(prices), "0" * len(prices)):
        data = {**certificate.data, "prices": wrong}
        check = check_certificate(replace(certificate, data=data), table)
        assert check.why == f"its prices are not a list of {len(prices)} numbers"
    for odd in (1.0, True, "1", math.nan):
        data = {**certificate.data, "prices": [odd, *prices[1:]]}
        check = check_certificate(replace(certificate, data=data), table)
        assert (check.why or "").startswith("price 1 is not a whole number")
    for t in range(len(prices)):
        wrong = [*prices[:t], prices[t] - 9 * unit, *prices[t + 1 :]]
        data = {**certificate.data, "prices": wrong}
        assert not check_certificate(replace(certificate, data=data), table).accepted


def test_kept_columns_raise_what_is_proven() -> None:
    rows = [["0", "a", "a"], ["0", "b", "b"], ["1", "a", "a"], ["1", "b", "b"]]
    table = Table.from_rows("uvw", rows, qi=["u", "v", "w"])
    prices = [2, 2, 2, 2]
    kept = Objective(keep=("u",))
    assert brute_force(table, KAnonymity(2), kept).value == 8
    assert proven(priced(table, KAnonymity(2), kept, prices), table) == 8
    assert proven(priced(table, KAnonymity(2), STARS, prices), table) == 4
    for keep, bound in (((), 3), (("u",), 6)):
        objective = Objective("tuples", keep=keep)
        rows = [[u, v, "s"] for u in "01" for v in "aaab"]
        table = Table.from_rows("uvw", rows, qi=["u", "v"])
        certificate = Certificate.of(table, ask(3, 1), objective, "residue", 0, {})
        assert proven(certificate, table) == bound


def test_rounds_up_in_integers() -> None:
    table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    for price, bound in ((0, 0), (1, 1), (500, 1), (501, 2), (1000, 2)):
        certificate = priced(table, KAnonymity(2), STARS, [price, price], 1000)
        assert proven(certificate, table) == bound


def test_refuses_what_cannot_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    table = uniform(30, d=18, alphabet=2, seed=1)
    types = len(table.row_types)
    monkeypatch.setattr(batches, "MAX_WORK", 10**5)
    check = check_certificate(priced(table, KAnonymity(2), STARS, [18] * types), table)
    assert check.why is not None
    assert "too many to check" in check.why
    cheap = priced(table, KAnonymity(2), STARS, [2] * types)
    assert proven(cheap, table) <= 60
    huge = priced(table, KAnonymity(2), STARS, [2**61] * types)
    assert "64 bits" in (check_certificate(huge, table).why or "")
    none = Certificate.of(table, KAnonymity(31), STARS, "prices", 1, {})
    assert "no release at all" in (check_certificate(none, table).why or "")
    plain = Certificate.of(table, LDiversity(2), STARS, "prices", 1, {})
    assert "no sensitive column" in (check_certificate(plain, table).why or "")
    odd = Certificate.of(table, KAnonymity(2), STARS, "oracle", 1, {})
    assert check_certificate(odd, table).why.startswith("its kind is none of: ")
    wrong = Certificate.of(table, KAnonymity(2), STARS, "residue", 1, {})
    assert "'tuples' only" in (check_certificate(wrong, table).why or "")
    extra = Certificate.of(table, KAnonymity(2), TUPLES, "residue", 1, {"a": 1})
    assert not check_certificate(extra, table).accepted


def test_thirty_thousand_rows() -> None:
    table, requirement = persons(SIX), KAnonymity(5)
    result = own_pattern(table, requirement)
    assert result.certificate is not None and result.lower_bound is not None
    check = check_certificate(result.certificate, table, requirement, STARS)
    assert (check.accepted, check.bound) == (True, result.lower_bound)
    # The sum over rows of the cheapest pattern that five rows fit, counted from text.
    assert check.bound == cheapest_of_rows(table, 5) <= SIX_FOUND
    more = replace(result.certificate, bound=check.bound + 1)
    assert not check_certificate(more, table, requirement, STARS).accepted


def cheapest_of_rows(table: Table, k: int) -> int:
    """Each row pays the fewest stars with which k rows are alike; cells as text."""
    rows = Counter(zip(*(table.cells(c) for c in table.qi), strict=True))
    paid = dict.fromkeys(rows, table.d)
    for starred in itertools.product([False, True], repeat=table.d):
        kept = [not star for star in starred]
        shown = {row: tuple(itertools.compress(row, kept)) for row in rows}
        alike = Counter[tuple[str | None, ...]]()
        for row, cells in shown.items():
            alike[cells] += rows[row]
        for row, cells in shown.items():
            if alike[cells] >= k:
                paid[row] = min(paid[row], sum(starred))
    return sum(paid[row] * count for row, count in rows.items())


CUBE = [list(corner) for corner in itertools.product("01", repeat=3)]
DIVERSE_CUBE = [[*corner, s] for corner, s in zip(CUBE, "xyyxyxxy", strict=True)]


@pytest.mark.parametrize("claim", [16, 10**19])
@pytest.mark.parametrize("diverse", [False, True])
def test_values_of_many_patterns_do_not_wrap(claim: int, diverse: bool) -> None:
    """Twelve patterns of two rows and six of four are worth -2^64 and more."""
    requirement: Requirement = KAnonymity(2)
    table = Table.from_rows("abc", CUBE, list("abc"))
    if diverse:
        requirement = LDiversity(2)
        table = Table.from_rows("abcs", DIVERSE_CUBE, list("abc"), ["s"])
    assert brute_force(table, requirement).value == 8
    prices = [384307168202282327] * 8
    lie = priced(table, requirement, STARS, prices, claim=claim)
    check = check_certificate(lie, table)
    assert not check.accepted and (check.bound or 0) <= 8
    assert proven(priced(table, requirement, STARS, [1] * 8), table) == 8


@pytest.mark.parametrize("columns", [6, 10])
def test_a_list_of_all_that_a_release_may_use_does_not_wrap(columns: int) -> None:
    """A tree whose price makes all patterns together worth nearly -2^63."""
    rows = [["0"] * columns for _ in range(columns + 1)]
    for i in range(columns):
        rows[i + 1][i] = "1"
    names = [f"c{i:02}" for i in range(columns)]
    table = Table.from_rows(names, rows, names)
    pairs = Partition.from_labels(np.arange(columns + 1) // 2 * 2 % columns)
    value = pairs.value(table)
    assert pairs.violation(table, KAnonymity(2)) is None
    base = 2**63 // (2**columns - 1)
    for part in range(-16, 33):
        price = base - part * base // 2 ** (columns + 4)
        proof = priced(table, KAnonymity(2), STARS, [price] + [0] * columns)
        data = {**proof.data, "patterns": [], "cuts": [], "nodes": [{}]}
        lie = replace(proof, kind="tree", data=data, bound=value + 1)
        assert not check_certificate(lie, table).accepted


@pytest.mark.parametrize("diverse", [False, True])
def test_prices_near_powers_of_two_prove_nothing_false(diverse: bool) -> None:
    """Equal prices at the powers, divided by all numbers of rows and patterns."""
    table = Table.from_rows("abcs", DIVERSE_CUBE, list("abc"), ["s"])
    requirement: Requirement = LDiversity(2)
    if not diverse:
        table, requirement = table.with_roles(list("abc")), KAnonymity(2)
    for power in (31, 32, 52, 53, 59, 60, 61, 62, 63, 64):
        for parts in (1, 2, 3, 4, 8, 12, 18, 26, 27):
            for off in (-1, 0, 1):
                price = 2**power // parts + off
                for signs in ([price] * 8, [price, -price] * 4, [-price] * 8):
                    check = check_certificate(
                        priced(table, requirement, STARS, signs, claim=9), table
                    )
                    assert not check.accepted and (check.bound or 0) <= 8


def test_ranges_of_many_patterns_cost_what_one_walk_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [["0"], ["0"], ["1"], ["1"]]
    table = Table.from_rows(["a"], rows, ["a"])
    monkeypatch.setattr(node_prices, "_MANY", 0)
    with places(None) as where:
        for prices, bound in (([1, 1], 0), ([0, 0], 0)):
            lie = priced(table, KAnonymity(2), STARS, prices, claim=4)
            check = check_certificate(lie, table, where=where)
            assert (check.accepted, check.bound) == (False, bound)


def test_counts_that_no_node_names_make_no_sum_fit() -> None:
    """Two values of 2^28 rows each, which may both stay."""
    many = 2**28
    codes, counts = np.array([[0, 1]], np.int32), np.array([many, many])
    table = Table(("a",), codes, (("0", "1"),), ("a",), counts=counts)
    price = 2**35 + 2**33
    more = {"patterns": [], "cuts": [], "counts": [{"of": "rows"}] * 200}
    nodes = [{"prices": [0, price, 1, price]}]
    proof = priced(table, KAnonymity(many), STARS, [0, 0], 1, 1, **more, nodes=nodes)
    check = check_certificate(replace(proof, kind="tree"), table)
    assert not check.accepted and (check.bound or 0) == 0


def test_sums_of_integers_are_exact() -> None:
    rng = random.Random(1)
    for bits in (1, 31, 32, 33, 62, 63):
        ends = [-(2**bits), 2**bits - 1]
        numbers = [rng.choice([rng.randint(*ends), *ends]) for _ in range(999)]
        assert exact_sum(np.array(numbers, np.int64)) == sum(numbers)
