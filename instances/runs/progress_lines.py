"""The progress of a search as lines of text."""

import sys
from collections.abc import Callable
from typing import TextIO

from starmin.instances.runs.progress import Progress

Shown = Callable[[int | None], float | int | None]


def cells(now: Progress, shown: Shown) -> tuple[str, str, str]:
    """Write value, bound and gap; a dash for what is not known yet.

    ``shown`` turns a cost into the number that people read
    (``starmin.instances.releases.objective.Objective.shown``).

    Examples
    --------
    >>> cells(Progress(1.5, 105, 100, 0.05, "pattern_ilp"), lambda cost: cost)
    ('105', '100', '5.000%')
    """
    gap = "-" if now.gap is None else format(now.gap, ".3%")
    return _cost(shown(now.value)), _cost(shown(now.lower_bound)), gap


def _cost(cost: float | int | None) -> str:
    if isinstance(cost, float):
        return f"{cost:.6f}"
    return "-" if cost is None else str(cost)


class ProgressLines:
    """Prints a line for each improvement and each new step, under a header.

    ``shown`` turns a cost into the number that people read
    (``starmin.instances.releases.objective.Objective.shown``); ``stream`` is stderr by
    default.
    """

    def __init__(self, shown: Shown, stream: TextIO | None = None) -> None:
        self._shown, self._stream = shown, stream
        self._last: tuple[tuple[str, str, str], str] | None = None

    def __call__(self, now: Progress) -> None:
        """Print a line, unless it says what the last one said."""
        said = cells(now, self._shown), now.running
        stream = self._stream or sys.stderr
        if (now.value, now.lower_bound) == (None, None) or said == self._last:
            return
        if self._last is None:
            head = f"{'time':>8} {'value':>12} {'bound':>12} {'gap':>9}  running"
            print(head, file=stream)
        self._last = said
        (value, bound, gap), running = said
        line = f"{now.seconds:7.1f}s {value:>12} {bound:>12} {gap:>9}  {running}"
        print(line.rstrip(), file=stream, flush=True)
