"""Incognito: the best recoding that generalizes each column to one level throughout."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

import numpy as np

from starmin.heuristics.recoding import INCOGNITO
from starmin.instances import (
    STARS,
    GroupStats,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s


def column_levels(table: Table, objective: Objective) -> list[list[Int32s]]:
    """Return for each QI column its levels: for each code the class that it is in.

    Level 0 has a class for each value. In a flat column the next is the last and joins
    all of them. In a taxonomy level i has the nodes i steps above its deepest leaves;
    shallower leaves wait until a level reaches them, so that the nodes of a level
    never overlap; levels with a node that must not be published are left out. Of
    numbers level i joins 2^i values that follow each other; missing values are apart
    from them up to the last level. Columns to be kept have level 0 alone.

    Examples
    --------
    >>> from starmin.instances import Scales, Taxonomy
    >>> rows = [["1", "cat"], ["2", "dog"], ["5", "rat"]]
    >>> table = Table.from_rows(["n", "pet"], rows, qi=["n", "pet"])
    >>> tree = Taxonomy.parse("{tame{cat,dog},rat}")
    >>> objective = Objective("gcp", scales=Scales.of(table, ["n"], {"pet": tree}))
    >>> for levels in column_levels(table, objective):
    ...     print([level.tolist() for level in levels])
    [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    [[0, 1, 2], [4, 4, 2], [3, 3, 3]]
    """
    scales = objective.scales_of(table).scales
    return [
        scale.levels()[: 1 if kept else None]
        for scale, kept in zip(scales, objective.kept(table), strict=True)
    ]


Node = tuple[int, ...]


def incognito(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Generalize each column to one level, in the best of all such ways.

    Exact among *full-domain* recodings: all values of a column are generalized to the
    same level of its hierarchy (``levels.column_levels``), and rows that are equal then
    are a group. Groups are charged for their own ranges, which are within the classes.

    The idea: the levels of all columns form a lattice. Requirements are monotone, so if
    a node satisfies one then so do all nodes above it, and all its projections to fewer
    columns. Sets of columns are gone through by size. A node of a set is asked, from
    the lowest levels upwards, only if no node below it holds and its projections to all
    sets with a column less do. Of the nodes of all columns those that hold and have
    none below them that does are *minimal*; the cheapest of these is the best of all,
    for finer groups never cost more.

    Parameters
    ----------
    table, requirement, objective
        Any problem. Columns to be kept stay at level 0.
    time_limit
        Seconds; if it strikes, the best node among those met is returned.

    See Also
    --------
    top_down_specialization : each column cut through its tree, greedily.

    Notes
    -----
    O(2^d) sets of columns; a group-by of n rows for each node that is asked. Adult,
    30,162 rows by 7 columns with taxonomies, takes about a second.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, Incognito: efficient full-domain
    k-anonymity, SIGMOD 2005. A. Machanavajjhala, D. Kifer, J. Gehrke, M.
    Venkitasubramaniam, l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "a"], ["1", "b"], ["2", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> incognito(table, KAnonymity(2)).best.groups.tolist()
    [0, 1, 0, 1]
    """
    run = Run(table, requirement, objective, time_limit, display, INCOGNITO)

    def search() -> None:
        columns = tuple(range(table.d))
        lattice = _Lattice(table, column_levels(table, objective), run.stats)
        # What is left if time runs out at once.
        coarsest = lattice.partition(columns, lattice.top)
        if coarsest.violation(table, requirement, objective) is not None:
            raise NotSupportedError(
                "Columns that are all at one level have no release: "
                "a higher level has a node that must not be published."
            )
        run.offer(coarsest)
        run.stats["levels"] = ",".join(map(str, lattice.top))
        holds = lattice.search(requirement, run.check_time)
        for node in _minimal(holds):
            if run.offer(lattice.partition(columns, node)):
                run.stats["levels"] = ",".join(map(str, node))
            run.check_time()
        run.stats["nodes"] = holds.size

    return run.carry_out(search)


class _Lattice:
    """The levels of all columns, and groups by node; ``asked`` counts in ``stats``."""

    def __init__(
        self,
        table: Table,
        levels: Sequence[Sequence[Int32s]],
        stats: dict[str, float | int | str],
    ) -> None:
        self.table, self.stats = table, stats
        self.rows = [
            [level[table.column(column)] for level in each]
            for column, each in zip(table.qi, levels, strict=True)
        ]
        self.sizes = [[int(level.max()) + 1 for level in each] for each in levels]
        self.heights = [len(each) for each in levels]
        self.top = tuple(height - 1 for height in self.heights)

    def partition(self, columns: Sequence[int], node: Node) -> Partition:
        """Group the rows that are equal in these columns at these levels."""
        return Partition(
            group_by(
                [self.rows[j][level] for j, level in zip(columns, node, strict=True)],
                [self.sizes[j][level] for j, level in zip(columns, node, strict=True)],
            ).inverse
        )

    def search(self, requirement: Requirement, check_time: Callable[[], None]) -> Bools:
        """Find the nodes that satisfy a requirement, with an axis for each column."""
        d, asked = self.table.d, 0
        self.stats["asked"] = asked
        holds: dict[tuple[int, ...], Bools] = {(): np.ones((), bool)}

        def satisfies(columns: tuple[int, ...], node: Node) -> bool:
            nonlocal asked
            check_time()
            asked += 1
            self.stats["asked"] = asked
            groups = self.partition(columns, node).groups
            return bool(requirement.holds(GroupStats.of(self.table, groups)).all())

        for size in range(1, d + 1):
            for columns in combinations(range(d), size):
                found = np.zeros([self.heights[j] for j in columns], bool)
                candidate = np.ones_like(found)
                for at in range(size):
                    projected = holds[columns[:at] + columns[at + 1 :]]
                    candidate &= np.expand_dims(projected, at)
                for node in _upwards(found.shape):
                    if candidate[node]:
                        met = any(found[below] for below in _below(node))
                        found[node] = met or satisfies(columns, node)
                holds[columns] = found
        return holds[tuple(range(d))]


def _upwards(shape: Sequence[int]) -> list[Node]:
    """Return all nodes, each after those below it."""
    return sorted(product(*map(range, shape)), key=sum)


def _below(node: Node) -> Iterator[Node]:
    """Yield the nodes that are one level lower in one column."""
    for at, level in enumerate(node):
        if level:
            yield (*node[:at], level - 1, *node[at + 1 :])


def _minimal(holds: Bools) -> list[Node]:
    """Return the nodes that hold and have none below them that does."""
    return [
        node
        for node in map(tuple, np.argwhere(holds).tolist())
        if not any(holds[below] for below in _below(node))
    ]
