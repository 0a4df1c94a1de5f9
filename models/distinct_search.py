"""The search for the best release under distinct l-diversity."""

import math
from dataclasses import dataclass, replace

import numpy as np

from instances import (
    BoolArray,
    NotSupportedError,
    RowTypes,
    Run,
    least_diversity,
    least_size,
)
from models.distinct_program import DistinctProgram, distinct_program, least_distinct
from models.highs import LinearSolver, MipSearch
from models.incumbents import loads_of, partition_of_loads
from models.neighbourhood import Ints, Neighbourhood
from models.part_search import PartSearch
from models.patterns import closed_patterns
from models.program import Floats
from models.through_basis import through_basis

MAX_INCIDENCES = 1_000_000
_WAIT = 0.05  # seconds between two looks at a search
_ALONE = 1.0  # seconds for the whole program before parts are tried
_PART_LIMIT = 3.0  # seconds
_USEFUL = 15  # incidences per type that parts may use


def solve_distinct(run: Run, seed: int) -> bool:
    """Solve a run's problem, from its incumbent; whether it ended before the time did.

    Raises
    ------
    NotSupportedError
        Too many columns, or more than a million pairs of a pattern and a row type.
    """
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    distinct, types = least_distinct(run.requirement), run.table.sensitive_types
    patterns = closed_patterns(
        run.table,
        types,
        run.objective,
        max(k, l, distinct),
        max(l, distinct),
        check=run.check_time,
    )
    if len(patterns.types) > MAX_INCIDENCES:
        raise NotSupportedError(
            f"Expected at most {MAX_INCIDENCES:,} pairs of a pattern and a row type, "
            f"got {len(patterns.types):,}."
        )
    program = distinct_program(patterns, types, k, l, distinct)
    relaxed = LinearSolver(program.program).solve(run.remaining)
    if relaxed is None:
        return False
    _raise_bound(run, relaxed.value)
    least = through_basis(program.base, relaxed)
    return run.closed or _search(run, program, least, seed)


def _search(run: Run, program: DistinctProgram, least: Floats, seed: int) -> bool:
    """The whole in a thread for the bound; beside it parts for the value."""
    patterns, types = program.base.patterns, run.table.sensitive_types
    start = None
    if run.best is not None:
        start = loads_of(run.table, types, patterns, run.best)
    search = MipSearch(
        program.program,
        run.remaining,
        None if start is None else program.point(start),
        seed=seed,
    )

    def collect() -> None:
        for point in search.solutions():
            loads = np.rint(point[: program.base.incidences]).astype(np.int64)
            run.offer(partition_of_loads(types, patterns, loads))
        _raise_bound(run, search.end())

    parts = DistinctParts(program, types, least, np.random.default_rng(seed))
    search.wait(min(_ALONE, run.remaining))
    collect()
    try:
        while search.running and run.remaining > 0 and not run.closed:
            if start is None or run.best is None:
                search.wait(_WAIT)
            else:
                _solve_part(run, parts)
            collect()
    finally:
        search.stop()
    collect()
    return run.closed


class DistinctParts(PartSearch):
    """Parts of a release solved anew, under distinct l-diversity."""

    def __init__(
        self,
        program: DistinctProgram,
        types: RowTypes,
        least: Floats,
        rng: np.random.Generator,
    ) -> None:
        base = program.base
        at = min(len(least), _USEFUL * len(types)) - 1
        useful = least <= np.partition(least, at)[at]
        super().__init__(base.patterns, types, base.k, base.l, useful, rng, _PART_LIMIT)
        self.program = program

    def around(self, loads: Ints, free: BoolArray) -> "DistinctPart":
        patterns = self.patterns
        inside = free[patterns.types] & (self.useful | (loads > 0))
        alive = np.bincount(patterns.pattern, inside, minlength=len(patterns)) > 0
        columns = np.concatenate([inside, alive[self.program.pattern_of_others()]])
        point = self.program.point(loads)
        part = replace(
            self.program.base, program=self.program.program.fix(columns, point)
        )
        no = np.zeros(0, np.int64)
        return DistinctPart(part, no, no, [], self.program, columns)


@dataclass(frozen=True, eq=False)
class DistinctPart(Neighbourhood):
    """The whole program, but for ``columns`` fixed at a release."""

    whole: DistinctProgram
    columns: BoolArray

    def point(self, whole: Ints) -> Floats:
        return np.asarray(self.whole.point(whole)[self.columns])

    def loads(self, whole: Ints, point: Floats) -> Ints:
        values = self.whole.point(whole)
        values[self.columns] = point
        copies = values[: self.whole.base.incidences]
        return np.rint(copies).astype(np.int64)


def _solve_part(run: Run, parts: DistinctParts) -> None:
    patterns, types = parts.patterns, parts.types
    assert run.best is not None
    loads = loads_of(run.table, types, patterns, run.best)
    better = None if loads is None else parts.step(loads, run.remaining)
    if better is not None:
        run.offer(partition_of_loads(types, patterns, better))


def _raise_bound(run: Run, bound: float) -> None:
    """Note a bound of floating point, rounded up once."""
    if math.isfinite(bound):
        run.raise_bound(math.ceil(bound - 1e-6), "pattern_ilp")
