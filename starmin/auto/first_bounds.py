"""Bound losses before or beside the search, so that no release is without a bound."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Protocol

from starmin.auto.task import Task
from starmin.instances import NotSupportedError, Result
from starmin.instances.runs.cores import cores
from starmin.instances.runs.stop import listen_to_stop, stopping
from starmin.instances.runs.threads import Threads
from starmin.instances.runs.watch import watched

# The first of these that proves anything is enough.
METHODS = "dual_ascent", "own_pattern", "lagrangian"
# With one core they come before the search, for so long:
SHARE, SECONDS = 0.1, 5.0
CELLS = 500_000  # In larger tables there is none of them.
_SLOW = ("boxes", "tree")  # kinds of proofs


class Ending(Protocol):
    """What ends bounds beside a search and returns them."""

    def __call__(self, seconds: float = 0.0) -> list[Result]:
        """End them after so many seconds, unless they end by themselves before."""


class _Beside:
    """What is bounded beside a search: it ends with that search, or with its block."""

    def __init__(self) -> None:
        self.over, self._search = False, watched()

    @property
    def stopping(self) -> bool:
        """Whether it is to end now."""
        return self.over or (self._search is not None and self._search.stopping)


@contextmanager
def bounds_beside(task: Task) -> Iterator[Ending]:
    """Bound losses at a core of their own while the block searches for releases.

    Where there is one core, a share of the time comes before the block instead.

    Parameters
    ----------
    task
        The problem.

    Yields
    ------
    What ends the bounds and returns them.
    """
    if not _is_bounded(task):
        yield lambda seconds=0.0: []
        return
    if cores() == 1:
        share = SHARE * task.seconds
        bounds = _bounds(task, min(SECONDS, share))
        yield lambda seconds=0.0: bounds
        return
    beside = _Beside()

    def bound() -> list[Result]:
        with listen_to_stop(beside):
            return _bounds(task, task.seconds)

    with Threads(1) as thread:
        call = thread.submit(bound)

        def end(seconds: float = 0.0) -> list[Result]:
            with suppress(TimeoutError):
                call.result(seconds)
            beside.over = True
            return call.result()

        try:
            yield end
        finally:
            beside.over = True


def with_spare(found: Result, bounds: list[Result]) -> Result:
    """Return a result with the best proof of these bounds, if its own may check slowly.

    Proofs by cases and boxes have no limit on the time of their check; prices do.
    """
    if found.certificate is None or found.certificate.kind not in _SLOW:
        return found
    proofs = [each.certificate for each in bounds if each.certificate is not None]
    spare = max(proofs, key=lambda proof: proof.bound, default=None)
    return replace(found, spare=spare)


def _is_bounded(task: Task) -> bool:
    """Tell whether losses are minimised, in a table that is not too large."""
    table = task.table
    if not task.of_losses or table.counts is not None:
        return False
    return table.n * table.d <= CELLS


def _bounds(task: Task, seconds: float) -> list[Result]:
    """Return what methods prove; the first bound above 0 is enough."""
    found, alone = list[Result](), task._replace(options={})
    for method in task.takers(METHODS):
        if stopping():
            break
        try:
            found.append(alone.given(time_limit=seconds).solve(method))
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
        seconds = max(0.0, seconds - found[-1].runtime)
        if found[-1].certified_bound:
            break
    return found
