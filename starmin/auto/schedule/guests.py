"""A method that works for slices of the time, and waits while others have theirs."""

import math
import os
import time
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from starmin.auto.dispatch import on
from starmin.auto.task import Task
from starmin.instances import Limit, NotSupportedError, Result
from starmin.instances.runs.cores import Threads, resting
from starmin.instances.runs.method import Method
from starmin.instances.runs.search_control import Gate, ask_to_stop, behind, stopping
from starmin.instances.runs.watch import Watch, watch_runs

_LONGER = 2.0  # than the slice before
_BEGINS = 3.0  # times what it took to find something, a method is not judged
_LOOK = 0.05  # Seconds between two looks whether it has found something.


def resident() -> int:
    """Return how many bytes of memory the process holds; 0 where nobody says."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError, AttributeError):
        return 0


class Guest:
    """A method at a problem, in a thread of its own.

    One that can be paused goes on in each slice where it was in the last. Another is
    called anew for each slice, with the slice as its time limit, and begins with what
    is known by then.

    Its first slice has ``first`` seconds, and goes on for ``patience`` seconds if it
    finds nothing sooner. ``used`` is how many seconds it has worked, ``slice`` how long
    its next slice is, and ``gain`` how much nearer release and bound came in its last
    one, a second. It is not judged until it has worked for ``begins`` seconds: so many
    times longer than it took to find its first release or bound. ``grown`` is how many
    bytes the process came to have while it worked, ``found`` what it returned, whenever
    it was called, and ``over`` whether it has nothing more to do. If it is ``anew``,
    its next call begins with nothing, since the last one has ended.
    """

    def __init__(
        self, method: Method, task: Task, first: float, patience: float
    ) -> None:
        self.method, self._task, self.patience = method, task, patience
        self.used, self.slice, self.gain = 0.0, first, math.inf
        self.begins, self.anew = math.inf, False
        self.found, self.over, self.grown = list[Result[Any]](), False, 0
        self._begun = math.inf
        self._watch: Watch | None = None
        self._gate: Gate | None = None
        self._call: Future[None] | None = None

    @property
    def value(self) -> float:
        """What its best release costs."""
        value = None if self._watch is None else self._watch.value
        return math.inf if value is None else value

    @property
    def bound(self) -> int:
        """What it has proven."""
        return 0 if self._watch is None else self._watch.lower_bound or 0

    def work(
        self,
        threads: Threads,
        known: dict[str, Any],
        value: int,
        end: float,
        room: Callable[[int], None] = lambda held: None,
    ) -> None:
        """Work for a slice.

        It works in ``threads``. ``known`` are options of the method, for a call that
        begins now; ``value`` is what the best release costs, and ``end`` when the time
        of all is up, by ``time.perf_counter``. ``room`` is told of the memory that is
        in use, and may end those that take too much.
        """
        self._begun = min(self._begun, value)
        began = time.perf_counter()
        left = max(0.0, end - began)
        seconds = min(self.slice, left)
        if self._call is None:
            limit = left if self.method.pauses else seconds
            self._gate = Gate(end)
            task = self._task.given(**known, time_limit=limit)
            with behind(self._gate):
                self._call = threads.submit(self._solve, task, value)
        assert self._gate is not None
        self._gate.open()
        held, until = resident(), began + min(self.patience - self.used, left)
        with resting():
            while not self._call.done():
                now = time.perf_counter()
                past = now - began >= seconds and self.method.pauses
                if self.over or (past and (self._has_found() or now > until)):
                    break
                wait = _LOOK if past else min(_LOOK, began + seconds - now)
                futures.wait([self._call], max(0.0, wait))
                if math.isinf(self.begins) and self._has_found():
                    taken = self.used + time.perf_counter() - began
                    self.begins = _BEGINS * taken
                before, held = held, resident()
                self.grown += held - before
                room(held)
        self.slice *= _LONGER
        self._gate.close()
        if self._call.done():
            call, self._call = self._call, None
            call.result()
        self.used += time.perf_counter() - began

    def _has_found(self) -> bool:
        """Return whether it has found more than it began with, or has ended."""
        assert self._call is not None
        proves = self.method.kind != "heuristic" and self.bound > 0
        return self.value < self._begun or proves or self._call.done()

    def end(self) -> None:
        """Have it end, wherever it is."""
        self.over = True
        if self._watch is not None:
            self._watch.limit = self._watch.limit or Limit.TIME
        if self._gate is not None:
            self._gate.open()

    def _go_on(self, ended: bool, gained: bool) -> None:
        """Decide whether to call it once more, and how: on from there, or anew.

        A search that has ended begins anew, by other random choices, until that gains
        nothing.
        """
        self.anew = ended and "seed" in self.method.options()
        if self.anew and self.method.kind == "heuristic":
            self.over = not gained
        else:
            self.over = ended or self.method.pauses

    def _solve(self, task: Task, value: int) -> None:
        """Call the method, and keep what it finds, perhaps below what was known."""
        with watch_runs(about=on(task.problem)) as self._watch:
            self._watch.limit = Limit.TIME if self.over else None
            try:
                found = task.solve(self.method)
            except (NotSupportedError, MemoryError):
                self.over = True  # a limit of its own, as on the number of columns
            except KeyboardInterrupt:
                self.over = True
                if not stopping():
                    ask_to_stop()
            else:
                self.found.append(found)
                self._go_on(found.limit is not Limit.TIME, self.value < value)
