"""Non-homogeneous 2-anonymity in polynomial time: a matching without fixed points."""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from starmin.instances import (
    STARS,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Int32s, Ints, distinct
from starmin.instances.loops.compiled import compiled
from starmin.models.matching.matching_network import (
    FAR,
    Arcs,
    cheapest_flow,
    distances,
    residual_distances,
)
from starmin.models.nonhomogeneous import PAIR_MATCHING
from starmin.models.nonhomogeneous.matching_flow_tree import ring_release
from starmin.models.nonhomogeneous.own_star_set import StarSets, price_certificate

# The network of partners for 2-anonymity: few arcs, and prices for all pairs.

_NEAR = 10  # Each type begins with arcs to so many near types.
_NEVER = np.int64(1) << 55  # More than any release costs.


class PairNetwork:
    """Arcs from types as released rows to types as originals, and what they prove.

    ``sets`` are the star sets for k = 2.
    """

    def __init__(self, table: Table, objective: Objective, sets: StarSets) -> None:
        self.table, self.sets = table, sets
        self.weights = objective.column_weights(table)
        self.counts = sets.counts
        own = np.flatnonzero(self.counts > 1)
        self.keys = distinct(_arc_keys(own, own, len(self.counts)), self._near())

    def _near(self) -> Ints:
        """Make arcs to the next type of each class, cheap sets first, for the last all.

        The last set stars all that may be: its rings alone are a feasible matching.
        """
        m = len(self.counts)
        arcs = np.zeros(m, np.int64)
        keys = []
        for number, classes in enumerate(self.sets.class_of):
            last = number == len(self.sets.class_of) - 1
            tails, heads = _rings(classes)
            wanted = (arcs[tails] < _NEAR) | (arcs[heads] < _NEAR) | last
            tails, heads = tails[wanted], heads[wanted]
            arcs += np.bincount(tails, minlength=m)
            keys.append(_arc_keys(tails, heads, m))
        return np.concatenate(keys)

    @property
    def _arcs(self) -> Arcs:
        m = len(self.counts)
        tail, head = np.divmod(self.keys, m)
        codes = self.table.row_types.codes
        cost = np.zeros(len(tail), np.int64)
        for a, weight in enumerate(self.weights.tolist()):
            cost += weight * (codes[tail, a] != codes[head, a])
        return Arcs(tail.astype(np.int32), (head + m).astype(np.int32), cost, 2 * m)

    def solve(self) -> Ints:
        """Find the cheapest flow on the arcs there are."""
        return cheapest_flow(self._arcs, np.concatenate([self.counts, -self.counts]))

    def partners(self, flow: Ints) -> Ints:
        """Return for each released row the original it is matched to, never itself.

        Units are dealt to the rows of a type in turn, those of an arc to the own type
        first, and originals are turned by one: unit p of released rows of a type
        meets row p of it, unit p of originals row p + 1.
        """
        m = len(self.counts)
        used = np.flatnonzero(flow)
        tail, head = np.divmod(self.keys[used], m)
        first = np.argsort(tail != head, kind="stable")
        units = np.repeat(first, flow[used][first])
        types = self.table.row_types
        rows = np.argsort(types.inverse, kind="stable")
        starts = np.cumsum(self.counts) - self.counts
        # All units of a type in the order of the arcs: one for each of its rows.
        released = np.argsort(tail[units], kind="stable")
        stems = np.argsort(head[units], kind="stable")
        place = np.arange(len(rows)) - np.repeat(starts, self.counts)
        sizes = np.repeat(self.counts, self.counts)
        turned = np.repeat(starts, self.counts) + (place + 1) % sizes
        original_of_unit = np.empty(len(rows), np.int64)
        original_of_unit[stems] = rows[turned]
        partner = np.empty(len(rows), np.int64)
        partner[rows] = original_of_unit[released]
        return partner

    def price(self, flow: Ints) -> tuple[int, Ints]:
        """Compute a bound and its prices; pairs that disagree become arcs.

        Shortest distances in the residual network are prices under which the arcs
        agree; the price of a released row is then lowered to the least that any
        original leaves it.
        """
        arcs, m = self._arcs, len(self.counts)
        distance = residual_distances(arcs.tail, arcs.head, arcs.cost, flow, 2 * m)
        price = distance[m:]
        least, nearest = self._cheapest(price)
        dear = np.flatnonzero(least < -distance[:m])
        others, its = self._cheapest(-distance[:m])
        cheap = np.flatnonzero(others < price)
        new = _arc_keys(dear, nearest[dear], m), _arc_keys(its[cheap], cheap, m)
        self.keys = distinct(self.keys, *new)
        bound = int(self.counts @ price) + int(self.counts @ least)
        return bound, price

    def _cheapest(self, price: Ints) -> tuple[Ints, Int32s]:
        """Find for each type the least cost less price, and whose it is."""
        given = self.sets.class_of, self.sets.sizes, self.sets.cost
        least, whose = _cheapest_partner(*given, price, self.counts > 1)
        return least, whose


def _arc_keys(
    tails: npt.NDArray[np.integer], heads: npt.NDArray[np.integer], m: int
) -> Ints:
    """Number the arcs, in the order of their tails."""
    return tails.astype(np.int64) * m + heads


def _rings(classes: Int32s) -> tuple[Ints, Ints]:
    """Return arcs from each type to the next of its class, in a ring."""
    order = np.argsort(classes, kind="stable")
    order = order[np.searchsorted(classes[order], 0) :]
    groups = classes[order]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    ends = np.append(begins[1:], len(order)) - 1
    following = np.arange(1, len(order) + 1)
    following[ends] = begins
    heads = order[following]
    other = order != heads
    return order[other], heads[other]


@compiled
def _cheapest_partner(
    class_of: Int32s, sizes: Ints, cost: Ints, price: Ints, own: Bools
) -> tuple[Ints, Int32s]:
    """Find for each type the least cost less price of an original, and whose it is.

    Types of one row have no partner in their own type.
    """
    sets, m = class_of.shape
    least = np.where(own, -price, _NEVER)
    nearest = np.arange(m).astype(np.int32)
    top = np.empty((sizes.max(), 2), np.int32)
    for s in range(sets):
        top[: sizes[s]] = -1
        for t in range(m):
            c = class_of[s, t]
            if c < 0:
                continue
            if top[c, 0] < 0 or price[t] > price[top[c, 0]]:
                top[c, 1] = top[c, 0]
                top[c, 0] = t
            elif top[c, 1] < 0 or price[t] > price[top[c, 1]]:
                top[c, 1] = t
        for t in range(m):
            c = class_of[s, t]
            if c < 0:
                continue
            best = top[c, 0] if top[c, 0] != t else top[c, 1]
            if best >= 0 and cost[s] - price[best] < least[t]:
                least[t] = cost[s] - price[best]
                nearest[t] = best
    return least, nearest


MAX_ROWS = 5_000


def pair_matching(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    on: Literal["types", "rows"] = "types",
) -> Result[NonHomogeneous]:
    r"""Solve non-homogeneous 2-anonymity exactly: a minimum-weight perfect matching.

    One of the two matchings may be the identity, so what is left to choose is a
    permutation of the rows without fixed points, each released row paying for the
    columns on which it differs from its partner:

    .. math::

        \min \sum_{i \ne j} dist(i, j)\, x_{ij}, \qquad
        \sum_j x_{ij} = 1, \quad \sum_i x_{ij} = 1, \quad x \ge 0.

    Why the identity. Take two matchings P, Q that share no pair. The permutation
    :math:`Q^{-1} P` has no fixed point; it pairs originals i and i' that are matched to
    the same released row, which pays for all columns on which i and i' differ.

    On distinct rows it is a transportation problem; a type of two rows and more may be
    its own partner, at no cost, as its rows can be turned by one. Few arcs suffice:
    each type to some near ones. Prices from their optimum are made feasible for all
    pairs by a look at each class of rows that agree on some columns, never at n^2
    pairs. If their bound does not meet the value, the pairs that disagree become arcs
    too.

    Parameters
    ----------
    table, requirement, objective
        Any table; ``KAnonymity(2)``; stars; weights and ``keep`` are honoured.
    time_limit, display
        Wall-clock seconds, looked at between the steps; then the best release and bound
        so far are returned. Progress is shown on stderr.
    on
        ``types``; or ``rows``, an assignment problem on all pairs: an independent
        second opinion on up to 5,000 rows, without a certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too large.

    Notes
    -----
    Distinct rows: 2^d group-bys and some ten min-cost flows by cost scaling. 3,000 rows
    x 8 columns (census) take 3 s, 30,000 rows 110 s on a busy processor.

    References
    ----------
    Murakami and Uno (2018), section 3.2: k = 2 needs one matching. That the identity is
    no restriction, and the prices, are ours.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.catalogue.catalogue import load_instance
    >>> pair_matching(load_instance("murakami-uno"), KAnonymity(2)).value
    12
    """
    if requirement.core.size != 2:
        raise NotSupportedError(f"Expected 2-anonymity, got {requirement.as_json()}.")
    if on == "rows" and table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, PAIR_MATCHING
    )

    def search() -> None:
        run.offer(ring_release(table, objective, 2))
        run.check_time()
        if on == "rows":
            _match_rows(run)
        else:
            _match_types(run)

    return run.carry_out(search)


def _match_rows(run: Run[NonHomogeneous]) -> None:
    """Solve the assignment problem of the rows."""
    types = run.table.row_types
    codes = types.codes[types.inverse]
    weight = distances(run.table, run.objective, codes, codes).astype(float)
    weight[weight >= FAR] = np.inf
    np.fill_diagonal(weight, np.inf)
    _, partner = linear_sum_assignment(weight)
    _offer(run, partner)
    value = int(weight[np.arange(run.table.n), partner].sum())
    run.raise_bound(value, "pair_matching")


def _match_types(run: Run[NonHomogeneous]) -> None:
    """Solve the transportation problem of the row types on more and more arcs."""
    sets = StarSets.of(run.table, run.objective, 2, run.check_time)
    network = PairNetwork(run.table, run.objective, sets)
    while not run.closed:
        run.check_time()
        flow = network.solve()
        _offer(run, network.partners(flow))
        bound, prices = network.price(flow)
        run.raise_bound(bound, "pair_matching", price_certificate(run, prices, bound))


def _offer(run: Run[NonHomogeneous], partner: npt.NDArray[np.integer]) -> None:
    """Offer the release in which each row is matched to itself and its partner."""
    matchings = np.empty((2, run.table.n), np.int32)
    matchings[0] = np.arange(run.table.n)
    matchings[1, partner] = np.arange(run.table.n)
    run.offer(NonHomogeneous.from_matchings(run.table, matchings))
