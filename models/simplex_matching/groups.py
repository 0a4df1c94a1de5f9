"""Pairs and triples of row types: the minimal groups of 2-anonymity."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from instances import Objective, Table
from instances.loops.compiled import compiled
from models.nonhomogeneous.star_sets import StarSets

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]

MOST_LISTED = 3_000_000
_NONE = -1


@dataclass(frozen=True, eq=False)
class Groups:
    """Pairs and triples of row types; a type may be in a group more than once.

    Attributes
    ----------
    members
        N x 3: types in ascending order, -1 in place of the third of a pair.
    cost
        What each group costs.
    counts
        Multiplicities of the m row types.
    """

    members: Members
    cost: Ints
    counts: Ints

    @classmethod
    def of(cls, table: Table, objective: Objective, members: Members) -> "Groups":
        """Return groups that have these members, with what they cost."""
        codes, weights = table.row_types.codes, objective.column_weights(table)
        first, second, third = members.T
        third = np.where(third < 0, first, third)
        cost = np.zeros(len(members), np.int64)
        for column, weight in enumerate(weights.tolist()):
            code = codes[:, column]
            differ = (code[first] != code[second]) | (code[first] != code[third])
            cost += weight * differ
        sizes = 2 + (members[:, 2] >= 0)
        return cls(members, cost * sizes, table.row_types.counts)

    def __len__(self) -> int:
        return len(self.cost)

    def select(self, keep: npt.NDArray[Any]) -> "Groups":
        """Return some of the groups: a mask, or their numbers."""
        return Groups(self.members[keep], self.cost[keep], self.counts)

    def pairs(self) -> "Groups":
        """Return the pairs among them."""
        return self.select(self.members[:, 2] < 0)

    def join(self, others: "Groups") -> "Groups":
        """Return these groups and others after them."""
        return Groups(
            np.concatenate([self.members, others.members]),
            np.concatenate([self.cost, others.cost]),
            self.counts,
        )

    @property
    def keys(self) -> npt.NDArray[np.void]:
        """One key for each group, the same for groups of the same members."""
        rows = np.ascontiguousarray(self.members)
        return rows.view(np.dtype((np.void, rows.dtype.itemsize * 3))).ravel()

    def incidence(self) -> Any:
        """Return the sparse matrix of groups and types: how many of each are in it."""
        at, place = np.nonzero(self.members >= 0)
        entries = (at, self.members[at, place])
        shape = (len(self), len(self.counts))
        return sparse.csr_array((np.ones(len(at), np.int64), entries), shape=shape)

    def odd(self, sets: Any) -> Any:
        """Return which groups have an odd number of rows in which sets of types.

        Parameters
        ----------
        sets
            The sparse matrix of sets and types.
        """
        common = sparse.csr_array(self.incidence() @ sets.T)
        common.data %= 2
        common.eliminate_zeros()
        return common


def list_groups(
    star_sets: StarSets, prices: Ints, unit: int, slack: int
) -> Members | None:
    """List pairs and triples whose prices add up to more than their cost less slack.

    Parameters
    ----------
    star_sets
        The classes of row types that agree on all but some columns.
    prices
        For each row type, in units of 1/unit; those of odd sets are included.
    unit
        Costs are multiplied by it.
    slack
        In units of 1/unit; 0 or more.

    Returns
    -------
    Groups of members in ascending order, each once; None if they are too many.

    Notes
    -----
    In a class, types are sorted by falling price: a triple that is paid too much has
    two members with two thirds of that or more, so it extends a pair. With slack, pairs
    within two thirds of the slack are extended, too.
    """
    highest = int(prices.max(initial=0))
    found = []
    room = np.empty((MOST_LISTED, 3), np.int32)
    for cost, classes in zip(star_sets.cost, star_sets.class_of, strict=True):
        whole = int(cost) * unit
        if 2 * highest <= 2 * whole - slack and 3 * highest <= 3 * whole - slack:
            continue
        order = np.lexsort((-prices, classes))
        listed = _list_groups(
            classes[order], order, prices[order], star_sets.counts, whole, slack, room
        )
        if listed > len(room):
            return None
        found.append(unique(room[:listed]))
    empty = np.empty((0, 3), np.int32)
    return unique(np.concatenate([empty, *found]))


def unique(members: Members) -> Members:
    """Sort the members of each group, and drop groups that are there twice."""
    last = np.iinfo(np.int32).max
    ordered = np.sort(np.where(members == _NONE, last, members), axis=1)
    ordered[ordered == last] = _NONE
    order = np.lexsort(ordered.T[::-1])
    ordered = ordered[order]
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[fresh].astype(np.int32)


@compiled
def _list_groups(
    classes: Members,
    types: Ints,
    prices: Ints,
    counts: Ints,
    cost: int,
    slack: int,
    room: Members,
) -> int:
    """Write the groups of one set of columns to ``room``; return how many there are.

    Types are in order of their classes, and of falling prices in each.
    """
    listed = 0
    least_pair, least_triple = 2 * cost - slack, 3 * cost - slack
    for i in range(len(types)):
        if classes[i] < 0:
            continue
        for j in range(i, len(types)):
            pair = prices[i] + prices[j]
            if classes[j] != classes[i]:
                break
            if pair <= least_pair and pair + prices[j] <= least_triple:
                break
            twice = i == j
            if twice and counts[types[i]] < 2:
                continue
            if pair > least_pair:
                if listed < len(room):
                    room[listed, 0], room[listed, 1] = types[i], types[j]
                    room[listed, 2] = -1
                listed += 1
            for h in range(j, len(types)):
                if classes[h] != classes[i] or pair + prices[h] <= least_triple:
                    break
                if h == j and counts[types[j]] < (3 if twice else 2):
                    continue
                if listed < len(room):
                    room[listed, 0], room[listed, 1] = types[i], types[j]
                    room[listed, 2] = types[h]
                listed += 1
    return listed
