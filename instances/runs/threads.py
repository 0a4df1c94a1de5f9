"""Threads that hear when the search that started them is to stop."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Threads(ThreadPoolExecutor):
    """A pool of threads whose calls belong to the search that submits them.

    Requests to stop that search reach them, and their runs are watched with its own.

    Examples
    --------
    >>> from instances.runs.stop import listen_to_stop, stopping
    >>> class Ended:
    ...     stopping = True
    >>> with Threads(1) as pool, listen_to_stop(Ended()):
    ...     pool.submit(stopping).result()
    True
    """

    def submit(
        self,
        fn: Callable[Arguments, Answer],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Answer]:
        """Call a function in the context of the caller, in a thread."""
        context: Any = copy_context()
        return super().submit(context.run, fn, *args, **kwargs)
