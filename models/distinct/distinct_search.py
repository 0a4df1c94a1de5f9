"""Star minimisation under distinct l-diversity: relaxation or prices, then search."""

import math
from functools import partial

import numpy as np

from starmin.instances import (
    GroupStats,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.runs.search_control import clock
from starmin.models.distinct.distinct_prices import (
    DistinctParams,
    DistinctPrices,
    prove_by_prices,
)
from starmin.models.distinct.distinct_reduction import (
    DistinctProgram,
    Reduction,
    distinct_program,
    has_prices,
    lending_flow,
    smallest_reduction,
)
from starmin.models.pattern_program.destroy_operators import DestroyOperators
from starmin.models.pattern_program.kernel_search import reduced_cost_fixing
from starmin.models.pattern_program.pattern_program import loads_of, partition_of_loads
from starmin.models.patterns.closed_listing import cheapest_pattern_costs
from starmin.models.patterns.patterns import threshold
from starmin.models.solvers.linear_solver import LinearSolver, note_relaxation
from starmin.models.solvers.mip_search import (
    KernelSearch,
    KernelSearchParams,
    RestrictedSearch,
    Restriction,
    solve_small,
)

# Neighbourhoods of a release solved anew, under distinct l-diversity.


class DistinctNeighbourhoods(DestroyOperators):
    """Chooses the types that move as its parent does; borrowed rows move with them.

    Releases are points of the ``program``; ``part_limit`` is in seconds, for one
    neighbourhood.
    """

    def __init__(
        self, program: DistinctProgram, seed: int, part_limit: float = 3.0
    ) -> None:
        patterns = program.reduction.placed_patterns
        useful = np.ones(len(patterns.types), bool)
        rng = np.random.default_rng(seed)
        super().__init__(patterns, 1, 1, useful, rng, part_limit=part_limit)
        self.program = program

    def improve(self, point: Floats, remaining: float) -> Floats | None:
        """Solve one neighbourhood; return the new point if it costs less."""
        copies, _ = self.program.loads(point)
        kind = self.weights.draw(self.rng)
        wanted = min(len(self.types), int(self.sizes[kind]))
        columns = self._columns(self.kinds[kind](copies, wanted))
        started = clock()
        found = solve_small(
            self.program.program.fix(columns, point),
            min(self.part_limit, remaining),
            point[columns],
            int(self.rng.integers(2**31)),
        )
        seconds = clock() - started
        after = point.copy()
        if found is not None:
            after[columns] = found
        gain = float(self.program.program.cost @ (point - after))
        self._learn(kind, gain / max(seconds, 1e-3), seconds)
        return after if gain > 0.5 else None

    def _columns(self, free: Bools) -> Bools:
        """Mark the columns of the free types, and of the patterns they may use."""
        patterns = self.patterns
        inside = free[patterns.types]
        alive = np.bincount(patterns.pattern[inside], minlength=len(patterns)) > 0
        return np.concatenate([inside, alive[self.program.others]])


# Kernel search under distinct l-diversity, on a reduction that grows.


class DistinctKernelSearch(KernelSearch):
    """Neighbourhoods all the time; beside them a kernel, then the whole program.

    The best release is a point of a thin program: it has the incidences of the release
    and those that the relaxation or prices prefer. Points that borrow more rows than
    can be lent make the reduction grow.

    ``reduction`` says what is placed; ``least`` is by incidence what a release costs at
    least that uses it, and ``seconds_for_whole`` must be left for a search of the whole
    program.
    """

    program: DistinctProgram
    near: Floats
    point: Floats

    def __init__(
        self,
        run: Run,
        reduction: Reduction,
        least: Floats,
        seed: int,
        seconds_for_whole: float,
        params: KernelSearchParams,
    ) -> None:
        super().__init__(run, params)
        self.whole, self.least, self.seed = reduction, least, seed
        self.seconds_for_whole = seconds_for_whole
        self._neighbourhoods: DistinctNeighbourhoods | None = None
        size = params.neighbourhood_size * int(reduction.placed.sum())
        self._thin_level = threshold(least[reduction.inside], size)
        self._take_up()
        self._settle()

    def _begin(self) -> None:
        """Start a search in the incidences of the thin program with the least costs."""
        params, program = self.params, self.program
        size = params.kernel_size * int(program.reduction.placed.sum())
        near = self.near <= threshold(self.near, size)
        near |= self.point[: len(near)] > 0
        outside = float(self.near[~near].min(initial=math.inf))
        patterns = program.reduction.placed_patterns
        alive = np.bincount(patterns.pattern[near], minlength=len(patterns)) > 0
        restriction = Restriction(
            program.program,
            np.concatenate([near, alive[program.others]]),
            partial(self._take, program),
            self.point,
            min(self._thin_level, outside),
        )
        limit = params.kernel_share * self.run.remaining
        self._start(restriction, limit, params.kernel_effort)

    def _follow(self, ended: RestrictedSearch) -> None:
        """Begin a search of the whole program after any other, if there is time."""
        run = self.run
        if run.closed or run.remaining <= self.seconds_for_whole:
            return
        program = self._written(self.whole)
        restriction = Restriction(
            program.program,
            np.ones(len(program.program.cost), bool),
            partial(self._take, program),
            program.point(*self.whole.split(self._loads())),
        )
        self._start(restriction, run.remaining, self.params.effort)

    def _start(self, restriction: Restriction, limit: float, effort: float) -> None:
        search = RestrictedSearch(self.run, restriction, limit, effort, self.seed)
        self.searches.append(search)

    def _goes_on(self) -> bool:
        return True

    def _improve(self) -> None:
        assert self._neighbourhoods is not None
        better = self._neighbourhoods.improve(self.point, self.run.remaining)
        if better is not None:
            self.point = better
            self._settle()

    def _take(self, program: DistinctProgram, found: Floats) -> None:
        """Go on from a point of a concurrent search if it may cost less."""
        point = np.rint(found)
        holds = program.program.holds(point)
        if holds and program.program.cost @ point <= self.run.cost - 0.5:
            self._place(self._offer(program, point))
            self._settle()

    def _settle(self) -> None:
        """Offer the release of the point; place classes until it borrows what it may.

        They make it the point of the best release, which may have rows lent in vain,
        or by classes that are no groups any more.
        """
        while len(short := self._offer(self.program, self.point)):
            self._place(short)

    def _offer(self, program: DistinctProgram, point: Floats) -> Ints:
        """Offer the release of a point and return the classes that cannot lend enough.

        Where there are such, groups that lack their rows are merged with others.
        """
        run, reduction = self.run, program.reduction
        lent, short = lending_flow(program, point)
        copies, _ = program.loads(point)
        loads = reduction.join(copies, lent)
        release = partition_of_loads(reduction.patterns, loads)
        if len(short):
            release = repair_by_merging(release, *run.asked)
        run.offer(release)
        return short

    def _place(self, short: Ints) -> None:
        """Go on from the best release, with more classes placed."""
        self.whole = self.whole.place(short)
        self._take_up()

    def _take_up(self) -> None:
        """Write the thin program around the best release."""
        loads = self._loads()
        near = (self.least <= self._thin_level) | (loads > 0)
        reduction, kept = self.whole.thin(near)
        self.program = self._written(reduction)
        self.near = self.least[kept][reduction.inside]
        self.point = self.program.point(*reduction.split(loads[kept]))
        limit, before = self.params.neighbourhood_limit, self._neighbourhoods
        new = DistinctNeighbourhoods(self.program, self.seed, limit)
        if before is not None:
            new.sizes, new.weights, new.rng = before.sizes, before.weights, before.rng
        self._neighbourhoods = new

    def _loads(self) -> Ints:
        """Return the copies by incidence of the best release."""
        run, whole = self.run, self.whole
        loads = loads_of(run.table, run.objective, whole.patterns, run.release)
        if loads is None:
            raise ArithmeticError("Expected the patterns of the best release.")
        return loads

    def _written(self, reduction: Reduction) -> DistinctProgram:
        return distinct_program(reduction, self.run.requirement.core.diversity)


def repair_by_merging(
    partition: Partition, table: Table, requirement: Requirement, objective: Objective
) -> Partition:
    """Merge each group that violates the requirement with one where that costs least.

    For requirements that a union satisfies if one of its groups does, or all do. At
    worst all rows that may be together end in one group. No two groups are merged that
    differ in columns to be kept; raises ValueError where a group that fails can be
    merged with no other.

    Notes
    -----
    O(g d) for each merge of g groups, and a recount of all groups.
    """
    kept = objective.kept(table)
    while True:
        dealt = partition.rows, partition.copies
        stats = GroupStats.of(table, partition.groups, *dealt)
        failing = np.flatnonzero(~requirement.holds(stats))
        if len(failing) == 0:
            return partition
        one = failing[0]
        starred, sizes = partition.starred(table), partition.sizes
        first = np.unique(partition.groups, return_index=True)[1]
        rows = first if partition.rows is None else partition.rows[first]
        codes = table.codes[table.positions(table.qi)][:, rows].T
        union = starred | starred[one] | (codes != codes[one])
        before = objective.row_costs(table, starred)
        after = objective.row_costs(table, union)
        extra = (sizes + sizes[one]) * after - sizes * before
        allowed = ~(union & kept).any(axis=1)
        allowed[one] = False
        if not allowed.any():
            raise ValueError("Expected another group to merge with, got none.")
        other = np.flatnonzero(allowed)[extra[allowed].argmin()]
        groups = partition.groups.copy()
        groups[groups == one] = other
        partition = Partition(Partition.from_labels(groups).groups, *dealt)


MAX_INCIDENCES = 2_000_000


def solve_distinct(run: Run, seed: int, params: DistinctParams) -> bool:
    """Solve a run's problem, from its incumbent; whether it ended before the time did.

    As few types as can be are placed at first. Those that cannot lend as much as the
    relaxation borrows, or a point found later, are placed as well. In the incidences
    that the relaxation prefers, or prices where it is large, neighbourhoods of the
    release are solved anew, and a kernel is searched concurrently; then the whole
    program, if there is time. Raises NotSupportedError where there are too many
    columns, or more than two million pairs of a pattern and a row type that is to be
    placed.
    """
    reduction = smallest_reduction(run)
    if len(reduction.inside) > MAX_INCIDENCES:
        raise NotSupportedError(
            f"Expected at most {MAX_INCIDENCES:,} pairs of a pattern and a row type, "
            f"got {len(reduction.inside):,}."
        )
    if len(reduction.inside) == 0:
        none = np.zeros(0, np.int64)
        loads = reduction.join(none, none)
        run.offer(partition_of_loads(reduction.patterns, loads))
        run.raise_bound(0, "pattern_ilp")
        return run.closed
    priced = has_prices(run.requirement, reduction.types.sensitive.shape[1])
    large = priced and len(reduction.inside) > params.large
    rank = _by_prices if large else _by_relaxation
    found = rank(run, reduction, params)
    if found is None:
        return False
    reduction, least = found
    seconds = params.seconds_for_whole if large else 0.0
    if not run.closed:
        DistinctKernelSearch(
            run, reduction, least, seed, seconds, params.kernel
        ).search()
    return run.closed


def _by_prices(
    run: Run, reduction: Reduction, params: DistinctParams
) -> tuple[Reduction, Floats]:
    """Return the reduction and, by prices, what its incidences cost at least."""
    limit = params.share * run.remaining
    pricing = Run(*run.asked, limit)
    prices = DistinctPrices(pricing, reduction)
    prices.improve(params.tolerance)
    run.learn(pricing)
    least = np.full(len(reduction.patterns.types), -math.inf)
    least[reduction.inside] = prices.least()
    return reduction, least


def _by_relaxation(
    run: Run, reduction: Reduction, params: DistinctParams
) -> tuple[Reduction, Floats] | None:
    """Return the reduction and, by the relaxation, what its incidences cost at least.

    What an incidence costs is the least cost of a release that uses it. The classes
    are placed that the relaxation leaves short. None where the time is up before.
    """
    least = np.full(len(reduction.patterns.types), -math.inf)
    own_costs = cheapest_pattern_costs(reduction.placed_patterns).astype(float)
    prove_by_prices(run, reduction, own_costs)
    for _ in range(params.relaxations):
        began, left = run.elapsed, run.remaining
        program = distinct_program(reduction, run.requirement.core.diversity)
        relaxed = LinearSolver(program.program).solve(left)
        if relaxed is None:
            return None
        whole = program.program
        prove_by_prices(run, reduction, relaxed.dual[: reduction.placed.sum()])
        note_relaxation(run, whole, relaxed, "pattern_ilp")
        least[reduction.inside] = reduced_cost_fixing(program.base, relaxed, whole)
        _, short = lending_flow(program, relaxed.x, whole=False)
        reduction = reduction.place(short)
        if len(short) == 0 or run.elapsed - began > params.share * left:
            break
    return reduction, least
