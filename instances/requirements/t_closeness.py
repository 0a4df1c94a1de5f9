"""t-closeness: groups whose sensitive values look like the whole table's."""

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any, ClassVar, Literal

import numpy as np

from starmin.instances import arguments
from starmin.instances.arguments import Option
from starmin.instances.arrays import Bools, Floats
from starmin.instances.errors import TableError
from starmin.instances.requirements.earth_mover import (
    Exact,
    Reference,
    Tree,
    Value,
    equal_distances,
    line_distances,
    placed,
    tree_distances,
)
from starmin.instances.requirements.group_stats import (
    GroupStats,
    Measure,
    Measured,
    Number,
    SensitiveCounts,
    exact,
    within,
)
from starmin.instances.requirements.requirement import (
    UNKNOWN,
    Core,
    Requirement,
    Stated,
    core_of_share,
    every,
    sensitive_counts,
)
from starmin.instances.tables.names import any_of
from starmin.instances.tables.table import Table

T = Option(
    "t",
    float,
    "t-closeness: in each group sensitive values are distributed as in the whole "
    "table, up to a distance of T.",
)
DISTANCE = Option(
    "distance",
    Literal["equal", "ordered", "hierarchical"],
    "Of --t, between sensitive values: all equal; numbers, or the leaves of a "
    "--hierarchy, in their order; or hierarchical.",
    needs="t",
)
Orders = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Closeness(Requirement):
    """The distribution of sensitive values in every group is near the table's.

    What is common to all distances between values: those of the table are known by
    their text and column, so that the requirement is the same for any other coding of
    them, as that of a release that was read from a file. A value of a group that does
    not occur in the table has 0 rows there.
    """

    name = "t"
    options = (T, DISTANCE)
    of_sensitive = True
    measure = Measure(
        "t",
        "t",
        "greatest distance of a group's sensitive values from the table's",
        "t",
        "{:.4f}",
        more_is_better=False,
    )

    told: ClassVar[str] = ""  # which distance it is, where that is said

    t: float

    def __post_init__(self) -> None:
        arguments.expect_number("t", self.t)
        if not 0 <= self.t <= 1:
            raise ValueError(f"Expected 0 <= t <= 1, got t = {self.t}.")

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> Number:
        asked = [part for part in parts if isinstance(part, Closeness)]
        each = [float(part.distances(found.stats).max()) for part in asked]
        return max(each, default=None)

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"Within each group, {any_of(table.sensitive)} is distributed nearly as in "
            f"the whole table: the distance is at most {self.t:g}, on a scale from 0 "
            "to 1."
        )

    def why_not(self, group: int, stats: GroupStats) -> str:
        return (
            f"{self.told}distance {self.distances(stats)[group]:.4f} of its sensitive "
            f"values to the table's, more than t = {self.t}"
        )

    def holds(self, stats: GroupStats) -> Bools:
        each = self._fractions(stats)
        return every([within(above, exact(self.t), below) for above, below in each])

    def distances(self, stats: GroupStats) -> Floats:
        """Compute the largest distance of each group to the table."""
        largest = np.zeros(len(stats.sizes))
        for above, below in self._fractions(stats):
            distance = (above / np.maximum(below, 1)).astype(np.float64)
            np.maximum(largest, distance, out=largest)
        return largest

    def _fractions(self, stats: GroupStats) -> list[tuple[Exact, Exact]]:
        """Return the distances of the groups in each sensitive column."""
        known = {reference.column: reference for reference in self.overall}
        each = []
        for name, groups in zip(stats.sensitive, sensitive_counts(stats), strict=True):
            if name not in known:
                raise ValueError(
                    f"Expected sensitive columns of the table that t-closeness was "
                    f"made of, got {name!r}; it has {', '.join(map(repr, known))}."
                )
            overall, place = known[name].places(groups)
            each.append(self._distance(overall, placed(groups, place)))
        return each

    @property
    @abstractmethod
    def overall(self) -> tuple[Reference, ...]:
        """The sensitive columns of the table."""

    @abstractmethod
    def _distance(
        self, overall: Reference, entries: SensitiveCounts
    ) -> tuple[Exact, Exact]:
        """Compute the distance of each group to ``overall``, as a fraction."""


@dataclass(frozen=True)
class TCloseness(Closeness):
    r"""The sensitive values of every group are distributed nearly as in the table.

    The distance between the distribution ``p`` of a group and ``q`` of the table is at
    most ``t``. With the *equal* distance between values it is
    :math:`\frac12 \sum_v |p_v - q_v|`; with the *ordered* one, the m values that occur
    in the table or in some group being ranked, it is the earth mover's
    :math:`\frac{1}{m-1} \sum_{i<m} |\sum_{v \le i} (p_v - q_v)|`.
    Make it by :meth:`of`, which takes ``q`` from a table. Values are compared as text,
    so it fits any table with these sensitive columns: the same rows in another order,
    parts of them, or a release that was read from a file.

    Monotone: both distances are convex in ``p``, and the distribution in a union is a
    convex combination of those in its parts. The whole table has distance 0. Raises
    TableError when groups are checked by the ordered distance: they have a value
    without a place in the order.

    Notes
    -----
    Distances are compared exactly, multiplied by the group's size and the table's.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and
    l-diversity, ICDE 2007.

    Examples
    --------
    >>> table = Table.from_rows(["a", "pay"], [["0", "3"], ["0", "4"], ["1", "10"]],
    ...                         qi=["a"], sensitive=["pay"])
    >>> stats = GroupStats.of(table, np.array([0, 0, 1]))
    >>> TCloseness.of(table, 0.5).holds(stats).tolist()
    [True, False]
    >>> TCloseness.of(table, 0.5, "ordered").holds(stats).tolist()
    [True, True]
    """

    distance: Literal["equal", "ordered"] = "equal"
    overall: tuple[Reference, ...] = field(default=(), repr=False)
    # For the ordered distance: the columns that are not ordered as numbers.
    orders: Orders = field(default=(), repr=False)

    def __post_init__(self) -> None:
        arguments.expect_choice("distance", self.distance, ("equal", "ordered"))
        super().__post_init__()

    @classmethod
    def of(
        cls,
        table: Table,
        t: float,
        distance: Literal["equal", "ordered"] = "equal",
        orders: Mapping[str, Sequence[str]] | None = None,
    ) -> "TCloseness":
        """Make t-closeness to the sensitive columns of ``table`` as they are.

        ``orders`` have for the ordered distance the values of a sensitive column in
        their order; columns that are not named are ordered as numbers. A missing value
        stands just before the empty text. Raises TableError: no sensitive column, or
        one that has neither numbers nor an order.
        """
        arguments.expect_kind("table", table, Table)
        given = {column: tuple(order) for column, order in (orders or {}).items()}
        overall = _references(table)
        if distance == "ordered":
            try:
                overall = [
                    each.sort(_order(each, given.get(each.column))) for each in overall
                ]
            except TableError as error:
                raise TableError(f"{table.name}: {error}") from None
        return cls(t, distance, tuple(overall), tuple(given.items()))

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "TCloseness | None":
        if stated[T] is None or stated[DISTANCE] == "hierarchical":
            return None
        if stated[DISTANCE] != "ordered":
            return cls.of(table, stated[T])
        trees = stated.trees
        orders = {c: trees[c].leaves for c in table.sensitive if c in trees}
        return cls.of(table, stated[T], "ordered", orders)

    @classmethod
    def example(cls, table: Table) -> "TCloseness | None":
        return cls.of(table, 0.3) if table.sensitive else None

    @cached_property
    def core(self) -> Core:
        """By equal distance p_v - q_v is at most t, and so is q of absent values."""
        columns = [sorted(each.counts, reverse=True) for each in self.overall]
        if self.distance != "equal" or not columns or not all(columns):
            return UNKNOWN
        t, largest, fewest = exact(self.t), Fraction(0), len(columns[0])
        for counts in columns:
            total = sum(counts)
            largest = max(largest, Fraction(counts[0], total))
            least = math.ceil((1 - t) * total)
            fewest = min(fewest, 1 + bisect_left([*accumulate(counts)], least))
        return core_of_share(min(Fraction(1), largest + t), fewest)

    def _distance(
        self, overall: Reference, entries: SensitiveCounts
    ) -> tuple[Exact, Exact]:
        if self.distance == "equal":
            return equal_distances(entries, overall.array)
        if not any(overall is each for each in self.overall):
            order = _order(overall, dict(self.orders).get(overall.column))
            overall, to = overall.sort(order), np.argsort(order)
            entries = replace(entries, value=to[entries.value])
        return line_distances(entries, overall.array)

    def as_json(self) -> dict[str, Any]:
        return {"t": self.t, "distance": self.distance}


def _references(table: Table) -> list[Reference]:
    """Return the sensitive columns of a table, of which there is at least one."""
    if not table.sensitive:
        raise TableError(f"{table.name}: t-closeness needs a sensitive column")
    return [Reference.of(table, column) for column in table.sensitive]


def _order(overall: Reference, order: Sequence[str] | None) -> list[int]:
    """Order the values: as given, or by number; ties by text."""
    rank = {label: float(place) for place, label in enumerate(order or ())}
    keys: list[tuple[float, bool, str]] = []
    for label in overall.values:
        place = as_number(label) if order is None else rank.get(label or "")
        if place is None:
            what = "is not a number" if order is None else "has no place in its order"
            raise TableError(
                f"value {label!r} of sensitive column {overall.column!r} {what}; "
                "give an order of all values, or use the equal distance"
            )
        keys.append((place, label is not None, label or ""))
    return sorted(range(len(keys)), key=keys.__getitem__)


def as_number(label: Value) -> float | None:
    """Return the number that a cell holds, or None where it holds none."""
    try:
        number = float(label or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


Path = tuple[str, ...]
Ancestors = Mapping[str, Sequence[str]]  # by value the nodes above it, its parent first


@dataclass(frozen=True)
class Taxonomy:
    """One sensitive column's values as the leaves of a tree."""

    overall: Reference  # the values that occur in the table, of which the tree is
    # values, also such that do not occur, and the nodes above each, its parent first
    ancestors: tuple[tuple[str, Path], ...]
    tree: Tree = field(repr=False, compare=False)

    @classmethod
    def of(cls, overall: Reference, ancestors: Ancestors) -> "Taxonomy":
        """Build the taxonomy of a column; TableError where it is not one tree."""
        above = {value: tuple(nodes) for value, nodes in ancestors.items()}
        return cls(overall, tuple(above.items()), _tree(overall, above))


@dataclass(frozen=True)
class HierarchicalCloseness(Closeness):
    r"""The sensitive values of every group are distributed nearly as in the table.

    Values are the leaves of a taxonomy of height H; two of them are as far apart as the
    lowest node above both is high, divided by H. The distance between the distributions
    ``p`` of a group and ``q`` of the table is the earth mover's, and is at most ``t``.

    Earth that moves between two leaves below a node of height h goes up and down edges
    of total length 2 h, if an edge is as long as its parent is higher than its child.
    The tree is that of the values that occur in the table or in some group. The
    distance is computed by ``earth_mover.tree_distances`` and compared exactly,
    multiplied by the group's size and the table's.

    Make it by :meth:`of`; values are compared as text, as by ``TCloseness``, which has
    the equal and the ordered distance. Monotone, as that is: the distance is convex. A
    check of groups raises TableError where they have a value without a place in the
    tree. It is from section 4.2 of the paper that ``TCloseness`` names.

    Examples
    --------
    >>> from starmin.instances import GroupStats
    >>> table = Table.from_rows(["a", "ill"], [["0", "flu"], ["0", "cold"],
    ...     ["1", "gout"], ["1", "flu"]], qi=["a"], sensitive=["ill"])
    >>> tree = {"flu": ["lungs", "any"], "cold": ["lungs", "any"],
    ...         "gout": ["joints", "any"]}
    >>> stats = GroupStats.of(table, np.array([0, 0, 0, 1]))
    >>> closeness = HierarchicalCloseness.of(table, 0.25, {"ill": tree})
    >>> closeness.distances(stats).tolist(), closeness.holds(stats).tolist()
    ([0.125, 0.375], [True, False])
    """

    told = "hierarchical "

    taxonomies: tuple[Taxonomy, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls, table: Table, t: float, ancestors: Mapping[str, Ancestors]
    ) -> "HierarchicalCloseness":
        """Make t-closeness to the sensitive columns of ``table`` as they are.

        ``ancestors`` tells for each sensitive column and each of its values the nodes
        above it, its parent first, the root last; a node that is named twice in a row
        (as in tables of levels) counts once. Raises TableError where there is no
        sensitive column, or a value is without its place in one tree.
        """
        overall = _references(table)
        try:
            taxonomies = [Taxonomy.of(o, ancestors.get(o.column, {})) for o in overall]
        except TableError as error:
            raise TableError(f"{table.name}: {error}") from None
        return cls(t, tuple(taxonomies))

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "HierarchicalCloseness | None":
        if stated[T] is None or stated[DISTANCE] != "hierarchical":
            return None
        for column in table.sensitive:
            if column not in stated.trees:
                raise TableError(
                    f"hierarchies has none for the sensitive column {column!r}, which "
                    "distance='hierarchical' needs"
                    if stated.python
                    else f"--distance hierarchical needs --hierarchy {column}=FILE"
                )
        trees = {column: stated.trees[column].ancestors for column in table.sensitive}
        return cls.of(table, stated[T], trees)

    @classmethod
    def example(cls, table: Table) -> "HierarchicalCloseness | None":
        if not table.sensitive:
            return None
        trees = {
            column: {value or "": ["any"] for value in table.dictionary(column)}
            for column in table.sensitive
        }
        return cls.of(table, 0.3, trees)

    @property
    def overall(self) -> tuple[Reference, ...]:
        return tuple(taxonomy.overall for taxonomy in self.taxonomies)

    def _distance(
        self, overall: Reference, entries: SensitiveCounts
    ) -> tuple[Exact, Exact]:
        known = {each.overall.column: each for each in self.taxonomies}[overall.column]
        tree = known.tree  # of the values of the table
        if overall is not known.overall:
            tree = _tree(overall, dict(known.ancestors))
        return tree_distances(entries, overall.array, tree)

    def as_json(self) -> dict[str, Any]:
        return {"t": self.t, "distance": "hierarchical"}


def _tree(overall: Reference, ancestors: Mapping[str, Path]) -> Tree:
    """Return the tree above some values."""
    # Nodes are paths from the root: labels may repeat in different branches.
    paths = [_path(overall.column, value, ancestors) for value in overall.values]
    heights: dict[Path, int] = {}
    for path in paths:
        for height in range(len(path)):
            node = path[: len(path) - height]
            heights[node] = max(heights.get(node, 0), height)
    if len({path[0] for path in paths}) > 1:
        raise TableError(f"the taxonomy of column {overall.column!r} has several roots")
    edges = [node for node in heights if len(node) > 1]
    number = {node: edge for edge, node in enumerate(edges)}
    above = [number[path[:end]] for path in paths for end in range(2, len(path) + 1)]
    return Tree(
        np.cumsum([0, *(len(path) - 1 for path in paths)]),
        np.array(above, np.int64),
        np.array([heights[node[:-1]] - heights[node] for node in edges], np.int64),
        max(*heights.values(), 1),
    )


def _path(column: str, value: str | None, ancestors: Mapping[str, Path]) -> Path:
    """Return the nodes from the root down to a value."""
    if value is None or not ancestors.get(value):
        raise TableError(
            f"value {value!r} of sensitive column {column!r} has no place in its "
            "taxonomy"
        )
    path = [node for node, _ in groupby([value, *ancestors[value]])]
    return tuple(reversed(path))
