"""Methods take turns at a problem: the next slice goes to who gains most.

All that they find goes to one watch, and each begins with it. The search is over when
release and bound meet, when no method is left, or when the time is up.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from starmin.auto.dispatch import AUTO, on, signed, words
from starmin.auto.schedule.guests import Guest, resident
from starmin.auto.schedule.schedule import (
    AT_ONCE,
    BOUNDS,
    OPENERS,
    PROVERS,
    SEARCHES,
)
from starmin.auto.schedule.size import Size
from starmin.auto.schedule.waiting import Waiting
from starmin.auto.task import Task
from starmin.instances import (
    Control,
    Limit,
    NotSupportedError,
    Partition,
    Result,
)
from starmin.instances.runs.cores import Threads, cores
from starmin.instances.runs.method import Method
from starmin.instances.runs.search_control import stopping
from starmin.instances.runs.watch import Watch, watch_runs

# A release is there after so many seconds or this share of the time: no method begins
# one later. The first one has half of the time for that, where it needs so much.
_SOON, _SOON_SHARE, _OPENING, _NEXT = 0.2, 0.05, 0.5, 0.05
_AT_ONCE = 0.02  # seconds that an exact method needs at most which comes before that
# A first slice has a second for so many rows, at least so many seconds, and no more
# than those or this share of the time.
_ROWS, _FIRST, _FIRST_SHARE = 2_000, 0.3, 0.1
_LITTLE = 0.02  # A slice gained nothing if at its pace no more of the gap would close.
_PATIENCE = 0.6  # of the time is for the first one in a queue to find something
_PROVING = 0.2  # of the time is for those who prove, where there is one core
_CORES = 4  # for each that proves, at least
_MOMENT = 1.0  # second, for a proof that needs no search
# Bytes that methods may take beyond the table, and for each of its rows.
_MEMORY, _ROW_MEMORY = 2 << 30, 40_000
# Kinds of proofs of which nobody knows beforehand how long their check takes.
_SLOW = ("boxes", "tree", "odd_sets")


def search(task: Task) -> Result:
    """Search for a release and a bound by all methods of the schedule."""
    with watch_runs(Control(gap=0.0), on(task.problem)) as watch:
        board = Board(task, watch)
        board.open()
        with board.guests() as (provers, searches):
            share = board.share_alone if cores() == 1 else board.share_beside
            share(*(Waiting(each, task.seconds) for each in (provers, searches)))
    return board.result()


class Board:
    """What is known of a problem, and who works at it.

    The task has a time limit and, perhaps, a release to start from; ``watch`` hears of
    all that is found.
    """

    def __init__(self, task: Task, watch: Watch) -> None:
        self._task, self._watch, self._run = task, watch, task.run()
        self._end = time.perf_counter() + task.seconds
        self._guests = list[Guest]()
        self._opened = list[tuple[str, Result[Any]]]()
        self._unopened = list[Method]()
        self._found_by = "single_group" if task.initial is None else "initial"
        self._held = resident()
        self._most = max(_MEMORY, _ROW_MEMORY * task.table.n)

    @property
    def over(self) -> bool:
        """Whether nothing is left to be done: solved, or no time."""
        return stopping() or self._run.remaining == 0

    def open(self) -> None:
        """Find releases that take a moment."""
        task, run = self._task, self._run
        run.begin(AUTO)
        run.offer(task.initial or Partition.coarsest(task.table, task.objective))
        enough = max(_SOON, _SOON_SHARE * task.seconds)
        size, at_once = Size(task), AT_ONCE.takers(task)
        few = [each for each in at_once if size.seconds_of(each) <= _AT_ONCE]
        todo = [*few, *OPENERS.takers(task)]
        while todo and not self.over:
            if self._opened and run.elapsed > enough:
                self._unopened = [each for each in todo if each.kind != "exact"]
                return
            method = todo.pop(0)
            share = _NEXT if self._opened or method.kind == "exact" else _OPENING
            seconds = max(share * run.remaining, min(enough, run.remaining))
            start = self._watch.best if method.kind == "exact" else None
            given = task.given(initial=start, prices=None, time_limit=seconds)
            value = self._watch.value
            try:
                self._opened.append((method.name, given.solve(method)))
            except NotSupportedError:
                continue  # a limit of its own, as on the number of columns
            if self._watch.value != value:
                self._found_by = method.name

    @contextmanager
    def guests(self) -> Iterator[tuple[list[Guest], list[Guest]]]:
        """Yield those who prove and those who search; end them when it is over."""
        task = self._task
        seconds = max(_FIRST, task.table.n / _ROWS)
        first = min(seconds, max(_FIRST, _FIRST_SHARE * task.seconds))

        def invite(methods: list[Method], given: Task) -> list[Guest]:
            # The first one has time to find something, the others are tried.
            patience = _PATIENCE * task.seconds
            return [
                Guest(method, given, first / (1 + bool(at)), 0.0 if at else patience)
                for at, method in enumerate(methods)
            ]

        few = task.given(workers=max(1, cores() // _CORES))
        provers = [
            *invite(BOUNDS.takers(task), few),
            *invite(PROVERS.takers(task), few),
        ]
        searches = invite([*SEARCHES.takers(task), *self._unopened], task)
        self._guests = [*provers, *searches]
        # A thread for each: most of them wait.
        with Threads(max(1, len(self._guests))) as self._threads:
            try:
                yield provers, searches
            finally:
                for guest in self._guests:
                    guest.end()

    def share_beside(self, provers: Waiting, searches: Waiting) -> None:
        """Give slices to those who search, and beside them to those who prove."""
        lanes = max(1, cores() // _CORES)
        with Threads(lanes) as threads:
            beside = [threads.submit(self.share, provers) for _ in range(lanes)]
            self.share(searches, provers)
            for lane in beside:
                lane.result()

    def share(self, *queues: Waiting) -> None:
        """Give slices of the time to methods of the first queue that has some."""
        while not self.over:
            for queue in queues:
                if (guest := queue.take(bool(self._watch.lower_bound))) is not None:
                    self._let_work(guest, queue)
                    break
            else:
                return

    def share_alone(self, provers: Waiting, searches: Waiting) -> None:
        """Give slices at one core, of which those who prove have a part."""
        while not self.over and (provers or searches):
            most = _PROVING * (provers.used + searches.used)
            first = provers if provers.used <= most else searches
            for queue in (first, provers, searches):
                if (guest := queue.take(bool(self._watch.lower_bound))) is not None:
                    self._let_work(guest, queue)
                    break

    def _let_work(self, guest: Guest, queue: Waiting) -> None:
        """Give a slice to a method, and judge what it gained."""
        if not queue:
            guest.slice = math.inf  # nobody else waits
        value, bound = self._watch.value, self._watch.lower_bound or 0
        assert value is not None
        used = guest.used
        guest.work(self._threads, self._known(guest), value, self._end, self._make_room)
        self._judge(guest, value, bound, guest.used - used)
        queue.put_back(guest, guest.used - used)

    def _make_room(self, held: int) -> None:
        """End the method that has taken most memory, if all take too much."""
        begun = [one for one in self._guests if one.grown > 0 and not one.over]
        if held - self._held > self._most and begun:
            max(begun, key=lambda guest: guest.grown).end()

    def _known(self, guest: Guest) -> dict[str, Any]:
        """Return what a method is told when it begins."""
        takes = guest.method.options()
        known: dict[str, Any] = {"initial": None, "prices": self._watch.certificate}
        if "initial" in takes and not guest.anew:
            known["initial"] = self._watch.best
        if "cycle" in takes:
            known["cycle"] = guest.slice
        if "seed" in takes:
            known["seed"] = (self._task.options.get("seed") or 0) + len(guest.found)
        return known

    def _judge(self, guest: Guest, value: int, bound: int, seconds: float) -> None:
        """Note what a slice gained, a second.

        A bound ends that no longer rises, or where a search has one of its own.
        """
        gained = max(0, value - guest.value)
        if gained and guest.value <= (self._watch.value or 0):
            self._found_by = guest.method.name
        if guest.method.kind != "heuristic":
            gained += max(0, guest.bound - bound)
        guest.gain = gained / max(seconds, 1e-9)
        begins = gained and guest.used < guest.begins
        if not begins and guest.gain * self._run.remaining < _LITTLE * (value - bound):
            guest.gain = 0.0
        if guest.method.kind == "bound" and self._watch.lower_bound:
            searches = [one for one in self._guests if one.method.kind == "heuristic"]
            if not gained or any(one.bound for one in searches):
                guest.end()

    def result(self) -> Result:
        """Return what was found, with the figures of who found most."""
        run = self._run
        self._watch.teach(run)
        found = [*self._opened]
        found += [(one.method.name, each) for one in self._guests for each in one.found]
        for _, each in found:
            run.learn(each)
        if run.value == 0 and run.certificate is None:
            self._certify_nothing_hidden()
        unsolved = not (found or run.closed or run.remaining == 0)
        if unsolved and self._task.table.counts is not None:
            raise NotSupportedError(
                f"No method takes {words(run.requirement)} with {run.objective.kind} "
                "on a table that is read in batches; read as a whole, it may be solved."
            )
        limit = Limit.TIME if run.remaining == 0 else Limit.ITERATIONS
        stats = [each.stats for name, each in found if name == self._found_by]
        made = run.result(limit, stats[-1] if stats else {})
        made = signed(made, self._found_by)
        return with_spare(made, [each for _, each in found])

    def _certify_nothing_hidden(self) -> None:
        """Prove in a file what needs no proof: no release costs less than 0."""
        seconds = max(_MOMENT, self._run.remaining)
        alone = self._task.given(initial=None, time_limit=seconds)
        for method in alone.takers(("own_pattern",)):
            try:
                found = alone.solve(method)
            except (NotSupportedError, KeyboardInterrupt):
                return  # the answer stands without it
            self._run.learn(found)


def with_spare(found: Result, others: list[Result[Any]]) -> Result:
    """Return a result with the best proof of others, if its own may check slowly."""
    if found.certificate is None or found.certificate.kind not in _SLOW:
        return found
    proofs = [each.certificate for each in others]
    quick = [one for one in proofs if one is not None and one.kind not in _SLOW]
    return replace(found, spare=max(quick, key=lambda one: one.bound, default=None))
