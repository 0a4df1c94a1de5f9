"""What is compared between methods: ratios, profiles, growth; figures apart."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from starmin.gaps.aggregates import seconds_to

Row = Mapping[str, Any]
Points = list[tuple[float, float]]

NEAR = 0.01  # of the best value: what counts as good


@dataclass(frozen=True)
class Runs:
    """The runs of a sweep that were to give a release, against the best values."""

    rows: tuple[Row, ...]  # all of them, failed ones included; no bounds
    best: Mapping[str, float | None]  # by problem: the least value

    @classmethod
    def of(cls, rows: Sequence[Row], best: Mapping[str, float | None]) -> "Runs":
        """Return the runs of a sweep that look for releases."""
        found = tuple(row for row in rows if row["kind"] not in ("bound", "release"))
        return cls(found, best)

    def ratio(self, row: Row) -> float:
        """Divide a value by the best one of the problem; infinite without one."""
        value, best = row.get("value"), self.best.get(row["problem"])
        if row["outcome"] != "ok" or value is None or best is None:
            return math.inf
        if value == best:
            return 1.0
        return value / best if best else math.inf

    def of_method(self, method: str) -> list[Row]:
        """Return the runs of a method."""
        return [row for row in self.rows if row["method"] == method]

    def ranking(self) -> list[str]:
        """Return the methods, the one with the least ratios first."""
        return sorted(dict.fromkeys(r["method"] for r in self.rows), key=self._rank)

    def _rank(self, method: str) -> tuple[float, float, float]:
        rows = self.of_method(method)
        ratios = [min(self.ratio(row), 10.0) for row in rows]
        seconds = [row.get("seconds", math.inf) for row in rows]
        return -sum(r < 10 for r in ratios), sum(ratios) / len(ratios), median(seconds)

    def profile(self, method: str) -> list[float]:
        """Sort the ratios of runs that gave a release (Dolan and More, 2002)."""
        return sorted(
            r for r in map(self.ratio, self.of_method(method)) if r < math.inf
        )

    def data_profile(self, method: str) -> list[float]:
        """Return after how many seconds runs came near the best value, sorted."""
        each = (self._seconds_to_near(row) for row in self.of_method(method))
        return sorted(seconds for seconds in each if seconds is not None)

    def _seconds_to_near(self, row: Row) -> float | None:
        best = self.best.get(row["problem"])
        if best is None or self.ratio(row) > 1 + NEAR:
            return None
        found = seconds_to(row.get("trajectory") or (), best * (1 + NEAR))
        return row.get("seconds") if found is None else found

    def times(self, method: str) -> Points:
        """Return the seconds and the gap of each run that has a gap."""
        return [
            (row["seconds"], row["gap"])
            for row in self.of_method(method)
            if row["outcome"] == "ok" and row.get("gap") is not None
        ]

    def growth(
        self, method: str, by: Literal["n", "d"], of: Literal["seconds", "gap"]
    ) -> Points:
        """Return the median for each n, or d, of tables alike in the other one."""
        found: dict[float, list[float]] = {}
        for row in self.of_method(method):
            alike = row.get(_OTHER[by]) == self.usual(_OTHER[by])
            if row["outcome"] == "ok" and alike and row.get(of) is not None:
                found.setdefault(row[by], []).append(row[of])
        return sorted((x, median(values)) for x, values in found.items())

    def usual(self, what: Literal["n", "d"]) -> int | None:
        """Return the n, or d, that most problems have; the greatest of several."""
        of = {r["problem"]: r[what] for r in self.rows if r.get(what) is not None}
        counts = Counter(of.values())
        return max(counts, key=lambda x: (counts[x], x), default=None)


_OTHER: dict[str, Literal["n", "d"]] = {"n": "d", "d": "n"}
