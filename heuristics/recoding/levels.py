"""Recodings by levels of hierarchies: one level a column throughout, or row by row."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from starmin.heuristics.recoding import INCOGNITO, LOCAL_RECODING
from starmin.instances import (
    GCP,
    STARS,
    Grouping,
    KAnonymity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s, Ints


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


Node = tuple[int, ...]  # a level for each column


class LevelClasses:
    """The classes of the row types at each level of each column.

    ``levels`` are those of the columns, ``top`` the last of each, and ``classes`` by
    column and level that of each type, and how many there are.
    """

    def __init__(self, table: Table, objective: Objective) -> None:
        self.levels = column_levels(table, objective)
        self.top: Node = tuple(len(each) - 1 for each in self.levels)
        self.classes = [
            [self._numbered(level[codes]) for level in each]
            for each, codes in zip(self.levels, table.row_types.codes.T, strict=True)
        ]

    @staticmethod
    def _numbered(classes: Int32s) -> tuple[Int32s, int]:
        present, numbers = np.unique(classes, return_inverse=True)
        return numbers.astype(np.int32), len(present)

    def grouped(
        self,
        node: Sequence[int],
        columns: Iterable[int] | None = None,
        types: Ints | slice = slice(None),
    ) -> Grouping:
        """Group row types that are equal at the levels of a node."""
        among = range(len(node)) if columns is None else columns
        at = [self.classes[j][level] for j, level in zip(among, node, strict=True)]
        return group_by([each[types] for each, _ in at], [size for _, size in at])


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
        columns, lattice = tuple(range(table.d)), _Lattice(run)
        try:  # what is left if time runs out at once
            run.offer(lattice.partition(columns, lattice.top))
        except ValueError as error:
            raise NotSupportedError(
                "Columns that are all at one level have no release: "
                "a higher level has a node that must not be published."
            ) from error
        run.stats["levels"] = ",".join(map(str, lattice.top))
        holds = lattice.search()
        for node in _minimal(holds):
            if run.offer(lattice.partition(columns, node)):
                run.stats["levels"] = ",".join(map(str, node))
            run.check_time()
        run.stats["nodes"] = holds.size

    return run.carry_out(search)


class _Lattice:
    """The levels of all columns, and groups by node; ``asked`` counts in the run."""

    def __init__(self, run: Run) -> None:
        self.run, self.classes = run, LevelClasses(run.table, run.objective)
        self.top = self.classes.top

    def partition(self, columns: Sequence[int], node: Node) -> Partition:
        """Group the rows that are equal in these columns at these levels."""
        groups = self.classes.grouped(node, columns).inverse
        return Partition(groups[self.run.table.row_types.inverse])

    def search(self) -> Bools:
        """Find the nodes that satisfy the requirement, with an axis for each column."""
        run, d, asked = self.run, self.run.table.d, 0
        run.stats["asked"] = asked
        holds: dict[tuple[int, ...], Bools] = {(): np.ones((), bool)}

        def satisfies(columns: tuple[int, ...], node: Node) -> bool:
            nonlocal asked
            run.check_time()
            asked += 1
            run.stats["asked"] = asked
            groups = self.partition(columns, node).groups
            return bool(run.requirement.holds_in(run.table, groups).all())

        for size in range(1, d + 1):
            for columns in combinations(range(d), size):
                found = np.zeros([self.top[j] + 1 for j in columns], bool)
                candidate = np.ones_like(found)
                for at in range(size):
                    projected = holds[columns[:at] + columns[at + 1 :]]
                    candidate &= np.expand_dims(projected, at)
                # each node after those below it
                for node in sorted(product(*map(range, found.shape)), key=sum):
                    if candidate[node]:
                        met = any(found[below] for below in _below(node))
                        found[node] = met or satisfies(columns, node)
                holds[columns] = found
        return holds[tuple(range(d))]


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


MOST_VECTORS = 50_000
BUCKETS = 2**14  # of types; a power of two
# Vectors are passed over when only this share of the time is left: the cheapest ones
# matter most, and the fewer rows are left, the less time a vector takes.
HURRIED = 0.5
RECENT = 0.05  # weight of the last vector in the mean time of one


def local_recoding(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Recode each row by the cheapest vector of levels that hides it. No guarantee.

    The idea: a vector of levels, one for each column, divides the rows into classes.
    The vectors are taken by rising mean loss of a row. Classes of the rows left that
    satisfy the requirement become groups, and their rows are done. In the end the rows
    that are left join the groups that were formed last.

    Parameters
    ----------
    table, requirement, objective
        Any problem but for tuples. Columns of numbers have levels of 2, 4, 8, .. values
        that follow each other.
    time_limit
        Seconds; where it is short, some of the dearer vectors are passed over.

    Raises
    ------
    NotSupportedError
        More than 50,000 vectors of levels.

    See Also
    --------
    starmin.heuristics.recoding.full_domain : one vector of levels for all rows.
    starmin.heuristics.ruin_and_recreate.ruin_and_recreate : improves the groups.

    Notes
    -----
    A group-by of the distinct rows that are left for each vector: Adult, eight columns
    with 6,480 vectors, in a second.

    References
    ----------
    F. Prasser, J. Eicher, H. Spengler, R. Bild, K. Kuhn, Flexible data anonymization
    using ARX, Software: Practice and Experience 50, 2020, whose local recoding takes
    the best vector for the rows that are left again and again.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales, Taxonomy
    >>> rows = [["cat"], ["cat"], ["dog"], ["hen"], ["rat"], ["owl"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{tame{cat,dog,hen},wild{rat,owl}}")
    >>> objective = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    >>> local_recoding(table, KAnonymity(2), objective=objective).best.groups.tolist()
    [0, 0, 1, 1, 2, 2]
    """
    run = Run(table, requirement, objective, time_limit, display, LOCAL_RECODING)

    def search() -> Limit | None:
        cover = _Cover(run)
        at, taken, mean, many = 0, 0, 0.0, len(cover.vectors)
        while cover.left.any() and at < many:
            began = run.elapsed
            cover.divide(cover.vectors[at])
            taken += 1
            mean += max(RECENT, 1 / taken) * (run.elapsed - began - mean)
            hurried = run.remaining <= HURRIED * time_limit
            seconds = mean * (many - at) if hurried else 0.0
            at += math.ceil(min(max(1.0, seconds / max(run.remaining, 1e-9)), many))
        run.offer(cover.partition())
        return Limit.TIME if at > taken else None

    return run.carry_out(search)


class _Cover:
    """The groups so far, and the row types that are left."""

    def __init__(self, run: Run) -> None:
        self.run, table, objective = run, run.table, run.objective
        self.types = table.row_types
        self.classes = LevelClasses(table, objective)
        levels = self.classes.levels
        if math.prod(map(len, levels)) > MOST_VECTORS:
            raise NotSupportedError(
                f"Expected at most {MOST_VECTORS:,} vectors of levels, got "
                f"{math.prod(map(len, levels)):,}."
            )
        codes, counts = self.types.codes, self.types.counts
        scales = objective.scales_of(table).scales
        shares = objective.column_weights(table) / objective.scales_of(table).domains
        rng = np.random.default_rng(0)
        self.hashes = [
            [rng.integers(BUCKETS, size=size, dtype=np.uint16)[c] for c, size in column]
            for column in self.classes.classes
        ]
        losses = [
            [
                shares[j] * float(counts @ scales[j].level_losses(level)[codes[:, j]])
                for level in levels[j]
            ]
            for j in range(table.d)
        ]
        vectors = np.array(list(product(*(range(len(each)) for each in levels))))
        paid = sum(np.array(each)[vectors[:, j]] for j, each in enumerate(losses))
        self.vectors = vectors[np.argsort(paid, kind="stable")].tolist()
        apart = Partition.coarsest(table, objective).groups
        self.apart = np.zeros(len(self.types), np.int64)
        self.apart[self.types.inverse] = apart
        self.by_size = all(type(p) is KAnonymity for p in run.requirement.parts)
        self.least = max(run.requirement.core.size, run.requirement.core.diversity)
        self.group = np.full(len(self.types), -1, np.int64)
        self.left = np.ones(len(self.types), bool)

    def divide(self, vector: Sequence[int]) -> None:
        """Form groups of the classes of a vector of levels that are good enough."""
        left = self._crowded(vector)
        if len(left) == 0:
            return
        classes = self.classes.grouped(vector, types=left)
        good = classes.summed(self.types.counts[left]) >= self.least
        if good.any() and not self.by_size:
            good &= self._holds(left, classes.inverse)
        done = good[classes.inverse]
        self.group[left[done]] = classes.inverse[done] + self.group.max() + 1
        self.left[left[done]] = False

    def _crowded(self, vector: Sequence[int]) -> Ints:
        """Return the types left but for some whose classes are too small.

        A bucket holds all types of a class, and perhaps those of others (Zobrist
        hashing); where it has too few rows, none of its classes is large enough.
        """
        left = np.flatnonzero(self.left)
        hashed = np.zeros(len(left), np.uint16)
        for each, level in zip(self.hashes, vector, strict=True):
            hashed ^= each[level][left]
        rows = np.bincount(hashed, self.types.counts[left], BUCKETS)
        return left[rows[hashed] >= self.least]

    def _holds(self, left: Ints, classes: npt.NDArray[np.integer]) -> Bools:
        """Return which classes of the types left satisfy the requirement."""
        label = np.full(len(self.types), -1, np.int64)
        label[left] = classes
        labels = label[self.types.inverse]
        rows = np.flatnonzero(labels >= 0)
        return self.run.requirement.holds_in(self.run.table, labels[rows], rows)

    def partition(self) -> Partition:
        """Return the groups, each row that is left in one of those formed last."""
        group = self.group
        for part in np.unique(self.apart[self.left]).tolist():
            inside = self.apart == part
            joined = inside & self.left
            last = int(group.max()) + 1
            for g in np.unique(group[inside & ~self.left])[::-1].tolist():
                joined |= group == g
                rows = np.flatnonzero(joined)
                if self._holds(rows, np.zeros(len(rows), np.int64))[0]:
                    break
            group[joined] = last
        return Partition.from_labels(group[self.types.inverse])
