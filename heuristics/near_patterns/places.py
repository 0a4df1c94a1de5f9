"""Where tasks on parts of a table run: in threads here, or on other machines."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from instances import Table
from instances.runs.threads import Threads

Answer = TypeVar("Answer")


class Places:
    """Runs tasks on counted tables side by side.

    Parameters
    ----------
    threads
        Where tasks run if there is no executor.
    executor
        Where they run else: its workers read the tables from files.
    count
        How many tasks run at a time.
    folder
        For these files; the workers reach it by the same path.
    """

    def __init__(
        self, threads: Threads, executor: Executor | None, count: int, folder: Path
    ) -> None:
        self.count, self.elsewhere = count, executor is not None
        self._threads, self._executor = threads, executor
        self._folder, self._files = folder, 0
        self._written: Table | None = None  # that of the last file

    def submit(
        self, task: Callable[..., Answer], table: Table, *others: Any
    ) -> "Future[Answer]":
        """Call a task with a counted table and other arguments."""
        if self._executor is None:
            return self._threads.submit(task, table, *others)
        if table is not self._written:
            self._files += 1
            self._written = table
            self._write(table)
        given = self._path, table.names, *others
        return self._executor.submit(_with_table, task, *given)

    @property
    def _path(self) -> Path:
        return self._folder / f"table-{self._files}.npz"

    def _write(self, table: Table) -> None:
        """Write what tasks need of a table: codes, counts, and how many codes."""
        sizes = [len(table.dictionary(column)) for column in table.names]
        assert table.counts is not None
        np.savez(
            self._path, codes=table.codes, counts=table.counts, sizes=np.array(sizes)
        )


def _with_table(
    task: Callable[..., Answer], path: Path, names: tuple[str, ...], *others: Any
) -> Answer:
    """Call a task with the table of a file; a code stands for itself in it."""
    with np.load(path, allow_pickle=False) as kept:
        codes, counts, sizes = kept["codes"], kept["counts"], kept["sizes"]
    texts = tuple(tuple(map(str, range(size))) for size in sizes.tolist())
    return task(Table(names, codes, texts, names, counts=counts), *others)
