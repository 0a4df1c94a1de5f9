"""What pairs and triples of row types cost, from what pairs of values lose."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import NotSupportedError, Objective, RowTypes, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.scales.scale import Scale

MOST_ENTRIES = 32_000_000  # of all tables of pairs of values
_AT_ONCE = 1_000_000  # of these between two looks at the clock


@dataclass(frozen=True, eq=False)
class GroupCosts:
    """Costs of groups of row types.

    In each column a group is published as the range from its least to its greatest
    position, so that a table of what pairs of positions lose tells what any group does.
    """

    types: RowTypes  # under 2-diversity with their sensitive values
    positions: Int32s  # m x d: those of the types on the scales of the columns
    # the sensitive value of each type, of which no group may have two rows; -1: any
    # group
    values: Int32s
    # sizes, starts: for each column the number of positions, and where its table begins
    sizes: Ints
    starts: Ints
    # the tables one after the other: what a row pays for a range, row by row
    lost: Ints
    never: int  # more than any row can pay: the cost of what must not be published

    @classmethod
    def of(
        cls,
        table: Table,
        objective: Objective,
        diverse: bool = False,
        check_time: Callable[[], None] = lambda: None,
    ) -> "GroupCosts":
        """Return the costs for a problem, 2-anonymity or, where ``diverse``,
        2-diversity.

        ``check_time`` is called now and then. Raises NotSupportedError where there are
        too many values in a column, or losses that fall where ranges grow.

        Examples
        --------
        >>> from starmin.instances import STARS
        >>> table = Table.from_rows("ab", [["0", "x"], ["1", "x"], ["1", "y"]], "ab")
        >>> costs = GroupCosts.of(table, STARS)
        >>> costs.of_groups(np.array([[0, 1, -1], [0, 1, 2]])).tolist()
        [2, 6]
        """
        scales = objective.scales_of(table)
        sizes = np.array([scale.size for scale in scales.scales], np.int64)
        if int((sizes**2).sum()) > MOST_ENTRIES:
            raise NotSupportedError(
                f"Expected columns of few values: the pairs of values in a column are "
                f"more than {MOST_ENTRIES:,}."
            )
        never = objective.whole(table) // table.n + 1
        tables = []
        for column, scale, unit in zip(
            table.qi, scales.scales, objective.units(table), strict=True
        ):
            lost = _table_of(scale, unit, check_time)
            codes = scale.codes
            if column in objective.keep:
                lost[~np.eye(len(lost), dtype=bool)] = never
            if column in scales.roofs:
                roofs = scales.roofs[column][codes]
                lost[roofs[:, None] != roofs] = never
            there = np.flatnonzero(codes >= 0)
            if not _grow(lost[np.ix_(there, there)]):
                raise NotSupportedError(
                    f"column {column!r}: Expected losses that grow with ranges."
                )
            tables.append(lost.ravel())
        types = table.sensitive_types if diverse else table.row_types
        any_value = np.full(len(types), -1, np.int32)
        return cls(
            types,
            np.ascontiguousarray(scales.positions(types.codes)),
            np.ascontiguousarray(types.sensitive[:, 0]) if diverse else any_value,
            sizes,
            np.cumsum(np.append(0, sizes**2))[:-1],
            np.concatenate(tables).astype(np.int64),
            never,
        )

    @property
    def counts(self) -> Ints:
        """Multiplicities of the row types."""
        return self.types.counts

    def of_groups(
        self, members: Int32s, check_time: Callable[[], None] = lambda: None
    ) -> Ints:
        """Return what groups cost: N x 3 types, -1 in place of the third of a pair."""
        each = np.zeros(len(members), np.int64)
        columns = [
            *zip(
                self.positions.T.astype(np.int64), self.starts, self.sizes, strict=True
            )
        ]
        for begin in range(0, len(members), _AT_ONCE):
            check_time()
            some = slice(begin, begin + _AT_ONCE)
            first, second, third = members[some].T
            third = np.where(third < 0, first, third)
            for column, start, size in columns:
                ends = column[first], column[second], column[third]
                low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
                each[some] += self.lost[start + low * size + high]
        return each * (2 + (members[:, 2] >= 0))


def _table_of(scale: Scale, unit: int, check_time: Callable[[], None]) -> Ints:
    """Return what a row pays for a range, by both of its ends."""
    every = np.arange(scale.size)
    lost = np.empty((scale.size, scale.size), np.int64)
    rows = 1 + _AT_ONCE // scale.size
    for at in range(0, scale.size, rows):
        check_time()
        some = every[at : at + rows, np.newaxis]
        low, high = np.minimum(some, every), np.maximum(some, every)
        each = scale.extents(low.ravel(), high.ravel()).reshape(low.shape)
        lost[at : at + rows] = unit * each
    return lost


def _grow(lost: Ints) -> bool:
    """Return whether no range loses less than one within it."""
    longer = np.triu(np.diff(lost, axis=1)[: len(lost)])
    earlier = np.triu(-np.diff(lost, axis=0), 1)
    return not (longer < 0).any() and not (earlier < 0).any()
