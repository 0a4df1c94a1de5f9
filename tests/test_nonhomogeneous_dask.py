"""Tests that blocks are solved by the workers of a Dask cluster."""

import pytest

from starmin.heuristics.nonhomogeneous.blocks import blocks
from starmin.heuristics.nonhomogeneous.two_phase import two_phase
from starmin.instances import KAnonymity, Limit
from starmin.instances.catalogue.generators import normal


@pytest.mark.slow
def test_a_cluster_finds_what_one_process_finds(tmp_path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs starmin[dask]")
    table = normal(2000, d=6, seed=7)
    given = {"method": two_phase, "block_size": 250}
    alone = blocks(table, KAnonymity(3), workers=1, **given)
    cluster = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
    )
    with cluster, distributed.Client(cluster) as client:
        given |= {"executor": client.get_executor(), "workers": 2}
        kept = tmp_path / "kept"
        first = blocks(table, KAnonymity(3), checkpoint=kept, **given)
        again = blocks(table, KAnonymity(3), checkpoint=kept, **given)
        late = blocks(table, KAnonymity(3), time_limit=0.0, **given)
    assert first.value == again.value == alone.value
    assert (first.stats["from_checkpoint"], again.stats["from_checkpoint"]) == (0, 8)
    assert late.limit is Limit.TIME and late.value > alone.value
