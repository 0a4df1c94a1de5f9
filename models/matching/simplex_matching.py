"""2-anonymity and 2-diversity at scale: pairs and triples, cut by odd sets."""

import math

import numpy as np

from starmin.instances import (
    STARS,
    Certificate,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import certified_prices
from starmin.models.matching import SIMPLEX_MATCHING
from starmin.models.matching.group_costs import GroupCosts
from starmin.models.matching.packing_releases import (
    UNIT,
    Duals,
    Relaxation,
    round_up,
    solve_packing,
)
from starmin.models.matching.pairs_and_triples import (
    Groups,
    find_odd_sets,
    matrix_of,
    minimal_groups,
    unique,
)
from starmin.models.patterns.coarse_losses import CoarseRun, unit_within
from starmin.models.patterns.patterns import expect_no_tuples
from starmin.models.price_unit import PriceUnit, highest_loss, most_of_row
from starmin.models.pricing.pool_sources import good_prices

_MOST_ADDED = 30_000  # groups that are added to the relaxation at a time
_MOST_LEFT = 300_000  # groups that branch and bound is given at most
_MOST_RINGS = 3  # around the groups that are not whole
_ROUND_SHARE, _RING_SHARE = 0.25, 0.5  # of the time, for a packing with some rings
_PATIENCE = 3  # rounds of odd sets that do not raise the bound
_PRICE_SHARE = 0.2  # of the time, for prices
_PRICED_TYPES = 400  # Prices of so many types may take a second.
_FIRST, _FIRST_PER_TYPE = 5_000, 20  # columns at most: so many, or so many a type
# Groups that pay up to this share of a star beyond the prices are the first columns;
# less, by quarters, where they are too many.
_NEAR, _LEAST_NEAR = 0.25, 1e-3
_ROUNDING = UNIT // 1_000  # A solver's duals are off by less.
_LARGEST = 2**62
_MOST_SLACK = 2**58  # that is compared with what groups pay


def simplex_matching(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    initial: Partition | None = None,
    prices: Certificate | None = None,
) -> Result:
    r"""Solve 2-anonymity and 2-diversity exactly on large tables, by pairs and triples.

    A group of four rows and more splits into pairs and triples that cost no more. Under
    l-diversity with l = 2, no sensitive value has more than half of a group, and it
    splits into pairs and triples of different values: rows in the order of the values
    are paired across half of the group, after a triple of the three most frequent
    values where its size is odd. So the optimum is the cheapest packing of all rows
    into such pairs and triples of distinct rows (with their sensitive values):

    .. math::
        \min \sum_G c_G\, z_G, \qquad \sum_G |G \cap t|\, z_G = s_t, \qquad
        \sum_{G :\, |G \cap S|\ \text{odd}} z_G \ge 1 \quad (|S| \text{ odd})

    over whole :math:`z \ge 0`. The second condition holds in any packing: the rows of
    an odd set S cannot be covered by even parts alone. Without it the relaxation is
    fractional around odd cycles, and its value is that of the pattern formulation.

    (1) The Lagrangian bound has prices of the pattern formulation, the same relaxation
    (``starmin.models.bounds.lagrangian``); pairs and triples that pay little beyond
    them are the first columns. (2) The linear program is solved again and again, with
    odd sets that its solution cuts by less than a group, and with pairs and triples
    that its prices pay too much for; these are found among all pairs of distinct rows.
    (3) Groups whose use is whole are kept and the others packed by branch and bound,
    which often meets the bound. (4) If it does not, all groups that a better release
    may have, by their reduced costs, are given to branch and bound; where they are too
    many, the groups around those of step 3 are packed anew as well, ring after ring.

    Parameters
    ----------
    table, requirement, objective
        Any table, with up to some thousand values in a column; ``KAnonymity(2)``,
        ``LDiversity(2)`` or both, with one sensitive column; stars or losses by
        generalization; weights, ``keep`` and highest levels are honoured.
    prices
        A proof of kind ``prices`` for this problem, whose prices it begins with;
        default: they are found first.

    Returns
    -------
    Result
        With a certificate of the bound of the prices and odd sets.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too large.

    See Also
    --------
    starmin.models.matching.general_factor.general_factor :
        in polynomial time, on small tables.
    starmin.verify.certificates.group_bounds : proof and check of the bound.

    Notes
    -----
    From a release and prices that another search has found in seconds (two cores):
    Adult, 30,162 rows by 8 columns, has a relaxation of 17,019 stars; with odd sets it
    is 17,032 after 25 seconds, which a release has. NIST, 27,253 rows by 16 columns:
    33,091, 33,131 and 33,131 after 25 seconds. Losses on Adult, with hierarchies: from
    1.93 % to 1.9756 % and to a release of that after 45 seconds. Each round looks at
    all pairs of distinct rows: 2.6e8 in two seconds. A certificate has some hundred odd
    sets, most of at most five types.

    References
    ----------
    Anshelevich and Karagiozova (2011), Terminal backup, 3D matching, and covering
    cubic graphs. Edmonds (1965), Maximum matching and a polyhedron with 0,1-vertices.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "z"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> result = simplex_matching(table, KAnonymity(2))
    >>> result.value, result.status.value
    (5, 'optimal')
    """
    core = requirement.core
    if not core.exact or max(core.size, core.diversity) != 2 or core.distinct > 1:
        raise NotSupportedError(
            f"Expected 2-anonymity or 2-diversity, got {requirement.as_json()}."
        )
    if core.diversity == 2 and len(table.sensitive) != 1:
        raise NotSupportedError("Expected one sensitive column.")
    expect_no_tuples(objective)
    whole = Run(table, requirement, objective, time_limit, display, SIMPLEX_MATCHING)

    def search() -> Limit | None:
        whole.offer(Partition.coarsest(table, objective))
        if initial is not None:
            whole.offer(initial)
        whole.check_time()
        run = whole
        if objective.by_node and most_of_row(table, objective) > _most_loss(table):
            run = CoarseRun(whole, unit_within(table, objective, _most_loss(table)))
        if most_of_row(table, run.objective) > _most_loss(table):
            raise NotSupportedError(
                f"Expected weights that add up to {_most_loss(table):,} at most."
            )
        return _Search(run, prices).solve()

    return whole.carry_out(search)


def _most_loss(table: Table) -> int:
    """Return what a row may lose so that sums over a group, and prices, fit 64 bits."""
    in_a_group = _LARGEST // (12 * UNIT * (table.d + 1)) - 1
    return min(in_a_group, highest_loss(table.n, 0))


class _Search:
    """The relaxation, the best prices found, and what is made of them."""

    def __init__(self, run: Run, proof: Certificate | None) -> None:
        self.run = run
        diverse = run.requirement.core.diversity > 1
        self.costs = GroupCosts.of(run.table, run.objective, diverse, run.check_time)
        types = self.costs.types
        # Prices that no group is paid more than it costs at.
        self.duals, self.total = _duals(np.zeros(len(types), np.int64)), 0
        weights = run.objective.column_weights(run.table)
        self.star = int(weights[weights > 0].min(initial=max(1, weights.max())))
        penalty = 2.0 * max(1, int(weights.max()))
        if run.objective.by_node:
            self.star = max(1, (run.value or 0) // run.table.n)
            penalty = 4.0 * self.star
        unit = PriceUnit.of(run.table, run.objective)
        prices = certified_prices(proof, run.table, types, unit)
        if prices is None:
            seconds = min(_PRICE_SHARE * run.remaining, len(types) / _PRICED_TYPES)
            prices = good_prices(run, seconds)
        duals = _duals(np.rint(prices * (UNIT / unit.per_cost)).astype(np.int64))
        members = minimal_groups(types, self.costs.values, run.release)
        share = _NEAR
        while share >= _LEAST_NEAR:
            near = duals.list(run, self.costs, int(share * self.star * UNIT))
            if near is not None:
                most = max(_FIRST, _FIRST_PER_TYPE * len(types))
                least = np.argsort(duals.reduced_costs(near), kind="stable")[:most]
                members = unique(np.concatenate([members, near.members[least]]))
                break
            share /= 4
        groups = Groups.of(self.costs, members)
        self.relaxation = Relaxation(groups, penalty)

    def solve(self) -> Limit | None:
        """Close the gap as far as it goes; say why it is open where it is."""
        run, stalled = self.run, 0
        while not run.closed and stalled < _PATIENCE:
            before = self.total
            groups, sets = self._improve()
            if not groups and not sets:
                stalled = _PATIENCE  # Nothing is lacking.
            else:
                stalled = 0 if groups or self.total > before else stalled + 1
            if stalled in (1, _PATIENCE):
                self._round_up()
        rings = 0
        while not run.closed:
            run.check_time()
            left = self._left()
            if left is not None:
                return None if solve_packing(run, left, self.duals) else Limit.TIME
            if rings == _MOST_RINGS:
                return Limit.ITERATIONS
            rings += 1
            self._round_up(rings)
        return None

    def _left(self) -> Groups | None:
        """List all groups that a better release may have; None if too many."""
        run, most = self.run, self.run.cost * UNIT - self.total
        if most > _MOST_SLACK:
            return None
        left = self.duals.list(run, self.costs, most)
        return None if left is None or len(left) > _MOST_LEFT else left

    def _improve(self) -> tuple[int, int]:
        """Solve the relaxation; add groups and odd sets it lacks; return how many."""
        run, relaxation = self.run, self.relaxation
        run.check_time()
        if not relaxation.solve(run.remaining):
            raise TimeoutError
        duals = Duals.of(relaxation)
        sets = find_odd_sets(relaxation.groups, relaxation.uses)
        groups = duals.list(run, self.costs, 0)
        if groups is None:
            return 0, 0
        self._raise_bound(duals.lowered(groups))
        reduced = duals.reduced_costs(groups)
        new = ~np.isin(groups.keys, relaxation.groups.keys) & (reduced < -_ROUNDING)
        chosen = np.flatnonzero(new)
        chosen = chosen[np.argsort(reduced[chosen], kind="stable")[:_MOST_ADDED]]
        if len(chosen):
            relaxation.add_groups(groups.select(chosen))
        if sets.shape[0]:
            relaxation.add_sets(sets)
        return len(chosen), int(sets.shape[0])

    def _raise_bound(self, duals: Duals) -> None:
        """Take prices that pay no group more than it costs, if they are better."""
        run, total = self.run, duals.total(self.costs.counts)
        if run.lower_bound is not None and total <= self.total:
            return
        self.duals, self.total = duals, total
        bound = max(0, -(-total // UNIT))
        if run.lower_bound is None or bound > run.lower_bound:
            run.raise_bound(
                bound,
                "simplex_matching",
                duals.certificate(run, self.costs.types, bound),
            )

    def _round_up(self, rings: int = 0) -> None:
        """Make a release of the last solution; pack rings of rows anew, too."""
        run = self.run
        for most in (self.star * UNIT + 1, 1):
            near = self.duals.list(run, self.costs, most)
            if near is None:
                continue
            relaxation = self.relaxation
            seconds = run.remaining * (_RING_SHARE if rings else _ROUND_SHARE)
            solution = relaxation.groups, relaxation.uses, near, self.duals, seconds
            if not round_up(run, *solution, rings) and len(near) <= _MOST_LEFT:
                round_up(run, *solution, math.inf)
            break


def _duals(prices: Ints) -> Duals:
    """Return prices of row types in units of 1/UNIT, without odd sets."""
    return Duals(prices, matrix_of([], len(prices)), np.zeros(0, np.int64))
