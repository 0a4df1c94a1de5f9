"""Branch and bound over the boxes that are left, by numbers of groups in sets."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from starmin.models.boxes.box_unit import BoxUnit
from starmin.models.boxes.master.branching import best_split, rows_in_boxes
from starmin.models.boxes.master.exact import ExactDuals, ExactProgram
from starmin.models.boxes.master.joint import TALLY, Joint
from starmin.models.boxes.master.master import Point
from starmin.models.boxes.master.relaxation import Duals, Relaxation
from starmin.models.boxes.master.root import add_cuts
from starmin.models.boxes.params import BoxParams

_ARTIFICIAL = 1e-9
_DEARER = 3  # times that artificial columns may become dearer
_NEAR = 1e-7  # of what all groups may lose: what floating point may leave open


@dataclass(eq=False)
class BoxNode:
    """A node: what sets have on the path to it, and what was proven of it."""

    # by place of a set: how many groups lie in it at least and at most
    sides: dict[int, tuple[int, int]]
    bound: int  # bound, duals: what loops found, and by what
    duals: Duals
    # exact, proof: what was proven exactly, and by what; None where that is what loops
    # found
    exact: int
    proof: ExactDuals | None = None
    # place of a set and the most groups of the first child
    split: tuple[int, int] | None = None
    children: list["BoxNode"] = field(default_factory=list)  # the nodes below


class BoxTree:
    """Best-first branch and bound.

    ``relaxation`` (for loops) and ``program`` (exact) are over all boxes that a better
    release may use; ``unit`` is what loops leave out, and ``bound`` what ``duals``
    prove at the root. ``value`` returns what the best release costs; ``found`` is
    called with each point, and may find a better one. ``joint`` is what groups need in
    all sensitive columns, where the rule is that of one.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        program: ExactProgram,
        unit: BoxUnit,
        duals: Duals,
        bound: int,
        value: Callable[[], int],
        found: Callable[[Point], None],
        params: BoxParams,
        joint: Joint | None = None,
    ) -> None:
        self.relaxation, self.program, self.unit = relaxation, program, unit
        self.value, self.found, self.params = value, found, params
        self.joint = joint
        self.root = BoxNode({}, bound, duals, unit.exact(bound))
        self._waiting = [(bound, 0, self.root)]
        self._left: list[BoxNode] = []  # with nothing to split, and not done
        self.nodes = 1

    @property
    def proven(self) -> int:
        """What the tree proves exactly: the least of its leaves, or the goal."""
        goal = self.unit.exact_goal(self.value())
        waiting = [node.exact for _, _, node in self._waiting]
        return min([goal, *waiting, *(node.exact for node in self._left)])

    def search(self) -> None:
        """Split nodes until all reach the goal; TimeoutError where the time is up."""
        while self._waiting:
            _, _, node = heapq.heappop(self._waiting)
            if self._is_done(node):
                continue
            try:
                self._visit(node)
            except BaseException:
                self._wait(node)
                raise

    def _wait(self, node: BoxNode) -> None:
        heapq.heappush(self._waiting, (node.bound, self.nodes, node))
        self.nodes += 1

    def _is_done(self, node: BoxNode) -> bool:
        return node.exact >= self.unit.exact_goal(self.value())

    def _visit(self, node: BoxNode) -> None:
        """Solve a node, and split it unless it reaches the goal."""
        point = self._solve(node)
        for _ in range(self.params.tree_rounds):
            if self._is_done(node):
                return
            if not add_cuts(self.relaxation, point, self.params.cuts):
                break
            point = self._solve(node)
        while not self._is_done(node) and self._add_tallies(point):
            point = self._solve(node)
        if self._is_done(node):
            return
        split = best_split(self.relaxation, point, self.params.tried, self.joint)
        if split is None:
            self._refine(node)
            if not self._is_done(node):
                self._left.append(node)
            return
        counted, number = split
        (place,) = self.relaxation.add_sets([counted])
        node.split = place, number
        low, high = node.sides.get(place, (0, int(self.relaxation.most[place])))
        for side in ((low, min(high, number)), (max(low, number + 1), high)):
            sides = node.sides | {place: side}
            child = BoxNode(sides, node.bound, node.duals, node.exact, node.proof)
            node.children.append(child)
            self._wait(child)

    def _add_tallies(self, point: Point) -> bool:
        """Add what groups need in all columns and lack; whether a point lacks any."""
        relaxation, known = self.relaxation, len(self.relaxation.sets)
        if self.joint is None or point.artificial > _ARTIFICIAL:
            return False
        y = relaxation.master.in_boxes(point.x, len(relaxation.pool))
        for box, rows in rows_in_boxes(relaxation, point.x).items():
            (members,) = relaxation.pool.members(np.array([box]))
            short = self.joint.short(members, rows, float(y[box]))
            relaxation.add_sets([(members, TALLY, tally) for tally in short])
        return len(relaxation.sets) > known

    def _solve(self, node: BoxNode) -> Point:
        """Solve the relaxation of a node; its bound may rise."""
        relaxation = self.relaxation
        for tried in range(_DEARER + 1):
            self._restrict(node)
            point, duals, worth = relaxation.converge()
            bound = relaxation.proven(duals, worth)
            if bound > node.bound:
                node.bound, node.duals = bound, duals
                if self.unit.exact(bound) > node.exact:
                    node.exact, node.proof = self.unit.exact(bound), None
            if point.artificial < _ARTIFICIAL or self._is_done(node):
                break
            if tried < _DEARER:
                relaxation.master.dearer()
        if point.artificial < _ARTIFICIAL:
            self.found(point)
            near = int(_NEAR * relaxation.whole * relaxation.most_groups)
            goal = self.unit.goal(self.value()) - near
            if node.bound >= goal and not self._is_done(node):
                self._refine(node)
        return point

    def _refine(self, node: BoxNode) -> None:
        """Prove more of a node that was just solved, exactly."""
        goal = self.unit.exact_goal(self.value())
        bound, proof = self.program.refine(node.duals, goal)
        if bound > node.exact:
            node.exact, node.proof = bound, proof

    def _restrict(self, node: BoxNode) -> None:
        relaxation = self.relaxation
        least, most = np.zeros(len(relaxation.sets), np.int64), relaxation.sets.most
        for place, (low, high) in node.sides.items():
            least[place], most[place] = low, high
        relaxation.bound(least, most)
