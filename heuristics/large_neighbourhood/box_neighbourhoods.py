"""Parts of a release of small tables with ranges, each solved to optimality."""

import math
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace

import numpy as np

from starmin.heuristics.large_neighbourhood import BOX_NEIGHBOURHOODS
from starmin.instances import (
    GCP,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Status,
    Table,
)
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.runs.checkpoint import begin_at, pass_on
from starmin.instances.runs.cores import Threads, cores, resting
from starmin.models.boxes.box_program import box_program

_LEAST = 0.05  # of a column, where columns weigh at random
_MOST_TIMES = 2  # as many rows as are wanted, at most


class NearGroups:
    """The groups of a release, with what they lose and what was proven of them.

    The objective is losses. ``labels`` has the group of each row; numbers of groups
    that were replaced are not used again.

    Examples
    --------
    >>> from starmin.instances import Scales
    >>> rows = [[str(x)] for x in (0, 1, 40, 41, 90, 99)]
    >>> table = Table.from_rows(["x"], rows, ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> release = Partition.from_labels(np.array([0, 0, 1, 1, 2, 2]))
    >>> groups = NearGroups(table, gcp, release, np.random.default_rng(0))
    >>> rows = groups.choose(4, np.zeros(6, bool))
    >>> len(rows)
    4
    >>> groups.settle(rows)
    >>> rows = groups.choose(6, np.zeros(6, bool))
    >>> groups.replace(rows, Partition.single(table.take(rows)))
    >>> groups.labels.tolist()
    [3, 3, 3, 3, 3, 3]
    """

    def __init__(
        self,
        table: Table,
        objective: Objective,
        release: Partition,
        rng: np.random.Generator,
    ) -> None:
        self._table, self._rng = table, rng
        self._scales = objective.scales_of(table)
        self._prices = np.maximum(0.0, objective.range_prices(table))
        types = table.row_types
        self._positions = self._scales.positions(types.codes)[types.inverse]
        self.labels = release.groups.astype(np.int64)
        self._next = int(self.labels.max()) + 1
        self._settled: list[frozenset[int]] = []

    def choose(self, wanted: int, busy: Bools) -> Ints:
        """Return about ``wanted`` rows: of a group that loses much, and those near it.

        Rows that are ``busy`` stay. None are returned where what was drawn cannot be
        improved, or where too few groups are free.
        """
        none = np.zeros(0, np.int64)
        numbers, of, sizes = np.unique(
            self.labels, return_inverse=True, return_counts=True
        )
        low, high = self._ranges(of, len(numbers))
        own = self._extents(low, high)
        free = np.ones(len(numbers), bool)
        free[of[busy]] = False
        if np.count_nonzero(free) < 2:
            return none
        losses = own @ self._prices * sizes
        share = np.where(free, losses + losses.mean() / 10, 0.0)
        if share.sum() == 0:
            return none
        first = self._rng.choice(len(numbers), p=share / share.sum())
        joined = self._extents(
            np.minimum(low, low[first]), np.maximum(high, high[first])
        )
        weights = self._rng.random(joined.shape[1]) ** 2 + _LEAST
        apart = (joined - own) @ (self._prices * weights)
        apart[first], apart[~free] = -np.inf, np.inf
        order = np.argsort(apart, kind="stable")[: np.count_nonzero(free)]
        count = max(2, int(np.searchsorted(np.cumsum(sizes[order]), wanted, "right")))
        chosen = order[:count]
        if sizes[chosen].sum() > _MOST_TIMES * wanted:
            return none
        groups = frozenset(numbers[chosen].tolist())
        if any(groups <= proven for proven in self._settled):
            return none
        return np.flatnonzero(np.isin(of, chosen))

    def _ranges(self, of: Ints, count: int) -> tuple[Ints, Ints]:
        order = np.argsort(of, kind="stable")
        starts = np.searchsorted(of[order], np.arange(count))
        rows = self._positions[order]
        return np.minimum.reduceat(rows, starts), np.maximum.reduceat(rows, starts)

    def _extents(self, low: Ints, high: Ints) -> Floats:
        return np.asarray(self._scales.extents(low, high), np.float64)

    def settle(self, rows: Ints) -> None:
        """Note that the groups of these rows are optimal for them."""
        groups = frozenset(self.labels[rows].tolist())
        self._settled = [old for old in self._settled if not old <= groups]
        self._settled.append(groups)

    def replace(self, rows: Ints, release: Partition) -> None:
        """Put some rows, all those of their groups, in other groups."""
        gone = frozenset(self.labels[rows].tolist())
        self._settled = [old for old in self._settled if not old & gone]
        self.labels[rows] = self._next + release.groups
        self._next += release.size


@dataclass(frozen=True)
class BoxNeighbourhoodParams:
    """Constants that steer the search."""

    # rows, least, most: of the first neighbourhoods, and of the smallest and the
    # largest ones
    rows: int = 80
    least: int = 30
    most: int = 400
    # grow, shrink: by which neighbourhoods grow that are solved in a quarter of their
    # time, and shrink that are not solved
    grow: float = 1.1
    shrink: float = 0.8
    seconds: float = 3.0  # for one neighbourhood
    # the search ends after as many draws in a row that were known not to gain
    in_vain: int = 300


def box_neighbourhoods(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    params: BoxNeighbourhoodParams = BoxNeighbourhoodParams(),
) -> Result:
    """Improves releases with ranges by solving groups near to one another exactly.

    A group is drawn, the more it loses the likelier, and with it the groups that lose
    least together with it, by weights of the columns drawn at random: 30 to 400 rows.
    ``starmin.models.boxes.box_program`` solves them for a few seconds. Neighbourhoods
    grow where they are solved quickly, and shrink where they are not. Groups that were
    proven optimal together are not solved again, nor are some of them. Cores solve
    neighbourhoods side by side.

    Other searches gain more at first; this one gains where they have ended.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, l-diversity by frequency or distinct, or k with
        either; losses by generalization.
    time_limit
        Wall-clock seconds.
    seed
        Of all choices.
    initial
        A release to improve; default: one group for all rows that may share one.

    Returns
    -------
    Result
        Never worse than the start. It has no bound.

    Raises
    ------
    NotSupportedError
        Another requirement or objective.

    References
    ----------
    Shaw (1998), Using constraint programming and local search methods to solve vehicle
    routing problems, for large neighbourhoods.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales
    >>> rows = [[str(x)] for x in (0, 49, 50, 51, 100)]
    >>> table = Table.from_rows(["x"], rows, ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> halves = Partition.from_labels(np.array([0, 0, 0, 1, 1]))
    >>> found = box_neighbourhoods(table, KAnonymity(2), objective=gcp, initial=halves)
    >>> halves.value(table, gcp), found.value
    (248, 206)
    """
    run = Run(table, requirement, objective, time_limit, display, BOX_NEIGHBOURHOODS)

    def search() -> Limit:
        begin_at(run, initial)
        _Search(run, seed, params).improve()
        return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS

    return run.carry_out(search)


@dataclass(frozen=True, eq=False)
class _Part:
    """A neighbourhood: its rows, their table and their groups."""

    rows: Ints
    table: Table
    release: Partition


class _Search:
    """The groups of one run, and the neighbourhoods that are being solved."""

    def __init__(self, run: Run, seed: int, params: BoxNeighbourhoodParams) -> None:
        self.run, self.seed, self.params = run, seed, params
        rng = np.random.default_rng(seed)
        self.groups = NearGroups(run.table, run.objective, run.release, rng)
        self.objective = run.objective
        if self.objective.by_node:  # ranges of all rows, for parts as well
            scales = self.objective.scales_of(run.table)
            self.objective = replace(self.objective, scales=scales)
        self._size, self._in_vain = float(params.rows), 0
        self._busy = np.zeros(run.table.n, bool)

    def improve(self) -> None:
        """Solve neighbourhoods until the time is up or none gains anything."""
        solving: dict[Future[Result], _Part] = {}
        slots = cores()
        with Threads(slots) as threads:
            while True:
                while len(solving) < slots and self._goes_on():
                    part = self._propose()
                    if part is not None:
                        solving[threads.submit(self._solve, part)] = part
                    elif solving:
                        break
                if not solving:
                    return
                with resting():
                    done, _ = wait(solving, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(solving.pop(future), future.result())

    def _goes_on(self) -> bool:
        run = self.run
        vain = self._in_vain >= self.params.in_vain
        return not (run.closed or vain or run.remaining == 0)

    def _propose(self) -> _Part | None:
        """Return a neighbourhood; None where it is known not to gain."""
        rows = self.groups.choose(int(self._size), self._busy)
        if len(rows) == 0:
            self._in_vain += 1
            return None
        self._in_vain = 0
        self._busy[rows] = True
        release = Partition.from_labels(self.groups.labels[rows])
        return _Part(rows, self.run.table.take(rows), release)

    def _solve(self, part: _Part) -> Result:
        """Solve a neighbourhood, here or in a thread."""
        return box_program(
            part.table,
            self.run.requirement,
            objective=self.objective,
            time_limit=min(self.params.seconds, self.run.remaining),
            seed=self.seed,
            initial=part.release,
        )

    def _take(self, part: _Part, found: Result) -> None:
        """Take a neighbourhood where it is better, and learn from its time."""
        self._busy[part.rows] = False
        proven = found.status is Status.OPTIMAL
        assert found.best is not None and found.value is not None
        if found.value < part.release.value(part.table, self.objective):
            self.groups.replace(part.rows, found.best)
            self.run.offer(Partition.from_labels(self.groups.labels))
        if proven:
            self.groups.settle(part.rows)
        pass_on(found)
        params, size = self.params, self._size
        if not proven:
            size *= params.shrink
        elif found.runtime < params.seconds / 4:
            size *= params.grow
        self._size = min(max(size, params.least), params.most)
