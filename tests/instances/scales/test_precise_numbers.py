"""Tests that numbers of any size and precision are taken, in order and exactly."""

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from starmin.frames.anonymize import anonymize
from starmin.instances import KAnonymity, Objective, Scales, Table
from starmin.instances.io.write import write_table
from starmin.instances.scales.numbers import whole_numbers
from starmin.models.boxes.box_program import box_program
from starmin.models.pattern_ilp.branch_and_bound import branch_and_bound
from starmin.models.price_unit import is_fine
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.cells.readings import ends_of
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.utility.penalty import Penalty

pytestmark = pytest.mark.usefixtures("exactly")

NEARLY = 1e-8  # of the optimum: what a coarser unit of prices may hide
KINDS = {
    "quotients": lambda rng: repr(rng.randint(40, 120) / rng.uniform(1.5, 2.0) ** 2),
    "logs": lambda rng: repr(float(np.log(rng.randint(1, 10**6)))),
    "grid": lambda rng: repr(float(np.arange(0, 2, 0.1)[rng.randrange(20)])),
    "days": lambda rng: repr(rng.randint(0, 40000) / 365.25),
    "ids": lambda rng: str(rng.randint(10**10, 10**11)),
    "mixed": lambda rng: repr(10.0 ** rng.randint(-9, 15)),
    "negative exponents": lambda rng: f"-{rng.randint(1, 99)}e-{rng.randint(1, 20)}",
    "huge": lambda rng: str(rng.randint(-(2**80), 2**80)),
    "denormals": lambda rng: repr(5e-324 * rng.randint(1, 9)),
    "all doubles": lambda rng: rng.choice(["5e-324", "1.7976931348623157E+308", "0"]),
    "equal texts": lambda rng: rng.choice(["1e5", "100000", "1E+05", "100000.0"]),
    "single": lambda rng: str(np.float32(rng.random())),
    "commas": lambda rng: f"{rng.randint(0, 9)},{rng.randint(0, 10**18)}",
}


def some(kind, seed, n=6):
    """A column of numbers beside one of letters."""
    rng = random.Random(seed)
    rows = [[KINDS[kind](rng), rng.choice("xy")] for _ in range(n)]
    return Table.from_rows(["a", "b"], rows, qi=["a", "b"])


def value(text):
    """What a text stands for."""
    return Fraction(text.replace(",", "."))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [None, "0.5"])
def test_they_are_in_order_and_ranges_lose_their_length(kind, step):
    for seed in range(5):
        table = some(kind, seed)
        steps = {} if step is None else {"a": step}
        scales = Scales.of(table, ["a"], steps=steps)
        scale, objective = scales.scales[0], Objective("gcp", scales=scales)
        texts = [table.dictionary("a")[code] for code in scale.codes]
        numbers = [value(text) for text in texts]
        assert numbers == sorted(numbers)
        assert all(int(each) <= 2**53 for each in scale.layout.upper)
        penalty = Penalty(table, objective)
        for low, high in combinations(range(scale.size), 2):
            rows = [(texts[low], "x"), (texts[high], "x")]
            ends = np.array([[low, 0]]), np.array([[high, 0]])
            lost = objective.range_costs(table, np.array([2]), *ends)
            assert lost == penalty.of(rows)
            if step is None and numbers[0] < numbers[-1]:
                true = (numbers[high] - numbers[low]) / (numbers[-1] - numbers[0])
                off = abs(Fraction(lost * table.n, objective.whole(table)) - true)
                assert off < Fraction(1, 2**32) if scale.layout.rounded else not off


@pytest.mark.parametrize("kind", KINDS)
def test_optimum_is_that_of_brute_force_and_both_checkers_accept(kind, tmp_path):
    table = some(kind, 3)
    objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    fine = is_fine(objective, table)  # which boxes do not take
    method = branch_and_bound if fine else box_program
    found = method(table, KAnonymity(2), objective=objective)
    best = brute_force(table, KAnonymity(2), objective).value
    assert found.value == best
    assert found.lower_bound == best or (
        fine and found.lower_bound > best * (1 - NEARLY)
    )
    if found.certificate is None:
        assert not found.lower_bound
        return
    check = check_certificate(found.certificate, table, KAnonymity(2), objective)
    assert check.accepted
    if not fine:
        text, proof = str(tmp_path / "table.csv"), tmp_path / "proof.json"
        write_table(table, text)
        found.certificate.write(proof)
        assert checker.check(text, str(proof))[0]


def test_ranges_that_need_no_finer_unit_are_exact():
    numbers = ["0.123456789012345678", "7", "12.5"]
    assert not whole_numbers(numbers).fitting().exact
    rounded = whole_numbers(numbers, "5").fitting()
    assert rounded.exact and rounded.upper.tolist() == [1, 2, 3]


def test_ends_with_exponents_are_read_as_written():
    for low, high in combinations(["-1e-5", "-1E-05", "1e-5", "3", "1.5e+300"], 2):
        assert ends_of(f"[{low}-{high}]") is not None
        ends = [Fraction(end) for end in ends_of(f"[{low}-{high}]")]
        assert ends == [Fraction(low), Fraction(high)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_frames_write_numbers_in_full(dtype):
    given = [13631500801.0, 13631500801.0, 2.5e-7, 2.5e-7, 1e300, 1e300]
    if dtype == "float32":
        given = [1.5e10, 1.5e10, 2.5e-7, 2.5e-7, 3e38, 3e38]
    frame = pd.DataFrame({"a": pd.Series(given, dtype=dtype)})
    release = anonymize(frame, qi=["a"], k=2, numeric=["a"])
    pd.testing.assert_frame_equal(release.frame, frame)
