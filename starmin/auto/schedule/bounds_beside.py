"""Bound losses beside a search, at a core of their own.

Once the first bounds are proven, the core has an exact method, which begins with the
best release by then and hears of better ones.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event
from typing import Protocol

from starmin.auto.dispatch import on
from starmin.auto.schedule.first_bounds import (
    Rise,
    best_proof,
    first_bounds,
    is_bounded,
    seconds_before,
)
from starmin.auto.schedule.turns import Pace, Size, Turn, Where
from starmin.auto.task import Task
from starmin.instances import NotSupportedError, Result
from starmin.instances.runs.stop import listen_to_stop
from starmin.instances.runs.watch import Learner, Watch, watch_runs
from starmin.instances.runs.workers.cores import cores, resting
from starmin.instances.runs.workers.threads import Threads

# One of these goes on at the core of the bounds. The relaxation of patterns is all but
# whole for l-diversity; for k-anonymity cuts of boxes close more of the gap, unless so
# many rows are alike that groups have many of each type: boxes have few.
_PATTERNS, _BOXES, _TYPES, _ALIKE = Pace("pairs", 2e6), 5_000, (0, 10_000), 50
EXACT = (
    Turn(
        ("branch_and_bound",),
        (
            Where("losses", types=_TYPES, diverse=True, pace=_PATTERNS),
            Where(
                "losses", types=(_BOXES + 1, _TYPES[1]), diverse=False, pace=_PATTERNS
            ),
            Where("losses", types=_TYPES, alike=_ALIKE, diverse=False, pace=_PATTERNS),
        ),
    ),
    Turn(("box_program",), (Where("losses", types=(0, _BOXES)),)),
)
FAR = 2.0  # First bounds end where the search has proven so many times as much.


class Ending(Protocol):
    """What ends bounds beside a search and returns them."""

    def __call__(self) -> list[Result]:
        """End them, unless they have ended by themselves before."""

    def first(self, seconds: float) -> None:
        """End the first bounds after so many seconds; an exact method goes on."""

    def teach(self, run: Learner) -> None:
        """Offer a run what is known of its problem by now."""

    def has(self, method: str) -> bool:
        """Tell whether a method is at work there, or was."""


class Alone:
    """Bounds that came before a search, with nothing beside it.

    Parameters
    ----------
    bounds
        What was proven.
    """

    def __init__(self, *bounds: Result) -> None:
        self._bounds = bounds

    def __call__(self) -> list[Result]:
        """Return them."""
        return [*self._bounds]

    def first(self, seconds: float) -> None:
        """Do nothing: they have ended."""

    def teach(self, run: Learner) -> None:
        """Tell it of them."""
        for bound in self._bounds:
            run.learn(bound)

    def has(self, method: str) -> bool:
        """Return False."""
        return False


class _Beside:
    """What is bounded beside a search: it ends with that search, or with its block.

    Parameters
    ----------
    task
        The problem.
    shared
        What both find.
    """

    def __init__(self, task: Task, shared: Watch) -> None:
        self._task, self._shared = task, shared
        self._run, self._thread = task.run(), Threads(1)
        self._begun, self._proven, self.over = set[str](), -1, False
        self._first = _First(self, shared, task.seconds)
        self.call = self._thread.submit(self._bound)

    @property
    def stopping(self) -> bool:
        """Whether it is to end now."""
        return self.over or self._shared.stopping

    @property
    def solved(self) -> bool:
        """Whether a release is known that costs no more than what was proven here."""
        value = self._shared.value
        return value is not None and value <= self._proven

    def __call__(self) -> list[Result]:
        """End it, unless it has ended by itself before."""
        self.over = True
        return self.call.result()

    def first(self, seconds: float) -> None:
        """End the first bounds after so many seconds; an exact method goes on."""
        self._first.wait(seconds)

    def end(self) -> None:
        """End it, and wait for that."""
        self.over = True
        self._thread.shutdown()

    def teach(self, run: Learner) -> None:
        """Offer a run what is known of its problem by now."""
        self._shared.teach(run)

    def has(self, method: str) -> bool:
        """Tell whether a method is at work there, or was."""
        return method in self._begun

    def _bound(self) -> list[Result]:
        """Bound the losses, then go on by an exact method."""
        try:
            with watch_runs(about=on(self._task.problem)) as first:
                self._first.own = first
                with listen_to_stop(self._first):
                    bounds = first_bounds(self._task, self._task.seconds)
            self._note(bounds)
        finally:  # whoever waits for them waits no longer, whatever ended them
            self._first.ended.set()
        with listen_to_stop(self):
            left = self._run.remaining
            return bounds + self._exact(left, bounds) if left else bounds

    def _exact(self, seconds: float, bounds: list[Result]) -> list[Result]:
        """Return what the first exact method finds that takes the problem."""
        size, prices = Size(self._task), best_proof(bounds)
        for turn in EXACT:
            if not turn.fits(size):
                continue
            for method in self._task.takers(turn.methods):
                known = {"initial": self._shared.best, "prices": prices}
                own = {"time_limit": seconds, "workers": 1}
                alone = self._task._replace(options=known | own)
                self._begun.add(method.name)
                # An interrupt here is but the end of the search, or heard there.
                with suppress(NotSupportedError, KeyboardInterrupt):
                    found = alone.solve(method)
                    self._note([found])
                    return [found]
        return []

    def _note(self, bounds: list[Result]) -> None:
        """Keep what was proven: the search ends where a release costs no more."""
        proven = [found.certified_bound or -1 for found in bounds]
        self._proven = max([self._proven, *proven])


class _First:
    """The bounds that come first beside a search: they end with it, or before.

    They end as well where the search has proven more by far, as where its patterns are
    few, or more than they will come to: it needs the core then.
    """

    def __init__(self, beside: _Beside, shared: Watch, seconds: float) -> None:
        self._beside, self._shared = beside, shared
        self.own: Watch | None = None
        self._rise, self._over, self.ended = Rise(seconds), False, Event()

    @property
    def stopping(self) -> bool:
        """Whether they are to end now."""
        own = None if self._over or self.own is None else self.own.lower_bound
        if own is not None:
            come_to = min(FAR * own, self._rise.most(own))  # it is noted from now on
            proven = self._shared.lower_bound
            # It stays so, whatever they prove as they end.
            self._over = proven is not None and proven > max(own, come_to)
        return self._over or self._beside.stopping

    def wait(self, seconds: float) -> None:
        """Wait for their end for so many seconds; then ask for it."""
        with resting():
            if not self.ended.wait(seconds):
                self._over = True
                self.ended.wait()


class _Searching:
    """A search with bounds beside it: it ends by itself, or where they meet it."""

    def __init__(self, shared: Watch, beside: _Beside) -> None:
        self._shared, self._beside = shared, beside

    @property
    def stopping(self) -> bool:
        """Whether it is to end now."""
        return self._shared.stopping or self._beside.solved


@contextmanager
def bounds_beside(task: Task) -> Iterator[Ending]:
    """Bound losses at a core of their own while the block searches for releases.

    Where there is one core, a share of the time comes before the block instead. The
    block ends where a release is known that costs no more than what is proven.

    Parameters
    ----------
    task
        The problem.

    Yields
    ------
    What ends the bounds and returns them.
    """
    if not is_bounded(task):
        yield Alone()
        return
    if cores() == 1:
        yield Alone(*first_bounds(task, seconds_before(task)))
        return
    with watch_runs(about=on(task.problem)) as shared:
        beside = _Beside(task, shared)
        try:
            with listen_to_stop(_Searching(shared, beside)):
                yield beside
        except KeyboardInterrupt:
            if shared.stopping or not beside.solved:
                raise
        finally:
            beside.end()
