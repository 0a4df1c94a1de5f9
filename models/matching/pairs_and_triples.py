"""Pairs and triples of row types: the minimal groups of 2-anonymity and 2-diversity."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from starmin.instances import Partition, RowTypes
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.runs.search_control import clock
from starmin.models.matching.group_costs import GroupCosts

MOST_LISTED = 3_000_000
_SECONDS_AT_ONCE = 0.2
_NONE = -1


@dataclass(frozen=True, eq=False)
class Groups:
    """Pairs and triples of row types; a type may be in a group more than once."""

    # N x 3: types in ascending order, -1 in place of the third of a pair
    members: Int32s
    cost: Ints  # what each group costs
    types: RowTypes  # the m row types

    @classmethod
    def of(
        cls,
        costs: GroupCosts,
        members: Int32s,
        check_time: Callable[[], None] = lambda: None,
    ) -> "Groups":
        """Return groups that have these members, with what they cost."""
        return cls(members, costs.of_groups(members, check_time), costs.types)

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def counts(self) -> Ints:
        """Multiplicities of the row types."""
        return self.types.counts

    def select(self, keep: npt.NDArray[Any]) -> "Groups":
        """Return some of the groups: a mask, or their numbers."""
        return Groups(self.members[keep], self.cost[keep], self.types)

    def join(self, others: "Groups") -> "Groups":
        """Return these groups and others after them."""
        return Groups(
            np.concatenate([self.members, others.members]),
            np.concatenate([self.cost, others.cost]),
            self.types,
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

        ``sets`` is the sparse matrix of sets and types.
        """
        common = sparse.csr_array(self.incidence() @ sets.T)
        common.data %= 2
        common.eliminate_zeros()
        return common


def list_groups(
    costs: GroupCosts,
    prices: Ints,
    unit: int,
    slack: int,
    check: Callable[[], None] = lambda: None,
) -> Int32s | None:
    """List pairs and triples whose prices add up to more than their cost less slack.

    ``prices``, by row type and with those of odd sets, and ``slack``, 0 or more, are in
    units of 1/``unit``. Returns groups of members in ascending order, each once; None
    if they are too many. ``check`` is called several times a second; it may raise.

    Notes
    -----
    All pairs of types are looked at, by falling price: 2.6e8 of 22,847 types by 16
    columns take some two seconds. A triple costs each of its rows no less than any two
    of them alone, and the two with the highest prices have two thirds of what it is
    paid or more, so that it extends a pair that is paid too much. With slack, pairs
    within two thirds of the slack are extended, too.
    """
    room, listed = np.empty((MOST_LISTED, 3), np.int32), 0
    order = np.argsort(-prices, kind="stable")
    priced = PricedTypes(
        *(costs.positions[order], costs.values[order], costs.counts[order]),
        *(prices[order], costs.lost, costs.starts, costs.sizes),
        costs.never,
    )
    begin, at_once = 0, 1
    while begin < len(order):
        check()
        began, end = clock(), min(begin + at_once, len(order))
        listed = _list_groups(priced, unit, slack, begin, end, listed, room)
        if listed > len(room):
            return None
        # Triples take far longer than pairs where many of these are extended.
        pace = _SECONDS_AT_ONCE / max(clock() - began, 1e-3)
        begin, at_once = end, max(1, int(min(8.0, pace) * at_once))
    found = room[:listed]
    return unique(np.where(found == _NONE, _NONE, order[found]).astype(np.int32))


def minimal_groups(types: RowTypes, values: Int32s, release: Partition) -> Int32s:
    """Return pairs and triples that the groups of a release split into.

    Neighbours in the order of the types are paired. Where there are sensitive values,
    rows are paired across half of their group, in the order of the values: none has
    more than half of it, so that partners differ. A group of odd size first loses a
    triple of its three most frequent values; what is left of it is even, and no value
    has more than half of that.

    ``values`` are the sensitive ones of the row types, -1 where groups may be any. The
    groups of the release have two rows or more; where there are values, none has more
    than half.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> rows = [["0", "x"], ["0", "x"], ["1", "y"], ["2", "y"], ["2", "z"]]
    >>> table = Table.from_rows("as", rows, "a", "s")
    >>> release = Partition.from_labels(np.array([0, 1, 0, 1, 1]))
    >>> types = table.row_types
    >>> minimal_groups(types, np.full(len(types), -1, np.int32), release).tolist()
    [[0, 1, -1], [0, 2, 2]]
    >>> types = table.sensitive_types
    >>> minimal_groups(types, types.sensitive[:, 0], release).tolist()
    [[0, 1, -1], [0, 2, 3]]
    """
    type_of, group = types.inverse, release.groups
    if release.rows is not None:
        type_of = type_of[release.rows]
    if release.copies is not None:
        type_of, group = (np.repeat(each, release.copies) for each in (type_of, group))
    order = np.lexsort((type_of, values[type_of], group))
    type_of, group = type_of[order], group[order]
    ends = np.flatnonzero(np.diff(group, append=-1)) + 1
    units: list[tuple[int, int, int]] = []
    begin, plain = 0, bool(values[0] < 0)
    for end in ends.tolist():
        members = type_of[begin:end]
        begin = end
        if len(members) % 2:
            three = np.arange(3)
            if not plain:  # rows of the three most frequent values
                own = values[members]
                _, at, counts = np.unique(own, return_index=True, return_counts=True)
                three = at[np.argsort(-counts, kind="stable")[:3]]
            first, second, third = members[three].tolist()
            units.append((first, second, third))
            members = np.delete(members, three)
        half = len(members) // 2
        pairs = members.reshape(half, 2) if plain else members.reshape(2, half).T
        units += [(first, second, _NONE) for first, second in pairs.tolist()]
    return unique(np.array(units, np.int32).reshape(-1, 3))


def unique(members: Int32s) -> Int32s:
    """Sort the members of each group, and drop groups that are there twice."""
    last = np.iinfo(np.int32).max
    ordered = np.sort(np.where(members == _NONE, last, members), axis=1)
    ordered[ordered == last] = _NONE
    order = np.lexsort(ordered.T[::-1])
    ordered = ordered[order]
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[fresh].astype(np.int32)


class PricedTypes(NamedTuple):
    """Row types by falling price, and what groups of them cost."""

    positions: Int32s
    values: Int32s
    counts: Ints
    prices: Ints
    lost: Ints  # lost, starts, sizes, never: what groups lose: see ``GroupCosts``
    starts: Ints
    sizes: Ints
    never: int


@compiled
def _list_groups(
    types: PricedTypes,
    unit: int,
    slack: int,
    begin: int,
    end: int,
    listed: int,
    room: Int32s,
) -> int:
    """Write groups whose first type is in a part to ``room``; return how many it has.

    It ends where there is no room for more.
    """
    positions, values, counts, prices, lost, starts, sizes, never = types
    d = positions.shape[1]
    for i in range(begin, end):
        for j in range(i, len(prices)):
            paid = prices[i] + prices[j]
            pair, triple = paid + slack, 3 * paid + 2 * slack
            if pair <= 0 and triple <= 0:
                break
            if i == j and counts[i] < 2:
                continue
            if values[i] >= 0 and values[i] == values[j]:
                continue
            cost = 0
            for a in range(d):
                u, v = positions[i, a], positions[j, a]
                if u != v:
                    cost += lost[starts[a] + u * sizes[a] + v]
                    if 2 * cost * unit >= pair and 6 * cost * unit >= triple:
                        break
            if cost >= never:
                continue
            if 2 * cost * unit < pair:
                if listed == len(room):
                    return listed + 1
                room[listed, 0], room[listed, 1], room[listed, 2] = i, j, _NONE
                listed += 1
            if 6 * cost * unit >= triple:
                continue
            for h in range(j, len(prices)):
                most = paid + prices[h] + slack
                if 3 * cost * unit >= most:
                    break
                if h == j and counts[j] < (3 if i == j else 2):
                    continue
                if values[h] >= 0 and (
                    values[h] == values[i] or values[h] == values[j]
                ):
                    continue
                whole = 0
                for a in range(d):
                    u, v, w = positions[i, a], positions[j, a], positions[h, a]
                    low, high = min(u, v, w), max(u, v, w)
                    if low != high:
                        whole += lost[starts[a] + low * sizes[a] + high]
                        if 3 * whole * unit >= most:
                            break
                if 3 * whole * unit < most and whole < never:
                    if listed == len(room):
                        return listed + 1
                    room[listed, 0], room[listed, 1], room[listed, 2] = i, j, h
                    listed += 1
    return listed


# Odd sets of rows: in any release some group has an odd number of rows of each.

# Groups that are used less than one of these shares do not join a component.
_LEAST_USES = (1e-6, 0.2, 0.35, 0.45, 0.55, 0.7, 0.95)
_VIOLATION = 0.01  # A set that is cut less than this below 1 is taken.


def find_odd_sets(groups: Groups, uses: Floats) -> Any:
    """Find odd sets of types that a fractional packing cuts by less than one group.

    Components of the graph of groups that are used by more than some share; ``uses`` is
    how often each of the pairs and triples is used. Returns the sparse matrix of sets
    and types.
    """
    used = groups.select(uses > _LEAST_USES[0])
    uses = uses[uses > _LEAST_USES[0]]
    incidence, counts = used.incidence(), used.counts
    found: set[tuple[int, ...]] = set()
    # Shares that the same groups are above give the same components.
    shares = {np.count_nonzero(uses > least): least for least in _LEAST_USES}
    for least in shares.values():
        joined = incidence[np.flatnonzero(uses > least)]
        graph = sparse.coo_array(joined.T @ joined)
        size, component = csgraph.connected_components(graph, directed=False)
        rows = np.zeros(size, np.int64)
        np.add.at(rows, component, counts)
        everything = np.arange(len(counts))
        sets = sparse.csr_array(
            (np.ones(len(counts), np.int64), (component, everything)),
            shape=(size, len(counts)),
        )
        cut = used.odd(sets).T @ uses
        for number in np.flatnonzero((rows % 2 == 1) & (cut < 1 - _VIOLATION)):
            begin, end = sets.indptr[number : number + 2]
            found.add(tuple(sorted(sets.indices[begin:end].tolist())))
    return matrix_of(sorted(found), len(counts))


def matrix_of(sets: list[tuple[int, ...]], types: int) -> Any:
    """Return the sparse matrix of sets and types.

    Examples
    --------
    >>> matrix_of([(0, 2)], 3).toarray().tolist()
    [[1, 0, 1]]
    """
    starts = np.cumsum([0, *map(len, sets)])
    members = np.array([t for one in sets for t in one], np.int64)
    ones = np.ones(len(members), np.int64)
    return sparse.csr_array((ones, members, starts), shape=(len(sets), types))
