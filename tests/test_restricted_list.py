"""Tests that prices are as good, and certified, where a list says little of all."""

import functools

import numpy as np
import pytest

from starmin.instances import KAnonymity, Objective, Run, Scales, Table, Taxonomy
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing import boxstep
from starmin.models.pricing.generated_patterns import CostListParams
from starmin.models.pricing.restricted_list import ListParams, RestrictedList
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate

DENOMINATOR = 1 << MOST_BITS  # of small tables

TREE = Taxonomy.parse("{low{0,1},high{2,3,top{4,5}}}")


def _problem(seed: int) -> tuple[Table, Objective]:
    """Draw a table with a tree and a column of ranges."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, [6, 9], (int(rng.integers(8, 12)), 2))
    table = Table.from_rows("ab", rows.astype(str).tolist(), qi="ab")
    return table, Objective("gcp", scales=Scales.of(table, ["b"], {"a": TREE}))


@pytest.mark.parametrize("most", [1_000_000, 0])
@pytest.mark.parametrize("cuts_follow", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_boxes_begin_below_prices_that_a_short_list_reaches(
    seed: int, cuts_follow: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However little is listed, what counts at the prices reached proves the rest.

    Below a ceiling, or, where that would be too much, on what is nearly worth opening.
    """
    monkeypatch.setattr(boxstep, "_MOST_SHORT", most)
    cheap = CostListParams(1.0, extra=0.1 * (seed % 3), most_incidences=2_000)
    always_short = ListParams(cheap, most_counting=2_000, least_proven=2.0)
    short = functools.partial(RestrictedList, params=always_short)
    monkeypatch.setattr(boxstep, "RestrictedList", short)
    table, objective = _problem(seed)
    k = 2 + seed % 3
    requirement = KAnonymity(k)
    run = Run(table, requirement, objective)
    optimum = brute_force(table, requirement, objective).value
    boxes = boxstep.Boxstep(run, table.row_types, k, 1, cuts_follow=cuts_follow)
    boxes.improve(1e-6)
    assert boxes.boxes > 1
    relaxed = pattern_lp(table, requirement, objective=objective).lower_bound
    assert optimum is not None and relaxed is not None
    least = 0.99 if not cuts_follow else 0.97
    assert least * relaxed - 1 <= boxes.value / DENOMINATOR <= optimum
    assert run.certificate is not None and run.lower_bound == run.certificate.bound
    check = check_certificate(run.certificate, table, requirement, objective)
    assert check.accepted and check.bound == run.certificate.bound <= optimum
