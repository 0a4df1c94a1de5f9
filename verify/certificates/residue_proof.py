"""The residue bound on suppressed tuples, recomputed from the table alone."""

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, Table, group_by
from starmin.instances.arrays import Int32s, Ints


def residue_bound(table: Table, k: int, l: int, objective: Objective) -> int:
    r"""Compute a number of suppressed tuples that no valid release goes below.

    The idea: rows without a star share a group with rows of their own type only. Of
    each type count the rows that cannot stay so; all rows that do not stay form,
    together, a valid group.

    .. math::

        h_q = \max \{ h : \textstyle\sum_v \min(c_{qv}, h) \ge l h \}, \qquad
        |R^*| \ge \max(|R|,\ l \max_v R_v,\ k) \text{ if } |R| > 0,

    where :math:`c_{qv}` rows of type q have the sensitive value v, and R holds
    :math:`R_{qv} = \max(0, c_{qv} - h_q)` of them, or all rows of a type of which
    fewer than k can stay.

    Why it is right. The rows of type q without a star are none or, groups with equal
    rows being mergeable, one valid group; let its most frequent value have h rows.
    Then at least ``l h`` rows stay, of each value at most h, so h is in the set above.
    :math:`\sum_v \min(c_{qv}, h) - l h` is concave in h and 0 at h = 0: it is >= 0
    just up to :math:`h_q`, so of value v at most :math:`\min(c_{qv}, h_q)` rows stay,
    and none if these are fewer than k rows. Hence the suppressed rows :math:`R^*`
    contain :math:`R_{qv}` rows of each type and value. They are a union of valid
    groups, hence at least k and l-eligible: at least l times as many as there are of
    any value.

    With several sensitive columns each bounds the rows of a type that stay, and what
    stays is at most the least of these bounds. Rows that differ on a column that must
    be kept never share a group, so the bounds of such classes add up.

    Equal values of the table are merged; it has a sensitive column if ``l > 1``. ``k``
    and ``l`` are 1 where the requirement asks for none, and at most n. Of the objective
    its kept columns count.

    Notes
    -----
    One sort of the n rows for each sensitive column, log n passes over the pairs of
    type and value. Integers only.

    References
    ----------
    Xiao, Yi, Tao (2010), section 5: :math:`R` is what phase 1 of TP removes, and
    :math:`\max(|R|, l h(R))` its lower bound.
    """
    types = table.row_types
    columns = [_Column(table, name, l) for name in table.sensitive] if l > 1 else []
    unsuppressed = types.counts.copy()
    for column in columns:
        unsuppressed = np.minimum(unsuppressed, column.unsuppressed)
    unsuppressed[unsuppressed < k] = 0
    classes, size = _classes(table, objective)
    bounds = _sum(classes, types.counts - unsuppressed, size)
    residue = bounds > 0
    bounds[residue] = np.maximum(bounds[residue], k)
    for column in columns:
        heights = np.where(unsuppressed > 0, column.heights, 0)
        bounds = np.maximum(bounds, l * column.highest(heights, classes, size))
    return int(bounds.sum())


class _Column:
    """One sensitive column: its values by row type, and how many can be left."""

    def __init__(self, table: Table, name: str, l: int) -> None:
        types = table.row_types
        values = table.column(name)
        self.distinct = len(table.dictionary(name))
        pairs = group_by([types.inverse, values], [len(types), self.distinct])
        self.type = types.inverse[pairs.first]
        self.value = values[pairs.first]
        self.count = pairs.counts
        self.heights = self._find_heights(types.counts, l)
        self.unsuppressed = self._limited(self.heights)

    def _limited(self, heights: Ints) -> Ints:
        """Count the rows of each type, at most ``heights`` of each value."""
        most = np.minimum(self.count, heights[self.type])
        return _sum(self.type, most, len(heights))

    def _find_heights(self, sizes: Ints, l: int) -> Ints:
        """Find h of each type by bisection."""
        low, high = np.zeros_like(sizes), sizes // l + 1
        while (high - low > 1).any():
            middle = (low + high) // 2
            fits = self._limited(middle) >= l * middle
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        return low

    def highest(self, heights: Ints, classes: Int32s, size: int) -> Ints:
        """Return for each class the most suppressed rows of one value."""
        suppressed = np.maximum(self.count - heights[self.type], 0)
        class_ = classes[self.type]
        pairs = group_by([class_, self.value], [size, self.distinct])
        highest = np.zeros(size, np.int64)
        sums = _sum(pairs.inverse, suppressed, pairs.size)
        np.maximum.at(highest, class_[pairs.first], sums)
        return highest


def _classes(table: Table, objective: Objective) -> tuple[Int32s, int]:
    """Return the class of each row type, by its kept columns, and their number."""
    types = table.row_types
    kept = np.flatnonzero(objective.kept(table))
    if len(kept) == 0:
        return np.zeros(len(types), np.int32), 1
    classes = group_by(
        [types.codes[:, j] for j in kept], [table.qi_cardinalities[j] for j in kept]
    )
    return classes.inverse, classes.size


def _sum(index: npt.NDArray[np.integer], numbers: Ints, size: int) -> Ints:
    """Add up ``numbers`` by index; ``bincount`` would do so in floats."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, index, numbers)
    return sums
