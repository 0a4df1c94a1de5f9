"""Tests that prices with group-count cuts prove no more than is true, and enough."""

import contextlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from starmin.instances import (
    KAnonymity,
    Objective,
    Run,
    Scales,
    Table,
    Taxonomy,
    write_table,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.pricing.boxstep import Boxstep
from starmin.models.pricing.cut_prices import CutParams, CutPrices
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.models.prices.reached_prices import reached_prices

TREE = Taxonomy.parse("{low{0,1},high{2,3,top{4,5}}}")
PARAMS = CutParams(
    room=(0.5, 1 / 64, 8.0),
    patience=99,
    steps=60,
    mean_of=40,
    least=0.02,
    tolerance=-1.0,
)


def _problem(seed: int, kind: str = "ranges") -> tuple[Table, Objective]:
    """Draw weights, and a table: a tree, ranges or stars, stars; or all of stars.

    Every fifth table of stars keeps a column, each value of which has four rows: a
    table without a release is searched for prices until the limit ends it.
    """
    rng = np.random.default_rng(seed)
    values = [3, 3, 3] if kind == "stars" else [6, 5, 3]
    rows = rng.integers(0, values, (int(rng.integers(8, 12)), 3))
    keep = kind == "stars" and seed % 5 == 0
    if keep:
        rows[:, 0] = np.arange(len(rows)) * 2 // len(rows)
    table = Table.from_rows("abc", rows.astype(str).tolist(), qi="abc")
    weights = {"c": int(rng.integers(1, 4))}
    if kind == "stars":
        return table, Objective(weights=weights, keep=["a"] if keep else [])
    scales = Scales.of(table, ["b"] if kind == "ranges" else [], {"a": TREE})
    return table, Objective("gcp", weights, scales=scales)


@cache
def _proven(seed: int, kind: str) -> tuple[Run, int]:
    """Find prices, then cuts; return the run and what the prices alone prove."""
    (table, objective), k = _problem(seed, kind), 2 + seed % 3
    run = Run(table, KAnonymity(k), objective, 20.0)
    types = table.row_types
    if objective.kind == "stars":
        prices = reached_prices(run, closed_patterns(table, types, objective, k))
    else:
        boxes = Boxstep(run)
        boxes._start_from_list(1e-4)
        prices = boxes.prices
    plain = run.lower_bound or 0
    cuts = CutPrices(run, prices, PARAMS)
    rounds = 0

    def prove(listed) -> None:
        nonlocal rounds
        rounds += 1
        type(cuts)._prove(cuts, listed)
        if rounds == 4:
            raise TimeoutError

    cuts._prove = prove  # type: ignore[method-assign]
    with contextlib.suppress(TimeoutError):
        cuts.improve()
    return run, plain


@pytest.mark.parametrize("kind", ["ranges", "stars"])
def test_bounds_are_below_the_optimum_and_certified_and_some_are_higher(kind):
    higher = 0
    for seed in range(16):
        table, objective = _problem(seed, kind)
        k = 2 + seed % 3
        run, plain = _proven(seed, kind)
        optimum = brute_force(table, KAnonymity(k), objective).value
        assert plain <= run.lower_bound <= optimum
        higher += run.lower_bound > plain
        assert run.certificate.bound == run.lower_bound
        verdict = check_certificate(run.certificate, table, None, objective)
        assert verdict.accepted, verdict.why
    assert higher >= 2


@pytest.mark.parametrize("kind", ["ranges", "stars"])
def test_a_proof_by_cuts_that_claims_or_states_more_is_refused(kind):
    proofs = []
    for seed in range(25):
        table, objective = _problem(seed, kind)
        run, plain = _proven(seed, kind)
        if run.lower_bound > plain:
            proofs.append((table, objective, run.certificate))
        if len(proofs) == 3:
            break
    assert len(proofs) == 3
    for table, objective, proof in proofs:
        data = proof.data
        types, chosen, multiplier = data["cuts"][0]
        twice = {**data, "patterns": [*data["patterns"], data["patterns"][0]]}
        for wrong in (
            replace(proof, bound=proof.bound + 1),
            replace(proof, data={**data, "cuts": []}),
            replace(proof, data={**data, "cuts": [[types, chosen, -multiplier]]}),
            replace(proof, data={**data, "cuts": [[types, [99], multiplier]]}),
            replace(proof, data={**data, "cuts": [[types[:-1], chosen, multiplier]]}),
            replace(proof, data=twice),
        ):
            assert not check_certificate(wrong, table, None, objective).accepted


@pytest.mark.parametrize("kind", ["tree", "stars"])
def test_no_cuts_prove_what_prices_alone_prove(kind, tmp_path):
    tree, text, file = (str(tmp_path / name) for name in ("a.csv", "t.csv", "p.json"))
    TREE.write(tree)
    trees = [f"a={tree}"] if kind == "tree" else []
    proven = 0
    for seed in range(4):
        table, objective = _problem(seed, kind)
        run, _ = _proven(seed, kind)
        none = {**run.certificate.data, "patterns": [], "cuts": []}
        alone = {name: none[name] for name in ("denominator", "prices")}
        write_table(table, text)
        for bound in range(run.lower_bound + 2):
            proof = replace(run.certificate, bound=bound, data=none)
            proof.write(Path(file))
            verdicts = [
                check_certificate(one, table, None, objective).accepted
                for one in (proof, replace(proof, data=alone))
            ]
            verdicts.append(checker.check(text, file, *trees)[0])
            assert len(set(verdicts)) == 1
            proven += bound * verdicts[0]
    assert proven


@pytest.mark.parametrize("kind", ["tree", "stars"])
def test_the_checker_that_is_one_file_agrees(kind, tmp_path):
    tree, text, file = (str(tmp_path / name) for name in ("a.csv", "t.csv", "p.json"))
    TREE.write(tree)
    seen = 0
    for seed in range(14):
        table, _ = _problem(seed, kind)
        run, plain = _proven(seed, kind)
        if run.lower_bound == plain:
            continue
        seen += 1
        write_table(table, text)
        run.certificate.write(Path(file))
        trees = [f"a={tree}"] if kind == "tree" else []
        assert checker.check(text, file, *trees)[0]
        replace(run.certificate, bound=run.lower_bound + 1).write(Path(file))
        assert not checker.check(text, file, *trees)[0]
    assert seen >= 2
