"""Where the commands count a table that is read in batches, and search its parts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from instances import TableError
from instances.streams.count import Budget
from starmin.gaps.sweep import dask_workers


@contextmanager
def counting(memory_rows: int | None, dask: str | None) -> Iterator[Budget]:
    """Yield what counting may use, connected to a Dask cluster if one is named.

    Parameters
    ----------
    memory_rows
        Distinct rows that are held in memory at a time; None: the default.
    dask
        The address of a scheduler, whose workers count a file each, and search parts.

    Raises
    ------
    TableError
        Dask is not installed, or nobody answers at the address.
    """
    budget = Budget() if memory_rows is None else Budget(memory_rows)
    if dask is None:
        yield budget
        return
    with ExitStack() as stack:
        try:
            executor, workers = stack.enter_context(dask_workers(dask))
        except ValueError as error:
            raise TableError(str(error)) from None
        yield Budget(budget.most, executor=executor, workers=workers)
