"""Sets of columns that types may show at little cost, and the items of each."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.relaxation.set_pool import (
    MOST_SETS,
    list_near,
    paid_for,
    shown_by,
)

_MOST_PAIRS = 12_000_000  # of a set and an item that it shows


class NearbySets(NamedTuple):
    """What types may show, near to the least under prices."""

    # types, codes, costs, over: by set, in order of types: its type, the bits that it
    # hides, what a row pays, and how much that is above the least of its type, prices
    # included
    types: Ints
    codes: Ints
    costs: Ints
    over: Ints
    type_starts: Ints  # by type: its first set
    starts: Ints  # starts, items: by set: where its items begin, and these
    items: Int32s
    # item_starts, sets: by item: where the sets that show it begin, and these, cheap
    # ones first
    item_starts: Ints
    sets: Int32s

    @classmethod
    def of(
        cls, function: PriceFunction, prices: Ints, slack: int, codes: Ints
    ) -> "tuple[NearbySets, Ints]":
        """List sets within a slack of the least, and those of a mask.

        ``prices`` is what items cost, ``slack`` is in the unit of the function, and
        ``codes`` is what the copies of the types hide in the mask, in order. Returns
        the sets, and by set how many rows of the mask have it.
        """
        program = function.program
        choices, needs = program.choices, len(program.need)
        function.solve_types(prices)
        shown = max(1, len(choices.item) // max(1, len(program)))
        near = list_near(
            function,
            prices,
            np.full(len(program), slack),
            min(MOST_SETS, max(_MOST_PAIRS // shown, len(program))),
        )
        owners = np.repeat(np.arange(len(program)), program.copies)
        listed = np.repeat(np.arange(len(program)), np.diff(near.starts))
        every = np.stack([np.r_[listed, owners], np.r_[near.codes, codes]])
        (types, own), place = np.unique(every, axis=1, return_inverse=True)
        rows = np.bincount(place[len(listed) :], minlength=len(types))
        costs = program.costs_of(own, choices.types[types])
        paid = paid_for(function, types, own, costs, prices)
        least = np.full(len(program), np.iinfo(np.int64).max)
        np.minimum.at(least, types, paid)
        over = paid - least[types]
        sets, entries = shown_by(choices, types, own, np.ones(needs, bool))
        items = choices.item[entries]
        order = np.lexsort((over[sets], items))
        found = cls(
            types,
            own,
            costs,
            over,
            np.searchsorted(types, np.arange(len(program) + 1)),
            np.searchsorted(sets, np.arange(len(types) + 1)),
            items.astype(np.int32),
            np.searchsorted(items[order], np.arange(needs + 1)),
            sets[order].astype(np.int32),
        )
        return found, rows.astype(np.int64)

    def shown(self, sets: Ints, rows: Ints, items: int) -> Ints:
        """Count by item the rows that show it, of some sets with so many rows each.

        ``rows`` are by set, and ``items`` is how many items there are.
        """
        used = rows != 0
        owners, pairs = self.pairs(sets[used])
        total = np.zeros(items, np.int64)
        np.add.at(total, pairs, rows[used][owners])
        return total

    def pairs(self, sets: Ints) -> tuple[Ints, Ints]:
        """Return the places of sets with an item each that the set shows."""
        lengths = self.starts[sets + 1] - self.starts[sets]
        owners = np.repeat(np.arange(len(sets)), lengths)
        first = np.cumsum(lengths) - lengths
        places = np.arange(len(owners)) + (self.starts[sets] - first)[owners]
        return owners, self.items[places].astype(np.int64)
