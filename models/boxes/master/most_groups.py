r"""How many groups there can be in a set of rows, by its size and its values.

Let each group have K rows or more, and D different sensitive values or more. For N
groups inside a set of rows, of which :math:`n_v` have the value v,

.. math::
    KN \le \sum_v n_v, \qquad
    r_j N \le \sum_{v \text{ not among the } j \text{ most frequent}} n_v
    \quad \text{for } 0 \le j < D,

if each group has :math:`r_j` rows or more whose value is none of any j ones: D - j, or,
with diversity by frequency, more (``GroupRule.rows_beyond``).
"""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.models.boxes.walk.box_data import BoxData
from starmin.models.boxes.walk.group_rule import GroupRule


def most_groups(data: BoxData, inside: Bools, least: int) -> int:
    """Return how many groups, or piles, of so many rows a set of types has at most."""
    rows = int(data.counts[inside].sum())
    most = rows // least
    if data.values > 1:
        held = np.bincount(data.value[inside], data.counts[inside])
        frequent = np.sort(held)[::-1].astype(int).tolist()
        for j, needed in enumerate(needed_beyond(data, least)):
            most = min(most, (rows - sum(frequent[:j])) // needed)
    return most


def needed_beyond(data: BoxData, least: int) -> list[int]:
    """Return how many rows of a group, or pile, have none of j values, by j."""
    rule = GroupRule(data.kind, data.least, data.most, data.share, data.values)
    return [rule.rows_beyond(j, least) for j in range(data.values)]


def most_in_each(data: BoxData, sets: Bools) -> Ints:
    """Return how many groups there are at most inside each of some sets of types."""
    if data.values < 2:
        return np.asarray(sets @ data.counts // data.least, np.int64)
    return np.array([most_groups(data, one, data.least) for one in sets], np.int64)
