"""Many jobs over an executor; what is in the store already is not run again."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager

from starmin.gaps.fork_server import current, forks
from starmin.gaps.job import Job
from starmin.gaps.known_bounds import bounds_once
from starmin.gaps.processes import stop_all
from starmin.gaps.run_job import Row, run_job
from starmin.gaps.store import CRASH, Store


def sweep(
    jobs: Sequence[Job],
    store: Store,
    executor: Executor,
    memory: int = 0,
    tell: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Run the jobs that are missing; the rows of all, in the order of the jobs.

    Parameters
    ----------
    jobs
        What to run.
    store
        Where finished rows are, and go.
    executor
        Any: threads are enough here, since each run is a process of its own; a Dask
        cluster gives one by ``Client.get_executor``.
    memory
        Bytes for each run; 0: as many as there are.
    tell
        Called with each new row.

    Notes
    -----
    Nothing that happens to one run ends the sweep. Interrupted, it keeps the finished
    rows, and the same call goes on from there. What crashed is run again.
    """
    missing = [job for job in dict.fromkeys(jobs) if not store.has(job.key)]
    futures: dict[Future[Row], Job] = {}
    try:
        for job in missing:
            futures[executor.submit(run_job, job, memory)] = job
        for future in as_completed(futures):
            row = _row(future, futures[future])
            store.append(row)
            tell(row)
    except BaseException:
        for future in futures:
            future.cancel()
        stop_all()
        if server := current():
            server.stop()
        raise
    # What a row is of comes from the job, whatever the file says.
    return [store.rows[job.key] | job.row() for job in dict.fromkeys(jobs)]


def _row(future: "Future[Row]", job: Job) -> Row:
    """Return the row of a run; one that says so where the worker was lost."""
    error = future.exception()
    if error is None:
        return future.result()
    why = f"{type(error).__name__}: {error}"[:300]
    return job.row() | {"outcome": CRASH, "why": why}


@contextmanager
def local_executor(workers: int, methods: Sequence[str] = ()) -> Iterator[Executor]:
    """Run so many at a time on this machine, of these methods above all."""
    with forks(methods), bounds_once(), ThreadPoolExecutor(workers) as executor:
        yield executor
