"""The search for a frontier: the hardest requirement first, several at a time."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from functools import partial
from typing import Any

from starmin.auto.choice import solve_by
from starmin.auto.dispatch import AUTO
from starmin.frontiers.points import (
    Point,
    carry_over,
    cheapest_release,
    hardest_first,
    nearest_proof,
)
from starmin.instances import Control, Limit, Result
from starmin.instances.runs.cores import Threads, usable_cores
from starmin.instances.runs.progress import NO_CONTROL
from starmin.instances.runs.search_control import ask_to_stop, listen_to_stop, stopping
from starmin.process.faults import InternalError
from starmin.registry import find


def search_frontier(
    points: Sequence[Point],
    method: str,
    remaining: Callable[[], float],
    options: Mapping[str, Any],
    *,
    workers: int | None = None,
    control: Control = NO_CONTROL,
    told: Callable[[Point, Result[Any]], None] = lambda point, result: None,
    failed: Callable[[Point, InternalError], None] = lambda point, error: None,
) -> dict[Point, Result[Any]]:
    """Solve the problems of a frontier within one time limit.

    The hardest requirements come first: each search starts from the cheapest release of
    those that are done and imply it, and from the prices that prove the bound of the
    nearest one. Most of a search keeps one processor busy, so as many run at a time as
    there are processors, or ``workers``, and the time of each processor is dealt evenly
    to those it is to run. In the end releases and bounds are carried over to wherever
    they hold.

    ``remaining`` returns the seconds that are left for all that are not done;
    ``control`` says when the search for a point ends before its time. ``told`` is
    called with each point that is done, and ``failed`` in the end with each whose
    search a bug of ours ended; the others are not touched by it.

    Results are in the order of ``points``: after an interrupt also those that were not
    begun, with what the others say of them.
    """
    alone = Control(control.listeners, control.gap, control.patience)
    call = partial(_solved, method, options, alone)
    search = _Search(method, call, remaining, told, hardest_first(points), workers)
    with listen_to_stop(), Threads(search.slots) as executor:
        search.carry_out(executor, control.ended)
    for point, error in search.faults.items():
        failed(point, error)
    carried = carry_over(search.found)
    return {point: carried[point] for point in points}


def _solved(
    method: str,
    options: Mapping[str, Any],
    control: Control,
    point: Point,
    given: Mapping[str, Any],
) -> Result[Any]:
    """Solve the problem of one point, with further arguments."""
    return solve_by(method, point.problem, {**options, **given}, control)


class _Search:
    """The points that wait, those at work, and what was found."""

    def __init__(
        self,
        method: str,
        call: Callable[[Point, Mapping[str, Any]], Result[Any]],
        remaining: Callable[[], float],
        told: Callable[[Point, Result[Any]], None],
        queue: list[Point],
        workers: int | None,
    ) -> None:
        self.method, self.call, self.remaining = method, call, remaining
        self.takes_start = method == AUTO or "initial" in find(method).options()
        self.told, self.queue = told, queue
        self.processors = workers or usable_cores()
        self.slots = min(self.processors, len(queue))
        self.found: dict[Point, Result[Any]] = {}
        self.running: dict[Future[Result[Any]], Point] = {}
        self.faults: dict[Point, InternalError] = {}

    def carry_out(self, executor: Executor, ended: Callable[[], object]) -> None:
        """Solve all, and call ``ended``; after an interrupt, keep what there is."""
        done = False
        while not done:
            try:
                done = self._are_done(executor)
                if done:
                    ended()
            except KeyboardInterrupt:
                ask_to_stop()
            except BaseException:
                ask_to_stop()  # the other searches end; then the error is told
                raise
        for point in self.queue:
            self.found[point] = self._not_begun(point)

    def _are_done(self, executor: Executor) -> bool:
        """Begin as many as there is room for and wait for one, if any are left."""
        if not self.running and (not self.queue or stopping()):
            return True
        while self.queue and len(self.running) < self.slots:
            self._begin(executor)
        for done in wait(self.running, return_when=FIRST_COMPLETED).done:
            self._end(done)
        return False

    def _begin(self, executor: Executor) -> None:
        start = cheapest_release(self.queue[0], self.found)
        busy = min(len(self.queue) + len(self.running), self.slots)
        given: dict[str, Any] = {
            "time_limit": self.remaining() / -(-len(self.queue) // self.slots),
            "workers": max(1, self.processors // busy),
            "prices": nearest_proof(self.queue[0], self.found),
        }
        if self.takes_start and start is not None:
            given["initial"] = start.best
        future = executor.submit(self.call, self.queue[0], given)
        self.running[future] = self.queue.pop(0)

    def _end(self, done: Future[Result[Any]]) -> None:
        point = self.running[done]
        try:
            self.found[point] = done.result()
        except InternalError as error:
            self.found[point], self.faults[point] = error.result, error
        del self.running[done]
        self.told(point, self.found[point])

    def _not_begun(self, point: Point) -> Result[Any]:
        start = cheapest_release(point, self.found)
        if start is None:
            stats = {"method": self.method}
            return Result(None, None, None, 0.0, Limit.INTERRUPTED, stats=stats)
        return replace(
            start,
            lower_bound=None,
            bound_method=None,
            certificate=None,
            certificate_checked=None,
            runtime=0.0,
            limit=Limit.INTERRUPTED,
        )
