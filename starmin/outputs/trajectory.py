"""Value and bound of a search over its seconds, kept and written as CSV."""

import csv
import io
from pathlib import Path
from typing import Any

from starmin.instances import Problem, Progress, Result, write_atomically

HEADER = ("seconds", "value", "lower_bound", "running")


class Trajectory:
    """Listens to a search; a point for each improvement of value or bound.

    Seconds are those of the search: what it takes to start, to read the table and to
    write is no part of it.

    Examples
    --------
    >>> seen = Trajectory()
    >>> for at, value in ((0.1, 9), (0.2, 9), (0.4, 7)):
    ...     seen(Progress(at, value, 5, None, "auto"))
    >>> [(point.seconds, point.value) for point in seen.points]
    [(0.1, 9), (0.4, 7)]
    """

    def __init__(self) -> None:
        self.points: list[Progress] = []

    def __call__(self, progress: Progress) -> None:
        """Keep a point where something improved."""
        found = progress.value, progress.lower_bound
        last = self.points[-1] if self.points else None
        if found != (None, None) and (
            last is None or found != (last.value, last.lower_bound)
        ):
            self.points.append(progress)

    def end(self, found: Result[Any]) -> None:
        """Add what the result says, where that is more than was told."""
        self(Progress(found.runtime, found.value, found.lower_bound, None, "end"))

    def write(self, path: Path, problem: Problem) -> None:
        """Write a line for each point; costs are in the unit of ``--json``."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(HEADER)
        for point in self.points:
            costs = [
                "" if cost is None else problem.shown(cost)
                for cost in (point.value, point.lower_bound)
            ]
            writer.writerow([f"{point.seconds:.4f}", *costs, point.running])
        with write_atomically(path) as file:
            file.write(text.getvalue().encode())
