"""Threads that hear when their search is to stop, and those that help with its work."""

import itertools
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context, copy_context
from functools import partial
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeVar
from weakref import WeakSet

from starmin.instances.runs.work import is_counted
from starmin.instances.runs.workers.cores import Seat, cores, idle_seat, resting, seated

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Threads(ThreadPoolExecutor):
    """A pool of threads whose calls belong to the search that submits them.

    Requests to stop that search reach them, and their runs are watched with its own.
    Each has a core of the search while it works; who asks for its answer gives his away
    until it is there (``starmin.instances.runs.workers.cores``). Calls have ended when
    the block of the pool does.

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
        return self._begin(lambda: fn(*args, **kwargs), None)

    def submit_if_idle(self, fn: Callable[[], Answer]) -> Future[Answer] | None:
        """Call a function at a core that is idle; None where there is none."""
        seat = idle_seat()
        return None if seat is None else self._begin(fn, seat)

    def _begin(self, work: Callable[[], Answer], seat: Seat | None) -> Future[Answer]:
        call = _Call[Answer]()
        self._running.add(call)
        if is_counted():  # in one thread, which has its core
            _answer(call, work)
        else:
            super().submit(_carry_out, copy_context(), call, work, seat)
        return call

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; wait for those that are begun."""
        super().shutdown(False)
        if cancel_futures:
            for call in list(self._running):
                call.cancel()
        if wait:
            with resting():
                # Not for threads: Python takes a thread for ended whose join is cut
                # short by an interrupt, and goes down while it is at work.
                begun = [call for call in self._running if not call.cancelled()]
                futures.wait(begun)
                super().shutdown(True)


class _Call(Future[Answer], Generic[Answer]):
    """A call; who waits for its answer gives his core away until it is there."""

    def result(self, timeout: float | None = None) -> Answer:
        """Return the answer, or raise what the call raised."""
        if not self.done():
            with resting():
                futures.wait([self], timeout)
        return super().result(0)


def _carry_out(
    context: Context,
    call: "_Call[Answer]",
    work: Callable[[], Answer],
    seat: Seat | None,
) -> None:
    """Do the work of a call, if it is still wanted, and answer it."""
    if not call.set_running_or_notify_cancel():
        if seat is not None:
            seat.give()
        return

    def seat_and_work() -> Answer:
        with seated(seat):
            return work()

    _answer(call, lambda: context.run(seat_and_work))


def _answer(call: "_Call[Answer]", work: Callable[[], Answer]) -> None:
    try:
        answer = work()
    except BaseException as error:
        call.set_exception(error)
    else:
        call.set_result(answer)


class Team:
    """Shares blocks of work, each of about a millisecond, among idle cores.

    The call itself works, too, so that it never waits for a core. What a block is
    follows from the data; who does it follows from who is free. So whatever blocks add
    up shall not depend on their order. At most ``most`` work at a time, by default as
    many as there are cores.

    Examples
    --------
    >>> squares = [0] * 4
    >>> with Team() as team:
    ...     team.share(4, lambda worker, block: squares.__setitem__(block, block**2))
    >>> squares
    [0, 1, 4, 9]
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most or cores()
        self._threads = Threads(max(1, self.most - 1))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.shutdown()

    def share(self, blocks: int, work: Callable[[int, int], object]) -> None:
        """Work on each block once.

        ``work`` takes the number of who works, below ``most``, and that of the block.
        """
        numbers = itertools.count()  # whoever asks next has the next one

        def take(worker: int) -> None:
            while (block := next(numbers)) < blocks:
                work(worker, block)

        helpers = list[Future[None]]()
        for worker in range(1, min(self.most, blocks)):
            helper = self._threads.submit_if_idle(partial(take, worker))
            if helper is None:
                break
            helpers.append(helper)
        try:
            take(0)
        finally:
            for each in helpers:
                each.cancel()
            done = [each for each in helpers if not each.cancelled()]
            for each in done:
                each.result()
