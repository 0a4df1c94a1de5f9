"""Where the commands count a table that is read in batches, and search its parts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from starmin.inputs.option_groups import BatchOptions
from starmin.instances import TableError
from starmin.instances.streams.count import Budget


@contextmanager
def counting(batches: BatchOptions) -> Iterator[Budget]:
    """Yield what counting may use, connected to a Dask cluster if one is named.

    Parameters
    ----------
    batches
        How many distinct rows are held in memory at a time, and the address of a
        scheduler, whose workers count a file each and search parts.

    Raises
    ------
    TableError
        Dask is not installed, or nobody answers at the address.
    """
    rows = batches.memory_rows
    budget = Budget() if rows is None else Budget(rows)
    if batches.dask is None:
        yield budget
        return
    from starmin.process.dask_workers import dask_workers

    with ExitStack() as stack:
        try:
            executor, workers = stack.enter_context(dask_workers(batches.dask))
        except ValueError as error:
            raise TableError(str(error)) from None
        yield Budget(budget.most, executor=executor, workers=workers)
