"""The tree of a branch and bound whose leaves are proofs."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from starmin.models.branch_and_bound.multipliers import Multipliers
from starmin.models.branch_and_bound.tree_facts import Decision, Facts, Split
from starmin.models.lagrangian_relaxation.pattern_fills import Heights
from starmin.models.price_unit import INFEASIBLE


@dataclass(eq=False)
class Node:
    """A part of all releases: those with heights and counts within bounds."""

    # those on the path; of a pattern or a count the last one is valid
    decisions: tuple[Decision, ...]
    # with prices; those of the parent until better ones are known
    multipliers: Multipliers
    # what they prove, in the unit of the tree; infinite if there is no such release
    bound: float
    split: Split | None = None  # at most so much in the first child, more in the second
    children: tuple["Node", ...] = field(default=())

    def facts(self, patterns: int) -> Facts:
        """Return what holds."""
        heights, limits = Heights.free(patterns), dict[int, tuple[int, int]]()
        for number, least, most, counted in self.decisions:
            if counted:
                limits[number] = least, most
            else:
                heights.least[number], heights.most[number] = least, most
        return Facts(heights, limits)

    def sides(self, split: Split) -> tuple[tuple[Decision, ...], ...]:
        """Return the decisions of both children of a split."""
        number, g, counted = split
        least, most = next(
            (
                (each.least, each.most)
                for each in reversed(self.decisions)
                if (each.number, each.counted) == (number, counted)
            ),
            (0, INFEASIBLE),
        )
        return tuple(
            (*self.decisions, Decision(number, low, high, counted))
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
