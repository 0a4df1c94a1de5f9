"""Processes that solve blocks, and that end when the one that started them does."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

from starmin.instances.runs.workers.safe_start import safe_start


@contextmanager
def block_pool(workers: int) -> Iterator[Executor]:
    """Start a pool of processes; whatever ends the block of code ends them at once.

    Examples
    --------
    >>> with block_pool(1) as pool:
    ...     pool.submit(sum, [1, 2]).result()
    3
    """
    with _broken_pipes_raise(), safe_start():
        pool = ProcessPoolExecutor(workers, initializer=_begin)
        try:
            yield pool
        except BaseException:
            # Else an interrupted run would wait for the blocks that are begun.
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _broken_pipes_raise() -> Iterator[None]:
    """Do not die as the pool writes to a process that has ended."""
    number = getattr(signal, "SIGPIPE", None)
    if number is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def _begin() -> None:
    """Leave interrupts to the parent, and end with it even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
