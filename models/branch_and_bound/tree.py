"""The tree of a branch and bound whose leaves are proofs."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from models.branch_and_bound.fills import Heights
from models.branch_and_bound.multipliers import Multipliers
from models.lagrangian_relaxation.candidates import INFEASIBLE

Decision = tuple[int, int, int]  # a pattern, its least and its greatest height


@dataclass(eq=False)
class Node:
    """A part of all releases: those in which patterns have heights within bounds.

    Attributes
    ----------
    decisions
        What was decided on the path, the last decision of a pattern counting.
    multipliers
        Prices and multipliers; those of the parent until better ones are known.
    bound
        What they prove, in units of 1/UNIT; infinite if there is no such release.
    split, children
        Pattern p and height g: at most g in the first child, more in the second.
    """

    decisions: tuple[Decision, ...]
    multipliers: Multipliers
    bound: float
    split: tuple[int, int] | None = None
    children: tuple["Node", ...] = field(default=())

    def heights(self, patterns: int) -> Heights:
        """Return the bounds on all heights."""
        heights = Heights.free(patterns)
        for p, least, most in self.decisions:
            heights.least[p], heights.most[p] = least, most
        return heights

    def sides(self, p: int, g: int) -> tuple[tuple[Decision, ...], ...]:
        """Return the decisions of both children of a split."""
        least, most = next(
            ((low, high) for q, low, high in reversed(self.decisions) if q == p),
            (0, INFEASIBLE),
        )
        return tuple(
            (*self.decisions, (p, low, high))
            for low, high in ((least, g), (g + 1, most))
        )

    def leaves(self) -> Iterator["Node"]:
        """Visit the leaves below, first children first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if not node.children:
                yield node
            waiting += reversed(node.children)


class OpenNodes:
    """Leaves that may have a better release: the lowest bound first, after a dive."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Node]] = []
        self._count = 0

    def push(self, node: Node) -> None:
        """Add a leaf."""
        self._count += 1
        heapq.heappush(self._heap, (node.bound, -self._count, node))

    def pop(self, goal: float) -> Node | None:
        """Take the leaf with the lowest bound; None where all reach the goal."""
        if not self._heap or self._heap[0][0] >= goal:
            return None
        return heapq.heappop(self._heap)[2]

    @property
    def least(self) -> float:
        """The lowest bound of an open leaf."""
        return self._heap[0][0] if self._heap else math.inf

    def __len__(self) -> int:
        return len(self._heap)
