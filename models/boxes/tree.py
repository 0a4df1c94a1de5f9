"""Branch and bound over the boxes that are left, by numbers of groups in sets."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from starmin.models.boxes.branching import best_split
from starmin.models.boxes.master import Point
from starmin.models.boxes.params import BoxParams
from starmin.models.boxes.relaxation import Duals, Relaxation
from starmin.models.boxes.root import add_cuts

_ARTIFICIAL = 1e-9
_DEARER = 3  # times that artificial columns may become dearer
# Prices are rounded from a solver's, which are right to some ten digits: of large
# losses they prove a little less than a release costs, by no more than this share.
_ROUNDED = 1e-8


@dataclass(eq=False)
class BoxNode:
    """A node: what sets have on the path to it, and what was proven of it.

    Attributes
    ----------
    sides
        By place of a set, how many groups lie in it at least and at most.
    bound, duals
        What was proven, and by what.
    split
        Place of a set and the most groups of the first child.
    children
        The nodes below.
    """

    sides: dict[int, tuple[int, int]]
    bound: int
    duals: Duals
    split: tuple[int, int] | None = None
    children: list["BoxNode"] = field(default_factory=list)


class BoxTree:
    """Best-first branch and bound.

    Parameters
    ----------
    relaxation
        Over all boxes that a better release may use.
    duals, bound
        Those at the root, and what they prove.
    goal
        Returns what a node has to prove to be done with.
    found
        Called with each point; it may lower the goal.
    params
        Constants.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        duals: Duals,
        bound: int,
        goal: Callable[[], int],
        found: Callable[[Point], None],
        params: BoxParams,
    ) -> None:
        self.relaxation, self.goal, self.found = relaxation, goal, found
        self.params = params
        self.root = BoxNode({}, bound, duals)
        self._waiting = [(bound, 0, self.root)]
        self._left = list[int]()  # bounds of leaves that rounding leaves short
        self.nodes = 1

    @property
    def bound(self) -> int:
        """What the tree proves: the least bound of its leaves, or the goal."""
        waiting = (node.bound for _, _, node in self._waiting)
        return min([self.goal(), *self._left, *waiting])

    def search(self) -> None:
        """Split nodes until all reach the goal.

        Raises
        ------
        TimeoutError
            The time is up.
        """
        while self._waiting:
            _, _, node = heapq.heappop(self._waiting)
            if node.bound >= self.goal():
                continue
            try:
                self._visit(node)
            except BaseException:
                self._wait(node)
                raise

    def _wait(self, node: BoxNode) -> None:
        heapq.heappush(self._waiting, (node.bound, self.nodes, node))
        self.nodes += 1

    def _visit(self, node: BoxNode) -> None:
        """Solve a node, and split it unless it reaches the goal."""
        point = self._solve(node)
        for _ in range(self.params.tree_rounds):
            if node.bound >= self.goal():
                break
            if not add_cuts(self.relaxation, point, self.params.cuts):
                break
            point = self._solve(node)
        if node.bound >= self.goal():
            return
        split = best_split(self.relaxation, point, self.params.tried)
        if split is None:
            self.found(point)
            short = self.goal() - node.bound
            if short > _ROUNDED * self.goal():
                raise ArithmeticError("A relaxation is below all releases, but whole.")
            if short > 0:
                self._left.append(node.bound)
            return
        inside, number = split
        (place,) = self.relaxation.add_sets([(inside, self.relaxation.data.least)])
        node.split = place, number
        low, high = node.sides.get(place, (0, int(self.relaxation.most[place])))
        for side in ((low, min(high, number)), (max(low, number + 1), high)):
            child = BoxNode(node.sides | {place: side}, node.bound, node.duals)
            node.children.append(child)
            self._wait(child)

    def _solve(self, node: BoxNode) -> Point:
        """Solve the relaxation of a node; its bound may rise."""
        relaxation = self.relaxation
        for tried in range(_DEARER + 1):
            self._restrict(node)
            point, duals, worth = relaxation.converge()
            bound = relaxation.proven(duals, worth)
            if bound > node.bound:
                node.bound, node.duals = bound, duals
            if point.artificial < _ARTIFICIAL or node.bound >= self.goal():
                break
            if tried < _DEARER:
                relaxation.master.dearer()
        if point.artificial < _ARTIFICIAL:
            self.found(point)
        return point

    def _restrict(self, node: BoxNode) -> None:
        relaxation = self.relaxation
        least, most = np.zeros(len(relaxation.sets), np.int64), relaxation.sets.most
        for place, (low, high) in node.sides.items():
            least[place], most[place] = low, high
        relaxation.bound(least, most)
