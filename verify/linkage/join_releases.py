"""The classes of a release, and which of them each target may belong to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import SensitiveCounts, Table
from starmin.instances.arrays import Ints
from starmin.instances.tables.canonical import merge_equal_values
from starmin.verify.linkage.matching import Matching, Suppression

_CHUNK = 8192


@dataclass(frozen=True, eq=False)
class ReleasedClasses:
    """What an adversary reads from a release: classes and their sensitive values.

    A class is all rows that are published with the same QI cells.

    Examples
    --------
    >>> released = Table.from_rows(["sex", "ill"], [["*", "flu"], ["*", "gout"]],
    ...                            qi=["sex"], sensitive=["ill"])
    >>> ReleasedClasses.of(released).counts.distinct().tolist()
    [2]
    """

    released: Table
    counts: SensitiveCounts  # how often each sensitive value occurs in each class

    @classmethod
    def of(cls, released: Table) -> "ReleasedClasses":
        """Return the classes of a release with one sensitive column."""
        released = merge_equal_values(released)
        (column,) = released.sensitive
        types = released.row_types
        counts = SensitiveCounts.of(
            types.inverse, released.column(column), released.dictionary(column)
        )
        return cls(released, counts)

    @cached_property
    def levels(self) -> list[Ints]:
        """The trie of the classes' cells: the sorted child keys of each level.

        A node is a prefix of cells; the child of node v by code c of column j has the
        key ``v * cardinality_j + c``, and its number is the rank of its key. Classes
        come in lexicographic order, so leaves are classes.
        """
        codes = self.released.row_types.codes.astype(np.int64)
        node = np.zeros(len(codes), np.int64)
        levels = []
        for j, cardinality in enumerate(self.released.qi_cardinalities):
            keys, node = np.unique(
                node * cardinality + codes[:, j], return_inverse=True
            )
            levels.append(keys)
        return levels


def join(
    targets: Table, classes: ReleasedClasses, matchings: Mapping[str, Matching]
) -> Iterator[tuple[int, Ints, Ints]]:
    """Find all pairs (target type, class) where the class may contain the target.

    The QI columns of the targets are those of the release; pairs are of their
    ``row_types``. ``matchings`` says by column how cells stand for values: suppression
    where not named. Yields for some thousand targets at a time how many they are, and
    the pairs, sorted by target, the first of these targets being 0.

    Notes
    -----
    A join with the trie of the classes, column by column: a target follows only
    prefixes that match it. Under suppression that is at most two branches a node.
    """
    options = [
        _options(
            targets, classes.released, column, matchings.get(column, Suppression())
        )
        for column in classes.released.qi
    ]
    codes = targets.row_types.codes
    for begin in range(0, len(codes), _CHUNK):
        part = codes[begin : begin + _CHUNK]
        target = np.arange(len(part), dtype=np.int64)
        node = np.zeros(len(part), np.int64)
        for j, (starts, cells) in enumerate(options):
            value = part[target, j]
            lengths = starts[value + 1] - starts[value]
            target, node = np.repeat(target, lengths), np.repeat(node, lengths)
            offset = np.arange(len(target)) - np.repeat(
                np.cumsum(lengths) - lengths, lengths
            )
            cell = cells[np.repeat(starts[value], lengths) + offset]
            keys = classes.levels[j]
            key = node * classes.released.qi_cardinalities[j] + cell
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            hit = keys[place] == key
            target, node = target[hit], place[hit]
        yield len(part), target, node


def _options(
    targets: Table, released: Table, column: str, matching: Matching
) -> tuple[Ints, Ints]:
    """Return for value v of a column the cells that may stand for it, by starts."""
    values = targets.dictionary(column)
    value, cell = matching.pairs(values, released.dictionary(column))
    order = np.argsort(value, kind="stable")
    starts = np.searchsorted(value[order], np.arange(len(values) + 1))
    return starts.astype(np.int64), cell[order]
