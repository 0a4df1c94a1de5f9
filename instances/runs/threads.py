"""Threads that hear when the search that started them is to stop."""

from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Threads(ThreadPoolExecutor):
    """A pool of threads whose calls belong to the search that submits them.

    Requests to stop that search reach them, and their runs are watched with its own.
    Calls have ended when the block of the pool does.

    Examples
    --------
    >>> from starmin.instances.runs.stop import listen_to_stop, stopping
    >>> class Ended:
    ...     stopping = True
    >>> with Threads(1) as pool, listen_to_stop(Ended()):
    ...     pool.submit(stopping).result()
    True
    """

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._running: WeakSet[Future[Any]] = WeakSet()

    def submit(
        self,
        fn: Callable[Arguments, Answer],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Answer]:
        """Call a function in the context of the caller, in a thread."""
        context: Any = copy_context()
        begun = super().submit(context.run, fn, *args, **kwargs)
        self._running.add(begun)
        return begun

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; wait for those that are begun."""
        super().shutdown(False, cancel_futures=cancel_futures)
        if wait:
            # Not for threads: Python takes a thread for ended whose join is cut short
            # by an interrupt, and goes down while it is at work.
            futures.wait([call for call in self._running if not call.cancelled()])
            super().shutdown(True)
