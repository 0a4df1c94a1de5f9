"""The requirements of a frontier, what each says of the others, and their search.

The hardest requirement comes first, and several are searched for at a time.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from starmin.auto.choice import solve_by
from starmin.auto.dispatch import AUTO
from starmin.instances import Certificate, Control, Limit, Problem, Requirement, Result
from starmin.instances.requirements.requirements import Asked
from starmin.instances.runs.cores import Threads, usable_cores
from starmin.instances.runs.progress import NO_CONTROL
from starmin.instances.runs.result import unproven
from starmin.instances.runs.search_control import ask_to_stop, listen_to_stop, stopping
from starmin.process.faults import InternalError
from starmin.registry import find


@dataclass(frozen=True)
class Curve:
    """A line of a frontier, its points in rising order."""

    name: str  # what all of its points ask for besides; empty where it is the only one
    asked: Sequence[int]  # by point: the k, or the l
    # values, bounds: by point: shares of the whole; None where there is none
    values: Sequence[float | None]
    bounds: Sequence[float | None]


@dataclass(frozen=True, eq=False)
class Point:
    """One requirement of a frontier."""

    k: int | None  # k, l: what it asks for; None: nothing of that
    l: int | None
    problem: Problem  # the table with this requirement

    def implies(self, other: "Point") -> bool:
        """Check whether each release that satisfies this one satisfies the other."""
        return (self.k or 1) >= (other.k or 1) and (self.l or 1) >= (other.l or 1)

    @property
    def words(self) -> str:
        """What is asked, as a label."""
        named = (("k", self.k), ("l", self.l))
        return ", ".join(f"{name} = {n}" for name, n in named if n is not None)


def points_of(
    problem: Problem,
    ks: Sequence[int],
    ls: Sequence[int],
    asked: Asked,
    further: Requirement | None = None,
) -> list[Point]:
    """Combine each k with each l; all have the table of ``problem``."""
    points, nothing = [], (None,)
    for k, l in product(ks or nothing, ls or nothing):
        requirement = asked.but(k=k, l=l).on(problem.table, further)
        assert requirement is not None
        points.append(Point(k, l, replace(problem, requirement=requirement)))
    return points


Found = Mapping[Point, Result[Any]]


def hardest_first(points: Sequence[Point]) -> list[Point]:
    """Sort points such that none comes before one that implies it."""
    return sorted(points, key=lambda p: (-(p.l or 1), -(p.k or 1)))


def cheapest_release(point: Point, found: Found) -> Result[Any] | None:
    """Return the result with the cheapest known release that satisfies a point."""
    valid = [
        result
        for other, result in found.items()
        if other.implies(point) and result.best is not None
    ]
    return min(valid, key=lambda result: result.value or 0, default=None)


def nearest_proof(point: Point, found: Found) -> Certificate | None:
    """Return the certificate for the l of a point, and for the nearest k by ratio."""

    def ratio(other: Point) -> float:
        return abs(math.log((other.k or 1) / (point.k or 1)))

    proofs = {
        other: result.certificate
        for other, result in found.items()
        if other.l == point.l and result.certificate is not None
    }
    return proofs[min(proofs, key=ratio)] if proofs else None


def carry_over(found: Found) -> dict[Point, Result[Any]]:
    """Give each point the cheapest release and the highest bound that hold for it.

    ``found`` has what was found for each point on its own. A release for a harder
    requirement is one for an easier one, and a bound for the easier one holds for the
    harder one. A certificate stays where it was found: it names its requirement.
    """
    return {
        point: result
        if result.reason
        else _with_bound(point, _with_release(point, result, found), found)
        for point, result in found.items()
    }


def _with_release(point: Point, result: Result[Any], found: Found) -> Result[Any]:
    """Replace the release by a cheaper one that satisfies a harder requirement."""
    other = cheapest_release(point, found)
    if other is None or other.value is None:
        return result
    if result.value is not None and result.value <= other.value:
        return result
    stats = {**result.stats, "method": other.stats["method"]}
    return replace(result, best=other.best, value=other.value, stats=stats)


def _with_bound(point: Point, result: Result[Any], found: Found) -> Result[Any]:
    """Replace the bound by a higher one that was proven for an easier requirement."""
    easier = [other for key, other in found.items() if point.implies(key)]
    highest = max(easier, key=lambda other: other.lower_bound or 0)
    if (highest.lower_bound or 0) <= (result.lower_bound or 0):
        return result
    return replace(
        result, lower_bound=highest.lower_bound, bound_method=highest.bound_method
    )


# The search.


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

    def call(point: Point, given: Mapping[str, Any]) -> Result[Any]:
        return solve_by(method, point.problem, {**options, **given}, alone)

    search = _Search(method, call, remaining, told, hardest_first(points), workers)
    with listen_to_stop(), Threads(search.slots) as executor:
        search.carry_out(executor, control.ended)
    for point, error in search.faults.items():
        failed(point, error)
    carried = carry_over(search.found)
    return {point: carried[point] for point in points}


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
        return replace(unproven(start), runtime=0.0, limit=Limit.INTERRUPTED)
