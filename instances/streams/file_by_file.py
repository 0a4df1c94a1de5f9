"""Files read side by side: a task for each, in threads or on other machines."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from starmin.instances.runs.workers.cores import cores
from starmin.instances.runs.workers.threads import Threads
from starmin.instances.streams.source import Progress, Source, silent

Answer = TypeVar("Answer")

BESIDE = 2  # files that are read at a time on one machine, where there are the cores


def answers(
    task: Callable[..., Answer],
    calls: Iterable[tuple[Any, ...]],
    executor: Executor | None = None,
    workers: int | None = None,
) -> Iterator[Answer]:
    """Yield what a task answers to each call, in their order.

    ``calls`` has its arguments. ``executor`` is where it is called, None: in two
    threads; ``workers`` is how many tasks that runs at a time, and no more than twice
    as many are begun ahead, so that few answers are held.

    Examples
    --------
    >>> list(answers(pow, [(2, 3), (5, 2), (7, 1)]))
    [8, 25, 7]
    """
    with ExitStack() as stack:
        where = executor or stack.enter_context(Threads(min(BESIDE, cores())))
        ahead = BESIDE if executor is None else 2 * (workers or 8)
        begun: deque[Future[Answer]] = deque()
        try:
            for call in calls:
                if len(begun) == ahead:
                    yield begun.popleft().result()
                begun.append(where.submit(task, *call))
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()


class FileByFile:
    """The files of a source as sources of their own, and how much of all was read.

    If ``here``, they are read in this process, and tell how far they are; else call
    ``done`` for each.
    """

    def __init__(self, source: Source, here: bool) -> None:
        self._source, self._here, self._lock = source, here, Lock()
        self._read: dict[Path, int] = {}

    def sources(self) -> list[Source]:
        """Return a source for each file."""
        source = self._source
        return [
            replace(
                source,
                files=(file,),
                progress=self._of(file) if self._here else silent,
            )
            for file in source.files
        ]

    def done(self, source: Source) -> None:
        """Note that a file was read."""
        (file,) = source.files
        self._of(file)(source.size, source.size)

    def _of(self, file: Path) -> Progress:
        def tell(read: int, _: int) -> None:
            with self._lock:
                self._read[file] = read
                self._source.progress(sum(self._read.values()), self._source.size)

        return tell
