"""The accuracy-constrained problem: the most privacy under a bound on each loss."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from instances import (
    GroupStats,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Table,
    TableError,
)
from instances.requirements.ratios import exact


@dataclass(frozen=True, eq=False)
class MaxPrivacyResult:
    """Groups within the bound, and how much privacy they have.

    Attributes
    ----------
    best
        The partition to publish.
    privacy
        Of the group that has least: size by rows of its most frequent sensitive
        value, the largest l that holds; without a sensitive column its size, k.
    largest_loss
        Of the group that loses most: the weighted mean NCP of its columns, 0 to 1.
    runtime
        Seconds.
    limit
        Why it stopped early, or None.
    stats
        Figures of the run.
    """

    best: Partition
    privacy: Fraction
    largest_loss: Fraction
    runtime: float
    limit: Limit | None = None
    stats: Mapping[str, float | int | str] = field(default_factory=dict)


def expect_group_losses(table: Table, objective: Objective) -> None:
    """Raise NotSupportedError for an objective that groups are not bounded by."""
    if objective.kind == "tuples":
        raise NotSupportedError("Expected the objective gcp or stars, got tuples.")
    objective.check(table)


def expect_accuracy_constrained(table: Table, objective: Objective) -> None:
    """Raise NotSupportedError for what the dual problem for l is not made for."""
    expect_group_losses(table, objective)
    if len(table.sensitive) != 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )


def unit_bound(table: Table, objective: Objective, share: float) -> int:
    """The most units that a row may pay, from a share of what it can pay at all.

    Raises
    ------
    TableError
        It is not from 0 to 1.
    """
    if not 0 <= share <= 1:
        raise TableError(f"Expected a largest loss from 0 to 1, got {share}.")
    return int(exact(share) * (objective.whole(table) // table.n))


def privacy_of(table: Table, partition: Partition) -> Fraction:
    """Of the group that has least: its size by rows of its most frequent value."""
    sizes = partition.sizes
    most = np.ones(partition.size, np.int64)
    if table.sensitive:
        counts = GroupStats.of(table, partition.groups).counts
        most = np.max([column.largest() for column in counts], axis=0)
    pairs = np.unique(np.stack([sizes, most]), axis=1).T.tolist()
    return min(Fraction(size, count) for size, count in pairs)


def losses_of(
    table: Table, partition: Partition, objective: Objective
) -> npt.NDArray[np.object_]:
    """What a row of each group pays, in units: whole numbers."""
    scales = objective.scales_of(table)
    low, high = scales.ranges(table, partition.groups, partition.size)
    extents = scales.extents(low, high)
    lost = np.zeros(partition.size, object)
    for j, unit in enumerate(objective.units(table)):
        lost += unit * extents[:, j].astype(object)
    return lost


def largest_loss(table: Table, partition: Partition, objective: Objective) -> int:
    """What a row of the group pays that loses most, in units."""
    return int(losses_of(table, partition, objective).max())
