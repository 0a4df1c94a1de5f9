"""What is known of a problem while methods have their turns at it."""

import math
from typing import Any

from starmin.auto.dispatch import AUTO, signed, words
from starmin.auto.schedule.bounds_beside import Ending
from starmin.auto.schedule.first_bounds import with_spare
from starmin.auto.schedule.turns import Growth, Size, Turn
from starmin.auto.task import Task
from starmin.instances import (
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Result,
)
from starmin.instances.runs.method import Method
from starmin.instances.runs.result import gap_of
from starmin.instances.runs.stop import stopping

_MOMENT = 1.0  # second, for a proof that needs no search


class Board:
    """The best release and the best bound so far, which each turn begins with.

    Parameters
    ----------
    task
        The problem, with its time limit and, perhaps, a release to start from.
    beside
        What ends the bounds beside the search.

    Attributes
    ----------
    run
        It holds what was found, and its clock.
    start
        The best release that a method, or the user, has found; None: only that of
        one group is known.
    """

    def __init__(self, task: Task, beside: Ending) -> None:
        self.run = task.run()
        self.start: Partition | None = task.initial
        self._task, self._beside, self._size = task, beside, Size(task)
        self._given = task.initial is not None
        self._tried, self._ended = set[str](), False
        self._last: Result[Any] | None = None
        self.run.begin(AUTO)
        self.run.offer(task.initial or Partition.coarsest(task.table, task.objective))

    @property
    def over(self) -> bool:
        """Whether no turn is left: solved, or no time."""
        return self.run.closed or self.run.remaining == 0

    def have(self, turn: Turn) -> None:
        """Let the methods of a turn work, each with what is known by then."""
        if not turn.fits(self._size) or (turn.starts and self._given):
            return
        if self._ended != turn.after:
            return
        goal = _for_stars(self._task) if turn.stars else self._task
        if turn.contest:
            self._contest(turn)
            return
        for method in goal.takers(turn.methods):
            if self.over:
                return
            if turn.once and method.name in self._tried:
                continue
            if self._beside.has(method.name) and not turn.ends:
                continue
            if method.kind == "bound" and self.run.lower_bound:
                continue
            seconds = turn.seconds(self._size, self.run.remaining)
            if turn.waits:
                self._beside.first(turn.waits * seconds)
                self._hear()
                seconds = turn.seconds(self._size, self.run.remaining)
            if seconds == 0 or not self._ask(method, goal, seconds, turn):
                continue
            if turn.growth is not None:
                self._go_on(method, goal, seconds, turn, turn.growth)
            if turn.ends:
                self._ended = True
                return

    def result(self) -> Result:
        """Return what was found, with the figures of the last method."""
        beside = self._learn_beside()
        if self.run.value == 0 and self.run.certificate is None:
            self._certify_nothing_hidden()
        last = self._last
        if last is None:
            if self._task.table.counts is not None and not self.over:
                raise NotSupportedError(
                    f"No method takes {words(self.run.requirement)} with "
                    f"{self.run.objective.kind} on a table that is read in batches; "
                    "read as a whole, it may be solved."
                )
            limit = Limit.TIME if self.run.remaining == 0 else None
            alone = "initial" if self._given else "single_group"
            return signed(self.run.result(limit), alone)
        limit = Limit.TIME if self.run.remaining == 0 else last.limit
        if limit is Limit.INTERRUPTED and not stopping():
            limit = None  # what was proven beside has ended the search, and no one else
        return with_spare(self.run.result(limit, last.stats), beside)

    def _certify_nothing_hidden(self) -> None:
        """Prove in a file what needs no proof: no release costs less than 0."""
        seconds = max(_MOMENT, self.run.remaining)
        alone = self._task.given(initial=None, time_limit=seconds)
        for method in alone.takers(("own_pattern",)):
            try:
                found = alone.solve(method)
            except (NotSupportedError, KeyboardInterrupt):
                return  # the answer stands without it
            self.run.learn(found)

    def _ask(self, method: Method, goal: Task, seconds: float, turn: Turn) -> bool:
        """Give a method its turn; return whether it takes the problem."""
        self._hear()
        takes = method.options()
        known = dict[str, Any](initial=None, prices=None, time_limit=seconds)
        if not turn.starts:
            known["prices"] = self.run.certificate
            known["initial"] = self.start if "initial" in takes else None
        try:
            found = goal.given(**known, **turn.given()).solve(method)
        except NotSupportedError:
            return False  # a limit of its own, as on the number of columns
        self._tried.add(method.name)
        self._learn(found, same=not turn.stars)
        return True

    def _go_on(
        self, method: Method, goal: Task, seconds: float, turn: Turn, growth: Growth
    ) -> None:
        """Give a method further turns, each twice as long as the one before."""
        begun = self.run.elapsed - seconds
        most = growth.share * self.run.time_limit
        while (
            self._last is not None
            and self._last.limit is Limit.TIME
            and not self.over
            and _is_far(gap_of(self.run.value, self.run.lower_bound), growth)
            and self.run.elapsed - begun + 2 * seconds < most
        ):
            seconds *= 2
            self._ask(method, goal, seconds, turn)

    def _contest(self, turn: Turn) -> None:
        """Give slices of the time to the method that gained most for its last one.

        A slice is at first as long as the table asks, then each time twice as long: so
        what is found by then does not depend on the limit.
        """
        first, had = turn.first(self._size), dict.fromkeys(turn.methods, 0)
        gains = dict.fromkeys(self._task.takers(turn.methods), math.inf)
        while gains and not self.over:
            # Of equal ones the one whose last slice was longest ago: it stands first.
            method = max(gains, key=gains.__getitem__)
            del gains[method]
            begun, before = self.run.elapsed, self.distance
            seconds = turn.seconds(self._size, self.run.remaining)
            seconds = min(seconds, first * 2 ** had[method.name])
            if not self._ask(method, self._task, seconds, turn):
                continue
            had[method.name] += 1
            self._ended = turn.ends
            if self._last is not None and self._last.limit is Limit.TIME:
                spent = max(self.run.elapsed - begun, 1e-9)
                gains[method] = (before - self.distance) / spent

    @property
    def distance(self) -> int:
        """How far release and bound are apart, in the unit of the objective."""
        return (self.run.value or 0) - (self.run.lower_bound or 0)

    def _learn_beside(self) -> list[Result]:
        """End what works beside the search; take and return what it found."""
        bounds = self._beside()
        for bound in bounds:
            self.run.learn(bound)
        self._hear()
        return bounds

    def _hear(self) -> None:
        """Take what was found beside by now."""
        before = self.run.value
        self._beside.teach(self.run)
        if self.run.value != before:
            self.start = self.run.best

    def _learn(self, found: Result, same: bool) -> None:
        """Take what a method has found for this problem, or for one like it."""
        run, best = self.run, found.best
        if same:
            run.learn(found)
            self._last = found
            better = _is_less(found.value, run.value)
        else:  # groups for stars may need nodes above the highest level that is allowed
            given = run.table, run.requirement, run.objective
            better = best is not None and best.violation(*given) is None
        if better and best is not None and run.offer(best):
            self.start = best


def _is_far(gap: float | None, growth: Growth) -> bool:
    return gap is None or gap > growth.gap


def _is_less(value: int | None, other: int | None) -> bool:
    return value is not None and (other is None or value < other)


def _for_stars(task: Task) -> Task:
    """Return a problem of stars whose groups serve for losses as well."""
    objective = task.objective
    return task.on(objective=Objective("stars", objective.weights, objective.keep))
