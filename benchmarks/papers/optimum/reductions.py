"""Ratios of the heuristics on tables of reductions, where the optimum is known.

``python benchmarks/papers/optimum/reductions.py`` prints its tables; with
``--write docs/data`` it keeps them as ``reductions_k.csv`` and ``reductions_l.csv``.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kept import write_rows

from starmin.instances import (
    STARS,
    TUPLES,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
)
from starmin.instances.runs.method import Method
from starmin.registry import METHODS
from starmin.verify.reductions import (
    HARD_INSTANCES,
    DimensionalMatching,
    EdgePartition,
    Question,
    Reduced,
    VertexCover,
    base_cost,
)

SECONDS = 10.0

SETTINGS: tuple[tuple[str, dict[str, int | str]], ...] = (
    ("vertex-cover", {"graph": "petersen"}),
    ("vertex-cover", {"graph": "dodecahedron"}),
    ("vertex-cover-random", {"n": 50, "seed": 1}),
    ("vertex-cover-random", {"n": 100, "seed": 1}),
    ("vertex-cover-random", {"n": 200, "seed": 1}),
    ("edge-partition", {"n": 12, "parts": 8}),
    ("edge-partition", {"n": 40, "parts": 60}),
    ("vertex-cover-distinct", {"graph": "petersen"}),
    ("matching", {"n": 6, "extra": 6}),
    ("matching", {"n": 6, "extra": 6, "m": 18}),
    ("matching", {"n": 3, "extra": 6, "dimension": 4}),
    ("matching", {"n": 20, "extra": 20}),
    ("matching-no", {"n": 6, "points": 12}),
)


@dataclass(frozen=True)
class Case:
    """A question, its table, and its best answer, found without the table."""

    title: str
    question: Question
    reduced: Reduced
    best: int

    @classmethod
    def of(cls, name: str, settings: dict[str, int | str]) -> "Case":
        """An instance of the catalogue with these parameters."""
        question = HARD_INSTANCES[name].ask(**settings)
        reduced = question.reduced
        title = ":".join([name, ",".join(f"{k}={v}" for k, v in settings.items())])
        if isinstance(question.reduction, VertexCover):
            best = reduced.threshold - base_cost(question.source)
        elif isinstance(question.reduction, DimensionalMatching):
            best = len(question.reduction.solve(question.source))
        elif isinstance(question.reduction, EdgePartition):
            best = len(question.source.edges) // 3
        else:
            best = reduced.threshold
        return cls(title, question, reduced, best)

    @property
    def least(self) -> int:
        """The least number of stars, by the theorem."""
        source = self.question.source
        if isinstance(self.question.reduction, DimensionalMatching):
            return int(self.reduced.table.n * self.reduced.table.d) - (
                source.dimension * self.best
            )
        return self.reduced.threshold

    def cell(self, method: Method) -> str:
        """Stars over the least number, what they lift to, and the phase of TP."""
        result = run(method, self.reduced)
        if result is None or result.best is None:
            return "-"
        stars = self.reduced.stars(result.best)
        text = f"{stars / self.least:.3f}"
        if not isinstance(self.question.source, Reduced):
            solution = self.question.reduction.lift(self.question.source, result.best)
            text += f" ({len(solution)})"
        return text + (
            f" ph. {result.stats['phase']}" if "phase" in result.stats else ""
        )


def run(method: Method, reduced: Reduced) -> Result | None:
    """A method on a table, if it takes it."""
    objective: Objective | None = next(
        (o for o in (STARS, TUPLES) if method.supports(reduced.requirement, o)), None
    )
    if objective is None or "suppression" not in method.recodings:
        return None
    options = {"time_limit": SECONDS} if "time_limit" in method.options() else {}
    try:
        return method.load()(
            reduced.table, reduced.requirement, objective=objective, **options
        )
    except NotSupportedError:
        return None


def lines(what: type[Requirement]) -> Iterator[str]:
    """A Markdown table of the instances of one kind of requirement."""
    cases = [Case.of(name, settings) for name, settings in SETTINGS]
    cases = [c for c in cases if isinstance(c.reduced.requirement, what)]
    methods = [
        method
        for method in METHODS.values()
        if method.kind == "heuristic"
        and any(
            method.supports(cases[0].reduced.requirement, o) for o in (STARS, TUPLES)
        )
        and "suppression" in method.recodings
    ]
    names = [method.name for method in methods]
    yield " | ".join(["| instance | n x d | stars | best", *names]) + " |"
    yield "|---" * 2 + "|---:" * (2 + len(names)) + "|"
    for case in cases:
        shape = f"{case.reduced.table.n:,} x {case.reduced.table.d}"
        cells = [case.title, shape, f"{case.least:,}", str(case.best)]
        yield f"| {' | '.join([*cells, *map(case.cell, methods)])} |"


def main() -> None:
    """Print the tables, and keep them if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a folder for two CSV files")
    folder = parser.parse_args().write
    for letter, what in (("k", KAnonymity), ("l", LDiversity)):
        table = [*lines(what)]
        print("\n".join(["", *table]), flush=True)
        write_rows(folder and folder / f"reductions_{letter}.csv", table)


if __name__ == "__main__":
    main()
