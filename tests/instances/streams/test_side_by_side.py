"""Tests that what is done file by file, or by ranges, is what is done at once."""

import math
from dataclasses import replace

import numpy as np
import pytest

from starmin.heuristics.near_patterns.near_pattern_annealing import (
    near_pattern_annealing,
)
from starmin.heuristics.near_patterns.search_parts import NEAR_PATTERN_PARAMS
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Problem,
    Run,
    Table,
    TableError,
    read_table,
    write_table,
)
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.cores import Threads
from starmin.instances.runs.places import places
from starmin.instances.streams.count import count_rows
from starmin.instances.streams.publish_apart import publish_apart, publish_rows
from starmin.instances.streams.source import Source
from starmin.models.bounds.near_bounds import prove_own_costs, ranged_function
from starmin.models.bounds.near_listing import NearPrices, near_patterns
from starmin.models.lagrangian_relaxation.price_bound import price_certificate
from starmin.registry import find
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.patterns import ranges as pattern_ranges
from starmin.verify.certificates.prices import node_prices as star_prices
from starmin.verify.releases.streamed import check_streamed_release
from tests.instances.streams.test_streamed import Elsewhere, parts_of


@pytest.mark.parametrize("seed", range(2))
def test_ranges_of_patterns_prove_what_all_do(monkeypatch, seed):
    table = clustered(300, d=5, alphabet=4, centres=30, noise=25, sensitive=3)
    objective = Objective(weights={"q2": 1 + seed}, keep=("q3",) * (seed == 1))
    for asked, types in (
        (KAnonymity(4), table.row_types),
        (KAnonymity(4) & LDiversity(2), table.sensitive_types),
    ):
        found = find("lagrangian").load()(table, asked, objective=objective)
        rng = np.random.default_rng(seed)
        prices = rng.integers(0, 400, len(types))
        problem = Problem(table, asked, objective)
        noise = price_certificate(problem, types, prices << 10, 0)
        for proof in (found.certificate, noise):
            args = proof, table, asked, objective
            whole = check_certificate(*args).bound
            with monkeypatch.context() as patch, Elsewhere(2) as executor:
                patch.setattr(star_prices, "_MANY", 0)
                patch.setattr(pattern_ranges, "MOST_TYPES", 40)
                for there in (None, executor):
                    with places(there) as where:
                        assert check_certificate(*args, where=where).bound == whole
            assert whole is not None


@pytest.mark.parametrize("pieces", [(1, 4), (3, 2), (4, 4), (5, 3)])
def test_rows_are_compared_file_by_file(tmp_path, pieces):
    table = clustered(300, d=3, alphabet=3, centres=5, noise=8)
    cells = [list(row) for row in table.rows()]
    cells[7][0], cells[150][1], cells[299][1] = "*", "x", "y"
    lie = Table.from_rows(table.names, cells, table.qi)
    two = (table, lie)
    original, release = (
        Source.of(parts_of(each, tmp_path / str(n), ".parquet", pieces[n]))
        for n, each in enumerate(two)
    )
    with Elsewhere(2) as executor:
        for there in (None, executor):
            given = lie, None, release, original, (), "*", there
            (found,) = check_streamed_release(*given).inconsistencies
            assert (found.column, found.rows) == ("q2", (151, 300))
            given = table, None, original, original, (), "*", there
            assert check_streamed_release(*given).consistent
    shorter = Source.of(parts_of(lie.take(np.arange(299)), tmp_path / "s", ".csv", 2))
    (found,) = check_streamed_release(lie, None, shorter, original).inconsistencies
    assert found.why.startswith("299 rows; the original has 300, and in their order")


@pytest.mark.parametrize("seed", range(2))
def test_own_costs_by_ranges_are_those_of_all_sets(tmp_path, seed):
    table = clustered(300, d=5, alphabet=4, centres=30, noise=25, seed=seed)
    objective = Objective(weights={"q2": 1 + seed}, keep=("q3",) * (seed == 1))
    own = find("own_pattern").load()(table, KAnonymity(3), objective=objective)
    run = Run(table, KAnonymity(3), objective)
    with Elsewhere(2) as executor, places(executor, 2, tmp_path) as where:
        prove_own_costs(run, table.row_types, 3, where)
    assert run.certificate == own.certificate
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("seed", range(2))
def test_prices_by_ranges_are_those_of_one_list(tmp_path, seed):
    table = clustered(400, d=5, alphabet=4, centres=30, noise=25, seed=seed)
    objective = Objective(weights={"q2": 1 + seed}, keep=("q3",) * (seed == 1))
    types, k = table.row_types, 3
    run = Run(table, KAnonymity(k), objective)
    with Threads(2) as threads:
        near = near_patterns(run, types, k, threads)
    whole = NearPrices.of_list(run, near, k)
    whole.estimate(40)
    with Elsewhere(2) as executor:
        for there, count in ((None, 1), (executor, 2), (executor, 5)):
            with (
                places(there, count, tmp_path) as where,
                ranged_function(run, types, k, near.own, near.slack, where) as function,
            ):
                found = NearPrices(run, types, near.own, near.slack, function)
                found.estimate(40)
                written = list(tmp_path.rglob("array-*"))
            assert found.value == whole.value > int(near.own @ types.counts) << 16
            assert np.array_equal(found.prices, whole.prices)
            assert len(written) <= 3  # table and own costs, but no prices
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("seconds", [math.inf, 1e-6])
def test_a_table_is_searched_here_and_in_parts_elsewhere(seconds):
    table = clustered(400, d=5, alphabet=4, centres=30, noise=25)
    params = replace(NEAR_PATTERN_PARAMS, least_types=30, proposals=20)
    given = {"params": params, "time_limit": seconds}
    alone = near_pattern_annealing(table, KAnonymity(3), **given)
    with Elsewhere(3) as executor:
        given |= {"executor": executor, "workers": 3}
        found = near_pattern_annealing(table, KAnonymity(3), **given)
    assert found.best.violation(table, KAnonymity(3)) is None
    assert found.value <= alone.value and found.lower_bound == alone.lower_bound
    assert math.isfinite(seconds) or found.stats["parts_elsewhere"] == 3


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_release_is_published_file_by_file_as_in_one(tmp_path, ending):
    table = clustered(300, d=4, alphabet=3, centres=5, noise=8, sensitive=4)
    source = Source.of(parts_of(table, tmp_path / "t", ending, 5))
    few = count_rows(source, table.qi)
    found = near_pattern_annealing(few, KAnonymity(3), time_limit=0.2)
    whole: list[tuple[str | None, ...]] = []
    given = source, few, found.best
    publish_rows(*given, lambda part, _: whole.extend(part.rows()), table.sensitive)
    with Elsewhere(2) as executor:
        for number, there in enumerate((None, executor)):
            out = tmp_path / f"release-{number}"
            with places(there, 2, tmp_path) as where:
                publish_apart(*given, out, where, table.sensitive)
            files = [read_table(file) for file in sorted(out.iterdir())]
            assert [row for each in files for row in each.rows()] == whole
            assert len(files) == 5
        write_table(table.take(np.arange(60, 119)), source.files[1])
        with (
            places(executor, 2, tmp_path) as where,
            pytest.raises(TableError, match="it changed meanwhile"),
        ):
            publish_apart(*given, tmp_path / "late", where)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"t", "release-0", "release-1"}
