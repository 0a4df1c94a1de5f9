"""The frame of all trees that split the node with the lowest bound first.

What their files list is numbered here, too.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, Generic, TypeVar

Node = TypeVar("Node")


class BestFirst(Generic[Node]):
    """The leaves of a tree: open ones by bound, and those that nothing splits.

    ``bound`` is asked when a node is opened. Of nodes with the same one the first to be
    opened comes first, or the ``latest``. The bounds of ``settled`` leaves count, too.

    Examples
    --------
    >>> halved = BestFirst[int](lambda number: -number)
    >>> halved.open(6)
    >>> while halved.expand(lambda taken: [n // 2 for n in taken for _ in "ab"], -2):
    ...     print(halved.lowest, sorted(halved))
    (-3, 3) [3, 3]
    (-3, 3) [1, 1, 3]
    (-1, 1) [1, 1, 1, 1]
    """

    def __init__(self, bound: Callable[[Node], Any], latest: bool = False) -> None:
        self._bound, self._open = bound, list[tuple[Any, int, Node]]()
        self._turns = itertools.count(0, -1 if latest else 1)
        self.settled = list[Node]()

    def __len__(self) -> int:
        return len(self._open) + len(self.settled)

    def __iter__(self) -> Iterator[Node]:
        return itertools.chain((node for *_, node in self._open), self.settled)

    @property
    def lowest(self) -> tuple[Any, Node] | None:
        """The lowest bound of a leaf, and the leaf; None where all are gone."""
        found = [(bound, node) for bound, _, node in self._open[:1]]
        found += [(self._bound(node), node) for node in self.settled]
        return min(found, key=itemgetter(0), default=None)

    def open(self, node: Node) -> None:
        """Add a leaf that may be split."""
        heapq.heappush(self._open, (self._bound(node), next(self._turns), node))

    def expand(
        self,
        branch: Callable[[list[Node]], Iterable[Node] | None],
        goal: Any = None,
        most: int = 1,
    ) -> bool:
        """Let others take the place of the lowest open leaves; whether any did.

        So many leaves at ``most`` are branched on at once, whose bounds are below the
        ``goal``. Where that is broken off, or returns None, they stay open.
        """
        taken, others = list[Node](), None
        while len(taken) < most and self._open:
            if goal is not None and self._open[0][0] >= goal:
                break
            taken.append(heapq.heappop(self._open)[2])
        try:
            others = branch(taken) if taken else None
        finally:
            for node in taken if others is None else others:
                self.open(node)
        return others is not None


# What the file of a tree lists once, and names by its place.


class Listed(dict[int, int]):
    """Places in a list, to which each thing is written when it is first asked for.

    Examples
    --------
    >>> squares = Listed(lambda number: number**2)
    >>> squares[7], squares[5], squares[7], squares.written
    (0, 1, 0, [49, 25])
    """

    def __init__(self, write: Callable[[int], Any]) -> None:
        super().__init__()
        self._write, self.written = write, list[Any]()

    def __missing__(self, number: int) -> int:
        self[number] = place = len(self)
        self.written.append(self._write(number))
        return place
