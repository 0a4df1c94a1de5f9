"""The bounds that come first where losses are minimised: no release is without one."""

import math
import time
from dataclasses import replace

from starmin.auto.schedule.turns import Size
from starmin.auto.task import Task
from starmin.instances import Certificate, NotSupportedError, Result
from starmin.instances.runs.stop import stopping

# The first of these that proves anything is enough.
METHODS = "dual_ascent", "own_pattern", "lagrangian"
# With one core they come before the search, for so long:
SHARE, SECONDS = 0.1, 5.0
CELLS = 500_000  # In larger tables there is none of them, unless rows alone prove some.
# With one core rows have half of the time, where they need so much: pairs of two types,
# by column, of a second.
ROWS_SHARE, PAIRS = 0.5, 1e9
_SLOW = ("boxes", "tree")  # kinds of proofs
_APART = 1.05  # A bound is noted after so many times as long as before.


def with_spare(found: Result, bounds: list[Result]) -> Result:
    """Return a result with the best proof of these bounds, if its own may check slowly.

    Proofs by cases and boxes have no limit on the time of their check; prices do.
    """
    if not _is_slow(found.certificate):
        return found
    quick = [bound for bound in bounds if not _is_slow(bound.certificate)]
    return replace(found, spare=best_proof(quick))


def _is_slow(proof: Certificate | None) -> bool:
    return proof is not None and proof.kind in _SLOW


def best_proof(bounds: list[Result]) -> Certificate | None:
    """Return the certificate that proves most."""
    proofs = [each.certificate for each in bounds if each.certificate is not None]
    return max(proofs, key=lambda proof: proof.bound, default=None)


class Rise:
    """How a bound rises: ever more slowly.

    Each doubling of its time gains no more than the last one, as a rule, so that it can
    be told where it will hardly come to.

    Parameters
    ----------
    seconds
        All that there are.
    """

    def __init__(self, seconds: float) -> None:
        self._began, self._seconds = time.perf_counter(), seconds
        self._noted = list[tuple[float, int]]()

    def most(self, bound: int) -> float:
        """Return what a bound of now may be in the end, at most."""
        if math.isinf(self._seconds):
            return math.inf
        now = time.perf_counter() - self._began
        if not self._noted or now > _APART * self._noted[-1][0]:
            self._noted.append((now, bound))
        before = [held for then, held in self._noted if 2 * then <= now]
        doublings = math.log2(max(1.0, self._seconds / max(now, 1e-9)))
        return bound + (bound - max(before, default=0)) * doublings


def is_bounded(task: Task) -> bool:
    """Tell whether losses are minimised, in a table that has a bound in time."""
    table = task.table
    if not task.of_losses or table.counts is not None:
        return False
    return table.n * table.d <= CELLS or Size(task).by_rows


def seconds_before(task: Task) -> float:
    """Return how long bounds take before a search, where there is one core."""
    size, seconds = Size(task), min(SECONDS, SHARE * task.seconds)
    if size.by_rows:
        needed = 2 * size.amount("couples") * task.table.d / PAIRS
        seconds = max(seconds, min(needed, ROWS_SHARE * task.seconds))
    return seconds


def first_bounds(task: Task, seconds: float) -> list[Result]:
    """Return what methods prove; the first bound above 0 is enough."""
    found, alone = list[Result](), task._replace(options={})
    for method in task.takers(METHODS):
        if stopping():
            break
        try:
            found.append(alone.given(time_limit=seconds).solve(method))
        except NotSupportedError:
            continue  # a limit of its own, as on the number of columns
        except KeyboardInterrupt:
            break  # it was to stop before it had begun
        seconds = max(0.0, seconds - found[-1].runtime)
        if found[-1].certified_bound:
            break
    return found
