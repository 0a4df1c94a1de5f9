"""t-closeness with the hierarchical distance between sensitive values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from instances.errors import TableError
from instances.group_stats import GroupStats
from instances.grouping import BoolArray
from instances.ratios import exact, floor_times
from instances.requirement import Requirement, every, sensitive_counts
from instances.sensitive import SensitiveCounts
from instances.table import Table

_DENSE = 2**22  # cells of a dense block of groups x values


@dataclass(frozen=True)
class Taxonomy:
    """One sensitive column's values as the leaves of a tree, in the terms of a table.

    Attributes
    ----------
    overall
        How often each code occurs in the table.
    lengths, below
        For each node but the root the length of the edge above it (how much higher
        its parent stands) and the codes of the leaves below it.
    height
        Of the root.
    """

    overall: tuple[int, ...]
    lengths: tuple[int, ...]
    below: tuple[tuple[int, ...], ...]
    height: int


@dataclass(frozen=True)
class HierarchicalCloseness(Requirement):
    r"""The sensitive values of every group are distributed nearly as in the table.

    Values are the leaves of a taxonomy of height H; two of them are as far apart as
    the lowest node above both is high, divided by H. The distance between the
    distributions ``p`` of a group and ``q`` of the table is the earth mover's, and is
    at most ``t``.

    Earth that moves between two leaves below a node of height h goes up and down
    edges of total length 2 h, if an edge is as long as its parent is higher than its
    child. Along a tree the flow through every edge is given by what lies below it, so

    .. math:: D = \frac{1}{2 H} \sum_e \text{length}(e) \;
              \Bigl| \sum_{v \text{ below } e} (p_v - q_v) \Bigr|

    Make it by :meth:`of`. Monotone, as ``TCloseness`` is: the distance is convex.

    Notes
    -----
    Compared in integers, multiplied by the group's size and the table's.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and
    l-diversity, ICDE 2007, section 4.2.

    See Also
    --------
    instances.closeness.TCloseness : with the equal and the ordered distance.

    Examples
    --------
    >>> table = Table.from_rows(["a", "ill"], [["0", "flu"], ["0", "cold"],
    ...     ["1", "gout"], ["1", "flu"]], qi=["a"], sensitive=["ill"])
    >>> tree = {"flu": ["lungs", "any"], "cold": ["lungs", "any"],
    ...         "gout": ["joints", "any"]}
    >>> stats = GroupStats.of(table, np.array([0, 0, 0, 1]))
    >>> closeness = HierarchicalCloseness.of(table, 0.25, {"ill": tree})
    >>> closeness.distances(stats).tolist(), closeness.holds(stats).tolist()
    ([0.125, 0.375], [True, False])
    """

    t: float
    taxonomies: tuple[Taxonomy, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.t <= 1:
            raise ValueError(f"Expected 0 <= t <= 1, got t = {self.t}.")

    @classmethod
    def of(
        cls,
        table: Table,
        t: float,
        ancestors: Mapping[str, Mapping[str, Sequence[str]]],
    ) -> "HierarchicalCloseness":
        """t-closeness to the sensitive columns of ``table`` as they are.

        Parameters
        ----------
        ancestors
            For each sensitive column and each of its values the nodes above it, its
            parent first, the root last. A node that is named twice in a row (as in
            tables of levels) counts once.

        Raises
        ------
        TableError
            No sensitive column, or a value without its place in one tree.
        """
        if not table.sensitive:
            raise TableError(f"{table.name}: t-closeness needs a sensitive column")
        return cls(
            t,
            tuple(_taxonomy(table, c, ancestors.get(c, {})) for c in table.sensitive),
        )

    def holds(self, stats: GroupStats) -> BoolArray:
        fits = []
        for at, column in enumerate(sensitive_counts(stats)):
            numerator, denominator = self._distances(at, column)
            fits.append(numerator <= floor_times(exact(self.t), denominator))
        return every(fits)

    def distances(self, stats: GroupStats) -> npt.NDArray[np.float64]:
        """The largest distance of each group to the table, of all sensitive columns."""
        largest = np.zeros(len(stats.sizes))
        for at, column in enumerate(sensitive_counts(stats)):
            numerator, denominator = self._distances(at, column)
            np.maximum(largest, numerator / denominator, out=largest)
        return largest

    def why_not(self, group: int, stats: GroupStats) -> str:
        return (
            f"hierarchical distance {self.distances(stats)[group]:.4f} of its "
            f"sensitive values to the table's, more than t = {self.t}"
        )

    def as_json(self) -> dict[str, Any]:
        return {"t": self.t, "distance": "hierarchical"}

    def _distances(
        self, at: int, column: SensitiveCounts
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The distance of each group in column number ``at``, as a fraction."""
        if len(self.taxonomies) <= at:
            raise ValueError("Expected the table that t-closeness was made of.")
        tree = self.taxonomies[at]
        m = len(tree.overall)
        if m != len(column.labels):
            raise ValueError("Expected the table that t-closeness was made of.")
        members = np.zeros((m, len(tree.below)), np.int64)
        for edge, codes in enumerate(tree.below):
            members[list(codes), edge] = 1
        overall, lengths = np.array(tree.overall), np.array(tree.lengths, np.int64)
        total, expected = int(overall.sum()), overall @ members
        moved = np.empty(len(column.sizes), np.int64)
        starts = np.append(column.starts, len(column.count))
        step = max(1, _DENSE // max(m, len(lengths)))
        for low in range(0, len(moved), step):
            high = min(low + step, len(moved))
            entries = slice(starts[low], starts[high])
            dense = np.zeros((high - low, m), np.int64)
            dense[column.group[entries] - low, column.value[entries]] = column.count[
                entries
            ]
            surplus = dense @ members * total - column.sizes[low:high, None] * expected
            moved[low:high] = abs(surplus) @ lengths
        return moved, 2 * max(tree.height, 1) * total * column.sizes


def _taxonomy(
    table: Table, column: str, ancestors: Mapping[str, Sequence[str]]
) -> Taxonomy:
    overall = np.bincount(table.column(column), minlength=len(table.dictionary(column)))
    # Nodes are paths from the root: labels may repeat in different branches.
    below: dict[tuple[str, ...], list[int]] = {}
    heights: dict[tuple[str, ...], int] = {}
    for code in np.flatnonzero(overall):
        label = table.dictionary(column)[code]
        if label is None or not ancestors.get(label):
            raise TableError(
                f"{table.name}: value {label!r} of sensitive column {column!r} has no "
                "place in its taxonomy"
            )
        path = [label]
        for node in ancestors[label]:
            if node != path[-1]:
                path.append(node)
        for height in range(len(path)):
            node_path = tuple(reversed(path[height:]))
            below.setdefault(node_path, []).append(int(code))
            heights[node_path] = max(heights.get(node_path, 0), height)
    if len({path[0] for path in below}) > 1:
        raise TableError(
            f"{table.name}: the taxonomy of column {column!r} has several roots"
        )
    edges = [path for path in below if len(path) > 1]
    return Taxonomy(
        tuple(overall.tolist()),
        tuple(heights[path[:-1]] - heights[path] for path in edges),
        tuple(tuple(below[path]) for path in edges),
        max(heights.values()),
    )
