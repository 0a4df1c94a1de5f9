"""Releases of a table: what all share, and the first way to do so, suppression."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Bools, Int32s, IntArray
from starmin.instances.errors import TableError
from starmin.instances.releases.objective import Objective
from starmin.instances.releases.partial_partition import PartialPartition
from starmin.instances.releases.partition import Partition
from starmin.instances.scales.numbers import DECIMAL
from starmin.instances.scales.scale import FlatScale
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.dictionaries import coded
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.random_orders import secret_order
from starmin.instances.tables.table import Table


class ReleasedTable(ABC):
    """A release of one table."""

    table: Table  # the original

    @property
    @abstractmethod
    def published(self) -> Table:
        """The released table, rows in order."""

    @property
    @abstractmethod
    def stars(self) -> int:
        """Number of suppressed cells, which show nothing."""

    @property
    def gcp(self) -> float:
        """The global certainty penalty of what is published, from 0 to 1."""
        return self.stars / (self.table.n * self.table.d)

    def tables(self, order: IntArray | None = None) -> dict[str, Table]:
        """Return the files to write by the suffix of the name; rows in this order."""
        published = self.published
        return {"": published if order is None else published.take(order)}


@dataclass(frozen=True, eq=False)
class GroupRelease(ReleasedTable):
    """A table published such that the rows of a group cannot be told apart."""

    table: Table  # the original
    partition: Partition

    def __post_init__(self) -> None:
        expect_kind("table", self.table, Table)
        expect_kind("partition", self.partition, Partition)
        if (rows := int(self.partition.sizes.sum())) != self.table.n:
            raise ValueError(
                f"Expected a group for each of {self.table.n} rows, got {rows}."
            )

    @property
    @abstractmethod
    def starred(self) -> Bools:
        """Groups x d: which QI columns are stars in which groups."""

    @property
    def groups(self) -> IntArray:
        """For each row its group."""
        return self.partition.groups

    @property
    def stars(self) -> int:
        return int(self.partition.sizes @ self.starred.sum(axis=1))

    @property
    def suppressed_tuples(self) -> int:
        """Number of rows with a suppressed cell."""
        return int(self.partition.sizes @ self.starred.any(axis=1))


@dataclass(frozen=True, eq=False)
class Release(GroupRelease):
    """A table published by suppression: stars where the rows of a group differ.

    Raises TableError: a QI cell of the original ``table`` is the star symbol already.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> Release(table, Partition.single(table)).published.rows()
    [('*', 'x'), ('*', 'x')]
    """

    star: str = "*"

    def __post_init__(self) -> None:
        check_star(self.table, self.star)
        super().__post_init__()

    @cached_property
    def starred(self) -> Bools:
        """Groups x d: which QI columns are stars in which groups."""
        return self.partition.starred(self.table)

    @cached_property
    def published(self) -> Table:
        """The released table: stars in QI cells, all other cells as they were."""
        by_column = zip(self.table.qi, self.starred.T, strict=True)
        where = {column: rows[self.groups] for column, rows in by_column}
        return self.table.starred(self.star, where)


def check_star(table: Table, star: str) -> None:
    """Raise TableError where a QI cell equals the star symbol."""
    for column in table.qi:
        if star in table.dictionary(column) and star in table.text_counts(column):
            raise TableError(
                f"{table.where(column, star)} holds the star symbol {star!r}; choose "
                "another one (--star)"
            )


def deleted_rows(best: object) -> int:
    """Return how many rows of a table are deleted by what was found of it."""
    return best.deleted if isinstance(best, PartialPartition) else 0


def kept_of(table: Table, best: Any) -> tuple[Table, Any]:
    """Return the rows that are kept of a table, and what was found of these.

    ``table`` is the original, and ``best`` what a method found.
    """
    if not isinstance(best, PartialPartition):
        return table, best
    return table.take(best.kept), best.of_kept


# What is published for ranges of positions: texts, stars and the released table.


@dataclass(frozen=True, eq=False)
class RangeTexts:
    """The texts that some groups, or rows, publish for their ranges."""

    # for each QI column texts, and which of them each group gets
    columns: list[tuple[list[str | None], Int32s]]

    @classmethod
    def of(
        cls, table: Table, scales: Scales, low: Int32s, high: Int32s, star: str
    ) -> "RangeTexts":
        """Find the texts of ranges.

        ``low`` and ``high``, groups x columns, are the least and the greatest position
        of each group; ``scales`` has one for each QI column, and ``star`` is the text
        of a suppressed cell.
        """
        found = []
        for j, (column, scale) in enumerate(zip(table.qi, scales.scales, strict=True)):
            pairs = group_by([low[:, j], high[:, j]])
            values = table.dictionary(column)
            least, greatest = low[pairs.first, j], high[pairs.first, j]
            texts = scale.texts(values, least, greatest, star)
            found.append((texts, pairs.inverse))
        return cls(found)

    def starred(self, star: str) -> Bools:
        """Return which columns of which groups are stars."""
        starred = [
            np.array([text == star for text in texts], bool)[text_of]
            for texts, text_of in self.columns
        ]
        return np.stack(starred, axis=1)

    def published(self, table: Table, group: IntArray) -> Table:
        """Publish a table; all cells but those of QI columns are as they were.

        ``table`` is the original, and ``group`` tells the group of each row.
        """
        columns = {}
        for column, (texts, text_of) in zip(table.qi, self.columns, strict=True):
            code_of, different = coded(texts)
            columns[column] = code_of[text_of][group], different
        return table.recoded(columns)


# A table as published by generalization: ranges, nodes of taxonomies, stars.

RANGE = rf"\[({DECIMAL})-({DECIMAL})\]"


@dataclass(frozen=True, eq=False)
class GeneralizedRelease(GroupRelease):
    """A table published by generalization, cell by cell as precise as a group allows.

    Where the rows of a group agree their value is published as it is; else the range
    ``[least-greatest]`` in a column of numbers, its ends rounded outwards if the scale
    has a step, the lowest common ancestor in one with a taxonomy, and a star in any
    other, or where a number and a missing value meet. ``table`` is the original, and
    ``scales`` say what is known of its columns. Raises TableError: a published cell
    could not be told from another one: see ``check_symbols``.

    Examples
    --------
    >>> from starmin.instances.releases.partition import Partition
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
        check_symbols(self.table, self.scales, self.star)
        super().__post_init__()

    @property
    def gcp(self) -> float:
        return mean_loss(self.table, self.partition, self.scales)

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


def mean_loss(table: Table, best: Any, scales: Scales) -> float:
    """Return the mean loss of a QI cell, of a partition or of stars by row."""
    objective = Objective("gcp", scales=scales)
    loss: float = best.value(table, objective) / objective.whole(table)
    return loss


def check_symbols(table: Table, scales: Scales, star: str) -> None:
    """Raise TableError where a published cell would have two meanings.

    A QI cell that is the star, a node below the root that is, or a cell written like a
    range in a column that is not numeric. Raises ValueError where the scales are those
    of another table.
    """
    scales.check(table)
    check_star(table, star)
    for column, scale in scales.items:
        if (
            (tree := scale.layout.tree) is not None
            and star in tree.labels
            and tree.counts[tree.labels.index(star)] < scale.size
        ):
            raise TableError(
                f"{tree.name}: node {star!r} is the star symbol; rename it, or "
                "choose another star (--star)"
            )
        if not isinstance(scale, FlatScale):
            continue
        ranges = [t for t in table.dictionary(column) if re.fullmatch(RANGE, t or "")]
        occurring = table.text_counts(column) if ranges else {}
        if text := next((text for text in ranges if text in occurring), None):
            raise TableError(
                f"{table.where(column, text)} holds a range, {text!r}; a generalized "
                "release could not be read"
            )


# A table as published by permutation: who is in which group, and what a group has.

GROUP, COUNT = "group", "count"
SENSITIVE_SUFFIX = ".sa.csv"


@dataclass(frozen=True, eq=False)
class PermutedRelease(GroupRelease):
    """A table published as two: the QI columns, and the sensitive ones, by group.

    Quasi-identifiers stay as they are; which of the sensitive values of its group a row
    has is not said. The values of a group come in random order, with their counts.
    Several sensitive columns are published together, combination by combination. Raises
    TableError: no sensitive column, or a column with a name that is needed.

    Parameters
    ----------
    table, partition
        The original, whose columns that are neither QI nor sensitive are not published,
        and its groups.
    seed
        Of the order of the sensitive values; for tests alone. Default: the system's
        generator for secrets, so that nobody can draw the order again.

    References
    ----------
    X. Xiao, Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.

    Examples
    --------
    >>> rows = [["1", "x"], ["2", "y"], ["3", "x"]]
    >>> table = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"])
    >>> release = PermutedRelease(table, Partition.single(table))
    >>> release.published.rows()
    [('1', '1'), ('2', '1'), ('3', '1')]
    >>> sorted(release.tables()[".sa.csv"].rows())
    [('1', 'x', '2'), ('1', 'y', '1')]
    """

    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_columns(self.table)

    @property
    def starred(self) -> Bools:
        return np.zeros((self.partition.size, self.table.d), bool)

    @property
    def gcp(self) -> float:
        """0: no quasi-identifier is touched."""
        return 0.0

    @cached_property
    def published(self) -> Table:
        return self.tables()[""]

    def tables(self, order: IntArray | None = None) -> dict[str, Table]:
        table = self.table if order is None else self.table.take(order)
        groups = self.partition.groups
        # Numbered as they are published, so that numbers tell nothing of another order.
        partition = Partition(groups if order is None else groups[order])
        numbered = partition.by_first_rows()
        return {
            "": _public_table(table, numbered),
            SENSITIVE_SUFFIX: _sensitive_table(table, numbered, self.seed),
        }


def check_columns(table: Table) -> None:
    """Raise TableError where a table cannot be published by permutation."""
    if not table.sensitive:
        raise TableError(
            f"{table.name}: --recoding permutation needs a sensitive column; name it "
            "by --sensitive"
        )
    for column in (*table.qi, *table.sensitive):
        if column in (GROUP, COUNT):
            raise TableError(
                f"{table.name}: column {column!r} has a name that --recoding "
                "permutation needs; rename it"
            )


def _public_table(table: Table, partition: Partition) -> Table:
    labels = tuple(str(group + 1) for group in range(partition.size))
    return Table(
        (*table.qi, GROUP),
        np.vstack([table.codes[table.positions(table.qi)], partition.groups]),
        (*(table.dictionary(column) for column in table.qi), labels),
        (*table.qi, GROUP),
        name=table.name,
    )


def _sensitive_table(table: Table, partition: Partition, seed: int | None) -> Table:
    """Write how many rows of each group have each combination of values."""
    columns = [table.column(column) for column in table.sensitive]
    texts = [table.dictionary(column) for column in table.sensitive]
    found = group_by([partition.groups, *columns])
    order = secret_order(found.size, seed)
    order = order[np.argsort(partition.groups[found.first[order]], kind="stable")]
    rows, counts = found.first[order], found.counts[order]
    numbers, count_codes = np.unique(counts, return_inverse=True)
    return Table(
        (GROUP, *table.sensitive, COUNT),
        np.vstack(
            [partition.groups[rows], *(c[rows] for c in columns), count_codes]
        ).astype(np.int32),
        (
            tuple(str(group + 1) for group in range(partition.size)),
            *texts,
            tuple(map(str, numbers.tolist())),
        ),
        (GROUP,),
        table.sensitive,
        name=table.name,
    )
