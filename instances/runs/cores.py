"""The cores that a search may use, which the calls beside one another share.

One place says how many there are, and who runs on them. What begins threads asks
``cores`` for their number. Each call in a thread has a seat at a core as long as it
works: more calls than cores take turns, and who has had a core for least seconds has
the next one. A call that waits for another gives its core away (``resting``), and one
that looks at the clock lets others have it (``wait_for_turn``). Blocks of work that
take a millisecond are helped with by threads of a ``Team``, if cores are idle
(``idle_seat``).
"""

import itertools
import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from functools import partial
from threading import Event, Lock, get_ident
from typing import Any, Generic, ParamSpec, Self, TypeVar
from weakref import WeakSet

from starmin.instances.runs.search_control import gate_here, is_counted, told_inside

_TURN = 0.02  # seconds that a call has a core at least
# Seconds after which a call goes on without a core. Calls look at the clock far more
# often; but a solver may not, and nobody may wait for one who waits for him.
_PATIENCE = 1.0


def cores() -> int:
    """Return how many cores the search may use: its limit, or all there are.

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
    """So many cores, handed to the call that has had one for least seconds.

    ``most`` is how many of them were in use at the same time, at most.
    """

    def __init__(self, count: int) -> None:
        self.count, self.most, self._free = count, 0, count
        self._at_work = set[Seat]()
        self._waiting = dict[Seat, Event]()
        # least, past: seconds that one who waits has had a core, and that those at work
        # had when somebody came or went
        self._least, self._past = math.inf, 0.0
        self._lock = Lock()

    @property
    def idle(self) -> int:
        """How many of them nobody uses or waits for."""
        return 0 if self._waiting else max(0, self._free)

    def wanted(self, seconds: float) -> bool:
        """Check whether a call waits that has had a core for fewer seconds.

        Or whether more cores are in use than there are.
        """
        return self._least < seconds or self._free < 0

    def take(self, seat: "Seat") -> None:
        """Wait for a core, and take it; after a while, one more than there are.

        Who comes has had as much as those at work, at least: they do not wait for one
        that is new, or was away, until it has made up for that.
        """
        with self._lock:
            seat.used = max(seat.used, self._level())
            if self._free > 0:
                self._begin(seat)
                return
            turn = self._waiting[seat] = Event()
            self._least = min(self._least, seat.used)
        try:
            turn.wait(_PATIENCE)
        except BaseException:
            if not self._withdraw(seat):
                self.give(seat)
            raise
        if self._withdraw(seat):
            with self._lock:
                self._begin(seat)

    def _level(self) -> float:
        """Return the seconds that those at work have had a core, or had before."""
        had = min((each.had for each in self._at_work), default=0.0)
        self._past = max(self._past, had)
        return self._past

    def _begin(self, seat: "Seat") -> None:
        self._free -= 1
        self._at_work.add(seat)
        seat.since = time.perf_counter()
        self.most = max(self.most, self.count - self._free)

    def _withdraw(self, seat: "Seat") -> bool:
        """Wait no longer; return whether no core has been handed over."""
        with self._lock:
            waited = self._waiting.pop(seat, None) is not None
            self._look()
            return waited

    def _look(self) -> None:
        self._least = min((each.used for each in self._waiting), default=math.inf)

    def take_idle(self, seat: "Seat") -> bool:
        """Take a core if one is idle; whether it was."""
        with self._lock:
            if self._free <= 0:
                return False
            seat.used = max(seat.used, self._level())
            self._begin(seat)
        return True

    def give(self, seat: "Seat") -> None:
        """Hand the core of a call to who waits and has had one for least seconds."""
        with self._lock:
            self._level()
            self._at_work.discard(seat)
            seat.used, seat.since = seat.had, math.inf
            self._free += 1
            if self._waiting:
                heir = min(self._waiting, key=lambda each: each.used)
                turn = self._waiting.pop(heir)
                self._look()
                self._begin(heir)
                turn.set()


class Seat:
    """The place of a call at one of the cores.

    ``threads`` are those that work there: that of the call, and what it waits for. It
    has had a core for ``used`` seconds before the turn that began at ``since``.
    """

    def __init__(self, cores: Cores) -> None:
        self.cores, self.threads = cores, [get_ident()]
        self.used, self.since = 0.0, math.inf

    @property
    def thread(self) -> int:
        """The thread that works there now: the last that began of those at work."""
        return self.threads[-1]

    @property
    def had(self) -> float:
        """For how many seconds it has had a core."""
        return self.used + self.turn

    @property
    def turn(self) -> float:
        """For how many seconds it has one now."""
        return max(0.0, time.perf_counter() - self.since)

    def take(self) -> None:
        """Wait for a core."""
        self.cores.take(self)

    def give(self) -> None:
        """Give the core away, if there is one."""
        if self.since < math.inf:
            self.cores.give(self)


_count: ContextVar[int | None] = ContextVar("count", default=None)
_seat: ContextVar[Seat | None] = ContextVar("seat", default=None)


def give_way() -> None:
    """Let others have the core of this call that have had less of one, after a turn."""
    seat = _seat.get()
    if seat is None or seat.turn < _TURN or seat.thread != get_ident():
        return
    if seat.cores.wanted(seat.had):
        seat.give()
        seat.take()


def wait_for_turn() -> None:
    """Wait while the search of this call is paused; then let others have its core.

    Whatever works long comes here again and again, or looks at the time that its run
    has left, which does the same.
    """
    gate = gate_here()
    if gate is not None and gate.is_closed:
        with resting():
            gate.wait()
    give_way()


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
    return seat if own.cores.take_idle(seat) else None


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
    with told_inside(_seat, own):
        try:
            if seat is None:
                own.take()
            yield
        finally:
            own.give()


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

    >>> with limited_to(4), limited_to(8):
    ...     cores()
    4
    """
    outer, before = _seat.get(), _count.get() or usable_cores()
    most = before if count is None else max(1, count)
    with told_inside(_count, most if outer is None else min(before, most)):
        if outer is not None:
            yield outer.cores
            return
        seat = Seat(Cores(most))
        with told_inside(_seat, seat):
            seat.take()
            try:
                yield seat.cores
            finally:
                seat.give()


# Threads that hear when their search is to stop, and those that help with its work.

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class Threads(ThreadPoolExecutor):
    """A pool of threads whose calls belong to the search that submits them.

    Requests to stop that search reach them, and their runs are watched with its own.
    Each has a core of the search while it works; who asks for its answer gives his away
    until it is there (``starmin.instances.runs.cores``). Calls have ended when
    the block of the pool does.

    >>> from starmin.instances.runs.search_control import listen_to_stop, stopping
    >>> with Threads(1) as pool, listen_to_stop(lambda: True):
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
            return call
        try:
            super().submit(_carry_out, copy_context(), call, work, seat)
        except RuntimeError:  # the pool has ended, and waits for what it has begun
            if seat is not None:
                seat.give()
            call.cancel()
            call.set_running_or_notify_cancel()
            raise
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
    up shall not depend on their order. At most ``most`` work at a time.

    >>> squares = [0] * 4
    >>> with Team() as team:
    ...     team.share(4, lambda worker, block: squares.__setitem__(block, block**2))
    >>> squares
    [0, 1, 4, 9]
    """

    def __init__(self) -> None:
        self.most = cores()
        self._threads = Threads(max(1, self.most - 1))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
