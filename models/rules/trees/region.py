"""Parts of the program whose trees do not touch each other."""

from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.models.rules.trees.local import Local


@dataclass(frozen=True, eq=False)
class Region:
    """Row types and items that one tree may change."""

    types: Ints  # types, items: all of them
    items: Ints
    # the items that no other type may show: these can be opened and closed
    inside: Ints
    movable: Ints  # entries of these types and items


def apart(local: Local) -> Ints:
    """Return by item by how many rows who shows it differs from its best fill."""
    number = np.zeros(len(local.need), np.int64)
    some = local.choices.item >= 0
    differ = np.abs(local.shown - local.used)[some]
    np.add.at(number, local.choices.item[some], differ)
    return number


class Regions:
    """Grows regions around items, each apart from those that were taken.

    ``local`` is the program at its prices; a region has at most ``most`` types.
    """

    def __init__(self, local: Local, most: int) -> None:
        self.local, self.most = local, most
        self._types: Bools = np.zeros(len(local.copies), bool)
        self._items: Bools = np.zeros(len(local.need), bool)

    def take(self, region: Region) -> None:
        """Keep a region from all further ones."""
        self._types[region.types] = True
        self._items[region.items] = True

    def around(self, seed: int) -> Region | None:
        """Return the region that grows from an item; None where that is taken.

        Items join where rows of its types differ from best fills, those first that
        bring few further types for much of that.
        """
        types, near, asked = set[int](), dict[int, int](), {seed}
        new = self._further(seed, types)
        while new is not None:
            types |= new
            self._meet(new, near, asked)
            new = self._next(near, types, asked)
        return self._region(types) if types else None

    def _region(self, types: set[int]) -> Region:
        local = self.local
        items = {i for t in types for i in local.items_of(t).tolist()}
        items = {i for i in items if not self._items[i]}
        inside = [i for i in sorted(items) if types.issuperset(self._types_of(i))]
        owners = np.array(sorted(types), np.int64)
        movable = [
            e
            for t in owners.tolist()
            for e in range(local.choices.starts[t], local.choices.starts[t + 1])
            if int(local.choices.item[e]) in items
        ]
        listed = np.array(sorted(items), np.int64), np.array(inside, np.int64)
        return Region(owners, *listed, np.array(movable, np.int64))

    def _types_of(self, item: int) -> set[int]:
        return set(self.local.owner[self.local.entries_of(item)].tolist())

    def _further(self, item: int, types: set[int]) -> set[int] | None:
        """Return the types that an item brings; None where it cannot join."""
        if self._items[item]:
            return None
        size = int(self.local.starts[item + 1] - self.local.starts[item])
        if size > self.most:
            return None
        new = self._types_of(item) - types
        if len(types) + len(new) > self.most or self._types[list(new)].any():
            return None
        return new

    def _meet(self, types: set[int], near: dict[int, int], asked: set[int]) -> None:
        """Count for items nearby the rows of some types that are apart."""
        local, item = self.local, self.local.choices.item
        for t in types:
            own = slice(*local.choices.starts[t : t + 2].tolist())
            differ = np.abs(local.shown[own] - local.used[own])
            some = (differ > 0) & (item[own] >= 0)
            found = zip(item[own][some].tolist(), differ[some].tolist(), strict=True)
            for i, number in found:
                if i not in asked:
                    near[i] = near.get(i, 0) + number

    def _next(
        self, near: dict[int, int], types: set[int], asked: set[int]
    ) -> set[int] | None:
        best, found, chosen = 0.0, None, -1
        for i, number in list(near.items()):
            new = self._further(i, types)
            if new is None:
                del near[i]  # It brings too many types, and will never bring fewer.
            elif number / (1 + len(new)) > best:
                best, found, chosen = number / (1 + len(new)), new, i
        if found is not None:
            asked.add(chosen)
            del near[chosen]
        return found
