"""A table as published by generalization: ranges, nodes of taxonomies, stars."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from instances.errors import TableError
from instances.releases.objective import Objective
from instances.releases.release import GroupRelease, check_star
from instances.scales.scale import NUMBER, FlatScale, NumericScale, Scale, TaxonomyScale
from instances.scales.scales import Scales
from instances.tables.grouping import BoolArray, group_by
from instances.tables.table import Table

RANGE = rf"\[({NUMBER})-({NUMBER})\]"


@dataclass(frozen=True, eq=False)
class GeneralizedRelease(GroupRelease):
    """A table published by generalization, cell by cell as precise as a group allows.

    Where the rows of a group agree their value is published as it is; else the range
    ``[least-greatest]`` in a column of numbers, the lowest common ancestor in one with
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
    >>> from instances.releases.partition import Partition
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
    def starred(self) -> BoolArray:
        starred = [
            np.array([text == self.star for text in texts], bool)[text_of]
            for texts, text_of in self._texts
        ]
        return np.stack(starred, axis=1)

    @cached_property
    def published(self) -> Table:
        codes = self.table.codes.copy()
        dictionaries = list(self.table.dictionaries)
        for column, (texts, text_of) in zip(self.table.qi, self._texts, strict=True):
            at = self.table.names.index(column)
            index: dict[str | None, int] = {}
            code_of = [index.setdefault(text, len(index)) for text in texts]
            group_codes = np.array(code_of, np.int32)[text_of]
            codes[at] = group_codes[self.partition.groups]
            dictionaries[at] = tuple(index)
        return replace(self.table, codes=codes, dictionaries=tuple(dictionaries))

    @cached_property
    def _texts(self) -> list[tuple[list[str | None], npt.NDArray[np.int32]]]:
        """For each QI column texts, and which of them each group gets."""
        partition, found = self.partition, []
        low, high = self.scales.ranges(self.table, partition.groups, partition.size)
        for j, (column, scale) in enumerate(
            zip(self.table.qi, self.scales.scales, strict=True)
        ):
            pairs = group_by([low[:, j], high[:, j]], [scale.size, scale.size])
            values = self.table.dictionary(column)
            least, greatest = low[pairs.first, j], high[pairs.first, j]
            texts = published_texts(scale, values, least, greatest, self.star)
            found.append((texts, pairs.inverse))
        return found


def published_texts(
    scale: Scale,
    values: tuple[str | None, ...],
    low: npt.NDArray[np.int32],
    high: npt.NDArray[np.int32],
    star: str,
) -> list[str | None]:
    """What is published for each range of positions of a column."""
    ends = [
        (values[a], values[b])
        for a, b in zip(scale.codes[low], scale.codes[high], strict=True)
    ]
    if isinstance(scale, NumericScale):
        mixed = (low < len(scale.missing)) & (low != high)
        return [
            star if apart else a if a == b else f"[{a}-{b}]"
            for (a, b), apart in zip(ends, mixed, strict=True)
        ]
    if isinstance(scale, TaxonomyScale):
        nodes = scale.taxonomy.lowest_above(low, high).tolist()
        labels = scale.taxonomy.labels
        return [
            a if single else labels[node]
            for (a, _), node, single in zip(ends, nodes, low == high, strict=True)
        ]
    return [a if same else star for (a, _), same in zip(ends, low == high, strict=True)]


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
