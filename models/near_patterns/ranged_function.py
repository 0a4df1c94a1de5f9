"""The price bound of near patterns that are listed and priced by ranges."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.runs.workers.cores import resting
from starmin.instances.runs.workers.places import Places
from starmin.instances.tables.counted import table_of_types
from starmin.models.near_patterns.column_sets import UNKNOWN, sets_by_cost
from starmin.models.near_patterns.pattern_ranges import SetOfColumns, pattern_ranges
from starmin.models.near_patterns.range_tasks import list_range, price_ranges
from starmin.models.price_unit import INFEASIBLE, PriceUnit

_BUNDLES = 2  # of ranges for each worker, so that a lost one costs half of its work
_RANGES = 2  # of a column for each worker, so that bundles are of about the same size


class RangedFunction:
    """The bound that prices prove, and a supergradient, by tasks that price ranges.

    The value is that of ``LagrangianFunction`` on the list of all near patterns, in the
    same integers: each pattern is in one range.

    The time of the run ends the wait for an answer. The row types are by QI; ranges are
    priced in ``where``. Each of ``bundles`` has the files and the types of the ranges
    that are priced by one task.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        where: Places,
        bundles: list[tuple[list[Path], list[Ints]]],
    ) -> None:
        self.run = run
        self._types, self._k, self._where = types, k, where
        self._bundles = bundles
        self._unit = PriceUnit.of(run.table, run.objective)
        self._risen = 0
        self._last: Ints | None = None

    def __call__(self, prices: Ints) -> tuple[int, Ints]:
        """Return the bound in units of ``PriceUnit``, and its supergradient.

        Raises TimeoutError where the time of the run was up.
        """
        self._unit.expect(prices)
        if self._last is not None:
            self._risen += max(0, int((prices - self._last).max()))
        self._last = prices
        counts = self._types.counts
        supergradient, gains = counts.copy(), 0
        calls = [
            (price_ranges, prices, self._unit, self._risen, self._k, files)
            for files, _ in self._bundles
        ]
        answers = answered(self.run, self._where, calls)
        for (_, members), answer in zip(self._bundles, answers, strict=True):
            for types, (gain, chosen) in zip(members, answer, strict=True):
                gains += gain
                supergradient[types] += chosen
        self._where.forget(prices)
        return int(prices @ counts) + gains, supergradient


@contextmanager
def ranged_function(
    run: Run, types: RowTypes, k: int, own: Ints, slack: int, where: Places
) -> Iterator[RangedFunction]:
    """List the near patterns by ranges; their files are removed in the end.

    Parameters
    ----------
    run
        The problem, k-anonymity and stars, and its clock.
    types, k
        The distinct rows by quasi-identifier, and the least size of a group.
    own, slack
        The own cost of each type, and by how much prices may be higher.
    where
        Where ranges are listed and priced.

    Raises
    ------
    TimeoutError
        The time of the run was up.

    Notes
    -----
    Some 250 bytes for each distinct row, in files that are mapped to memory while they
    are priced."""
    table, small = table_of_types(run.table, types), own.astype(np.int32)
    unit = PriceUnit.of(run.table, run.objective)
    sets = _listed_sets(run, small, slack)
    most = max(1, -(-len(types) // (_RANGES * where.count)))
    pieces = [
        (piece, those)
        for piece in pattern_ranges(table, most)
        if (those := [each for each in sets if piece.has(each.starred)])
    ]
    # A worker that is late may write to it while it is removed.
    with TemporaryDirectory(
        prefix="starmin.", dir=where.folder, ignore_cleanup_errors=True
    ) as scratch:
        files = [Path(scratch, str(number)) for number in range(len(pieces))]
        calls = [
            (list_range, table, small, piece, those, k, unit, file)
            for (piece, those), file in zip(pieces, files, strict=True)
        ]
        ranges: list[tuple[int, Path, Ints]] = []
        for file, (used, pairs) in zip(files, answered(run, where, calls), strict=True):
            if used is not None:
                ranges.append((pairs, file, used))
        bundles = _bundles(ranges, _BUNDLES * where.count)
        yield RangedFunction(run, types, k, where, bundles)


def _listed_sets(run: Run, own: Int32s, slack: int) -> list[SetOfColumns]:
    """Return the sets of starred columns that are near for some type.

    Of the coarsest patterns all types are listed, as in ``listing.near_patterns``.
    """
    sets, costs = sets_by_cost(run)
    unit = PriceUnit.of(run.table, run.objective)
    found = []
    for at, cost in enumerate(costs.tolist()):
        if (far := own < cost - slack).all():
            continue
        if at == len(sets) - 1:
            found.append(SetOfColumns(sets[at], cost, UNKNOWN, INFEASIBLE))
            continue
        outside = INFEASIBLE
        if far.any():
            outside = (cost - slack - int(own[far].max())) * unit.per_cost
        found.append(SetOfColumns(sets[at], cost, slack, outside))
    return found


def _bundles(
    ranges: list[tuple[int, Path, Ints]], count: int
) -> list[tuple[list[Path], list[Ints]]]:
    """Deal ranges, those with the most pairs first, to the bundle with the fewest."""
    bundles: list[tuple[list[Path], list[Ints]]] = [([], []) for _ in range(count)]
    loads = [0] * count
    for pairs, file, types in sorted(ranges, key=lambda each: -each[0]):
        least = loads.index(min(loads))
        loads[least] += pairs
        bundles[least][0].append(file)
        bundles[least][1].append(types)
    return [each for each in bundles if each[0]]


def answered(
    run: Run, where: Places, calls: list[tuple[Callable[..., Any], *tuple[Any, ...]]]
) -> Iterator[Any]:
    """Yield what tasks answer, in their order, while the run has time.

    Raises TimeoutError where it has none; tasks that have not begun are cancelled.
    """
    futures: list[Future[Any]] = [where.submit(*call) for call in calls]
    try:
        for future in futures:
            left = run.remaining
            yield future.result(None if math.isinf(left) else left)
    finally:
        for future in futures:
            future.cancel()
        if not where.elsewhere:
            with resting():
                wait(futures)  # for what the tasks that have begun write to
