"""The accuracy-constrained problem: the most privacy under a bound on each loss."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from starmin.instances import (
    GroupStats,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Table,
    TableError,
)
from starmin.instances.problem import expect_one_sensitive
from starmin.instances.requirements.group_stats import exact


@dataclass(frozen=True, eq=False)
class MaxPrivacyResult:
    """Groups within the bound, and how much privacy they have."""

    best: Partition  # the partition to publish
    # that of the group that has least: its size divided by the rows of its most
    # frequent sensitive value, which is the largest l that holds; without a sensitive
    # column its size, k
    privacy: Fraction
    # that of the group that loses most: the weighted mean NCP of its columns, from 0 to
    # 1
    largest_loss: Fraction
    runtime: float  # seconds
    limit: Limit | None = None  # why it stopped early, or None
    # figures of the run
    stats: Mapping[str, float | int | str] = field(default_factory=dict)


def carry_out(steps: Iterable[None], started: float, time_limit: float) -> Limit | None:
    """Take steps until all are done, and return why that ended early.

    Whatever ``steps``, which yields before each of them, holds between two can be
    published. None is begun from ``time_limit`` seconds after ``started``, by
    ``time.perf_counter``.

    Examples
    --------
    >>> carry_out(iter([None]), time.perf_counter(), 0.0)
    <Limit.TIME: 'time'>
    """
    try:
        for _ in steps:
            if time.perf_counter() - started > time_limit:
                return Limit.TIME
    except KeyboardInterrupt:
        return Limit.INTERRUPTED
    return None


def expect_group_losses(table: Table, objective: Objective) -> None:
    """Raise NotSupportedError for an objective that groups are not bounded by."""
    if objective.once:
        raise NotSupportedError("Expected the objective gcp or stars, got tuples.")
    objective.check(table)


def expect_accuracy_constrained(table: Table, objective: Objective) -> None:
    """Raise NotSupportedError for what the problem for l is not made for."""
    expect_group_losses(table, objective)
    expect_one_sensitive(table)


def unit_bound(table: Table, objective: Objective, share: float) -> int:
    """Return the most units that a row may pay; TableError if no share from 0 to 1."""
    if not 0 <= share <= 1:
        raise TableError(f"Expected a largest loss from 0 to 1, got {share}.")
    return int(exact(share) * (objective.whole(table) // table.n))


def privacy_of(table: Table, partition: Partition) -> Fraction:
    """Return the least privacy of a group: its size over rows of its top value."""
    sizes = partition.sizes
    most = np.ones(partition.size, np.int64)
    if table.sensitive:
        counts = GroupStats.of(table, partition.groups).counts
        most = np.max([column.largest() for column in counts], axis=0)
    pairs = np.unique(np.stack([sizes, most]), axis=1).T.tolist()
    return min(Fraction(size, count) for size, count in pairs)


def largest_loss(table: Table, partition: Partition, objective: Objective) -> int:
    """Return what a row of the group pays that loses most, in units."""
    scales = objective.scales_of(table)
    low, high = scales.ranges(table, partition.groups, partition.size)
    extents = scales.extents(low, high)
    lost = np.zeros(partition.size, object)  # whole numbers
    for j, unit in enumerate(objective.units(table)):
        lost += unit * extents[:, j].astype(object)
    return int(lost.max())
