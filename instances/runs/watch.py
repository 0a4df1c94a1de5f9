"""A search that is watched: what all its runs found so far, and whether it ends."""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any
from weakref import WeakSet

from starmin.instances.releases.objective import Objective
from starmin.instances.runs.certificate import Certificate
from starmin.instances.runs.cores import resting
from starmin.instances.runs.progress import NO_CONTROL, Control, Progress, logger
from starmin.instances.runs.result import TOLERANCE, Limit, gap_of, gap_text
from starmin.instances.runs.search_control import listen_to_stop, told_inside


class Watch(WeakSet[Any]):
    """Runs that start while someone watches, and what they found together.

    ``control`` tells who is told, and when the search ends; ``about`` tells whether
    what a run found holds for the problem that is watched. ``limit`` is by what it
    ended before its time, or None; ``running`` the method or the step that is at work;
    ``best`` the best release that any run has found, also of those that are gone, and
    ``value`` what it costs; ``lower_bound`` the highest bound, and ``certificate`` what
    proves most of all that runs have proven.
    """

    def __init__(
        self,
        control: Control = NO_CONTROL,
        about: Callable[[Any], bool] = lambda run: True,
    ) -> None:
        super().__init__()
        self.control = control
        self.limit: Limit | None = None
        self.running = ""
        self.best: Any = None
        self.certificate: Certificate | None = None
        self._solved: tuple[Any, ...] = ()  # the problem that it solves
        self._proof: tuple[int, str, Certificate | None] | None = None
        self._about = about
        self._outer = _watched.get()
        self.value: int | None = None
        self.lower_bound: int | None = None
        self.error: BaseException | None = None  # that a listener raised
        self._lock = RLock()
        self.started = self._improved = time.perf_counter()

    @property
    def stopping(self) -> bool:
        """Whether it is to end now: by its own control, or by one around it."""
        if self.limit is None:
            waited = time.perf_counter() - self._improved
            if waited > self.control.patience:
                self.limit = Limit.PATIENCE
        outer = self._outer
        return self.limit is not None or (outer is not None and outer.stopping)

    @property
    def asked_gap(self) -> float:
        """The smallest gap that is asked for here, or around it."""
        own = math.inf if self.control.gap is None else self.control.gap
        return own if self._outer is None else min(own, self._outer.asked_gap)

    def begin(self, running: str) -> None:
        """Note the method or the step that begins."""
        self.running = running
        if self._outer is not None:
            self._outer.begin(running)
        else:
            logger.info("%s begins", running)
        self._tell()

    def hear(self, run: Any) -> None:
        """Take what a run has found; tell of it where that is better than before."""
        if self._outer is not None:
            self._outer.hear(run)
        if not self._about(run):
            return
        with self._lock:
            value, bound, proof = run.value, run.lower_bound, run.certificate
            held = self.certificate
            if proof is not None and (held is None or proof.bound > held.bound):
                self.certificate = proof
            better = value is not None and (self.value is None or value < self.value)
            known = self.lower_bound
            higher = bound is not None and (known is None or bound > known)
            if not (better or higher):
                return
            if better:
                self.value, self.best, self._solved = value, run.best, run.asked
            if higher and bound is not None:
                self.lower_bound = bound
                self._proof = bound, run.bound_method or "", run.certificate
            self._improved = time.perf_counter()
        self._tell()

    def teach(self, run: Any) -> None:
        """Offer a run the best release that was found, and the highest bound."""
        if self.best is not None:
            run.offer(self.best)
        if self._proof is not None:
            run.raise_bound(*self._proof)
        if (proof := self.certificate) is not None:
            run.raise_bound(proof.bound, self._proof[1] if self._proof else "", proof)

    def tell(self, run: Any) -> bool:
        """Offer a run the best release of others on its problem; whether it took it.

        Those around this search have been told of more.
        """
        if self._outer is not None and self._outer.tell(run):
            return True
        with self._lock:
            best, value, solved = self.best, self.value, self._solved
        if value is None or (run.value is not None and run.value <= value):
            return False
        table, *rest = run.asked
        same = table is solved[0] and rest == [*solved[1:]]
        return same and bool(run.offer(best))

    def _tell(self) -> None:
        """Tell all who listen; end the search where one, or the gap, says so."""
        # A listener may take long, and search itself: who waits for it needs no core.
        if not self._lock.acquire(blocking=False):
            with resting():
                self._lock.acquire()
        try:
            gap = gap_of(self.value, self.lower_bound)
            now = Progress(
                time.perf_counter() - self.started,
                self.value,
                self.lower_bound,
                gap,
                self.running,
            )
            logger.log(
                logging.INFO if self._outer is None else logging.DEBUG,
                "%.1f s: value %s, bound %s, gap %s (%s)",
                *(now.seconds, now.value, now.lower_bound),
                "unknown" if gap is None else gap_text(gap, 3),
                now.running,
            )
            for listener in self.control.listeners:
                try:
                    asked = listener(now)
                except Exception as error:  # raised again where the search ends
                    self.error, asked = error, True
                if asked and self.limit is None:
                    self.limit = Limit.CALLBACK
            most, closes = self.control.gap, self.control.closes
            asked = most is not None and (most > 0 or closes)
            if asked and gap is not None and gap <= (most or 0.0):
                self.limit = self.limit or Limit.GAP
        finally:
            self._lock.release()


_watched: ContextVar[Watch | None] = ContextVar("watched", default=None)


def watched() -> Watch | None:
    """Return the search that is watched here, if one is."""
    return _watched.get()


def tolerance_of(objective: Objective) -> float:
    """Return the largest gap that is called optimal: none but for losses."""
    return TOLERANCE if objective.by_node else 0.0


def ending_gap(objective: Objective) -> float:
    """Return the gap that ends a search here: the tolerance, or less if asked for."""
    most, watch = tolerance_of(objective), watched()
    return most if watch is None else min(most, watch.asked_gap)


@contextmanager
def watch_runs(
    control: Control = NO_CONTROL, about: Callable[[Any], bool] = lambda run: True
) -> Iterator[Watch]:
    """Collect the runs that start inside, as long as they live.

    A request to stop that one of them hears holds for all that start inside. An
    interrupted method leaves its run in the traceback of the interrupt: what it had
    found is not lost. What a listener raises ends the search and is raised when the
    block ends. ``control`` tells who is told of what they find, and when the search
    ends; ``about`` tells whether what a run found holds for the problem that is
    watched, by default of all.
    """
    runs = Watch(control, about)
    with told_inside(_watched, runs), listen_to_stop(lambda: runs.stopping):
        yield runs
    if runs.error is not None:
        raise runs.error
