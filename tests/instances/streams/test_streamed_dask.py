"""Tests that a cluster counts and solves what one machine does, also as workers die."""

import math
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starmin.heuristics.near_patterns.near_pattern_annealing import (
    near_pattern_annealing,
)
from starmin.heuristics.near_patterns.search_parts import NEAR_PATTERN_PARAMS
from starmin.instances import KAnonymity, write_table
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.places import places
from starmin.instances.streams.count import Budget, count_rows
from starmin.instances.streams.publish_apart import publish_apart
from starmin.instances.streams.source import Source
from starmin.models.bounds import near_listing
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.prices import node_prices as star_prices
from starmin.verify.releases.streamed import check_streamed_release


class Deadly(Executor):
    """An executor whose tasks kill the worker that is the first to do their kind."""

    def __init__(self, inner: Executor, folder: Path) -> None:
        self.inner, self.folder = inner, folder

    def submit(self, fn: Any, /, *args: Any, **_: Any) -> "Future[Any]":
        name = getattr(args[0], "__name__", "") if args else ""
        flag = self.folder / f"killed-{name or fn.__name__}"
        return self.inner.submit(die_once, flag, fn, *args)


def die_once(flag: Path, fn: Any, *args: Any) -> Any:
    """Kill this process where no other was killed by a task of this kind."""
    try:
        flag.touch(exist_ok=False)
    except FileExistsError:
        return fn(*args)
    return os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def forked() -> Iterator[None]:
    """Start the workers of a cluster from a process that has imported what they need.

    A worker that was killed is back in a tenth of a second instead of two.
    """
    dask = pytest.importorskip("dask", reason="needs starmin[dask]")
    utils = pytest.importorskip("distributed.utils", reason="needs starmin[dask]")
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        utils.get_mp_context().set_forkserver_preload(["distributed", __name__])
        yield


@pytest.mark.slow
def test_two_workers_of_which_one_is_killed_in_each_phase_find_what_is_found_alone(
    tmp_path, monkeypatch, forked
):
    distributed = pytest.importorskip("distributed", reason="needs starmin[dask]")
    table = clustered(400, d=5, alphabet=4, centres=30, noise=25)
    (tmp_path / "t").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(table.n), 3)):
        write_table(table.take(rows), tmp_path / f"t/{number}.parquet")
    source, k = Source.of(tmp_path / "t"), KAnonymity(3)
    params = replace(
        NEAR_PATTERN_PARAMS, most_types=60, proposals=20, tolerance=math.inf
    )
    # Each step of prices is a round of messages: fifty show as much as five hundred.
    steps = replace(near_listing.LAGRANGIAN_PARAMS, steps=50)
    monkeypatch.setattr(near_listing, "LAGRANGIAN_PARAMS", steps)
    few = count_rows(source, table.qi)
    alone = near_pattern_annealing(few, k, params=params)
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
    )
    with cluster, distributed.Client(cluster) as client:
        deadly = Deadly(client.get_executor(pure=False), tmp_path)
        counted = count_rows(source, table.qi, (), Budget(executor=deadly))
        found = near_pattern_annealing(
            counted, k, params=params, workers=2, executor=deadly
        )
        with places(deadly, 2) as where:
            publish_apart(source, counted, found.best, tmp_path / "release", where)
        release = Source.of(tmp_path / "release")
        released = count_rows(release, table.qi)
        compared = check_streamed_release(released, k, release, source, executor=deadly)
        monkeypatch.setattr(star_prices, "_MANY", 0)
        with places(deadly, 2) as where:
            proof = check_certificate(found.certificate, counted, k, where=where)
    killed = sorted(path.name for path in tmp_path.glob("killed-*"))
    assert killed == [
        "killed-_between",
        "killed-_copies",
        "killed-_count",
        "killed-_write",
        "killed-list_range",
        "killed-own_costs_of_sets",
        "killed-price_ranges",
        "killed-search_part",
        "killed-total_of_range",
    ]
    assert (found.value, found.lower_bound) == (alone.value, alone.lower_bound)
    assert found.best.violation(counted, k) is None
    assert check_certificate(found.certificate, table, k) == proof and proof.accepted
    assert compared.consistent and compared.stars == found.value
