"""Small tables with ranges, solved: column generation over groups in boxes, and cuts."""

import math

import numpy as np

from instances import (
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    least_diversity,
    least_size,
)
from models.boxes import BOX_PROGRAM
from models.boxes.box_data import box_data
from models.boxes.incumbent import offer_best, offer_whole
from models.boxes.master import Point
from models.boxes.pool import BoxPool
from models.boxes.relaxation import Duals, Relaxation
from models.boxes.root import Root
from models.boxes.row_sets import RowSets
from models.boxes.starts import groups_of, raise_prices, release_prices
from models.boxes.tree import BoxTree

_BITS = 51  # of a row's loss times the square of the rows: sums stay below 2^62
_MOST_LIST = 200_000  # boxes that are listed for the tree
_MIP_SHARE, _MIP_SECONDS = 0.1, 10.0
_START_BOXES = 2_000
GCP = Objective("gcp")


def box_program(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    """Solve."""
    run = Run(table, requirement, objective, time_limit, display, BOX_PROGRAM)

    def search() -> Limit | None:
        run.offer(initial or Partition.coarsest(table, objective))
        run.check_time()
        return BoxSearch(run, seed).search()

    return run.carry_out(search)


class BoxSearch:
    def __init__(self, run: Run, seed: int) -> None:
        table, objective = run.table, run.objective
        self.run, self.seed = run, seed
        k, l = least_size(run.requirement), least_diversity(run.requirement)
        self.types = table.sensitive_types if l > 1 else table.row_types
        row = max(1, objective.whole(table) // table.n)
        self.unit = (1 << _BITS) // (row * table.n**2)
        if self.unit < 1:
            raise NotSupportedError("Expected losses whose sums fit 64 bits.")
        self.whole = row * self.unit
        data = box_data(table, self.types, objective, self.unit, k, l)
        self.relaxation = self._relaxation(BoxPool(data))

    def _relaxation(self, pool: BoxPool, sets: RowSets | None = None) -> Relaxation:
        sets = RowSets(pool) if sets is None else sets.on(pool)
        clock = lambda: self.run.remaining, self.run.check_time
        return Relaxation(pool, sets, self.whole, *clock)

    def goal(self) -> int:
        assert self.run.value is not None
        return (self.run.value - 1) * self.unit + 1

    def search(self) -> Limit | None:
        root = self._root()
        try:
            root.solve(self._hear)
            self._offer_best(root)
        finally:
            self.run.raise_bound(-(-max(0,root.bound) // self.unit), "box_program")
        if self.run.closed:
            return None
        return self._finish(root)

    def _root(self) -> Root:
        relaxation = self.relaxation
        assert self.run.best is not None
        groups = groups_of(relaxation.pool, self.types, self.run.best)
        relaxation.add_groups(groups)
        start = release_prices(relaxation, groups)
        raised = raise_prices(relaxation)
        found = relaxation.find(start, 0, _START_BOXES)
        relaxation.pool.add(found.lows, found.highs)
        return Root(relaxation, start, self.goal)

    def _hear(self, point: Point) -> None:
        offer_whole(self.run, self.types, self.relaxation, point.x)

    def _offer_best(self, root: Root) -> None:
        relaxation = self.relaxation
        groups = relaxation.master.groups()
        slack = self.goal() - root.bound
        if slack <= 0:
            return
        duals = root.best.padded(len(relaxation.sets))
        cost = relaxation.pool.cost[groups.box][np.repeat(np.arange(len(groups.box)), np.diff(groups.starts))]
        worth = np.add.reduceat((cost - duals.prices[groups.types]) * groups.copies, groups.starts[:-1])
        worth -= duals.multipliers @ relaxation.sets.coefficients[:, groups.box].astype(int)
        seconds = min(_MIP_SECONDS, _MIP_SHARE * self.run.remaining)
        offer_best(self.run, self.types, relaxation, worth < slack, self.unit, seconds, self.seed)

    def _finish(self, root: Root) -> Limit | None:
        relaxation = self.relaxation
        duals = root.best.padded(len(relaxation.sets))
        found = relaxation.find(duals, self.goal() - root.bound, _MOST_LIST)
        print('list', len(found.worth))
        if found.threshold < self.goal() - root.bound:
            return Limit.ITERATIONS
        pool = BoxPool(relaxation.data)
        pool.add(found.lows, found.highs)
        small = self._relaxation(pool, relaxation.sets)
        self.relaxation = small
        small.add_groups(pool.fills(duals.prices, np.flatnonzero(pool.worth(duals.prices) < 2**60)))
        tree = BoxTree(small, duals, root.bound, self.goal, self._hear)
        try:
            tree.search()
        finally:
            print('nodes', tree.nodes, len(small.master), len(small.sets))
            self.run.stats["tree_nodes"] = tree.nodes
            self.run.raise_bound(-(-tree.bound // self.unit), "box_program")
        return None
