"""Let methods take turns at a problem: the next slice goes to who gains most.

A guest works for slices of the time, and waits while others have theirs.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from starmin.auto.dispatch import AUTO, on, signed, words
from starmin.auto.guard import may_be_late, seconds_kept, verdict
from starmin.auto.schedule import AT_ONCE, BOUNDS, OPENERS, PROVERS, SEARCHES
from starmin.auto.task import Size, Task
from starmin.instances import (
    Certificate,
    Control,
    Limit,
    NotSupportedError,
    Partition,
    Result,
)
from starmin.instances.runs.cores import Threads, cores, pause, resting
from starmin.instances.runs.method import Method
from starmin.instances.runs.result import is_near
from starmin.instances.runs.search_control import Gate, ask_to_stop, behind, stopping
from starmin.instances.runs.watch import Watch, ending_gap, watch_runs

# A method that works for slices of the time, and waits while others have theirs.

_LONGER = 2.0  # than the slice before
_BEGINS = 3.0  # times what it took to find something, a method is not judged
# Parts of the time, of which each has one at least: a proof is seldom found by parts.
_PROVING_PARTS, _SEARCHING_PARTS = 20, 25
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
        self.begins, self.anew, self.rose, self._begun = math.inf, False, 0.0, math.inf
        self.found, self.over, self.grown = list[Result[Any]](), False, 0
        self._watch: Watch | None = None
        self._gate: Gate | None = None
        self._call: Future[None] | None = None

    @property
    def fills(self) -> bool:
        """Whether it has threads of its own for all cores."""
        takes = "workers" in self.method.options()
        return takes and (self._task.options.get("workers") or cores()) >= cores()

    @property
    def value(self) -> float:
        """What its best release costs."""
        value = None if self._watch is None else self._watch.value
        return math.inf if value is None else value

    @property
    def bound(self) -> int:
        """What it has proven."""
        return 0 if self._watch is None else self._watch.lower_bound or 0

    def had(self) -> float:
        """Return the seconds it has worked; half of its first slice before that."""
        # What makes a release at once, and cannot be paused, comes next.
        at_once = self.method.kind == "heuristic" and not self.method.pauses
        return self.used or (0.0 if at_once else self.slice / 2)

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
            task = self._task.given(time_limit=limit).telling(self.method, **known)
            with behind(self._gate):
                self._call = threads.submit(self._solve, task, value)
        assert self._gate is not None
        self._gate.open()
        held, until = resident(), began + min(self.patience - self.used, left)
        with resting():
            while not self._call.done():
                now = time.perf_counter()
                past = now - began >= seconds and self.method.pauses
                if self.over or (past and (self.begins < math.inf or now > until)):
                    break
                wait = _LOOK if past else min(_LOOK, began + seconds - now)
                futures.wait([self._call], max(0.0, wait))
                if math.isinf(self.begins) and self._has_found():
                    taken = self.used + time.perf_counter() - began
                    self.begins = _BEGINS * taken
                before, held = held, resident()
                self.grown += held - before
                room(held)
            if time.perf_counter() >= end:
                self.end()  # its threads may have the core that this one waits for
        self.slice *= _LONGER
        if not self.over:
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


# Methods that wait for their next slice, and who of them has it.


class Waiting:
    """Methods with the same work, those first from which most is expected.

    The one that gained most goes on for as long as it gains, but no other waits that
    has had less than one of so many ``parts`` of the time: some need a while to find
    anything. Where none gains anything, they take turns. No other begins beside one
    whose threads fill the cores. All have worked for ``used`` seconds.
    """

    def __init__(self, guests: list[Guest], parts: int) -> None:
        self._guests, self._lock, self.used = [*guests], Lock(), 0.0
        self._parts, self._at_work = parts, list[Guest]()

    def __bool__(self) -> bool:
        return bool(self._guests)

    def take(self, has_bound: bool, alone: bool) -> Guest | None:
        """Take who has the next slice; those who bound are of no use beside a bound.

        If it is ``alone``, no other queue waits for the same core.
        """
        with self._lock:
            self._guests = [
                guest
                for guest in self._guests
                if guest.used or not (has_bound and guest.method.kind == "bound")
            ]
            if not self._guests or any(guest.fills for guest in self._at_work):
                return None
            begun = [guest for guest in self._guests if guest.used]
            best = max(begun, key=lambda guest: guest.gain, default=self._guests[0])
            least = min(self._guests, key=Guest.had)
            if best.gain == 0 or self._parts * least.had() <= self.used:
                best = least
            self._guests.remove(best)
            if alone and not self._guests and not (best.fills and self._at_work):
                best.slice = math.inf  # nobody else waits, or will
            self._at_work.append(best)
            return best

    def put_back(self, guest: Guest, seconds: float) -> None:
        """Have it wait again, after it has worked for so many seconds."""
        with self._lock:
            self.used += seconds
            self._at_work.remove(guest)
            if not guest.over:
                self._guests.append(guest)


# Methods take turns at a problem: the next slice goes to who gains most.
#
# All that they find goes to one watch, and each begins with it. The search is over
# when release and bound meet, when no method is left, or when the time is up.

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
# Kinds of proofs of which nobody knows beforehand how long their check takes. Where
# there are many vectors of nodes the last one is the only kind, and no other can stand
# in for it. Where the check of the last proof may be late, what was proven after a part
# of the time is checked beside the search.
_SLOW, _UNKNOWN = ("boxes", "tree", "odd_sets"), "group_prices"
_BY_ROW = "own_pattern"  # whose prices are what each row pays at least
_EARLY = 0.4


def search(task: Task) -> Result:
    """Search for a release and a bound by all methods of the schedule."""
    control = Control(gap=ending_gap(task.objective), closes=True)
    with watch_runs(control, on(task.problem)) as watch:
        board = Board(task, watch)
        board.open()
        with board.guests() as (provers, searches):
            share = board.share_alone if cores() == 1 else board.share_beside
            share(Waiting(provers, _PROVING_PARTS), Waiting(searches, _SEARCHING_PARTS))
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
        self._late = may_be_late(task)
        self._accepted: Certificate | None = None
        self._checking: Future[None] | None = None
        self._asked = Lock()
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
            if (found := given.attempt(method)) is not None:
                self._opened.append((method.name, found))
                if self._watch.value != value:
                    self._found_by = method.name

    @contextmanager
    def guests(self) -> Iterator[tuple[list[Guest], list[Guest]]]:
        """Yield those who prove and those who search; end them when it is over."""
        task = self._task
        seconds = max(_FIRST, task.table.n / _ROWS)
        first = min(seconds, max(_FIRST, _FIRST_SHARE * task.seconds))

        def invite(methods: list[Method], given: Task, share: float) -> list[Guest]:
            # The first one has time to find something, the others are tried.
            patience = share * _PATIENCE * task.seconds
            return [
                Guest(method, given, first / (1 + bool(at)), 0.0 if at else patience)
                for at, method in enumerate(methods)
            ]

        few = task.given(workers=max(1, cores() // _CORES))
        proving, searching = (_PROVING, 1 - _PROVING) if cores() == 1 else (1.0, 1.0)
        provers = invite([*BOUNDS.takers(task), *PROVERS.takers(task)], few, proving)
        those = SEARCHES.takers(task)
        # Releases that take a moment come before searches that go on from them.
        searches = invite([*those[:1], *self._unopened, *those[1:]], task, searching)
        self._guests = [*provers, *searches]
        # A thread for each: most of them wait.
        with Threads(1 + len(self._guests)) as self._threads:
            try:
                yield provers, searches
            finally:
                for guest in self._guests:
                    guest.end()
        if self._checking is not None:
            self._checking.result()

    def share_beside(self, provers: Waiting, searches: Waiting) -> None:
        """Give slices to those who search, and beside them to those who prove.

        Where nobody is left who proves, two search beside each other.
        """
        lanes = max(1, cores() // _CORES)
        with Threads(lanes) as threads:
            both = provers, searches
            beside = [threads.submit(self.share, *both) for _ in range(lanes)]
            self.share(searches, provers)
            for lane in beside:
                lane.result()

    def share(self, *queues: Waiting) -> None:
        """Give slices of the time to methods of the first queue that has some."""
        while not self.over:
            if not self._let_work(*queues):
                if not any(queues):
                    return
                pause(_LOOK)
        for guest in self._guests:
            guest.end()

    def share_alone(self, provers: Waiting, searches: Waiting) -> None:
        """Give slices at one core, of which those who prove have a part."""
        while not self.over and (provers or searches):
            most = _PROVING * (provers.used + searches.used)
            first = provers if provers.used <= most else searches
            self._let_work(first, provers, searches)

    def _let_work(self, *queues: Waiting) -> bool:
        """Give a slice to a method, and judge what it gained; whether there was one."""
        value, bound = self._watch.value, self._watch.lower_bound or 0
        assert value is not None
        for queue in queues:
            alone = cores() > 1 or not any(one for one in queues if one is not queue)
            if (guest := queue.take(bound > 0, alone)) is not None:
                known, used = self._known(guest), guest.used
                guest.work(self._threads, known, value, self._end, self._look)
                self._judge(guest, value, bound, guest.used - used)
                queue.put_back(guest, guest.used - used)
                return True
        return False

    def _look(self, held: int) -> None:
        """Check what is proven early; end who takes most where all take too much."""
        proof, share = self._watch.certificate, self._run.elapsed / self._task.seconds
        if proof and share > _EARLY and proof.kind not in _SLOW:
            late = self._late or proof.kind == _UNKNOWN
            if late and self._asked.acquire(False):  # whichever lane comes first
                self._checking = self._threads.submit(self._check, proof)
        begun = [one for one in self._guests if one.grown > 0 and not one.over]
        if held - self._held > self._most and begun:
            max(begun, key=lambda guest: guest.grown).end()

    def _check(self, proof: Certificate) -> None:
        """Check what is proven; what the checker refuses is a bug.

        It goes on after the search, in the time for the last check, if that is needed.
        """
        accepted, why = None, ""
        until = self._end + seconds_kept(self._task)
        gap = ending_gap(self._task.objective)

        def over() -> bool:
            found = self._watch
            solved = is_near(found.value, found.lower_bound or 0, gap)
            return solved or stopping() or time.perf_counter() > until

        with suppress(KeyboardInterrupt, MemoryError):
            accepted, why = verdict(proof, self._task, over)
        if accepted is False:
            raise ArithmeticError(f"the checker refuses a certificate: {why}")
        self._accepted = proof if accepted else None

    def _known(self, guest: Guest) -> dict[str, Any]:
        """Return what a method is told when it begins."""
        return {
            "initial": None if guest.anew else self._watch.best,
            "prices": self._watch.certificate,
            "cycle": guest.slice,
            "seed": (self._task.options.get("seed") or 0) + len(guest.found),
        }

    def _judge(self, guest: Guest, value: int, bound: int, seconds: float) -> None:
        """Note what a slice gained, a second.

        A bound ends that has not risen for as long as it had worked before and a second
        more, or where a search has one of its own.
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
            if gained:
                guest.rose = guest.used
            idle = guest.used > 2 * guest.rose + _MOMENT
            if idle or any(one.bound for one in searches):
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
        made = replace(made, accepted=self._accepted)
        return with_spares(made, [each for _, each in found])

    def _certify_nothing_hidden(self) -> None:
        """Prove in a file what needs no proof: no release costs less than 0."""
        seconds = max(_MOMENT, self._run.remaining)
        alone = self._task.given(initial=None, time_limit=seconds)
        for method in alone.takers(("own_pattern",)):
            with suppress(KeyboardInterrupt):  # the answer stands without it
                if (found := alone.attempt(method)) is not None:
                    self._run.learn(found)


def with_spares(found: Result, others: list[Result[Any]]) -> Result:
    """Return a result with another proof, if its own may check slowly.

    That is the best of the others where it is of a slow kind. Prices that each row pays
    whatever its group are checked quickly, of whatever kind they are.
    """
    if (own := found.certificate) is None or own.kind not in (*_SLOW, _UNKNOWN):
        return found
    slow = _SLOW if own.kind in _SLOW else (*_SLOW, _UNKNOWN)
    quick = [
        one.certificate
        for one in others
        if one.certificate is not None
        and (one.certificate.kind not in slow or one.bound_method == _BY_ROW)
    ]
    best = sorted(quick, key=lambda one: one.bound)[-1:]
    return replace(found, spares=tuple(one for one in best if one is not own))
