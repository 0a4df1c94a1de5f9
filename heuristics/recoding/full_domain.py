"""The best full-domain recoding: one level for each column, other rows suppressed."""

import math
from collections.abc import Callable
from heapq import heappop, heappush

from starmin.heuristics.recoding import FULL_DOMAIN
from starmin.heuristics.recoding.level_lattice import LevelLattice, Node
from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)


class LatticeSearch:
    """The search for the cheapest node of a lattice that is allowed.

    ``best`` is the cheapest node so far, and ``value`` what it costs.
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


def full_domain(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    suppress: float = 1.0,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Generalizes each column to one level and suppresses the classes that fail.

    Exact among *full-domain* recodings with suppression. All values of a column are
    generalized to the same level of its hierarchy (``levels.column_levels``); rows that
    are equal then are a class. Classes that fail the requirement are suppressed: they
    form one class more, which must satisfy it, too, or be empty. A row pays what the
    nodes of the levels lose, a suppressed one what the roots lose:

    .. math:: \min_{v} \sum_{i \notin S(v)} \sum_j w_j c_j(v_j, x_{ij})
              + |S(v)| \sum_j w_j c_j(\top)

    The idea: of all nodes between ``low`` and ``high`` of the lattice none costs less
    than its rows do at ``low``, and rows whose class at ``high`` has fewer rows than
    the requirement asks of any class are suppressed at all of them. Boxes of nodes are
    halved, the cheapest first, until the cheapest is a single node.

    What is published of a class may lose less than the level does, if its rows agree
    on more; ``value`` counts this, ``stats["level_value"]`` what was minimized.

    Parameters
    ----------
    table, requirement, objective
        Any problem but for tuples. Columns to be kept stay at level 0, and suppressed
        rows form a class for each combination of their values.
    suppress
        The greatest share of rows that may be suppressed.
    time_limit
        Seconds; if it strikes, the best node among those met is returned.

    See Also
    --------
    incognito : without suppression, charged for what classes publish.

    Notes
    -----
    A group-by of the distinct rows for each node that is asked: of the 12,960 nodes of
    Adult, nine columns with taxonomies, k = 5, a few hundred.

    References
    ----------
    F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. Kuhn, Flash: efficient, stable
    and optimal k-anonymity, PASSAT 2012.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales, Taxonomy
    >>> rows = [["cat"], ["cat"], ["dog"], ["dog"], ["rat"], ["owl"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{tame{cat,dog},wild{rat,owl}}")
    >>> objective = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    >>> result = full_domain(table, KAnonymity(2), objective=objective)
    >>> result.best.groups.tolist(), result.stats["level_value"]
    ([0, 0, 1, 1, 2, 2], 8)
    """
    if not 0 <= suppress <= 1:
        raise ValueError(f"Expected suppress from 0 to 1, got {suppress}.")
    if objective.scales_of(table).roofs:
        raise NotSupportedError(
            "Expected no column with a highest level, as suppressed rows have none."
        )
    run = Run(table, requirement, objective, time_limit, display, FULL_DOMAIN)

    def search() -> None:
        lattice = LevelLattice(table, requirement, objective, suppress)
        nodes = LatticeSearch(lattice)
        try:
            nodes.run(run.check_time)
        finally:  # The best node so far is published, whatever ended the search.
            best, suppressed = lattice.partition(nodes.best)
            run.offer(best)
            run.stats |= {
                "levels": ",".join(map(str, nodes.best)),
                "level_value": nodes.value,
                "suppressed": suppressed,
                "asked": lattice.asked,
            }

    return run.carry_out(search)


def _with(node: Node, column: int, level: int) -> Node:
    return (*node[:column], level, *node[column + 1 :])
