"""The cores that a search may use, which the calls beside one another share.

One place says how many there are, and who runs on them. What begins threads asks
``cores`` for their number. Each call in a thread has a seat at a core as long as it
works: more calls than cores take turns. A call that waits for another gives its core
away (``resting``), and one that looks at the clock lets others have it once it has had
a turn (``give_way``). Blocks of work that take a millisecond are helped with by threads
of a ``Team``, if cores are idle (``idle_seat``).
"""

import itertools
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from functools import partial
from threading import Event, Lock, get_ident
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeVar
from weakref import WeakSet

from starmin.instances.runs.search_control import is_counted

# Seconds that a call has a core while others wait; it has it longer, up to so long,
# if the one before had: some look at the clock seldom, and shall have no more for that.
_TURN, _LONG_TURN = 0.02, 0.25
_SHORTER = 0.9  # than the turn before, or turns would become longer and longer
# Seconds after which a call goes on without a core. Calls look at the clock far more
# often; but a solver may not, and nobody may wait for one who waits for him.
_PATIENCE = 1.0


def cores() -> int:
    """Return how many cores the search may use: its limit, or all there are.

    Examples
    --------
    >>> with limited_to(3):
    ...     cores()
    3
    """
    return _count.get() or usable_cores()


def usable_cores() -> int:
    """Return how many cores the process may use; those of others do not count."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Cores:
    """So many cores, handed from call to call in the order in which they ask.

    ``most`` is how many of them were in use at the same time, at most; ``turn`` is for
    how many seconds a call may have one while others wait.
    """

    def __init__(self, count: int) -> None:
        self.count, self.most, self._free = count, 0, count
        self.turn = _TURN
        self._waiting: deque[Event] = deque()
        self._lock = Lock()

    @property
    def wanted(self) -> bool:
        """Whether a call waits for a core, or more are in use than there are."""
        return bool(self._waiting) or self._free < 0

    @property
    def idle(self) -> int:
        """How many of them nobody uses or waits for."""
        return 0 if self._waiting else max(0, self._free)

    def take(self) -> None:
        """Wait for a core, and take it; after a while, one more than there are."""
        with self._lock:
            if self._free > 0:
                self._take_one()
                return
            turn = Event()
            self._waiting.append(turn)
        try:
            turn.wait(_PATIENCE)
        except BaseException:
            if self._withdraw(turn):
                self.give()
            raise
        if not self._withdraw(turn):
            with self._lock:
                self._take_one()

    def _take_one(self) -> None:
        self._free -= 1
        self.most = max(self.most, self.count - self._free)

    def _withdraw(self, turn: Event) -> bool:
        """Wait no longer; return whether a core has been handed over."""
        with self._lock:
            if turn not in self._waiting:
                return True
            self._waiting.remove(turn)
            return False

    def take_idle(self) -> bool:
        """Take a core if one is idle; whether it was."""
        with self._lock:
            if self._free <= 0:
                return False
            self._take_one()
        return True

    def give(self) -> None:
        """Hand a core to who has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1


class Seat:
    """The place of a call at one of the cores.

    ``threads`` are those that work there: that of the call, and what it waits for.
    """

    def __init__(self, cores: Cores) -> None:
        self.cores, self.threads = cores, [get_ident()]
        self._held, self._since = False, 0.0

    @property
    def thread(self) -> int:
        """The thread that works there now: the last that began of those at work."""
        return self.threads[-1]

    def take(self) -> None:
        """Wait for a core."""
        self.cores.take()
        self._held, self._since = True, time.perf_counter()

    def take_idle(self) -> bool:
        """Take a core if one is idle; whether it was."""
        self._held, self._since = self.cores.take_idle(), time.perf_counter()
        return self._held

    def give(self) -> None:
        """Give the core away, if there is one."""
        if self._held:
            self._held = False
            self.cores.give()

    def give_way(self) -> None:
        """Let others have the core, if they wait and this call has had its turn."""
        if not (self._held and self.cores.wanted) or self.thread != get_ident():
            return
        had = time.perf_counter() - self._since
        if had >= self.cores.turn:
            self.cores.turn = max(_TURN, min(_SHORTER * had, _LONG_TURN))
            self.give()
            self.take()


_count: ContextVar[int | None] = ContextVar("count", default=None)
_seat: ContextVar[Seat | None] = ContextVar("seat", default=None)


def give_way() -> None:
    """Let others have the core of this call, if they wait and it has had its turn."""
    if (seat := _seat.get()) is not None:
        seat.give_way()


def current_seat() -> Seat | None:
    """Return the seat of this call; None where nothing shares out the cores."""
    return _seat.get()


def idle_cores() -> int:
    """Return how many cores of the search nobody uses; 0 where none are shared out."""
    return 0 if (own := _seat.get()) is None else own.cores.idle


def idle_seat() -> Seat | None:
    """Return a seat at a core of the search that is idle; None without one."""
    if (own := _seat.get()) is None:
        return None
    seat = Seat(own.cores)
    return seat if seat.take_idle() else None


@contextmanager
def seated(seat: Seat | None = None) -> Iterator[None]:
    """Have a seat of one's own: for a call that another one has begun in a thread.

    ``seat`` was taken for this call; if it is None, the call waits for one.
    """
    outer = _seat.get()
    if outer is None:
        yield
        return
    own = seat or Seat(outer.cores)
    own.threads = [get_ident()]
    token = _seat.set(own)
    try:
        if seat is None:
            own.take()
        yield
    finally:
        own.give()
        _seat.reset(token)


@contextmanager
def resting() -> Iterator[None]:
    """Give the core away while this call waits for something.

    An interrupt that strikes meanwhile is not kept waiting for a core: what it ends
    may have them all.
    """
    seat = _seat.get()
    if seat is None or seat.thread != get_ident():
        yield
        return
    interrupted = False
    seat.give()
    try:
        yield
    except KeyboardInterrupt:
        interrupted = True
        raise
    finally:
        if not interrupted:
            seat.take()


def pause(seconds: float) -> None:
    """Sleep, without a core."""
    with resting():
        time.sleep(seconds)


@contextmanager
def limited_to(count: int | None) -> Iterator[Cores]:
    """Have a search use so many cores at most, whatever threads it begins.

    ``count`` is at least 1; None stands for as many as there are, or as the search that
    this one is part of may use. Yields the cores, which are those of the search that
    this one is part of, if it is.

    Examples
    --------
    >>> with limited_to(4), limited_to(8):
    ...     cores()
    4
    """
    outer, before = _seat.get(), _count.get() or usable_cores()
    most = before if count is None else max(1, count)
    told = _count.set(most if outer is None else min(before, most))
    try:
        if outer is not None:
            yield outer.cores
            return
        seat = Seat(Cores(most))
        token = _seat.set(seat)
        seat.take()
        try:
            yield seat.cores
        finally:
            seat.give()
            _seat.reset(token)
    finally:
        _count.reset(told)


# Threads that hear when their search is to stop, and those that help with its work.

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Threads(ThreadPoolExecutor):
    """A pool of threads whose calls belong to the search that submits them.

    Requests to stop that search reach them, and their runs are watched with its own.
    Each has a core of the search while it works; who asks for its answer gives his away
    until it is there (``starmin.instances.runs.cores``). Calls have ended when
    the block of the pool does.

    Examples
    --------
    >>> from starmin.instances.runs.search_control import listen_to_stop, stopping
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
