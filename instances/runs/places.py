"""Where tasks on counted tables run: in threads here, or on other machines."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from starmin.instances.runs.cores import Threads, cores
from starmin.instances.tables.table import Table

Answer = TypeVar("Answer")

_ELSEWHERE = 2  # tasks at a time where nobody says how many
_HELD = 8  # arrays and tables that are known to be written


class Places:
    """Runs tasks on counted tables side by side.

    Tasks run in ``threads`` if there is no ``executor``, whose workers read the tables
    from files; ``count`` of them run at a time. The workers reach the ``folder`` for
    these files by the same path; None: it is where the system keeps such files.
    """

    def __init__(
        self,
        threads: Threads,
        executor: Executor | None,
        count: int,
        folder: Path | None,
    ) -> None:
        self.count, self.elsewhere, self.folder = count, executor is not None, folder
        self._threads, self._executor = threads, executor
        self._files = 0
        self._written: list[tuple[object, Any]] = []  # what was written last, and where

    def submit(self, task: Callable[..., Answer], *given: Any) -> "Future[Answer]":
        """Call a task; counted tables and arrays among its arguments become files."""
        if self._executor is None:
            return self._threads.submit(task, *given)
        written = [self._given(each) for each in given]
        return self._executor.submit(_with_files, task, *written)

    def forget(self, array: npt.NDArray[Any]) -> None:
        """Remove the file of an array that no task needs any more."""
        for known, written in self._written:
            if known is array:
                written.path.unlink()
        self._written = [each for each in self._written if each[0] is not array]

    def _given(self, thing: Any) -> Any:
        """Return what a task is sent for an argument."""
        if isinstance(thing, Table):
            return self._once(thing, self._table)
        if isinstance(thing, np.ndarray):
            return self._once(thing, self._array)
        return thing

    def _once(self, thing: Any, write: Callable[[Any], Any]) -> Any:
        """Return where a thing was written, which is done once for many tasks."""
        for known, written in self._written:
            if known is thing:
                return written
        self._written = [*self._written[1 - _HELD :], (thing, write(thing))]
        return self._written[-1][1]

    def _array(self, array: npt.NDArray[Any]) -> "_Array":
        assert self.folder is not None
        self._files += 1
        path = self.folder / f"array-{self._files}.npy"
        np.save(path, array)
        return _Array(path)

    def _table(self, table: Table) -> "_Table":
        """Write what tasks need of a table: codes, counts, and how many codes."""
        assert table.counts is not None
        return _Table(
            self._array(table.codes),
            self._array(table.counts),
            tuple(table.sizes(table.names)),
            table.names,
            table.qi,
            table.sensitive,
            table.name,
        )


@contextmanager
def places(
    executor: Executor | None, workers: int | None = None, folder: Path | None = None
) -> Iterator[Places]:
    """Open an executor's workers, or threads, for tasks on counted tables.

    ``workers`` is how many tasks run at a time; without an executor it is one a core,
    in threads here. The files of tables are kept meanwhile in ``folder``, which all
    workers see; None: where the system keeps such files.
    """
    count = cores() if executor is None else workers or _ELSEWHERE
    with ExitStack() as stack:
        scratch = None
        if executor is not None:
            opened = TemporaryDirectory(prefix="starmin.", dir=folder)
            scratch = Path(stack.enter_context(opened))
        yield Places(stack.enter_context(Threads(count)), executor, count, scratch)


@dataclass(frozen=True)
class _Array:
    """A file with an array; what is not looked at is not read."""

    path: Path

    def load(self) -> npt.NDArray[Any]:
        # Copied on write: compiled loops take it as any other array.
        return np.asarray(np.load(self.path, mmap_mode="c", allow_pickle=False))


@dataclass(frozen=True)
class _Table:
    """Files with a counted table; a code stands for itself in it."""

    codes: _Array
    counts: _Array
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    qi: tuple[str, ...]
    sensitive: tuple[str, ...]
    name: str

    def load(self) -> Table:
        texts = tuple(tuple(map(str, range(size))) for size in self.sizes)
        roles = self.qi, self.sensitive, self.name
        return Table(self.names, self.codes.load(), texts, *roles, self.counts.load())


def _with_files(task: Callable[..., Answer], *given: Any) -> Answer:
    """Call a task with what is in files, and other arguments."""
    kinds = (_Array, _Table)
    return task(*(each.load() if isinstance(each, kinds) else each for each in given))
