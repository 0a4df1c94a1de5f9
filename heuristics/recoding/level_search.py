"""Branch and bound over boxes of levels."""

from collections.abc import Callable
from heapq import heappop, heappush

from starmin.heuristics.recoding.level_lattice import LevelLattice, Node


class LatticeSearch:
    """The search for the cheapest node of a lattice that is allowed.

    Attributes
    ----------
    best, value
        The cheapest node so far, and what it costs.
    """

    def __init__(self, lattice: LevelLattice) -> None:
        self.lattice = lattice
        self.best = lattice.top
        value = lattice.cost(lattice.top)
        assert value is not None  # where the table as a whole satisfies what is asked
        self.value = value
        self._waiting: list[tuple[int, Node, Node]] = []
        self._met = {lattice.top}

    def run(self, check_time: Callable[[], None]) -> None:
        """Search to the end; ``check_time`` may raise to stop before."""
        self._add(tuple(0 for _ in self.lattice.top), self.lattice.top)
        while self._waiting:
            bound, low, high = heappop(self._waiting)
            if bound >= self.value:
                return
            check_time()
            self._try(high)
            if low != high:
                column, level = self._cut(low, high)
                self._add(low, _with(high, column, level))
                self._add(_with(low, column, level + 1), high)

    def _add(self, low: Node, high: Node) -> None:
        bound = self.lattice.bound(low, high)
        if bound is not None and bound < self.value:
            heappush(self._waiting, (bound, low, high))

    def _try(self, node: Node) -> None:
        """Take a node if it is the cheapest one."""
        bound = self.lattice.bound(node, node)
        if node in self._met or bound is None or bound >= self.value:
            return
        self._met.add(node)
        cost = self.lattice.cost(node)
        if cost is not None and cost < self.value:
            self.best, self.value = node, cost

    def _cut(self, low: Node, high: Node) -> tuple[int, int]:
        """Choose the column that makes most of the difference, and a level of it."""
        paid = self.lattice.corner(high).paid
        spread = [
            (each[b] - each[a], b - a)
            for each, a, b in zip(paid, low, high, strict=True)
        ]
        column = max(range(len(spread)), key=spread.__getitem__)
        return column, (low[column] + high[column]) // 2


def _with(node: Node, column: int, level: int) -> Node:
    return (*node[:column], level, *node[column + 1 :])
