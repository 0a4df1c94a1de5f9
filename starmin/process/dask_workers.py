"""Workers of a Dask cluster, which sweeps and tables in batches take."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from starmin.instances.errors import TableError, expect_extra


@contextmanager
def dask_workers(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a Dask cluster, whose workers read the tables where they are.

    Yields what takes tasks, and how many of them the workers run at a time. Raises
    TableError where Dask is not installed, or nobody answers at the address.
    """
    expect_extra("dask", "--dask")
    from distributed import Client

    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise TableError(f"--dask {address}: no scheduler answers there") from error
    with client, client.get_executor(pure=False) as executor:
        yield executor, max(1, sum(client.nthreads().values()))
