"""A table as published by generalization: ranges, nodes of taxonomies, stars."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances.arrays import Bools
from starmin.instances.errors import TableError
from starmin.instances.releases.objective import Objective
from starmin.instances.releases.range_texts import RangeTexts
from starmin.instances.releases.release import GroupRelease, check_star
from starmin.instances.scales.numbers import DECIMAL
from starmin.instances.scales.scale import FlatScale
from starmin.instances.scales.scales import Scales
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.instances.tables.table import Table

RANGE = rf"\[({DECIMAL})-({DECIMAL})\]"


@dataclass(frozen=True, eq=False)
class GeneralizedRelease(GroupRelease):
    """A table published by generalization, cell by cell as precise as a group allows.

    Where the rows of a group agree their value is published as it is; else the range
    ``[least-greatest]`` in a column of numbers, its ends rounded outwards if the scale
    has a step, the lowest common ancestor in one with
    a taxonomy, and a star in any other, or where a number and a missing value meet.

    Parameters
    ----------
    table
        The original.
    partition
        The groups.
    scales
        What is known of the columns.
    star
        The symbol for a suppressed cell.

    Raises
    ------
    TableError
        A published cell could not be told from another one: see ``check_symbols``.

    Examples
    --------
    >>> from starmin.instances.releases.partitions.partition import Partition
    >>> rows = [["35", "a"], ["45", "b"], ["40", "b"]]
    >>> table = Table.from_rows(["age", "b"], rows, qi=["age", "b"])
    >>> scales = Scales.of(table, ["age"])
    >>> release = GeneralizedRelease(table, Partition(np.array([0, 0, 1])), scales)
    >>> release.published.rows()
    [('[35-45]', '*'), ('[35-45]', '*'), ('40', 'b')]
    >>> release.gcp, release.stars
    (0.6666666666666666, 2)
    """

    scales: Scales
    star: str = "*"

    def __post_init__(self) -> None:
        self.scales.check(self.table)
        check_symbols(self.table, self.scales, self.star)
        super().__post_init__()

    @property
    def gcp(self) -> float:
        objective = Objective("gcp", scales=self.scales)
        value = self.partition.value(self.table, objective)
        return value / objective.whole(self.table)

    @cached_property
    def starred(self) -> Bools:
        return self._texts.starred(self.star)

    @cached_property
    def published(self) -> Table:
        return self._texts.published(self.table, self.partition.groups)

    @cached_property
    def _texts(self) -> RangeTexts:
        """What the groups publish."""
        low, high = self.partition.ranges(self.table, self.scales)
        return RangeTexts.of(self.table, self.scales, low, high, self.star)


def check_symbols(table: Table, scales: Scales, star: str) -> None:
    """Raise TableError where a published cell would have two meanings.

    A QI cell that is the star, a node below the root that is, or a cell written like a
    range in a column that is not numeric.
    """
    check_star(table, star)
    for column, scale in zip(table.qi, scales.scales, strict=True):
        if isinstance(scale, TaxonomyScale):
            tree = scale.taxonomy
            if (
                star in tree.labels
                and tree.counts[tree.labels.index(star)] < scale.size
            ):
                raise TableError(
                    f"{tree.name}: node {star!r} is the star symbol; rename it, or "
                    "choose another star (--star)"
                )
        if not isinstance(scale, FlatScale):
            continue
        for code, text in enumerate(table.dictionary(column)):
            if re.fullmatch(RANGE, text or ""):
                rows = np.flatnonzero(table.column(column) == code)
                if len(rows):
                    raise TableError(
                        f"{table.name}: row {rows[0] + 1}, column {column!r} holds a "
                        f"range, {text!r}; a generalized release could not be read"
                    )
