"""A table published with stars of its own in each row."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import chain as joined
from typing import ClassVar

import numpy as np

from starmin.instances.arrays import Bools, Int32s, IntArray
from starmin.instances.releases.mask import Mask, RowStars
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.release import (
    RangeTexts,
    ReleasedTable,
    check_star,
    check_symbols,
    mean_loss,
)
from starmin.instances.requirements.k_anonymity import KAnonymity
from starmin.instances.requirements.requirement import (
    Requirement,
    expect_parts,
    least_size,
)
from starmin.instances.scales.chains import chains_of
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.dictionaries import coded
from starmin.instances.tables.table import Table

# A table published with nodes of its own in each row, as rules ask for them.


class RowwiseRelease(ReleasedTable):
    """A release with stars of its own in each row."""

    groups: ClassVar[None] = None  # there are none

    @property
    @abstractmethod
    def shown(self) -> RowStars:
        """Which cells are stars."""

    @property
    def stars(self) -> int:
        return self.shown.stars

    @property
    def suppressed_tuples(self) -> int:
        """Number of rows with a suppressed cell."""
        return self.shown.suppressed_tuples


@dataclass(frozen=True, eq=False)
class NodeRelease(RowwiseRelease):
    """A table in which each cell is a value, a node above it, or a star.

    Raises TableError where a published cell could not be told from another one.

    >>> from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
    >>> table = Table.from_rows(["a"], [["cat"], ["dog"], ["rat"]], qi=["a"])
    >>> scales = Scales.of(table, (), {"a": Taxonomy.parse("{pet{cat,dog},rat}")})
    >>> levels = np.array([[0], [1], [2]])
    >>> mask = Mask.of_levels(table, levels, chains_of(scales))
    >>> NodeRelease(table, mask, scales).published.rows()
    [('cat',), ('pet',), ('*',)]
    """

    table: Table  # the original
    mask: Mask  # at which level each cell is published
    scales: Scales  # what is known of the columns
    star: str = "*"  # the symbol for a suppressed cell

    def __post_init__(self) -> None:
        check_symbols(self.table, self.scales, self.star)

    @property
    def shown(self) -> RowStars:
        return self.mask

    @property
    def gcp(self) -> float:
        """The mean loss of a QI cell."""
        return mean_loss(self.table, self.mask, self.scales)

    @cached_property
    def published(self) -> Table:
        """The released table; all cells but those of QI columns as they were."""
        table, columns = self.table, {}
        levels = self.mask.levels_on(chains := chains_of(self.scales))
        for column, chain, level in zip(table.qi, chains, levels.T, strict=True):
            values = table.dictionary(column)
            by_level = (chain.texts(values, i, self.star) for i in range(chain.levels))
            number, texts = coded(joined.from_iterable(by_level))
            of_level = number.reshape(chain.levels, len(values))
            columns[column] = of_level[level, table.column(column)], texts
        return table.recoded(columns)


# A non-homogeneous release: stars chosen row by row, and matchings that justify it.


@dataclass(frozen=True, eq=False)
class NonHomogeneous(RowStars):
    """Stars for each row of its own, and k matchings of originals to released rows.

    A released row may stem from an original if its cells without a star agree with it.
    The release is k-anonymous if and only if the originals can be matched to the
    released rows, each to exactly one, in k ways that share no pair (Murakami and Uno
    2018, Definition 1). Row j is released as a generalization of original j. Raises
    ValueError where the shapes do not fit each other.

    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> release = NonHomogeneous.from_matchings(
    ...     table, np.array([[0, 1, 2], [1, 2, 0]], np.int32))
    >>> release.starred.astype(int).tolist(), release.value(table)
    ([[1, 1], [1, 0], [0, 1]], 4)
    >>> release.violation(table, KAnonymity(3))
    '2 matchings, fewer than k = 3'
    """

    starred: Bools  # n x d: which QI cells are stars
    # k x n, or None where not known: row i of matching m is the released row that
    # original i is matched to
    matchings: Int32s | None = None

    def __post_init__(self) -> None:
        matchings = self.matchings
        if self.starred.ndim != 2 or (
            matchings is not None
            and (matchings.ndim != 2 or matchings.shape[1] != len(self.starred))
        ):
            shape = None if matchings is None else matchings.shape
            raise ValueError(
                "Expected stars n x d and matchings k x n, "
                f"got {self.starred.shape} and {shape}."
            )

    @classmethod
    def from_matchings(cls, table: Table, matchings: Int32s) -> "NonHomogeneous":
        """Set the fewest stars that the matchings allow.

        Row j is starred where it differs from an original that is matched to it. Raises
        ValueError where a matching is not a permutation of the rows.
        """
        for m, matching in enumerate(matchings):
            if why := not_permutation(matching, table.n):
                raise ValueError(f"Expected permutations, but matching {m} {why}.")
        starred = np.zeros((table.n, table.d), bool)
        for a, column in enumerate(table.qi):
            codes = table.column(column)
            differs = np.zeros(table.n, bool)
            for matching in matchings:
                # A permutation names every row once, so no write is lost.
                differs[matching] |= codes != codes[matching]
            starred[:, a] = differs
        return cls(starred, matchings)

    @classmethod
    def coarsest(cls, table: Table, k: int, keep: IntArray) -> "NonHomogeneous":
        """Make rings of k neighbours within each class: feasible if anything is.

        ``keep`` tells for each row its class; rows of different classes are never
        matched.
        """
        order = np.argsort(keep, kind="stable")
        classes = keep[order]
        first = np.flatnonzero(np.diff(classes, prepend=classes[0] - 1))
        sizes = np.diff(np.append(first, table.n))
        starts, size = np.repeat(first, sizes), np.repeat(sizes, sizes)
        place = np.arange(table.n) - starts
        matchings = np.empty((k, table.n), np.int32)
        for m in range(k):
            matchings[m, order] = order[starts + (place + m) % size]
        return cls.from_matchings(table, matchings)

    def _lost(self, table: Table, objective: Objective) -> int:
        # A cell is published as the range or node of the originals that are matched to
        # its row (Murakami and Uno 2018, section 3.2.4).
        low, high = self.ranges(table, objective.scales_of(table))
        return objective.range_costs(table, np.ones(self.n, np.int64), low, high)

    def ranges(self, table: Table, scales: Scales) -> tuple[Int32s, Int32s]:
        """Find the range of positions, n x d, of what is matched to each row.

        Raises ValueError where the matchings are not known.
        """
        if self.matchings is None:
            raise ValueError("Expected matchings, which ranges are made from.")
        own = scales.row_positions(table)
        low, high = own.copy(), own.copy()
        for matching in self.matchings:
            low[matching] = np.minimum(low[matching], own)
            high[matching] = np.maximum(high[matching], own)
        return low, high

    def violation(
        self, table: Table, requirement: Requirement, objective: Objective = STARS
    ) -> str | None:
        """Say why its matchings do not show that it may be published, or return None.

        Takes O(k n (k + d)). A release without matchings is judged by
        ``starmin.verify.nonhomogeneous``, which looks for some. Raises
        NotSupportedError for a requirement other than k-anonymity.
        """
        expect_parts(requirement, KAnonymity)
        if self.starred.shape != (table.n, table.d):
            return f"its stars are {self.starred.shape}, not {(table.n, table.d)}"
        if self.starred[:, objective.kept(table)].any():
            return "it stars a column that is to be kept"
        if self.matchings is None:
            return "it carries no matchings"
        if len(self.matchings) < (k := least_size(requirement)):
            return f"{len(self.matchings)} matchings, fewer than k = {k}"
        return self._unjustified(table, self.matchings)

    def _unjustified(self, table: Table, matchings: Int32s) -> str | None:
        """Say why some matching is none, not allowed, or shares a pair with another."""
        columns = [table.column(c) for c in table.qi]
        for m, matching in enumerate(matchings):
            if why := not_permutation(matching, table.n):
                return f"matching {m} {why}"
            for a, codes in enumerate(columns):
                bad = (codes != codes[matching]) & ~self.starred[matching, a]
                if bad.any():
                    i = int(np.flatnonzero(bad)[0])
                    j = int(matching[i])
                    return f"matching {m}: released row {j} cannot stem from row {i}"
            for earlier in range(m):
                if len(same := np.flatnonzero(matching == matchings[earlier])):
                    return (
                        f"matchings {earlier} and {m} share the pair of row {same[0]}"
                    )
        return None


def not_permutation(matching: IntArray, n: int) -> str | None:
    """Say why an array is not a permutation of 0, .., n - 1, or return None."""
    if len(matching) != n:
        return f"has {len(matching)} rows, the table {n}"
    if n and (matching.min() < 0 or matching.max() >= n):
        return "names a row that is not there"
    seen = np.zeros(n, bool)
    seen[matching] = True
    if not seen.all():
        return f"leaves out released row {int(np.argmin(seen))}"
    return None


def expect_k(requirement: Requirement) -> int:
    """Return the k of plain k-anonymity.

    Raises NotSupportedError for another requirement.
    """
    expect_parts(requirement, KAnonymity)
    return least_size(requirement)


# A non-homogeneous release by generalization: each row with ranges of its own.


@dataclass(frozen=True, eq=False)
class NonHomogeneousRanges(RowwiseRelease):
    """A table in which each row stands for the originals that are matched to it.

    Where they agree their value is published; else the range ``[least-greatest]`` in a
    column of numbers, the lowest common ancestor in one with a taxonomy, and a star in
    any other (Murakami and Uno 2018, section 3.2.4). Raises TableError where a
    published cell could not be told from another one, and ValueError where the
    matchings are not known.

    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["7"]], qi=["a"])
    >>> records = NonHomogeneous.from_matchings(
    ...     table, np.array([[0, 1, 2], [1, 2, 0]], np.int32))
    >>> release = NonHomogeneousRanges(table, records, Scales.of(table, ["a"]))
    >>> release.published.rows(), release.stars
    ([('[1-7]',), ('[1-2]',), ('[2-7]',)], 0)
    """

    table: Table  # the original
    records: NonHomogeneous  # with its matchings
    scales: Scales  # what is known of the columns
    star: str = "*"  # the symbol for a suppressed cell

    def __post_init__(self) -> None:
        check_symbols(self.table, self.scales, self.star)
        _ = self._texts

    @property
    def gcp(self) -> float:
        """The mean loss of a QI cell."""
        return mean_loss(self.table, self.records, self.scales)

    @cached_property
    def shown(self) -> RowStars:
        return Mask(self._texts.starred(self.star))

    @cached_property
    def published(self) -> Table:
        """The released table; all cells but those of QI columns as they were."""
        return self._texts.published(self.table, np.arange(self.table.n))

    @cached_property
    def _texts(self) -> RangeTexts:
        """What the rows publish."""
        low, high = self.records.ranges(self.table, self.scales)
        return RangeTexts.of(self.table, self.scales, low, high, self.star)


@dataclass(frozen=True, eq=False)
class NonHomogeneousRelease(RowwiseRelease):
    """A table published with stars of its own in each row.

    ``records`` say which cells of the original ``table`` are stars. Raises TableError:
    a QI cell of it is the star symbol already; ValueError: the stars are not those of n
    rows and d QI columns.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> records = NonHomogeneous(np.array([[True, False], [False, True]]))
    >>> NonHomogeneousRelease(table, records).published.rows()
    [('*', 'x'), ('1', '*')]
    """

    table: Table
    records: NonHomogeneous | Mask
    star: str = "*"

    def __post_init__(self) -> None:
        check_star(self.table, self.star)
        expected = (self._lines.codes.shape[1], self.table.d)
        if self.records.starred.shape != expected:
            raise ValueError(
                f"Expected stars {expected}, got {self.records.starred.shape}."
            )

    @property
    def _lines(self) -> Table:
        """What the lines of the records are of: rows, or copies of distinct ones."""
        records = self.records
        return records.lines(self.table) if isinstance(records, Mask) else self.table

    @property
    def shown(self) -> RowStars:
        return self.records

    @cached_property
    def published(self) -> Table:
        """The released table: stars in QI cells, all other cells as they were."""
        where = dict(zip(self.table.qi, self.records.starred.T, strict=True))
        return self._lines.starred(self.star, where)
