"""Near patterns by ranges: each is listed, and priced, where there is room for it."""

from collections.abc import Sequence
from mmap import mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Int32s, Ints
from starmin.models.lagrangian_relaxation.pricing_data import (
    Memory,
    PricingData,
    workspace,
)
from starmin.models.lagrangian_relaxation.pricing_k import solve_pricing_k
from starmin.models.near_patterns.column_sets import agreeing
from starmin.models.near_patterns.near_loops import near_members
from starmin.models.near_patterns.pattern_ranges import PatternRange, SetOfColumns
from starmin.models.price_unit import PriceUnit


class RangeArrays(NamedTuple):
    """The near patterns of a range, as arrays in one file.

    The members of pattern p stand in ``members[starts[p] : starts[p + 1]]``.
    """

    starts: Ints
    cost: Ints  # cost, outside: by pattern, in units of ``PriceUnit``
    outside: Ints
    # for each pattern ``Memory.next_look``. It changes in the file, so that any worker
    # goes on with it.
    looks: Ints
    # types, counts: of each member its number among all row types, and its copies
    types: Ints
    counts: Ints
    members: Int32s  # row types, numbered within the range

    def save(self, path: Path) -> None:
        """Write them: their lengths, and one after the other."""
        with path.open("wb") as file:
            np.array([len(array) for array in self], np.int64).tofile(file)
            for array in self:
                array.tofile(file)

    @classmethod
    def load(cls, path: Path) -> "RangeArrays":
        """Map them to memory; what is not looked at is not read."""
        with path.open("r+b") as file:
            mapped = mmap(file.fileno(), 0)
        count = len(cls._fields)
        lengths = np.frombuffer(mapped, np.int64, count).tolist()
        at, arrays = 8 * count, []
        for name, length in zip(cls._fields, lengths, strict=True):
            kind = np.dtype(np.int32 if name == "members" else np.int64)
            arrays.append(np.frombuffer(mapped, kind, length, at))
            at += length * kind.itemsize
        return cls(*arrays)


def list_range(
    table: Table,
    own: Int32s,
    piece: PatternRange,
    sets: Sequence[SetOfColumns],
    k: int,
    unit: PriceUnit,
    file: Path,
) -> tuple[Ints | None, int]:
    """List the near patterns of a range, and write them to a file.

    Returns the row types that are listed, None where no pattern is; and how many pairs
    there are. ``table`` is the counted one of the row types, ``own`` the own cost of
    each type; ``sets`` are those of starred columns that the range ``piece`` has.
    Whoever reaches the file may price the range.
    """
    assert table.counts is not None
    rows = np.arange(len(own))
    if piece.kept >= 0:
        values = table.codes[piece.kept]
        rows = rows[(values >= piece.low) & (values < piece.high)]
    columns = [np.ascontiguousarray(codes[rows]) for codes in table.codes]
    counts, known = table.counts[rows], own[rows]
    lengths, members, cost, outside = [], [], [], []
    for each in sets:
        groups, size = agreeing(columns, table.qi_cardinalities, each.starred)
        many, found = near_members(
            groups, size, counts, known, each.cost, each.slack, k
        )
        lengths.append(many)
        members.append(found)
        cost.append(np.full(len(many), each.cost * unit.per_cost))
        outside.append(np.full(len(many), each.outside))
    all_members = np.concatenate(members)
    if len(all_members) == 0:
        return None, 0
    used = np.zeros(len(rows), bool)
    used[all_members] = True
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    RangeArrays(
        starts,
        np.concatenate(cost),
        np.concatenate(outside),
        np.zeros(len(starts) - 1, np.int64),
        rows[used],
        counts[used],
        place[all_members],
    ).save(file)
    return rows[used], len(all_members)


def price_ranges(
    prices: Ints, unit: PriceUnit, risen: int, k: int, files: Sequence[Path]
) -> list[tuple[int, Ints]]:
    """Solve the pricing problems of some ranges.

    Returns for each range, one a file, the sum of ``min(0, f_p)`` over its patterns,
    and what is chosen of each of its types, as a number that is not positive.
    ``prices`` are of all row types, in this unit; ``risen`` is by how much they rose at
    most since the first call, one call after the other.
    """
    found, nothing = [], np.ones(0, np.int64)
    for file in files:
        here = RangeArrays.load(file)
        chosen = np.zeros(len(here.counts), np.int64)
        data = PricingData(
            here.starts,
            here.members,
            here.cost,
            here.counts,
            np.zeros(len(here.counts), np.int32),
            k,
            1,
            here.outside,
        )
        gains = solve_pricing_k(
            data,
            prices[here.types],
            risen,
            Memory(here.looks, nothing),
            workspace(data),
            chosen,
        )
        found.append((unit.total(gains), chosen))
    return found
