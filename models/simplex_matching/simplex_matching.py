"""2-anonymity at scale: a packing of pairs and triples, cut by odd sets."""

import math

import numpy as np

from instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    least_size,
)
from models.nonhomogeneous.pair_network import PairNetwork
from models.nonhomogeneous.star_sets import StarSets
from models.simplex_matching import SIMPLEX_MATCHING
from models.simplex_matching.duals import UNIT, Duals
from models.simplex_matching.groups import Groups, Members, unique
from models.simplex_matching.integer import round_up, solve_packing
from models.simplex_matching.odd_sets import find_odd_sets, matrix_of
from models.simplex_matching.relaxation import Relaxation

_MOST_ADDED = 30_000  # groups that are added to the relaxation at a time
_MOST_LEFT = 300_000  # groups that branch and bound is given at most
_MOST_RINGS = 3  # around the groups that are not whole
_ROUND_SHARE, _RING_SHARE = 0.25, 0.5  # of the time, for a packing with some rings
_PATIENCE = 3  # rounds of odd sets that do not raise the bound
_ROUNDING = UNIT // 1_000  # A solver's duals are off by less.
_LARGEST = 2**62


def simplex_matching(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Solve 2-anonymity exactly on large tables, by pairs and triples of row types.

    A group of four rows and more splits into pairs and triples without new stars. So
    the optimum is the cheapest packing of all rows into pairs and triples:

    .. math::
        \min \sum_G c_G\, z_G, \qquad \sum_G |G \cap t|\, z_G = s_t, \qquad
        \sum_{G :\, |G \cap S|\ \text{odd}} z_G \ge 1 \quad (|S| \text{ odd})

    over whole :math:`z \ge 0`. The second condition holds in any packing: the rows of
    an odd set S cannot be covered by even parts alone. Without it the relaxation is
    fractional around odd cycles, and its value is that of the pattern formulation.

    (1) Prices of pairs come from a flow
    (``models.nonhomogeneous.pair_matching``, the same relaxation). (2) The linear
    program is solved again and again, with odd sets that its solution cuts by less
    than a group, and with pairs and triples that its prices pay too much for; these
    are found among all, class by class of rows that agree on some columns. (3) Groups
    whose use is whole are kept and the others packed by branch and bound, which often
    meets the bound. (4) If it does not, all groups that a better release may have,
    by their reduced costs, are given to branch and bound; where they are too many, the
    groups around those of step 3 are packed anew as well, ring after ring.

    Parameters
    ----------
    table
        Any table of up to some ten columns.
    requirement
        ``KAnonymity(2)``.
    objective
        Stars; weights and ``keep`` are honoured.
    time_limit
        Wall-clock seconds. The best release and bound so far are returned.
    display
        Print a line to stderr at each improvement.
    initial
        A release to begin with.

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
    models.matching.general_factor.general_factor :
        in polynomial time, on small tables.
    verify.certificates.odd_sets : proof and check of the bound.

    Notes
    -----
    Adult, 30,162 rows by 8 columns: the relaxation of pairs is 17,019, with odd sets it
    is 17,032 after one to two minutes, and a release of 17,032 stars is packed from it
    in some 20 seconds more. Its certificate has some 500 odd sets of at most five
    types.

    References
    ----------
    Anshelevich and Karagiozova (2011), Terminal backup, 3D matching, and covering
    cubic graphs. Edmonds (1965), Maximum matching and a polyhedron with 0,1-vertices.

    Examples
    --------
    >>> from instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "z"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> result = simplex_matching(table, KAnonymity(2))
    >>> result.value, result.status.value
    (5, 'optimal')
    """
    if least_size(requirement) != 2:
        raise NotSupportedError(f"Expected 2-anonymity, got {requirement.as_json()}.")
    run = Run(table, requirement, objective, time_limit, display, SIMPLEX_MATCHING)
    if 3 * UNIT * table.n * int(objective.column_weights(table).sum() + 1) > _LARGEST:
        raise NotSupportedError(
            "Expected weights and rows whose product is below 2^45."
        )

    def search() -> Limit | None:
        run.offer(Partition.coarsest(table, objective))
        if initial is not None:
            run.offer(initial)
        return _Search(run).solve()

    return run.carry_out(search)


class _Search:
    """The relaxation, the best prices found, and what is made of them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.star_sets = StarSets.of(run.table, run.objective, 2, run.check_time)
        self.duals, pairs = self._first_prices()
        self.total = self.duals.total(self.star_sets.counts)
        self._raise_bound(self.duals)
        weights = run.objective.column_weights(run.table)
        self.star = int(weights[weights > 0].min(initial=max(1, weights.max())))
        near = self.duals.list(run, self.star_sets, self.star * UNIT + 1)
        if near is not None:
            pairs = unique(np.concatenate([pairs, near.pairs().members]))
        groups = Groups.of(run.table, run.objective, pairs)
        self.relaxation = Relaxation(groups, 2.0 * max(1, int(weights.max())))

    def _first_prices(self) -> tuple[Duals, Members]:
        """Return prices of the relaxation of pairs, and pairs that agree with them."""
        run, types = self.run, len(self.star_sets.counts)
        network = PairNetwork(run.table, run.objective, self.star_sets)
        known = -1
        while len(network.keys) > known:
            run.check_time()
            known = len(network.keys)
            _, price = network.price(network.solve())
        pairs = network.pairs()
        third = np.full((len(pairs), 1), -1, np.int32)
        prices = UNIT * network.pair_prices(price)
        duals = Duals(prices, matrix_of([], types), np.zeros(0, np.int64))
        return duals, unique(np.hstack([pairs, third]))

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
        run = self.run
        assert run.value is not None
        most = run.value * UNIT - self.total
        left = self.duals.list(run, self.star_sets, most)
        return None if left is None or len(left) > _MOST_LEFT else left

    def _improve(self) -> tuple[int, int]:
        """Solve the relaxation; add groups and odd sets it lacks; return how many."""
        run, relaxation = self.run, self.relaxation
        run.check_time()
        if not relaxation.solve(run.remaining):
            raise TimeoutError
        duals = Duals.of(relaxation)
        sets = find_odd_sets(relaxation.groups, relaxation.uses)
        groups = duals.list(run, self.star_sets, 0)
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
        run, total = self.run, duals.total(self.star_sets.counts)
        if run.lower_bound is not None and total <= self.total:
            return
        self.duals, self.total = duals, total
        bound = max(0, -(-total // UNIT))
        if run.lower_bound is None or bound > run.lower_bound:
            run.raise_bound(bound, "simplex_matching", duals.certificate(run, bound))

    def _round_up(self, rings: int = 0) -> None:
        """Make a release of the last solution; pack rings of rows anew, too."""
        run = self.run
        for most in (self.star * UNIT + 1, 1):
            near = self.duals.list(run, self.star_sets, most)
            if near is None:
                continue
            relaxation = self.relaxation
            seconds = run.remaining * (_RING_SHARE if rings else _ROUND_SHARE)
            solution = relaxation.groups, relaxation.uses, near, self.duals, seconds
            if not round_up(run, *solution, rings) and len(near) <= _MOST_LEFT:
                round_up(run, *solution, math.inf)
            break
